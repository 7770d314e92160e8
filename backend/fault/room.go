package fault

import (
	"errors"
	"slices"
)

// NoRoom reports whether a file could not be written because the disk is full,
// or because its owner may fill no more of it.
func NoRoom(err error) bool {
	return slices.ContainsFunc(noRoom, func(full error) bool { return errors.Is(err, full) })
}
