//go:build desktop

package shell

// HasTray reports whether the window has an icon in the desktop's tray, where
// the desktop has one.
const HasTray = false

// showTray has no tray to show: on macOS its libraries and Wails both want to be
// the application's delegate. The Dock and the notices are there.
func (r *running) showTray() {
	for {
		select {
		case <-r.closing:
			return
		case <-r.window.Tray:
		}
	}
}
