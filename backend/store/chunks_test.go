package store_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"spyglass/backend/fault"
	"spyglass/backend/store"
)

func openChunks(t *testing.T, path string) *store.Chunks {
	t.Helper()
	c, err := store.OpenChunks(t.Context(), store.ChunkOptions{Path: path, Spaces: []string{"a", "b"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	return c
}

func read(t *testing.T, c *store.Chunks, space string) map[int64]string {
	t.Helper()
	all := map[int64]string{}
	if err := c.Each(t.Context(), space, 0, 1<<62, func(id int64, data []byte) error {
		all[id] = string(data)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return all
}

func TestChunksAreStoredByACommitOnly(t *testing.T) {
	aboutFiles(t)
	path := filepath.Join(t.TempDir(), "chunks.db")
	c := openChunks(t, path)
	if err := c.Write(func(tx store.ChunksTx) error {
		return errors.Join(tx.Put("a", 1, []byte("one")), tx.Put("a", 1<<62, []byte("far")),
			tx.Put("b", 1, []byte("other")), tx.Put("a", 1, []byte("once more")), tx.Put("a", 2, []byte("gone")),
			tx.Delete("a", 2, 9))
	}); err != nil {
		t.Fatal(err)
	}
	lost := errors.New("lost")
	if err := c.Write(func(tx store.ChunksTx) error { return errors.Join(tx.Delete("a", 0, 1<<62), lost) }); !errors.Is(
		err, lost) {
		t.Errorf("got %v, want %v", err, lost)
	}
	for range 2 {
		if got, want := read(t, c, "a"), map[int64]string{1: "once more", 1 << 62: "far"}; !reflect.DeepEqual(
			got, want) {
			t.Errorf("a holds %v, want %v", got, want)
		}
		if low, high, ok, err := c.Ends(t.Context(), "a"); low != 1 || high != 1<<62 || !ok || err != nil {
			t.Errorf("a ends at %d, %d, %v, %v", low, high, ok, err)
		}
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
		c = openChunks(t, path)
	}
}

func TestRowsFindsAnyNumberOfChunks(t *testing.T) {
	aboutFiles(t)
	c := openChunks(t, filepath.Join(t.TempDir(), "chunks.db"))
	for _, count := range []int64{0, 1, 2, 4, 5, 32, 33, 100} {
		if err := c.Write(func(tx store.ChunksTx) error {
			for id := range count {
				if err := tx.Put("a", 10*id, fmt.Append(nil, id)); err != nil {
					return err
				}
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		var ids []int64
		want := map[int64]string{}
		for id := range count {
			ids = append(ids, 10*id, 10*id+1) // every second id does not exist
			want[10*id] = fmt.Sprint(id)
		}
		got := map[int64]string{}
		err := c.Rows(t.Context(), "a", ids, func(id int64, data []byte) error {
			got[id] = string(data)
			return nil
		})
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%d: got %v %v, want %v", count, got, err, want)
		}
	}
}

func TestUnusableChunkFileIsRefusedWithAMessage(t *testing.T) {
	aboutFiles(t)
	folder := t.TempDir()
	newer := filepath.Join(folder, "newer.db")
	c := openChunks(t, newer)
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(newer)
	if err != nil {
		t.Fatal(err)
	}
	copy(data[60:], []byte{0, 0, 0, 99}) // PRAGMA user_version, sqlite.org/fileformat.html
	damaged := filepath.Join(folder, "damaged.db")
	for path, content := range map[string][]byte{newer: data, damaged: bytes.Repeat([]byte("none"), 9999)} {
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for path, want := range map[string]string{
		newer: newer +
			" was written by a newer version of Spyglass (format 99, this one knows 1); start that version, or " +
			"choose another --data folder",
		damaged: damaged +
			" is damaged; it was left as it is. Restore a backup, or choose another --data folder",
		filepath.Join(folder, "no", "file"): filepath.Join(folder, "no", "file") +
			" cannot be written (no such file or directory); choose another --data folder or change its permissions",
	} {
		_, err := store.OpenChunks(t.Context(), store.ChunkOptions{Path: path, Spaces: []string{"a"}})
		if f := fault.Of(err); f.Kind != fault.Conflict || f.Message != want {
			t.Errorf("%s: got %v, want %s", path, err, want)
		}
	}
}

func TestChunksOfANewerVersionAreRefused(t *testing.T) {
	aboutFiles(t)
	path := filepath.Join(t.TempDir(), "chunks.db")
	c, err := store.OpenChunks(t.Context(), store.ChunkOptions{Path: path, Spaces: []string{"a", "b", "c"}})
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	_, err = store.OpenChunks(t.Context(), store.ChunkOptions{Path: path, Spaces: []string{"a", "b"}})
	want := path + " was written by a newer version of Spyglass: it has c, which this version does not know and " +
		"would lose. Start the newer version, or choose another --data folder. Nothing was changed"
	if f := fault.Of(err); f.Kind != fault.Conflict || f.Message != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestRepeatedChunkWriteWritesOnce(t *testing.T) {
	aboutFiles(t)
	c, err := store.OpenChunks(t.Context(), store.ChunkOptions{Path: filepath.Join(t.TempDir(), "chunks.db"),
		Spaces: []string{"a"}, Twice: true})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	runs := int64(0)
	if err := c.Write(func(tx store.ChunksTx) error {
		runs++
		return tx.Put("a", runs, fmt.Append(nil, "run ", runs))
	}); err != nil {
		t.Fatal(err)
	}
	if got, want := read(t, c, "a"), map[int64]string{2: "run 2"}; !reflect.DeepEqual(got, want) {
		t.Errorf("the space holds %v, want %v", got, want)
	}
}
