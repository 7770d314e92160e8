// Package shell is the desktop window and what a page may ask of the desktop.
// It is the only package that imports Wails.
//
// The window shows no page of its own. It opens on the address Window.Open gives,
// so that a browser and the window run the same page from the same origin: by way
// of a bootstrap page, except on Linux, where that would cost a second process. No Go method is bound to the page: what
// needs the desktop goes over HTTP to Native.
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
)

// ErrHeadless is what Run returns in a build without the window.
var ErrHeadless = errors.New("this build has no window")

// ErrNoWindow is what Native returns while no window is open: from serve,
// before the window stands, and after it has closed.
var ErrNoWindow = errors.New("this needs the desktop window")

// Window is what the desktop shows and remembers.
type Window struct {
	Title string // of the window and of the application's entry in the desktop's lists
	Icon  []byte // PNG; nil leaves the desktop's own

	// Open gives the address of the page, with a fresh one-time token, each
	// time the window asks for its first page. It may take its time; the window shows
	// the sentence of an error.
	Open func() (string, error)

	// Trouble is offered where Open has an error.
	Trouble Trouble

	// Load gives what Save got last; none opens the window at its default size
	// in the middle of a display.
	Load func() Places

	// Save keeps the sizes and places: when they have changed and held still
	// for a moment, and before the window closes.
	Save func(Places)

	// Theme is how the window looks before its page has painted: "dark",
	// "light", or anything else for the system's.
	Theme string

	// Raise brings the window to the front.
	Raise <-chan struct{}

	// Notices are shown by the desktop, where it can; nil for none.
	Notices <-chan Notice

	// Tray tells what the icon in the desktop's tray shows, where there is a tray;
	// nil for no icon. The first value brings the icon.
	Tray <-chan Tray

	// Pause is told when notices shall pause, or go on, by the tray's menu.
	Pause func(paused bool)

	// Link is told of a link that is opened from outside of the page: that of a
	// notice or of the tray, and on macOS of any program; other systems start ours once more.
	Link func(text string)

	Native *Native // gets its window while Run runs; may be nil
	Log    *slog.Logger
}

// Place is where a window stands. While it is maximised, X, Y, Width and
// Height are what it goes back to.
type Place struct {
	X         int  `json:"x"` // from the left edge of all displays; on Windows and macOS, of the one it is on
	Y         int  `json:"y"` // from their top edge, likewise
	Width     int  `json:"width"`
	Height    int  `json:"height"`
	Maximised bool `json:"maximised"`
}

const (
	defaultWidth, defaultHeight = 1440, 900
	minWidth, minHeight         = 640, 480
)

// known says whether a window has stood there.
func (p Place) known() bool { return p.Width >= minWidth && p.Height >= minHeight }

// orDefault is p, or where a first window opens.
func (p Place) orDefault() Place {
	if p.known() {
		return p
	}
	return Place{Width: defaultWidth, Height: defaultHeight}
}
