package store

import (
	"context"
	"database/sql/driver"
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"unicode"

	"modernc.org/sqlite"

	"spyglass/backend/filter"
	"spyglass/backend/resource"
)

// registerFunctions adds fold(text) to SQLite, once a process: the driver keeps
// one list for all connections. fold makes texts equal that differ in case
// only, where SQLite itself knows only the case of A to Z.
var registerFunctions = sync.OnceValue(func() error {
	return sqlite.RegisterDeterministicScalarFunction("fold", 1,
		func(_ *sqlite.FunctionContext, args []driver.Value) (driver.Value, error) {
			if text, ok := args[0].(string); ok {
				return fold(text), nil
			}
			return args[0], nil
		})
})

func fold(text string) string { return strings.Map(unicode.ToLower, strings.ToUpper(text)) }

// condition is SQL text with its arguments.
type condition struct {
	text    strings.Builder
	args    []any
	foreign bool // it depends on more tables than its own
}

func (c *condition) and(text string, args ...any) {
	if c.text.Len() > 0 {
		c.text.WriteString(" AND ")
	}
	c.text.WriteString(text)
	c.args = append(c.args, args...)
}

// filtered adds what a filter means. Names come from the declaration, values
// are arguments.
func (t *Table[T]) filtered(ctx context.Context, c *condition, f *filter.Filter) error {
	if f == nil {
		return nil
	}
	var either []string
	var args []any
	for _, all := range f.Any {
		one, err := t.alternative(ctx, all)
		if err != nil {
			return err
		}
		either, args = append(either, "("+one.text.String()+")"), append(args, one.args...)
		c.foreign = c.foreign || one.foreign
	}
	c.and("("+strings.Join(either, " OR ")+")", args...)
	return nil
}

