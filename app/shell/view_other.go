//go:build desktop && !windows

package shell

// ViewMissing returns "": elsewhere, the program does not start without its
// libraries.
func ViewMissing() string { return "" }

// Say returns false: there is always a window, which has its own messages.
func Say(string, string) bool { return false }
