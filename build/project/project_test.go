package project

import (
	"os"
	"path/filepath"
	"reflect"
	"testing"
	"time"
)

func yes() bool { return true }
func no() bool  { return false }

func TestEachMissingPackageIsNamedOnce(t *testing.T) {
	got := missing([]Need{{"gcc", no}, {"xvfb", yes}, {"gcc", no}, {"dbus", no}})
	if want := []string{"gcc", "dbus"}; !reflect.DeepEqual(got, want) {
		t.Errorf("missing are %q, want %q", got, want)
	}
}

func TestNewestIgnoresBuildOutput(t *testing.T) {
	root := t.TempDir()
	old := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for i, name := range []string{"src/a.ts", "src/embed.go", "dist/index.html", "node_modules/b/b.ts"} {
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, old, old.AddDate(0, 0, i)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chtimes(filepath.Join(root, "src"), old, old.AddDate(0, 0, -9)); err != nil {
		t.Fatal(err)
	}
	got, err := Newest(root, func(path string) bool { return filepath.Ext(path) == ".ts" })
	if err != nil || !got.Equal(old) {
		t.Errorf("the newest source is of %v (%v), want %v", got, err, old)
	}
}
