package document

import (
	"bytes"
	"cmp"
	"context"
	"unicode/utf8"
)

// Found is one match of a search.
type Found struct {
	Count int    `json:"count" doc:"matches in the whole document"`
	At    int    `json:"at" doc:"which one this is, from 0; -1 when there is none"`
	Node  int64  `json:"node" doc:"the value it is in, or whose key it is in"`
	Key   bool   `json:"key" doc:"in the key, not in the value"`
	Row   int    `json:"row" doc:"row of Rows, or of Lines for FindRaw"`
	Total int    `json:"total" doc:"rows there are now"`
	Path  string `json:"path,omitempty"`
}

// maxHits limits the matches that a search stores; further ones are only counted.
const maxHits = 1 << 20

// hits holds the matches of one search.
type hits struct {
	query   string
	exact   bool
	raw     bool
	at      []int64 // the node, or the offset in the body for raw
	inKey   []bool
	count   int
	needle  []byte
	lowered []byte
}

// Find searches keys and values, in their decoded form, for query and opens the
// containers around match n, counted from 0; n wraps around at both ends. A key
// or value that contains the query several times is one match. exact makes the
// search case-sensitive.
//
// The whole document is read once per query, at the speed of a byte search
// where candidates are few; the matches of the newest query are cached. It ends
// with ctx's error when ctx does.
func (d *Document) Find(ctx context.Context, query string, exact bool, n int) (f Found, err error) {
	f.At = -1
	if d.index.problem != "" {
		return f, nil
	}
	h, err := d.search(ctx, hits{query: query, exact: exact})
	if err != nil || len(h.at) == 0 {
		return f, err
	}
	i := around(n, len(h.at))
	f = Found{Count: h.count, At: i, Node: h.at[i], Key: h.inKey[i]}
	err = d.use(func(s *scanner) error {
		chain, err := d.find(s, f.Node)
		if err != nil {
			return err
		}
		f.Path = s.jsonPath(chain)
		f.Row, f.Total = d.reveal(chain)
		return nil
	})
	return f, err
}

// FindRaw searches the body as received and finds the row of the Raw view for
// match n, like Find. Matches do not overlap. Node is the match's offset. Without
// exact, only A to Z are folded.
func (d *Document) FindRaw(ctx context.Context, query string, exact bool, n int) (f Found, err error) {
	f = Found{At: -1, Total: d.lines.rows()}
	h, err := d.search(ctx, hits{query: query, exact: exact, raw: true})
	if err != nil || len(h.at) == 0 {
		return f, err
	}
	i := around(n, len(h.at))
	f.Count, f.At, f.Node = h.count, i, h.at[i]
	err = d.use(func(s *scanner) error {
		f.Row = d.rowAt(s, f.Node)
		return nil
	})
	return f, err
}

func around(n, count int) int { return (n%count + count) % count }

// search returns the matches of h's query, from the last search if it was the same.
func (d *Document) search(ctx context.Context, h hits) (*hits, error) {
	if h.query == "" {
		return &h, nil
	}
	d.finds.Lock()
	defer d.finds.Unlock()
	if l := d.last; l != nil && l.query == h.query && l.exact == h.exact && l.raw == h.raw {
		return l, nil
	}
	h.needle = []byte(h.query)
	if !h.exact {
		h.needle = bytes.ToLower(h.needle)
		if h.raw {
			h.needle = []byte(h.query)
			foldASCII(h.needle)
		}
	}
	err := d.read(largeWindow, func(s *scanner) error {
		if h.raw {
			return h.scanRaw(ctx, s, d.size)
		}
		return h.scan(ctx, s, d.root)
	})
	if err != nil {
		return nil, err
	}
	d.last = &h
	return &h, nil
}

func (h *hits) add(at int64, key bool) {
	h.count++
	if len(h.at) < maxHits {
		h.at = append(h.at, at)
		h.inKey = append(h.inKey, key)
	}
}

// scan checks the keys and scalars that may contain the needle.
func (h *hits) scan(ctx context.Context, s *scanner, root member) error {
	look := newNeedleScan(ctx, s.body, root.end, h.needle, !h.exact)
	if look == nil {
		_, err := h.tokens(ctx, s, root.start, root.end)
		return err
	}
	near := s.apart()
	for pos := root.start; ; {
		at := look.from(pos)
		if at >= root.end {
			return cmp.Or(look.err, near.err)
		}
		if at-pos > stride {
			pos = max(pos, near.indexedStart(root.start, at))
		}
		var err error
		if pos, err = h.tokens(ctx, near, pos, at+1); err != nil {
			return err
		}
	}
}

