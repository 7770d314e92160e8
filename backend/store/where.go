package store

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"spyglass/backend/filter"
	"spyglass/backend/resource"
	"spyglass/backend/store/sqlite"
)

// condition is SQL text with its arguments.
type condition struct {
	text    strings.Builder
	args    []any
	foreign bool // it depends on more tables than its own
}

func (c *condition) and(text string, args ...any) {
	if c.text.Len() > 0 {
		c.text.WriteString(sqlite.And)
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
		either, args = append(either, sqlite.Group(one.text.String())), append(args, one.args...)
		c.foreign = c.foreign || one.foreign
	}
	c.and(sqlite.Any(either...), args...)
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
			text, args := sqlite.Pairs(t.sql.Place(name), name, all)
			c.and(text, args...)
		} else if err := t.derivedPairs(ctx, c, name, all); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// derivedPairs returns conditions on a derived list of pairs: they select among
// the values of the column it is made from, which are few, and so among the rows.
func (t *Table[T]) derivedPairs(ctx context.Context, c *condition, name string, all []filter.Cond) error {
	d := &t.res.Derived[slices.IndexFunc(t.res.Derived, func(d resource.Derived) bool { return d.Name == name })]
	lists, err := t.derivedLists(ctx, d)
	if err != nil {
		return err
	}
	text, args := sqlite.Pairs(sqlite.MemberValue, name, all)
	c.and(sqlite.AmongKeys(t.sql.Place(d.From), text), append([]any{string(lists)}, args...)...)
	c.foreign = true
	return nil
}

// derivedLists returns an object that maps each value in d's source column to
// the value of d.
func (t *Table[T]) derivedLists(ctx context.Context, d *resource.Derived) ([]byte, error) {
	found, err := t.db.read.QueryContext(ctx, t.sql.Distinct(d.From))
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

func (t *Table[T]) compare(cond filter.Cond) (string, []any) {
	if cond.Column.Name == "_all" {
		return t.anyText(cond)
	}
	c := t.column(cond.Column.Name)
	if c.Kind == resource.KindIDs && (cond.Op == filter.Equal || cond.Op == filter.NotEqual) &&
		!slices.ContainsFunc(cond.Values, func(v filter.Value) bool { return v.Pattern }) {
		return t.holdsIDs(c, cond)
	}
	place := t.sql.Place(c.Name)
	if byID(cond) {
		ids := make([]int64, len(cond.Values))
		for i, v := range cond.Values {
			ids[i] = v.Int
		}
		list, err := json.Marshal(ids)
		if err == nil { // numbers can always be written
			return sqlite.PlaceAmong(place), []any{string(list)}
		}
	}
	return sqlite.Values(place, c.Kind, cond.Op, cond.Values)
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
			either = append(either, sqlite.Never)
			continue
		}
		var all condition
		for _, id := range ids {
			all.and(sqlite.LinkedTo(c.link, t.name()), id)
		}
		either, args = append(either, sqlite.Group(all.text.String())), append(args, all.args...)
	}
	text := sqlite.Any(either...)
	if cond.Op == filter.NotEqual {
		text = sqlite.Not(text)
	}
	return text, args
}

// anyText compares every text of the row, the values of pairs too.
func (t *Table[T]) anyText(cond filter.Cond) (string, []any) {
	op := cond.Op
	if sqlite.Negated(op) {
		op--
	}
	var either []string
	var args []any
	for _, c := range t.columns {
		place := t.sql.Place(c.Name)
		if c.Hidden || c.Kind != resource.KindText && c.Kind != resource.KindPairs {
			continue
		}
		if c.Kind == resource.KindPairs {
			text, more := sqlite.PairValues(place, op, cond.Values)
			either, args = append(either, text), append(args, more...)
			continue
		}
		text, more := sqlite.Values(place, c.Kind, op, cond.Values)
		either, args = append(either, text), append(args, more...)
	}
	text := sqlite.Any(append(either, sqlite.Never)...)
	if sqlite.Negated(cond.Op) {
		text = sqlite.Not(text)
	}
	return text, args
}
