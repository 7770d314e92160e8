package store

import (
	"context"
	"fmt"
	"slices"

	"spyglass/backend/fault"
	"spyglass/backend/resource"
)

// checkRefs refuses ids that are not there, or not for this caller to use: the
// two read the same.
func (t *Table[T]) checkRefs(ctx context.Context, tx *tx, c *resource.Call, was, now *T) error {
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
		for _, id := range before {
			if f.Name == t.res.Scope && !slices.Contains(ids, id) && !mayIn(c.Access, id) {
				return fault.At(f.Name, "%s: your role may not take the %s out of %s %d", f.Name, t.res.Label, table.label(), id)
			}
		}
		for _, id := range ids {
			if slices.Contains(before, id) {
				continue
			}
			there, err := tx.Memo(fmt.Sprint("there:", f.Refs, ":", id), []string{f.Refs}, func() (any, error) {
				n, err := table.countByID(ctx, tx, id)
				return n > 0, err
			})
			if err != nil {
				return err
			}
			if !there.(bool) || f.Name == t.res.Scope && !mayIn(c.Access, id) {
				return fault.At(f.Name, "%s names no %s %d", f.Name, table.label(), id)
			}
		}
	}
	return nil
}

func refs(at any) resource.IDs {
	switch p := at.(type) {
	case *resource.IDs:
		return *p
	case *int64:
		if *p > 0 {
			return resource.IDs{*p}
		}
	}
	return nil
}

func mayIn(who *resource.Access, group int64) bool {
	if who == nil {
		return true
	}
	all, ids := who.Groups(resource.Modify)
	return all || slices.Contains(ids, group)
}
