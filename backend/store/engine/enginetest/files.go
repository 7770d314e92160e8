package enginetest

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"spyglass/backend/store/engine"
)

var files = map[string]func(*database){
	"what was committed is there when the file is opened again": func(db *database) {
		db.prepare()
		db.insert(thing{id: 1, name: "kept"})
		path := filepath.Join(db.TempDir(), "again.db")
		db.check(db.engine.Copy(db.Context(), db.path, path))
		for i := range 3 {
			base, err := db.engine.Open(db.Context(), path, engine.Options{Readers: 1})
			db.check(err)
			again := &database{db.T, db.engine, path, base, base.Writer()}
			db.is("the rows", tally(again, engine.Tally{}), fmt.Sprint(i+1))
			db.check(base.Writer().Insert(db.Context(), things, thing{id: int64(i + 2)}.values()))
			db.check(base.Close())
		}
	},
	"a copy has what was committed": func(db *database) {
		ctx := db.Context()
		db.prepare()
		db.insert(thing{id: 1, name: "kept"})
		db.check(db.w.Begin())
		db.insert(thing{id: 2, name: "under way"})
		to := filepath.Join(db.TempDir(), "copy.db")
		db.check(os.WriteFile(to, nil, 0o600))
		db.check(db.engine.Copy(ctx, db.path, to))
		db.check(db.w.Rollback())
		findings, layout, err := db.engine.Check(ctx, to)
		db.check(err)
		db.is("the findings", fmt.Sprintf("%q %v", findings, layout), `"" {1 true []}`)
		names, err := filepath.Glob(to + "*")
		db.check(err)
		db.is("the files", len(names), "1")
		db.check(db.engine.SetIdentity(ctx, to, "key", "old"))
		db.check(db.engine.SetIdentity(ctx, to, "key", "new"))
		copied := open(db.T, db.engine, to, engine.Options{Readers: 1})
		copied.is("the rows", read(copied, copied, engine.Select{Columns: []string{"name"}}), "kept")
		values, err := copied.Meta(ctx, engine.Identity, "key")
		copied.check(err)
		copied.is("the identity", values, "[new]")
	},
	"a damaged file is reported": func(db *database) {
		ctx := db.Context()
		db.prepare()
		db.check(db.w.Begin())
		for id := range int64(2000) {
			x := thing{id: id + 1, name: fmt.Sprint("a long name of number ", id)}
			db.check(db.w.Insert(ctx, things, x.values()))
		}
		db.check(db.w.Commit())
		findings, err := db.engine.Verify(ctx, db.path)
		db.check(err)
		db.is("the findings of a whole file", findings, "")
		whole, broken := filepath.Join(db.TempDir(), "whole.db"), filepath.Join(db.TempDir(), "broken.db")
		db.check(db.engine.Copy(ctx, db.path, whole))
		data, err := os.ReadFile(whole)
		db.check(err)
		copy(data[len(data)/2:], bytes.Repeat([]byte{0xa5}, 20_000))
		db.check(os.WriteFile(broken, data, 0o600))
		findings, _, err = db.engine.Check(ctx, broken)
		if findings == "" && db.engine.Class(err) != engine.Damaged {
			db.Errorf("a broken file: %v", err)
		}
		findings, err = db.engine.Verify(ctx, broken)
		if findings == "" && db.engine.Class(err) != engine.Damaged {
			db.Errorf("a broken file: %v", err)
		}
		none := filepath.Join(db.TempDir(), "none.db")
		db.check(os.WriteFile(none, bytes.Repeat([]byte("none"), 9999), 0o600))
		if base, err := db.engine.Open(ctx, none, engine.Options{Readers: 1}); err == nil {
			_, err = base.Layout(ctx)
			db.class("no database", err, engine.Damaged)
			db.check(base.Close())
		} else {
			db.class("no database", err, engine.Damaged)
		}
		_, _, err = db.engine.Check(ctx, none)
		db.class("no database, checked", err, engine.Damaged)
		db.class("no error of the engine", errors.New("other"), engine.Other)
		db.class("no error", nil, engine.Other)
	},
	"a file that is opened is no newer than before": func(db *database) {
		layout, err := db.Layout(db.Context())
		db.check(err)
		db.is("the layout of a new file", layout, "{0 false []}")
	},
}

var chunks = map[string]func(*database){
	"chunks are found by id and in order": func(db *database) {
		ctx := db.Context()
		db = open(db.T, db.engine, filepath.Join(db.TempDir(), "chunks.db"), engine.Options{Readers: 2, Chunks: true})
		for range 2 {
			db.check(db.w.Prepare(ctx, 7, "a", "b"))
		}
		layout, err := db.Layout(ctx)
		db.check(err)
		db.is("the layout", fmt.Sprint(layout.Format, layout.Tables, len(layout.Spaces)), "7 false 2")
		_, _, ok, err := db.ChunkEnds(ctx, "a")
		db.check(err)
		db.is("an empty space has ends", ok, "false")
		db.check(db.w.Begin())
		var ids []int64
		for id := range int64(50) {
			db.check(db.w.PutChunk("a", id*10, fmt.Append(nil, "chunk ", id)))
			ids = append(ids, id*10, id*10+1) // every other id is missing
		}
		db.check(db.w.PutChunk("a", 1<<62, []byte("far")))
		db.check(db.w.PutChunk("a", 20, []byte("again")))
		db.check(db.w.PutChunk("b", 1, []byte("other")))
		db.check(db.w.DeleteChunks("a", 30, 480))
		db.check(db.w.Commit())
		find := func(ids ...int64) string {
			var got []string
			db.check(db.FindChunks(ctx, "a", ids, func(id int64, data []byte) error {
				got = append(got, fmt.Sprint(id, string(data)))
				return nil
			}))
			return sorted(join(got))
		}
		db.is("no ids", find(), "")
		db.is("one", find(10), "10chunk 1")
		db.is("all", find(ids...), "0chunk 0; 10chunk 1; 20again; 490chunk 49")
		var got []string
		each := func(id int64, data []byte) error {
			got = append(got, fmt.Sprint(id, string(data)))
			return nil
		}
		db.check(db.RangeChunks(ctx, "a", 10, 490, each))
		db.is("a range", join(got), "10chunk 1; 20again; 490chunk 49")
		low, high, ok, err := db.ChunkEnds(ctx, "a")
		db.check(err)
		db.is("the ends", fmt.Sprint(low, high, ok), fmt.Sprint(0, int64(1<<62), true))
		enough := errors.New("enough")
		for _, err := range []error{
			db.FindChunks(ctx, "a", []int64{0, 10}, func(int64, []byte) error { return enough }),
			db.RangeChunks(ctx, "a", 0, 99, func(int64, []byte) error { return enough }),
		} {
			if !errors.Is(err, enough) {
				db.Errorf("the error of a caller is lost: %v", err)
			}
		}
		size, err := db.Size(ctx)
		db.check(err)
		db.check(db.w.PutChunk("b", 2, make([]byte, 1<<20)))
		grown, err := db.Size(ctx)
		db.check(err)
		if more := grown - size; more < 1<<20 || more > 3<<19 {
			db.Errorf("a chunk of 1 MB makes the file %d bytes larger", more)
		}
	},
}
