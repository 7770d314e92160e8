package postgres

import (
	"context"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"spyglass/backend/store/engine"
)

// A full-text index is a table with a row for each word of an id. Words are split as
// those of SQLite's index are: letters, digits and ". _ -" belong to a word, without
// case and diacritics. Tags, and an entry that each id has, begin with a character
// that no word has.
const (
	ofTag = "\x01"
	ofID  = "\x02"

	// PostgreSQL indexes no texts of more than 2,700 bytes.
	longestWord = 255
)

// split returns the words of a text.
func split(text string) []string {
	plain := strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return unicode.ToLower(r)
	}, norm.NFD.String(strings.ToValidUTF8(text, " ")))
	words := strings.FieldsFunc(plain, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsNumber(r) && !unicode.Is(unicode.Co, r) &&
			!strings.ContainsRune("._-", r)
	})
	for i, word := range words {
		if runes := []rune(word); len(runes) > longestWord {
			words[i] = string(runes[:longestWord])
		}
	}
	return words
}

func (w *writer) DefineWords(ctx context.Context, name string) error {
	return w.whole(func() error {
		return w.execAll(ctx, append(unlimited(), "CREATE TABLE IF NOT EXISTS "+quote(name)+
			` ("word" TEXT COLLATE "C" NOT NULL, "id" BIGINT NOT NULL, PRIMARY KEY ("word", "id"))`,
			index(name+" by id", false, " ON "+quote(name)+` ("id")`).create)...)
	})
}

func (w *writer) PutWords(ctx context.Context, index string, id int64, tags []string, text string) error {
	words := append(split(text), ofID)
	for _, tag := range tags {
		for _, word := range split(tag) {
			words = append(words, ofTag+word)
		}
	}
	return w.whole(func() error {
		if err := w.DeleteWords(ctx, index, id); err != nil {
			return err
		}
		b := newText("INSERT INTO ", quote(index), ` ("word", "id") SELECT DISTINCT unnest(`)
		b.arg(words)
		b.add("::text[]), ")
		b.arg(id)
		b.add("::bigint")
		_, err := w.run(ctx, b, false)
		return err
	})
}

func (w *writer) DeleteWords(ctx context.Context, index string, id int64) error {
	b := newText("DELETE FROM ", quote(index), ` WHERE "id" = `)
	b.arg(id)
	_, err := w.run(ctx, b, false)
	return err
}

func (r reader) FindWords(ctx context.Context, index string, q engine.WordQuery) ([]int64, error) {
	b := newText(`SELECT "id" FROM `, quote(index), ` WHERE "word" = `)
	b.arg(ofID)
	for _, tag := range q.Tags {
		for _, word := range split(tag) {
			b.add(` AND "id" IN (SELECT "id" FROM `, quote(index), ` WHERE "word" = `)
			b.arg(ofTag + word)
			b.add(")")
		}
	}
	for _, begin := range q.Words {
		for _, word := range split(begin) {
			b.add(` AND "id" IN (SELECT "id" FROM `, quote(index), ` WHERE "word" >= `)
			b.arg(word)
			b.add(` AND "word" < `)
			b.arg(word + string(unicode.MaxRune))
			b.add(")")
		}
	}
	if q.From != 0 {
		b.add(` AND "id" >= `)
		b.arg(q.From)
	}
	if q.Before != 0 {
		b.add(` AND "id" < `)
		b.arg(q.Before)
	}
	b.add(` ORDER BY "id" DESC LIMIT `)
	b.arg(q.Limit)
	return column[int64](r.query(ctx, b, true))
}
