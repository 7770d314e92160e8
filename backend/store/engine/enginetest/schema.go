package enginetest

import (
	"strings"

	"spyglass/backend/resource"
	"spyglass/backend/store/engine"
)

var schema = map[string]func(*database){
	"a new database has no layout": func(db *database) {
		layout, err := db.Layout(db.Context())
		db.check(err)
		db.is("the layout of a new file", layout, "{0 false []}")
	},
	"a column that is added has its zero value in older rows": func(db *database) {
		db.check(db.w.Prepare(db.Context(), 1))
		db.check(db.w.Define(db.Context(), &engine.Table{Name: "thing", Columns: things.Columns[:2]}))
		db.check(db.w.Insert(db.Context(), &engine.Table{Name: "thing", Columns: things.Columns[:2]},
			[]any{int64(1), "old", []byte("{}")}))
		db.check(db.w.Define(db.Context(), things))
		db.insert(thing{id: 2, name: "new", groups: resource.IDs{7}, props: "[]", info: "null"})
		columns := []string{"id", "name", "size", "load", "at", "groups", "props", "info", "deletedOn", "body"}
		db.is("the rows", read(db, db, engine.Select{Columns: columns, Order: []engine.Order{{Column: "id"}}}),
			"1 old 0 0 0  [] null 0 {}; 2 new 0 0 0 7 [] null 0 {new}")
	},
	"a column that is no more declared is kept": func(db *database) {
		db.prepare()
		db.insert(thing{id: 1, size: 3})
		db.check(db.w.Define(db.Context(), &engine.Table{Name: "thing", Columns: things.Columns[:2]}))
		db.is("the size", read(db, db, engine.Select{Columns: []string{"size"}}), "3")
	},
	"a unique index refuses a row that differs in case only, and no deleted one": func(db *database) {
		db.prepare()
		unique := *things
		unique.Indexes = []engine.Index{{Name: "thing has one", Columns: []string{"name", "size"}, Unique: true}}
		db.check(db.w.Define(db.Context(), &unique))
		db.insert(thing{id: 1, name: "Same"}, thing{id: 2, name: "Same", deletedOn: 5},
			thing{id: 3, name: "Same", size: 1})
		err := db.w.Insert(db.Context(), &unique, thing{id: 4, name: "sAME"}.values())
		db.class("a row that is equal", err, engine.Taken)
		_, err = db.w.Update(db.Context(), &unique, thing{id: 3, name: "same"}.values(), 3, nil)
		db.class("a row that becomes equal", err, engine.Taken)
		db.is("the rows", read(db, db, engine.Select{Order: []engine.Order{{Column: "id"}}}), "1; 2; 3")
		db.check(db.w.Define(db.Context(), things)) // without that index
		db.check(db.w.Insert(db.Context(), things, thing{id: 4, name: "sAME"}.values()))
	},
	"a unique index is not made over rows that it would refuse": func(db *database) {
		db.prepare()
		db.insert(thing{id: 1, name: "same"}, thing{id: 2, name: "Same"})
		unique := *things
		unique.Indexes = []engine.Index{{Name: "thing has one", Columns: []string{"name"}, Unique: true}}
		db.check(db.w.Begin())
		db.class("the index", db.w.Define(db.Context(), &unique), engine.Taken)
		db.check(db.w.Rollback())
		db.insert(thing{id: 3, name: "same"})
	},
	"any name can be one of a table and its columns": func(db *database) {
		db.check(db.w.Prepare(db.Context(), 1))
		odd := &engine.Table{Name: `select "all" from`, Soft: "where 'x'",
			Columns: []engine.Column{{Name: "id"}, {Name: `order by "x"`, Kind: resource.KindText},
				{Name: "group", Kind: resource.KindIDs}, {Name: "where 'x'"}},
			Indexes: []engine.Index{{Name: "an index's", Columns: []string{`order by "x"`}}}}
		db.check(db.w.Define(db.Context(), odd))
		db.check(db.w.Insert(db.Context(), odd, []any{int64(1), "value", "4", int64(0), []byte("{}")}))
		db.check(db.w.Link(db.Context(), odd, "group", engine.Link{ID: 4, Row: 1}))
		db.is("the row", read(db, db, engine.Select{Table: odd, Columns: []string{`order by "x"`},
			Where: engine.All{engine.Deleted(false), engine.Holds{Column: "group", IDs: []int64{4}},
				engine.Compare{Column: `order by "x"`, Op: "=", Value: "VALUE"}}}), "value")
		n, err := db.w.Delete(db.Context(), odd, engine.HasID(1))
		db.check(err)
		db.is("deleted", n, "1")
	},
	"metadata is kept by kind and name": func(db *database) {
		ctx := db.Context()
		db.check(db.w.Prepare(ctx, 3))
		layout, err := db.Layout(ctx)
		db.check(err)
		db.is("the layout", layout, "{3 true []}")
		db.check(db.w.SetMeta(ctx, engine.Identity, "portal", "first"))
		db.check(db.w.SetMeta(ctx, engine.Identity, "portal", "second"))
		db.check(db.w.SetMeta(ctx, engine.Shape, "portal", "other"))
		db.check(db.w.SetMeta(ctx, engine.Fields, "a", "x", "y"))
		db.check(db.w.SetMeta(ctx, engine.Fields, "a", "z", "y"))
		db.check(db.w.SetMeta(ctx, engine.Fields, "b", "x"))
		db.check(db.w.Prepare(ctx, 4)) // keeps existing data
		for of, want := range map[engine.Meta]string{engine.Identity: "map[portal:[second]]",
			engine.Shape: "map[portal:[other]]", engine.Fields: "map[a:[y z] b:[x]]"} {
			all, err := db.AllMeta(ctx, of)
			db.check(err)
			db.is("all", all, want)
		}
		values, err := db.w.Meta(ctx, engine.Fields, "a")
		db.check(err)
		db.is("the fields", values, "[y z]")
		values, err = db.Meta(ctx, engine.Shape, "none")
		db.check(err)
		db.is("the shape of no table", len(values), "0")
		layout, err = db.Layout(ctx)
		db.check(err)
		db.is("the format", layout.Format, "4")
	},
	"a full-text index finds ids by tags and the beginnings of words": func(db *database) {
		ctx := db.Context()
		for range 2 {
			db.check(db.w.DefineWords(ctx, "words"))
		}
		for id, text := range []string{"", "the quick fox", "a quiet fox", "The Quick dog", "Überall web-01.example"} {
			if id > 0 {
				db.check(db.w.PutWords(ctx, "words", int64(id), []string{"kind" + string(rune('0'+id%2))}, text))
			}
		}
		db.check(db.w.PutWords(ctx, "words", 2, []string{"kind0"}, "a loud fox"))
		db.check(db.w.DeleteWords(ctx, "words", 5))
		for _, c := range []struct {
			q    engine.WordQuery
			want string
		}{
			{engine.WordQuery{}, "[4 3 2 1]"},
			{engine.WordQuery{Words: []string{"fox"}}, "[2 1]"},
			{engine.WordQuery{Words: []string{"qui"}}, "[3 1]"},
			{engine.WordQuery{Words: []string{"qui", "dog"}}, "[3]"},
			{engine.WordQuery{Words: []string{"kind0"}}, "[]"},
			{engine.WordQuery{Words: []string{"uber", "web-01.ex"}}, "[4]"},
			{engine.WordQuery{Tags: []string{"kind1"}}, "[3 1]"},
			{engine.WordQuery{Tags: []string{"kind"}}, "[]"},
			{engine.WordQuery{Tags: []string{"kind0"}, Words: []string{"fox"}}, "[2]"},
			{engine.WordQuery{Words: []string{"fox"}, From: 2}, "[2]"},
			{engine.WordQuery{Words: []string{"fox"}, Before: 2}, "[1]"},
		} {
			c.q.Limit = 10
			ids, err := db.FindWords(ctx, "words", c.q)
			db.check(err)
			db.is(strings.Join(append(c.q.Tags, c.q.Words...), " "), ids, c.want)
		}
		ids, err := db.w.FindWords(ctx, "words", engine.WordQuery{Limit: 1})
		db.check(err)
		db.is("the last", ids, "[4]")
	},
}
