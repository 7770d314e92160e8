package server

import (
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"

	"spyglass/backend/fault"
	"spyglass/backend/private"
)

// checkFolder refuses a data folder that another user owns or could have written
// to: Spyglass must not trust a key, a database or a control file of another
// user. It removes the read access of others.
func checkFolder(data string, log *slog.Logger) error {
	info, err := os.Stat(data)
	if err != nil {
		return fault.New(fault.Conflict, "the data folder %s cannot be read (%v); choose another one with --data", data,
			cause(err))
	}
	entries, err := os.ReadDir(data)
	if err != nil {
		return fault.New(fault.Conflict, "the data folder %s cannot be read (%v); choose another one with --data", data,
			cause(err))
	}
	if err := checkOwner(data, info); err != nil {
		return err
	}
	if private.OthersWrite(data, info) && len(entries) > 0 { // an empty folder contains no planted files
		return fault.New(fault.Conflict, "other users can write to the data folder %s, so its files are not trusted. "+
			"Make sure that its content is yours, run %s, and start again", data, howToClose(data, 0o700))
	}
	if err := closeToOthers(data, info, 0o700, log); err != nil {
		return err
	}
	for _, entry := range entries {
		if !isTrusted(entry.Name()) {
			continue
		}
		path := filepath.Join(data, entry.Name())
		info, err := os.Stat(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue // deleted meanwhile
		}
		if err == nil {
			err = checkFile(path, info)
		}
		if err == nil && info.Mode().IsRegular() {
			err = closeToOthers(path, info, 0o600, log)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// isTrusted reports whether the portal trusts the contents of a file with that
// name.
func isTrusted(name string) bool {
	if name == controlFile || name == lockFile {
		return true
	}
	for _, database := range databases {
		if strings.HasPrefix(name, database) { // its key, its WAL and its index too
			return true
		}
	}
	return false
}

// checkFile refuses a file that another user owns or can write to.
func checkFile(path string, info fs.FileInfo) error {
	if err := checkOwner(path, info); err != nil {
		return err
	}
	if private.OthersWrite(path, info) {
		return fault.New(fault.Conflict, "other users can write to %s, so it is not trusted. Make sure that its "+
			"content is yours, run %s, and start again", path, howToClose(path, 0o600))
	}
	return nil
}

// closeToOthers removes the access of group and others, and logs that.
func closeToOthers(path string, info fs.FileInfo, mode fs.FileMode, log *slog.Logger) error {
	if !private.OthersMay(path, info) {
		return nil
	}
	if err := private.Close(path, mode); err != nil {
		return fault.New(fault.Conflict, "other users can read %s, and its permissions cannot be changed (%v); "+
			"choose another --data folder", path, cause(err))
	}
	log.Warn("other users could read this; it is now closed to them", "path", path, "was", info.Mode().Perm().String(),
		"now", mode.String())
	return nil
}
