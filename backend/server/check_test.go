package server_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"spyglass/backend/fault"
	"spyglass/backend/server"
)

func TestCheckReadsEveryDatabaseAndNamesTheDamagedOne(t *testing.T) {
	o := options(t)
	s := start(t, o)
	var sound []string
	tell := func(file string) { sound = append(sound, file) }
	if err := server.Check(t.Context(), o.Data, tell); err != nil { // while it runs
		t.Fatal(err)
	}
	if want := []string{"portal.db", "series.db"}; !slices.Equal(sound, want) {
		t.Errorf("%q are sound, want %q", sound, want)
	}
	stop(t, s)
	path := filepath.Join(o.Data, "series.db")
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	_, err = file.WriteAt([]byte(strings.Repeat("damage ", 2000)), 16384) // its second page
	if err != nil {
		t.Fatal(err)
	}
	_ = file.Close()
	sound = nil
	if err := server.Check(t.Context(), o.Data, tell); !fault.Is(err, fault.Conflict) || !strings.HasPrefix(fault.Sentence(err), path+" is damaged") {
		t.Errorf("got %v, want that %s is damaged", err, path)
	}
	if want := []string{"portal.db"}; !slices.Equal(sound, want) {
		t.Errorf("%q are sound, want %q", sound, want)
	}
}
