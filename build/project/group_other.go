//go:build !unix

package project

import (
	"os/exec"
	"syscall"
)

// endWithDescendants signals the program itself to end, because there are no process groups.
func endWithDescendants(cmd *exec.Cmd) {
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
}
