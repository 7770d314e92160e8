package series

import (
	"cmp"
	"context"
	"math"
	"runtime"
	"slices"

	"spyglass/backend/fault"
	"spyglass/backend/service"
	"spyglass/backend/store"
)

// History is a regular history of many series.
type History struct {
	Keys            []Key
	From, To, Every int64 // epoch seconds, To excluded; Every in seconds
	// Value returns the value of the series at that index of Keys at that time;
	// NaN for none. It is called from several goroutines, in any order.
	Value func(series int, at int64) float64
}

// fillStep is the number of series in one transaction.
const fillStep = 1000

// Fill writes a history faster than Append: half days that have ended go directly
// into chunks, which keep existing samples; the rest is appended.
func (db *DB) Fill(ctx context.Context, h History) error {
	if h.Every <= 0 || h.From < 0 || h.To > latest {
		return fault.At("every", "the times of a history must be between 1970 and 9999, and at least a second apart")
	}
	var all []*series
	if err := db.do(ctx, func() (err error) { all, err = db.name(h.Keys); return err }); err != nil {
		return err
	}
	order := make([]int, len(all)) // the order of rows in the file
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(all[a].number, all[b].number) })
	over := halfDayOf(h.To)
	for when := halfDayOf(h.From); when < over; when++ {
		for places := range slices.Chunk(order, fillStep) {
			if err := db.fillSome(ctx, h, when, places, all); err != nil {
				return err
			}
		}
	}
	return db.fillRest(ctx, h, over)
}

// name creates the series that do not exist yet.
func (db *DB) name(keys []Key) ([]*series, error) {
	var made []*series
	all := make([]*series, len(keys))
	for i, key := range keys {
		all[i] = db.find(key, &made)
	}
	err := db.write(db.seq, false, func(tx store.ChunksTx) error { return db.putNames(tx, made) })
	if err != nil {
		db.forget(made)
	}
	return all, err
}

// begins returns the first time of the history at or after at.
func (h History) begins(at int64) int64 {
	if at <= h.From {
		return h.From
	}
	return h.From + (at-h.From+h.Every-1)/h.Every*h.Every
}

func (db *DB) fillSome(ctx context.Context, h History, when int64, places []int, all []*series) error {
	rows := make([]row, len(places))
	failed := make([]error, len(places))
	workers := runtime.GOMAXPROCS(0)
	var parts service.Parts
	for w := range workers {
		parts.Go(func() {
			var points []point
			for i := w; i < len(places) && ctx.Err() == nil; i += workers {
				points = points[:0]
				for at := h.begins(when * halfDay); at < min(h.To, (when+1)*halfDay); at += h.Every {
					if v := h.Value(places[i], at); !math.IsNaN(v) {
						points = append(points, point{at, v})
					}
				}
				if len(points) > 0 {
					rows[i].id = rowOf(when, all[places[i]].number)
					rows[i].data, failed[i] = encode(points)
				}
			}
		})
	}
	parts.Wait()
	for _, err := range append(failed, ctx.Err()) {
		if err != nil {
			return err
		}
	}
	return db.do(ctx, func() error { return db.putNew(rows, all, places) })
}

func (db *DB) putNew(rows []row, all []*series, places []int) error {
	kept := rows[:0]
	for i, r := range rows {
		if s := all[places[i]]; len(r.data) > 0 && db.series[s.key] == s { // otherwise it was deleted meanwhile
			kept = append(kept, r)
		}
	}
	if err := db.join(kept, false); err != nil {
		return err
	}
	if err := db.write(db.seq, true, func(tx store.ChunksTx) error {
		for _, r := range kept {
			if err := tx.Put(chunks, r.id, r.data); err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		return err
	}
	db.mu.Lock()
	defer db.mu.Unlock()
	db.cover(kept)
	for _, place := range places {
		s := all[place]
		s.fresh, s.known = false, false // look up the newest sample again
		s.adds++
	}
	return nil
}

// fillRest appends the half day that has not ended.
func (db *DB) fillRest(ctx context.Context, h History, when int64) error {
	var some []Sample
	for i, key := range h.Keys {
		for at := h.begins(when * halfDay); at < h.To; at += h.Every {
			some = append(some, Sample{key.Instance, key.DataPoint, at, h.Value(i, at)})
		}
		if len(some) >= maxSamples/2 || i == len(h.Keys)-1 {
			if err := db.Append(ctx, some); err != nil {
				return err
			}
			some = some[:0]
		}
	}
	return nil
}
