package store

import (
	"context"

	"spyglass/backend/store/engine"
)

// dependent is a reference field: deleting the row it names deletes its own row
// too.
type dependent struct {
	table *Table
	field string
}

// dependents returns the dependent fields of a resource.
func (db *DB) dependents(name string) []dependent {
	db.mu.RLock()
	defer db.mu.RUnlock()
	var all []dependent
	for _, t := range db.tables {
		for _, field := range t.cascaded(name) {
			all = append(all, dependent{t, field})
		}
	}
	return all
}

// cascaded returns the fields that name a row of the resource and whose rows are
// deleted with that row.
func (t *Table) cascaded(of string) []string {
	var fields []string
	for _, c := range t.columns {
		if c.field.Cascade && c.field.Refs == of {
			fields = append(fields, c.Name)
		}
	}
	return fields
}

// cascade deletes the rows that belong to a permanently deleted row.
func (t *tx) cascade(ctx context.Context, name string, id int64) error {
	for _, d := range t.db.dependents(name) {
		if err := d.table.removeBy(ctx, t, d.field, id); err != nil {
			return err
		}
	}
	return nil
}

func (t *Table) removeBy(ctx context.Context, tx *tx, field string, id int64) error {
	_, err := t.removeEach(ctx, tx, engine.Compare{Column: field, Op: "=", Value: id})
	return err
}

// removeEach removes the rows that meet a condition one by one, so that their
// dependents are removed too. It returns the number of rows.
func (t *Table) removeEach(ctx context.Context, tx *tx, where engine.Cond) (int64, error) {
	ids, err := selectIDs(ctx, tx.reader(), engine.Select{Table: t.table, Where: where, Order: byID})
	for _, id := range ids {
		if err == nil {
			err = t.remove(ctx, tx, id)
		}
	}
	return int64(len(ids)), err
}
