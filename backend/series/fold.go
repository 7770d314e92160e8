package series

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"time"

	"spyglass/backend/store"
)

// fold is a write of chunks in progress. It runs in steps, with other writes
// between them. A crash loses nothing: the last step deletes the log, whose
// samples are then in chunks.
type fold struct {
	before int64 // folds the half days before this half day
	upTo   int64 // the last row of the log that is in blocks
	rest   []held
}

// held is one chunk to be written.
type held struct {
	*series
	*block
}

const (
	maxHeld  = 4_000_000   // samples in memory
	grace    = 15 * 60     // seconds after the end of a half day during which its last samples arrive
	ahead    = 60 * 60     // seconds by which a sample may be ahead of our clock and still end a half day
	foldStep = 1000        // chunks in one transaction
	foldWait = time.Minute // after a failure
)

// due returns the fold that is due; nil if there is none.
func (db *DB) due() *fold {
	if !db.writes() || db.shared != nil && db.shared.unsure {
		return nil
	}
	now := db.clock()
	if now.Before(db.again) {
		return nil
	}
	if db.held > maxHeld {
		return db.begin(math.MaxInt64)
	}
	over := halfDayOf(min(db.newest, now.Unix()+ahead) - grace)
	if over <= db.folded {
		return nil
	}
	db.folded = over
	return db.begin(over)
}

func (db *DB) begin(before int64) *fold {
	f := &fold{before: before, upTo: db.seq}
	for _, s := range db.series {
		for _, b := range s.blocks {
			if b.when < before {
				f.rest = append(f.rest, held{s, b})
			}
		}
	}
	slices.SortFunc(f.rest, func(a, b held) int {
		return cmp.Or(cmp.Compare(a.when, b.when), cmp.Compare(a.number, b.number))
	})
	return f
}

// advance runs one step of f. It returns f, or nil after the last step.
func (db *DB) advance(f *fold) *fold {
	err := db.guarded(func() error { return db.foldSome(f) })
	if err == nil && len(f.rest) > 0 {
		return f
	}
	if err != nil {
		db.folded, db.again = 0, db.clock().Add(foldWait)
		db.log.Error("chunks of samples could not be written; the samples are safe in the log", "err", err,
			"again", foldWait)
	}
	return nil
}

func (db *DB) foldSome(f *fold) error {
	some := slices.DeleteFunc(f.rest[:min(foldStep, len(f.rest))], func(h held) bool {
		return !slices.Contains(h.blocks, h.block) // deleted, or written by Retain
	})
	f.rest = f.rest[min(foldStep, len(f.rest)):]
	rows := make([]row, len(some))
	for i, h := range some {
		rows[i] = row{id: rowOf(h.when, h.number), data: h.chunk.Bytes()}
		if len(h.late) == 0 {
			continue
		}
		points, err := h.points(nil)
		if err == nil {
			rows[i].data, err = encode(points)
		}
		if err != nil {
			return err
		}
	}
	if err := db.join(rows, true); err != nil {
		return err
	}
	err := db.write(db.seq, len(f.rest) == 0, func(tx store.ChunksTx) error {
		for _, r := range rows {
			if err := tx.Put(chunks, r.id, r.data); err != nil {
				return err
			}
		}
		if len(f.rest) > 0 {
			return nil
		}
		return db.trimLog(tx, f)
	})
	if err != nil {
		return err
	}
	if len(f.rest) == 0 {
		maps.DeleteFunc(db.logged, func(when, last int64) bool { return when < f.before && last <= f.upTo })
	}
	db.mu.Lock()
	defer db.mu.Unlock()
	db.cover(rows)
	for _, h := range some {
		db.held -= h.drop(h.block)
	}
	return nil
}

// trimLog deletes the log rows of samples that are in chunks now.
func (db *DB) trimLog(tx store.ChunksTx, f *fold) error {
	for when := range db.logged {
		if when >= f.before {
			continue
		}
		if err := tx.Delete(logs, rowOf(when, 0), rowOf(when, f.upTo)); err != nil {
			return err
		}
	}
	return nil
}

// foldNow writes all chunks of the half days before a half day.
func (db *DB) foldNow(before int64) error {
	f := db.begin(before)
	for {
		if err := db.foldSome(f); err != nil || len(f.rest) == 0 {
			return err
		}
	}
}

// settle writes all chunks, so that the next Open, which delays the start of the
// portal, need not read a log.
func (db *DB) settle() {
	if len(db.logged) == 0 || !db.writes() {
		return
	}
	if err := db.foldNow(math.MaxInt64); err != nil {
		db.log.Error("chunks of samples could not be written; the samples are safe in the log", "err", err)
	}
}
