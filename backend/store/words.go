package store

import (
	"context"
	"fmt"
	"strings"

	"spyglass/backend/resource"
	"spyglass/backend/store/sqlite"
)

// Words is a full-text index for a table: it maps words to rows. It stores words
// but no texts, so it is small; texts are read from the table. A row has words
// from Put until Delete, which the caller has to call.
//
// Tags are words that only WordQuery.Tags finds; they are letters and digits.
type Words struct{ Name string } // of the index in the file

// Open opens the index, or makes it.
func (x Words) Open(ctx context.Context, db *DB) error {
	return db.writer.raw(ctx, sqlite.CreateWords(x.Name))
}

// Put gives a row its words, instead of those it had.
func (x Words) Put(ctx context.Context, tx resource.Tx, id int64, tags []string, text string) error {
	return run(ctx, tx, sqlite.PutWords(x.Name), id, strings.Join(tags, " "), text)
}

// Delete takes the words of a row; of one that has none, too.
func (x Words) Delete(ctx context.Context, tx resource.Tx, id int64) error {
	return run(ctx, tx, sqlite.DeleteWords(x.Name), id)
}

// Last returns the highest id that has words, 0 for none.
func (x Words) Last(ctx context.Context, in resource.Tx) (last int64, err error) {
	t, err := own(in)
	if err != nil {
		return 0, err
	}
	stmt, err := t.stmt(ctx, sqlite.LastWords(x.Name))
	if err == nil {
		err = stmt.QueryRowContext(ctx).Scan(&last)
	}
	return last, err
}

// WordQuery selects rows that have all tags and all words, as a word or the
// beginning of one. A word is letters, digits and . _ - without anything else.
type WordQuery struct {
	Tags   []string
	Words  []string
	From   int64 // the lowest id; 0 for any
	Before int64 // ids below; 0 for any
	Limit  int
}

// Find returns ids, the highest first.
func (x Words) Find(ctx context.Context, db *DB, q WordQuery) (ids []int64, err error) {
	query, args := sqlite.FindWords(x.Name, q.Tags, q.Words, q.From, q.Before, q.Limit)
	rows, err := db.read.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var id int64
		if err := rows.Scan(&id); err != nil {
			return nil, err
		}
		ids = append(ids, id)
	}
	return ids, rows.Err()
}

// FirstSince returns the lowest id of a row whose indexed field, a moment, is
// not before at; 0 for none. It assumes that ids and moments grow together.
func (db *DB) FirstSince(ctx context.Context, name, field string, at resource.Millis) (id int64, err error) {
	err = db.read.QueryRowContext(ctx, sqlite.FirstSince(name, field), int64(at)).Scan(&id)
	return id, err
}

// run changes what is no table of resources, within a transaction.
func run(ctx context.Context, in resource.Tx, query string, args ...any) error {
	t, err := own(in)
	if err == nil {
		_, err = t.exec(ctx, query, args...)
	}
	return err
}

// own returns the store's side of a transaction.
func own(in resource.Tx) (*tx, error) {
	if t, ok := in.(*tx); ok {
		return t, nil
	}
	return nil, fmt.Errorf("%T is no transaction of this store", in)
}
