package document

import (
	"bytes"
	"context"
	"math"
	"sort"
	"strconv"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// needleScan finds candidate positions of a needle in a body: the needle's own
// bytes, or an escape that can encode any letter. Only these positions have to be
// parsed as JSON. One goroutine uses it.
type needleScan struct {
	ctx      context.Context
	body     *body
	end      int64 // end of the bytes to search
	fold     bool  // the needle is in lower case, the body is not
	needle   []byte
	patterns [][]byte // the first is escape
	overlap  int64    // overlap of two pieces, so that each pattern is completely in one of them

	piece []byte // of the body, folded
	base  int64
	next  []int64 // the next position of each pattern in the piece; past its end for none
	err   error   // the first failed read
}

// escapable lists the characters that one-letter escapes decode to, and U+FFFD,
// which replaces broken UTF-8: a needle with one of them may not occur
// literally in the body.
const escapable = "\"\\/\b\f\n\r\t\uFFFD"

// escape is the prefix of an escape that can encode any letter.
var escape = []byte(`\u`)

// newNeedleScan returns a needleScan for needle in the body up to end; nil if every
// string has to be decoded to find it.
func newNeedleScan(ctx context.Context, b *body, end int64, needle []byte, fold bool) *needleScan {
	if bytes.ContainsAny(needle, escapable) || !utf8.Valid(needle) {
		return nil
	}
	l := &needleScan{ctx: ctx, body: b, end: end, fold: fold, needle: needle, patterns: [][]byte{escape, needle}}
	if fold {
		for _, c := range needle {
			if c >= utf8.RuneSelf {
				return nil
			}
		}
		// letters beyond ASCII with a lower-case form in ASCII
		if bytes.ContainsRune(needle, 'k') {
			l.patterns = append(l.patterns, []byte("\u212A"))
		}
		if bytes.ContainsRune(needle, 'i') {
			l.patterns = append(l.patterns, []byte("\u0130"))
		}
	}
	for _, p := range l.patterns {
		l.overlap = max(l.overlap, int64(len(p))-1)
	}
	return l
}

// from returns the first candidate at or after pos. It returns the end of the
// body if there is none, and after an error.
func (l *needleScan) from(pos int64) int64 {
	for pos < l.end {
		if pos < l.base || pos >= l.base+int64(len(l.piece)) {
			if !l.read(pos) {
				break
			}
		}
		first := int64(math.MaxInt64)
		for i, p := range l.patterns {
			if l.next[i] < pos {
				l.next[i] = math.MaxInt64
				if found := l.index(l.piece[pos-l.base:], p); found >= 0 {
					l.next[i] = pos + int64(found)
				}
			}
			first = min(first, l.next[i])
		}
		if first < math.MaxInt64 {
			return first
		}
		after := l.base + int64(len(l.piece))
		if after >= l.end {
			break
		}
		pos = max(pos+1, after-l.overlap)
		if !l.read(pos) {
			break
		}
	}
	return l.end
}

// index returns the first position of p in text; for an escape, the first that
// encodes a letter of the needle.
func (l *needleScan) index(text, p []byte) int {
	for skipped := 0; ; {
		found := bytes.Index(text[skipped:], p)
		if found < 0 {
			return -1
		}
		found += skipped
		if &p[0] != &escape[0] || l.matters(text[found+len(escape):]) {
			return found
		}
		skipped = found + len(escape)
	}
}

// matters reports whether the needle contains the letter whose hex digits begin
// text.
func (l *needleScan) matters(text []byte) bool {
	if len(text) < 4 {
		return true // the rest is in the next piece
	}
	code, err := strconv.ParseUint(string(text[:4]), 16, 32)
	letter := rune(code)
	if err != nil || utf16.IsSurrogate(letter) {
		return true
	}
	if l.fold {
		letter = unicode.ToLower(letter)
	}
	return bytes.ContainsRune(l.needle, letter)
}

// read makes the piece begin at pos.
func (l *needleScan) read(pos int64) bool {
	if l.err = l.ctx.Err(); l.err != nil {
		return false
	}
	if l.piece == nil {
		l.piece = make([]byte, min(largeWindow, l.end-pos))
	}
	n, err := l.body.ReadAt(l.piece[:min(int64(cap(l.piece)), l.end-pos)], pos)
	if n == 0 {
		l.err = err
		return false
	}
	l.piece, l.base = l.piece[:n], pos
	if l.fold {
		foldASCII(l.piece)
	}
	l.next = append(l.next[:0], make([]int64, len(l.patterns))...)
	for i := range l.next {
		l.next[i] = -1
	}
	return true
}

// indexedStart returns the nearest indexed position at or before at where a value, a
// key or the punctuation between them begins.
func (s *scanner) indexedStart(root, at int64) int64 {
	place, next := root, s.after(root)
	for next < len(s.spans) && s.spans[next].start <= at {
		inner := &s.spans[next]
		if inner.end <= at {
			place = max(place, inner.end)
			next = s.after(place)
			continue
		}
		place = inner.start
		if i := sort.Search(len(inner.marks), func(i int) bool { return inner.marks[i].at > at }); i > 0 {
			place = inner.marks[i-1].at
		}
		next = s.after(max(place, inner.start+1))
	}
	return place
}
