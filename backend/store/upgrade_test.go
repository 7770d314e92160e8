package store_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"spyglass/backend/store"
)

func TestRemoveCopiesDeletesOnlyOldSafetyCopies(t *testing.T) {
	folder := t.TempDir()
	kept := []string{"backup-before-20260101T000000.zip", "notes-before-christmas.db", "portal-20260101T000000.db",
		"portal-before-20260504T120000.db", "portal.db", "series-aside-20260101T000000.db"}
	gone := []string{"portal-before-20260504T115959-2.db", "portal-before-20260504T115959.db",
		"workspace-before-20260101T000000.db"}
	for _, name := range slices.Concat(kept, gone) {
		if err := os.WriteFile(filepath.Join(folder, name), []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(folder, "folder-before-20260101T000000.db"), 0o700); err != nil {
		t.Fatal(err)
	}
	removed, err := store.RemoveCopies(folder, time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC))
	for i := range removed {
		removed[i] = filepath.Base(removed[i])
	}
	if err != nil || !slices.Equal(removed, gone) {
		t.Errorf("it deletes %q (%v), want %q", removed, err, gone)
	}
	left, err := os.ReadDir(folder)
	if err != nil || len(left) != len(kept)+1 {
		t.Errorf("%d entries are left (%v), want %d", len(left), err, len(kept)+1)
	}
}
