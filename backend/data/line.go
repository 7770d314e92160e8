package data

import (
	"cmp"
	"context"
	"math"
	"slices"

	"spyglass/backend/expr"
	"spyglass/backend/portal/datasource"
	"spyglass/backend/portal/fleet"
	"spyglass/backend/series"
)

// drawing is a graph whose lines are being computed.
type drawing struct {
	s       *Service
	graph   *datasource.Graph
	source  *datasource.DataSource
	request request
	several bool // one line per instance

	times  []int64 // epoch seconds, on multiples of the step
	hourly []bool  // for each time: hourly values of older days
	lines  []line
}

type line struct {
	*datasource.GraphLine
	instance string // its name; empty if there is only one
	values   []float64
	// the extremes of the samples of each step; nil unless requested, and for
	// lines computed from several data points or instances
	lows, highs []float64
}

// measures holds the values of one instance by the names of the graph's data
// points.
type measures struct{ values, lows, highs map[string][]float64 }

// draw computes the lines of the instances: combined, or one for each.
func (d *drawing) draw(ctx context.Context, instances []fleet.Instance) error {
	from := d.request.from - d.request.from%d.request.step
	for at := from; at <= d.request.to; at += d.request.step {
		d.times = append(d.times, at)
	}
	d.hourly = make([]bool, len(d.times))
	all := make([]measures, len(instances))
	for i := range instances {
		var err error
		if all[i], err = d.measured(ctx, instances[i].ID, from); err != nil {
			return err
		}
	}
	if d.several {
		for i := range instances {
			d.add(instances[i].DisplayName, all[i])
		}
		return nil
	}
	d.add("", d.over(all))
	return nil
}

// measured returns the values of the graph's data points for one instance.
func (d *drawing) measured(ctx context.Context, instance, from int64) (measures, error) {
	m := measures{map[string][]float64{}, map[string][]float64{}, map[string][]float64{}}
	q := series.Query{Instance: instance, From: from, To: d.request.to + 1}
	var used []*datasource.GraphDataPoint
	for i := range d.graph.DataPoints {
		p := &d.graph.DataPoints[i]
		if k := d.point(p.DataPointName); k != nil {
			q.DataPoints, used = append(q.DataPoints, k.ID), append(used, p)
		}
	}
	found, err := d.s.series.Aggregate(ctx, q, d.request.step)
	if err != nil {
		return m, err
	}
	for i, p := range used {
		aggregate := [...]string{"average", "average", "max", "min"}[p.Consolidate&3]
		of := func(aggregate string) []float64 {
			line := make([]float64, len(d.times))
			for k := range line {
				line[k] = math.NaN()
				if k < len(found[i]) {
					line[k] = value(found[i][k], aggregate)
				}
			}
			return line
		}
		m.values[p.Name] = of(aggregate)
		if d.request.extremes {
			m.lows[p.Name], m.highs[p.Name] = of("min"), of("max")
		}
		for k := range min(len(d.times), len(found[i])) {
			d.hourly[k] = d.hourly[k] || found[i][k].Hourly
		}
	}
	return m, nil
}

func (d *drawing) point(name string) *datasource.DataPoint {
	i := slices.IndexFunc(d.source.DataPoints, func(p datasource.DataPoint) bool { return p.Name == name })
	if i < 0 {
		return nil
	}
	return &d.source.DataPoints[i]
}

// over aggregates several instances by the method of each data point.
func (d *drawing) over(all []measures) measures {
	if len(all) == 1 {
		return all[0]
	}
	out := map[string][]float64{}
	for _, p := range d.graph.DataPoints {
		values := make([]float64, len(d.times))
		for k := range values {
			values[k] = together(all, p.Name, k, p.AggregateMethod)
		}
		out[p.Name] = values
	}
	return measures{values: out}
}

func together(all []measures, name string, k int, method string) float64 {
	n, sum, low, high := 0.0, 0.0, math.Inf(1), math.Inf(-1)
	for _, one := range all {
		line := one.values[name]
		if line == nil || math.IsNaN(line[k]) {
			continue
		}
		n, sum, low, high = n+1, sum+line[k], min(low, line[k]), max(high, line[k])
	}
	switch {
	case n == 0:
		return math.NaN()
	case method == "sum":
		return sum
	case method == "min":
		return low
	case method == "max":
		return high
	}
	return sum / n
}

// add adds the lines of values, and computes the virtual ones.
func (d *drawing) add(instance string, m measures) {
	for _, v := range d.graph.Virtual {
		e, err := expr.Parse(v.RPN)
		if err != nil {
			continue // no data for this line; expressions are checked when saved
		}
		out := make([]float64, len(d.times))
		for k := range out {
			out[k] = e.Eval(func(name string) float64 {
				if line := m.values[name]; line != nil {
					return line[k]
				}
				return math.NaN()
			})
		}
		m.values[v.Name] = out
	}
	for i := range d.graph.Lines {
		l := &d.graph.Lines[i]
		name := l.DataPointName
		if k := slices.IndexFunc(d.graph.DataPoints, func(p datasource.GraphDataPoint) bool {
			return p.DataPointName == name
		}); k >= 0 && !l.Virtual {
			name = d.graph.DataPoints[k].Name
		}
		line := line{l, instance, m.values[name], m.lows[name], m.highs[name]}
		if line.values == nil {
			line.values = slices.Repeat([]float64{math.NaN()}, len(d.times))
		}
		d.lines = append(d.lines, line)
	}
}

