package workspace_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"spyglass/app/workspace"
	"spyglass/backend/store"
)

func TestLostWorkspaceIsNotRecreated(t *testing.T) {
	path := filepath.Join(t.TempDir(), "workspace.db")
	mine := store.Sibling{Portal: "mine"}
	w, err := workspace.Open(t.Context(), workspace.Options{Path: path, Sibling: mine})
	if err != nil {
		t.Fatal(err)
	}
	mine.File = w.FileID()
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name  string
		spoil func() error
		whose store.Sibling
		lost  bool
	}{
		{"it is there", func() error { return nil }, mine, false},
		{"it is another portal's", func() error { return nil }, store.Sibling{Portal: "other"}, true},
		{"it is empty", func() error { return os.Truncate(path, 0) }, mine, true},
		{"it is gone", func() error { return os.Remove(path) }, mine, true},
	} {
		if err := tt.spoil(); err != nil {
			t.Fatal(err)
		}
		w, err := workspace.Open(t.Context(), workspace.Options{Path: path, Sibling: tt.whose})
		if errors.Is(err, store.ErrLost) != tt.lost {
			t.Errorf("%s: got %v", tt.name, err)
		}
		if err == nil {
			_ = w.Close()
		}
	}
}
