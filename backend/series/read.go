package series

import (
	"cmp"
	"context"
	"math"
	"slices"

	"spyglass/backend/fault"
)

// Query selects datapoints of one instance and a period.
type Query struct {
	Instance   int64
	DataPoints []int64
	From, To   int64 // epoch seconds; To is excluded
	Limit      int   // for Range: only the newest times; 0 for all
}

// Table holds the samples of several datapoints. Each list in Values belongs to
// the datapoint at that index of the query and has the same length as Times; NaN
// marks a missing sample.
type Table struct {
	Times  []int64 // epoch seconds, the oldest first
	Values [][]float64
}

// together is the number of half days read at a time.
const together = 8

// Range returns every sample of the query. Where Retain has converted samples to
// hours, it returns the average of each hour, at the beginning of the hour. A
// series without samples is all NaN.
func (db *DB) Range(ctx context.Context, q Query) (Table, error) {
	q, err := q.checked()
	if err != nil {
		return Table{}, err
	}
	if err := db.current(ctx); err != nil {
		return Table{}, err
	}
	have := make([][]point, len(q.DataPoints))
	found := 0
	db.rolling.RLock()
	defer db.rolling.RUnlock()
	v := db.view(q)
	for high := v.high; high >= v.low && (q.Limit == 0 || found < q.Limit); high -= together {
		some, err := v.points(ctx, max(v.low, high-together+1), high)
		if err != nil {
			return Table{}, err
		}
		most := 0
		for i := range some {
			have[i] = append(some[i], have[i]...)
			most = max(most, len(some[i]))
		}
		found += most
	}
	if q.Limit == 0 || found < q.Limit {
		for i := range have {
			old, err := v.hours(ctx, i)
			if err != nil {
				return Table{}, err
			}
			have[i] = merge(averages(old), have[i])
		}
		if err := v.addEarlier(ctx, have, found); err != nil {
			return Table{}, err
		}
	}
	return tableOf(have, q.Limit), nil
}

func (q Query) checked() (Query, error) {
	q.From, q.To = max(q.From, 0), min(q.To, latest)
	if q.Limit < 0 {
		return q, fault.At("limit", "a limit of %d is out of range", q.Limit)
	}
	return q, nil
}

// view is a snapshot of the data of a query: a concurrent fold may write its data
// to the file, but deletes none of it.
type view struct {
	db        *DB
	q         Query
	series    []*series // nil for a series that does not exist
	held      [][]point
	low, high int64 // half days
	kept      span  // half days that may have chunks
	rolled    span
}

func (db *DB) view(q Query) *view {
	keys := make([]Key, len(q.DataPoints))
	for i, d := range q.DataPoints {
		keys[i] = Key{q.Instance, d}
	}
	return db.viewMany(q, keys)
}

// viewOf returns a view of these series, nil for missing series. The caller holds
// DB.mu.
func (db *DB) viewOf(q Query, of []*series) *view {
	v := &view{db: db, q: q, series: of, held: make([][]point, len(of)), kept: span{db.low, db.high}, rolled: db.rolled}
	all := v.kept
	for i, s := range of {
		if s == nil {
			continue
		}
		for _, b := range s.blocks {
			if b.when >= halfDayOf(q.From) && b.when <= halfDayOf(q.To) {
				v.held[i], _ = b.points(v.held[i]) // decoding from memory cannot fail
				all = all.with(b.when)
			}
		}
	}
	v.low, v.high = max(halfDayOf(q.From), all.from), min(halfDayOf(max(q.To, 1)-1), all.to)
	return v
}

// points returns the samples of each datapoint between two half days.
func (v *view) points(ctx context.Context, low, high int64) ([][]point, error) {
	var ids []int64
	for when := max(low, v.kept.from); when <= min(high, v.kept.to); when++ {
		for _, s := range v.series {
			if s != nil {
				ids = append(ids, rowOf(when, s.number))
			}
		}
	}
	parts := map[int64][]point{}
	if err := v.db.file.Rows(ctx, chunks, ids, func(id int64, data []byte) (err error) {
		if parts[id], err = decode(data, nil); err != nil {
			return v.db.damaged(err)
		}
		return nil
	}); err != nil {
		return nil, err
	}
	all := make([][]point, len(v.series))
	for i, s := range v.series {
		if s == nil {
			continue
		}
		var list []point
		for when := low; when <= high; when++ {
			list = append(list, parts[rowOf(when, s.number)]...)
		}
		list = merge(list, between(v.held[i], low*halfDay, (high+1)*halfDay))
		all[i] = slices.Clone(between(list, v.q.From, v.q.To))
	}
	return all, nil
}

