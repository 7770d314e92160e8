package store_test

import (
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"spyglass/backend/fault"
	"spyglass/backend/resource"
	"spyglass/backend/store"
)

func TestDeletedFolderRefusesWrites(t *testing.T) {
	aboutFiles(t)
	for name, lose := range map[string]func(folder string) error{
		"deleted":  os.RemoveAll,
		"replaced": func(folder string) error { return os.Rename(folder, folder+"-away") },
	} {
		t.Run(name, func(t *testing.T) {
			folder := filepath.Join(t.TempDir(), "data")
			if err := os.Mkdir(folder, 0o700); err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(folder, "portal.db")
			db, err := version(path, lamps())
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = db.Close() })
			chunks, err := store.OpenChunks(t.Context(), store.ChunkOptions{Path: filepath.Join(folder, "series.db"),
				Spaces: []string{"a"}})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = chunks.Close() })
			put := func() error {
				return db.Write(t.Context(), func(tx resource.Tx) error {
					return resource.Put(t.Context(), tx, lamps().Name, &lamp{Name: "a"})
				})
			}
			if err := put(); err != nil {
				t.Fatal(err)
			}
			if err := lose(folder); err != nil {
				t.Fatal(err)
			}
			for file, err := range map[string]error{
				path: put(),
				filepath.Join(folder, "series.db"): chunks.Write(
					func(tx store.ChunksTx) error { return tx.Put("a", 1, nil) }),
			} {
				want := file + " was deleted or replaced while Spyglass is running; nothing was written. Stop " +
					"Spyglass, put the data folder back, and start it again"
				if f := fault.Of(err); f.Kind != fault.Busy || f.Message != want {
					t.Errorf("got %v, want %s", err, want)
				}
			}
			if name == "replaced" { // restore the file
				if err := os.Rename(folder+"-away", folder); err != nil {
					t.Fatal(err)
				}
				if err := put(); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

func TestDamagedDatabaseIsDetectedWhileOpen(t *testing.T) {
	aboutFiles(t)
	path := filepath.Join(t.TempDir(), "portal.db")
	db, err := version(path, lamps())
	if err != nil {
		t.Fatal(err)
	}
	err = db.Write(t.Context(), func(tx resource.Tx) error {
		for range 500 {
			if err := resource.Put(t.Context(), tx, lamps().Name,
				&lamp{Name: strings.Repeat("lamp ", 20)}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := (store.Files{}).Verify(t.Context(), path); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	info, err := file.Stat()
	if err == nil {
		_, err = file.WriteAt(make([]byte, 4096), info.Size()-3*4096)
	}
	if err != nil {
		t.Fatal(err)
	}
	_ = file.Close()
	if err := (store.Files{}).Verify(t.Context(), path); !fault.Is(err, fault.Conflict) ||
		!strings.HasPrefix(fault.Sentence(err), path+" is damaged") {
		t.Errorf("got %v, want that it is damaged", err)
	}
}

func TestDeletedDatabaseIsDetectedWithoutAWrite(t *testing.T) {
	aboutFiles(t)
	path := filepath.Join(t.TempDir(), "x.db")
	db, err := store.Open(t.Context(), store.Options{Path: path, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if err := db.Writable(); err != nil {
		t.Error(err)
	}
	if err := os.Rename(path, path+"-away"); err != nil {
		t.Fatal(err)
	}
	if err := db.Writable(); !fault.Is(err, fault.Busy) {
		t.Errorf("got %v, want fault.Busy", err)
	}
	if err := os.Rename(path+"-away", path); err != nil {
		t.Fatal(err)
	}
	if err := db.Writable(); err != nil {
		t.Error(err)
	}
}
