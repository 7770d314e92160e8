package store

import (
	"bytes"
	"math/bits"
	"slices"
	"sort"
	"strings"
	"unicode/utf8"

	"spyglass/backend/resource"
	"spyglass/backend/store/engine"
)

// arena holds the texts of one column, row after row in one piece of memory, so
// that one pass searches all of them. The arena begins with a NUL, and each text
// ends with one. In a column of pairs the texts are the values, so a row has any
// number of them. Texts are folded (foldedText).
type arena struct {
	data  []byte
	ends  []uint32    // where row i ends: the index behind its last NUL
	often [256]uint32 // how often each byte occurs
	pairs []uint64    // of each row, which pairs of bytes occur in it (pairsOf)
}

// shortRow is the average length of rows in bytes up to which find looks at their pairs
// first. Longer rows have most pairs.
const shortRow = 64

// maxMirror limits the memory for the texts of a table, in bytes.
const maxMirror = 96 << 20

func newArena(rows int) *arena {
	return &arena{data: []byte{0}, ends: make([]uint32, 0, rows), pairs: make([]uint64, 0, rows)}
}

func (a *arena) add(texts []byte) {
	a.data = append(a.data, texts...)
	a.ends = append(a.ends, uint32(len(a.data)))
	for _, c := range texts {
		a.often[c]++
	}
	a.pairs = append(a.pairs, pairsOf(0, texts))
}

// pairsOf returns a set of the pairs of neighbouring bytes in text, the first of which
// follows the byte before. Several pairs share a bit.
func pairsOf(before byte, text []byte) (set uint64) {
	for _, c := range text {
		set |= 1 << ((uint32(before)<<8 | uint32(c)) * 0x9E3779B1 >> 26)
		before = c
	}
	return set
}

// row returns the texts of a row, as add got them.
func (a *arena) row(i int) []byte { return a.data[a.start(i):a.ends[i]] }

func (a *arena) start(i int) uint32 {
	if i == 0 {
		return 1
	}
	return a.ends[i-1]
}

// source is a column in the form that an arena holds.
type source struct {
	column string
	pairs  bool
	wide   bool // folds all letters, not only A to Z
}

// texts returns the arena's form of a stored value. ok is false if the value has
// a NUL or broken UTF-8: the engine compares such values in its own way.
func (s source) texts(stored string) (texts []byte, ok bool) {
	values := []string{stored}
	if s.pairs {
		props, err := resource.ReadProperties(stored)
		if err != nil {
			return nil, false
		}
		values = values[:0]
		for _, p := range props {
			values = append(values, p.Value)
		}
	}
	for _, value := range values {
		if strings.IndexByte(value, 0) >= 0 || !utf8.ValidString(value) {
			return nil, false
		}
		texts = append(append(texts, s.folded(value)...), 0)
	}
	return texts, true
}

// folded returns the value with its case folded: only A to Z, or all letters as
// in engine.Fold.
func (s source) folded(value string) string {
	if s.wide {
		return engine.Fold(value)
	}
	for i := range len(value) {
		if 'A' <= value[i] && value[i] <= 'Z' {
			out := []byte(value)
			for k := i; k < len(out); k++ {
				if 'A' <= out[k] && out[k] <= 'Z' {
					out[k] += 'a' - 'A'
				}
			}
			return string(out)
		}
	}
	return value
}

// test is one folded value of a filter: a text contains it, equals it, or matches
// its parts with anything between them.
type test struct {
	text     []byte
	contains bool
	glob     [][]byte
}

// scan sets the bits of the rows that pass.
func (a *arena) scan(t test, found bitmap) {
	switch {
	case t.glob != nil:
		for i := range a.ends {
			for rest := a.row(i); len(rest) > 0; {
				end := bytes.IndexByte(rest, 0)
				if globs(rest[:end], t.glob) {
					found.set(i)
					break
				}
				rest = rest[end+1:]
			}
		}
	case t.contains && len(t.text) == 0:
		for i := range a.ends {
			if len(a.row(i)) > 0 {
				found.set(i)
			}
		}
	case t.contains:
		a.find(t.text, 0, found)
	default:
		a.find(slices.Concat([]byte{0}, t.text, []byte{0}), 1, found)
	}
}

// find sets the bits of the rows that contain what. The first skip bytes of what
// may be before the row's text.
func (a *arena) find(what []byte, skip int, found bitmap) {
	if len(what) > 1 && len(a.data) <= shortRow*len(a.ends) {
		pairs := pairsOf(what[0], what[1:])
		for i, has := range a.pairs {
			if has&pairs == pairs && bytes.Contains(a.data[int(a.start(i))-skip:a.ends[i]], what) {
				found.set(i)
			}
		}
		return
	}
	rare := 0
	for i, c := range what {
		if a.often[c] < a.often[what[rare]] {
			rare = i
		}
	}
	for at, row := 0, 0; row < len(a.ends); {
		k := index(a.data[at:], what, rare)
		if k < 0 {
			return
		}
		row = a.rowAt(uint32(at+k+skip), row)
		found.set(row)
		at = int(a.ends[row]) - skip // the NUL before a row begins an exact match
		row++
	}
}

// index does the same as bytes.Index, but searches for a rare byte of what: the
// first byte of a search text is often in every text.
func index(data, what []byte, rare int) int {
	for at := 0; ; at++ {
		if at+len(what) > len(data) {
			return -1
		}
		k := bytes.IndexByte(data[at+rare:], what[rare])
		if k < 0 {
			return -1
		}
		if at += k; at+len(what) <= len(data) && string(data[at:at+len(what)]) == string(what) {
			return at
		}
	}
}

// rowAt returns the row that holds the byte at: row from or a later one.
func (a *arena) rowAt(at uint32, from int) int {
	step, to := 1, from
	for to < len(a.ends) && a.ends[to] <= at { // gallop, because hits are often close
		from, to, step = to+1, to+step, 2*step
	}
	to = min(to, len(a.ends))
	return from + sort.Search(to-from, func(i int) bool { return a.ends[from+i] > at })
}

// globs reports whether text consists of the parts with anything between them.
func globs(text []byte, parts [][]byte) bool {
	first, last := parts[0], parts[len(parts)-1]
	if len(parts) == 1 {
		return bytes.Equal(text, first)
	}
	if len(text) < len(first)+len(last) || !bytes.HasPrefix(text, first) || !bytes.HasSuffix(text, last) {
		return false
	}
	text = text[len(first) : len(text)-len(last)]
	for _, part := range parts[1 : len(parts)-1] {
		k := bytes.Index(text, part)
		if k < 0 {
			return false
		}
		text = text[k+len(part):]
	}
	return true
}

// bitmap is a set of rows.
type bitmap []uint64

func newBitmap(rows int) bitmap { return make(bitmap, (rows+63)/64) }

func (b bitmap) set(i int)      { b[i/64] |= 1 << (i % 64) }
func (b bitmap) has(i int) bool { return b[i/64]&(1<<(i%64)) != 0 }

func (b bitmap) count() int {
	n := 0
	for _, word := range b {
		n += bits.OnesCount64(word)
	}
	return n
}
