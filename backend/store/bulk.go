package store

import (
	"context"
	"iter"

	"spyglass/backend/service"
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
	all, args := make([]any, len(rows)), make([][]any, len(rows))
	for i, row := range rows {
		if row.err != nil {
			return row.err
		}
		all[i], args[i] = row.row, row.args
	}
	tx.touched[&t.lock]++
	if err := tx.w.base.Insert(ctx, t.table, args...); err != nil {
		for i := range rows {
			if named := t.taken(ctx, tx, rows[i].row, err); named != err {
				return named
			}
		}
		return err
	}
	if err := t.link(ctx, tx, true, all...); err != nil {
		return err
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
