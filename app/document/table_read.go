package document

import (
	"bytes"
	"math"
	"slices"
	"strings"
)

// record is one row while it is being read.
type record struct {
	index int
	node  int64
	cells []value // in the order of the requested columns; a missing cell has no kind
}

// rowReader reads the rows of a table one after the other.
type rowReader struct {
	*scanner
	table *table
	row   record

	rows   members // of a list or an object
	wanted *wanted
	alone  []int // columns that are the item itself if it is not an object
	fields []int // for an object: whether each column is key or value

	points pointReader
}

// wanted is a tree of the requested columns below a key.
type wanted struct {
	at    []int // the columns that this value belongs to
	below map[string]*wanted
}

func (s *scanner) reader(t *table, ids []string) (*rowReader, error) {
	r := &rowReader{scanner: s, table: t, row: record{cells: make([]value, len(ids))}, wanted: &wanted{}}
	switch t.shape {
	case Items:
		for i, id := range ids {
			if id == itemColumn {
				r.alone = append(r.alone, i)
				continue
			}
			w := r.wanted
			for _, key := range columnKeys(id) {
				if w.below == nil {
					w.below = map[string]*wanted{}
				}
				if w.below[key] == nil {
					w.below[key] = &wanted{}
				}
				w = w.below[key]
			}
			w.at = append(w.at, i)
		}
	case Fields:
		for _, id := range ids {
			at := slices.Index([]string{keyColumn, valueCol}, id)
			if at < 0 {
				return nil, errNoColumn(id)
			}
			r.fields = append(r.fields, at)
		}
	case Points:
		return r, r.points.choose(s, t.sets, ids)
	}
	return r, nil
}

// seek moves to a row.
func (r *rowReader) seek(index int) {
	r.row.index = index - 1
	if r.table.shape == Points {
		r.points.seek(r.scanner, r.table.sets, index)
		return
	}
	r.rows = r.at(r.table.of, index)
}

// next returns the current row and moves to the next one.
func (r *rowReader) next() (*record, bool) {
	clear(r.row.cells)
	if r.table.shape == Points {
		ok := r.points.next(r.scanner, r.table.sets, &r.row)
		r.row.index++
		if r.err == nil {
			r.err = r.points.err
		}
		return &r.row, ok
	}
	m, ok := r.rows.next()
	if !ok {
		return nil, false
	}
	r.row.index, r.row.node = m.index, m.start
	if r.table.shape == Fields {
		for i, at := range r.fields {
			r.row.cells[i] = m.value
			if at == 0 {
				r.row.cells[i] = value{start: m.key, end: m.keyEnd, kind: String}
			}
		}
		return &r.row, true
	}
	if m.kind == Object {
		r.fill(m.value, r.wanted)
		return &r.row, true
	}
	for _, at := range r.alone {
		r.row.cells[at] = m.value
	}
	return &r.row, true
}

// fill finds the columns inside an object; for duplicate keys it takes the last
// one.
func (r *rowReader) fill(v value, w *wanted) {
	if v.kind != Object || w.below == nil {
		return
	}
	walk := r.from(v, v.first())
	for m, ok := walk.next(); ok; m, ok = walk.next() {
		below := w.of(r.scanner, m)
		if below == nil {
			continue
		}
		r.forget(below)
		for _, at := range below.at {
			r.row.cells[at] = m.value
		}
		r.fill(m.value, below)
	}
}

// forget clears the state that an earlier value of the same key left.
func (r *rowReader) forget(w *wanted) {
	for _, below := range w.below {
		for _, at := range below.at {
			r.row.cells[at] = value{}
		}
		r.forget(below)
	}
}

func (w *wanted) of(s *scanner, m member) *wanted {
	raw := s.bytes(m.key+1, m.keyEnd-1)
	if bytes.IndexByte(raw, '\\') < 0 {
		return w.below[string(raw)]
	}
	key, _ := s.text(m.key, m.keyEnd, math.MaxInt32)
	return w.below[key]
}

// itemColumn is the ID of the column for items that are not objects.
const itemColumn = "$"

var columnEscapes = strings.NewReplacer(`\`, `\\`, `.`, `\.`, `$`, `\$`)

// columnKeys returns the keys that make up the ID of a column.
func columnKeys(id string) []string {
	keys, key := []string{}, []byte{}
	for i := 0; i < len(id); i++ {
		switch {
		case id[i] == '\\' && i+1 < len(id):
			i++
			key = append(key, id[i])
		case id[i] == '.':
			keys, key = append(keys, string(key)), key[:0]
		default:
			key = append(key, id[i])
		}
	}
	return append(keys, string(key))
}
