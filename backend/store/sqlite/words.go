package sqlite

import "strings"

// A full-text index maps words to ids and keeps no texts. It has two columns:
// tags and text.

// CreateWords makes a full-text index, unless it is there.
func CreateWords(name string) string {
	return `CREATE VIRTUAL TABLE IF NOT EXISTS ` + Quote(name) +
		` USING fts5("tags", "text", content='', contentless_delete=1, detail=column, prefix='1 2 3', ` +
		`tokenize="unicode61 remove_diacritics 2 tokenchars '._-'")`
}

// PutWords gives an id its tags and its text.
func PutWords(name string) string {
	return `INSERT OR REPLACE INTO ` + Quote(name) + ` ("rowid", "tags", "text") VALUES (?, ?, ?)`
}

// DeleteWords takes the words of an id.
func DeleteWords(name string) string { return `DELETE FROM ` + Quote(name) + ` WHERE "rowid" = ?` }

// LastWords selects the highest id that has words, 0 for none.
func LastWords(name string) string { return `SELECT coalesce(max("rowid"), 0) FROM ` + Quote(name) }

// FindWords selects ids, the highest first, that have all tags, and all words as a
// word or the beginning of one. from is the lowest id, before is above the
// highest; 0 for any.
func FindWords(name string, tags, words []string, from, before int64, limit int) (query string, args []any) {
	var terms []string
	for _, tag := range tags {
		terms = append(terms, `tags : "`+tag+`"`)
	}
	for _, word := range words {
		terms = append(terms, `text : "`+strings.ReplaceAll(word, `"`, `""`)+`" *`)
	}
	query, args = `SELECT "rowid" FROM `+Quote(name)+` WHERE `+Quote(name)+` MATCH ?`, []any{strings.Join(terms, And)}
	if from != 0 {
		query, args = query+` AND "rowid" >= ?`, append(args, from)
	}
	if before != 0 {
		query, args = query+` AND "rowid" < ?`, append(args, before)
	}
	return query + ` ORDER BY "rowid" DESC LIMIT ?`, append(args, limit)
}