// between returns the points in the period; to is excluded.
func between(points []point, from, to int64) []point {
	order := func(p point, at int64) int { return cmp.Compare(p.at, at) }
	a, _ := slices.BinarySearchFunc(points, from, order)
	b, _ := slices.BinarySearchFunc(points, to, order)
	return points[a:max(a, b)]
}

// tableOf combines lists into a table; limit keeps only the newest times, 0 all.
func tableOf(have [][]point, limit int) Table {
	times := timesOf(have)
	if limit > 0 && len(times) > limit {
		times = times[len(times)-limit:]
	}
	t := Table{Times: times, Values: make([][]float64, len(have))}
	for i, points := range have {
		values := make([]float64, len(times))
		if len(times) > 0 {
			points = between(points, times[0], latest)
		}
		for j, at := range times {
			if len(points) > 0 && points[0].at == at {
				values[j], points = points[0].value, points[1:]
			} else {
				values[j] = math.NaN()
			}
		}
		t.Values[i] = values
	}
	return t
}

// timesOf returns all times in the lists, without duplicates. Datapoints that are
// polled together have the same times.
func timesOf(have [][]point) []int64 {
	times := []int64{}
	for _, points := range have {
		if len(points) == len(times) &&
			slices.EqualFunc(points, times, func(p point, at int64) bool { return p.at == at }) {
			continue
		}
		mixed := len(times) > 0
		for _, p := range points {
			times = append(times, p.at)
		}
		if mixed {
			slices.Sort(times)
			times = slices.Compact(times)
		}
	}
	return times
}

// Last returns the newest sample of a series that is not in the future; samples
// measured before the clock was set back may be. ok is false if there is none.
func (db *DB) Last(ctx context.Context, instance, datapoint int64) (last Sample, ok bool, err error) {
	if err := db.current(ctx); err != nil {
		return Sample{}, false, err
	}
	db.mu.RLock()
	s := db.series[Key{instance, datapoint}]
	var p point
	known, none, adds := false, false, 0
	if s != nil {
		p, known, none, adds = s.last, s.known, s.none == s.adds+1, s.adds
	}
	db.mu.RUnlock()
	if s == nil || none {
		return Sample{}, false, nil
	}
	now := db.clock().Unix()
	if known && p.at <= now {
		return Sample{instance, datapoint, p.at, p.value}, true, nil
	}
	t, err := db.Range(ctx, Query{Instance: instance, DataPoints: []int64{datapoint},
		From: max(0, db.floor()-longestEarlier), To: now + 1, Limit: 1})
	if err != nil {
		return Sample{}, false, err
	}
	if len(t.Times) == 0 {
		db.mu.Lock()
		defer db.mu.Unlock()
		if db.older != nil {
			s.none = adds + 1
		}
		return Sample{}, false, nil
	}
	p = point{t.Times[0], t.Values[0][0]}
	db.mu.Lock()
	if s.adds == adds {
		s.last, s.known = p, true
	}
	db.mu.Unlock()
	return Sample{instance, datapoint, p.at, p.value}, true, nil
}

// Latest returns the time of the newest sample of any of the datapoints of an
// instance; 0 if there is none. It reads the disk once for a series without
// appends since Open.
func (db *DB) Latest(ctx context.Context, instance int64, datapoints ...int64) (at int64, err error) {
	for _, id := range datapoints {
		last, ok, err := db.Last(ctx, instance, id)
		if err != nil {
			return 0, err
		}
		if ok {
			at = max(at, last.At)
		}
	}
	return at, nil
}

// Instances returns the ids of instances with a series.
func (db *DB) Instances() []int64 {
	db.mu.RLock()
	defer db.mu.RUnlock()
	ids := make([]int64, 0, len(db.series))
	for key := range db.series {
		ids = append(ids, key.Instance)
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}
