package server

import (
	"io/fs"

	"spyglass/backend/fault"
	"spyglass/backend/private"
)

// howToClose returns the command that closes a file or folder to others.
func howToClose(path string, _ fs.FileMode) string {
	return `icacls "` + path + `" /reset, and icacls "` + path + `" /inheritance:r /grant:r "%USERNAME%:(OI)(CI)F"`
}

// checkOwner refuses files of another user.
func checkOwner(path string, _ fs.FileInfo) error {
	owner, err := private.Owner(path)
	if err == nil && private.IsOurs(owner) {
		return nil
	}
	return fault.New(fault.Conflict, "%s belongs to another user. Run Spyglass as that user, or choose another --data "+
		"folder", path)
}

// sameOwner reports whether a file belongs to the owner of its folder.
func sameOwner(folder, path string) (bool, error) {
	a, err := private.Owner(folder)
	if err != nil {
		return false, err
	}
	b, err := private.Owner(path)
	return err == nil && (a.Equals(b) || private.IsOurs(b)), err
}
