package data

import (
	"context"
	"fmt"
	"math"

	"spyglass/backend/fault"
	"spyglass/backend/portal/datasource"
	"spyglass/backend/series"
)

// RawValues holds the values of one instance.
type RawValues struct {
	Values [][]*float64 `json:"values" doc:"a list for each time, in the order of dataPoints; null: no data"`
	Time   []int64      `json:"time" doc:"times in epoch milliseconds, the newest first"`
	Next   string       `json:"nextPageParams" doc:"start=…&end=… of the next page, which is earlier; empty on the last page"`
}

// table holds the values of data points of one instance, the oldest first.
type table struct {
	times  []int64 // epoch seconds
	values [][]float64
	more   bool // there are earlier times
}

// read returns the newest requested times, at most limit.
func (s *Service) read(ctx context.Context, instance int64, points []datasource.DataPoint, a request,
	limit int) (t table, err error) {
	q := series.Query{Instance: instance, DataPoints: make([]int64, len(points)), From: a.from, To: a.to + 1}
	for i, p := range points {
		q.DataPoints[i] = p.ID
	}
	if a.aggregate == none {
		q.Limit = limit + 1
		found, err := s.series.Range(ctx, q)
		if err != nil {
			return t, err
		}
		t.times, t.values = found.Times, found.Values
	} else if t, err = s.sums(ctx, q, a); err != nil {
		return t, err
	}
	if over := len(t.times) - limit; over > 0 {
		t.drop(over)
		t.more = true
	}
	return t, nil
}

// sums returns the steps that have samples. Steps begin at the start, so that
// every page of a response has the same ones.
func (s *Service) sums(ctx context.Context, q series.Query, a request) (t table, err error) {
	found, err := s.series.Aggregate(ctx, q, a.step)
	if err != nil || len(found) == 0 {
		return t, err
	}
	var ranked [][]float64
	if a.aggregate == percentile {
		if ranked, err = s.percentiles(ctx, q, a, found); err != nil {
			return t, err
		}
	}
	t.values = make([][]float64, len(found))
	for k := range found[0] {
		any := false
		for d := range found {
			any = any || found[d][k].Count > 0
		}
		if !any {
			continue
		}
		t.times = append(t.times, found[0][k].At)
		for d := range found {
			v := value(found[d][k], a.aggregate)
			if ranked != nil {
				v = ranked[d][k]
			}
			t.values[d] = append(t.values[d], v)
		}
	}
	return t, nil
}

// percentiles returns the percentile of each step of each data point; NaN for
// steps without samples.
func (s *Service) percentiles(
	ctx context.Context, q series.Query, a request, found [][]series.Step,
) ([][]float64, error) {
	samples := 0
	for d := range found {
		for k := range found[d] {
			samples += found[d][k].Count
		}
	}
	if samples > mostSamples {
		return nil, fault.At("aggregate", "a percentile of %d samples is too much for one response; "+
			"request a shorter time, or fewer data points", samples)
	}
	read, err := s.series.Range(ctx, q)
	if err != nil {
		return nil, err
	}
	ranked := make([][]float64, len(found))
	for d := range found {
		ranked[d] = make([]float64, len(found[d]))
		next := 0
		for k := range found[d] {
			end := found[d][k].At + a.step
			var values []float64
			for ; next < len(read.Times) && read.Times[next] < end; next++ {
				if v := read.Values[d][next]; !math.IsNaN(v) {
					values = append(values, v)
				}
			}
			ranked[d][k] = series.Percentile(values, a.percent)
		}
	}
	return ranked, nil
}

func value(s series.Step, aggregate string) float64 {
	if s.Count == 0 && aggregate != "count" {
		return math.NaN()
	}
	switch aggregate {
	case "max":
		return s.Max
	case "min":
		return s.Min
	case "sum":
		return s.Sum
	case "first":
		return s.First
	case "last":
		return s.Last
	case "count":
		return float64(s.Count)
	}
	return s.Average()
}

// drop removes the n oldest times.
func (t *table) drop(n int) {
	t.times = t.times[n:]
	for d := range t.values {
		t.values[d] = t.values[d][n:]
	}
}

// raw returns the table in the form of the response.
func (t *table) raw(a request) RawValues {
	n := len(t.times)
	out := RawValues{Values: make([][]*float64, n), Time: make([]int64, n)}
	for i := range n {
		k := n - 1 - i
		out.Time[i] = t.times[k] * 1000
		row := make([]*float64, len(t.values))
		for d := range t.values {
			row[d] = shown(&t.values[d][k])
		}
		out.Values[i] = row
	}
	if t.more && n > 0 {
		out.Next = a.before(t.times[0])
	}
	return out
}

// before returns the query for times before the oldest one shown.
func (a request) before(at int64) string { return fmt.Sprintf("start=%d&end=%d", a.from, at-1) }

// shown returns nil for a number that JSON cannot represent.
func shown(v *float64) *float64 {
	if math.IsNaN(*v) || math.IsInf(*v, 0) {
		return nil
	}
	return v
}

// room returns how many times per instance fit into a response for that many
// instances.
func room(instances, points int) int {
	const numbers = 200_000
	return max(1, min(most, numbers/max(1, instances*points)))
}

func names(points []datasource.DataPoint) []string {
	out := make([]string, len(points))
	for i, p := range points {
		out[i] = p.Name
	}
	return out
}
