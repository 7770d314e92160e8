//go:build !windows

package autostart

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	"spyglass/backend/private"
)

// Has reports whether a program can be started at sign-in: not from the sandbox of a
// Flatpak, which has other files than the desktop.
func Has() bool {
	_, err := os.Stat("/.flatpak-info")
	return err != nil
}

// On reports whether the system starts the program. It does not if it starts another
// command, such as that of an installation that has moved.
func (p Program) On() (bool, error) {
	path, wanted, err := p.file()
	if err != nil {
		return false, err
	}
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if runtime.GOOS == "darwin" {
		return string(text) == wanted, err
	}
	return isStarted(string(text), p), err
}

// Set has the system start the program from the next sign-in on, or not.
func (p Program) Set(on bool) error {
	path, text, err := p.file()
	if err != nil {
		return err
	}
	if !on {
		if err := os.Remove(path); !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return private.Replace(path, []byte(text))
}

// file returns the path and the text of the file that starts the program.
func (p Program) file() (path, text string, err error) {
	if runtime.GOOS == "darwin" {
		const label = "app.spyglass.Spyglass"
		home, err := os.UserHomeDir()
		return filepath.Join(home, "Library", "LaunchAgents", label+".plist"), launchAgent(p, label), err
	}
	folder, err := os.UserConfigDir() // XDG_CONFIG_HOME
	return filepath.Join(folder, "autostart", "spyglass.desktop"), desktopEntry(p), err
}
