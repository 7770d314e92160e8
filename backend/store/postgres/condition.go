package postgres

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"spyglass/backend/filter"
	"spyglass/backend/resource"
	"spyglass/backend/store/engine"
)

// where writes the condition for rows of a table, and more after it.
func (b *text) where(t *engine.Table, c engine.Cond, more ...func()) {
	begin := len(b.sql)
	b.add(" WHERE ")
	some := b.and(t, c, false)
	for _, one := range more {
		if some {
			b.add(" AND ")
		}
		one()
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
			b.add("TRUE")
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
			b.add("FALSE")
		}
		b.add(")")
	case engine.Not:
		b.add("NOT (")
		b.cond(t, c.Cond)
		b.add(")")
	case engine.HasID:
		b.add(`"id" = `)
		b.arg(int64(c))
	case engine.Deleted: // a literal, so that a generic plan can use the partial indexes
		b.name(t.Soft)
		if c {
			b.add(" > 0")
		} else {
			b.add(" = 0")
		}
	case engine.Compare:
		b.compareColumn(t, c)
	case engine.Among:
		b.among(t, c)
	case engine.In:
		b.name(c.Column)
		b.add(` IN (SELECT "id" FROM `)
		b.name(c.Table.Name)
		b.where(c.Table, c.Where)
		b.add(")")
	case engine.First:
		b.add(`"id" IN (SELECT "id" FROM `)
		b.name(c.Table.Name)
		b.where(c.Table, c.Where)
		b.add(` ORDER BY "id" LIMIT `)
		b.arg(c.N)
		b.add(")")
	case engine.Holds:
		b.holds(t, c)
	case engine.Names:
		b.add("EXISTS (SELECT 1 FROM unnest(string_to_array(")
		b.name(c.Column)
		b.add(", ',')) g(id) WHERE g.id = ANY(")
		b.arg(decimals(c.IDs))
		b.add("::text[]))")
	case engine.Matches:
		place := placeOf(t, c.Column)
		if c.With != "" {
			place = "(" + place + " || ' ' || " + placeOf(t, c.With) + ")"
		}
		b.values(place, t.KindOf(c.Column), c.Op, c.Values)
	case engine.PairValues:
		b.add("EXISTS (SELECT 1 FROM json_array_elements(", listAt(placeOf(t, c.Column)), ") e(value) WHERE ")
		b.values(halfOf("value"), resource.KindText, c.Op, c.Values)
		b.add(")")
	case engine.Pairs:
		b.pairs(listAt(placeOf(t, c.Column)), c.Conds)
	case engine.Derived:
		b.add(placeOf(t, c.Column), " IN (SELECT m.key FROM json_each(")
		b.arg(c.Lists)
		b.add("::json) m WHERE ")
		b.pairs("m.value", c.Conds)
		b.add(")")
	default:
		panic(fmt.Sprintf("%T is no condition of this engine", c))
	}
}

// placeOf returns a column qualified by its table, for conditions with nested
// tables.
func placeOf(t *engine.Table, column string) string { return quote(t.Name) + "." + quote(column) }

// listAt returns the list of pairs that a text column has. Other values are taken
// for an empty list.
func listAt(place string) string {
	return "CASE WHEN " + place + " LIKE '[%' THEN " + place + " ELSE '[]' END::json"
}

// halfOf returns the name or the value of the pair e.
func halfOf(sub string) string { return "((e.value->>" + quoteText(sub) + `) COLLATE "C")` }

// isText reports whether a column is compared as text, regardless of case.
func isText(t *engine.Table, column string) bool { return t.KindOf(column) == resource.KindText }

// storesText reports whether the values of a kind are stored as text.
func storesText(k resource.Kind) bool {
	switch k {
	case resource.KindText, resource.KindIDs, resource.KindPairs, resource.KindOther:
		return true
	}
	return false
}

// key writes the expression by which a column is compared and sorted. lower folds
// only A to Z, as all texts have the collation "C".
func (b *text) key(t *engine.Table, column string) {
	if !isText(t, column) {
		b.name(column)
		return
	}
	b.add("lower(")
	b.name(column)
	b.add(")")
}

func (b *text) compareColumn(t *engine.Table, c engine.Compare) {
	value := plain(c.Value)
	if storesText(t.KindOf(c.Column)) {
		s, ok := value.(string)
		if !ok {
			s = fmt.Sprint(value)
		}
		if isText(t, c.Column) {
			s = lowerASCII(s)
		}
		if unstorable(s) != "" { // no row has it
			b.add(strings.ToUpper(strconv.FormatBool(c.Op == "!=")))
			return
		}
		value = s
	}
	b.key(t, c.Column)
	b.add(" ", c.Op, " ")
	b.arg(value)
}

