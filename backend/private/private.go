// Package private restricts files and folders to the current user: with modes on
// Unix, and with access lists on Windows, where files inherit the list of their
// folder and os.Chmod only sets the read-only attribute.
//
// Administrators count as the user: root on Unix; on Windows the accounts
// SYSTEM and Administrators, which services and elevated programs run as.
package private

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// MkdirAll creates a folder that only the current user can enter, with its
// parents. A folder that exists stays as it is.
func MkdirAll(path string) error {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return nil
	}
	if err := os.MkdirAll(path, 0o700); err != nil {
		return err
	}
	return Close(path, 0o700)
}

// OthersWrite reports whether other users can write to a file or folder.
func OthersWrite(path string, info fs.FileInfo) bool { return othersMay(path, info, 0o022) }

// OthersMay reports whether other users can read a file or folder, or write to it.
func OthersMay(path string, info fs.FileInfo) bool { return othersMay(path, info, 0o077) }

// Replace writes a file that only the current user can read, and that survives a power
// failure. It replaces an existing file completely, or leaves it.
func Replace(path string, text []byte) error {
	return ReplaceBy(path, func(w io.Writer) error {
		_, err := w.Write(text)
		return err
	})
}

// ReplaceBy is Replace for a text that write writes. An error of write leaves the file.
func ReplaceBy(path string, write func(io.Writer) error) error {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*") // 0600
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	if err = errors.Join(write(f), f.Sync(), f.Close()); err != nil {
		return err
	}
	return rename(f.Name(), path)
}
