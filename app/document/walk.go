package document

import (
	"bytes"
	"context"

	"spyglass/app/document/query"
	"spyglass/backend/fault"
)

// walker runs a query over a body, mostly in one pass: it reads while it
// descends, and skips values whose end is in the index. It identifies values by
// offset and does not hold the body.
type walker struct {
	*scanner
	ctx   context.Context
	root  int64
	near  int   // the span at or after the last position
	seen  int   // children passed, to check ctx now and then
	stop  error // the reason to stop: ctx's error, or too many matches
	known map[query.Operand]datum
	done  struct{ at, end int64 } // the container that was walked last
}

// child is one member of a container that is being walked.
type child struct {
	key, keyEnd int64 // with its quotes; -1 in an array
	at          int64
	index       int64
}

const (
	unknownEnd = 0  // returned by visit: the end of the child is not known
	noMore     = -1 // returned by visit: skip further children
)

// halted reports whether the walk must end; it checks the context now and then.
func (w *walker) halted() bool {
	if w.seen++; w.seen&0xfff == 0 && w.stop == nil {
		w.stop = w.ctx.Err()
	}
	return w.stop != nil
}

// each visits the children of the container at at, from one on. visit returns the
// child's end, unknownEnd or noMore. each returns the container's end, or
// unknownEnd.
func (w *walker) each(at int64, from mark, visit func(child) int64) int64 {
	object := w.byteAt(at) == '{'
	pos := w.skipSpace(from.at)
	c := child{key: -1, keyEnd: -1, index: int64(from.index)}
	if b := w.byteAt(pos); b == '}' || b == ']' {
		return pos + 1
	}
	for ; ; c.index++ {
		if w.halted() {
			return unknownEnd
		}
		if object {
			c.key, c.keyEnd = pos, w.textAfter(pos)
			pos = w.skipSpace(w.skipSpace(c.keyEnd) + 1)
		}
		c.at = pos
		end := visit(c)
		if end == noMore {
			return unknownEnd
		}
		if end == unknownEnd {
			end = w.skip(c.at)
		}
		pos = w.skipSpace(end)
		if w.byteAt(pos) != ',' {
			w.done.at, w.done.end = at, pos+1
			return pos + 1
		}
		pos = w.skipSpace(pos + 1)
	}
}

// isContainer reports whether an object or array begins at at.
func (w *walker) isContainer(at int64) bool {
	c := w.byteAt(at)
	return c == '{' || c == '['
}

// skip returns the end of the value at at.
func (w *walker) skip(at int64) int64 {
	if at == w.done.at {
		return w.done.end
	}
	switch w.byteAt(at) {
	case '"':
		return w.textAfter(at)
	case '{', '[':
		return w.containerEnd(at)
	}
	return w.plainEnd(at)
}

func (w *walker) textAfter(at int64) int64 {
	rest := w.rest(at)
	if n := shortText(rest[:min(len(rest), stride)]); n > 0 {
		return at + int64(n)
	}
	return w.textEnd(at)
}

// structural marks the bytes at which containerEnd stops.
var structural = [256]bool{'{': true, '}': true, '[': true, ']': true, '"': true}

func (w *walker) containerEnd(at int64) int64 {
	next, depth := w.spanAfter(at), 0
	for pos := at; ; {
		p := w.rest(pos)
		if len(p) == 0 {
			return pos
		}
		jump := int64(-1)
		for i := 0; i < len(p); i++ {
			c := p[i]
			if !structural[c] {
				continue
			}
			if c == '}' || c == ']' {
				if depth--; depth == 0 {
					return pos + int64(i) + 1
				}
				continue
			}
			here := pos + int64(i)
			if sp := w.spanFrom(&next, here); sp != nil {
				if depth == 0 {
					return sp.end
				}
				jump = sp.end
				break
			}
			if c != '"' {
				depth++
			} else if n := shortText(p[i:]); n > 0 {
				i += n - 1
			} else {
				jump = w.textEnd(here)
				break
			}
		}
		if jump >= 0 {
			pos = jump
		} else {
			pos += int64(len(p))
		}
	}
}

// spanAfter is a faster version of scanner.after for ascending positions.
func (w *walker) spanAfter(at int64) int {
	n := w.near
	if n == 0 || w.spans[n-1].start < at {
		for range 8 {
			if n == len(w.spans) || w.spans[n].start >= at {
				w.near = n
				return n
			}
			n++
		}
	}
	w.near = w.after(at)
	return w.near
}

// beginning returns the nearest indexed position before a child of the container
// at at.
func (w *walker) beginning(at, index int64) mark {
	if i := w.spanAfter(at); i < len(w.spans) && w.spans[i].start == at {
		v := value{start: at, marks: w.spans[i].marks}
		return v.lastMark(func(m mark) bool { return int64(m.index) <= index })
	}
	return mark{at: at + 1}
}

// count returns the number of children of the container at at.
func (w *walker) count(at int64) (n int64) {
	if i := w.spanAfter(at); i < len(w.spans) && w.spans[i].start == at {
		return int64(w.spans[i].count)
	}
	w.each(at, mark{at: at + 1}, func(child) int64 { n++; return unknownEnd })
	return n
}

// keyIs reports whether a child's decoded key is name.
func (w *walker) keyIs(c child, name string) bool {
	raw := w.bytes(c.key+1, c.keyEnd-1)
	if string(raw) == name {
		return true
	}
	if bytes.IndexByte(raw, '\\') < 0 {
		return false
	}
	text, _, _ := decode(nil, raw, len(raw), false)
	return string(text) == name
}

