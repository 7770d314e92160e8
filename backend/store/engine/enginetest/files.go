package enginetest

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"spyglass/backend/store/engine"
)

var files = map[string]func(db *database, e engine.Files, path string){
	"what was committed is there when the file is opened again": func(db *database, e engine.Files, path string) {
		db.prepare()
		db.insert(thing{id: 1, name: "kept"})
		again := filepath.Join(db.TempDir(), "again.db")
		db.check(e.Copy(db.Context(), path, again))
		for i := range 3 {
			base, err := e.Open(db.Context(), again, engine.Options{Readers: 1})
			db.check(err)
			opened := &database{db.T, e, base, base.Writer()}
			db.is("the rows", tally(opened, engine.Tally{}), fmt.Sprint(i+1))
			db.check(base.Writer().Insert(db.Context(), things, thing{id: int64(i + 2)}.values()))
			db.check(base.Close())
		}
	},
	"a copy has what was committed": func(db *database, e engine.Files, path string) {
		ctx := db.Context()
		db.prepare()
		db.insert(thing{id: 1, name: "kept"})
		db.check(db.w.Begin())
		db.insert(thing{id: 2, name: "under way"})
		to := filepath.Join(db.TempDir(), "copy.db")
		db.check(os.WriteFile(to, nil, 0o600))
		db.check(e.Copy(ctx, path, to))
		db.check(db.w.Rollback())
		findings, layout, err := e.Check(ctx, to)
		db.check(err)
		db.is("the findings", fmt.Sprintf("%q %v", findings, layout), `"" {1 true []}`)
		names, err := filepath.Glob(to + "*")
		db.check(err)
		db.is("the files", len(names), "1")
		db.check(e.SetIdentity(ctx, to, "key", "old"))
		db.check(e.SetIdentity(ctx, to, "key", "new"))
		copied := open(db.T, e, to, engine.Options{Readers: 1})
		copied.is("the rows", read(copied, copied, engine.Select{Columns: []string{"name"}}), "kept")
		values, err := copied.Meta(ctx, engine.Identity, "key")
		copied.check(err)
		copied.is("the identity", values, "[new]")
	},
	"a damaged file is reported": func(db *database, e engine.Files, path string) {
		ctx := db.Context()
		db.prepare()
		db.check(db.w.Begin())
		for id := range int64(2000) {
			x := thing{id: id + 1, name: fmt.Sprint("a long name of number ", id)}
			db.check(db.w.Insert(ctx, things, x.values()))
		}
		db.check(db.w.Commit())
		findings, err := e.Verify(ctx, path)
		db.check(err)
		db.is("the findings of a whole file", findings, "")
		whole, broken := filepath.Join(db.TempDir(), "whole.db"), filepath.Join(db.TempDir(), "broken.db")
		db.check(e.Copy(ctx, path, whole))
		data, err := os.ReadFile(whole)
		db.check(err)
		copy(data[len(data)/2:], bytes.Repeat([]byte{0xa5}, 20_000))
		db.check(os.WriteFile(broken, data, 0o600))
		findings, _, err = e.Check(ctx, broken)
		if findings == "" && e.Class(err) != engine.Damaged {
			db.Errorf("a broken file: %v", err)
		}
		findings, err = e.Verify(ctx, broken)
		if findings == "" && e.Class(err) != engine.Damaged {
			db.Errorf("a broken file: %v", err)
		}
		none := filepath.Join(db.TempDir(), "none.db")
		db.check(os.WriteFile(none, bytes.Repeat([]byte("none"), 9999), 0o600))
		if base, err := e.Open(ctx, none, engine.Options{Readers: 1}); err == nil {
			_, err = base.Layout(ctx)
			db.class("no database", err, engine.Damaged)
			db.check(base.Close())
		} else {
			db.class("no database", err, engine.Damaged)
		}
		_, _, err = e.Check(ctx, none)
		db.class("no database, checked", err, engine.Damaged)
		db.class("no error of the engine", errors.New("other"), engine.Other)
		db.class("no error", nil, engine.Other)
	},
}
