package shell

// Tray is the content of the icon in the desktop's tray.
type Tray struct {
	Level Level  // selects the icon
	Text  string // how many alerts are open, in a few words
	Worst []Entry
}

// Entry is a line of the tray's menu that leads somewhere.
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