// follow follows segs from the value at at and calls found for each value that
// they select. It returns the end of the value at at if it is known. found
// returns an end, too.
func (w *walker) follow(at int64, segs []query.Segment, found func(int64) int64) int64 {
	if len(segs) == 0 {
		return found(at)
	}
	seg, rest := &segs[0], segs[1:]
	if seg.Descend {
		var nodes []int64
		end := w.descend(at, seg, &nodes)
		for _, n := range nodes {
			if w.halted() {
				break
			}
			w.follow(n, rest, found)
		}
		return end
	}
	end := int64(unknownEnd)
	for i := range seg.Selectors {
		end = w.choose(at, &seg.Selectors[i], func(c child) int64 { return w.follow(c.at, rest, found) })
	}
	return end
}

// choose calls use for the children of the value at at that a selector
// selects, in the order of RFC 9535, and returns the value's end if it is known.
func (w *walker) choose(at int64, s *query.Selector, use func(child) int64) int64 {
	kind := w.byteAt(at)
	if kind != '{' && kind != '[' {
		return unknownEnd
	}
	all := mark{at: at + 1}
	switch {
	case s.Kind == query.Wildcard:
		return w.each(at, all, use)
	case s.Kind == query.ByFilter:
		return w.each(at, all, func(c child) int64 {
			if w.holds(s.Filter, c.at) {
				return use(c)
			}
			return unknownEnd
		})
	case s.Kind == query.ByName && kind == '{':
		return w.each(at, all, func(c child) int64 {
			if w.keyIs(c, s.Name) {
				return use(c)
			}
			return unknownEnd
		})
	case s.Kind == query.ByIndex && kind == '[':
		n := s.Index
		if n < 0 {
			n += w.count(at)
		}
		return w.stretch(at, n, n+1, 1, use)
	case s.Kind == query.BySlice && kind == '[':
		from, to := w.bounds(at, s)
		return w.stretch(at, from, to, s.Step, use)
	}
	return unknownEnd
}

// bounds returns the first index of a slice and the index after the last one (RFC
// 9535, 2.3.4.2).
func (w *walker) bounds(at int64, s *query.Selector) (from, to int64) {
	n := int64(-1)
	place := func(i *int64, otherwise int64) int64 {
		if i == nil {
			return otherwise
		}
		if *i < 0 {
			return *i + n
		}
		return *i
	}
	if s.Step > 0 && (s.Start == nil || *s.Start >= 0) && (s.End == nil || *s.End >= 0) {
		return place(s.Start, 0), place(s.End, 1<<62)
	}
	n = w.count(at)
	if s.Step > 0 {
		return max(place(s.Start, 0), 0), min(place(s.End, n), n)
	}
	return min(place(s.Start, n-1), n-1), max(place(s.End, -1), -1)
}

// stretch uses every step-th child from one index up to, or down to, another.
func (w *walker) stretch(at, from, to, step int64, use func(child) int64) int64 {
	switch {
	case step > 0 && from >= 0 && from < to:
		return w.each(at, w.beginning(at, from), func(c child) int64 {
			if c.index >= to {
				return noMore
			}
			if c.index < from || (c.index-from)%step != 0 {
				return unknownEnd
			}
			if use(c); c.index+1 >= to {
				return noMore
			}
			return unknownEnd
		})
	case step < 0 && from > to:
		var selected []child
		w.each(at, w.beginning(at, to+1), func(c child) int64 {
			if c.index > from {
				return noMore
			}
			if c.index > to && (from-c.index)%-step == 0 {
				selected = append(selected, c)
			}
			return unknownEnd
		})
		for i := len(selected) - 1; i >= 0; i-- {
			use(selected[i])
		}
	}
	return unknownEnd
}

// maxHeld limits the values that .. may find, because they are sorted before use.
const maxHeld = 8 << 20

// descend collects the values that a segment with .. selects in the value at
// at: first among its own children, then in each of them (RFC 9535, 2.5.2.2).
func (w *walker) descend(at int64, seg *query.Segment, out *[]int64) int64 {
	s := &seg.Selectors[0]
	if s.Kind == query.Itself {
		w.hold(out, at)
	}
	if !w.isContainer(at) {
		return unknownEnd
	}
	all := mark{at: at + 1}
	if s.Kind == query.Itself {
		return w.each(at, all, func(c child) int64 { return w.descend(c.at, seg, out) })
	}
	inline := len(seg.Selectors) == 1 && s.Kind != query.BySlice && (s.Kind != query.ByIndex || s.Index >= 0)
	if !inline {
		for i := range seg.Selectors {
			w.choose(at, &seg.Selectors[i], func(c child) int64 { w.hold(out, c.at); return unknownEnd })
		}
	}
	var deep []int64
	end := w.each(at, all, func(c child) int64 {
		if inline && w.selects(s, c) {
			w.hold(out, c.at)
		}
		return w.descend(c.at, seg, &deep)
	})
	*out = append(*out, deep...)
	return end
}

func (w *walker) selects(s *query.Selector, c child) bool {
	switch s.Kind {
	case query.ByName:
		return c.key >= 0 && w.keyIs(c, s.Name)
	case query.ByIndex:
		return c.key < 0 && c.index == s.Index
	case query.ByFilter:
		return w.holds(s.Filter, c.at)
	}
	return s.Kind == query.Wildcard
}

func (w *walker) hold(out *[]int64, at int64) {
	if len(*out) >= maxHeld && w.stop == nil {
		w.stop = fault.At("query", "more than %d values match; use something narrower than ..", maxHeld)
		return
	}
	*out = append(*out, at)
}
