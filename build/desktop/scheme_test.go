//go:build window

package desktop

import (
	"testing"

	"github.com/godbus/dbus/v5"
)

const (
	portalName = "org.freedesktop.portal.Desktop"
	portalPath = "/org/freedesktop/portal/desktop"
	settings   = "org.freedesktop.portal.Settings"
	appearance = "org.freedesktop.appearance"
)

// portal is a fake of the settings portal of a desktop with a preference for dark windows.
type portal struct{}

func (portal) Read(namespace, key string) (dbus.Variant, *dbus.Error) {
	if namespace != appearance || key != "color-scheme" {
		return dbus.Variant{}, dbus.NewError("org.freedesktop.portal.Error.NotFound", nil)
	}
	return dbus.MakeVariant(dbus.MakeVariant(uint32(1))), nil // portals wrap the value in two variants
}

func TestPageFollowsTheColorSchemeOfTheDesktop(t *testing.T) {
	desk := desk(t)
	conn := sessionBus(t, desk)
	if err := conn.Export(portal{}, portalPath, settings); err != nil {
		t.Fatal(err)
	}
	if reply, err := conn.RequestName(portalName, 0); err != nil || reply != dbus.RequestNameReplyPrimaryOwner {
		t.Fatal(reply, err)
	}
	a := open(t, desk, t.TempDir())
	a.page.until("the page has its tabs", `!!named('button', 'New tab')`, "true")
	const dark = `document.documentElement.dataset.theme === 'dark'`
	a.page.until("the page is dark", dark, "true")
	change := func(key string, scheme uint32) {
		t.Helper()
		if err := conn.Emit(portalPath, settings+".SettingChanged", appearance, key,
			dbus.MakeVariant(scheme)); err != nil {
			t.Fatal(err)
		}
	}
	change("color-scheme", 2)
	a.page.until("the page is light", dark, "false")
	change("color-scheme", 1)
	change("contrast", 2) // an unrelated setting
	a.page.until("the page is dark again", dark, "true")
}
