package app

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync/atomic"

	"spyglass/app/shell"
)

// desk gives the page access to the desktop.
type desk struct {
	shell.Native
	shown bool        // there is a window, or there will be
	again atomic.Bool // start the program again after its window has closed
}

// Restart closes the window, and starts the program again.
func (d *desk) Restart() error {
	d.again.Store(true)
	if err := d.Quit(); err != nil {
		d.again.Store(false)
		return err
	}
	return nil
}

// afterVariable marks a program as the successor of the program that started it:
// its standard input ends when that program exits.
const afterVariable = "SPYGLASS_AFTER_STDIN"

// startAgain starts the program with the same arguments while this process is
// about to exit and has closed the data folder. The new process logs to the same
// place, and waits until this process has exited, so that resources that both would
// use (the tray, names on the desktop's bus) are free.
func startAgain() error {
	program, err := os.Executable()
	if err != nil {
		return err
	}
	cmd := exec.Command(program, os.Args[1:]...)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	cmd.Env = append(os.Environ(), afterVariable+"=1")
	if _, err := cmd.StdinPipe(); err != nil { // this process closes it by ending
		return err
	}
	return cmd.Start()
}

// awaitPredecessor waits until the program that this program replaces, if any, has
// exited.
func awaitPredecessor() error {
	if os.Getenv(afterVariable) == "" {
		return nil
	}
	if _, err := io.Copy(io.Discard, os.Stdin); err != nil {
		return fmt.Errorf("waiting for the program that starts this one to end: %w", err)
	}
	return os.Unsetenv(afterVariable)
}
