package backup_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"spyglass/backend/backup"
	"spyglass/backend/fault"
	"spyglass/backend/store"
)

var noon = time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)

// portal is a data folder with a database and the file of a report.
type portal struct {
	t      *testing.T
	folder string
}

func newPortal(t *testing.T, note string) portal {
	t.Helper()
	p := portal{t, t.TempDir()}
	p.write(note)
	return p
}

func (p portal) open() *store.DB {
	p.t.Helper()
	db, err := store.Open(p.t.Context(), store.Options{Path: filepath.Join(p.folder, "portal.db"), Secrets: true})
	if err != nil {
		p.t.Fatal(err)
	}
	return db
}

// write stores a note in the database and in a report.
func (p portal) write(note string) {
	p.t.Helper()
	db := p.open()
	reports := filepath.Join(p.folder, "reports")
	if err := errors.Join(db.Know(p.t.Context(), "note", note), db.Close(), os.MkdirAll(reports, 0o700),
		os.WriteFile(filepath.Join(reports, "1.html"), []byte(note), 0o600)); err != nil {
		p.t.Fatal(err)
	}
}

// holds checks the note in the database and in the report.
func (p portal) holds(want string) {
	p.t.Helper()
	db := p.open()
	note, err := db.Known(p.t.Context(), "note")
	report, err2 := os.ReadFile(filepath.Join(p.folder, "reports", "1.html"))
	if err := errors.Join(err, err2, db.Close()); err != nil || note != want || string(report) != want {
		p.t.Errorf("the database holds %q and the report %q (%v), want %q", note, report, err, want)
	}
}

// options returns options for a backup to a file, or a restore from it.
func (p portal) options(file string) backup.Options {
	return backup.Options{Folder: p.folder, File: file, Version: "1.2.3", Databases: store.Files{},
		Clock: func() time.Time { return noon }, Progress: func(backup.Progress) {}}
}

// backedUp returns a new backup of the portal.
func (p portal) backedUp() string {
	p.t.Helper()
	file := filepath.Join(p.t.TempDir(), "portal.spyglass")
	if err := backup.Write(p.t.Context(), p.options(file)); err != nil {
		p.t.Fatal(err)
	}
	return file
}

func conflict(t *testing.T, err error, want string) {
	t.Helper()
	if !fault.Is(err, fault.Conflict) || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v, want a conflict with %q", err, want)
	}
}

func TestBackupListsItsContents(t *testing.T) {
	p := newPortal(t, "first")
	m, err := backup.Inspect(t.Context(), p.options(p.backedUp()))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, f := range m.Files {
		names = append(names, f.Name)
		if f.Size == 0 || len(f.SHA256) != 64 || (f.Layout > 0) != strings.HasSuffix(f.Name, ".db") {
			t.Errorf("a file is %+v", f)
		}
	}
	if want := []string{"portal.db", "reports/1.html"}; !reflect.DeepEqual(names, want) || m.Version != "1.2.3" ||
		!m.Made.Equal(noon) {
		t.Errorf("%s made %v at %v, want %v", m.Version, names, m.Made, want)
	}
	if same, err := m.SameKey(p.folder); err != nil || !same {
		t.Errorf("the key of its own folder is another one: %v", err)
	}
}

func TestRestoreCanBeUndone(t *testing.T) {
	p := newPortal(t, "first")
	file := p.backedUp()
	p.write("second")
	if err := backup.Restore(t.Context(), p.options(file)); err != nil {
		t.Fatal(err)
	}
	p.holds("first")
	if state, err := backup.StateOf(p.folder); err != nil || state.Waits || state.Replaced.IsZero() ||
		state.KeptBytes == 0 {
		t.Errorf("after a restore the state is %+v (%v)", state, err)
	}
	if err := errors.Join(backup.Undo(p.folder), backup.Finish(p.folder)); err != nil {
		t.Fatal(err)
	}
	p.holds("second")
	if err := backup.DeleteReplaced(p.folder); err != nil {
		t.Fatal(err)
	}
	if state, err := backup.StateOf(p.folder); err != nil || state != (backup.State{}) {
		t.Errorf("when all is forgotten the state is %+v (%v)", state, err)
	}
	conflict(t, backup.Undo(p.folder), "no longer kept")
}

func TestStagedRestoreTakesEffectAtTheNextStartUnlessCancelled(t *testing.T) {
	p := newPortal(t, "first")
	file := p.backedUp()
	p.write("second")
	for _, tt := range []struct {
		name string
		take bool
		want string
	}{{"taken back", true, "second"}, {"left", false, "first"}} {
		if err := backup.Stage(t.Context(), p.options(file)); err != nil {
			t.Fatal(err)
		}
		conflict(t, backup.Stage(t.Context(), p.options(file)), "already pending for the next start")
		p.holds("second")
		if tt.take {
			if err := backup.Unstage(p.folder); err != nil {
				t.Error(err)
			}
		}
		if err := backup.Finish(p.folder); err != nil {
			t.Error(err)
		}
		p.holds(tt.want)
	}
	conflict(t, backup.Unstage(p.folder), "no restore is pending")
}

func TestBackupOfAnotherPortalNeedsItsKeyOrLosesSecrets(t *testing.T) {
	file := newPortal(t, "first").backedUp()
	p := newPortal(t, "second")
	o := p.options(file)
	conflict(t, backup.Restore(t.Context(), o), "were encrypted with another key")
	p.holds("second")
	o.WithoutKey = true
	if err := backup.Restore(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	p.holds("first")
}

func TestDamagedBackupChangesNothing(t *testing.T) {
	p := newPortal(t, "first")
	whole, err := os.ReadFile(p.backedUp())
	if err != nil {
		t.Fatal(err)
	}
	p.write("second")
	flipped := func(at int) []byte {
		broken := append([]byte{}, whole...)
		broken[at] ^= 0x10
		return broken
	}
	for name, text := range map[string][]byte{
		"empty": {}, "no ZIP": []byte("PK"), "cut": whole[:len(whole)/2],
		"a bit of the database": flipped(len(whole) / 3),
		"a bit of the end":      flipped(len(whole) - 10),
	} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "broken")
			if err := os.WriteFile(file, text, 0o600); err != nil {
				t.Fatal(err)
			}
			conflict(t, backup.Restore(t.Context(), p.options(file)), "is not a complete backup of Spyglass")
			p.holds("second")
		})
	}
}

func TestFailedBackupLeavesNoFiles(t *testing.T) {
	p := newPortal(t, "first")
	there, empty := p.backedUp(), portal{t, t.TempDir()}
	conflict(t, backup.Write(t.Context(), p.options(there)), "already exists")
	conflict(t, backup.Write(t.Context(), empty.options(filepath.Join(t.TempDir(), "b"))), "there is no portal in")
	stopped, stop := context.WithCancel(t.Context())
	stop()
	to := t.TempDir()
	if err := backup.Write(stopped, p.options(filepath.Join(to, "b"))); err == nil {
		t.Error("a backup that was stopped is made")
	}
	if left, err := os.ReadDir(to); err != nil || len(left) > 0 {
		t.Errorf("it left %v (%v)", left, err)
	}
}
