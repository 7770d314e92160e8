// Package autostart has the system start the program when its user signs in, or stops
// that: with a file of the desktop on Linux (XDG autostart), a launch agent on a Mac, and
// a value of the registry on Windows. There is no other copy of this setting, because
// users change it in the settings of their system, too.
//
// # Concurrency
//
// A Program is a value. Of two changes at once, one remains.
//
// # Errors
//
// The system's own errors, with the path.
package autostart

// Program is the program to start.
type Program struct {
	Name    string   // in the system's list of such programs
	Command []string // the path of the program, and its arguments
}
