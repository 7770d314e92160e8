//go:build desktop

package shell

import (
	"context"

	"github.com/godbus/dbus/v5"
)

// The settings of a desktop, see
// https://flatpak.github.io/xdg-desktop-portal/docs/doc-org.freedesktop.portal.Settings.html.
const (
	portalName    = "org.freedesktop.portal.Desktop"
	portalPath    = "/org/freedesktop/portal/desktop"
	portalSetting = "org.freedesktop.portal.Settings"
	appearance    = "org.freedesktop.appearance"
	colorScheme   = "color-scheme"
)

// followScheme calls set with the color scheme of the desktop, "dark", "light" or ""
// for none, and again after each change, until ctx ends. WebKit cannot tell the page:
// without a graphics driver (see leaveGraphicsAlone) it always prefers light. It
// returns at once if there is no bus.
func followScheme(ctx context.Context, set func(scheme string)) {
	bus, err := dbus.SessionBus()
	if err != nil {
		return
	}
	signals := make(chan *dbus.Signal, 16)
	bus.Signal(signals)
	defer bus.RemoveSignal(signals)
	if err := bus.AddMatchSignalContext(ctx, dbus.WithMatchObjectPath(portalPath),
		dbus.WithMatchInterface(portalSetting), dbus.WithMatchMember("SettingChanged"),
		dbus.WithMatchArg(0, appearance)); err != nil {
		return
	}
	var now dbus.Variant
	// Read, because older portals have no ReadOne. It fails if the desktop has no portal.
	if bus.Object(portalName, portalPath).CallWithContext(ctx, portalSetting+".Read", 0, appearance,
		colorScheme).Store(&now) == nil {
		set(schemeOf(now))
	}
	for {
		select {
		case <-ctx.Done():
			return
		case s, open := <-signals:
			if !open {
				return
			}
			var space, key string
			var value dbus.Variant
			if s.Name == portalSetting+".SettingChanged" && dbus.Store(s.Body, &space, &key, &value) == nil &&
				space == appearance && key == colorScheme {
				set(schemeOf(value))
			}
		}
	}
}

// schemeOf returns the scheme of a value, which can be in several variants.
func schemeOf(v dbus.Variant) string {
	for {
		switch value := v.Value().(type) {
		case dbus.Variant:
			v = value
			continue
		case uint32:
			switch value {
			case 1:
				return "dark"
			case 2:
				return "light"
			}
		}
		return ""
	}
}
