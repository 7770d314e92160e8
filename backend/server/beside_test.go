package server_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"spyglass/backend/fault"
	"spyglass/backend/server"
)

func TestLostFileIsReportedAndReplacedOnlyOnRequest(t *testing.T) {
	remove := func(t *testing.T, path string) {
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
	made, other := options(t), options(t)
	stop(t, start(t, made))
	stop(t, start(t, other))
	foreign := func(name string) func(t *testing.T, path string) {
		return func(t *testing.T, path string) {
			text, err := os.ReadFile(filepath.Join(other.Data, name))
			if err != nil {
				t.Fatal(err)
			}
			write(t, path, string(text))
		}
	}
	for _, tt := range []struct {
		name, file string
		spoil      func(t *testing.T, path string)
		words      string
	}{
		{"samples missing", "series.db", remove, "series.db is missing or empty"},
		{"samples empty", "series.db", func(t *testing.T, path string) { write(t, path, "") },
			"series.db is missing or empty"},
		{"samples of another portal", "series.db", foreign("series.db"), "series.db does not belong to the portal " +
			"beside it"},
		{"key missing", "portal.db.key", remove, "portal.db.key is missing"},
		{"key of another portal", "portal.db.key", foreign("portal.db.key"),
			"portal.db.key does not belong to"},
		{"key damaged", "portal.db.key", func(t *testing.T, path string) { write(t, path, "short") },
			"portal.db.key is damaged"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			o := options(t)
			copyPortal(t, made.Data, o.Data)
			path := filepath.Join(o.Data, tt.file)
			tt.spoil(t, path)
			before, _ := os.ReadFile(path)
			_, err := server.New(t.Context(), o)
			f := fault.Of(err)
			if f.Kind != fault.Conflict || !strings.Contains(f.Message, tt.words) ||
				!strings.HasSuffix(strings.Split(f.Message, ":")[0], tt.file) &&
					!strings.Contains(f.Message, "--without "+tt.file) {
				t.Fatalf("got %v, want a conflict with %q", err, tt.words)
			}
			if after, _ := os.ReadFile(path); string(after) != string(before) {
				t.Error("the file was replaced")
			}
			o.Without = []string{tt.file}
			stop(t, start(t, o))
			o.Without = nil
			stop(t, start(t, o))
		})
	}
}

func TestFolderOfAnOlderVersionOpens(t *testing.T) {
	o := options(t)
	stop(t, start(t, o))
	for _, name := range []string{"portal.db", "series.db"} {
		change(t, filepath.Join(o.Data, name), `DROP TABLE "_identity"`)
	}
	change(t, filepath.Join(o.Data, "portal.db"), `DROP TABLE "_field"; PRAGMA user_version = 1`)
	stop(t, start(t, o))
	stop(t, start(t, o))
	if err := os.Remove(filepath.Join(o.Data, "series.db")); err != nil {
		t.Fatal(err)
	}
	if _, err := server.New(t.Context(), o); !fault.Is(err, fault.Conflict) {
		t.Errorf("got %v, want a conflict: the first start makes the files know each other", err)
	}
}

func TestWithoutAcceptsOnlyReplaceableFiles(t *testing.T) {
	o := options(t)
	o.Without = []string{"portal.db"}
	if _, err := server.New(t.Context(), o); !fault.Is(err, fault.Invalid) {
		t.Errorf("got %v, want a refusal", err)
	}
}