// thin removes steps without data between two polls, and gaps of up to two missed
// polls; three missed polls make a gap in every line. For hourly values the same
// applies to hours.
func (d *drawing) thin() {
	keep, empty := make([]bool, len(d.times)), 0 // empty: number of steps without data before this one
	last := -1                                   // the last step with data
	for k := range d.times {
		has := slices.ContainsFunc(d.lines, func(l line) bool { return !math.IsNaN(l.values[k]) })
		keep[k] = true
		if !has {
			empty++
			continue
		}
		if last >= 0 && int64(empty)*d.request.step < d.patience(last, k) {
			for n := k - empty; n < k; n++ {
				keep[n] = false
			}
		}
		last, empty = k, 0
	}
	d.times = pick(d.times, keep)
	for i := range d.lines {
		l := &d.lines[i]
		l.values, l.lows, l.highs = pick(l.values, keep), pick(l.lows, keep), pick(l.highs, keep)
	}
}

// patience returns how many seconds without data make a gap between two steps.
func (d *drawing) patience(from, to int) int64 {
	if d.hourly[from] || d.hourly[to] {
		return 3 * max(d.source.CollectInterval, hour)
	}
	return 3 * d.source.CollectInterval
}

func pick[T any](list []T, keep []bool) []T {
	out := make([]T, 0, len(list))
	for i, v := range list {
		if keep[i] {
			out = append(out, v)
		}
	}
	return out
}

// palette holds the colors of lines without a color name, and words the colors of
// named ones.
var (
	palette = []string{"#3d7cc9", "#e0803a", "#4c9f70", "#c9506b", "#8767c4", "#b8972e", "#3aa6b0", "#7a7f87"}
	words   = map[string]string{
		"blue": "#3d7cc9", "orange": "#e0803a", "green": "#4c9f70", "red": "#c9506b", "purple": "#8767c4",
		"yellow": "#b8972e", "aqua": "#3aa6b0", "gray": "#7a7f87",
		"grey": "#7a7f87", "silver": "#a9adb3", "black": "#2b2e33", "maroon": "#7d2f3f", "navy": "#27457a",
		"olive": "#7c7a2f", "lime": "#7fb542", "teal": "#2c7d84", "fuchsia": "#c55ab8",
	}
	lineTypes = [...]string{"line", "line", "area", "stack"}
)

// shown returns the lines of the response, and the labels of those without data.
func (d *drawing) shown() (times []int64, lines []GraphPlotLine, missing []string) {
	times, lines, missing = make([]int64, len(d.times)), make([]GraphPlotLine, len(d.lines)), []string{}
	for k, at := range d.times {
		times[k] = at * 1000
	}
	for i := range d.lines {
		l := &d.lines[i]
		out := &lines[i]
		*out = GraphPlotLine{Legend: l.Legend, Label: l.Legend, Type: lineTypes[l.Type&3], ColorName: l.ColorName,
			Visible: true, Decimal: 4, Data: numbers(l.values), Lows: numbers(l.lows), Highs: numbers(l.highs)}
		out.Color = cmp.Or(words[l.ColorName], palette[i%len(palette)])
		if l.instance != "" {
			out.Label = l.instance + " " + l.Legend
		}
		if p := d.point(l.DataPointName); p != nil && !l.Virtual {
			out.Description, out.Decimal = p.Description, p.MaxDigits
		}
		if !out.sum() {
			missing = append(missing, out.Label)
		}
	}
	return times, lines, missing
}

func numbers(values []float64) []*float64 {
	out := make([]*float64, len(values))
	for k := range values {
		out[k] = shown(&values[k])
	}
	return out
}

// sum sets the statistics of the data; it returns false if there is none.
func (l *GraphPlotLine) sum() bool {
	n, sum, squares, low, high := 0.0, 0.0, 0.0, math.Inf(1), math.Inf(-1)
	for _, v := range l.Data {
		if v != nil {
			n, sum, low, high = n+1, sum+*v, min(low, *v), max(high, *v)
		}
	}
	if n == 0 {
		return false
	}
	mean := sum / n
	for _, v := range l.Data {
		if v != nil {
			squares += (*v - mean) * (*v - mean)
		}
	}
	deviation := math.Sqrt(squares / n)
	l.Min, l.Max, l.Avg, l.Std = shown(&low), shown(&high), shown(&mean), shown(&deviation)
	return true
}
