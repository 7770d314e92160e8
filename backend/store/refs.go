package store

import (
	"context"
	"fmt"
	"slices"

	"spyglass/backend/fault"
	"spyglass/backend/resource"
)

// checkRefs refuses references to rows that do not exist or that the caller may
// not use; both cases return the same error.
func (t *Table) checkRefs(ctx context.Context, tx *tx, c *resource.Call, was, now any) error {
	for i := range t.columns {
		f := t.columns[i].field
		if f.Refs == "" {
			continue
		}
		ids, before := refs(f.At(now)), resource.IDs(nil)
		if was != nil {
			before = refs(f.At(was))
		}
		table, err := t.db.table(f.Refs)
		if err != nil {
			return err
		}
		op := resource.Read
		if slices.Contains(t.res.Scope, f.Name) {
			op = resource.Modify
		}
		for _, id := range before {
			if op == resource.Read || slices.Contains(ids, id) {
				continue
			}
			may, err := t.mayName(ctx, tx, c, table, f.Refs, id, op)
			if err != nil {
				return err
			}
			if !may {
				return fault.At(f.Name, "%s: your role cannot remove the %s from %s %d", f.Name, t.res.Label,
					table.label(), id)
			}
		}
		for _, id := range ids {
			if slices.Contains(before, id) {
				continue
			}
			may, err := t.mayName(ctx, tx, c, table, f.Refs, id, op)
			if err != nil {
				return err
			}
			if !may {
				return fault.At(f.Name, "%s: there is no %s %d", f.Name, table.label(), id)
			}
		}
	}
	return nil
}

func refs(at any) resource.IDs {
	switch p := at.(type) {
	case *resource.IDs:
		return *p
	case *[]int64:
		return *p
	case *int64:
		if *p > 0 {
			return resource.IDs{*p}
		}
	}
	return nil
}

// mayName reports whether the caller may refer to an existing row. For callers
// without restrictions, the result is cached for the other rows of a batch.
func (t *Table) mayName(ctx context.Context, tx *tx, c *resource.Call, table *Table, name string, id int64,
	op resource.Operation) (bool, error) {
	g, err := table.grant(c.Access, op, alive)
	if err != nil {
		return false, err
	}
	if g.cond != nil {
		return table.allows(ctx, tx, c.Access, id, op)
	}
	there, err := tx.memo(&tx.db.known, fmt.Sprint("there:", name, ":", id), []string{name}, func() (any, error) {
		n, err := table.countByID(ctx, tx, id)
		return n > 0, err
	})
	return err == nil && there.(bool), err
}
