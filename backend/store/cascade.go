package store

import (
	"context"
	"database/sql"

	"spyglass/backend/store/sqlite"
)

// dependent is a field whose rows are deleted with the row it names.
type dependent struct {
	table rows
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

// cascaded returns the fields whose rows are deleted with the one they name.
func (t *Table[T]) cascaded(of string) []string {
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

func (t *Table[T]) removeBy(ctx context.Context, tx *tx, field string, id int64) error {
	_, err := t.removeEach(ctx, tx, sqlite.Is(field), id)
	return err
}

// removeEach removes the rows that meet a condition one by one, so that the
// dependents of each go too, and returns how many they were.
func (t *Table[T]) removeEach(ctx context.Context, tx *tx, where string, args ...any) (int64, error) {
	ids, err := t.idsOf(ctx, tx, where, args...)
	for _, id := range ids {
		if err == nil {
			err = t.remove(ctx, tx, id)
		}
	}
	return int64(len(ids)), err
}

func (t *Table[T]) idsOf(ctx context.Context, q asker, where string, args ...any) ([]int64, error) {
	stmt, err := q.stmt(ctx, t.sql.IDs(where, sqlite.ID))
	if err != nil {
		return nil, err
	}
	found, err := stmt.QueryContext(ctx, args...)
	if err != nil {
		return nil, err
	}
	return scanAll[int64](found)
}

// scanAll reads query results of one column.
func scanAll[V any](found *sql.Rows) ([]V, error) {
	defer found.Close()
	var all []V
	for found.Next() {
		var one V
		if err := found.Scan(&one); err != nil {
			return nil, err
		}
		all = append(all, one)
	}
	return all, found.Err()
}
