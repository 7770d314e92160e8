//go:build !windows

package private

import "os"

// rename replaces a file, also while the old one is open.
func rename(from, to string) error { return os.Rename(from, to) }
