package document

import (
	"bytes"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"spyglass/app/document/query"
)

// datum is a value in a condition. Text is a decoded string, or any other scalar
// as in the body.
type datum struct {
	kind Kind // empty: no value
	text []byte
	at   int64 // offset of a container
}

// maxCompared limits the bytes of a text that conditions compare.
const maxCompared = 16 << 20

func (w *walker) datum(at int64) datum {
	switch c := w.byteAt(at); c {
	case '{':
		return datum{kind: Object, at: at}
	case '[':
		return datum{kind: Array, at: at}
	case '"':
		end := w.textAfter(at)
		raw := w.bytes(at+1, min(end-1, at+1+maxCompared))
		if bytes.IndexByte(raw, '\\') < 0 && utf8.Valid(raw) {
			return datum{kind: String, text: bytes.Clone(raw)}
		}
		text, _, _ := decode(nil, raw, math.MaxInt, false)
		return datum{kind: String, text: text}
	case 't', 'f':
		return datum{kind: Bool, text: bytes.Clone(w.bytes(at, w.plainEnd(at)))}
	case 'n':
		return datum{kind: Null, text: []byte("null")}
	default:
		return datum{kind: Number, text: bytes.Clone(w.bytes(at, w.plainEnd(at)))}
	}
}

// operand evaluates o for the value at at.
func (w *walker) operand(o query.Operand, at int64) datum {
	switch o := o.(type) {
	case *query.Literal:
		return w.once(o, func() datum { return datum{kind: Kind(o.Kind), text: []byte(o.Text)} })
	case *query.Path:
		if o.Root {
			return w.once(o, func() datum { return w.only(o, w.root) })
		}
		return w.only(o, at)
	case *query.Call:
		return w.call(o, at)
	}
	return datum{}
}

// once evaluates an operand that has the same value everywhere, and caches it.
func (w *walker) once(o query.Operand, work func() datum) datum {
	d, ok := w.known[o]
	if !ok {
		d = work()
		w.known[o] = d
	}
	return d
}

// only returns the value of a path with one value. For duplicate keys it returns
// the last one, like most JSON parsers.
func (w *walker) only(p *query.Path, at int64) datum {
	for i := range p.Segments {
		next := int64(-1)
		w.choose(at, &p.Segments[i].Selectors[0], func(c child) int64 { next = c.at; return unknownEnd })
		if next < 0 {
			return datum{}
		}
		at = next
	}
	return w.datum(at)
}

func (w *walker) call(c *query.Call, at int64) datum {
	if c.Name == "length" {
		return w.length(w.operand(c.Of, at))
	}
	path := c.Of.(*query.Path)
	n, last := int64(0), int64(0)
	w.follow(w.origin(path, at), path.Segments, func(found int64) int64 { n++; last = found; return unknownEnd })
	switch {
	case c.Name == "count":
		return datum{kind: Number, text: strconv.AppendInt(nil, n, 10)}
	case n == 1:
		return w.datum(last)
	}
	return datum{}
}

// origin returns the value at which a path begins.
func (w *walker) origin(p *query.Path, at int64) int64 {
	if p.Root {
		return w.root
	}
	return at
}

// length returns the number of a text's characters or a container's children;
// other values have none.
func (w *walker) length(d datum) datum {
	n := int64(0)
	switch d.kind {
	case String:
		n = int64(utf8.RuneCount(d.text))
	case Object, Array:
		n = w.count(d.at)
	default:
		return datum{}
	}
	return datum{kind: Number, text: strconv.AppendInt(nil, n, 10)}
}

// holds reports whether a condition is true for the value at at.
func (w *walker) holds(e query.Expr, at int64) bool {
	switch e := e.(type) {
	case *query.Or:
		return w.holds(e.Left, at) || w.holds(e.Right, at)
	case *query.And:
		return w.holds(e.Left, at) && w.holds(e.Right, at)
	case *query.Not:
		return !w.holds(e.X, at)
	case *query.Exists:
		return w.any(e.Path, at, func(int64) bool { return true })
	case *query.Within:
		return w.any(e.Path, at, func(found int64) bool { return w.holds(e.Filter, found) })
	case *query.Truthy:
		if path, ok := e.Of.(*query.Path); ok {
			return w.any(path, at, func(found int64) bool { return truthy(w.datum(found)) })
		}
		return truthy(w.operand(e.Of, at))
	case *query.Compare:
		return w.compare(e, at)
	case *query.Match:
		return w.matches(e, at)
	case *query.Holds:
		return w.has(e, at)
	}
	return false
}

func truthy(d datum) bool {
	return d.kind != "" && d.kind != Null && (d.kind != Bool || string(d.text) == "true")
}

func (w *walker) any(p *query.Path, at int64, ok func(int64) bool) (found bool) {
	w.follow(w.origin(p, at), p.Segments, func(n int64) int64 {
		found = found || ok(n)
		return unknownEnd
	})
	return found
}

