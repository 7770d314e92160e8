package store

import (
	"context"
	"slices"

	"spyglass/backend/filter"
	"spyglass/backend/resource"
	"spyglass/backend/store/engine"
)

// condition is the condition for the rows of a list.
type condition struct {
	all     engine.All
	foreign bool // it depends on other tables too
}

func (c *condition) and(more ...engine.Cond) {
	for _, one := range more {
		switch one := one.(type) {
		case nil:
		case engine.All:
			c.and(one...)
		default:
			c.all = append(c.all, one)
		}
	}
}

// filtered adds the condition of a filter. derived are the conditions that derivedPairs
// returns for it.
func (t *Table) filtered(c *condition, f *filter.Filter, derived map[string]engine.Derived) {
	if f == nil {
		return
	}
	either := make(engine.Any, len(f.Any))
	for i, all := range f.Any {
		either[i] = t.alternative(all, derived)
	}
	c.and(either)
	c.foreign = c.foreign || len(derived) > 0
}

func (t *Table) alternative(all []filter.Cond, derived map[string]engine.Derived) engine.Cond {
	c := &condition{}
	done := map[string]bool{}
	for _, cond := range all {
		name := cond.Column.Name
		if cond.Sub == "" {
			c.and(t.compare(cond))
			continue
		}
		if done[name] {
			continue
		}
		done[name] = true
		var pairs []filter.Cond
		for _, cond := range all {
			if cond.Column.Name == name {
				pairs = append(pairs, cond)
			}
		}
		if d, ok := derived[name]; ok {
			d.Conds = pairs
			c.and(d)
		} else {
			c.and(engine.Pairs{Column: name, Conds: pairs})
		}
	}
	return c.all
}

// derivedPairs reads the derived lists of pairs that a filter names. It returns
// conditions, without Conds, that select among the distinct values of the source
// column, which are few, and so among the rows.
func (t *Table) derivedPairs(ctx context.Context, f *filter.Filter) (map[string]engine.Derived, error) {
	derived := map[string]engine.Derived{}
	for i := range t.res.Derived {
		d := &t.res.Derived[i]
		if !f.Names(d.Name) {
			continue
		}
		lists, err := t.derivedLists(ctx, d)
		if err != nil {
			return nil, err
		}
		derived[d.Name] = engine.Derived{Column: d.From, Lists: string(lists)}
	}
	return derived, nil
}

// derivedLists returns an object that maps each value in d's source column to
// the value of d.
func (t *Table) derivedLists(ctx context.Context, d *resource.Derived) ([]byte, error) {
	found, err := t.db.base.Tally(ctx, engine.Tally{Table: t.table, By: []engine.By{{Column: d.From}}})
	if err != nil {
		return nil, err
	}
	defer found.Close()
	var rows []resource.Row
	for found.Next() {
		var row resource.Row
		var n int64
		if err := found.Scan(&row.From, &n); err != nil {
			return nil, err
		}
		rows = append(rows, row)
	}
	if err := found.Err(); err != nil {
		return nil, err
	}
	lists, err := d.Of(ctx, t.db, rows)
	if err != nil {
		return nil, err
	}
	out := []byte{'{'}
	for i := range rows {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(append(resource.AppendString(out, rows[i].From), ':'), lists[i]...)
	}
	return append(out, '}'), nil
}

func (t *Table) compare(cond filter.Cond) engine.Cond {
	name := cond.Column.Name
	if name == "_all" {
		return t.anyText(cond)
	}
	if t.column(name).Kind == resource.KindIDs && (cond.Op == filter.Equal || cond.Op == filter.NotEqual) &&
		!slices.ContainsFunc(cond.Values, func(v filter.Value) bool { return v.Pattern }) {
		return holdsIDs(cond)
	}
	if namesRows(cond) {
		ids := make([]int64, len(cond.Values))
		for i, v := range cond.Values {
			ids[i] = v.Int
		}
		return engine.Among{Column: name, IDs: ids}
	}
	return engine.Matches{Column: name, Op: cond.Op, Values: cond.Values}
}

// namesRows reports whether a condition selects rows by id.
func namesRows(cond filter.Cond) bool {
	return cond.Column.Name == "id" && cond.Column.Kind == resource.KindInteger && cond.Op == filter.Equal
}

// named reports whether a filter only selects by id: its statement has the same
// text for all ids, and the engine finds them at once.
func named(f *filter.Filter) bool {
	if f == nil || len(f.Any) != 1 {
		return false
	}
	found := false
	for _, cond := range f.Any[0] {
		all := cond.Column.Kind == resource.KindBoolean && cond.Op == filter.Equal && len(cond.Values) == 1 &&
			cond.Values[0].Pattern
		if !all && !namesRows(cond) {
			return false
		}
		found = found || !all
	}
	return found
}

// holdsIDs returns the condition for a list of ids: "12" matches rows with 12
// among their ids, "12,48" rows with both.
func holdsIDs(cond filter.Cond) engine.Cond {
	var either engine.Any
	for _, v := range cond.Values {
		ids, err := resource.ParseIDs(v.Text)
		if err != nil || len(ids) == 0 {
			continue
		}
		var all engine.All
		for _, id := range ids {
			all = append(all, engine.Holds{Column: cond.Column.Name, IDs: []int64{id}, Check: true})
		}
		either = append(either, all)
	}
	return negated(cond.Op, either)
}

// negated returns the condition of a negated operator; c is that of the operator
// without negation.
func negated(op filter.Op, c engine.Cond) engine.Cond {
	if op.Negated() {
		return engine.Not{Cond: c}
	}
	return c
}

// anyText compares every text of the row, including the values of pairs.
func (t *Table) anyText(cond filter.Cond) engine.Cond {
	op := cond.Op
	if op.Negated() {
		op--
	}
	var either engine.Any
	for _, c := range t.columns {
		switch {
		case c.Hidden:
		case c.Kind == resource.KindPairs:
			either = append(either, engine.PairValues{Column: c.Name, Op: op, Values: cond.Values})
		case c.Kind == resource.KindText:
			either = append(either, engine.Matches{Column: c.Name, Op: op, Values: cond.Values})
		}
	}
	return negated(cond.Op, either)
}
