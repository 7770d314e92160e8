package store

import (
	"context"
	"fmt"
	"reflect"
	"slices"

	"spyglass/backend/resource"
	"spyglass/backend/store/engine"
)

// query reads whole rows, by id.
func (t *Table) query(ctx context.Context, q querier, where engine.Cond) ([]any, error) {
	return t.rows(ctx, q.reader(), where)
}

func (t *Table) rows(ctx context.Context, r engine.Reader, where engine.Cond) ([]any, error) {
	found, err := r.Select(ctx, engine.Select{Table: t.table, Columns: t.all, Where: where, Order: byID})
	if err != nil {
		return nil, err
	}
	defer found.Close()
	var list []any
	for found.Next() {
		row := t.res.New()
		if err := t.scan(found.Scan, row); err != nil {
			return nil, err
		}
		list = append(list, row)
	}
	return list, found.Err()
}

func (t *Table) getRow(ctx context.Context, q querier, id int64, row any) error {
	found, err := t.load(ctx, q, id, t.live())
	if err == nil {
		copyValue(row, found)
	}
	return err
}

func (t *Table) findRows(ctx context.Context, q querier, list any, where []resource.Where) error {
	cond, err := t.conditions(where)
	if err != nil {
		return err
	}
	found, err := t.query(ctx, q, cond)
	rows := reflect.ValueOf(list).Elem()
	rows.Grow(len(found))
	for _, row := range found {
		rows.Set(reflect.Append(rows, reflect.ValueOf(row).Elem()))
	}
	return err
}

// conditions returns the condition that all of where is met.
func (t *Table) conditions(where []resource.Where) (engine.Cond, error) {
	which := alive
	if slices.ContainsFunc(where, func(w resource.Where) bool { return w.Op == resource.OpGone }) {
		which = gone
	}
	all, limit := engine.All{t.lives(which)}, int64(-1)
	for _, w := range where {
		var one engine.Cond
		var err error
		c := t.column(w.Field)
		switch {
		case w.Op == resource.OpGone:
			continue
		case w.Op == resource.OpLimit:
			limit = w.Value.(int64)
			continue
		case w.Op == resource.OpEither:
			one, err = t.either(w.Value.([]resource.Where))
		case w.Op == resource.OpSeenBy:
			seen := w.Value.(resource.Seen)
			var g grant
			g, err = t.grant(seen.Access, seen.Op, which)
			one = g.cond
		case c == nil:
			err = fmt.Errorf("%s has no field %q", t.res.Name, w.Field)
		case w.Op == "has any" && c.Kind == resource.KindIDs:
			one = engine.Holds{Column: w.Field, IDs: among(w.Field, w.Value).IDs}
		case w.Op == "in":
			one = among(w.Field, w.Value)
		case w.Op == resource.OpOf:
			one, err = t.db.in(w.Field, c.field.Refs, w.Value.([]resource.Where))
		case slices.Contains([]string{"=", "!=", "<", ">", "<=", ">="}, w.Op):
			one = engine.Compare{Column: w.Field, Op: w.Op, Value: w.Value}
		default:
			err = fmt.Errorf("%s: no operator %q on %s", t.res.Name, w.Op, w.Field)
		}
		if err != nil {
			return nil, err
		}
		all = append(all, one)
	}
	if limit >= 0 {
		return engine.First{Table: t.table, Where: all, N: limit}, nil
	}
	return all, nil
}

// among returns the condition for the operator "in".
func among(field string, value any) engine.Among {
	switch values := value.(type) {
	case []string:
		return engine.Among{Column: field, Texts: values}
	case resource.IDs:
		return engine.Among{Column: field, IDs: values}
	}
	return engine.Among{Column: field, IDs: value.([]int64)}
}

// IDs implements resource.LiveDB.
func (db *DB) IDs(ctx context.Context, name string, where ...resource.Where) ([]int64, error) {
	t, err := db.table(name)
	if err != nil {
		return nil, err
	}
	cond, err := t.conditions(where)
	if err != nil {
		return nil, err
	}
	return selectIDs(ctx, db.base, engine.Select{Table: t.table, Where: cond, Order: byID})
}

// either returns the condition that at least one of where is met.
func (t *Table) either(where []resource.Where) (engine.Cond, error) {
	either := make(engine.Any, len(where))
	for i, w := range where {
		var err error
		if either[i], err = t.conditions([]resource.Where{w}); err != nil {
			return nil, err
		}
	}
	return either, nil
}

// in returns the condition that a field has the id of a row that meets all of
// where.
func (db *DB) in(field, name string, where []resource.Where) (engine.Cond, error) {
	other, err := db.table(name)
	if err != nil {
		return nil, err
	}
	cond, err := other.conditions(where)
	return engine.In{Column: field, Table: other.table, Where: cond}, err
}

func (t *Table) countBy(ctx context.Context, q querier, field string) (map[int64]int64, error) {
	c := t.column(field)
	if c == nil {
		return nil, fmt.Errorf("%s has no field %q", t.res.Name, field)
	}
	query := engine.Tally{Table: t.table, By: []engine.By{{Column: field}}, Where: t.live()}
	if c.Kind == resource.KindIDs {
		query.By[0].Held, query.Where = true, nil
	}
	found, err := q.reader().Tally(ctx, query)
	if err != nil {
		return nil, err
	}
	defer found.Close()
	counts := map[int64]int64{}
	var key, n int64
	dest := []any{&key, &n}
	for found.Next() {
		if err := found.Scan(dest...); err != nil {
			return nil, err
		}
		counts[key] = n
	}
	return counts, found.Err()
}

// Sum sums a numeric field over all rows that match.
func (t *Table) Sum(ctx context.Context, in resource.Tx, field string,
	where ...resource.Where) (int64, error) {
	tx, err := own(in)
	if err != nil {
		return 0, err
	}
	if t.column(field) == nil {
		return 0, fmt.Errorf("%s has no field %q", t.res.Name, field)
	}
	cond, err := t.conditions(where)
	if err != nil {
		return 0, err
	}
	return number(tx.reader().Tally(ctx, engine.Tally{Table: t.table, Sum: field, Where: cond}))
}

func (t *Table) countWithin(ctx context.Context, q querier, field string,
	within map[int64][]int64) (map[int64]int64, error) {
	c := t.column(field)
	if c == nil || c.Kind != resource.KindIDs {
		return nil, fmt.Errorf("%s has no field of ids %q", t.res.Name, field)
	}
	tallies, err := t.tally(ctx, q, []resource.By{{Field: field, Within: within}}, nil)
	if err != nil {
		return nil, err
	}
	counts := make(map[int64]int64, len(tallies))
	for _, one := range tallies {
		counts[one.Of[0].(int64)] = one.Count
	}
	return counts, nil
}
