//go:build unix

package backup

import (
	"errors"
	"os"
)

// syncFolders writes the names in folders to the disk.
func syncFolders(folders ...string) error {
	var errs []error
	for _, name := range folders {
		f, err := os.Open(name)
		if err == nil {
			err = errors.Join(f.Sync(), f.Close())
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}
