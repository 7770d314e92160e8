package content

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"spyglass/backend/portal/datasource"
	"spyglass/backend/portal/fleet"
	"spyglass/backend/portal/reporting"
	"spyglass/backend/report/layout"
	"spyglass/backend/resource"
	"spyglass/backend/series"
)

// measuredRow holds the statistics of one datapoint of one instance in the range.
type measuredRow struct {
	key                                  series.Key
	about                                *shownPoint
	device, instance                     string
	least, average, most, high95, newest float64
	count                                int
}

// shownPoint is a datapoint that the report shows.
type shownPoint struct {
	source *datasource.DataSource
	point  datasource.DataPoint
	rows   int
}

const (
	most10      = 10
	mostCharts  = 12
	chartSteps  = 180
	highPercent = 95
)

func metricTrendsKind() kind {
	return kind{table: metricTrends, ReportTypeInfo: reporting.ReportTypeInfo{
		Name: reporting.ReportMetrics, Title: "Measurements", Icon: "live",
		About: "Minimum, mean and maximum of measurements, with charts",
		Right: seesDevices, Fields: []string{"dateRange", "hostsValType", "hostsVal", "metrics", "top10Only"},
		Columns: []string{"Device", "DataSource", "Instance", "DataPoint", "Minimum", "Average", "Maximum",
			"95th percentile", "Last", "Samples"},
	}}
}

// metricTrends lists statistics of datapoints in a time range.
func metricTrends(ctx context.Context, r *Run) (*layout.Table, error) {
	from, to, about, err := r.bounded(ctx)
	if err != nil {
		return nil, err
	}
	m := &measuring{Run: r, from: from, to: to}
	if err := m.choose(ctx); err != nil {
		return nil, err
	}
	if err := m.read(ctx); err != nil {
		return nil, err
	}
	if r.Report.Top10 {
		m.keepTop()
	}
	charts, err := m.charts(ctx)
	if err != nil {
		return nil, err
	}
	lines := []string{about}
	if r.Report.Top10 {
		lines = append(lines, "The ten instances with the highest average of each datapoint.")
	}
	l := &list[measuredRow]{rows: m.rows, columns: metricColumns()}
	t, err := l.table(ctx, r, lines...)
	if err == nil {
		t.Charts = charts
	}
	return t, err
}

// measuring is a metric trend in progress.
type measuring struct {
	*Run
	from, to time.Time
	devices  map[int64]string // display names of the selected devices
	points   []*shownPoint
	rows     []measuredRow
}

// choose finds the rows, without their values.
func (m *measuring) choose(ctx context.Context) error {
	s := &source[fleet.Device]{name: fleet.Devices.Name, id: func(d *fleet.Device) int64 { return d.ID }}
	if err := m.chooseDevices(ctx, s); err != nil {
		return err
	}
	m.devices = map[int64]string{}
	if err := s.scan(ctx, m.Run, func(d *fleet.Device) { m.devices[d.ID] = d.DisplayName }); err != nil {
		return err
	}
	for i := range m.Report.Metrics {
		if err := m.chooseMetric(ctx, &m.Report.Metrics[i]); err != nil {
			return err
		}
	}
	slices.SortStableFunc(m.rows, func(a, b measuredRow) int {
		return cmp.Or(strings.Compare(strings.ToLower(a.device), strings.ToLower(b.device)),
			strings.Compare(a.about.source.Name, b.about.source.Name), strings.Compare(a.instance, b.instance))
	})
	return nil
}

func (m *measuring) chooseMetric(ctx context.Context, metric *reporting.ReportMetric) error {
	found, err := resource.Find(ctx, m.From, datasource.DataSources.Name,
		resource.Where{Field: "id", Op: "=", Value: metric.DataSourceID})
	if err != nil || len(found) == 0 {
		return err // deleted since the report was saved
	}
	points, _ := metric.PointsOf(&found[0])
	var shown []*shownPoint
	for _, p := range points {
		shown = append(shown, &shownPoint{source: &found[0], point: p})
	}
	m.points = append(m.points, shown...)
	names, over := newGlobs(metric.Instances), false
	s := &source[fleet.Instance]{
		name: fleet.Instances.Name, id: func(i *fleet.Instance) int64 { return i.ID },
		where: []resource.Where{{Field: "dataSourceId", Op: "=", Value: metric.DataSourceID}},
		keep: func(i *fleet.Instance) bool {
			_, chosen := m.devices[i.DeviceID]
			return chosen && names.match(i.DisplayName)
		},
	}
	err = s.scan(ctx, m.Run, func(i *fleet.Instance) {
		if over = over || len(m.rows)+len(shown) > mostRows; over {
			return
		}
		for _, p := range shown {
			m.rows = append(m.rows, measuredRow{key: series.Key{Instance: i.ID, DataPoint: p.point.ID}, about: p,
				device: m.devices[i.DeviceID], instance: i.DisplayName})
		}
	})
	if over {
		return tooMany("rows")
	}
	return err
}

// read fills in the values; datapoints without values in the range are omitted.
func (m *measuring) read(ctx context.Context) error {
	kept := m.rows[:0]
	for i := range m.rows {
		row := m.rows[i]
		if i%50 == 0 {
			m.ready = int64(i) * 90 / int64(len(m.rows))
			if err := m.progress(ctx, m.ready, 0); err != nil {
				return err
			}
		}
		has, err := m.measure(ctx, &row)
		if err != nil {
			return err
		}
		if has {
			row.about.rows++
			kept = append(kept, row)
		}
	}
	m.rows, m.ready = kept, 90
	return nil
}

