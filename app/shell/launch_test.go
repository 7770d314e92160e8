package shell

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func TestBrowserCommandLineHasNoToken(t *testing.T) {
	folder, tools := t.TempDir(), t.TempDir()
	name, _ := opener(runtime.GOOS, folder)
	if err := os.WriteFile(filepath.Join(tools, name), []byte("#!/bin/sh\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", tools+string(filepath.ListSeparator)+os.Getenv("PATH"))
	const address = "http://127.0.0.1:8585/launch?t=secret"
	remove, err := (&Native{}).OpenPrivately(folder, address)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(folder, "open.html")
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the page has the mode %v (%v), want 0600", info.Mode(), err)
	}
	page, err := os.ReadFile(path)
	if err != nil || !strings.Contains(string(page), `content="0;url=`+address+`"`) {
		t.Errorf("the page is %s (%v)", page, err)
	}
	remove()
	if _, err := os.Stat(path); !os.IsNotExist(err) {
		t.Errorf("the page is still there: %v", err)
	}
}
