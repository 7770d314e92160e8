package server

import (
	"errors"
	"path/filepath"

	"github.com/gofrs/flock" // BSD-3: one API for flock and LockFileEx; the OS releases the lock when a process ends

	"spyglass/backend/fault"
)

// lockFile is the file that a process locks.
const lockFile = "lock"

// lock prevents other processes from opening a data folder.
type lock struct{ file *flock.Flock }

var errTaken = errors.New("its lock is taken")

// takeLock locks the folder. It returns fault.Conflict, and errTaken, if another
// process has locked it.
func takeLock(data string) (*lock, error) {
	l := &lock{flock.New(filepath.Join(data, lockFile), flock.SetPermissions(0o600))}
	got, err := l.file.TryLock()
	if err != nil {
		return nil, fault.New(fault.Conflict, "the data folder %s cannot be written (%v); choose another one with "+
			"--data or change its permissions", data, cause(err))
	}
	if !got {
		return nil, &fault.Error{Kind: fault.Conflict, Err: errTaken, Message: "another Spyglass runs on the data " +
			"folder " + data + "; stop it, or choose another folder with --data"}
	}
	return l, nil
}

func (l *lock) release() error { return l.file.Close() }
