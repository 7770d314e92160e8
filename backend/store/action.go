package store

import (
	"cmp"
	"context"

	"spyglass/backend/resource"
)

// act handles one action: it reads, changes and writes the row in one
// transaction.
func (t *Table) act(a resource.Action[any]) func(context.Context, *resource.Call) (any, error) {
	return func(ctx context.Context, c *resource.Call) (any, error) {
		return t.run(ctx, c, func(c *resource.Call) (step, error) { return t.acting(a, c), nil })
	}
}

// acting returns the step that carries out an action on the row that the call names.
func (t *Table) acting(a resource.Action[any], c *resource.Call) step {
	return func(ctx context.Context, tx *tx) (*resource.Response, error) {
		was, err := t.own(ctx, tx, c, cmp.Or(a.Op, resource.Modify))
		if err != nil {
			return nil, err
		}
		now := t.copyOf(was)
		w := &resource.Write{Context: ctx, Call: c, Tx: tx, Given: func(string) bool { return false }}
		if err := tx.rule(func() error { return a.Do(w, now) }); err != nil {
			return nil, err
		}
		return t.record(ctx, tx, w, a.Name, was, now)
	}
}

func (t *Table) copyOf(row any) any {
	out := t.res.New()
	for i := range t.columns {
		copyValue(t.columns[i].field.At(out), t.columns[i].field.At(row))
	}
	return out
}
