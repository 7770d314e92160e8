package store

import (
	"context"
	"fmt"

	"spyglass/backend/resource"
	"spyglass/backend/store/engine"
)

// listed returns the condition that a row belongs to the list and is visible to
// the caller.
func (t *Table) listed(l resource.Listing) those {
	return func(ctx context.Context, q querier, c *resource.Call, op resource.Operation) (*condition, error) {
		cond := &condition{}
		cond.and(t.live())
		if l.Of == "" {
			return cond, t.granted(cond, c, op, alive)
		}
		for _, p := range l.Above {
			if _, err := t.db.below(ctx, q, c, p, resource.Read); err != nil {
				return nil, err
			}
		}
		id, err := t.db.below(ctx, q, c, resource.Parent{Of: l.Of, Param: l.Param}, resource.Read)
		if err != nil {
			return nil, err
		}
		if err := t.listedBy(ctx, q, cond, l, id); err != nil {
			return nil, err
		}
		return cond, t.granted(cond, c, op, alive)
	}
}

func (t *Table) listedBy(ctx context.Context, q querier, cond *condition, l resource.Listing, id int64) error {
	if l.Where != nil {
		where, err := l.Where(ctx, q, id)
		if err != nil {
			return err
		}
		listed, err := t.conditions(where)
		cond.and(listed)
		cond.foreign = true
		return err
	}
	field := t.column(l.Field)
	switch {
	case field == nil:
		return fmt.Errorf("%s has no field %q to list by", t.res.Name, l.Field)
	case field.Kind == resource.KindIDs:
		cond.and(engine.Holds{Column: l.Field, IDs: []int64{id}})
	default:
		cond.and(engine.Compare{Column: l.Field, Op: "=", Value: id})
	}
	return nil
}
