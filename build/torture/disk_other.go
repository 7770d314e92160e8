//go:build !linux

package main

import (
	"context"
	"errors"
)

func needsRoot() string { return "Linux" }

func fullDisk(context.Context, options, *result) error {
	return errors.New("a small disk can only be mounted on Linux")
}
