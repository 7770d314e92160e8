package series

import (
	"context"
	"math"
)

// Older has the samples that a DB no longer has. Its methods are safe for concurrent use.
type Older interface {
	// Floor returns the time before which samples are not in the DB, but for late ones. It
	// is the beginning of a half day (UTC).
	Floor() int64
	// Settle raises the floor as far as samples may be deleted from the DB. It returns the
	// time before which they may: the floor, or an earlier time while late samples wait.
	Settle(ctx context.Context) (before int64, err error)
	// Read returns the samples of each key in a period, the oldest first. to is excluded.
	Read(ctx context.Context, keys []Key, from, to int64) ([][]Sample, error)
}

// SetOlder makes every read include older samples from another place, and Retain delete
// what is there. Call it before the first read.
func (db *DB) SetOlder(o Older) { db.older = o }

// floor returns the time before which samples are in DB.older; 0 without one.
func (db *DB) floor() int64 {
	if db.older == nil {
		return 0
	}
	return db.older.Floor()
}

// earlier returns the samples of each datapoint of the view in a period before the floor.
func (v *view) earlier(ctx context.Context, from, to int64) ([][]point, error) {
	all := make([][]point, len(v.series))
	var keys []Key
	var at []int
	for i, s := range v.series {
		if s != nil {
			keys, at = append(keys, s.key), append(at, i)
		}
	}
	if len(keys) == 0 || to <= from {
		return all, nil
	}
	found, err := v.db.older.Read(ctx, keys, from, to)
	for i, samples := range found {
		for _, s := range samples {
			if !math.IsNaN(s.Value) {
				all[at[i]] = append(all[at[i]], point{s.At, s.Value})
			}
		}
	}
	return all, err
}

// all returns the samples of each datapoint between two half days, also those before the
// floor. A sample that is in both places is the one of the DB, which is newer.
func (v *view) all(ctx context.Context, low, high int64) ([][]point, error) {
	have, err := v.points(ctx, low, high)
	floor := v.db.floor() // after that: if it rises meanwhile, the samples are in the other place
	if err != nil || low*halfDay >= floor {
		return have, err
	}
	old, err := v.earlier(ctx, max(v.q.From, low*halfDay), min(v.q.To, (high+1)*halfDay, floor))
	if err != nil {
		return nil, err
	}
	for i := range have {
		have[i] = merge(old[i], have[i])
	}
	return have, nil
}

// firstEarlier is the length of the first period that Range reads before the floor, in
// seconds. Each further one is twice as long, because a series may have ended long ago.
const firstEarlier = 2 * 24 * 60 * 60

// longestEarlier is the period before the floor that Last searches for a sample, in seconds.
const longestEarlier = 400 * 24 * 60 * 60

// addEarlier adds the samples before the floor to those of a Range, until there are enough.
func (v *view) addEarlier(ctx context.Context, have [][]point, found int) error {
	span := int64(firstEarlier)
	for high := min(v.q.To, v.db.floor()); high > v.q.From && (v.q.Limit == 0 || found < v.q.Limit); span *= 2 {
		low := max(v.q.From, high-span)
		some, err := v.earlier(ctx, low, high)
		if err != nil {
			return err
		}
		most := 0
		for i := range have {
			most = max(most, len(some[i]))
			have[i] = merge(some[i], have[i])
		}
		found += most
		high = low
	}
	return nil
}

// retire deletes the samples that are in DB.older.
func (db *DB) retire(ctx context.Context) error {
	before, err := db.older.Settle(ctx)
	if err != nil {
		return err
	}
	when := halfDayOf(before)
	return db.do(ctx, func() error { return db.forgetBefore(when, when/era) })
}
