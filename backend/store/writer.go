package store

import (
	"context"
	"errors"
	"path"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"spyglass/backend/fault"
	"spyglass/backend/resource"
	"spyglass/backend/service"
	"spyglass/backend/store/engine"
)

// writer runs all writes on one goroutine. Jobs that arrive during a commit share
// the next one, so that many durable writes need one fsync.
type writer struct {
	db   *DB
	base engine.Writer
	jobs chan *job
	stop chan struct{}
	done chan struct{}
	once sync.Once
	last int    // the number of writes in the last commit
	task string // the name of the write in the log after a panic
	runs service.Group

	present *presence // of the file
	refused atomic.Pointer[error]
}

type job struct {
	ctx  context.Context
	do   func(*tx) error
	err  error
	done chan struct{}
}

// batch limits how many writes share a commit, so that the first of them does not
// wait for long.
const batch = 256

// single is the savepoint of each write of a batch.
const single = "job"

// gather limits how long a commit waits for as many writes as the last one had:
// clients often write again after a response, and the wait is shorter than an
// fsync. A single writer never waits.
const gather = 300 * time.Microsecond

func newWriter(db *DB, base engine.Writer) *writer {
	w := &writer{db: db, base: base, jobs: make(chan *job, batch), stop: make(chan struct{}),
		done: make(chan struct{}), task: "writes to " + path.Base(filepath.ToSlash(db.name))}
	w.runs.Guard = db.guard
	w.runs.Go(w.task, w.run)
	return w
}

func (w *writer) close() {
	w.once.Do(func() { close(w.stop) })
	<-w.done
}

// Write implements resource.DB.
func (db *DB) Write(ctx context.Context, do func(tx resource.Tx) error) error {
	fence := resource.FenceOf(ctx)
	return db.write(ctx, func(t *tx) error {
		if fence != nil {
			if err := fence(ctx, t); err != nil {
				return err
			}
		}
		return do(t)
	})
}

func (db *DB) write(ctx context.Context, do func(*tx) error) error {
	j := &job{ctx: ctx, do: do, done: make(chan struct{})}
	select {
	case db.writer.jobs <- j:
	case <-db.writer.stop:
		return fault.New(fault.Offline, "the portal is stopping; nothing was written")
	case <-ctx.Done():
		return ctx.Err()
	}
	select {
	case <-j.done: // even if the caller has cancelled: the write is committed
	case <-db.writer.done:
		select {
		case <-j.done:
		default:
			return fault.New(fault.Offline, "the portal is stopping; nothing was written")
		}
	}
	return j.err
}

func (w *writer) run() {
	defer close(w.done)
	for {
		select {
		case j := <-w.jobs:
			w.commit(j)
		case <-w.stop:
			for {
				select {
				case j := <-w.jobs:
					w.commit(j)
				default:
					return
				}
			}
		}
	}
}

// commit runs j and all jobs that wait behind it in one transaction. A panic
// fails these writes, but no later ones.
func (w *writer) commit(j *job) {
	t := &tx{db: w.db, w: w, touched: map[*seqlock]int{}}
	p := w.db.guard.Run(w.task, func() { w.commitAll(t, j) })
	if p == nil {
		return
	}
	err := errors.Join(p, w.base.Rollback())
	if t.ending {
		for s := range t.touched {
			s.end()
		}
	}
	for _, j := range t.ran {
		j.finish(err)
	}
}

func (w *writer) commitAll(t *tx, j *job) {
	t.ran = append(t.ran, j)
	if err := w.writable(); err != nil {
		j.finish(err)
		t.ran = nil
		return
	}
	if err := w.begin(); err != nil {
		j.finish(full(err))
		t.ran = nil
		return
	}
	if base, ok := w.base.(engine.Deferring); ok {
		base.Defer()
	}
	lost, begun := error(nil), time.Now()
	for j != nil {
		lost = w.runOne(t, j)
		if j = nil; lost == nil && len(t.ran) < batch {
			if j = w.next(begun, len(t.ran)); j != nil {
				t.ran = append(t.ran, j)
			}
		}
	}
	w.last = len(t.ran)
	err := w.end(t, lost)
	for n := 0; n < maxRepeats && class(err) == engine.Again; n++ {
		err = w.repeat(t)
	}
	ran := t.ran
	t.ran = nil
	for _, j := range ran {
		if j.err == nil {
			j.err = err
		}
		close(j.done)
	}
}

// maxRepeats limits how often a transaction is repeated that others were in the way
// of.
const maxRepeats = 20