func (b *text) among(t *engine.Table, c engine.Among) {
	b.name(c.Column)
	b.add(" = ANY(")
	switch {
	case c.Texts != nil:
		b.arg(slices.DeleteFunc(slices.Clone(c.Texts), func(s string) bool { return unstorable(s) != "" }))
		b.add("::text[])")
	case storesText(t.KindOf(c.Column)):
		b.arg(decimals(c.IDs))
		b.add("::text[])")
	default:
		b.arg(append([]int64{}, c.IDs...)) // nil would be NULL
		b.add("::bigint[])")
	}
}

// decimals returns numbers as texts.
func decimals(ids []int64) []string {
	all := make([]string, len(ids))
	for i, id := range ids {
		all[i] = strconv.FormatInt(id, 10)
	}
	return all
}

func (b *text) holds(t *engine.Table, c engine.Holds) {
	link := linkOf(t, c.Column)
	if c.Check {
		b.add("EXISTS (SELECT 1 FROM ", link, ` WHERE "row" = `, placeOf(t, "id"), ` AND "ref" = ANY(`)
	} else {
		b.add(`"id" IN (SELECT "row" FROM `, link, ` WHERE "ref" = ANY(`)
	}
	b.arg(append([]int64{}, c.IDs...))
	b.add("::bigint[]))")
}

// pairs writes conditions on the halves of one pair of the list at place
// (wire.md, Filter).
func (b *text) pairs(place string, all []filter.Cond) {
	positive := slices.ContainsFunc(all, func(c filter.Cond) bool { return !c.Op.Negated() })
	if positive {
		b.add("EXISTS (SELECT 1 FROM json_array_elements(", place, ") e(value) WHERE ")
	}
	for i, cond := range all {
		if i > 0 {
			b.add(" AND ")
		}
		if positive {
			b.values(halfOf(cond.Sub), resource.KindText, cond.Op, cond.Values)
			continue
		}
		b.add("NOT EXISTS (SELECT 1 FROM json_array_elements(", place, ") e(value) WHERE ")
		b.values(halfOf(cond.Sub), resource.KindText, cond.Op-1, cond.Values)
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
		b.zero(place, " = ", "FALSE", kind)
		return
	case filter.NotEmpty, filter.NotNull:
		b.zero(place, " <> ", "TRUE", kind)
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

// zero compares a place with the zero value of its kind. Lists and objects are
// never empty.
func (b *text) zero(place, op, other string, kind resource.Kind) {
	switch kind {
	case resource.KindText, resource.KindIDs:
		b.add("(", place, op, "'')")
	case resource.KindPairs, resource.KindOther:
		b.add(other)
	default:
		b.add("(", place, op, "0)")
	}
}

func (b *text) value(place string, kind resource.Kind, op filter.Op, v filter.Value) {
	switch {
	case kind == resource.KindInteger:
		b.add(place, symbols[op])
		b.arg(v.Int)
	case kind == resource.KindNumber:
		b.add(place, symbols[op])
		b.arg(v.Float)
	case kind == resource.KindBoolean && v.Pattern:
		b.add("TRUE")
	case kind == resource.KindBoolean:
		b.add(place, " = ")
		b.arg(plain(v.Bool))
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
	at := func(op string, moment int64) {
		b.add(place, op)
		b.arg(moment)
	}
	switch op {
	case filter.Greater:
		at(" >= ", v.To)
	case filter.GreaterEq:
		at(" >= ", v.From)
	case filter.Less:
		at(" < ", v.From)
	case filter.LessEq:
		at(" < ", v.To)
	default:
		b.add("(")
		at(" >= ", v.From)
		b.add(" AND ")
		at(" < ", v.To)
		b.add(")")
	}
}

var escapeLike = strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`)

// compare compares texts regardless of case: ASCII values with lower, which an
// index may have, and others with a regular expression.
func (b *text) compare(place string, op filter.Op, v filter.Value) {
	parts := []string{v.Text}
	switch {
	case op == filter.Contains:
		parts = []string{"", v.Text, ""}
	case v.Pattern:
		parts = v.Glob
	}
	like := ""
	switch {
	case unstorable(v.Text) != "": // no row has it
		b.add("FALSE")
	case !engine.IsASCII(v.Text):
		b.add(place, " ~ ")
		b.arg(expression(parts))
	case len(parts) == 1:
		b.add("lower(", place, ") = ")
		b.arg(lowerASCII(parts[0]))
	default:
		b.add("lower(", place, ") LIKE ")
		for i, part := range parts {
			if i > 0 {
				like += "%"
			}
			like += lowerASCII(escapeLike.Replace(part))
		}
		b.arg(like)
	}
}

// lowerASCII folds A to Z, as lower does with the collation "C".
func lowerASCII(s string) string {
	return strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, s)
}

// unstorable returns the reason why PostgreSQL cannot store a text; "" for none.
func unstorable(s string) string {
	switch {
	case strings.IndexByte(s, 0) >= 0:
		return "it contains the character U+0000 (NUL)"
	case !utf8.ValidString(s):
		return "it is not valid UTF-8"
	}
	return ""
}
