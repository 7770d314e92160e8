//go:build desktop

package shell

import (
	"fyne.io/systray"
	"github.com/godbus/dbus/v5"
)

// startTray shows the tray with the entries that build adds. If the bus has no
// tray, or gets one later, the icon waits.
func startTray(build func()) error {
	if _, err := dbus.SessionBus(); err != nil {
		return err // the library would only log it
	}
	build() // first: what changes while it starts can be lost
	start, _ := systray.RunWithExternalLoop(nil, nil)
	start()
	return nil
}

// endTray does nothing: the icon disappears with the program. The connection
// that the library would close is the keyring's, too.
func endTray() {}