func (w *walker) compare(c *query.Compare, at int64) bool {
	left, right := w.operand(c.Left, at), w.operand(c.Right, at)
	if c.NothingNull {
		if left.kind == "" {
			left.kind = Null
		}
		if right.kind == "" {
			right.kind = Null
		}
	}
	switch c.Op {
	case "==":
		return w.equal(left, right)
	case "!=":
		return !w.equal(left, right)
	case "<":
		return less(left, right)
	case "<=":
		return less(left, right) || w.equal(left, right)
	case ">":
		return less(right, left)
	}
	return less(right, left) || w.equal(left, right)
}

func less(a, b datum) bool {
	switch {
	case a.kind == Number && b.kind == Number:
		return compareNumbers(a.text, b.text) < 0
	case a.kind == String && b.kind == String:
		return bytes.Compare(a.text, b.text) < 0
	}
	return false
}

func (w *walker) equal(a, b datum) bool {
	if a.kind != b.kind {
		return false
	}
	switch a.kind {
	case "", Null:
		return true
	case Number:
		return compareNumbers(a.text, b.text) == 0
	case Array, Object:
		return a.at == b.at || w.alike(a, b)
	}
	return bytes.Equal(a.text, b.text)
}

// alike compares two containers; the order of an object's keys does not matter.
func (w *walker) alike(a, b datum) bool {
	if w.count(a.at) != w.count(b.at) {
		return false
	}
	list := func(d datum) (all []child, keys []string) {
		w.each(d.at, mark{at: d.at + 1}, func(c child) int64 {
			if all = append(all, c); c.key >= 0 {
				keys = append(keys, string(w.datum(c.key).text))
			}
			return unknownEnd
		})
		return all, keys
	}
	left, leftKeys := list(a)
	right, rightKeys := list(b)
	if len(left) != len(right) {
		return false
	}
	at := map[string]int{}
	for i, key := range rightKeys {
		at[key] = i
	}
	for i := range left {
		j := i
		if a.kind == Object {
			var ok bool
			if j, ok = at[leftKeys[i]]; !ok {
				return false
			}
		}
		if w.halted() || !w.equal(w.datum(left[i].at), w.datum(right[j].at)) {
			return false
		}
	}
	return true
}

func (w *walker) matches(m *query.Match, at int64) bool {
	text := w.operand(m.Text, at)
	if text.kind != String {
		return false
	}
	compiled := m.Compiled
	if compiled == nil {
		pattern := w.operand(m.Pattern, at)
		if pattern.kind != String || len(pattern.text) > query.MaxLength {
			return false
		}
		var err error
		if compiled, err = query.Compile(string(pattern.text), m.Whole); err != nil {
			return false
		}
	}
	return (*regexp.Regexp)(compiled).Match(text.text)
}

func (w *walker) has(h *query.Holds, at int64) bool {
	d := w.operand(h.Of, at)
	switch {
	case h.How == "has" && d.kind == Object:
		return w.any(
			&query.Path{Segments: []query.Segment{{Selectors: []query.Selector{{Kind: query.ByName, Name: h.Text}}}}},
			at, func(int64) bool { return true })
	case h.How == "contains" && d.kind == Array:
		want, found := []byte(h.Text), false
		w.each(d.at, mark{at: d.at + 1}, func(c child) int64 {
			item := w.datum(c.at)
			found = found || item.kind == String && bytes.Contains(item.text, want)
			return unknownEnd
		})
		return found
	case d.kind != String:
		return false
	}
	text := string(d.text)
	switch h.How {
	case "startswith":
		return strings.HasPrefix(text, h.Text)
	case "endswith":
		return strings.HasSuffix(text, h.Text)
	}
	return h.How == "contains" && strings.Contains(text, h.Text)
}

// compareNumbers compares two JSON numbers by value, of any length, exactly.
func compareNumbers(a, b []byte) int {
	if bytes.Equal(a, b) {
		return 0
	}
	x, y := decimalOf(a), decimalOf(b)
	switch {
	case x.sign != y.sign:
		return x.sign - y.sign
	case x.sign == 0:
		return 0
	case x.point != y.point:
		if x.point < y.point {
			return -x.sign
		}
		return x.sign
	}
	return x.sign * bytes.Compare(x.digits, y.digits)
}

// decimal represents 0.digits × 10^point, without leading or trailing zeros.
type decimal struct {
	sign   int
	digits []byte
	point  int64
}

func decimalOf(text []byte) decimal {
	d := decimal{sign: 1}
	if len(text) > 0 && text[0] == '-' {
		d.sign, text = -1, text[1:]
	}
	exponent := int64(0)
	if e := bytes.IndexAny(text, "eE"); e >= 0 {
		exponent, _ = strconv.ParseInt(strings.TrimPrefix(string(text[e+1:]), "+"), 10, 64) // ParseInt saturates
		exponent = max(min(exponent, math.MaxInt64/4), math.MinInt64/4)
		text = text[:e]
	}
	whole, part, _ := bytes.Cut(text, []byte("."))
	digits := slices.Concat(whole, part)
	trimmed := bytes.TrimLeft(digits, "0")
	d.point = int64(len(whole)) - int64(len(digits)-len(trimmed)) + exponent
	if d.digits = bytes.TrimRight(trimmed, "0"); len(d.digits) == 0 {
		return decimal{}
	}
	return d
}
