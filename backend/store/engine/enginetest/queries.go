package enginetest

import (
	"fmt"

	"spyglass/backend/filter"
	"spyglass/backend/resource"
	"spyglass/backend/store/engine"
)

// fill adds the rows for the tests of queries. The last one is deleted.
func (db *database) fill() {
	db.Helper()
	db.prepare()
	db.insert(
		thing{id: 1, name: "Alpha", size: 10, load: 0.5, on: true, at: 100, groups: resource.IDs{1, 2},
			props: `[{"name":"os","value":"Linux"},{"name":"site","value":"Bern"}]`},
		thing{id: 2, name: "beta", size: 25, load: 1.5, at: 200, groups: resource.IDs{2}, props: "[]"},
		thing{id: 3, name: "ÄPFEL 100%", size: 30, load: 2.5, on: true, at: 300,
			props: `[{"name":"os","value":"macOS"},{"name":"site","value":"Linux"}]`},
		thing{id: 4, size: 40, at: 400, groups: resource.IDs{3}, props: "[]"},
		thing{id: 5, name: "alpha_2", size: 10, at: 500, groups: resource.IDs{1}, props: "[]"},
		thing{id: 6, name: "gone", size: 60, on: true, at: 600, groups: resource.IDs{2, 4}, props: "[]", deletedOn: 9})
}

func words(texts ...string) (all []filter.Value) {
	for _, text := range texts {
		all = append(all, filter.Value{Text: text})
	}
	return all
}

func number(n int64) []filter.Value {
	return []filter.Value{{Text: fmt.Sprint(n), Int: n, Float: float64(n), From: n, To: n + 10}}
}

func glob(parts ...string) []filter.Value {
	return []filter.Value{{Text: fmt.Sprint(parts), Pattern: true, Glob: parts}}
}

func half(sub string, op filter.Op, text string) filter.Cond {
	return filter.Cond{Column: resource.Column{Name: "props", Kind: resource.KindPairs}, Sub: sub, Op: op,
		Values: words(text)}
}

func matches(column string, op filter.Op, values []filter.Value) engine.Matches {
	return engine.Matches{Column: column, Op: op, Values: values}
}

