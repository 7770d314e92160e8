package content

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"spyglass/backend/fault"
	"spyglass/backend/portal/reporting"
	"spyglass/backend/report/layout"
)

// mostRows is the maximum number of rows of a report that keeps its rows in memory.
const mostRows = 200_000

func tooMany(what string) error {
	return fault.New(fault.Invalid, "the report would have more than %d %s; choose fewer devices, groups or datapoints",
		mostRows, what)
}

// list holds rows that were computed instead of read, to be put into a Table.
type list[T any] struct {
	rows    []T
	columns []column[T]
	tone    func(*T) layout.Tone // may be nil
}

// table sorts the rows by the report's settings, or keeps their order.
func (l *list[T]) table(_ context.Context, r *Run, about ...string) (*layout.Table, error) {
	shown, err := chosen(r.Report, l.columns)
	if err != nil {
		return nil, err
	}
	t := &layout.Table{Title: r.Report.Name, About: about, Total: int64(len(l.rows))}
	setColumns(t, shown)
	l.sort(r.Report)
	t.Rows = func(yield func(layout.Row) error) error {
		for i := range l.rows {
			row := &l.rows[i]
			out := layout.Row{Cells: make([]string, len(shown))}
			for k, c := range shown {
				out.Cells[k] = c.text(row)
			}
			if l.tone != nil {
				out.Tone = l.tone(row)
			}
			if err := yield(out); err != nil {
				return err
			}
		}
		return nil
	}
	return t, nil
}

func (l *list[T]) sort(report *reporting.Report) {
	by := -1
	if report.SortedBy != "" {
		by = kindOf(report.Type).Column(report.SortedBy)
	}
	if by >= 0 {
		c := &l.columns[by]
		slices.SortStableFunc(l.rows, func(a, b T) int {
			if c.key != nil {
				return strings.Compare(c.key(&a), c.key(&b))
			}
			return cmp.Compare(strings.ToLower(c.text(&a)), strings.ToLower(c.text(&b)))
		})
	}
	if report.SortDirection == "desc" {
		slices.Reverse(l.rows)
	}
}
