package series

import (
	"context"
	"encoding/binary"
	"math"
	"slices"

	"spyglass/backend/fault"
	"spyglass/backend/store"
)

// job is a task of the writing goroutine: append samples, or run do.
type job struct {
	samples []Sample
	do      func() error
	err     error
	done    chan struct{}
}

// Limits of one commit.
const (
	maxJobs    = 256
	maxSamples = 200_000
)

// batch holds the samples of one commit. It is reused to save memory.
type batch struct {
	jobs  []*job
	added []*series
	made  []*series // the new series among them
	rows  []logRow  // one for each half day
}

// Append stores samples of any series, in any order; see the package comment for
// samples of the same second. If it returns nil, they are on disk; if it returns
// an error, none is.
func (db *DB) Append(ctx context.Context, samples []Sample) error {
	for i := range samples {
		if at := samples[i].At; at < 0 || at >= latest {
			return fault.At("at", "%d is not a time in epoch seconds between 1970 and 9999", at)
		}
	}
	if len(samples) == 0 {
		return nil
	}
	return db.send(ctx, &job{samples: samples, done: make(chan struct{})})
}

// do runs f on the writing goroutine.
func (db *DB) do(ctx context.Context, f func() error) error {
	return db.send(ctx, &job{do: f, done: make(chan struct{})})
}

func (db *DB) send(ctx context.Context, j *job) error {
	select {
	case <-db.stop:
		return offline()
	case <-ctx.Done():
		return ctx.Err()
	default:
	}
	select {
	case db.jobs <- j:
	case <-db.stop:
		return offline()
	case <-ctx.Done():
		return ctx.Err()
	}
	select {
	case <-j.done: // the write happens even if the caller has cancelled
		return j.err
	case <-db.done:
	}
	select {
	case <-j.done:
		return j.err
	default:
		return offline()
	}
}

func offline() error {
	return fault.New(fault.Offline, "the portal is stopping; no sample was written")
}

func (db *DB) run() {
	defer close(db.done)
	var under *fold
	for {
		if under == nil {
			under = db.due()
		}
		if under != nil {
			under = db.advance(under)
			select {
			case j := <-db.jobs:
				db.serve(j)
			case <-db.stop:
				db.drain()
				db.settle()
				return
			default:
			}
			continue
		}
		select {
		case j := <-db.jobs:
			db.serve(j)
		case <-db.stop:
			db.drain()
			db.settle()
			return
		}
	}
}

func (db *DB) drain() {
	for {
		select {
		case j := <-db.jobs:
			db.serve(j)
		default:
			return
		}
	}
}

// serve runs j together with the other pending appends.
func (db *DB) serve(j *job) {
	for j != nil {
		if err := db.beSure(); err != nil {
			j.finish(err)
			return
		}
		if j.do != nil {
			j.finish(db.guarded(j.do))
			return
		}
		b := &db.batch
		b.jobs = append(b.jobs[:0], j)
		j = nil
		for total := len(b.jobs[0].samples); j == nil && total < maxSamples && len(b.jobs) < maxJobs; {
			select {
			case other := <-db.jobs:
				if other.do != nil {
					j = other
					continue
				}
				b.jobs = append(b.jobs, other)
				total += len(other.samples)
				continue
			default:
			}
			break
		}
		err := db.guarded(func() error { return db.commit(b) })
		for _, appended := range b.jobs {
			appended.finish(err)
		}
		clear(b.jobs)
	}
}

// guarded runs do and converts a panic to an error, so that the writing goroutine
// survives.
func (db *DB) guarded(do func() error) (err error) {
	if p := db.runs.Guard.Run(writing, func() { err = do() }); p != nil {
		return p
	}
	return err
}

func (j *job) finish(err error) {
	j.err = err
	close(j.done)
}

// commit writes a batch to the log and adds it to memory.
func (db *DB) commit(b *batch) error {
	b.made, b.added = b.made[:0], b.added[:0]
	for i := range b.rows {
		b.rows[i] = logRow{data: b.rows[i].data[:0]}
	}
	used := db.prepare(b)
	if len(b.added) == 0 {
		return nil
	}
	err := db.write(db.seq+int64(used), false, func(tx store.ChunksTx) error {
		for i := range b.rows[:used] {
			if err := tx.Put(logs, rowOf(b.rows[i].when, db.seq+1+int64(i)), b.rows[i].data); err != nil {
				return err
			}
		}
		return db.putNames(tx, b.made)
	})
	if err != nil {
		db.forget(b.made)
		return err
	}
	for i := range b.rows[:used] {
		db.seq++
		db.logged[b.rows[i].when] = db.seq
	}
	return db.take(b)
}

// prepare finds the series of a batch and prepares its rows of the log; used is
// the number of rows.
func (db *DB) prepare(b *batch) (used int) {
	row := -1
	for _, j := range b.jobs {
		for i := range j.samples {
			p := &j.samples[i]
			if math.IsNaN(p.Value) {
				continue
			}
			s := db.find(Key{p.Instance, p.DataPoint}, &b.made)
			b.added = append(b.added, s)
			when := halfDayOf(p.At)
			if row < 0 || b.rows[row].when != when {
				row = slices.IndexFunc(b.rows[:used], func(r logRow) bool { return r.when == when })
			}
			if row < 0 {
				if row = used; row == len(b.rows) {
					b.rows = append(b.rows, logRow{})
				}
				b.rows[row].when = when
				used++
			}
			b.rows[row].add(s.number, point{p.At, p.Value})
		}
	}
	return used
}

// find returns the series of a key. It adds a new one to made, too.
func (db *DB) find(key Key, made *[]*series) *series {
	s := db.series[key]
	if s == nil {
		s = &series{key: key, number: db.next, fresh: true}
		db.next++
		db.mu.Lock()
		db.series[key] = s
		db.mu.Unlock()
		*made = append(*made, s)
	}
	return s
}

func (db *DB) putNames(tx store.ChunksTx, made []*series) error {
	if len(made) == 0 {
		return nil
	}
	if err := tx.Put(names, 0, binary.LittleEndian.AppendUint64(nil, uint64(db.next))); err != nil {
		return err
	}
	for _, s := range made {
		name := binary.LittleEndian.AppendUint64(nil, uint64(s.key.Instance))
		if err := tx.Put(names, s.number, binary.LittleEndian.AppendUint64(name, uint64(s.key.DataPoint))); err != nil {
			return err
		}
	}
	return nil
}

// forget deletes series whose names could not be written.
func (db *DB) forget(made []*series) {
	db.mu.Lock()
	defer db.mu.Unlock()
	for _, s := range made {
		delete(db.series, s.key)
	}
}

// take adds a batch that is on disk to memory.
func (db *DB) take(b *batch) error {
	db.mu.Lock()
	defer db.mu.Unlock()
	n := 0
	for _, j := range b.jobs {
		for i := range j.samples {
			p := &j.samples[i]
			if math.IsNaN(p.Value) {
				continue
			}
			if err := b.added[n].add(point{p.At, p.Value}, db.high); err != nil {
				return err
			}
			n++
			db.newest = max(db.newest, p.At)
		}
	}
	db.held += n
	db.taken += int64(n)
	clear(b.added)
	return nil
}
