// Package tray shows an icon with a menu in the desktop's tray.
//
// Linux and Windows have one. macOS has not: the Dock and notices replace it.
package tray

import (
	"log/slog"

	"spyglass/backend/service"
)

// Menu configures the icon and its menu.
type Menu struct {
	Title string // of the program
	Icon  []byte // PNG; a dot on it shows the level
	Open  func() // brings the window to the front
	Quit  func()
	Pause func(paused bool) // pauses notices, or resumes them
	Link  func(text string) // opens the link of an entry
	Log   *slog.Logger
	Tasks *service.Group // for the goroutines that wait for clicks
}

// Tray is the content of the icon in the desktop's tray.
type Tray struct {
	Level Level  // selects the icon
	Text  string // the number of open alerts, in a few words
	Worst []Entry
}

// Entry is an entry of the tray's menu with a link.
type Entry struct {
	Text string
	Link string // a spyglass:// link
}

// Level is the severity of the worst open alert.
type Level int

// The levels that the tray distinguishes.
const (
	Calm Level = iota
	Errors
	Critical
)

// MostWorst limits the entries of the tray's menu.
const MostWorst = 5
