package desktop

import (
	"os/exec"
	"syscall"
)

// own makes cmd end with this process.
func own(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} }
