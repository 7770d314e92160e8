package private

import (
	"errors"
	"os"
	"time"

	"golang.org/x/sys/windows"
)

// inUse is the time for which another part of the program may keep a file open.
const inUse = 2 * time.Second

// rename replaces a file. Windows refuses that while the old one is open, even to read, so
// rename tries again for a while.
func rename(from, to string) error {
	for begun := time.Now(); ; time.Sleep(5 * time.Millisecond) {
		err := os.Rename(from, to)
		if !errors.Is(err, windows.ERROR_ACCESS_DENIED) && !errors.Is(err, windows.ERROR_SHARING_VIOLATION) ||
			time.Since(begun) > inUse {
			return err
		}
	}
}
