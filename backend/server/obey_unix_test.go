//go:build unix

package server_test

import (
	"fmt"
	"os/signal"
	"syscall"
)

// obey runs a command of the test in the child: "files N" limits file sizes to N bytes,
// to simulate a full disk; 0 removes the limit.
func obey(line string) error {
	var size uint64
	if _, err := fmt.Sscanf(line, "files %d", &size); err != nil {
		return err
	}
	signal.Ignore(syscall.SIGXFSZ) // the write must fail without ending the process
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		return err
	}
	limit.Cur = limit.Max
	if size > 0 {
		limit.Cur = size
	}
	return syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit)
}
