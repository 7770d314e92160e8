package fault

import (
	"errors"
	"slices"
)

// NoRoom reports whether a file could not be written because of a full disk or an
// exceeded quota.
func NoRoom(err error) bool {
	return slices.ContainsFunc(noRoom, func(full error) bool { return errors.Is(err, full) })
}
