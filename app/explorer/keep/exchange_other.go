//go:build !linux

package keep

import (
	"errors"
	"os"
)

// exchange is possible on Linux only. Elsewhere, a file that an editor replaces in the same
// moment as Spyglass has the version of Spyglass.
func exchange(*os.File, string, string) error { return errors.ErrUnsupported }
