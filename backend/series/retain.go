package series

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"maps"
	"slices"

	"spyglass/backend/fault"
	"spyglass/backend/store"
)

// Keep sets the retention of samples, in days before now.
type Keep struct {
	Samples int // as recorded
	Hours   int // then as hourly count, sum, min, max, first and last; none unless more than Samples
}

// era is the number of half days whose samples are converted to hours together:
// ten days, so that samples stay up to ten days longer than requested.
const era = 20

// retainStep is the number of series per transaction when converting to hours.
const retainStep = 200

// Retain deletes data beyond its retention or, after SetOlder, what is in the other
// place: then the other place has a retention of its own. It works in steps, with other writes
// between them, and can be interrupted at any time.
func (db *DB) Retain(ctx context.Context, k Keep) error {
	if k.Samples < 1 {
		return fault.At("samples", "samples must be kept for at least a day")
	}
	if db.older != nil {
		return db.retire(ctx)
	}
	now := db.clock().Unix()
	samples := halfDayOf(max(now-int64(k.Samples)*24*60*60, 0))
	if k.Hours <= k.Samples {
		return db.do(ctx, func() error { return db.forgetBefore(samples, samples/era) })
	}
	old := halfDayOf(max(now-int64(k.Hours)*24*60*60, 0)) / era
	if err := db.do(ctx, func() error { return db.foldNow(samples - samples%era) }); err != nil {
		return err
	}
	if err := db.roll(ctx, old, samples/era); err != nil {
		return err
	}
	return db.do(ctx, func() error { return db.forgetBefore(old*era, old) })
}

// roll converts the samples of a range of eras to hours; before is excluded.
func (db *DB) roll(ctx context.Context, from, before int64) error {
	db.mu.RLock()
	from = max(from, db.low/era)
	db.mu.RUnlock()
	all := db.numbered()
	for ; from < before; from++ {
		for some := range slices.Chunk(all, retainStep) {
			if err := db.do(ctx, func() error { return db.rollSome(from, some) }); err != nil {
				return err
			}
		}
	}
	return nil
}

