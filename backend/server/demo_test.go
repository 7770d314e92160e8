package server_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"testing"

	"spyglass/backend/server"
)

// filled is a stopped demo portal. The tests create it once, and each test
// that needs it gets a copy.
type filled struct {
	data, password string // of the administrator
}

var fillDemo = sync.OnceValues(func() (filled, error) {
	ctx, folder := context.Background(), os.Getenv(demoFolder)
	s, err := server.New(ctx, server.Options{Data: folder, Version: "test", Demo: true, NoHistory: true, Twice: true,
		Log: quiet()})
	if err != nil {
		return filled{}, err
	}
	return filled{folder, s.Passwords["admin"]}, errors.Join(s.PasswordsShown(ctx), s.Stop(ctx))
})

// demoFolder is the environment variable with its path. TestMain creates and deletes it.
const demoFolder = "SPYGLASS_TEST_DEMO"

// demoIn creates a data folder with the demo, and returns the administrator's password.
func demoIn(t *testing.T, folder string) (password string) {
	t.Helper()
	demo, err := fillDemo()
	if err == nil {
		err = os.CopyFS(folder, os.DirFS(demo.data))
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	return demo.password
}

// withDemoFolder runs all tests, and then deletes the demo.
func withDemoFolder(run func() int) int {
	folder, err := os.MkdirTemp("", "spyglass-demo-*")
	if err == nil {
		err = os.Setenv(demoFolder, folder)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(folder)
	return run()
}