// conditions are tests of conditions on the rows of fill, with the ids that meet
// them.
var conditions = []struct {
	cond engine.Cond
	want string
}{
	{nil, "1; 2; 3; 4; 5; 6"},
	{engine.All{}, "1; 2; 3; 4; 5; 6"},
	{engine.Any{}, ""},
	{engine.All{engine.HasID(2), nil, engine.All{}}, "2"},
	{engine.All{engine.HasID(2), engine.Any{}}, ""},
	{engine.Any{engine.HasID(2), engine.All{engine.HasID(3), engine.HasID(4)}, engine.HasID(5)}, "2; 5"},
	{engine.Any{engine.HasID(2), engine.All{}}, "1; 2; 3; 4; 5; 6"},
	{engine.All{engine.Deleted(false), engine.Any{engine.HasID(1), engine.HasID(6)}}, "1"},
	{engine.Not{Cond: engine.Any{engine.HasID(1), engine.HasID(2)}}, "3; 4; 5; 6"},
	{engine.Not{Cond: engine.All{engine.Deleted(false), engine.HasID(1)}}, "2; 3; 4; 5; 6"},
	{engine.Not{Cond: engine.Any{}}, "1; 2; 3; 4; 5; 6"},
	{engine.Deleted(true), "6"},
	{engine.Deleted(false), "1; 2; 3; 4; 5"},
	{engine.Compare{Column: "name", Op: "=", Value: "ALPHA"}, "1"},
	{engine.Compare{Column: "name", Op: "!=", Value: "ALPHA"}, "2; 3; 4; 5; 6"},
	{engine.Compare{Column: "size", Op: "<=", Value: int64(25)}, "1; 2; 5"},
	{engine.Compare{Column: "size", Op: "<", Value: int64(25)}, "1; 5"},
	{engine.Compare{Column: "at", Op: ">=", Value: resource.Seconds(500)}, "5; 6"},
	{engine.Compare{Column: "at", Op: ">", Value: int64(500)}, "6"},
	{engine.Compare{Column: "on", Op: "=", Value: true}, "1; 3; 6"},
	{engine.Among{Column: "id", IDs: []int64{5, 1, 5, 9}}, "1; 5"},
	{engine.Among{Column: "size", IDs: []int64{10}}, "1; 5"},
	{engine.Among{Column: "size"}, ""},
	{engine.Among{Column: "name", Texts: []string{"beta", "ALPHA", ""}}, "2; 4"},
	{engine.In{Column: "id", Table: things, Where: engine.Compare{Column: "on", Op: "=", Value: true}}, "1; 3; 6"},
	{engine.In{Column: "size", Table: things, Where: engine.HasID(1)}, ""},
	{engine.In{Column: "id", Table: things, Where: engine.All{engine.Deleted(false),
		engine.Any{engine.Holds{Column: "groups", IDs: []int64{2, 4}}}}}, "1; 2"},
	{engine.In{Column: "id", Table: things, Where: engine.All{engine.Deleted(true),
		engine.Holds{Column: "groups", IDs: []int64{2, 4}}}}, ""},
	{engine.In{Column: "id", Table: things, Where: engine.All{engine.Holds{Column: "groups", IDs: []int64{2}},
		engine.Holds{Column: "groups", IDs: []int64{1}}}}, "1"},
	{engine.First{Table: things, Where: engine.Compare{Column: "on", Op: "=", Value: true}, N: 2}, "1; 3"},
	{engine.First{Table: things, Where: engine.All{}, N: 0}, ""},
	{engine.First{Table: things, Where: engine.All{engine.Deleted(false), engine.Compare{Column: "id", Op: ">",
		Value: int64(1)}, engine.Holds{Column: "groups", IDs: []int64{1, 2, 3}}}, N: 2}, "2; 4"},
	{engine.Holds{Column: "groups", IDs: []int64{2}}, "1; 2"},
	{engine.Holds{Column: "groups", IDs: []int64{2, 3, 4}}, "1; 2; 4"},
	{engine.Holds{Column: "groups"}, ""},
	{engine.Not{Cond: engine.Any{engine.Holds{Column: "groups"}, engine.Among{Column: "size"}}}, "1; 2; 3; 4; 5; 6"},
	{engine.All{engine.Holds{Column: "groups", IDs: []int64{1}, Check: true},
		engine.Holds{Column: "groups", IDs: []int64{2}, Check: true}}, "1"},
	{engine.Names{Column: "groups", IDs: []int64{2, 3}}, "1; 2; 4; 6"},
	{engine.Names{Column: "groups"}, ""},
	{matches("name", filter.Equal, words("ALPHA", "Beta")), "1; 2"},
	{matches("name", filter.NotEqual, words("ALPHA", "Beta")), "3; 4; 5; 6"},
	{matches("name", filter.Equal, words("äpfel 100%")), "3"},
	{matches("name", filter.Contains, words("ALPHA")), "1; 5"},
	{matches("name", filter.Contains, words("äpf")), "3"},
	{matches("name", filter.Contains, words("%")), "3"},
	{matches("name", filter.Contains, words("a_2", `\`)), "5"},
	{matches("name", filter.NotContains, words("a")), "3; 4; 6"},
	{matches("name", filter.Equal, glob("AL", "a")), "1"},
	{matches("name", filter.Equal, glob("ä", "0%")), "3"},
	{matches("name", filter.Equal, glob("", "_", "")), "5"},
	{matches("name", filter.NotEqual, glob("al", "")), "2; 3; 4; 6"},
	{matches("name", filter.Empty, nil), "4"},
	{matches("name", filter.NotEmpty, nil), "1; 2; 3; 5; 6"},
	{matches("load", filter.Null, nil), "4; 5; 6"},
	{matches("groups", filter.Empty, nil), "3"},
	{matches("groups", filter.Contains, words("2")), "1; 2; 6"},
	{matches("size", filter.Equal, number(10)), "1; 5"},
	{matches("size", filter.GreaterEq, number(40)), "4; 6"},
	{matches("size", filter.Less, number(25)), "1; 5"},
	{matches("load", filter.Greater, number(1)), "2; 3"},
	{matches("load", filter.LessEq, []filter.Value{{Float: 0.5}}), "1; 4; 5; 6"},
	{matches("on", filter.Equal, []filter.Value{{Bool: true}}), "1; 3; 6"},
	{matches("on", filter.Equal, []filter.Value{{Pattern: true}}), "1; 2; 3; 4; 5; 6"},
	{matches("at", filter.Equal, number(195)), "2"},
	{matches("at", filter.Equal, number(190)), ""}, // a range does not include its end
	{matches("at", filter.Greater, number(395)), "5; 6"},
	{matches("at", filter.GreaterEq, number(395)), "4; 5; 6"},
	{matches("at", filter.Less, number(200)), "1"},
	{matches("at", filter.LessEq, number(200)), "1; 2"},
	{engine.Matches{Column: "name", With: "info", Op: filter.Equal, Values: words("beta ")}, "2"},
	{engine.PairValues{Column: "props", Op: filter.Equal, Values: words("linux")}, "1; 3"},
	{engine.PairValues{Column: "props", Op: filter.Contains, Values: words("os", "bern")}, "1; 3"},
	{engine.Pairs{Column: "props", Conds: []filter.Cond{half("name", filter.Equal, "os"),
		half("value", filter.Equal, "LINUX")}}, "1"}, // both in one pair
	{engine.Pairs{Column: "props", Conds: []filter.Cond{half("name", filter.Equal, "os"),
		half("value", filter.NotEqual, "linux")}}, "3"},
	{engine.Pairs{Column: "props", Conds: []filter.Cond{half("value", filter.NotEqual, "linux")}}, "2; 4; 5; 6"},
	{engine.Pairs{Column: "props", Conds: []filter.Cond{half("value", filter.NotEqual, "Bern"),
		half("value", filter.NotContains, "mac")}}, "2; 4; 5; 6"},
	{engine.Derived{Column: "name", Lists: `{"beta":[{"name":"os","value":"x"}],"gone":[{"name":"site","value":"x"}]}`,
		Conds: []filter.Cond{half("name", filter.Equal, "OS"), half("value", filter.Equal, "x")}}, "2"},
	{engine.Derived{Column: "name", Lists: `{"beta":[{"name":"os","value":"x"}],"gone":[{"name":"site","value":"x"}]}`,
		Conds: []filter.Cond{half("name", filter.NotEqual, "os")}}, "6"},
}

var queries = map[string]func(*database){
	"a condition is met by the rows that it describes": func(db *database) {
		db.fill()
		for _, c := range conditions {
			for _, once := range []bool{false, true} {
				db.is(fmt.Sprintf("%#v", c.cond), read(db, db, engine.Select{Where: c.cond, Once: once,
					Order: []engine.Order{{Column: "id"}}}), c.want)
			}
			db.is(fmt.Sprintf("the number of %#v", c.cond), tally(db, engine.Tally{Where: c.cond}),
				fmt.Sprint(len(split(c.want))))
		}
	},
	"a condition is met by the same rows if it checks each of them": func(db *database) {
		db.fill()
		for _, c := range conditions {
			checked, _ := engine.Checked(c.cond)
			db.is(fmt.Sprintf("%#v", checked), read(db, db, engine.Select{Where: checked, Order: byID}), c.want)
		}
	},
	"a condition names rows of another table": func(db *database) {
		db.fill()
		places := &engine.Table{Name: "place", Columns: []engine.Column{{Name: "id", Kind: resource.KindInteger},
			{Name: "size", Kind: resource.KindInteger}}}
		db.check(db.w.Begin())
		db.check(db.w.Define(db.Context(), places))
		for _, values := range [][]any{{int64(10), int64(2)}, {int64(25), int64(3)}} {
			db.check(db.w.Insert(db.Context(), places, append(values, []byte("{}"))))
		}
		db.check(db.w.Commit())
		at := func(where engine.Cond) engine.Cond {
			return engine.In{Column: "size", Table: places, Where: where}
		}
		of := func(where engine.Cond) engine.Cond {
			return at(engine.In{Column: "size", Table: things, Where: where})
		}
		for _, c := range []struct {
			cond engine.Cond
			want string
		}{
			{at(engine.All{}), "1; 2; 5"},
			{at(engine.Compare{Column: "size", Op: ">", Value: int64(2)}), "2"},
			{engine.Not{Cond: at(engine.HasID(10))}, "2; 3; 4; 6"},
			{of(engine.Compare{Column: "on", Op: "=", Value: true}), "2"},
			{of(engine.Compare{Column: "name", Op: "=", Value: "beta"}), "1; 5"},
			{of(engine.Holds{Column: "groups", IDs: []int64{2}}), "1; 5"},
			{engine.Any{engine.HasID(6), engine.All{engine.HasID(2), of(engine.HasID(3))}}, "2; 6"},
		} {
			checked, _ := engine.Checked(c.cond)
			for _, cond := range []engine.Cond{c.cond, checked} {
				db.is(fmt.Sprintf("%#v", cond), read(db, db, engine.Select{Where: cond, Order: byID}), c.want)
			}
		}
	},
	"a page has the number of all rows": func(db *database) {
		db.fill()
		for _, c := range conditions {
			for _, offset := range []int64{0, 1} {
				want := split(c.want)
				total := len(want)
				want = want[min(int(offset), total):min(int(offset)+1, total)]
				for i := range want {
					want[i] += fmt.Sprint(" ", total)
				}
				q := engine.Select{Where: c.cond, Counted: true, Order: byID, Limit: 1, Offset: offset}
				db.is(fmt.Sprintf("%#v from %d", c.cond, offset), read(db, db, q), join(want))
			}
		}
	},
	"a condition on deletions is that on reads": func(db *database) {
		db.fill()
		for _, c := range conditions {
			db.check(db.w.Begin())
			n, err := db.w.Delete(db.Context(), things, c.cond)
			db.check(err)
			db.is(fmt.Sprintf("deleted by %#v", c.cond), n, fmt.Sprint(len(split(c.want))))
			db.check(db.w.Rollback())
		}
	},
	"rows come in their order, a page at a time": func(db *database) {
		db.fill()
		name, size := engine.Order{Column: "name"}, engine.Order{Column: "size"}
		id, down := engine.Order{Column: "id"}, engine.Order{Column: "id", Down: true}
		for _, c := range []struct {
			q    engine.Select
			want string
		}{
			{engine.Select{Order: []engine.Order{down}}, "6; 5; 4; 3; 2; 1"},
			{engine.Select{Order: []engine.Order{size, id}}, "1; 5; 2; 3; 4; 6"},
			{engine.Select{Order: []engine.Order{size, down}}, "5; 1; 2; 3; 4; 6"},
			{engine.Select{Order: []engine.Order{{Column: "size", Down: true}, id}}, "6; 4; 3; 2; 1; 5"},
			{engine.Select{Order: []engine.Order{name}, Where: engine.Among{Column: "id", IDs: []int64{1, 2, 5, 6}}},
				"1; 5; 2; 6"},
			{engine.Select{Order: []engine.Order{size, id}, Limit: 2}, "1; 5"},
			{engine.Select{Order: []engine.Order{size, id}, Limit: 2, Offset: 1}, "5; 2"},
			{engine.Select{Order: []engine.Order{size, id}, Limit: 2, Offset: 6}, ""},
			{engine.Select{Order: []engine.Order{id}, From: 2, Limit: 2}, "2; 3"},
			{engine.Select{Order: []engine.Order{id}, From: 2, Limit: 2, Offset: 2}, "4; 5"},
			{engine.Select{Order: []engine.Order{id}, From: 3, Limit: 9, Where: engine.Deleted(false)}, "3; 4; 5"},
			{engine.Select{From: 4, Limit: 1, Offset: 2, Where: engine.Deleted(false)}, ""},
		} {
			want := c.want
			db.is(fmt.Sprintf("%+v", c.q), read(db, db, c.q), want)
			c.q.Columns = []string{"id", "body"}
			db.is(fmt.Sprintf("bodies of %+v", c.q), len(split(read(db, db, c.q))), fmt.Sprint(len(split(want))))
		}
		db.is("From counts up whatever the order", read(db, db, engine.Select{Columns: []string{"id", "size"}, From: 2,
			Limit: 2, Offset: 1, Order: []engine.Order{down}}), "4 40; 3 30")
	},
	"rows are counted and added up by groups": func(db *database) {
		db.fill()
		live := engine.Deleted(false)
		for _, c := range []struct {
			q    engine.Tally
			want string
		}{
			{engine.Tally{}, "6"},
			{engine.Tally{Sum: "size"}, "175"},
			{engine.Tally{Sum: "size", Where: engine.Any{}}, "0"},
			{engine.Tally{Where: live, By: []engine.By{{Column: "size"}}}, "10 2; 25 1; 30 1; 40 1"},
			{engine.Tally{Where: live, By: []engine.By{{Column: "size", Step: 20}}}, "0 2; 1 2; 2 1"},
			{engine.Tally{Where: live, By: []engine.By{{Column: "on"}, {Column: "size", Step: 100}}}, "0 0 3; 1 0 2"},
			{engine.Tally{Where: live, Sum: "size", By: []engine.By{{Column: "on"}}}, "0 75; 1 40"},
			{engine.Tally{Where: engine.HasID(9), By: []engine.By{{Column: "on"}}}, ""},
			{engine.Tally{By: []engine.By{{Column: "groups", Held: true}}}, "1 2; 2 2; 3 1"},
		} {
			db.is(fmt.Sprintf("%+v", c.q), sorted(tally(db, c.q)), c.want)
		}
		db.insert(thing{id: 7, name: "ALPHA"})
		db.is("texts letter by letter", sorted(tally(db, engine.Tally{By: []engine.By{{Column: "name"}},
			Where: engine.Among{Column: "id", IDs: []int64{1, 7}}})), "ALPHA 1; Alpha 1")
	},
	"a list is filtered and sorted as a table": func(db *database) {
		list := []byte(`[{"name":"b","size":2},{"name":"A","size":3},{"name":"a","size":1},{"name":"c","size":9}]`)
		t := &engine.Table{Name: "list",
			Columns: []engine.Column{{Name: "name", Kind: resource.KindText}, {Name: "size"}}}
		small := engine.All{engine.Matches{Column: "size", Op: filter.Less, Values: []filter.Value{{Int: 5}}}}
		place := engine.Order{Column: engine.Place}
		for _, c := range []struct {
			where engine.Cond
			order []engine.Order
			want  string
		}{
			{nil, []engine.Order{place}, "[0 1 2 3]"},
			{small, []engine.Order{{Column: engine.Place, Down: true}}, "[2 1 0]"},
			{small, []engine.Order{{Column: "name"}, place}, "[1 2 0]"},
			{small, []engine.Order{{Column: "size", Down: true}, place}, "[1 0 2]"},
			{engine.Matches{Column: "name", With: "size", Op: filter.Equal, Values: words("a 3")},
				[]engine.Order{place}, "[1]"},
			{engine.Any{}, []engine.Order{place}, "[]"},
		} {
			places, err := db.Arrange(db.Context(), t, list, c.where, c.order)
			db.check(err)
			db.is(fmt.Sprintf("%#v %v", c.where, c.order), places, c.want)
		}
	},
}