func (m *measuring) measure(ctx context.Context, row *measuredRow) (bool, error) {
	if m.Series == nil || !m.from.Before(m.to) {
		return false, nil
	}
	q := series.Query{Instance: row.key.Instance, DataPoints: []int64{row.key.DataPoint}, From: m.from.Unix(),
		To: m.to.Unix()}
	whole, err := m.Series.Aggregate(ctx, q, q.To-q.From)
	if err != nil || len(whole[0]) == 0 || whole[0][0].Count == 0 {
		return false, err
	}
	all := whole[0][0]
	row.least, row.average, row.most, row.newest, row.count = all.Min, all.Average(), all.Max, all.Last, all.Count
	samples, err := m.Series.Range(ctx, q)
	if err != nil {
		return false, err
	}
	values := slices.DeleteFunc(samples.Values[0], math.IsNaN)
	row.high95 = row.most
	if len(values) > 0 {
		row.high95 = series.Percentile(values, highPercent)
	}
	return true, nil
}

// keepTop keeps the ten rows of each datapoint with the highest average.
func (m *measuring) keepTop() {
	var kept []measuredRow
	for _, p := range m.points {
		kept = append(kept, m.top(p, most10)...)
	}
	m.rows = kept
}

// top returns the rows of a datapoint with the highest average.
func (m *measuring) top(p *shownPoint, n int) []measuredRow {
	var mine []measuredRow
	for _, row := range m.rows {
		if row.about == p {
			mine = append(mine, row)
		}
	}
	slices.SortStableFunc(mine, func(a, b measuredRow) int { return cmp.Compare(b.average, a.average) })
	return mine[:min(n, len(mine))]
}

// charts draws the rows with the highest average, for each datapoint.
func (m *measuring) charts(ctx context.Context) (out []layout.Chart, err error) {
	for _, p := range m.points {
		if p.rows == 0 || len(out) == mostCharts {
			continue
		}
		c := layout.Chart{Title: p.source.DisplayName + ": " + p.point.Name, From: m.from, To: m.to}
		if unit := p.source.UnitOf(p.point.Name); unit != "" {
			c.Title += " in " + unit
		}
		if p.rows > layout.MaxLines {
			c.Title += fmt.Sprintf(", the %d highest of %d", layout.MaxLines, p.rows)
		}
		for _, row := range m.top(p, layout.MaxLines) {
			line, err := m.line(ctx, &row)
			if err != nil {
				return nil, err
			}
			c.Lines = append(c.Lines, line)
		}
		out = append(out, c)
	}
	return out, nil
}

func (m *measuring) line(ctx context.Context, row *measuredRow) (layout.Line, error) {
	from, to := m.from.Unix(), m.to.Unix()
	step := max((to-from+chartSteps-1)/chartSteps, row.about.source.CollectInterval, 1)
	if from < m.At.Unix()-hourly {
		step = max(step, 3600)
	}
	steps, err := m.Series.Aggregate(
		ctx, series.Query{Instance: row.key.Instance, DataPoints: []int64{row.key.DataPoint}, From: from, To: to}, step)
	if err != nil {
		return layout.Line{}, err
	}
	l := layout.Line{Name: row.device}
	if row.instance != row.about.source.Name {
		l.Name += " " + row.instance
	}
	for _, s := range steps[0] {
		l.Values = append(l.Values, s.Average())
	}
	return l, nil
}

func metricColumns() []column[measuredRow] {
	type row = measuredRow
	columns := plain(reporting.ReportMetrics,
		func(m *row) string { return m.device },
		func(m *row) string { return m.about.source.DisplayName },
		func(m *row) string { return m.instance },
		func(m *row) string { return m.about.point.Name },
		func(m *row) string { return decimal(m.least) },
		func(m *row) string { return decimal(m.average) },
		func(m *row) string { return decimal(m.most) },
		func(m *row) string { return decimal(m.high95) },
		func(m *row) string { return decimal(m.newest) },
		func(m *row) string { return strconv.Itoa(m.count) },
	)
	for i, value := range []func(*row) float64{
		4: func(m *row) float64 { return m.least }, 5: func(m *row) float64 { return m.average },
		6: func(m *row) float64 { return m.most },
		7: func(m *row) float64 { return m.high95 }, 8: func(m *row) float64 { return m.newest },
		9: func(m *row) float64 { return float64(m.count) },
	} {
		if value != nil {
			columns[i].num, columns[i].key = true, func(m *row) string { return ordered(value(m)) }
		}
	}
	return columns
}

// decimal formats a value with at most six significant digits, without an exponent.
func decimal(v float64) string {
	rounded, err := strconv.ParseFloat(strconv.FormatFloat(v, 'e', 5, 64), 64)
	if err != nil || math.IsInf(v, 0) {
		return strconv.FormatFloat(v, 'g', -1, 64)
	}
	return strconv.FormatFloat(rounded, 'f', -1, 64)
}

// ordered returns a key that sorts like the value.
func ordered(v float64) string {
	bits := math.Float64bits(v)
	if bits>>63 == 1 {
		bits = ^bits
	} else {
		bits |= 1 << 63
	}
	return fmt.Sprintf("%016x", bits)
}
