package store

import (
	"bytes"
	"context"
	"slices"
	"sync"

	"spyglass/backend/resource"
	"spyglass/backend/store/engine"
)

// totals caches the number of rows that meet a condition, until the table
// changes.
type totals struct {
	mu  sync.Mutex
	all map[string]total
}

type total struct{ state, n uint64 }

const maxTotals = 1000

func (t *totals) get(key string, state uint64) (int64, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	have, ok := t.all[key]
	return int64(have.n), ok && have.state == state
}

func (t *totals) put(key string, state uint64, n int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.all == nil || len(t.all) >= maxTotals {
		t.all = map[string]total{}
	}
	t.all[key] = total{state, uint64(n)}
}

// page holds the rows of a list.
type page struct {
	total int64
	ids   []int64
	body  [][]byte   // in room, or in memory of its own
	from  [][]string // the source values of each derived field that reads a column
	room  *[]byte    // nil until a row is read
}

// rooms holds memory for the JSON of pages, each of which is soon copied into a response.
var rooms = sync.Pool{New: func() any { return new([]byte) }}

// mostRoom limits the memory that a page leaves for others, in bytes.
const mostRoom = 1 << 20

// free ends the use of the JSON of a page's rows.
func (p *page) free() {
	if p.room != nil && cap(*p.room) <= mostRoom {
		rooms.Put(p.room)
	}
	p.room, p.body = nil, nil
}

// page reads rows and total of one state of the table, and returns them in their envelope. It
// tries without a transaction, and begins one only if a commit came in between.
func (t *Table) page(ctx context.Context, who *resource.Access, cond *condition, order []engine.Order,
	q resource.Query, keep bool) (resource.JSON, error) {
	if !cond.foreign {
		key, state := pageKey(cond, order, q), t.lock.now()
		if settled(state) {
			if json, err := t.again(ctx, who, t.recent.get(key, state), q.Fields); json != nil || err != nil {
				return json, err
			}
		}
		p, err := t.readPage(ctx, listReader{t.db.base, !keep}, cond, order, q, state)
		if err != nil {
			return nil, err
		}
		if settled(state) && t.lock.now() == state {
			s, err := t.envelope(ctx, who, p, q.Fields)
			if err == nil {
				t.recent.put(key, state, &s)
			}
			return s.json, err
		}
		p.free()
	}
	p, err := t.pinned(ctx, cond, order, q)
	if err != nil {
		return nil, err
	}
	s, err := t.envelope(ctx, who, p, q.Fields)
	return s.json, err
}

