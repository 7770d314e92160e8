//go:build desktop

package tray

import (
	"fyne.io/systray"
	"github.com/godbus/dbus/v5"
)

// start shows the tray with the entries that build adds. If the bus has no
// tray yet, the icon waits for one.
func start(build func()) error {
	if _, err := dbus.SessionBus(); err != nil {
		return err // the library would only log it
	}
	build() // first, because changes while it starts can be lost
	start, _ := systray.RunWithExternalLoop(nil, nil)
	start()
	return nil
}

// end does nothing: the icon disappears with the program. The connection
// that the library would close is the keyring's, too.
func end() {}
