package store

import (
	"context"
	"fmt"
	"strings"

	"spyglass/backend/resource"
)

// Words is a full-text index for a table: it maps words to rows. It keeps the
// words and not the texts, so it is small, and what was found is read where it
// lies. A row has words from Put until Delete; nobody does that by itself.
//
// Tags are words that only WordQuery.Tags finds; they are letters and digits.
type Words struct{ Name string } // of the index in the file

// Open opens the index, or makes it.
func (x Words) Open(ctx context.Context, db *DB) error {
	return db.writer.raw(ctx, `CREATE VIRTUAL TABLE IF NOT EXISTS `+quote(x.Name)+
		` USING fts5("tags", "text", content='', contentless_delete=1, detail=column, prefix='1 2 3', `+
		`tokenize="unicode61 remove_diacritics 2 tokenchars '._-'")`)
}

// Put gives a row its words, instead of those it had.
func (x Words) Put(ctx context.Context, tx resource.Tx, id int64, tags []string, text string) error {
	return run(ctx, tx, `INSERT OR REPLACE INTO `+quote(x.Name)+` ("rowid", "tags", "text") VALUES (?, ?, ?)`, id,
		strings.Join(tags, " "), text)
}

// Delete takes the words of a row; of one that has none, too.
func (x Words) Delete(ctx context.Context, tx resource.Tx, id int64) error {
	return run(ctx, tx, `DELETE FROM `+quote(x.Name)+` WHERE "rowid" = ?`, id)
}

// Last is the highest id that has words, 0 for none.
func (x Words) Last(ctx context.Context, in resource.Tx) (last int64, err error) {
	t, err := own(in)
	if err != nil {
		return 0, err
	}
	stmt, err := t.stmt(ctx, `SELECT coalesce(max("rowid"), 0) FROM `+quote(x.Name))
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
	text, args := q.conditions(x.Name)
	rows, err := db.read.QueryContext(ctx, `SELECT "rowid" FROM `+quote(x.Name)+` WHERE `+text+
		` ORDER BY "rowid" DESC LIMIT ?`, append(args, q.Limit)...)
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

func (q *WordQuery) conditions(name string) (text string, args []any) {
	var terms []string
	for _, tag := range q.Tags {
		terms = append(terms, `tags : "`+tag+`"`)
	}
	for _, word := range q.Words {
		terms = append(terms, `text : "`+strings.ReplaceAll(word, `"`, `""`)+`" *`)
	}
	text, args = quote(name)+` MATCH ?`, []any{strings.Join(terms, " AND ")}
	if q.From != 0 {
		text, args = text+` AND "rowid" >= ?`, append(args, q.From)
	}
	if q.Before != 0 {
		text, args = text+` AND "rowid" < ?`, append(args, q.Before)
	}
	return text, args
}

// FirstSince returns the lowest id of a row whose indexed field, a moment, is
// not before at; 0 for none. It assumes that ids and moments grow together.
func (db *DB) FirstSince(ctx context.Context, name, field string, at resource.Millis) (id int64, err error) {
	err = db.read.QueryRowContext(ctx, `SELECT coalesce((SELECT "id" FROM `+quote(name)+` WHERE `+quote(field)+
		` >= ? ORDER BY `+quote(field)+` LIMIT 1), 0)`, int64(at)).Scan(&id)
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

// own is the store's side of a transaction.
func own(in resource.Tx) (*tx, error) {
	if t, ok := in.(*tx); ok {
		return t, nil
	}
	return nil, fmt.Errorf("%T is no transaction of this store", in)
}
