package app

import (
	"os"
	"os/exec"
	"sync/atomic"

	"spyglass/app/shell"
)

// desk is the desktop as the page may use it.
type desk struct {
	shell.Native
	again atomic.Bool // the program shall start once more when its window has closed
}

// Restart closes the window, and lets the program start once more.
func (d *desk) Restart() error {
	d.again.Store(true)
	if err := d.Quit(); err != nil {
		d.again.Store(false)
		return err
	}
	return nil
}

// startAgain starts the program with the same arguments beside this process,
// which is about to end and has let go of the data folder. It logs where this one does.
func startAgain() error {
	program, err := os.Executable()
	if err != nil {
		return err
	}
	cmd := exec.Command(program, os.Args[1:]...)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	return cmd.Start()
}
