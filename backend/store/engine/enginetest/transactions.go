package enginetest

import (
	"errors"
	"slices"
	"strings"

	"spyglass/backend/store/engine"
)

// split returns the rows that read or tally found.
func split(rows string) []string {
	if rows == "" {
		return nil
	}
	return strings.Split(rows, "; ")
}

// sorted returns rows in ascending order.
func sorted(rows string) string { return join(slices.Sorted(slices.Values(split(rows)))) }

var byID = []engine.Order{{Column: engine.ID}}

var transactions = map[string]func(*database){
	"readers see what is committed, and the writer what it has done": func(db *database) {
		db.prepare()
		db.check(db.w.Begin())
		db.insert(thing{id: 1, name: "new"})
		db.is("the reader", read(db, db, engine.Select{}), "")
		db.is("the writer", read(db, db.w, engine.Select{}), "1")
		db.check(db.w.Commit())
		db.is("the reader, after the commit", read(db, db, engine.Select{}), "1")
		db.insert(thing{id: 2}) // runs in its own transaction
		db.is("the reader, without a transaction", read(db, db, engine.Select{Order: byID}), "1; 2")
	},
	"a rollback takes back everything": func(db *database) {
		ctx := db.Context()
		db.prepare()
		db.insert(thing{id: 1, name: "old"})
		db.check(db.w.Begin())
		db.check(db.w.Savepoint("part"))
		db.insert(thing{id: 2})
		_, err := db.w.Update(ctx, things, thing{id: 1, name: "new"}.values(), 1, nil)
		db.check(err)
		db.check(db.w.SetMeta(ctx, engine.Identity, "a", "b"))
		db.check(db.w.Define(ctx, &engine.Table{Name: "other", Columns: things.Columns[:1]}))
		db.check(db.w.DefineWords(ctx, "words"))
		db.check(db.w.Rollback())
		db.check(db.w.Rollback()) // no transaction is open
		db.is("the rows", read(db, db, engine.Select{Columns: []string{"name"}}), "old")
		values, err := db.Meta(ctx, engine.Identity, "a")
		db.check(err)
		db.is("the metadata", len(values), "0")
		db.check(db.w.Define(ctx, &engine.Table{Name: "other", Columns: things.Columns[:1]}))
		db.check(db.w.DefineWords(ctx, "words"))
	},
	"deferred inserts are rolled back alone, and refused late": func(db *database) {
		defers, ok := db.w.(engine.Deferring)
		if !ok {
			return
		}
		ctx := db.Context()
		add := func(from, to int64) (err error) {
			for id := from; id <= to && err == nil; id++ {
				err = db.w.Insert(ctx, things, thing{id: id}.values())
			}
			return err
		}
		db.prepare()
		db.check(db.w.Begin())
		defers.Defer()
		db.check(errors.Join(db.w.Savepoint("part"), add(1, 20), db.w.RollbackTo("part"), add(21, 40),
			db.w.Release("part")))
		db.is("the writer", len(split(read(db, db.w, engine.Select{}))), "20")
		db.check(errors.Join(add(41, 60), db.w.Commit()))
		db.is("the rows", len(split(read(db, db, engine.Select{}))), "40")
		db.check(db.w.Begin())
		defers.Defer()
		db.check(errors.Join(add(62, 80), db.w.Savepoint("part"), add(81, 100)))
		db.is("the writer", len(split(read(db, db.w, engine.Select{}))), "79")
		db.check(db.w.RollbackTo("part"))
		db.is("the writer, without the part", len(split(read(db, db.w, engine.Select{}))), "59")
		db.check(errors.Join(db.w.Rollback(), db.w.Begin()))
		defers.Defer()
		db.check(errors.Join(db.w.Savepoint("part"), add(62, 80)))
		_, err := db.w.LastID(ctx, things)
		db.check(errors.Join(err, add(62, 62)))
		_, err = db.w.LastID(ctx, things)
		db.class("a row that exists", err, engine.Again)
		db.class("the commit, although the error was ignored", errors.Join(db.w.RollbackTo("part"), db.w.Commit()),
			engine.Again)
		db.check(errors.Join(db.w.Rollback(), db.w.Begin(), add(62, 80)))
		if err := add(62, 62); err == nil || db.engine.Class(err) == engine.Again {
			db.Errorf("the repeated insert returned %v", err)
		}
		db.check(db.w.Rollback())
		db.is("the rows, after the rollback", len(split(read(db, db, engine.Select{}))), "40")
	},
	"a part of a transaction is rolled back alone": func(db *database) {
		ctx := db.Context()
		db.prepare()
		db.check(db.w.Begin())
		db.insert(thing{id: 1})
		db.check(db.w.Savepoint("outer"))
		db.insert(thing{id: 2})
		db.check(db.w.Savepoint("inner"))
		db.insert(thing{id: 3})
		db.check(db.w.RollbackTo("inner"))
		db.insert(thing{id: 4})
		db.check(db.w.Release("inner"))
		db.is("the writer", read(db, db.w, engine.Select{Order: byID}), "1; 2; 4")
		db.check(db.w.RollbackTo("outer"))
		db.check(db.w.DefineWords(ctx, "words"))
		db.check(db.w.RollbackTo("outer")) // a second time
		db.check(db.w.DefineWords(ctx, "words"))
		db.insert(thing{id: 5})
		db.check(db.w.Release("outer"))
		db.check(db.w.Commit())
		db.is("the rows", read(db, db, engine.Select{Order: byID}), "1; 5")
		last, err := db.w.LastID(ctx, things)
		db.check(err)
		db.is("the last id", last, "5")
	},
	"a change that is refused leaves its transaction as it was": func(db *database) {
		ctx := db.Context()
		db.prepare()
		db.check(db.w.Begin())
		db.insert(thing{id: 1})
		if err := db.w.Insert(ctx, things, thing{id: 1}.values()); err == nil {
			db.Error("a second row has the same id")
		}
		db.insert(thing{id: 2})
		db.check(db.w.Commit())
		db.is("the rows", read(db, db, engine.Select{Order: byID}), "1; 2")
	},
	"a snapshot reads the state of its first query": func(db *database) {
		db.prepare()
		db.insert(thing{id: 1})
		s, err := db.Snapshot(db.Context())
		db.check(err)
		db.is("the first query", read(db, s, engine.Select{}), "1")
		db.insert(thing{id: 2})
		_, err = db.w.Delete(db.Context(), things, engine.HasID(1))
		db.check(err)
		for _, once := range []bool{false, true} {
			db.is("a later query", read(db, s, engine.Select{Once: once}), "1")
		}
		db.is("the reader", read(db, db, engine.Select{}), "2")
		db.check(s.Close())
	},
	"rows that are being read are of one state": func(db *database) {
		db.prepare()
		db.insert(thing{id: 1}, thing{id: 2}, thing{id: 3})
		found, err := db.Select(db.Context(), engine.Select{Table: things, Columns: []string{"id"}, Order: byID})
		db.check(err)
		if !found.Next() {
			db.Fatal("there is no row")
		}
		_, err = db.w.Delete(db.Context(), things, nil)
		db.check(err)
		db.is("the other rows", text(db, found, 1), "2; 3")
	},
}

func join(rows []string) string { return strings.Join(rows, "; ") }
