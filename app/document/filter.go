package document

import (
	"context"
	"math"
	"slices"
	"strconv"
	"strings"

	"spyglass/app/document/query"
	"spyglass/backend/fault"
	"spyglass/backend/resource"
)

const (
	maxResult  = 1 << 30 // bytes of all matches together
	keptOrigin = 1 << 20 // matches whose origin is stored
)

// Filter runs a query over d and stores the matches as a new document: a JSON
// array of the matches in their order, each unchanged. Path of a node in it
// returns the node's path in d. count is the number of matches.
//
// It reads the body about once, at some 300 MB/s, except for a query with .. or
// with several selectors. Its memory does not grow with the body. It ends when
// ctx ends. It returns fault.Invalid, at query, if d is not JSON or the matches
// exceed 1 GiB.
func (s *Store) Filter(ctx context.Context, d *Document, q *query.Query) (result *Document, count int, err error) {
	w := s.Create("application/json")
	defer w.Abort()
	out := &matchWriter{to: w}
	out.text("[")
	if err := d.eachMatch(ctx, q, out); err != nil {
		return nil, 0, err
	}
	if out.count > 0 {
		out.text("\n")
	}
	out.text("]")
	if out.flush(); out.err != nil {
		return nil, 0, out.err
	}
	w.doc.source, w.doc.origins = d, slices.Clip(out.origins)
	result, err = w.Finish()
	return result, out.count, err
}

// eachMatch writes the matches of a query.
func (d *Document) eachMatch(ctx context.Context, q *query.Query, out *matchWriter) error {
	if ok, problem := d.JSON(); !ok {
		return fault.At("query", "only JSON can be filtered: %s", problem)
	}
	return d.read(largeWindow, func(s *scanner) error {
		w := walkerOf(ctx, s, d.root.start)
		run := filterRun{walker: w, out: out, steps: q.Steps}
		run.step(0, w.root)
		if w.stop != nil {
			return w.stop
		}
		return out.err
	})
}

// Replace notes the id of d's newest matches and returns that of the last ones.
func (d *Document) Replace(matches string) (last string) {
	d.finds.Lock()
	defer d.finds.Unlock()
	last, d.matches = d.matches, matches
	return last
}

// Match is the first match of a query.
type Match struct {
	Kind Kind
	Text string // of a string decoded, of anything else as in the body
	More bool   // Text is only the beginning
}

// First returns the first match, with at most most bytes of its text, and the number of
// matches. It is Filter without a document for the matches.
func (d *Document) First(ctx context.Context, q *query.Query, most int) (m Match, count int, err error) {
	out := &matchWriter{most: escapedSize*most + 1}
	if err := d.eachMatch(ctx, q, out); err != nil || out.count == 0 {
		return m, 0, err
	}
	raw := out.buf
	m.Kind, m.More = kindAt(raw[0]), out.more
	if m.Kind == String {
		raw = raw[1:]
		if !m.More {
			raw = raw[:len(raw)-1]
		}
		raw, _, _ = decode(nil, raw, math.MaxInt, m.More)
	}
	if len(raw) > most {
		raw, m.More = raw[:most], true
	}
	m.Text = strings.ToValidUTF8(string(raw), "")
	return m, out.count, nil
}

// escapedSize is the most bytes in a string that decode to one byte: \u0041.
const escapedSize = 6

// filterRun is a running query.
type filterRun struct {
	*walker
	out   *matchWriter
	steps []query.Step
}

// step runs the steps from i on for the value at at, and returns the value's
// end if it is known.
func (f *filterRun) step(i int, at int64) int64 {
	if i == len(f.steps) {
		end := f.skip(at)
		f.out.match(at)
		f.copy(at, end)
		return end
	}
	switch s := f.steps[i].(type) {
	case *query.Path:
		end := f.follow(f.origin(s, at), s.Segments, func(found int64) int64 { return f.step(i+1, found) })
		if s.Root || len(s.Segments) > 0 && s.Segments[0].Descend {
			return unknownEnd
		}
		return end
	case *query.Select:
		if f.holds(s.Filter, at) {
			return f.step(i+1, at)
		}
	case *query.Summary:
		f.summary(s.Name, at)
	case *query.Object:
		f.object(s, at)
	}
	return unknownEnd
}

