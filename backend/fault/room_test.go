package fault_test

import (
	"errors"
	"fmt"
	"io/fs"
	"runtime"
	"syscall"
	"testing"

	"spyglass/backend/fault"
)

func TestFullDiskIsDetectedOnEverySystem(t *testing.T) {
	full := []error{syscall.ENOSPC, syscall.EDQUOT}
	if runtime.GOOS == "windows" {
		full = []error{syscall.Errno(39), syscall.Errno(112), syscall.Errno(1295)}
	}
	for _, why := range full {
		err := fmt.Errorf("write: %w", &fs.PathError{Op: "write", Path: "x", Err: why})
		if !fault.NoRoom(err) || !fault.NoRoom(errors.Join(errors.New("close"), err)) {
			t.Errorf("%v is not known as a full disk", err)
		}
	}
	for _, err := range []error{nil, fs.ErrPermission, syscall.EACCES, syscall.EFBIG} {
		if fault.NoRoom(err) {
			t.Errorf("%v is taken for a full disk", err)
		}
	}
}
