//go:build !windows

package private

import "os"

// Rename replaces a file, also while the old one is open.
func Rename(from, to string) error { return os.Rename(from, to) }
