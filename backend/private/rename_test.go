package private_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"spyglass/backend/private"
)

func TestFileIsReplacedOnceItsReaderHasClosedIt(t *testing.T) {
	folder := t.TempDir()
	old := filepath.Join(folder, "old")
	if err := os.WriteFile(old, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	reader, err := os.Open(old)
	if err != nil {
		t.Fatal(err)
	}
	time.AfterFunc(100*time.Millisecond, func() { _ = reader.Close() })
	if err := private.Replace(old, []byte("fresh")); err != nil {
		t.Error(err)
	}
	if got, err := os.ReadFile(old); string(got) != "fresh" {
		t.Errorf("the file has %q (%v), want %q", got, err, "fresh")
	}
}
