// Package shell shows the desktop window and gives its page access to the desktop.
// Only it and its packages import Wails.
//
// The window shows no page of its own. It loads the address that Window.Open
// returns, so that a browser and the window run the same page from the same
// origin: through a bootstrap page, except on Linux, where that would start a
// second process. No Go method is bound to the page: requests to the desktop go
// over HTTP to Native. Files with a suffix (_linux, _other) have what differs between
// systems.
//
// # Builds
//
// With the tags desktop, production and webkit2_41 there is a window. Without
// them there is none (Desktop is false, Run returns ErrHeadless), and neither
// GTK nor a C compiler is needed.
//
// # Units
//
// Sizes and places are in the desktop's own (scaled) pixels.
//
// # Concurrency
//
// Run belongs on the main goroutine: macOS and GTK want the first thread. Open
// and Save are called from goroutines of the window's, Save never twice at
// once, and neither after Run has returned. Native may be used from any
// goroutine at any time.
package shell

import (
	"errors"
	"log/slog"

	"spyglass/app/shell/notice"
	"spyglass/app/shell/tray"
)

// ErrHeadless is returned by Run in a build without the window.
var ErrHeadless = errors.New("this build has no window")

// ErrNoWindow is returned by Native while no window is open: in serve, before
// the window is ready, and after it has closed.
var ErrNoWindow = errors.New("this needs the desktop window")

// Window configures the desktop window and its callbacks.
type Window struct {
	Title string // of the window, and of the application in the desktop's lists
	Icon  []byte // PNG; nil for the desktop's default

	Version string // of the program, for "About" in the menu of macOS

	// Open returns the address of the page, with a fresh one-time token, each
	// time the window requests its first page. It may block; the window shows
	// the sentence of an error, and the progress of a Busy until Open returns
	// something else.
	Open func() (string, error)

	// Trouble is the action to offer if Open fails.
	Trouble Trouble

	// Load returns the value last passed to Save; if there is none, the window
	// opens at its default size in the center of a display.
	Load func() Places

	// Save stores the sizes and places: after they have changed and stayed the
	// same for a moment, and before the window closes.
	Save func(Places)

	// Theme is the theme of the window before its page has painted: "dark",
	// "light", or any other value for the system's.
	Theme string

	// Raise brings the window to the front.
	Raise <-chan struct{}

	// Notices delivers notices for the desktop to show, if it can; nil for none.
	Notices <-chan notice.Notice

	// Tray delivers the content of the tray icon, on desktops with a tray; nil
	// for no icon. The first value shows the icon.
	Tray <-chan tray.Tray

	// Pause is called when the user pauses or resumes notices in the tray's menu.
	Pause func(paused bool)

	// Link is called with a link that was opened outside the page: from a notice
	// or the tray, and on macOS from any program. On other systems, links start
	// the program again.
	Link func(text string)

	Native *Native // gets its window while Run runs; may be nil
	Log    *slog.Logger
}

// Place is the position and size of a window. While it is maximised, X, Y, Width
// and Height are those to return to.
type Place struct {
	X         int  `json:"x"` // from the left edge of all displays; on Windows and macOS, of the current display
	Y         int  `json:"y"` // from their top edge, likewise
	Width     int  `json:"width"`
	Height    int  `json:"height"`
	Maximised bool `json:"maximised"`
}

const (
	defaultWidth, defaultHeight = 1440, 900
	minWidth, minHeight         = 640, 480
)

// known reports whether the place is set.
func (p Place) known() bool { return p.Width >= minWidth && p.Height >= minHeight }

// orDefault returns p, or the default place.
func (p Place) orDefault() Place {
	if p.known() {
		return p
	}
	return Place{Width: defaultWidth, Height: defaultHeight}
}
