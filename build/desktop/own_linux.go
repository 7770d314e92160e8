package desktop

import (
	"os/exec"
	"syscall"
)

// own has cmd end with this process.
func own(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} }
