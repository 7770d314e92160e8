// Package pairs splits queries as people type them: an & within double quotes,
// as filters have them, belongs to the value.
//
//	size=2&filter=displayName~"a & b"  →  size=2, filter=displayName~"a & b"
//
// A quote that is never closed is a character like any other, and \" within
// quotes does not end them. The page splits by the same rule (paste.ts).
package pairs

import "strings"

// Split returns the pairs of a query as typed, without empty ones.
func Split(query string) []string {
	var out []string
	last := 0
	for _, at := range append(separators(query, false), len(query)) {
		if at > last {
			out = append(out, query[last:at])
		}
		last = at + 1
	}
	return out
}

// Escape returns a query in which each & inside a value is %26, so that any other
// parser splits it in the same way. shape is the query, in the same number of
// bytes, with parts such as {{variables}} masked that are not text of the query.
func Escape(query, shape string) string {
	var out strings.Builder
	last := 0
	for _, at := range separators(shape, true) {
		out.WriteString(query[last:at] + "%26")
		last = at + 1
	}
	return out.String() + query[last:]
}

// separators returns the positions of each & that separates pairs, or of those
// within quotes.
func separators(query string, within bool) (at []int) {
	closes := true // after a quote that is not closed, no other is
	for i := 0; i < len(query); i++ {
		switch c := query[i]; {
		case c == '&' && !within:
			at = append(at, i)
		case c == '"' && closes:
			end := closing(query, i)
			if closes = end > 0; !closes {
				continue
			}
			for j := i; within && j < end; j++ {
				if query[j] == '&' {
					at = append(at, j)
				}
			}
			i = end
		}
	}
	return at
}

// closing returns the position of the quote that closes the one at i; 0 if there
// is none.
func closing(query string, i int) int {
	for i++; i < len(query); i++ {
		switch query[i] {
		case '\\':
			i++
		case '"':
			return i
		}
	}
	return 0
}
