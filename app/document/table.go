package document

import (
	"bytes"
	"context"
	"encoding/json"
	"math"

	"spyglass/backend/fault"
)

// Shape is the kind of rows that a table has.
type Shape string

// The shapes of tables.
const (
	Items  Shape = "items"  // the items of a list: a bare array, or the items of an envelope
	Fields Shape = "fields" // the keys of one object, in the columns key and value
	Points Shape = "points" // the times of measured data, in a column time and one column per data point
	Scalar Shape = ""       // a body that is not a table
)

// Column is a column of a table, with its heading.
type Column struct {
	ID    string `json:"id" doc:"keys from the item down, with dots between; \\ before a dot or \\ in a key. $ is an item that is no object"`
	Kind  Kind   `json:"kind" enum:"object|array|string|number|boolean|" doc:"kind of its cells, ignoring null; empty if they differ"`
	Count int    `json:"count" doc:"rows that have it"`
}

// Columns lists the columns of a whole table, or of its first rows.
type Columns struct {
	Shape   Shape    `json:"shape" enum:"items|fields|points|" doc:"the items of a list, the keys of one object, the times of measured data; empty for a body that is no table"`
	Total   int      `json:"total" doc:"rows"`
	Columns []Column `json:"columns"`
	Whole   bool     `json:"whole" doc:"every row was looked at"`
	More    int      `json:"more" doc:"columns beyond the first 500, counted up to 500"`
}

// TableQuery selects a part of a table.
type TableQuery struct {
	Columns []string // IDs
	Sort    string   // the ID of a column; empty: as sent
	Desc    bool
	From    int // first row, counted from 0
	Count   int // rows; in Each, 0 for all
}

// Cell is one value in a table; nil if the item does not have it.
type Cell struct {
	Node int64  `json:"node"`
	Kind Kind   `json:"kind"`
	Text string `json:"text" doc:"a string decoded, a number or word as sent, anything else as short text"`
	Cut  bool   `json:"cut,omitempty" doc:"Text is not the whole value"`
}

// TableRow is one row of a table.
type TableRow struct {
	Index int     `json:"index" doc:"in the document, from 0, however the table is sorted"`
	Node  int64   `json:"node" doc:"node of the item"`
	Cells []*Cell `json:"cells" doc:"in the order of the requested columns"`
}

const (
	maxCell    = 300 // characters of a cell
	maxColumns = 500
	keyColumn  = "key"
	valueCol   = "value"
	timeColumn = "time"
	instance   = "instance"
)

// table locates a document's rows.
type table struct {
	shape Shape
	of    value // the list or the object
	sets  []pointSet
	total int
}

// table locates the rows of the document, and caches the result.
func (d *Document) table(s *scanner) *table {
	d.tables.Lock()
	defer d.tables.Unlock()
	if d.known == nil {
		d.known = &table{}
		if d.index.problem == "" {
			d.known = s.tableOf(d.root.value)
		}
	}
	return d.known
}

func (s *scanner) tableOf(root value) *table {
	switch root.kind {
	case Array:
		return s.listOf(root)
	case Object:
		if sets := s.pointSets(root); len(sets) > 0 {
			return pointTable(sets)
		}
		items, ok := s.child(root, "items")
		total, counted := s.child(root, "total")
		if ok && items.kind == Array && (counted && total.kind == Number || root.count == 1) {
			return s.listOf(items)
		}
		return &table{shape: Fields, of: root, total: root.count}
	}
	return &table{}
}

func (s *scanner) listOf(list value) *table {
	if sets := s.listedSets(list); len(sets) > 0 {
		return pointTable(sets)
	}
	return &table{shape: Items, of: list, total: list.count}
}

// child returns the value of a key. For duplicate keys it returns the last one,
// like most programs.
func (s *scanner) child(object value, key string) (found value, ok bool) {
	walk := s.from(object, object.first())
	for m, more := walk.next(); more; m, more = walk.next() {
		if s.keyIs(m, key) {
			found, ok = m.value, true
		}
	}
	return found, ok
}

