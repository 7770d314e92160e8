//go:build !linux

package app

import "log/slog"

// giveBack does nothing: only Linux has the pages of a program in its cache in any case.
func giveBack(*slog.Logger) {}
