package shell

// Tray is what the icon in the desktop's tray tells.
type Tray struct {
	Level Level  // picks the icon
	Text  string // how many alerts are open, in a few words
	Worst []Entry
}

// Entry is a line of the tray's menu that leads somewhere.
type Entry struct {
	Text string
	Link string // a spyglass:// link
}

// Level is how bad the worst open alert is.
type Level int

// The levels that the tray tells apart.
const (
	Calm Level = iota
	Errors
	Critical
)

// MostWorst is how many entries the tray's menu shows.
const MostWorst = 5
