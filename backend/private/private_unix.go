//go:build unix

package private

import (
	"io/fs"
	"os"
)

// Close removes the access of other users to a file or folder: mode is 0600 or
// 0700.
func Close(path string, mode fs.FileMode) error { return os.Chmod(path, mode) }

func othersMay(_ string, info fs.FileInfo, bits fs.FileMode) bool {
	return info.Mode().Perm()&bits != 0
}
