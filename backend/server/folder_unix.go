//go:build unix

package server

import (
	"fmt"
	"io/fs"
	"os"
	"os/user"
	"strconv"
	"syscall"

	"spyglass/backend/fault"
)

// checkOwner refuses files of another user. This includes root, which would
// follow planted links of the owner, and leave files that the owner cannot open.
func checkOwner(path string, info fs.FileInfo) error {
	owner, known := ownerOf(info)
	if !known || owner == os.Geteuid() {
		return nil
	}
	sudo, _ := userNames(owner)
	_, us := userNames(os.Geteuid())
	// the name can be one of a container, which the host does not know
	return fault.New(fault.Conflict, "%s belongs to another user (uid %d), and this process runs as %s. Run it as "+
		"that user (sudo -u %s spyglass …), give that to %s (chown -R %d %s), or choose another --data folder",
		path, owner, us, sudo, us, os.Geteuid(), path)
}

// userNames returns a user, who may have no name, for sudo and for people.
func userNames(uid int) (sudo, people string) {
	id := strconv.Itoa(uid)
	if found, err := user.LookupId(id); err == nil {
		return found.Username, found.Username
	}
	return "'#" + id + "'", id
}

// ownerOf returns the user id of a file's owner.
func ownerOf(info fs.FileInfo) (uid int, known bool) {
	stat, known := info.Sys().(*syscall.Stat_t)
	if !known {
		return 0, false
	}
	return int(stat.Uid), true
}

// sameOwner reports whether a file belongs to the owner of its folder.
func sameOwner(folder, path string) (bool, error) {
	a, err := os.Stat(folder)
	if err != nil {
		return false, err
	}
	b, err := os.Lstat(path)
	if err != nil {
		return false, err
	}
	owner, _ := ownerOf(a)
	writer, _ := ownerOf(b)
	return owner == writer, nil
}

// howToClose returns the command that closes a file or folder to others.
func howToClose(path string, mode fs.FileMode) string { return fmt.Sprintf("chmod %o %s", mode, path) }
