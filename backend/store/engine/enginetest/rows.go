package enginetest

import (
	"context"
	"fmt"
	"strings"

	"spyglass/backend/fault"
	"spyglass/backend/filter"
	"spyglass/backend/resource"
	"spyglass/backend/store/engine"
)

var rows = map[string]func(*database){
	"values are read as they were written": func(db *database) {
		db.prepare()
		x := thing{id: 1, name: "it's \"x\"\n\x01Ü", size: -1 << 62, load: 0.1, on: true, at: 1 << 40,
			groups: resource.IDs{1, 22}, props: `[{"name":"a","value":"b"}]`, info: `{"k":[1]}`}
		db.insert(x)
		found, err := db.Select(db.Context(), engine.Select{Table: things,
			Columns: []string{"name", "size", "load", "on", "at", "groups", "props", "info", "body"}})
		db.check(err)
		defer found.Close()
		var y thing
		var groups string
		var body []byte
		for found.Next() {
			db.check(found.Scan(&y.name, &y.size, &y.load, &y.on, &y.at, &groups, &y.props, &y.info, &body))
		}
		db.check(found.Err())
		y.id, y.groups = 1, x.groups
		db.is("the row", fmt.Sprintf("%+v %s %s", y, groups, body), fmt.Sprintf("%+v 1,22 {%s}", x, x.name))
	},
	"a text that cannot be stored is refused, and the transaction goes on": func(db *database) {
		ctx := db.Context()
		db.prepare()
		db.check(db.w.Begin())
		var want []string
		for i, text := range []string{"\x00", "a\x00b", "\xff"} {
			x := thing{id: int64(i + 1), name: text}
			if err := db.w.Insert(ctx, things, x.values()); err == nil {
				want = append(want, text)
			} else if f := fault.Of(err); f.Kind != fault.Invalid || f.Field != "name" {
				db.Errorf("%q: %v", text, err)
			}
		}
		db.check(db.w.Commit())
		db.is("the rows", read(db, db, engine.Select{Columns: []string{"name"}, Order: byID}), join(want))
		for _, text := range []string{"\x00", "\xff"} {
			_ = read(db, db, engine.Select{Where: engine.All{engine.Compare{Column: "name", Op: "=", Value: text},
				engine.Among{Column: "name", Texts: []string{text}}, matches("name", filter.Contains, words(text))}})
		}
	},
	"a destination with a method Scan gets the stored value": func(db *database) {
		db.prepare()
		db.insert(thing{id: 1, name: "text"})
		found, err := db.Select(db.Context(), engine.Select{Table: things, Columns: []string{"name", "body"}})
		db.check(err)
		defer found.Close()
		var name, body scanned
		for found.Next() {
			db.check(found.Scan(&name, &body))
		}
		db.is("the kinds", string(name)+" "+string(body), "string text []uint8 {text}")
	},
	"an update changes the row with the id that meets the condition": func(db *database) {
		ctx := db.Context()
		db.prepare()
		db.insert(thing{id: 1, name: "one"}, thing{id: 2, name: "two", deletedOn: 5})
		for _, c := range []struct {
			id    int64
			where engine.Cond
			want  int64
		}{{1, engine.Deleted(false), 1}, {2, engine.Deleted(false), 0}, {2, nil, 1}, {3, nil, 0}} {
			n, err := db.w.Update(ctx, things, thing{id: c.id, name: fmt.Sprint("now ", c.id)}.values(), c.id, c.where)
			db.check(err)
			db.is(fmt.Sprint(c), n, fmt.Sprint(c.want))
		}
		db.is("the rows", read(db, db, engine.Select{Columns: []string{"name", "deletedOn", "body"},
			Order: []engine.Order{{Column: "id"}}}), "now 1 0 {now 1}; now 2 0 {now 2}")
	},
	"an id is never given twice": func(db *database) {
		ctx := db.Context()
		db.prepare()
		reserve := func(least int64) (first, limit int64) {
			first, limit, err := db.w.Reserve(ctx, things, least)
			db.check(err)
			return first, limit
		}
		last, err := db.w.LastID(ctx, things)
		db.check(err)
		db.is("of no rows", last, "0")
		first, limit := reserve(3)
		db.is("the first", first, "3")
		db.check(db.w.Begin())
		db.insert(thing{id: 3}, thing{id: 7})
		db.check(db.w.Commit())
		db.check(db.w.Return(ctx, things, 8, limit))
		n, err := db.w.Delete(ctx, things, nil)
		db.check(err)
		db.is("deleted", n, "2")
		last, err = db.w.LastID(ctx, things)
		db.check(err)
		db.is("of deleted rows", last, "7")
		first, _ = reserve(1)
		db.is("the next", first, "8")
		db.check(db.w.SetLastID(ctx, things, 5))
		db.check(db.w.SetLastID(ctx, things, 900))
		db.check(db.w.SetLastID(ctx, things, 800))
		last, err = db.LastID(ctx, things)
		db.check(err)
		db.is("of rows that were elsewhere", last, "900")
		first, _ = reserve(1)
		db.is("the next after them", first, "901")
		db.check(db.w.Begin())
		first, _ = reserve(1 << 40)
		db.is("a far one", first, fmt.Sprint(1<<40))
		db.check(db.w.Rollback())
	},
	"links follow their rows": func(db *database) {
		ctx := db.Context()
		db.prepare()
		held := func(ids ...int64) string {
			return read(db, db, engine.Select{Where: engine.Holds{Column: "groups", IDs: ids},
				Order: []engine.Order{{Column: "id"}}})
		}
		db.insert(thing{id: 1, groups: resource.IDs{1, 2}}, thing{id: 2, groups: resource.IDs{2}},
			thing{id: 3, groups: resource.IDs{3}})
		db.is("of 2", held(2), "1; 2")
		db.check(db.w.Unlink(ctx, things, "groups", 1))
		db.check(db.w.Link(ctx, things, "groups", engine.Link{ID: 3, Row: 1}))
		db.is("of 2, after a change", held(2), "2")
		db.is("of 2 and 3", held(2, 3), "1; 2; 3")
		_, err := db.w.Delete(ctx, things, engine.Compare{Column: "id", Op: "<", Value: int64(3)})
		db.check(err)
		db.is("counted", tally(db, engine.Tally{By: []engine.By{{Column: "groups", Held: true}}}), "3 1")
		_, err = db.w.Delete(ctx, things, engine.HasID(3))
		db.check(err)
		db.is("counted", tally(db, engine.Tally{By: []engine.By{{Column: "groups", Held: true}}}), "")
	},
	"a context that has ended stops reads and no writes": func(db *database) {
		db.prepare()
		ctx, cancel := context.WithCancel(db.Context())
		cancel()
		db.check(db.w.Insert(ctx, things, thing{id: 1}.values()))
		db.check(db.w.SetMeta(ctx, engine.Identity, "a", "b"))
		if found, err := db.Select(ctx, engine.Select{Table: things, Columns: []string{"id"}}); err == nil {
			db.Errorf("it found %s", text(db, found, 1))
		}
	},
}

// scanned is a stored value as text, with its type.
type scanned string

func (s *scanned) Scan(value any) error {
	*s = scanned(strings.TrimSpace(fmt.Sprintf("%T %s", value, value)))
	return nil
}
