package sqlite

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"spyglass/backend/filter"
	"spyglass/backend/resource"
	"spyglass/backend/store/engine"
)

// where writes the condition for rows of a table, and more after it.
func (b *text) where(t *engine.Table, c engine.Cond, more ...string) {
	if all, _ := c.(engine.All); slices.ContainsFunc(all, isHasID) {
		c, _ = engine.Checked(c)
	}
	begin := len(b.sql)
	b.add(" WHERE ")
	some := b.and(t, c, false)
	for _, one := range more {
		if some {
			b.add(" AND ")
		}
		b.add(one)
		some = true
	}
	if !some {
		b.sql = b.sql[:begin]
	}
}

// and writes conditions that must all be met, after earlier ones if there are
// any, and reports whether there are any now.
func (b *text) and(t *engine.Table, c engine.Cond, some bool) bool {
	if c == nil {
		return some
	}
	if all, ok := c.(engine.All); ok {
		for _, one := range all {
			some = b.and(t, one, some)
		}
		return some
	}
	if some {
		b.add(" AND ")
	}
	b.cond(t, c)
	return true
}

// cond writes a condition as one expression.
func (b *text) cond(t *engine.Table, c engine.Cond) {
	switch c := c.(type) {
	case engine.All:
		b.add("(")
		if !b.and(t, c, false) {
			b.add("1")
		}
		b.add(")")
	case engine.Any:
		b.add("(")
		for i, one := range c {
			if i > 0 {
				b.add(" OR ")
			}
			b.cond(t, one)
		}
		if len(c) == 0 {
			b.add("0")
		}
		b.add(")")
	case engine.Not:
		b.add("NOT (")
		b.cond(t, c.Cond)
		b.add(")")
	case engine.HasID:
		b.add(`"id" = ?`)
		b.args = append(b.args, int64(c))
	case engine.Deleted: // a literal: SQLite would not use the indexes with an argument
		b.name(t.Soft)
		if c {
			b.add(" > 0")
		} else {
			b.add(" = 0")
		}
	case engine.Compare:
		b.name(c.Column)
		b.add(collation(t, c.Column), " ", c.Op, " ?")
		b.args = append(b.args, c.Value)
	case engine.Among:
		b.name(c.Column)
		if c.Texts != nil {
			b.among(c.Texts)
		} else {
			b.among(c.IDs)
		}
	case engine.In:
		b.in(t, c)
	case engine.First:
		b.add(`"id" IN (SELECT "id" FROM `)
		b.name(c.Table.Name)
		b.where(c.Table, eachRow(c.Where))
		b.add(` ORDER BY "id" LIMIT ?)`)
		b.args = append(b.args, c.N)
	case engine.Holds:
		b.holds(t, c)
	case engine.Names:
		b.add("EXISTS (SELECT 1 FROM json_each('['||")
		b.name(c.Column)
		b.add("||']') g WHERE g.value")
		b.among(c.IDs)
		b.add(")")
	case engine.Matches:
		place := placeOf(t, c.Column)
		if c.With != "" {
			place += " || ' ' || " + placeOf(t, c.With)
		}
		b.values(place, t.KindOf(c.Column), c.Op, c.Values)
	case engine.PairValues:
		b.add("EXISTS (SELECT 1 FROM json_each(", placeOf(t, c.Column), ") e WHERE ")
		b.values("(e.value->>'value')", resource.KindText, c.Op, c.Values)
		b.add(")")
	case engine.Pairs:
		b.pairs(placeOf(t, c.Column), c.Conds)
	case engine.Derived:
		b.add(placeOf(t, c.Column), ` IN (SELECT m."key" FROM json_each(?) m WHERE `)
		b.args = append(b.args, c.Lists)
		b.pairs(`m."value"`, c.Conds)
		b.add(")")
	default:
		panic(fmt.Sprintf("%T is no condition of this engine", c))
	}
}

