//go:build unix

package server

import (
	"io/fs"
	"os"
	"strconv"
	"syscall"

	"spyglass/backend/fault"
)

// checkOwner refuses what belongs to another user. Root is no exception: it would
// follow links that the owner planted, and leave files that the owner cannot open.
func checkOwner(path string, info fs.FileInfo) error {
	owner, known := ownerOf(info)
	if !known || owner == os.Geteuid() {
		return nil
	}
	return fault.New(fault.Conflict, "%s belongs to another user (uid %d, this process runs as %d). Run Spyglass as that user, change the owner with chown -R %s, or choose another --data folder",
		path, owner, os.Geteuid(), strconv.Itoa(os.Geteuid()))
}

// ownerOf returns the user id that a file belongs to.
func ownerOf(info fs.FileInfo) (uid int, known bool) {
	stat, known := info.Sys().(*syscall.Stat_t)
	if !known {
		return 0, false
	}
	return int(stat.Uid), true
}

func othersWrite(info fs.FileInfo) bool { return info.Mode().Perm()&0o022 != 0 }
func othersMay(info fs.FileInfo) bool   { return info.Mode().Perm()&0o077 != 0 }
