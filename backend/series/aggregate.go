package series

import (
	"context"
	"math"
	"slices"

	"spyglass/backend/fault"
)

// Step is the aggregate of the samples in a period. If Count is 0, the other
// fields have no meaning.
type Step struct {
	At          int64 // start of the period, epoch seconds
	Count       int
	Sum         float64
	Min, Max    float64
	First, Last float64
	Hourly      bool // some are hourly values created by Retain
}

// Average returns the average, or NaN if there are no samples.
func (s Step) Average() float64 {
	if s.Count == 0 {
		return math.NaN()
	}
	return s.Sum / float64(s.Count)
}

// Percentile returns the smallest value that is not exceeded by at least percent
// of values (nearest rank); NaN for no values. It sorts values.
func Percentile(values []float64, percent int) float64 {
	if len(values) == 0 {
		return math.NaN()
	}
	slices.Sort(values)
	return values[(len(values)*percent+99)/100-1]
}

func (s *Step) add(v float64) {
	if s.Count == 0 {
		s.Min, s.Max, s.First = v, v, v
	}
	s.Count++
	s.Sum += v
	s.Min, s.Max, s.Last = min(s.Min, v), max(s.Max, v), v
}

// join adds the aggregate of a later period.
func (s *Step) join(o Step) {
	if o.Count == 0 {
		return
	}
	if s.Count == 0 {
		at := s.At
		*s = o
		s.At = at
		return
	}
	s.Count += o.Count
	s.Sum += o.Sum
	s.Min, s.Max, s.Last = min(s.Min, o.Min), max(s.Max, o.Max), o.Last
}

// maxSteps limits the memory of one query.
const maxSteps = 100_000

// Aggregate returns, for each datapoint of the query, one Step for each period of
// step seconds, beginning at q.From; the last one may be shorter. It holds only
// the steps and a few days of samples in memory. An hour created by Retain counts
// in the step in which it begins.
func (db *DB) Aggregate(ctx context.Context, q Query, step int64) ([][]Step, error) {
	q, err := q.checked()
	if err != nil {
		return nil, err
	}
	if step <= 0 {
		return nil, fault.At("step", "a step of %d seconds is out of range", step)
	}
	step = min(step, latest)
	if err := limitSteps(q, step, len(q.DataPoints)); err != nil {
		return nil, err
	}
	if err := db.current(ctx); err != nil {
		return nil, err
	}
	db.rolling.RLock()
	defer db.rolling.RUnlock()
	return db.view(q).aggregate(ctx, step)
}

// AggregateMany is Aggregate for series of any instances, which it reads together:
// one read for each few half days, however many series there are.
func (db *DB) AggregateMany(ctx context.Context, keys []Key, from, to, step int64) ([][]Step, error) {
	q, err := Query{From: from, To: to}.checked()
	if err != nil {
		return nil, err
	}
	if step <= 0 {
		return nil, fault.At("step", "a step of %d seconds is out of range", step)
	}
	step = min(step, latest)
	if err := limitSteps(q, step, len(keys)); err != nil {
		return nil, err
	}
	if err := db.current(ctx); err != nil {
		return nil, err
	}
	db.rolling.RLock()
	defer db.rolling.RUnlock()
	return db.viewMany(q, keys).aggregate(ctx, step)
}

func (db *DB) viewMany(q Query, keys []Key) *view {
	db.mu.RLock()
	defer db.mu.RUnlock()
	all := make([]*series, len(keys))
	for i, key := range keys {
		all[i] = db.series[key]
	}
	return db.viewOf(q, all)
}

// limitSteps refuses a query whose steps would take too much memory.
func limitSteps(q Query, step int64, series int) error {
	if q.steps(step)*int64(max(series, 1)) > maxSteps {
		return fault.At("step", "steps of %d seconds are more than %d values; use longer steps", step, maxSteps)
	}
	return nil
}

func (q Query) steps(step int64) int64 { return (max(q.To-q.From, 0) + step - 1) / step }

// aggregate returns the steps of each series of the view. The caller holds
// DB.rolling.
func (v *view) aggregate(ctx context.Context, step int64) ([][]Step, error) {
	all, count := make([][]Step, len(v.series)), v.q.steps(step)
	for i := range all {
		all[i] = make([]Step, count)
		for j := range all[i] {
			all[i][j].At = v.q.From + int64(j)*step
		}
	}
	for i := range all {
		old, err := v.hours(ctx, i)
		if err != nil {
			return nil, err
		}
		for _, hour := range old {
			s := &all[i][(hour.At-v.q.From)/step]
			s.join(hour)
			s.Hourly = true
		}
	}
	low, high, floor := v.low, v.high, v.db.floor()
	if v.q.From < min(floor, v.q.To) {
		low, high = min(low, halfDayOf(v.q.From)), max(high, halfDayOf(min(floor, v.q.To)-1))
	}
	for ; low <= high; low += together {
		some, err := v.all(ctx, low, min(high, low+together-1))
		if err != nil {
			return nil, err
		}
		for i := range some {
			for _, p := range some[i] {
				all[i][(p.at-v.q.From)/step].add(p.value)
			}
		}
	}
	return all, nil
}
