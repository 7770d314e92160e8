package series

import (
	"cmp"
	"context"
	"maps"
	"slices"
)

// scanStep is the number of series read at a time.
const scanStep = 200

// Scan calls each with the samples of all series in a period (before is
// excluded): a few series at a time, those of a series in the order of time. It
// skips samples that Retain has converted to hours. It ends with the first error
// of each.
func (db *DB) Scan(ctx context.Context, from, to int64, each func([]Sample) error) error {
	if err := db.current(ctx); err != nil {
		return err
	}
	for some := range slices.Chunk(db.numbered(), scanStep) {
		samples, err := db.scanSome(ctx, some, from, to)
		if err == nil && len(samples) > 0 {
			err = each(samples)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// numbered returns all series, in the order of the file.
func (db *DB) numbered() []*series {
	db.mu.RLock()
	defer db.mu.RUnlock()
	return slices.SortedFunc(maps.Values(db.series), func(a, b *series) int { return cmp.Compare(a.number, b.number) })
}

func (db *DB) scanSome(ctx context.Context, some []*series, from, to int64) ([]Sample, error) {
	q, err := Query{From: from, To: to}.checked()
	if err != nil {
		return nil, err
	}
	db.rolling.RLock()
	defer db.rolling.RUnlock()
	db.mu.RLock()
	v := db.viewOf(q, some)
	db.mu.RUnlock()
	if v.high < v.low {
		return nil, nil
	}
	all, err := v.points(ctx, v.low, v.high)
	if err != nil {
		return nil, err
	}
	var samples []Sample
	for i, points := range all {
		for _, p := range points {
			samples = append(samples, Sample{some[i].key.Instance, some[i].key.DataPoint, p.at, p.value})
		}
	}
	return samples, nil
}
