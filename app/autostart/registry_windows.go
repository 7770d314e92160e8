package autostart

import (
	"errors"
	"strings"

	"golang.org/x/sys/windows"          // BSD-3-Clause, by the Go project
	"golang.org/x/sys/windows/registry" // of the same module
)

// run is the key of the user's programs that start at sign-in.
const run = `Software\Microsoft\Windows\CurrentVersion\Run`

// Has reports whether a program can be started at sign-in.
func Has() bool { return true }

// On reports whether the system starts the program. It does not if it starts another
// command, such as that of an installation that has moved.
func (p Program) On() (bool, error) {
	key, err := registry.OpenKey(registry.CURRENT_USER, run, registry.QUERY_VALUE)
	if errors.Is(err, registry.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer key.Close()
	have, _, err := key.GetStringValue(p.Name)
	if errors.Is(err, registry.ErrNotExist) {
		return false, nil
	}
	return strings.EqualFold(have, windows.ComposeCommandLine(p.Command)), err
}

// Set has the system start the program from the next sign-in on, or not.
func (p Program) Set(on bool) error {
	key, _, err := registry.CreateKey(registry.CURRENT_USER, run, registry.SET_VALUE)
	if err != nil {
		return err
	}
	if on {
		err = key.SetStringValue(p.Name, windows.ComposeCommandLine(p.Command))
	} else if err = key.DeleteValue(p.Name); errors.Is(err, registry.ErrNotExist) {
		err = nil
	}
	return errors.Join(err, key.Close())
}
