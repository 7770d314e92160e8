package store

import (
	"cmp"
	"context"
	"iter"
	"slices"

	"spyglass/backend/resource"
	"spyglass/backend/service"
	"spyglass/backend/store/engine"
)

// bulkRows is the number of rows that are encoded at the same time as those before
// are inserted.
const bulkRows = 512

// newRow is a new row with the values of its columns, once they are encoded.
type newRow struct {
	row  any
	args []any
	body []byte
	err  error
}

// bulk adds many new rows. While some are inserted, a goroutine encodes the next ones.
func (t *Table) bulk(ctx context.Context, tx *tx, rows iter.Seq2[any, error]) error {
	var encoding service.Parts
	defer encoding.Wait()
	var encoded, waiting []newRow
	turn := func() error { // encodes the waiting rows, and inserts those that were encoded before
		encoding.Wait()
		ready, next := encoded, waiting
		encoded, waiting = next, make([]newRow, 0, bulkRows)
		encoding.Go(func() {
			for i := range next {
				next[i].args, next[i].body, next[i].err = t.args(next[i].row)
			}
		})
		return t.insert(ctx, tx, ready)
	}
	for row, err := range rows {
		if err == nil {
			err = t.number(ctx, tx, row)
		}
		if err != nil {
			return err
		}
		if waiting = append(waiting, newRow{row: row}); len(waiting) == bulkRows {
			if err := turn(); err != nil {
				return err
			}
		}
	}
	if err := turn(); err != nil {
		return err
	}
	return turn()
}

// insert writes new rows and their links.
func (t *Table) insert(ctx context.Context, tx *tx, rows []newRow) error {
	all := make([][]any, len(rows))
	for i, row := range rows {
		if row.err != nil {
			return row.err
		}
		all[i] = row.args
	}
	tx.touched[&t.lock]++
	if err := tx.w.base.Insert(ctx, t.table, all...); err != nil {
		for i := range rows {
			if named := t.taken(ctx, tx, rows[i].row, err); named != err {
				return named
			}
		}
		return err
	}
	for i := range t.columns {
		if err := t.linkAll(ctx, tx, &t.columns[i], rows); err != nil {
			return err
		}
	}
	for i := range rows {
		id := *t.idOf(rows[i].row)
		t.mirror.newest.Store(id)
		tx.note(&t.lock, id)
		t.changed(tx, id)
		if err := t.wrote(ctx, tx, id, true, rows[i].body); err != nil {
			return err
		}
	}
	return nil
}

// linkAll stores the ids in a reference field of new rows as links, in the order in which
// the engine stores them.
func (t *Table) linkAll(ctx context.Context, tx *tx, c *column, rows []newRow) error {
	var links []engine.Link
	for i := range rows {
		if ids, ok := c.field.At(rows[i].row).(*resource.IDs); ok && *t.deleted(rows[i].row) == 0 {
			links = append(links, engine.Links(*t.idOf(rows[i].row), *ids)...)
		}
	}
	slices.SortFunc(links, func(a, b engine.Link) int {
		return cmp.Or(cmp.Compare(a.ID, b.ID), cmp.Compare(a.Row, b.Row))
	})
	return tx.w.base.Link(ctx, t.table, c.Name, links...)
}
