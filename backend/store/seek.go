package store

import (
	"context"
	"slices"
	"strings"

	"spyglass/backend/filter"
	"spyglass/backend/resource"
	"spyglass/backend/store/engine"
)

// question is the query of a list in the form that the mirror uses.
type question struct {
	cond  *condition     // the whole condition, for the engine
	base  engine.All     // the condition without the filter
	f     *filter.Filter // nil for none
	order []engine.Order
	query resource.Query
}

// farFrom is the offset from which a sorted page is worth a mirror. mostNarrow is
// the largest number of rows that the engine checks one by one, where it would
// otherwise list all rows of a group or of another table.
const (
	farFrom    = 1000
	mostNarrow = 2000
)

// seek returns a page from the mirror if that is faster than scanning the table;
// otherwise it returns nil, and the engine runs the query.
func (t *Table) seek(ctx context.Context, q question) (*page, error) {
	if t.mirror.newest.Load() < t.db.mirrored || named(q.f) || q.f == nil &&
		(q.query.Offset < farFrom || len(q.query.Sort) == 0) {
		return nil, nil
	}
	s, whole, ok := t.searchOf(q)
	if !ok {
		return nil, nil
	}
	if !t.db.remote { // it would wait for the network
		select {
		case t.db.searches <- struct{}{}:
			defer func() { <-t.db.searches }()
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	for range 3 {
		state := t.lock.now()
		if !settled(state) {
			continue
		}
		m := t.view(ctx, s.wish, state)
		if m == nil {
			if t.lock.now() == state {
				return nil, nil // the mirror is not ready
			}
			continue
		}
		found, total := m.find(s, q.query, whole)
		m.mu.RUnlock()
		p, err := t.seekPage(ctx, q, found, total, whole)
		if p == nil || err != nil || t.lock.now() == state {
			return p, err
		}
	}
	return nil, nil
}

// seekPage reads the rows of the page, or lets the engine choose among the rows
// that were found.
func (t *Table) seekPage(ctx context.Context, q question, found []int64, total int64, whole bool) (*page, error) {
	if !whole && len(found) > mostNarrow {
		return nil, nil
	}
	among := engine.Among{Column: engine.ID, IDs: found}
	if !whole {
		checked, _ := engine.Checked(q.cond.all)
		narrow := &condition{}
		narrow.and(among, checked)
		return t.readPage(ctx, listReader{t.db.base, true}, narrow, q.order, q.query, 1)
	}
	p := &page{total: total}
	if len(found) == 0 {
		return p, nil
	}
	if err := t.readRows(ctx, listReader{t.db.base, false}, p, engine.Select{Where: among}); err != nil ||
		len(p.ids) < len(found) {
		return p, err // rows were deleted meanwhile: the state has changed
	}
	p.arrange(found)
	return p, nil
}

// search is a filter in the form that the mirror runs.
type search struct {
	wish
	any  [][]probe // nil for everything
	down bool
}

// probe is one condition: any of its tests passes in any of its columns, or no
// test passes in any of them.
type probe struct {
	negated bool
	each    []look
}

type look struct {
	in   source
	test test
	id   int64 // of the only row that passes; 0: the test decides
}

// run adds the rows of b that pass to found.
func (l *look) run(b *block, found bitmap) {
	if l.id == 0 {
		b.arenas[l.in].scan(l.test, found)
	} else if row, ok := b.place(l.id); ok {
		found.set(row)
	}
}

// searchOf returns the part of the query that the mirror can evaluate. whole
// means all of it; otherwise the result includes every matching row and some
// others. ok is false if the mirror cannot help.
func (t *Table) searchOf(q question) (s search, whole, ok bool) {
	if !t.begins(q.base) { // it includes deleted rows
		return s, false, false
	}
	usual := t.res.Usual != nil && !q.f.Names(t.res.Usual.Field)
	whole = t.whole(q.base) && !usual && len(q.query.Sort) < 2
	if len(q.query.Sort) == 1 && whole {
		key := q.query.Sort[0]
		s.down = key.Down
		if c := t.column(key.Field); c.Name != "id" {
			if whole = c.Kind == resource.KindText && c.field.Index; whole {
				s.sort = c.Name
				s.want(source{column: c.Name})
			}
		}
	}
	if q.f == nil {
		return s, whole, whole
	}
	for _, all := range q.f.Any {
		var probes []probe
		for _, cond := range all {
			if p, ok := t.probe(cond); ok {
				probes = append(probes, p)
			} else {
				whole = false
			}
		}
		if len(probes) == 0 {
			return s, false, false
		}
		s.any = append(s.any, probes)
		for _, p := range probes {
			for _, l := range p.each {
				if l.id == 0 {
					s.want(l.in)
				}
			}
		}
	}
	if len(s.sources) == 0 {
		return s, false, false // the engine finds ids at once
	}
	if !whole {
		s.sort = ""
	}
	return s, whole, whole || !q.cond.foreign
}

// probe returns the probe for a condition on texts or the id; ok is false for other
// conditions.
func (t *Table) probe(cond filter.Cond) (p probe, ok bool) {
	if namesRows(cond) {
		for _, v := range cond.Values {
			p.each = append(p.each, look{id: v.Int})
		}
		return p, !slices.ContainsFunc(p.each, func(l look) bool { return l.id == 0 })
	}
	if cond.Sub != "" || cond.Column.Kind != resource.KindText {
		return p, false
	}
	op := cond.Op
	if p.negated = op.Negated(); p.negated {
		op--
	}
	values := cond.Values
	switch op {
	case filter.Empty, filter.Null:
		values = []filter.Value{{}}
	case filter.Equal, filter.Contains:
	default:
		return p, false
	}
	for _, v := range values {
		if strings.IndexByte(v.Text, 0) >= 0 {
			return p, false
		}
		sources := t.sourcesOf(cond.Column.Name, !engine.IsASCII(v.Text))
		if len(sources) == 0 {
			return p, false
		}
		for _, in := range sources {
			l := look{in: in, test: test{text: []byte(in.folded(v.Text)), contains: op == filter.Contains}}
			if v.Pattern && op == filter.Equal {
				for _, part := range v.Glob {
					l.test.glob = append(l.test.glob, []byte(in.folded(part)))
				}
			}
			p.each = append(p.each, l)
		}
	}
	return p, true
}

// run returns the rows of b that pass.
func (s *search) run(b *block) bitmap {
	if s.any == nil {
		return b.all()
	}
	any := newBitmap(len(b.ids))
	for _, all := range s.any {
		left := b.all()
		for _, p := range all {
			found := newBitmap(len(b.ids))
			for _, l := range p.each {
				l.run(b, found)
			}
			for i := range left {
				if p.negated {
					left[i] &^= found[i]
				} else {
					left[i] &= found[i]
				}
			}
		}
		for i := range any {
			any[i] |= left[i]
		}
	}
	return any
}

// find returns the ids of a page and the number of rows in all, or all ids, up to
// a limit plus one.
func (m *mirror) find(s search, q resource.Query, page bool) (ids []int64, total int64) {
	base, fresh := s.run(m.base), s.run(m.fresh)
	for i := range base {
		base[i] &^= m.stale[i]
	}
	total = int64(base.count() + fresh.count())
	skip, size := q.Offset, q.Size
	if !page {
		skip, size = 0, mostNarrow+1
	}
	if skip >= total {
		return nil, total
	}
	a := walk{b: m.base, rows: base, column: s.sort, down: s.down}
	b := walk{b: m.fresh, rows: fresh, column: s.sort, down: s.down}
	if len(m.fresh.ids) == 0 && total == int64(len(m.base.ids)) { // each row counts
		a.at, skip = int(skip), 0
	}
	ids = make([]int64, 0, min(size, total-skip))
	for x, y := a.next(), b.next(); int64(len(ids)) < size && (x >= 0 || y >= 0); {
		var id int64
		if y < 0 || x >= 0 && a.b.before(s.sort, uint32(x), b.b, uint32(y)) != s.down {
			id, x = a.b.ids[x], a.next()
		} else {
			id, y = b.b.ids[y], b.next()
		}
		if skip--; skip < 0 {
			ids = append(ids, id)
		}
	}
	return slices.Clip(ids), total
}

// walk visits chosen rows of a block in their order, up or down.
type walk struct {
	b      *block
	rows   bitmap
	column string
	down   bool
	at     int // how many rows it has passed
}

// next returns the next row; -1 after the last.
func (w *walk) next() int {
	var order []uint32
	if w.column != "" {
		order = w.b.orders[w.column]
	}
	for n := len(w.b.ids); w.at < n; {
		row := w.at
		if w.down {
			row = n - 1 - row
		}
		w.at++
		if order != nil {
			row = int(order[row])
		}
		if w.rows.has(row) {
			return row
		}
	}
	return -1
}
