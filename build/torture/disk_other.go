//go:build !linux

package main

import (
	"context"
	"errors"
)

func needsRoot() string { return "Linux" }

func needsRootAndPostgres() string { return needsRoot() }

func fullDatabase(ctx context.Context, o options, r *result) error { return fullDisk(ctx, o, r) }

func fullDisk(context.Context, options, *result) error {
	return errors.New("a small disk can only be mounted on Linux")
}
