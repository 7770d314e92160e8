package document

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strconv"

	"spyglass/backend/fault"
	"spyglass/backend/resource"
)

// SeriesQuery selects the lines of a chart. From and To are epoch milliseconds;
// 0 for no bound.
type SeriesQuery struct {
	Time   string   // the ID of the column with the times; required for a list only
	Lines  []string // IDs of columns; if empty, all numbers of measured data
	Points int      // maximum points per line; more are thinned. 0: all
	From   int64
	To     int64
}

// Series is the data of a chart.
type Series struct {
	Title string      `json:"title"`
	Unit  string      `json:"unit"`
	Sets  []SeriesSet `json:"sets"`
	Thin  bool        `json:"thin" doc:"some points were left out: of each step the least and the greatest remain"`
	More  int         `json:"more" doc:"lines beyond the first 50"`
}

// SeriesSet is a set of lines with the same times.
type SeriesSet struct {
	Name  string       `json:"name" doc:"name of the instance; empty where there is but one"`
	Time  []int64      `json:"time" doc:"epoch milliseconds, the oldest first"`
	Lines []SeriesLine `json:"lines"`
}

// SeriesLine is one line of a chart. Its statistics cover all points between
// From and To, whether or not they were thinned.
type SeriesLine struct {
	Name   string   `json:"name"`
	Values Values   `json:"values" doc:"null for a gap"`
	Min    *float64 `json:"min"`
	Max    *float64 `json:"max"`
	Last   *float64 `json:"last"`
	Count  int      `json:"count" doc:"times with a value"`
	Gaps   int      `json:"gaps" doc:"times that the line breaks off and goes on later"`
}

// Values are numbers; NaN and infinities become null in JSON.
type Values []float64

// Schema implements resource.Described.
func (Values) Schema() resource.Schema {
	return resource.List(resource.Schema{Type: "number", Nullable: true}, "null for a gap")
}

// MarshalJSON writes null for NaN and for numbers too large for JSON.
func (v Values) MarshalJSON() ([]byte, error) {
	out := append(make([]byte, 0, 8*len(v)+2), '[')
	for i, n := range v {
		if i > 0 {
			out = append(out, ',')
		}
		if math.IsNaN(n) || math.IsInf(n, 0) {
			out = append(out, "null"...)
		} else {
			out = strconv.AppendFloat(out, n, 'g', -1, 64)
		}
	}
	return append(out, ']'), nil
}

const (
	maxLines = 50
	// pause is the number of usual steps without a value that count as a gap.
	pause = 3
)

// Series returns the lines of a chart: of measured data, or of the columns of a
// list. Any other body has no sets.
func (d *Document) Series(ctx context.Context, q SeriesQuery) (out Series, err error) {
	out.Sets = []SeriesSet{}
	err = d.read(largeWindow, func(s *scanner) error {
		t := d.table(s)
		if t.shape == Scalar || t.shape == Fields || t.shape == Items && q.Time == "" {
			return nil
		}
		if t.shape == Points {
			out.Title, out.Unit = s.textOf(d.root.value, "title", "dataSourceName"),
				s.textOf(d.root.value, "verticalLabel")
		}
		raw, more, err := d.measured(ctx, s, t, q)
		if err != nil {
			return err
		}
		out.More = more
		for i := range raw {
			set, thin := raw[i].series(q)
			out.Sets, out.Thin = append(out.Sets, set), out.Thin || thin
		}
		return s.err
	})
	return out, err
}

// measurement is a set of lines before thinning.
type measurement struct {
	name   string
	names  []string
	times  []int64
	values [][]float64 // values of each name
}

// measured reads all sets of a table.
func (d *Document) measured(ctx context.Context, s *scanner, t *table,
	q SeriesQuery) (all []measurement, more int, err error) {
	if t.shape == Items {
		m, err := s.measure(ctx, t, q.Time, q.Lines)
		return []measurement{m}, 0, err
	}
	left := maxLines
	for i := range t.sets {
		ids := []string{}
		for n := range t.sets[i].names {
			id := t.sets[i].head(n)
			if len(q.Lines) > 0 && !slices.Contains(q.Lines, id) {
				continue
			}
			if left == 0 {
				more++
				continue
			}
			ids, left = append(ids, id), left-1
		}
		if len(ids) == 0 {
			continue
		}
		m, err := s.measure(ctx, pointTable(t.sets[i:i+1]), timeColumn, ids)
		if err != nil {
			return nil, 0, err
		}
		if label := t.sets[i].label; label.kind != "" {
			m.name, _ = s.literal(label, maxCell)
		}
		all = append(all, m)
	}
	return all, more, nil
}

// measure reads columns of a table as lines. It skips rows without a time.
func (s *scanner) measure(ctx context.Context, t *table, at string, lines []string) (measurement, error) {
	if len(lines) > maxLines {
		return measurement{}, fault.At("line", "a chart can have at most %d lines", maxLines)
	}
	reader, err := s.reader(t, append([]string{at}, lines...))
	if err != nil {
		return measurement{}, err
	}
	m := measurement{names: lines, values: make([][]float64, len(lines))}
	clock, pens := s.apart(), make([]*scanner, len(lines)) // each continues where it stopped
	for n := range pens {
		if pens[n] = s; t.shape == Points && t.sets[0].rows.kind == "" {
			pens[n] = s.apart()
		}
	}
	reader.seek(0)
	for i := range t.total {
		if i%1024 == 0 && ctx.Err() != nil {
			return m, ctx.Err()
		}
		r, ok := reader.next()
		if !ok {
			break
		}
		moment, ok := epochMillis(clock.number(r.cells[0]))
		if !ok {
			continue
		}
		m.times = append(m.times, moment)
		for n := range lines {
			m.values[n] = append(m.values[n], pens[n].number(r.cells[n+1]))
		}
	}
	m.sort()
	for _, pen := range append(pens, clock) {
		if s.err == nil {
			s.err = pen.err
		}
	}
	return m, s.err
}

// epochMillis converts a time in seconds or milliseconds: it uses the unit that
// gives a time between 2000 and 2100.
func epochMillis(n float64) (int64, bool) {
	const from, to = 946_684_800, 4_102_444_800
	switch {
	case n >= from && n <= to:
		return int64(n * 1000), true
	case n >= from*1000 && n <= to*1000:
		return int64(n), true
	}
	return 0, false
}

// sort sorts the points by time, the oldest first.
func (m *measurement) sort() {
	if slices.IsSorted(m.times) {
		return
	}
	order := make([]int, len(m.times))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(m.times[a], m.times[b]) })
	m.times = selected(m.times, order)
	for n := range m.values {
		m.values[n] = selected(m.values[n], order)
	}
}

func selected[T any](from []T, order []int) []T {
	to := make([]T, len(order))
	for i, at := range order {
		to[i] = from[at]
	}
	return to
}

func parseNumber(text string) float64 {
	n, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return math.NaN()
	}
	return n
}
