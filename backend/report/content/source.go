package content

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"spyglass/backend/portal/reporting"
	"spyglass/backend/report/layout"
	"spyglass/backend/resource"
)

// source reads the rows of one resource into a Table.
type source[T any] struct {
	name    resource.Name[*T]
	id      func(*T) int64
	where   []resource.Where
	keep    func(*T) bool // nil: all
	columns []column[T]
	tone    func(*T) layout.Tone
	counts  []layout.Count
	counted func(*T) int // the index of the row's count; nil: none
}

// column is one column of the rows.
type column[T any] struct {
	name string
	text func(*T) string
	key  func(*T) string // its sort key; nil: its text, ignoring letter case
	num  bool            // its text is a number
	time bool            // its text is a duration
}

const pageRows = 500 // read at a time

// table reads all rows once for their order and counts; its Rows reads them
// again.
func (s *source[T]) table(ctx context.Context, r *Run, about ...string) (*layout.Table, error) {
	shown, err := chosen(r.Report, s.columns)
	if err != nil {
		return nil, err
	}
	t := &layout.Table{Title: r.Report.Name, About: about, Counts: s.counts}
	setColumns(t, shown)
	ids, err := s.order(ctx, r)
	if err != nil {
		return nil, err
	}
	t.Total = int64(len(ids))
	t.Rows = func(yield func(layout.Row) error) error {
		for page := range slices.Chunk(ids, pageRows) {
			rows, err := s.read(ctx, r, page)
			if err != nil {
				return err
			}
			for _, row := range rows {
				out := layout.Row{Cells: make([]string, len(shown))}
				for i, c := range shown {
					out.Cells[i] = c.text(row)
				}
				if s.tone != nil {
					out.Tone = s.tone(row)
				}
				if err := yield(out); err != nil {
					return err
				}
			}
		}
		return nil
	}
	return t, nil
}

func setColumns[T any](t *layout.Table, shown []column[T]) {
	for _, c := range shown {
		t.Columns, t.Numbers = append(t.Columns, c.name), append(t.Numbers, c.num)
		t.Right = append(t.Right, c.num || c.time)
	}
}

// chosen returns the columns that the report names, or the default ones: in a PDF
// those that fit, otherwise all. Columns that do not belong to the type, such as
// properties, are always included.
func chosen[T any](report *reporting.Report, columns []column[T]) ([]column[T], error) {
	kind := kindOf(report.Type)
	var out []column[T]
	if len(report.Columns) == 0 {
		if report.Format != reporting.FormatPDF || kind.printed == nil {
			return columns, nil
		}
		for _, name := range kind.printed {
			out = append(out, columns[kind.Column(name)])
		}
		return append(out, columns[len(kind.Columns):]...), nil
	}
	for _, c := range report.Columns {
		i := kind.Column(c.Name)
		if i < 0 {
			return nil, fmt.Errorf("report %d: no column %q", report.ID, c.Name)
		}
		if !c.Hidden {
			out = append(out, columns[i])
		}
	}
	return append(out, columns[len(kind.Columns):]...), nil
}

type sortKey struct {
	id  int64
	key string
}

// order returns the ids of all rows, in the order of the report.
func (s *source[T]) order(ctx context.Context, r *Run) ([]int64, error) {
	var by *column[T]
	kind := kindOf(r.Report.Type)
	if name := cmp.Or(r.Report.SortedBy, kind.sorted); name != "" {
		if i := kind.Column(name); i >= 0 {
			by = &s.columns[i]
		}
	}
	var keys []sortKey
	err := s.scan(ctx, r, func(row *T) {
		k := sortKey{id: s.id(row)}
		switch {
		case by != nil && by.key != nil:
			k.key = by.key(row)
		case by != nil:
			k.key = strings.ToLower(by.text(row))
		}
		keys = append(keys, k)
		if s.counted != nil {
			if i := s.counted(row); i >= 0 {
				s.counts[i].N++
			}
		}
	})
	if by != nil {
		slices.SortFunc(keys,
			func(a, b sortKey) int { return cmp.Or(strings.Compare(a.key, b.key), cmp.Compare(a.id, b.id)) })
	}
	ids := make([]int64, len(keys))
	for i := range keys {
		ids[i] = keys[i].id
	}
	if r.Report.SortDirection == "desc" {
		slices.Reverse(ids)
	}
	return ids, err
}

// scan reads the rows by id.
func (s *source[T]) scan(ctx context.Context, r *Run, each func(*T)) error {
	return s.scanPages(ctx, r, func(page []*T) error {
		for _, row := range page {
			each(row)
		}
		return nil
	})
}

// scanPages reads the rows by id, a page at a time: from the last id on rather
// than by an offset, which would count all rows before it again, and skip or
// repeat rows where others come and go meanwhile.
func (s *source[T]) scanPages(ctx context.Context, r *Run, each func(page []*T) error) error {
	for last := int64(0); ; {
		where := append(slices.Clip(s.where), resource.SeenBy(r.Access, resource.Read),
			resource.Where{Field: "id", Op: ">", Value: last}, resource.Limit(pageRows))
		page, err := resource.Find(ctx, r.From, s.name, where...)
		if err != nil {
			return err
		}
		kept := make([]*T, 0, len(page))
		for i := range page {
			if last = s.id(&page[i]); s.keep == nil || s.keep(&page[i]) {
				kept = append(kept, &page[i])
			}
		}
		if err := each(kept); err != nil {
			return err
		}
		if err := r.progress(ctx, r.ready, 0); err != nil || len(page) < pageRows {
			return err
		}
	}
}

// read returns a page of rows in the order of ids, without rows deleted since.
func (s *source[T]) read(ctx context.Context, r *Run, ids []int64) ([]*T, error) {
	found, err := resource.Find(ctx, r.From, s.name, resource.Where{Field: "id", Op: "in", Value: ids},
		resource.SeenBy(r.Access, resource.Read))
	byID := make(map[int64]*T, len(found))
	for i := range found {
		byID[s.id(&found[i])] = &found[i]
	}
	out := make([]*T, 0, len(ids))
	for _, id := range ids {
		if row := byID[id]; row != nil {
			out = append(out, row)
		}
	}
	return out, err
}

// plain returns the columns of a type, in order, each with its text.
func plain[T any](kind string, text ...func(*T) string) []column[T] {
	names := kindOf(kind).Columns
	out := make([]column[T], len(names))
	for i, name := range names {
		out[i] = column[T]{name: name, text: text[i]}
	}
	return out
}

// number returns a key that sorts like the number, which is not negative.
func number(n int64) string { return fmt.Sprintf("%020d", n) }

func yesNo(is bool) string {
	if is {
		return "yes"
	}
	return "no"
}
