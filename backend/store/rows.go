package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"spyglass/backend/endpoint"
	"spyglass/backend/fault"
	"spyglass/backend/resource"
	"spyglass/backend/store/engine"
)

// put writes a row: a new one if its id is 0 or does not exist yet. It returns
// the JSON of the row without derived values.
func (t *Table) put(ctx context.Context, tx *tx, row any) (body []byte, err error) {
	tx.touched[&t.lock]++
	id := t.idOf(row)
	fresh := *id == 0
	if fresh {
		if err := t.number(ctx, tx, row); err != nil {
			return nil, err
		}
	} else if fresh, err = t.reserve(ctx, tx, *id); err != nil {
		return nil, err
	}
	t.mirror.newest.Store(max(t.ids.next, *id))
	tx.note(&t.lock, *id)
	args, body, err := t.args(row)
	if err != nil {
		return nil, err
	}
	if !fresh {
		if fresh, err = t.update(ctx, tx, row, args); err != nil {
			return nil, t.taken(ctx, tx, row, err)
		}
	}
	t.ids.next = max(t.ids.next, *id+1)
	t.changed(tx, *id)
	if fresh {
		if err := tx.w.base.Insert(ctx, t.table, args); err != nil {
			return nil, t.taken(ctx, tx, row, err)
		}
	}
	return body, t.link(ctx, tx, fresh, row)
}

// update replaces the row with the same id, and reports whether there is one.
// Usually the row existed and stays; only then the members of the list stay the
// same.
func (t *Table) update(ctx context.Context, tx *tx, row any, args []any) (missing bool, err error) {
	n, err := tx.w.base.Update(ctx, t.table, args, *t.idOf(row), t.live())
	if err == nil && n == 0 {
		if t.res.SoftBy != "" {
			n, err = tx.w.base.Update(ctx, t.table, args, *t.idOf(row), nil)
		}
		tx.touched[&t.members]++
	}
	if *t.deleted(row) > 0 {
		tx.touched[&t.members]++
	}
	return n == 0, err
}

// link stores the ids in the reference fields of rows as links, in the order in which the
// engine keeps them; a deleted row has none. fresh means that the rows are new.
func (t *Table) link(ctx context.Context, tx *tx, fresh bool, rows ...any) error {
	for i := range t.columns {
		c := &t.columns[i]
		var links []engine.Link
		for _, row := range rows {
			ids, ok := c.field.At(row).(*resource.IDs)
			if !ok {
				break
			}
			id := *t.idOf(row)
			if !fresh {
				if err := tx.w.base.Unlink(ctx, t.table, c.Name, id); err != nil {
					return err
				}
			}
			if *t.deleted(row) == 0 {
				links = append(links, engine.Links(id, *ids)...)
			}
		}
		if len(links) == 0 {
			continue
		}
		slices.SortFunc(links, func(a, b engine.Link) int {
			return cmp.Or(cmp.Compare(a.ID, b.ID), cmp.Compare(a.Row, b.Row))
		})
		if err := tx.w.base.Link(ctx, t.table, c.Name, links...); err != nil {
			return err
		}
	}
	return nil
}

// taken turns a violated unique index into an error that names the fields.
func (t *Table) taken(ctx context.Context, tx *tx, row any, err error) error {
	if class(err) != engine.Taken {
		return err
	}
	for _, set := range t.res.Unique {
		others := engine.Compare{Column: engine.ID, Op: "!=", Value: *t.idOf(row)}
		where, words := engine.All{others, t.live()}, []string{}
		for _, name := range set {
			c := t.column(name)
			value := fmt.Sprint(plain(c.field.At(row)))
			where = append(where, engine.Compare{Column: name, Op: "=", Value: plain(c.field.At(row))})
			if name != t.res.Owner && !c.Hidden && value != "0" { // the id of nothing
				words = append(words, name+" "+fault.Quote(value))
			}
		}
		n, failed := count(ctx, tx, t.table, where)
		if failed != nil {
			return errors.Join(err, failed)
		}
		if n > 0 {
			return &fault.Error{Kind: fault.Conflict, Field: set[len(set)-1], Err: err,
				Message: fmt.Sprintf("there is already %s with the %s", endpoint.Article(t.res.Label),
					strings.Join(words, " and the "))}
		}
	}
	return err
}

// plain returns the value that a scalar field points at.
func plain(at any) any {
	switch p := at.(type) {
	case *int64:
		return *p
	case *string:
		return *p
	case *bool:
		return *p
	}
	return nil
}

func (t *Table) remove(ctx context.Context, tx *tx, id int64) error {
	tx.touched[&t.lock]++
	tx.note(&t.lock, id)
	tx.touched[&t.members]++
	t.changed(tx, id)
	n, err := tx.w.base.Delete(ctx, t.table, engine.HasID(id))
	if err == nil && n == 0 {
		err = t.unknown(id)
	}
	if err != nil {
		return err
	}
	return tx.cascade(ctx, string(t.res.Name), id)
}

func (t *Table) putRow(ctx context.Context, tx *tx, row any) error {
	id := t.idOf(row)
	fresh := *id == 0
	body, err := t.put(ctx, tx, row)
	if err != nil {
		return err
	}
	return t.wrote(ctx, tx, *id, fresh, body)
}

func (t *Table) deleteRow(ctx context.Context, tx *tx, id int64) error {
	if err := t.remove(ctx, tx, id); err != nil {
		return err
	}
	return t.wrote(ctx, tx, id, false, nil)
}

func (t *Table) deleteRows(ctx context.Context, tx *tx, where []resource.Where) error {
	cond, err := t.conditions(where)
	if err != nil {
		return err
	}
	n, err := t.removeAll(ctx, tx, cond)
	if err == nil && n > 0 && tx.inside == 0 { // counts them without reading them
		tx.along = map[string]int{t.res.Label: int(n)}
		err = t.wrote(ctx, tx, 0, false, nil)
	}
	return err
}

func (t *Table) removeAll(ctx context.Context, tx *tx, where engine.Cond) (int64, error) {
	if len(t.db.dependents(string(t.res.Name))) > 0 {
		return t.removeEach(ctx, tx, where)
	}
	tx.touched[&t.lock]++
	tx.touched[&t.members]++
	n, err := tx.w.base.Delete(ctx, t.table, where)
	if n > 0 {
		t.changed(tx, 0)
	}
	return n, err
}