// tokens checks every key and scalar that begins in [pos, to), and returns its
// position after them.
func (h *hits) tokens(ctx context.Context, s *scanner, pos, to int64) (int64, error) {
	for checked := pos - 1<<20; pos < to; {
		if pos-checked >= 1<<20 {
			if checked = pos; ctx.Err() != nil {
				return pos, ctx.Err()
			}
		}
		w := s.rest(pos)
		i := 0
		for i < len(w) && between[w[i]] {
			i++
		}
		pos += int64(i)
		if i == len(w) {
			if i == 0 {
				return to, s.err
			}
			continue
		}
		end, err := h.token(s, pos, w[i:])
		if err != nil {
			return pos, err
		}
		pos = end
	}
	return pos, s.err
}

// between marks the bytes outside of keys and scalars.
var between = [256]bool{'{': true, '}': true, '[': true, ']': true, ',': true, ':': true, ' ': true, '\n': true,
	'\r': true, '\t': true}

// token checks the key or scalar at pos, where w begins, and returns its end.
func (h *hits) token(s *scanner, pos int64, w []byte) (end int64, err error) {
	if w[0] != '"' {
		end = s.plainEnd(pos)
		if h.in(s.bytes(pos, min(end, pos+pieceSize))) {
			h.add(pos, false)
		}
		return end, nil
	}
	found := false
	if n := shortText(w); n > 0 && n < pieceSize {
		end = pos + int64(n)
		found, err = h.inText(s, w[1:n-1], pos+1, end-1)
	} else {
		end = s.textEnd(pos)
		found, err = h.inText(s, nil, pos+1, end-1)
	}
	if err != nil || !found {
		return end, err
	}
	next := s.skipSpace(end)
	if s.byteAt(next) == ':' {
		h.add(s.skipSpace(next+1), true)
	} else {
		h.add(pos, false)
	}
	return end, nil
}

// in reports whether text contains the needle.
func (h *hits) in(text []byte) bool {
	if len(text) < len(h.needle) && h.exact {
		return false
	}
	if !h.exact {
		h.lowered = lower(h.lowered[:0], text)
		text = h.lowered
	}
	return bytes.Contains(text, h.needle)
}

// lower appends text in lower case to dst.
func lower(dst, text []byte) []byte {
	for i, c := range text {
		if c >= utf8.RuneSelf {
			return append(dst, bytes.ToLower(text[i:])...)
		}
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		dst = append(dst, c)
	}
	return dst
}

// inText reports whether the decoded string at [from, to) contains the needle.
// raw is the string if it is in memory.
func (h *hits) inText(s *scanner, raw []byte, from, to int64) (found bool, err error) {
	if raw != nil && bytes.IndexByte(raw, '\\') < 0 && utf8.Valid(raw) {
		return h.in(raw), nil
	}
	var text []byte // this piece, after the end of the last one for a match across both
	err = s.pieces(from, to, func(piece []byte) (bool, error) {
		text = append(text, piece...)
		if found = h.in(text); found {
			return false, nil
		}
		text = append(text[:0], text[max(0, len(text)-4*len(h.needle)):]...)
		return true, nil
	})
	return found, err
}

// scanRaw searches the whole body as bytes.
func (h *hits) scanRaw(ctx context.Context, s *scanner, size int64) error {
	for pos := int64(0); pos < size; {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		text := s.bytes(pos, min(size, pos+largeWindow))
		if len(text) < len(h.needle) {
			break
		}
		used := h.inPiece(text, pos)
		pos += int64(max(used, len(text)-len(h.needle)+1))
	}
	return s.err
}

// inPiece adds the matches in a piece of the body and returns the end of the last.
func (h *hits) inPiece(text []byte, pos int64) (used int) {
	if !h.exact {
		h.lowered = append(h.lowered[:0], text...)
		text = h.lowered
		foldASCII(text)
	}
	for {
		i := bytes.Index(text[used:], h.needle)
		if i < 0 {
			return used
		}
		h.add(pos+int64(used+i), false)
		used += i + len(h.needle)
	}
}

// foldASCII converts letters to lower case in place and keeps the length, so
// that offsets stay those of the body.
func foldASCII(text []byte) {
	for i, c := range text {
		if 'A' <= c && c <= 'Z' {
			text[i] = c + 'a' - 'A'
		}
	}
}