func (s *scanner) keyIs(m member, key string) bool {
	raw := s.bytes(m.key+1, m.keyEnd-1)
	if bytes.IndexByte(raw, '\\') < 0 {
		return string(raw) == key
	}
	name, _ := s.text(m.key, m.keyEnd, math.MaxInt32)
	return name == key
}

// Table returns a range of rows, at most 2,000. A body that is not a table has
// none.
func (d *Document) Table(ctx context.Context, q TableQuery) (rows []TableRow, total int, err error) {
	rows = []TableRow{}
	err = d.use(func(s *scanner) error {
		t := d.table(s)
		total = t.total
		q.Count = min(max(q.Count, 0), 2000)
		return d.each(ctx, s, t, q, func(r *record) error {
			rows = append(rows, TableRow{Index: r.index, Node: r.node, Cells: s.shown(r.cells)})
			return nil
		})
	})
	return rows, total, err
}

// Each passes the cells of each selected row to do, in order and with whole
// values: a container as compact JSON. A cell is nil if the item does not have
// it. The slice is valid until do returns.
func (d *Document) Each(ctx context.Context, q TableQuery, do func(cells []*Cell) error) error {
	window := largeWindow
	if q.Sort != "" || d.jumps() {
		window = smallWindow
	}
	return d.read(window, func(s *scanner) error {
		t := d.table(s)
		if q.Count == 0 {
			q.Count = t.total
		}
		cells := make([]*Cell, len(q.Columns))
		return d.each(ctx, s, t, q, func(r *record) error {
			for i, v := range r.cells {
				if cells[i] = nil; v.kind != "" {
					cells[i] = &Cell{Node: v.start, Kind: v.kind, Text: s.entire(v)}
				}
			}
			return do(cells)
		})
	})
}

// jumps reports whether the cells of a row lie far apart in the body.
func (d *Document) jumps() (far bool) {
	_ = d.use(func(s *scanner) error {
		far = d.table(s).shape == Points
		return nil
	})
	return far
}

// each reads the rows of q in the requested order.
func (d *Document) each(ctx context.Context, s *scanner, t *table, q TableQuery, do func(*record) error) error {
	if t.shape == Scalar || q.Count == 0 {
		return nil
	}
	reader, err := s.reader(t, q.Columns)
	if err != nil {
		return err
	}
	from := max(q.From, 0)
	to := min(t.total, from+q.Count)
	var order []int32
	if q.Sort != "" {
		if order, err = d.order(ctx, s, t, q.Sort, q.Desc); err != nil {
			return err
		}
	} else {
		reader.seek(from)
	}
	for i := from; i < to; i++ {
		if i%256 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if order != nil {
			reader.seek(int(order[i]))
		}
		r, ok := reader.next()
		if !ok {
			return s.err
		}
		if err := do(r); err != nil {
			return err
		}
	}
	return s.err
}

// shown returns values as cells for display.
func (s *scanner) shown(values []value) []*Cell {
	cells := make([]*Cell, len(values))
	for i, v := range values {
		if v.kind == "" {
			continue
		}
		c := &Cell{Node: v.start, Kind: v.kind}
		if v.container() {
			c.Text, c.Cut = s.preview(v), true
		} else {
			c.Text, c.Cut = s.literal(v, maxCell)
		}
		cells[i] = c
	}
	return cells
}

// entire returns a value as a whole text.
func (s *scanner) entire(v value) string {
	if !v.container() {
		text, _ := s.literal(v, math.MaxInt32)
		return text
	}
	var b bytes.Buffer
	if json.Compact(&b, s.bytes(v.start, v.end)) != nil {
		return string(s.bytes(v.start, v.end))
	}
	return b.String()
}

func errNoColumn(id string) error {
	return fault.At("column", "this response has no column %q", id)
}
