//go:build !unix

package app

// private has nothing to do: other users cannot read the user's own folder.
func private() {}
