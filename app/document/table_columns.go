package document

import (
	"bytes"
	"context"
	"math"
)

// Columns returns the columns of the table in order of first appearance. If
// nested is set, the columns of nested objects replace the objects. look is the
// number of rows to examine, 0 for all; the columns of all rows are cached.
func (d *Document) Columns(ctx context.Context, nested bool, look int) (found *Columns, err error) {
	kept := &d.columns[0]
	if nested {
		kept = &d.columns[1]
	}
	err = d.read(largeWindow, func(s *scanner) error {
		t := d.table(s)
		d.tables.Lock()
		found = *kept
		d.tables.Unlock()
		if found != nil {
			return nil
		}
		f := finder{scanner: s, nested: nested, root: newHeading(), item: newHeading()}
		found = &Columns{Shape: t.shape, Total: t.total, Columns: []Column{}, Whole: true}
		switch t.shape {
		case Fields:
			found.Columns = []Column{{keyColumn, String, t.total}, {valueCol, "", t.total}}
		case Points:
			found.Columns = append(found.Columns, pointColumns(s, t)...)
		case Items:
			if look > 0 && look < t.total {
				found.Whole = false
			} else {
				look = t.total
			}
			if err := f.look(ctx, t.of, look); err != nil {
				return err
			}
			// JSON should have [] instead of null
			found.Columns, found.More = append(found.Columns, f.columns...), f.more
		}
		if found.Whole && s.err == nil {
			d.tables.Lock()
			*kept = found
			d.tables.Unlock()
		}
		return s.err
	})
	return found, err
}

// finder finds the columns of a list.
type finder struct {
	*scanner
	nested  bool
	root    *heading
	item    *heading // of items that are not objects
	columns []Column
	more    int
	keys    []string
}

// heading is a key that was found.
type heading struct {
	column int // -1: not assigned yet; -2: over the limit
	row    int // the last row that has it
	below  map[string]*heading
}

const maxNested = 6 // levels of objects that become columns

func (f *finder) look(ctx context.Context, list value, rows int) error {
	walk := f.from(list, list.first())
	for m, ok := walk.next(); ok && m.index < rows; m, ok = walk.next() {
		if m.index%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if m.kind == Object {
			f.object(m.value, f.root, m.index+1, maxNested)
		} else {
			f.count(f.item, m.kind, m.index+1, func() string { return itemColumn })
		}
	}
	return f.err
}

func (f *finder) object(v value, h *heading, row, levels int) {
	walk := f.from(v, v.first())
	for m, ok := walk.next(); ok; m, ok = walk.next() {
		below := f.of(h, m)
		if f.nested && m.kind == Object && m.count > 0 && levels > 1 {
			f.keys = append(f.keys, f.key(m))
			f.object(m.value, below, row, levels-1)
			f.keys = f.keys[:len(f.keys)-1]
			continue
		}
		f.count(below, m.kind, row, func() string { return f.id(f.key(m)) })
	}
}

func (f *finder) key(m member) string {
	key, _ := f.text(m.key, m.keyEnd, math.MaxInt32)
	return key
}

func (f *finder) id(last string) string {
	id := ""
	for _, key := range f.keys {
		id += columnEscapes.Replace(key) + "."
	}
	return id + columnEscapes.Replace(last)
}

func newHeading() *heading { return &heading{column: -1, below: map[string]*heading{}} }

func (f *finder) of(h *heading, m member) *heading {
	raw := f.bytes(m.key+1, m.keyEnd-1)
	if bytes.IndexByte(raw, '\\') < 0 {
		if below := h.below[string(raw)]; below != nil {
			return below
		}
	}
	key := f.key(m)
	below := h.below[key]
	if below == nil {
		below = newHeading()
		if f.more < maxColumns { // with more, there may be as many keys as items
			h.below[key] = below
		}
	}
	return below
}

// count records that a row has the column.
func (f *finder) count(h *heading, kind Kind, row int, id func() string) {
	if h.row == row {
		return // a duplicate key
	}
	h.row = row
	if h.column < 0 {
		if len(f.columns) == maxColumns {
			if h.column == -1 && f.more < maxColumns {
				h.column = -2
				f.more++
			}
			return
		}
		h.column = len(f.columns)
		f.columns = append(f.columns, Column{ID: id(), Kind: kind})
	}
	c := &f.columns[h.column]
	c.Count++
	switch {
	case kind == Null:
	case c.Kind == Null:
		c.Kind = kind
	case c.Kind != kind:
		c.Kind = ""
	}
}
