//go:build desktop

package tray

// Has reports whether the window has an icon in the tray, on desktops with a
// tray.
const Has = false

// Show shows nothing: on macOS the tray library and Wails would both be the
// application's delegate.
func (Menu) Show(contents <-chan Tray, closing <-chan struct{}) {
	for {
		select {
		case <-closing:
			return
		case <-contents:
		}
	}
}
