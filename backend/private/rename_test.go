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
	old, fresh := filepath.Join(folder, "old"), filepath.Join(folder, "fresh")
	for path, text := range map[string]string{old: "old", fresh: "fresh"} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	reader, err := os.Open(old)
	if err != nil {
		t.Fatal(err)
	}
	time.AfterFunc(100*time.Millisecond, func() { _ = reader.Close() })
	if err := private.Rename(fresh, old); err != nil {
		t.Error(err)
	}
	if got, err := os.ReadFile(old); string(got) != "fresh" {
		t.Errorf("the file has %q (%v), want %q", got, err, "fresh")
	}
}
