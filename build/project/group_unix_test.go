//go:build unix

package project

import (
	"context"
	"os"
	"testing"
)

// TestCommandEndsItsChildProcesses starts a shell that starts another shell. Both hold
// the write end of a pipe, so that reading ends when both have exited.
func TestCommandEndsItsChildProcesses(t *testing.T) {
	out, in, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	cmd := Project{Root: t.TempDir(), Out: in}.Command(ctx, ".", "sh", "-c", `sh -c 'echo begun; sleep 600' & wait`)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	in.Close()
	if _, err := out.Read(make([]byte, len("begun\n"))); err != nil {
		t.Fatal(err)
	}
	stop()
	if err := cmd.Wait(); err == nil {
		t.Error("the command ended by itself")
	}
	if n, err := out.Read(make([]byte, 1)); n != 0 || err == nil {
		t.Errorf("%d bytes and %v, want the end of the output", n, err)
	}
}
