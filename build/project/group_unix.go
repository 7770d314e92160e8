//go:build unix

package project

import (
	"os/exec"
	"syscall"
)

// endWithDescendants makes the end of the context end what the program started, too:
// npm and sh do not pass a signal on.
func endWithDescendants(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }
}
