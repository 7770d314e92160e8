package keep

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// exchange swaps two files of a folder, so that neither is missing at any time.
func exchange(dir *os.File, a, b string) error {
	fd := int(dir.Fd())
	err := unix.Renameat2(fd, a, fd, b, unix.RENAME_EXCHANGE)
	if errors.Is(err, unix.ENOSYS) || errors.Is(err, unix.EINVAL) {
		return errors.ErrUnsupported // by the file system
	}
	return err
}