// pinned reads a page in a transaction. That has a connection, and ends before derived
// values need one: requests that had one each while they waited for another would all wait
// forever.
func (t *Table) pinned(ctx context.Context, cond *condition, order []engine.Order, q resource.Query) (*page, error) {
	s, err := t.db.base.Snapshot(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { _ = s.Close() }()
	if cond, err = t.checkingFew(ctx, s, cond); err != nil {
		return nil, err
	}
	return t.readPage(ctx, listReader{s, true}, cond, order, q, 1)
}

// checkingFew returns a condition whose parts on other tables are checked row by row if only
// few rows meet those that an index answers.
func (t *Table) checkingFew(ctx context.Context, r engine.Reader, cond *condition) (*condition, error) {
	checked, some := engine.Checked(cond.all)
	if !some || t.db.remote { // PostgreSQL estimates by itself, and one round trip more costs more
		return cond, nil
	}
	var indexed engine.All
	for _, c := range cond.all {
		switch c.(type) {
		case engine.Compare, engine.Among, engine.Deleted:
			indexed = append(indexed, c)
		}
	}
	ids, err := selectIDs(ctx, r, engine.Select{Table: t.table, Where: indexed, Limit: mostNarrow + 1})
	if err != nil || len(ids) > mostNarrow {
		return cond, err
	}
	return &condition{checked.(engine.All), cond.foreign}, nil
}

// again returns a page that was sent before if its derived values are the same now, or nil.
func (t *Table) again(ctx context.Context, who *resource.Access, before *sent, fields []string) (resource.JSON,
	error) {
	if before == nil {
		return nil, nil
	}
	derived, err := t.derive(ctx, t.db, who, before.page, fields)
	if err != nil {
		return nil, err
	}
	for i := range derived {
		if !slices.EqualFunc(derived[i], before.derived[i], bytes.Equal) {
			return nil, nil
		}
	}
	return before.json, nil
}

// listReader says how to read a list. once is set for filters: they have too many forms
// to keep their statements prepared.
type listReader struct {
	engine.Reader
	once bool
}

// readPage reads the rows and the total. An even state means that its totals may
// be cached.
func (t *Table) readPage(ctx context.Context, r listReader, cond *condition, order []engine.Order, q resource.Query,
	state uint64) (*page, error) {
	if t.far(cond, order, q, state) {
		return t.farPage(ctx, r, cond, order, q, state)
	}
	p := &page{}
	counted := false
	if t.db.remote { // it counts in the same round trip
		_, known := t.totals.get(engine.Key(cond.all), state)
		counted = !known
	}
	if err := t.readRows(ctx, r, p, engine.Select{Where: cond.all, Order: order, Limit: q.Size,
		Offset: q.Offset, Counted: counted}); err != nil {
		return nil, err
	}
	var err error
	switch n := int64(len(p.ids)); {
	case n < q.Size && (n > 0 || q.Offset == 0):
		p.total = q.Offset + n
	case counted && n > 0:
		t.keepTotal(cond, state, p.total)
	default:
		p.total, err = t.total(ctx, r, cond, state)
	}
	return p, err
}

// total counts the rows that meet the condition.
func (t *Table) total(ctx context.Context, r listReader, cond *condition, state uint64) (int64, error) {
	if n, ok := t.totals.get(engine.Key(cond.all), state); ok && settled(state) {
		return n, nil
	}
	n, err := number(r.Tally(ctx, engine.Tally{Table: t.table, Where: cond.all, Once: r.once}))
	if err == nil {
		t.keepTotal(cond, state, n)
	}
	return n, err
}

// keepTotal caches a total, unless the table has changed while it was counted.
func (t *Table) keepTotal(cond *condition, state uint64, n int64) {
	if settled(state) && t.lock.now() == state {
		t.totals.put(engine.Key(cond.all), state, n)
	}
}

// froms returns the columns that derived values read.
func (t *Table) froms() []string {
	var names []string
	for _, d := range t.res.Derived {
		if d.From != "" {
			names = append(names, d.From)
		}
	}
	return names
}

// readRows adds the rows that q finds to a page.
func (t *Table) readRows(ctx context.Context, r listReader, p *page, q engine.Select) error {
	q.Table, q.Columns, q.Once = t.table, t.shows, r.once
	found, err := r.Select(ctx, q)
	if err != nil {
		return err
	}
	foreign, err := t.unpackRows(found, p, q.Counted)
	if err != nil {
		return err
	}
	return t.rebuild(ctx, r, p, foreign)
}

// unpackRows adds rows to a page, and the total if the rows are counted. It returns the
// indexes of those that another version packed.
func (t *Table) unpackRows(found engine.Rows, p *page, counted bool) (foreign []int, err error) {
	defer found.Close()
	var id int64
	var packed []byte // of one row
	if p.room == nil {
		p.room = rooms.Get().(*[]byte)
		*p.room = (*p.room)[:0]
	}
	room := *p.room
	defer func() { *p.room = room }()
	wide := make([]string, len(t.outline.wide))
	dest := make([]any, len(t.shows))
	dest[0], dest[1] = &id, &packed
	for i := range wide {
		dest[2+i] = &wide[i]
	}
	froms := len(dest) - 2 - len(wide)
	if counted {
		dest = append(dest, &p.total)
	}
	for found.Next() {
		from := make([]string, froms)
		for i := range from {
			dest[2+len(wide)+i] = &from[i]
		}
		if err := found.Scan(dest...); err != nil {
			return nil, err
		}
		begin, ok := len(room), false
		if room, ok = t.outline.unpack(room, packed, wide); !ok {
			foreign = append(foreign, len(p.ids))
			room = append(room[:begin], "{}"...) // stays if the row is deleted before rebuild reads it
		}
		p.ids, p.body, p.from = append(p.ids, id), append(p.body, slices.Clip(room[begin:])), append(p.from, from)
	}
	return foreign, found.Err()
}

// rebuild makes the JSON of some rows of a page from their columns.
func (t *Table) rebuild(ctx context.Context, r engine.Reader, p *page, at []int) error {
	for part := range slices.Chunk(at, piece) {
		ids := make([]int64, len(part))
		for i, k := range part {
			ids[i] = p.ids[k]
		}
		rows, err := t.rows(ctx, r, engine.Among{Column: engine.ID, IDs: ids})
		if err != nil {
			return err
		}
		for _, row := range rows {
			i := part[slices.Index(ids, *t.idOf(row))]
			if p.body[i], err = t.res.AppendJSON(nil, row); err != nil {
				return err
			}
		}
	}
	return nil
}
