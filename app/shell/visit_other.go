//go:build desktop && !linux

package shell

// visit reports false: the window uses the bootstrap page.
func visit(string) bool { return false }
