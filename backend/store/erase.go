package store

import (
	"context"
	"errors"

	"spyglass/backend/resource"
	"spyglass/backend/store/engine"
)

// erase handles DELETE: it deletes the row, or marks it deleted if it can be
// restored.
func (t *Table) erase(ctx context.Context, c *resource.Call) (any, error) {
	return t.run(ctx, c, t.erasure)
}

func (t *Table) erasure(c *resource.Call) (step, error) {
	for _, flag := range t.res.Flags {
		if _, err := c.Flag(flag.Name); err != nil {
			return nil, err
		}
	}
	hard, err := c.Flag("deleteHard")
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context, tx *tx) (*resource.Response, error) {
		row, err := t.own(ctx, tx, c, resource.Modify)
		if err != nil {
			return nil, err
		}
		return &resource.Response{Body: resource.JSON("{}")}, t.drop(ctx, tx, c, row, t.res.SoftBy == "" || hard)
	}, nil
}

// drop deletes a row, permanently or so that it can be restored.
func (t *Table) drop(ctx context.Context, tx *tx, c *resource.Call, row any, hard bool) error {
	before, err := t.shownAs(row)
	if err != nil {
		return err
	}
	if t.res.Remove != nil {
		w := &resource.Write{Context: ctx, Call: c, Tx: tx, Given: func(string) bool { return false }}
		if err := tx.rule(func() error { return t.res.Remove(w, row) }); err != nil {
			return err
		}
	}
	action := "delete"
	switch {
	case !hard:
		*t.deleted(row) = resource.MillisOf(c.At)
		_, err = t.put(ctx, tx, row)
	case t.res.SoftBy != "":
		action = "purge"
		fallthrough
	default:
		err = t.remove(ctx, tx, *t.idOf(row))
	}
	if err != nil {
		return err
	}
	return t.audit(ctx, tx, c, action, *t.idOf(row), before, nil)
}

// clear deletes all of the caller's own rows.
func (t *Table) clear(ctx context.Context, c *resource.Call) (any, error) {
	if t.res.Owner == "" {
		return nil, errors.New("only rows with an owner are cleared")
	}
	return resource.JSON("{}"), t.db.write(ctx, func(tx *tx) error {
		tx.touched[&t.lock]++
		tx.touched[&t.members]++
		var within []resource.Where
		if t.res.Within != nil {
			within = t.res.Within(c)
		}
		where, err := t.conditions(within)
		if err != nil {
			return err
		}
		_, err = tx.w.base.Delete(ctx, t.table, engine.All{
			engine.Compare{Column: t.res.Owner, Op: "=", Value: c.Access.UserID}, where})
		return err
	})
}
