package store

import (
	"context"
	"slices"

	"spyglass/backend/resource"
	"spyglass/backend/store/engine"
)

// life selects existing or deleted rows, in a table that keeps deleted rows.
type life int

const (
	alive life = iota
	gone
	either
)

var always, never engine.Cond = engine.All{}, engine.Any{}

// live returns the condition that a row is not soft-deleted.
func (t *Table) live() engine.Cond { return t.lives(alive) }

func (t *Table) lives(which life) engine.Cond {
	switch {
	case t.res.SoftBy == "" && which == gone:
		return never
	case t.res.SoftBy == "" || which == either:
		return always
	}
	return engine.Deleted(which == gone)
}

// restore restores a deleted row.
func (t *Table) restore(ctx context.Context, c *resource.Call) (any, error) {
	return t.run(ctx, c, t.restoring)
}

// restoring returns the step that restores the row that the call names.
func (t *Table) restoring(c *resource.Call) (step, error) {
	empty, err := t.res.Read([]byte("{}"), false)
	return func(ctx context.Context, tx *tx) (*resource.Response, error) {
		was, err := t.ownAs(ctx, tx, c, resource.Modify, gone)
		if err != nil {
			return nil, err
		}
		if err := t.dropDeadRefs(ctx, tx, was); err != nil {
			return nil, err
		}
		now := t.copyOf(was)
		*t.deleted(now) = 0
		return t.save(ctx, tx, c, "restore", empty, was, now)
	}, err
}

// dropDeadRefs removes the ids of deleted rows from a row. The rules or the
// defaults of the resource replace them.
func (t *Table) dropDeadRefs(ctx context.Context, tx *tx, row any) error {
	defaults, err := t.res.Defaults()
	if err != nil {
		return err
	}
	for i := range t.columns {
		f := t.columns[i].field
		if f.Refs == "" {
			continue
		}
		table, err := t.db.table(f.Refs)
		if err != nil {
			return err
		}
		there := func(id int64) bool {
			n, failed := table.countByID(ctx, tx, id)
			if failed != nil {
				err = failed
			}
			return n > 0
		}
		switch p := f.At(row).(type) {
		case *resource.IDs:
			*p = slices.DeleteFunc(slices.Clone(*p), func(id int64) bool { return !there(id) })
		case *int64:
			if *p > 0 && !there(*p) {
				copyValue(p, f.At(defaults))
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// purge deletes a deleted row permanently.
func (t *Table) purge(ctx context.Context, c *resource.Call) (any, error) {
	return t.run(ctx, c, t.purging)
}

// purging returns the step that permanently deletes the row that the call names.
func (t *Table) purging(c *resource.Call) (step, error) {
	return func(ctx context.Context, tx *tx) (*resource.Response, error) {
		row, err := t.ownAs(ctx, tx, c, resource.Modify, gone)
		if err != nil {
			return nil, err
		}
		return &resource.Response{Body: resource.JSON("{}")}, t.drop(ctx, tx, c, row, true)
	}, nil
}
