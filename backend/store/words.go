package store

import (
	"context"
	"fmt"

	"spyglass/backend/resource"
	"spyglass/backend/store/engine"
)

// Words is a full-text index for a table: it maps words to rows. It stores words
// but no texts, so it is small; texts are read from the table. A row has words
// from Put until Delete, which the caller has to call.
//
// Tags are words that only WordQuery.Tags finds; they are letters and digits.
type Words struct{ Name string } // of the index in the file

// Open opens the index, or creates it.
func (x Words) Open(ctx context.Context, db *DB) error {
	return db.write(ctx, func(t *tx) error { return t.w.base.DefineWords(ctx, x.Name) })
}

// Put stores the words of a row, replacing earlier words.
func (x Words) Put(ctx context.Context, tx resource.Tx, id int64, tags []string, text string) error {
	t, err := own(tx)
	if err != nil {
		return err
	}
	return t.w.base.PutWords(ctx, x.Name, id, tags, text)
}

// Delete removes the words of a row, if it has any.
func (x Words) Delete(ctx context.Context, tx resource.Tx, id int64) error {
	t, err := own(tx)
	if err != nil {
		return err
	}
	return t.w.base.DeleteWords(ctx, x.Name, id)
}

// Last returns the highest id that has words; 0 for none.
func (x Words) Last(ctx context.Context, in resource.Tx) (last int64, err error) {
	t, err := own(in)
	if err != nil {
		return 0, err
	}
	ids, err := t.w.base.FindWords(ctx, x.Name, engine.WordQuery{Limit: 1})
	if len(ids) > 0 {
		last = ids[0]
	}
	return last, err
}

// WordQuery selects rows that have all tags and all words, where a word may be a
// prefix. A word consists of letters, digits and . _ - only.
type WordQuery = engine.WordQuery

// Find returns ids, the highest first.
func (x Words) Find(ctx context.Context, db *DB, q WordQuery) ([]int64, error) {
	return db.base.FindWords(ctx, x.Name, q)
}

// FirstSince returns the lowest id of a row whose indexed time field is not
// before at; 0 for none. It assumes that ids and times grow together.
func (db *DB) FirstSince(ctx context.Context, name, field string, at resource.Millis) (int64, error) {
	t, err := db.table(name)
	if err != nil {
		return 0, err
	}
	return number(db.base.Select(ctx, engine.Select{Table: t.table, Columns: onlyID, Limit: 1,
		Where: engine.Compare{Column: field, Op: ">=", Value: int64(at)}, Order: []engine.Order{{Column: field}}}))
}

// own returns the store's side of a transaction.
func own(in resource.Tx) (*tx, error) {
	if t, ok := in.(*tx); ok {
		return t, nil
	}
	return nil, fmt.Errorf("%T is no transaction of this store", in)
}
