package document

import (
	"slices"
	"sort"

	"spyglass/backend/resource"
)

// Kind is the type of a row or value.
type Kind string

// The kinds of JSON values, and of a closing bracket.
const (
	Object Kind = "object"
	Array  Kind = "array"
	String Kind = "string"
	Number Kind = "number"
	Bool   Kind = "boolean"
	Null   Kind = "null"
	End    Kind = "end" // the closing bracket of an open object or array
)

// Schema implements resource.Described.
func (Kind) Schema() resource.Schema {
	return resource.Schema{Type: "string", Enum: []any{Object, Array, String, Number, Bool, Null, End}}
}

// value is one JSON value with its extent.
type value struct {
	start, end int64
	kind       Kind
	count      int // children of a container
	lines      int // lines of its pretty print: 1 for a scalar or an empty container
	marks      []mark
}

// kindAt returns the kind of the value whose first byte is c.
func kindAt(c byte) Kind {
	switch c {
	case '{':
		return Object
	case '[':
		return Array
	case '"':
		return String
	case 't', 'f':
		return Bool
	case 'n':
		return Null
	}
	return Number
}

func (v *value) container() bool { return v.kind == Object || v.kind == Array }

// holds reports whether the offset of another value is inside v.
func (v *value) holds(at int64) bool { return v.start < at && at < v.end }

// member is a value in its container.
type member struct {
	value
	key, keyEnd int64 // the key with its quotes; both -1 in an array and for the root
	index       int   // how many children come before it; -1 for the root
	line        int   // line relative to its container's own
}

// scanner reads a body that is valid JSON according to the indexer.
type scanner struct {
	*cursor
	spans []span
}

// after returns the index of the first span at or after at.
func (s *scanner) after(at int64) int {
	return sort.Search(len(s.spans), func(i int) bool { return s.spans[i].start >= at })
}

// span returns the span that begins at at, if the index has it.
func (s *scanner) span(at int64) (*span, bool) {
	if i := s.after(at); i < len(s.spans) && s.spans[i].start == at {
		return &s.spans[i], true
	}
	return nil, false
}

// value reads the value whose first byte is at at.
func (s *scanner) value(at int64) value {
	switch kind := kindAt(s.byteAt(at)); kind {
	case Object, Array:
		return s.whole(at, kind)
	case String:
		return value{start: at, end: s.textEnd(at), kind: kind, lines: 1}
	default:
		return value{start: at, end: s.plainEnd(at), kind: kind, lines: 1}
	}
}

// textEnd returns the offset just after the string that begins at at.
func (s *scanner) textEnd(at int64) int64 {
	pos, escaped := at+1, false
	for {
		w := s.rest(pos)
		if len(w) == 0 {
			return pos
		}
		for i, c := range w {
			switch {
			case escaped:
				escaped = false
			case c == '\\':
				escaped = true
			case c == '"':
				return pos + int64(i) + 1
			}
			if i == stride {
				if sp, ok := s.span(at); ok {
					return sp.end
				}
			}
		}
		pos += int64(len(w))
	}
}

// plainEnd returns the offset just after the number or word that begins at at.
func (s *scanner) plainEnd(at int64) int64 {
	pos := at
	for {
		w := s.rest(pos)
		if len(w) == 0 {
			return pos
		}
		for i, c := range w {
			switch c {
			case ',', ']', '}', ' ', '\n', '\r', '\t':
				return pos + int64(i)
			}
			if i == stride {
				if sp, ok := s.span(at); ok {
					return sp.end
				}
			}
		}
		pos += int64(len(w))
	}
}

// whole reads a container, jumping over the spans inside it.
func (s *scanner) whole(at int64, kind Kind) value {
	if sp, ok := s.span(at); ok {
		return value{at, sp.end, kind, sp.count, sp.lines, sp.marks}
	}
	v := value{start: at, kind: kind, lines: 1}
	next := s.after(at)
	depth, empty := 0, false
	for pos := at; ; {
		w := s.rest(pos)
		if len(w) == 0 {
			v.end = pos
			return v
		}
		jumped := false
		for i := 0; i < len(w) && !jumped; i++ {
			c := w[i]
			here := pos + int64(i)
			switch c {
			case ' ', '\n', '\r', '\t':
				continue
			case ',':
				v.lines++
				if depth == 1 {
					v.count++
				}
			case ']', '}':
				depth--
				if !empty {
					v.lines += 2
				}
				if depth == 0 {
					if !empty {
						v.count++
					}
					v.end = here + 1
					return v
				}
			case '{', '[', '"':
				if sp := s.spanFrom(&next, here); sp != nil {
					v.lines += sp.lines - 1
					pos, jumped = sp.end, true
				} else if c == '"' {
					if n := shortText(w[i:]); n > 0 {
						i += n - 1
					} else {
						pos, jumped = s.textEnd(here), true
					}
				} else {
					depth++
					empty = true
					continue
				}
			}
			empty = false
		}
		if !jumped {
			pos += int64(len(w))
		}
	}
}

// spanFrom returns the span at at, or nil; next is a cursor that advances as at
// grows.
func (s *scanner) spanFrom(next *int, at int64) *span {
	for *next < len(s.spans) && s.spans[*next].start < at {
		*next++
	}
	if *next < len(s.spans) && s.spans[*next].start == at {
		return &s.spans[*next]
	}
	return nil
}

// shortText returns the length of the string at the start of w, with its quotes;
// 0 if w does not contain its end.
func shortText(w []byte) int {
	for i := 1; i < len(w); i++ {
		switch w[i] {
		case '"':
			return i + 1
		case '\\':
			i++
		}
	}
	return 0
}

// members walks the children of a container.
type members struct {
	*scanner
	object bool
	pos    int64
	index  int
	line   int
}

// from iterates over the children of v from m on.
func (s *scanner) from(v value, m mark) members {
	return members{s, v.kind == Object, m.at, m.index, m.line}
}

// first returns the mark of v's first child.
func (v *value) first() mark { return mark{at: v.start + 1, line: 1} }

// lastMark returns the last mark among v's children for which ok returns true. If
// ok is true for a mark, it has to be true for all earlier ones.
func (v *value) lastMark(ok func(mark) bool) mark {
	i := sort.Search(len(v.marks), func(i int) bool { return !ok(v.marks[i]) })
	if i == 0 {
		return v.first()
	}
	return v.marks[i-1]
}

// next returns the next child, and false after the last one.
func (w *members) next() (m member, ok bool) {
	at := w.skipSpace(w.pos)
	c := w.byteAt(at)
	if c == ',' {
		at = w.skipSpace(at + 1)
		c = w.byteAt(at)
	}
	if c == ']' || c == '}' || c == 0 {
		return m, false
	}
	m = member{key: -1, keyEnd: -1, index: w.index, line: w.line}
	if w.object {
		m.key, m.keyEnd = at, w.textEnd(at)
		at = w.skipSpace(w.skipSpace(m.keyEnd) + 1)
	}
	m.value = w.value(at)
	w.pos = m.end
	w.index++
	w.line += m.lines
	return m, true
}

// chain returns the members from the root down to the value at node, or none if
// no value begins there.
func (d *Document) chain(s *scanner, node int64) []member {
	m := d.root
	links := []member{m}
	for m.start != node {
		if !m.container() || !m.holds(node) {
			return nil
		}
		walk := s.from(m.value, m.lastMark(func(k mark) bool { return k.at <= node }))
		for {
			child, ok := walk.next()
			if !ok || child.start > node {
				return nil
			}
			if child.end > node {
				m = child
				break
			}
		}
		links = append(links, m)
	}
	return slices.Clip(links)
}