// placeOf returns a column qualified by its table, for conditions with nested
// tables.
func placeOf(t *engine.Table, column string) string { return quote(t.Name) + "." + quote(column) }

// among writes that the preceding value is one of some numbers or texts.
func (b *text) among(values any) {
	b.add(" IN (SELECT value FROM json_each(?))")
	list, err := json.Marshal(values)
	if err != nil {
		panic(err) // marshaling numbers and texts never fails
	}
	if string(list) == "null" { // null would be one unknown value
		list = []byte("[]")
	}
	b.args = append(b.args, string(list))
}

func isHasID(c engine.Cond) bool {
	_, ok := c.(engine.HasID)
	return ok
}

// in writes that a column has the id of a row of another table that meets a condition.
func (b *text) in(t *engine.Table, c engine.In) {
	place := placeOf(t, c.Column)
	if held, ok := onlyHeld(c.Where); ok {
		b.linked(place, c.Table, held, c.Check)
		return
	}
	var same []string
	if c.Check && c.Table != t { // whose columns would hide those of the other
		b.add("EXISTS (SELECT 1 FROM ")
		same = append(same, placeOf(c.Table, "id")+" = "+place)
	} else {
		b.add(place, ` IN (SELECT "id" FROM `)
	}
	b.name(c.Table.Name)
	b.where(c.Table, c.Where, same...)
	b.add(")")
}

func (b *text) holds(t *engine.Table, c engine.Holds) { b.linked(placeOf(t, "id"), t, c, c.Check) }

// linked writes that the value at place is the id of a row of a table that one of the ids is
// linked to.
func (b *text) linked(place string, t *engine.Table, c engine.Holds, check bool) {
	if check {
		b.add("EXISTS (SELECT 1 FROM ", linkOf(t, c.Column), ` WHERE "row" = `, place, " AND ")
	} else {
		b.add(place, ` IN (SELECT "row" FROM `, linkOf(t, c.Column), " WHERE ")
	}
	if check && len(c.IDs) > 1 {
		b.add("+") // SQLite would look up each of the ids for each row
	}
	b.add(`"ref"`)
	if len(c.IDs) == 1 {
		b.add(" = ?")
		b.args = append(b.args, c.IDs[0])
	} else {
		b.among(c.IDs)
	}
	b.add(")")
}

// onlyHeld returns the only condition of where besides that a row is not deleted, if it
// is Holds: the links alone then say which rows meet where, as deleted rows have none.
func onlyHeld(where engine.Cond) (held engine.Holds, ok bool) {
	switch c := where.(type) {
	case engine.Holds:
		return c, true
	case engine.Any:
		if len(c) == 1 {
			return onlyHeld(c[0])
		}
	case engine.All:
		rest := slices.DeleteFunc(slices.Clone(c), func(one engine.Cond) bool { return one == engine.Deleted(false) })
		if len(rest) == 1 {
			return onlyHeld(rest[0])
		}
	}
	return engine.Holds{}, false
}

// eachRow returns the condition of a page that begins behind an id, with links
// checked row by row. SQLite would list all links for each page, though all pages
// together check each row only once.
func eachRow(where engine.Cond) engine.Cond {
	all, _ := where.(engine.All)
	if slices.ContainsFunc(all, func(c engine.Cond) bool {
		behind, ok := c.(engine.Compare)
		return ok && behind.Column == engine.ID && behind.Op == ">"
	}) {
		where, _ = engine.Checked(where)
	}
	return where
}

func collation(t *engine.Table, column string) string {
	if t.KindOf(column) == resource.KindText {
		return " COLLATE NOCASE"
	}
	return ""
}

