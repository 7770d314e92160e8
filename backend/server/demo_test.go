package server_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"spyglass/backend/server"
)

// prepared is a folder with portals that the tests create once and copy. TestMain
// creates and deletes it.
var prepared string

// withPrepared runs all tests with the folder.
func withPrepared(run func() int) int {
	var err error
	if prepared, err = os.MkdirTemp("", "spyglass-prepared-*"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(prepared)
	return run()
}

// copyPortal copies the data folder of a portal that has stopped or was killed. Only the
// user can read the copy, as with a folder that a portal creates.
func copyPortal(t *testing.T, from, to string) {
	t.Helper()
	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
	err := filepath.WalkDir(to, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return errors.Join(err, os.Chmod(path, 0o700))
		}
		return os.Chmod(path, 0o600)
	})
	if err != nil {
		t.Fatal(err)
	}
}

// filled is a stopped demo portal. The tests create it once, and each test
// that needs it gets a copy.
type filled struct {
	data, password string    // of the administrator
	at             time.Time // when it was filled
}

var fillDemo = sync.OnceValues(func() (filled, error) {
	ctx, folder, now := context.Background(), filepath.Join(prepared, "demo"), time.Now()
	s, err := server.New(ctx, server.Options{Data: folder, Version: "test", Demo: true, NoHistory: true, Twice: true,
		Log: quiet()})
	if err != nil {
		return filled{}, err
	}
	return filled{folder, s.Passwords["admin"], now}, errors.Join(s.PasswordsShown(ctx), s.Stop(ctx))
})

// demoIn creates a data folder with the demo, and returns the administrator's password.
func demoIn(t *testing.T, folder string) (password string) {
	t.Helper()
	demo, err := fillDemo()
	if err != nil {
		t.Fatal(err)
	}
	copyPortal(t, demo.data, folder)
	return demo.password
}