func (t *Table[T]) alternative(ctx context.Context, all []filter.Cond) (*condition, error) {
	c := &condition{}
	done := map[string]bool{}
	for _, cond := range all {
		if cond.Sub == "" {
			text, args := t.compare(cond)
			c.and(text, args...)
			continue
		}
		name := cond.Column.Name
		if done[name] {
			continue
		}
		done[name] = true
		if t.column(name) != nil {
			pairs(c, t.name()+"."+quote(name), name, all)
		} else if err := t.derivedPairs(ctx, c, name, all); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// derivedPairs are conditions on a derived list of pairs: they choose among the
// values of the column it is made from, which are few, and so among the rows.
func (t *Table[T]) derivedPairs(ctx context.Context, c *condition, name string, all []filter.Cond) error {
	d := &t.res.Derived[slices.IndexFunc(t.res.Derived, func(d resource.Derived) bool { return d.Name == name })]
	lists, err := t.derivedLists(ctx, d)
	if err != nil {
		return err
	}
	var list condition
	pairs(&list, `m."value"`, name, all)
	c.and(t.name()+"."+quote(d.From)+` IN (SELECT m."key" FROM json_each(?) m WHERE `+list.text.String()+")",
		append([]any{string(lists)}, list.args...)...)
	c.foreign = true
	return nil
}

// derivedLists returns an object that maps each value in d's source column to
// the value of d.
func (t *Table[T]) derivedLists(ctx context.Context, d *resource.Derived) ([]byte, error) {
	found, err := t.db.read.QueryContext(ctx, "SELECT DISTINCT "+quote(d.From)+" FROM "+t.name())
	if err != nil {
		return nil, err
	}
	from, err := scanAll[string](found)
	if err != nil {
		return nil, err
	}
	rows := make([]resource.Row, len(from))
	for i := range from {
		rows[i].From = from[i]
	}
	lists, err := d.Of(ctx, t.db, rows)
	if err != nil {
		return nil, err
	}
	out := []byte{'{'}
	for i := range from {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(append(resource.AppendString(out, from[i]), ':'), lists[i]...)
	}
	return append(out, '}'), nil
}

// pairs: conditions on the halves of the list of pairs at place mean one element
// (wire.md, Filter). When all are negated, no element may be what they say.
func pairs(c *condition, place, name string, all []filter.Cond) {
	elements := "SELECT 1 FROM json_each(" + place + ") e WHERE "
	var one condition
	positive := false
	for _, cond := range all {
		if cond.Column.Name == name {
			positive = positive || !negated(cond.Op)
		}
	}
	for _, cond := range all {
		if cond.Column.Name != name {
			continue
		}
		place := "(e.value->>'" + cond.Sub + "')"
		if positive {
			text, args := values(place, resource.KindText, cond.Op, cond.Values)
			one.and(text, args...)
			continue
		}
		text, args := values(place, resource.KindText, cond.Op-1, cond.Values)
		c.and("NOT EXISTS ("+elements+text+")", args...)
	}
	if positive {
		c.and("EXISTS ("+elements+one.text.String()+")", one.args...)
	}
}

func negated(op filter.Op) bool {
	return op == filter.NotEqual || op == filter.NotContains || op == filter.NotEmpty || op == filter.NotNull
}

func (t *Table[T]) compare(cond filter.Cond) (string, []any) {
	if cond.Column.Name == "_all" {
		return t.anyText(cond)
	}
	c := t.column(cond.Column.Name)
	if c.Kind == resource.KindIDs && (cond.Op == filter.Equal || cond.Op == filter.NotEqual) &&
		!slices.ContainsFunc(cond.Values, func(v filter.Value) bool { return v.Pattern }) {
		return t.holdsIDs(c, cond)
	}
	place := t.name() + "." + quote(c.Name)
	if byID(cond) {
		ids := make([]int64, len(cond.Values))
		for i, v := range cond.Values {
			ids[i] = v.Int
		}
		list, err := json.Marshal(ids)
		if err == nil { // numbers can always be written
			return place + " IN (SELECT value FROM json_each(?))", []any{string(list)}
		}
	}
	return values(place, c.Kind, cond.Op, cond.Values)
}

// byID reports whether a condition names rows by their ids.
func byID(cond filter.Cond) bool {
	return cond.Column.Name == "id" && cond.Column.Kind == resource.KindInteger && cond.Op == filter.Equal
}

// named reports whether a filter only selects by id: its statement is the same
// text whatever the ids, and SQLite finds them at once.
func named(f *filter.Filter) bool {
	if f == nil || len(f.Any) != 1 {
		return false
	}
	found := false
	for _, cond := range f.Any[0] {
		all := cond.Column.Kind == resource.KindBoolean && cond.Op == filter.Equal && len(cond.Values) == 1 &&
			cond.Values[0].Pattern
		if !all && !byID(cond) {
			return false
		}
		found = found || !all
	}
	return found
}

// holdsIDs: "12" is any row with 12 among its ids, "12,48" one with both.
func (t *Table[T]) holdsIDs(c *column[T], cond filter.Cond) (string, []any) {
	var either []string
	var args []any
	for _, v := range cond.Values {
		ids, err := resource.ParseIDs(v.Text)
		if err != nil || len(ids) == 0 {
			either = append(either, "0")
			continue
		}
		var all condition
		for _, id := range ids {
			all.and(`EXISTS (SELECT 1 FROM `+c.link+` l WHERE l."ref" = ? AND l."row" = `+t.name()+`."id")`, id)
		}
		either, args = append(either, "("+all.text.String()+")"), append(args, all.args...)
	}
	text := "(" + strings.Join(either, " OR ") + ")"
	if cond.Op == filter.NotEqual {
		text = "NOT " + text
	}
	return text, args
}

// anyText compares every text of the row, the values of pairs too.
func (t *Table[T]) anyText(cond filter.Cond) (string, []any) {
	op := cond.Op
	if negated(op) {
		op--
	}
	var either []string
	var args []any
	for _, c := range t.columns {
		place := t.name() + "." + quote(c.Name)
		if c.Hidden || c.Kind != resource.KindText && c.Kind != resource.KindPairs {
			continue
		}
		if c.Kind == resource.KindPairs {
			text, more := values("(e.value->>'value')", resource.KindText, op, cond.Values)
			either, args = append(either, "EXISTS (SELECT 1 FROM json_each("+place+") e WHERE "+text+")"),
				append(args, more...)
			continue
		}
		text, more := values(place, c.Kind, op, cond.Values)
		either, args = append(either, text), append(args, more...)
	}
	text := "(" + strings.Join(append(either, "0"), " OR ") + ")"
	if negated(cond.Op) {
		text = "NOT " + text
	}
	return text, args
}

// values compares one place with any of the values, or none of them when negated.
func values(place string, kind resource.Kind, op filter.Op, list []filter.Value) (string, []any) {
	switch op {
	case filter.Empty, filter.Null:
		return "(" + place + " = " + zero(kind) + ")", nil
	case filter.NotEmpty, filter.NotNull:
		return "(" + place + " <> " + zero(kind) + ")", nil
	}
	positive := op
	if negated(op) {
		positive--
	}
	var either []string
	var args []any
	for _, v := range list {
		text, more := value(place, kind, positive, v)
		either, args = append(either, text), append(args, more...)
	}
	text := "(" + strings.Join(either, " OR ") + ")"
	if negated(op) {
		text = "NOT " + text
	}
	return text, args
}

func zero(kind resource.Kind) string {
	if kind == resource.KindText || kind == resource.KindIDs {
		return "''"
	}
	return "0"
}

func value(place string, kind resource.Kind, op filter.Op, v filter.Value) (string, []any) {
	switch kind {
	case resource.KindInteger:
		return place + symbols[op] + "?", []any{v.Int}
	case resource.KindNumber:
		return place + symbols[op] + "?", []any{v.Float}
	case resource.KindBoolean:
		if v.Pattern {
			return "1", nil
		}
		return place + " = ?", []any{v.Bool}
	case resource.KindSeconds, resource.KindMillis:
		return moment(place, op, v)
	}
	return text(place, op, v)
}

var symbols = map[filter.Op]string{filter.Equal: " = ", filter.Greater: " > ", filter.Less: " < ",
	filter.GreaterEq: " >= ", filter.LessEq: " <= "}

// moment compares with a range: after a day means after its end.
func moment(place string, op filter.Op, v filter.Value) (string, []any) {
	switch op {
	case filter.Greater:
		return place + " >= ?", []any{v.To}
	case filter.GreaterEq:
		return place + " >= ?", []any{v.From}
	case filter.Less:
		return place + " < ?", []any{v.From}
	case filter.LessEq:
		return place + " < ?", []any{v.To}
	}
	return "(" + place + " >= ? AND " + place + " < ?)", []any{v.From, v.To}
}

var escapeLike = strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`)

// text compares without regard to case. SQLite's own LIKE and NOCASE do that
// for ASCII and use indexes; other letters need fold.
func text(place string, op filter.Op, v filter.Value) (string, []any) {
	arg := v.Text
	ascii := isASCII(arg)
	if !ascii {
		place, arg = "fold("+place+")", fold(arg)
	}
	switch {
	case op == filter.Contains:
		return place + ` LIKE ? ESCAPE '\'`, []any{"%" + escapeLike.Replace(arg) + "%"}
	case v.Pattern:
		parts := make([]string, len(v.Glob))
		for i, part := range v.Glob {
			if !ascii {
				part = fold(part)
			}
			parts[i] = escapeLike.Replace(part)
		}
		return place + ` LIKE ? ESCAPE '\'`, []any{strings.Join(parts, "%")}
	}
	return place + " = ? COLLATE NOCASE", []any{arg}
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}
