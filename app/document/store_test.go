package document_test

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"spyglass/app/document"
	"spyglass/backend/fault"
)

func files(t *testing.T, dir string) []string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func put(t *testing.T, s *document.Store, body string) *document.Document {
	t.Helper()
	w := s.Create("text/plain")
	if _, err := io.WriteString(w, body); err != nil {
		t.Fatal(err)
	}
	d, err := w.Finish()
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestLargeBodyIsInAPrivateFileUntilItIsDropped(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "bodies")
	s, err := document.NewStore(dir, document.Limits{InMemory: 10})
	if err != nil {
		t.Fatal(err)
	}
	put(t, s, "0123456789")
	if left := files(t, dir); len(left) != 0 {
		t.Errorf("a small body left %v", left)
	}
	d := put(t, s, "0123456789a")
	left := files(t, dir)
	if len(left) != 1 {
		t.Fatalf("files: %v", left)
	}
	if info, _ := os.Stat(left[0]); info.Mode() != 0o600 {
		t.Errorf("mode is %v", info.Mode())
	}
	if info, _ := os.Stat(dir); info.Mode().Perm() != 0o700 {
		t.Errorf("mode of the folder is %v", info.Mode())
	}
	s.Drop(d.ID)
	s.Drop(d.ID)
	s.Drop("unknown")
	if left := files(t, dir); len(left) != 0 {
		t.Errorf("a dropped body left %v", left)
	}
	if _, err := s.Get(d.ID); !fault.Is(err, fault.Unknown) {
		t.Errorf("Get says %v", err)
	}
	for name, err := range map[string]error{
		"Raw":   func() error { _, err := d.Raw(0, 1); return err }(),
		"Rows":  func() error { _, _, err := d.Rows(0, 1); return err }(),
		"Lines": func() error { _, _, err := d.Lines(0, 1); return err }(),
		"Find":  func() error { _, err := d.FindRaw(context.Background(), "1", true, 0); return err }(),
	} {
		if !fault.Is(err, fault.Unknown) {
			t.Errorf("%s of a dropped document says %v", name, err)
		}
	}
}

func TestStoreDropsTheLeastRecentlyUsedDocument(t *testing.T) {
	s, err := document.NewStore(t.TempDir(), document.Limits{InMemory: 10, Memory: 10, Disk: 50})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	a, b := put(t, s, strings.Repeat("a", 20)), put(t, s, strings.Repeat("b", 20))
	small := put(t, s, "12345678")
	if _, err := s.Get(a.ID); err != nil {
		t.Fatal(err)
	}
	put(t, s, strings.Repeat("c", 20))
	huge := put(t, s, "x")
	for _, tt := range []struct {
		name string
		doc  *document.Document
		kept bool
	}{{"a", a, true}, {"b", b, false}, {"small", small, true}, {"x", huge, true}} {
		if _, err := s.Get(tt.doc.ID); (err == nil) != tt.kept {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
	over := put(t, s, strings.Repeat("d", 1000))
	if _, err := s.Get(over.ID); err != nil {
		t.Errorf("a body over the limit is not kept: %v", err)
	}
	if _, err := s.Get(a.ID); err == nil {
		t.Error("it did not make room")
	}
	if _, err := s.Get(small.ID); err != nil {
		t.Error("a body in memory was dropped for one in a file")
	}
}

func TestStoreDeletesOldFilesAtStartAndItsOwnAtClose(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"body-1.spool", "other.txt"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s, err := document.NewStore(dir, document.Limits{InMemory: 1})
	if err != nil {
		t.Fatal(err)
	}
	put(t, s, "abc")
	w := s.Create("")
	io.WriteString(w, "not finished")
	late := s.Create("")
	io.WriteString(late, "finished late")
	w.Abort()
	w.Abort()
	s.Close()
	if _, err := late.Finish(); !fault.Is(err, fault.Unknown) {
		t.Errorf("Finish after Close says %v", err)
	}
	if left := files(t, dir); len(left) != 1 || filepath.Base(left[0]) != "other.txt" {
		t.Errorf("left: %v", left)
	}
}

func TestDocumentCanBeDroppedDuringConcurrentReads(t *testing.T) {
	s, err := document.NewStore(t.TempDir(), document.Limits{InMemory: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	d := put(t, s, devices(2000))
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			for n := 0; ; n++ {
				rows, _, err := d.Rows(n%1000, 20)
				if fault.Is(err, fault.Unknown) {
					return
				}
				if err != nil {
					t.Errorf("%d rows, %v", len(rows), err)
					return
				}
				if len(rows) < 20 { // another expansion closed the root
					d.OpenAll()
					continue
				}
				d.Toggle(rows[i].Node, n%2 == 0, i%2 == 0)
				if _, err := d.Find(context.Background(), "rack 7", false, n); err == nil && n >= 20 && i == 0 {
					s.Drop(d.ID)
				}
			}
		})
	}
	all.Wait()
}
