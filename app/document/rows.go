package document

// TreeRow is one line of the tree, as the page gets it.
//
//	{"node":5,"line":2,"depth":1,"kind":"number","key":"total","text":"1204","count":0,"open":false,"comma":true}
type TreeRow struct {
	Node    int64   `json:"node" doc:"what Toggle, Path and Value take; the row of a closing bracket has its container's"`
	Line    int     `json:"line" doc:"in the whole pretty print, from 1; jumps over what is closed"`
	Depth   int     `json:"depth" doc:"0 is the root"`
	Kind    Kind    `json:"kind"`
	Key     *string `json:"key,omitempty" null:"no" doc:"in an object; decoded, cut at 2,000 characters"`
	Index   *int    `json:"index,omitempty" null:"no" doc:"in an array, from 0"`
	Text    *string `json:"text,omitempty" null:"no" doc:"text of a scalar: a string decoded, anything else as it was sent"`
	Cut     bool    `json:"cut,omitempty" doc:"Text is only the first 2,000 characters"`
	Count   int     `json:"count" doc:"children of a container"`
	Open    bool    `json:"open"`
	Preview string  `json:"preview,omitempty" doc:"preview of a collapsed container: { id: 7, name: 'web', … }"`
	Comma   bool    `json:"comma" doc:"a comma follows"`
	Hint    string  `json:"hint,omitempty" doc:"for an expanded object in an array: its displayName or name"`
	Of      Kind    `json:"of,omitempty" doc:"for a closing bracket: object or array"`
}

// Rows returns count rows from a row on, counted from 0, and the total number of
// rows; at most 10,000 at once. A body that is not JSON has no rows. A screen of
// rows takes about 0.2 ms anywhere in the document.
func (d *Document) Rows(from, count int) (rows []TreeRow, total int, err error) {
	rows = []TreeRow{}
	err = d.use(func(s *scanner) error {
		if d.index.problem != "" {
			return nil
		}
		d.folds.RLock()
		defer d.folds.RUnlock()
		total = d.fold.rows
		from = max(from, 0)
		p := printer{scanner: s, skip: from, rows: rows, want: min(max(count, 0), maxRows, max(total-from, 0))}
		if p.want > 0 {
			p.print(d.root, End, place{line: 1}, d.fold, false)
		}
		rows = p.rows
		return s.err
	})
	return rows, total, err
}

// maxRows limits the rows that Rows returns at once.
const maxRows = 10000

// place is the position of a value in the pretty print.
type place struct{ line, depth int }

// printer writes rows after skipping some.
type printer struct {
	*scanner
	skip int
	want int
	rows []TreeRow
}

func (p *printer) full() bool { return len(p.rows) == p.want }

// print writes the rows of m. Its fold is f; without a fold, its containers are
// all open or all closed.
func (p *printer) print(m member, in Kind, at place, f *fold, open bool) {
	inner, total := open, m.plain(open)
	if f != nil {
		open, inner, total = f.open, f.inner, f.rows
	}
	if p.skip >= total {
		p.skip -= total
		return
	}
	open = open && m.container() && m.count > 0
	if p.skip == 0 {
		p.rows = append(p.rows, p.row(m, in, at, open))
	} else {
		p.skip--
	}
	if !open {
		return
	}
	if p.skip < total-2 {
		p.children(m, at, f, inner)
	} else {
		p.skip -= total - 2
	}
	if p.full() {
		return
	}
	if p.skip > 0 {
		p.skip--
		return
	}
	p.rows = append(p.rows, TreeRow{Node: m.start, Line: at.line + m.lines - 1, Depth: at.depth, Kind: End, Of: m.kind,
		Comma: p.comma(m.end)})
}

// children writes the rows of m's children from the row p.skip on.
func (p *printer) children(m member, at place, f *fold, inner bool) {
	start := m.lastMark(func(k mark) bool {
		row := plainRow(k.index, k.line, inner)
		if f != nil {
			row += f.extra(k.at)
		}
		return row <= p.skip
	})
	p.skip -= plainRow(start.index, start.line, inner)
	if f != nil {
		p.skip -= f.extra(start.at)
	}
	walk := p.from(m.value, start)
	for !p.full() {
		child, ok := walk.next()
		if !ok {
			return
		}
		var of *fold
		if f != nil {
			of = f.find(child.start)
		}
		p.print(child, m.kind, place{at.line + child.line, at.depth + 1}, of, inner)
	}
}

// row returns the row of m itself.
func (p *printer) row(m member, in Kind, at place, open bool) TreeRow {
	r := TreeRow{Node: m.start, Line: at.line, Depth: at.depth, Kind: m.kind, Count: m.count, Open: open}
	switch in {
	case Object:
		key, _ := p.text(m.key, m.keyEnd, maxText)
		r.Key = &key
	case Array:
		r.Index = &m.index
	}
	switch {
	case !m.container():
		text, cut := p.literal(m.value, maxText)
		r.Text, r.Cut = &text, cut
	case !open:
		r.Preview = p.preview(m.value)
	case m.kind == Object && in == Array:
		r.Hint = p.hint(m.value)
	}
	if !open {
		r.Comma = p.comma(m.end)
	}
	return r
}

// comma reports whether the value that ends at end is followed by a comma.
func (p *printer) comma(end int64) bool { return p.byteAt(p.skipSpace(end)) == ',' }
