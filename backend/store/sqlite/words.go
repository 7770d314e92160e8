package sqlite

import (
	"context"
	"strings"

	"spyglass/backend/store/engine"
)

// A full-text index has two columns, tags and text, and keeps neither.

func (w *writer) DefineWords(ctx context.Context, index string) error {
	return w.Exec(ctx, `CREATE VIRTUAL TABLE IF NOT EXISTS `+quote(index)+
		` USING fts5("tags", "text", content='', contentless_delete=1, detail=column, prefix='1 2 3', `+
		`tokenize="unicode61 remove_diacritics 2 tokenchars '._-'")`)
}

func (w *writer) PutWords(ctx context.Context, index string, id int64, tags []string, words string) error {
	b := newText("INSERT OR REPLACE INTO ")
	b.name(index)
	b.add(` ("rowid", "tags", "text") VALUES (?, ?, ?)`)
	_, err := w.run(ctx, b, id, strings.Join(tags, " "), words)
	return err
}

func (w *writer) DeleteWords(ctx context.Context, index string, id int64) error {
	b := newText("DELETE FROM ")
	b.name(index)
	b.add(` WHERE "rowid" = ?`)
	_, err := w.run(ctx, b, id)
	return err
}

func (r reader) FindWords(ctx context.Context, index string, q engine.WordQuery) ([]int64, error) {
	var terms []string
	for _, tag := range q.Tags {
		terms = append(terms, `tags : "`+tag+`"`)
	}
	for _, word := range q.Words {
		terms = append(terms, `text : "`+strings.ReplaceAll(word, `"`, `""`)+`" *`)
	}
	b := newText(`SELECT "rowid" FROM `)
	defer b.free()
	b.name(index)
	next := " WHERE "
	add := func(condition string, arg any) {
		b.add(next, condition)
		b.args, next = append(b.args, arg), " AND "
	}
	if len(terms) > 0 {
		add(quote(index)+" MATCH ?", strings.Join(terms, " AND "))
	}
	if q.From != 0 {
		add(`"rowid" >= ?`, q.From)
	}
	if q.Before != 0 {
		add(`"rowid" < ?`, q.Before)
	}
	b.add(` ORDER BY "rowid" DESC LIMIT ?`)
	b.args = append(b.args, q.Limit)
	return column[int64](r.query(ctx, b, len(terms) > 0))
}
