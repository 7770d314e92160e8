package shell

import (
	"fmt"
	"os/exec"
	"runtime"
)

// OpenFolder shows a folder, or a file in its folder, in the system's file
// manager.
func (n *Native) OpenFolder(path string) error {
	name, args := opener(runtime.GOOS, path)
	program, err := exec.LookPath(name)
	if err != nil {
		return fmt.Errorf("there is no %s to open a folder with: open %s yourself", name, path)
	}
	cmd := exec.Command(program, args...)
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("the folder did not open: %w", err)
	}
	reap(cmd)
	return nil
}