// repeat runs all jobs of the batch again, after a rollback.
func (w *writer) repeat(t *tx) error {
	t.takeBack(0)
	t.undraw(0)
	clear(t.touched)
	t.noted, t.memos, t.changes, t.unfollowed = nil, nil, nil, nil
	if err := w.begin(); err != nil {
		return full(err)
	}
	var lost error
	for _, j := range t.ran {
		if lost = w.runOne(t, j); lost != nil {
			break
		}
	}
	return w.end(t, lost)
}

// begin begins a transaction.
func (w *writer) begin() error {
	if err := w.base.Begin(); err != nil {
		return err
	}
	if w.db.shares() {
		if err := w.db.shared.begin(); err != nil {
			return errors.Join(err, w.base.Rollback())
		}
	}
	return nil
}

// end commits the changes of the batch, or rolls them back if it is lost.
func (w *writer) end(t *tx, lost error) error {
	var raised []engine.Change
	if lost == nil && w.db.shares() {
		raised = w.db.shared.raise(t)
	}
	for s := range t.touched {
		s.begin()
	}
	t.ending = true
	err := lost
	if err == nil {
		err = w.base.Commit()
	}
	if err != nil {
		err = errors.Join(full(err), w.base.Rollback())
	} else if w.db.shares() {
		w.db.shared.committed(raised)
	}
	for s := range t.touched {
		if err == nil {
			t.publish(s)
		} else if w.db.remote && s.notes != nil {
			s.notes.add(s.now()+1, nil, false) // a server may have committed, and then be out of reach
		}
		s.end()
	}
	t.ending = false
	if err == nil {
		w.db.announce(t.touched)
		t.catchUp()
		w.db.feed(t.changes)
	}
	return err
}

// next returns a waiting job, or one that arrives within gather while fewer jobs
// have run than last time; nil when the batch is complete.
func (w *writer) next(begun time.Time, ran int) *job {
	select {
	case j := <-w.jobs:
		return j
	default:
	}
	left := gather - time.Since(begun)
	if ran >= w.last || left <= 0 {
		return nil
	}
	timer := time.NewTimer(left)
	defer timer.Stop()
	select {
	case j := <-w.jobs:
		return j
	case <-w.stop:
	case <-timer.C:
	}
	return nil
}

// runOne runs j in a savepoint. A full disk may make the engine roll back the
// whole transaction: lost is set if nothing of the batch can be committed.
func (w *writer) runOne(t *tx, j *job) (lost error) {
	if j.err = j.ctx.Err(); j.err != nil {
		return nil
	}
	t.auditing, t.drawnBefore = auditing{}, len(t.drawn)
	if j.err = w.base.Savepoint(single); j.err != nil {
		return j.err
	}
	if w.db.twice {
		if j.err = w.rehearse(t, j); j.err != nil {
			return j.err
		}
	}
	if err := guarded(t, j.do); err != nil {
		j.err = full(err)
		t.memos = nil // they may depend on the changes that are rolled back
		if class(err) == engine.Again || w.base.RollbackTo(single) != nil {
			return j.err
		}
		t.undraw(t.drawnBefore)
	}
	if err := w.base.Release(single); err != nil {
		j.err = errors.Join(j.err, err)
		return j.err
	}
	return nil
}

// rehearse runs j and rolls it back, before the actual run of j. An engine that
// repeats a transaction after a conflict does the same: tests with Options.Twice
// find closures that cannot run twice.
func (w *writer) rehearse(t *tx, j *job) error {
	changes, given := len(t.changes), len(t.given)
	err := guarded(t, j.do)
	if failed := w.base.RollbackTo(single); failed != nil {
		return errors.Join(full(err), failed)
	}
	t.undraw(t.drawnBefore)
	t.takeBack(given)
	t.memos, t.changes, t.auditing = nil, t.changes[:changes], auditing{}
	return nil
}

// takeBack takes back the ids given to rows after the first n: the next run of the
// same closures gives new ones.
func (t *tx) takeBack(n int) {
	for _, id := range t.given[n:] {
		*id = 0
	}
	t.given = t.given[:n]
}

// guarded recovers from a panic in a rule, so that the writer goes on.
func guarded(t *tx, do func(*tx) error) (err error) {
	if p := t.db.guard.Run(t.w.task, func() { err = do(t) }); p != nil {
		return p
	}
	return err
}

func (j *job) finish(err error) {
	j.err = err
	close(j.done)
}