func (db *DB) rollSome(n int64, some []*series) error {
	first, last := max(n*era, db.low), min(n*era+era-1, db.high)
	var rows []row
	var ids []int64
	for _, s := range some {
		if db.series[s.key] != s {
			continue // deleted meanwhile
		}
		var mine []int64
		for when := first; when <= last; when++ {
			mine = append(mine, rowOf(when, s.number))
		}
		steps, err := db.hoursOf(mine)
		if err != nil {
			return err
		}
		if len(steps) == 0 {
			continue
		}
		id := rowOf(n, s.number)
		if err := db.file.Rows(context.Background(), hours, []int64{id}, func(_ int64, data []byte) error {
			have, err := readHours(data)
			steps = mergeHours(have, steps)
			return err
		}); err != nil {
			return err
		}
		data, err := writeHours(steps)
		if err != nil {
			return err
		}
		rows, ids = append(rows, row{id, data}), append(ids, mine...)
	}
	if len(rows) == 0 {
		return nil
	}
	db.rolling.Lock()
	defer db.rolling.Unlock()
	err := db.write(db.seq, true, func(tx store.ChunksTx) error {
		for _, r := range rows {
			if err := tx.Put(hours, r.id, r.data); err != nil {
				return err
			}
		}
		for _, id := range ids {
			if err := tx.Delete(chunks, id, id); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil {
		db.mu.Lock()
		db.rolled = db.rolled.with(n)
		db.mu.Unlock()
	}
	return err
}

// hoursOf returns the hours in the chunks with these numbers, which are sorted by
// time.
func (db *DB) hoursOf(ids []int64) ([]Step, error) {
	parts := map[int64][]point{}
	if err := db.file.Rows(context.Background(), chunks, ids, func(id int64, data []byte) (err error) {
		if parts[id], err = decode(data, nil); err != nil {
			return db.damaged(err)
		}
		return nil
	}); err != nil {
		return nil, err
	}
	var steps []Step
	for _, id := range ids {
		for _, p := range parts[id] {
			at := p.at - p.at%3600
			if n := len(steps); n == 0 || steps[n-1].At != at {
				steps = append(steps, Step{At: at})
			}
			steps[len(steps)-1].add(p.value)
		}
	}
	return steps, nil
}

// mergeHours merges both lists by time; the samples in later arrived after those
// in older.
func mergeHours(older, later []Step) []Step {
	all := append(slices.Clone(older), later...)
	slices.SortStableFunc(all, func(a, b Step) int { return cmp.Compare(a.At, b.At) })
	kept := all[:0]
	for _, s := range all {
		if n := len(kept); n > 0 && kept[n-1].At == s.At {
			kept[n-1].join(s)
			continue
		}
		kept = append(kept, s)
	}
	return kept
}

// columns returns the values of a Step in their order in a row, one chunk each.
func (s *Step) columns() []*float64 { return []*float64{&s.Sum, &s.Min, &s.Max, &s.First, &s.Last} }

// writeHours encodes hours as a row: a chunk of the counts and one chunk for each
// column, each preceded by its length.
func writeHours(steps []Step) ([]byte, error) {
	var data []byte
	points := make([]point, len(steps))
	for column := -1; column < len((&Step{}).columns()); column++ {
		for i := range steps {
			points[i] = point{steps[i].At, float64(steps[i].Count)}
			if column >= 0 {
				points[i].value = *steps[i].columns()[column]
			}
		}
		chunk, err := encode(points)
		if err != nil {
			return nil, err
		}
		data = append(binary.AppendUvarint(data, uint64(len(chunk))), chunk...)
	}
	return data, nil
}

var errHours = errors.New("a row of hours is inconsistent")

func readHours(data []byte) (steps []Step, err error) {
	for column := -1; column < len((&Step{}).columns()); column++ {
		size, n := binary.Uvarint(data)
		if n <= 0 || size > uint64(len(data)-n) {
			return nil, errHours
		}
		points, err := decode(data[n:n+int(size)], nil)
		if err != nil {
			return nil, err
		}
		if data = data[n+int(size):]; column < 0 {
			steps = make([]Step, len(points))
		}
		if len(points) != len(steps) {
			return nil, errHours
		}
		for i, p := range points {
			if column < 0 {
				steps[i].At, steps[i].Count = p.at, int(p.value)
			} else {
				*steps[i].columns()[column] = p.value
			}
		}
	}
	return steps, nil
}

// hours returns the hours of the datapoint at index i that the query selects.
func (v *view) hours(ctx context.Context, i int) (steps []Step, err error) {
	if v.series[i] == nil || v.q.To <= v.q.From {
		return nil, nil
	}
	var ids []int64
	for n := max(v.rolled.from, halfDayOf(v.q.From)/era); n <= min(v.rolled.to, halfDayOf(v.q.To)/era); n++ {
		ids = append(ids, rowOf(n, v.series[i].number))
	}
	err = v.db.file.Rows(ctx, hours, ids, func(_ int64, data []byte) error {
		some, err := readHours(data)
		if err != nil {
			return v.db.damaged(err)
		}
		for _, s := range some {
			if s.At >= v.q.From && s.At < v.q.To {
				steps = append(steps, s)
			}
		}
		return nil
	})
	slices.SortFunc(steps, func(a, b Step) int { return cmp.Compare(a.At, b.At) })
	return steps, err
}

func averages(steps []Step) []point {
	var points []point
	for _, s := range steps {
		points = append(points, point{s.At, s.Average()})
	}
	return points
}

// forgetBefore deletes samples before one half day and hours before one era.
func (db *DB) forgetBefore(samples, old int64) error {
	if err := db.write(db.seq, true, func(tx store.ChunksTx) error {
		return errors.Join(
			tx.Delete(logs, 0, rowOf(samples, 0)-1),
			tx.Delete(chunks, 0, rowOf(samples, 0)-1),
			tx.Delete(hours, 0, rowOf(old, 0)-1))
	}); err != nil {
		return err
	}
	maps.DeleteFunc(db.logged, func(when, _ int64) bool { return when < samples })
	low, _, ok, err := db.file.Ends(context.Background(), chunks)
	if err != nil {
		return err
	}
	db.mu.Lock()
	defer db.mu.Unlock()
	if db.rolled.from = max(db.rolled.from, old); ok {
		db.low = whenOf(low)
	}
	for _, s := range db.series {
		for len(s.blocks) > 0 && s.blocks[0].when < samples {
			db.held -= s.drop(s.blocks[0])
		}
		if s.known && halfDayOf(s.last.at) < samples {
			s.known = false
		}
		s.adds++
	}
	return nil
}

// Delete deletes all samples of instances. It ignores instances without samples.
func (db *DB) Delete(ctx context.Context, instances ...int64) error {
	gone := map[int64]bool{}
	for _, id := range instances {
		gone[id] = true
	}
	return db.do(ctx, func() error {
		var all []*series
		for key, s := range db.series {
			if gone[key.Instance] {
				all = append(all, s)
			}
		}
		if err := db.write(db.seq, true, func(tx store.ChunksTx) error { return db.erase(tx, all) }); err != nil {
			return err
		}
		db.mu.Lock()
		defer db.mu.Unlock()
		for _, s := range all {
			for len(s.blocks) > 0 {
				db.held -= s.drop(s.blocks[0])
			}
			delete(db.series, s.key)
		}
		return nil
	})
}

func (db *DB) erase(tx store.ChunksTx, all []*series) error {
	for _, s := range all {
		if err := tx.Delete(names, s.number, s.number); err != nil {
			return err
		}
		for when := db.low; when <= db.high; when++ {
			if err := tx.Delete(chunks, rowOf(when, s.number), rowOf(when, s.number)); err != nil {
				return err
			}
		}
		for n := db.rolled.from; n <= db.rolled.to; n++ {
			if err := tx.Delete(hours, rowOf(n, s.number), rowOf(n, s.number)); err != nil {
				return err
			}
		}
	}
	return nil
}
