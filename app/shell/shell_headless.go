//go:build !desktop

package shell

import "context"

// Desktop reports whether this build can open a window.
const Desktop = false

// DisplayMissing returns the reason why no window can open, in one sentence; ""
// if one can.
func DisplayMissing() string {
	return "this build has no window: open the address that serve prints in a browser"
}

// ViewMissing returns "".
func ViewMissing() string { return "" }

// Say returns false.
func Say(string, string) bool { return false }

// Run returns ErrHeadless.
func Run(context.Context, Window) error { return ErrHeadless }