// pairs writes conditions on the halves of one pair of the list at place
// (wire.md, Filter).
func (b *text) pairs(place string, all []filter.Cond) {
	positive := false
	for _, cond := range all {
		positive = positive || !cond.Op.Negated()
	}
	if positive {
		b.add("EXISTS (SELECT 1 FROM json_each(", place, ") e WHERE ")
	}
	for i, cond := range all {
		if i > 0 {
			b.add(" AND ")
		}
		half := "(e.value->>'" + cond.Sub + "')"
		if positive {
			b.values(half, resource.KindText, cond.Op, cond.Values)
			continue
		}
		b.add("NOT EXISTS (SELECT 1 FROM json_each(", place, ") e WHERE ")
		b.values(half, resource.KindText, cond.Op-1, cond.Values)
		b.add(")")
	}
	if positive {
		b.add(")")
	}
}

// values compares one place with any of the values, or none of them when negated.
func (b *text) values(place string, kind resource.Kind, op filter.Op, list []filter.Value) {
	switch op {
	case filter.Empty, filter.Null:
		b.add("(", place, " = ", zero(kind), ")")
		return
	case filter.NotEmpty, filter.NotNull:
		b.add("(", place, " <> ", zero(kind), ")")
		return
	}
	if op.Negated() {
		b.add("NOT ")
		op--
	}
	b.add("(")
	for i, v := range list {
		if i > 0 {
			b.add(" OR ")
		}
		b.value(place, kind, op, v)
	}
	b.add(")")
}

func zero(kind resource.Kind) string {
	if kind == resource.KindText || kind == resource.KindIDs {
		return "''"
	}
	return "0"
}

func (b *text) value(place string, kind resource.Kind, op filter.Op, v filter.Value) {
	switch {
	case kind == resource.KindInteger:
		b.add(place, symbols[op], "?")
		b.args = append(b.args, v.Int)
	case kind == resource.KindNumber:
		b.add(place, symbols[op], "?")
		b.args = append(b.args, v.Float)
	case kind == resource.KindBoolean && v.Pattern:
		b.add("1")
	case kind == resource.KindBoolean:
		b.add(place, " = ?")
		b.args = append(b.args, v.Bool)
	case kind == resource.KindSeconds || kind == resource.KindMillis:
		b.moment(place, op, v)
	default:
		b.compare(place, op, v)
	}
}

var symbols = map[filter.Op]string{filter.Equal: " = ", filter.Greater: " > ", filter.Less: " < ",
	filter.GreaterEq: " >= ", filter.LessEq: " <= "}

// moment compares with a range of time: after a day means after its end.
func (b *text) moment(place string, op filter.Op, v filter.Value) {
	switch op {
	case filter.Greater:
		b.add(place, " >= ?")
		b.args = append(b.args, v.To)
	case filter.GreaterEq:
		b.add(place, " >= ?")
		b.args = append(b.args, v.From)
	case filter.Less:
		b.add(place, " < ?")
		b.args = append(b.args, v.From)
	case filter.LessEq:
		b.add(place, " < ?")
		b.args = append(b.args, v.To)
	default:
		b.add("(", place, " >= ? AND ", place, " < ?)")
		b.args = append(b.args, v.From, v.To)
	}
}

var escapeLike = strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`)

// compare compares texts regardless of case. SQLite's LIKE and NOCASE do that for
// ASCII and use indexes; other letters need fold.
func (b *text) compare(place string, op filter.Op, v filter.Value) {
	arg := v.Text
	ascii := engine.IsASCII(arg)
	if !ascii {
		place, arg = "fold("+place+")", engine.Fold(arg)
	}
	switch {
	case op == filter.Contains:
		b.add(place, ` LIKE ? ESCAPE '\'`)
		b.args = append(b.args, "%"+escapeLike.Replace(arg)+"%")
	case v.Pattern:
		parts := make([]string, len(v.Glob))
		for i, part := range v.Glob {
			if !ascii {
				part = engine.Fold(part)
			}
			parts[i] = escapeLike.Replace(part)
		}
		b.add(place, ` LIKE ? ESCAPE '\'`)
		b.args = append(b.args, strings.Join(parts, "%"))
	default:
		b.add(place, " = ? COLLATE NOCASE")
		b.args = append(b.args, arg)
	}
}