// copy writes the bytes of [from, to) unchanged.
func (f *filterRun) copy(from, to int64) {
	for from < to && f.err == nil {
		part := f.bytes(from, min(to, from+largeWindow))
		if len(part) == 0 {
			break
		}
		f.out.write(part)
		from += int64(len(part))
	}
	if f.out.err != nil && f.stop == nil {
		f.stop = f.out.err
	}
}

func (f *filterRun) object(o *query.Object, at int64) {
	f.out.match(-1)
	for i, field := range o.Fields {
		f.out.text([]string{"{", ", "}[min(i, 1)])
		f.out.quoted(field.Key)
		f.out.text(": ")
		found := int64(-1)
		f.follow(at, field.Value.Segments, func(n int64) int64 { found = n; return unknownEnd })
		if found < 0 {
			f.out.text("null")
			continue
		}
		f.copy(found, f.skip(found))
	}
	f.out.text("}")
}

// summary writes length, keys, values or type like jq; nothing for a value that
// has none.
func (f *filterRun) summary(name string, at int64) {
	d := f.datum(at)
	container := d.kind == Object || d.kind == Array
	switch {
	case name == "type":
		f.out.match(-1)
		f.out.quoted(string(d.kind))
	case name == "length" && d.kind == Null:
		f.out.match(-1)
		f.out.text("0")
	case name == "length":
		if n := f.length(d); n.kind != "" {
			f.out.match(-1)
			f.out.write(n.text)
		}
	case container:
		f.out.match(-1)
		f.list(name, d)
	}
}

// list writes the keys or the values of a container.
func (f *filterRun) list(name string, d datum) {
	type key struct {
		text string
		raw  []byte
	}
	var keys []key
	f.out.text("[")
	f.each(d.at, mark{at: d.at + 1}, func(c child) int64 {
		if name == "keys" && d.kind == Object {
			keys = append(keys, key{string(f.datum(c.key).text), slices.Clone(f.bytes(c.key, c.keyEnd))})
			return unknownEnd
		}
		if c.index > 0 {
			f.out.text(", ")
		}
		if name == "keys" {
			f.out.text(strconv.FormatInt(c.index, 10))
			return unknownEnd
		}
		end := f.skip(c.at)
		f.copy(c.at, end)
		return end
	})
	slices.SortFunc(keys, func(a, b key) int {
		if a.text < b.text {
			return -1
		}
		return 1
	})
	for i, k := range keys {
		if i > 0 {
			f.out.text(", ")
		}
		f.out.write(k.raw)
	}
	f.out.text("]")
}

// matchWriter writes matches as the items of an array, one per line; or, without a Writer,
// keeps the beginning of the first one in buf.
type matchWriter struct {
	to      *Writer
	buf     []byte
	most    int  // bytes in buf without a Writer
	more    bool // the first match has more
	count   int
	origins []int64 // of the first matches; -1 for a match that the query created
	err     error
}

// match begins the next match.
func (m *matchWriter) match(origin int64) {
	if m.to != nil && m.count > 0 {
		m.text(",")
	}
	if m.count++; m.to == nil {
		return
	}
	m.text("\n")
	if len(m.origins) < keptOrigin {
		m.origins = append(m.origins, origin)
	}
}

func (m *matchWriter) text(s string) { m.write([]byte(s)) }

func (m *matchWriter) quoted(s string) { m.write(resource.AppendString(nil, s)) }

func (m *matchWriter) write(p []byte) {
	switch room := m.most - len(m.buf); {
	case m.to == nil && m.count > 1:
	case m.to == nil && len(p) > room:
		m.buf, m.more = append(m.buf, p[:room]...), true
	default:
		m.buf = append(m.buf, p...)
	}
	if m.to != nil && len(m.buf) >= 64<<10 {
		m.flush()
	}
}

func (m *matchWriter) flush() {
	if m.err == nil {
		_, m.err = m.to.Write(m.buf)
	}
	if m.err == nil && m.to.Size() > maxResult {
		m.err = fault.At("query", "the matches have more than %d MiB in total; use a narrower query", maxResult>>20)
	}
	m.buf = m.buf[:0]
}
