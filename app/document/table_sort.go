package document

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"

	"spyglass/backend/fault"
)

// order holds the rows of a table sorted by one column.
type order struct {
	column string
	desc   bool
	rows   []int32
}

const (
	maxSorted  = 2_000_000 // rows
	sortedText = 64        // leading characters of a text to compare
)

// sortKey is the sort key of a row: lower ranks come first, missing values
// last, in both directions.
type sortKey struct {
	rank   uint8
	number float64
	text   string // folded to lower case; for a number that a float64 cannot hold, its digits
	row    int32
}

const (
	rankNumber = iota
	rankText
	rankWord
	rankContainer
	rankNothing
)

// order sorts the table, or returns the cached order of the last call.
func (d *Document) order(ctx context.Context, s *scanner, t *table, column string, desc bool) ([]int32, error) {
	d.tables.Lock()
	last := d.sorted
	d.tables.Unlock()
	if last != nil && last.column == column && last.desc == desc {
		return last.rows, nil
	}
	if t.total > maxSorted {
		return nil, fault.At("sort",
			"this response has %d rows, but at most %d can be sorted here; sort in the request",
			t.total, maxSorted)
	}
	keys, err := s.sortKeys(ctx, t, column)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(keys, func(a, b sortKey) int {
		c := a.compare(b)
		if desc && a.rank != rankNothing && b.rank != rankNothing {
			c = -c
		}
		return cmp.Or(c, cmp.Compare(a.row, b.row))
	})
	now := &order{column: column, desc: desc, rows: make([]int32, len(keys))}
	for i, k := range keys {
		now.rows[i] = k.row
	}
	d.tables.Lock()
	d.sorted = now
	d.tables.Unlock()
	return now.rows, nil
}

func (s *scanner) sortKeys(ctx context.Context, t *table, column string) ([]sortKey, error) {
	reader, err := s.reader(t, []string{column})
	if err != nil {
		return nil, err
	}
	keys := make([]sortKey, 0, t.total)
	reader.seek(0)
	for i := range t.total {
		if i%1024 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		r, ok := reader.next()
		if !ok {
			break
		}
		key := s.sortKey(r.cells[0])
		key.row = int32(i)
		keys = append(keys, key)
	}
	return keys, s.err
}

func (s *scanner) sortKey(v value) sortKey {
	switch v.kind {
	case Number:
		text, _ := s.literal(v, 400)
		n, _ := strconv.ParseFloat(text, 64)
		if len(text) <= 15 {
			text = ""
		}
		return sortKey{rank: rankNumber, number: n, text: text}
	case String:
		text, _ := s.literal(v, sortedText)
		return sortKey{rank: rankText, text: strings.ToLower(text)}
	case Bool:
		text, _ := s.literal(v, 5)
		return sortKey{rank: rankWord, text: text}
	case Object, Array:
		return sortKey{rank: rankContainer, number: float64(v.count)}
	}
	return sortKey{rank: rankNothing}
}

func (k sortKey) compare(other sortKey) int {
	if c := cmp.Or(cmp.Compare(k.rank, other.rank), cmp.Compare(k.number, other.number)); c != 0 {
		return c
	}
	if k.rank == rankNumber {
		return compareDigits(k.text, other.text)
	}
	return cmp.Compare(k.text, other.text)
}

// compareDigits compares whole numbers that are equal as float64. It treats
// anything else as equal.
func compareDigits(a, b string) int {
	if !isDigits(a) || !isDigits(b) {
		return 0
	}
	sign := 1
	if a[0] == '-' && b[0] == '-' {
		sign = -1
	}
	return sign * cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b))
}

func isDigits(s string) bool {
	return s != "" && strings.Trim(strings.TrimPrefix(s, "-"), "0123456789") == ""
}
