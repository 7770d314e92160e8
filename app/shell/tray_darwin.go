//go:build desktop

package shell

// HasTray reports whether the window has an icon in the desktop's tray, where
// the desktop has one.
const HasTray = false

// showTray does nothing: on macOS the tray library and Wails would both be the
// application's delegate. The Dock and notices replace it.
func (r *running) showTray() {
	for {
		select {
		case <-r.closing:
			return
		case <-r.window.Tray:
		}
	}
}
