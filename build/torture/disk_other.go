//go:build !linux

package torture

import (
	"context"
	"errors"
)

func needsRoot() string { return "Linux" }

func fullDisk(context.Context, Options, *result) error {
	return errors.New("a small disk can only be mounted on Linux")
}
