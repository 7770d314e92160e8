package series

import (
	"context"
	"encoding/binary"
	"errors"
	"math"
	"slices"
	"time"

	"spyglass/backend/fault"
	"spyglass/backend/store"
)

// leads is the space of the state, which is its row 1.
const leads = "lead"

const stateRow = 1

// state is the row by which followers see what is new.
type state struct {
	epoch int64 // of the process that writes
	other int64 // rises with each change that is not just a new row of the log
	seq   int64 // the last row of the log
}

// shared is the state of a process that shares the samples with others.
type shared struct {
	epoch  int64             // 0: it follows
	known  state             // that its memory has
	whole  time.Time         // when it last read all
	unsure bool              // the last write may have happened, although it failed
	caught time.Time         // when it last looked at the state
	series map[int64]*series // by number
}

// Intervals of a process that follows.
const (
	lookAgain  = 20 * time.Millisecond // it looks at the state no more often
	wholeAgain = time.Second           // nor does it read all again
)

var errFollows = fault.New(fault.Offline, "another node of the portal stores the samples; no sample was written")

// Lead makes this process the one that writes samples, unless one with a higher epoch
// was. It reads all that the last one has written.
func (db *DB) Lead(ctx context.Context, epoch int64) error {
	return db.do(ctx, func() error {
		var now state
		err := db.file.Write(func(tx store.ChunksTx) (err error) {
			if now, err = readState(ctx, tx); err != nil {
				return err
			}
			if now.epoch > epoch {
				return errFollows
			}
			now.epoch = epoch
			return now.put(tx)
		})
		if err == nil {
			err = db.reload(ctx, now)
		}
		if err == nil {
			db.shared.epoch = epoch
		}
		return err
	})
}

// Follow makes this process follow the one that writes samples.
func (db *DB) Follow(ctx context.Context) error {
	return db.do(ctx, func() error {
		db.shared.epoch, db.shared.whole, db.shared.known.other = 0, time.Time{}, -1
		return nil
	})
}

// writes reports whether this process may write samples.
func (db *DB) writes() bool { return db.shared == nil || db.shared.epoch > 0 }

// write runs do in a transaction after which seq is the last row of the log. other means
// that it changes other rows, too, so that a process that follows has to read all again.
func (db *DB) write(seq int64, other bool, do func(tx store.ChunksTx) error) error {
	if db.shared == nil {
		return db.file.Write(do)
	}
	if !db.writes() {
		return errFollows
	}
	err := db.file.Write(func(tx store.ChunksTx) error {
		now, err := readState(context.Background(), tx)
		if err != nil {
			return err
		}
		if now.epoch != db.shared.epoch {
			return errFollows
		}
		if now.seq = seq; other {
			now.other++
		}
		return errors.Join(now.put(tx), do(tx))
	})
	if errors.Is(err, errFollows) {
		db.shared.epoch, db.shared.known.other = 0, -1
	}
	db.shared.unsure = err != nil && db.shared.epoch > 0
	return err
}

// beSure reads all again after a write that failed, but may have happened: the numbers of
// its rows must not be given again, because followers may have read them.
func (db *DB) beSure() error {
	if db.shared == nil || !db.shared.unsure {
		return nil
	}
	ctx := context.Background()
	var now state
	if err := db.file.Rows(ctx, leads, []int64{stateRow}, now.read); err != nil {
		return err
	}
	if err := db.reload(ctx, now); err != nil {
		return err
	}
	db.shared.unsure = false
	return nil
}

func readState(ctx context.Context, tx store.ChunksTx) (s state, err error) {
	return s, tx.Rows(ctx, leads, []int64{stateRow}, s.read)
}

func (s *state) read(_ int64, data []byte) error {
	if len(data) != 24 {
		return errors.New("the state of the samples is inconsistent")
	}
	for i, to := range []*int64{&s.epoch, &s.other, &s.seq} {
		*to = int64(binary.LittleEndian.Uint64(data[8*i:]))
	}
	return nil
}

func (s *state) put(tx store.ChunksTx) error {
	var data []byte
	for _, n := range []int64{s.epoch, s.other, s.seq} {
		data = binary.LittleEndian.AppendUint64(data, uint64(n))
	}
	return tx.Put(leads, stateRow, data)
}

// current makes sure that memory has the samples of lookAgain ago, before a read.
func (db *DB) current(ctx context.Context) error {
	if db.shared == nil {
		return nil
	}
	return db.do(ctx, func() error {
		if db.shared.epoch > 0 || time.Since(db.shared.caught) < lookAgain {
			return nil
		}
		begun := time.Now()
		err := db.catchUp(ctx)
		if err == nil {
			db.shared.caught = begun
		}
		return err
	})
}

// catchUp reads what is new since the last time.
func (db *DB) catchUp(ctx context.Context) error {
	var now state
	if err := db.file.Rows(ctx, leads, []int64{stateRow}, now.read); err != nil {
		return err
	}
	if now.other != db.shared.known.other && time.Since(db.shared.whole) >= wholeAgain {
		return db.reload(ctx, now)
	}
	if now.seq <= db.seq {
		return nil
	}
	return db.tail(ctx, now)
}

// reload reads all again, as of a state.
func (db *DB) reload(ctx context.Context, now state) error {
	begun := time.Now()
	fresh := newDB(Options{Path: db.path, Log: db.log, Clock: db.clock})
	fresh.file = db.file
	upTo := now.seq
	if upTo == 0 { // the log, if there is one, was written when no other process could
		upTo = math.MaxInt64
	}
	byNumber, err := fresh.load(ctx, upTo)
	if err != nil {
		return err
	}
	db.mu.Lock()
	defer db.mu.Unlock()
	db.seq, db.logged, db.next, db.newest = max(now.seq, fresh.seq), fresh.logged, fresh.next, fresh.newest
	db.folded, db.again = 0, time.Time{}
	db.series, db.held, db.low, db.high, db.rolled = fresh.series, fresh.held, fresh.low, fresh.high, fresh.rolled
	db.shared.known, db.shared.whole, db.shared.series = now, begun, byNumber
	return nil
}

// tail reads the new rows of the log up to a state.
func (db *DB) tail(ctx context.Context, now state) error {
	if err := db.newNames(ctx); err != nil {
		return err
	}
	type entry struct {
		seq  int64
		data []byte
	}
	var found []entry
	from := int64(0)
	read := func(upTo int64) error {
		return db.file.Each(ctx, logs, from, upTo, func(row int64, data []byte) error {
			if seq := numberOf(row); seq > db.seq && seq <= now.seq {
				db.logged[whenOf(row)] = seq
				found = append(found, entry{seq, slices.Clone(data)})
			}
			return nil
		})
	}
	known := make([]int64, 0, len(db.logged))
	for when := range db.logged {
		known = append(known, when)
	}
	slices.Sort(known)
	for _, when := range known { // the rows between those that are in memory
		if err := read(rowOf(when, 0)); err != nil {
			return err
		}
		from = rowOf(when, db.seq+1)
	}
	if err := read(math.MaxInt64); err != nil {
		return err
	}
	slices.SortFunc(found, func(a, b entry) int { return int(a.seq - b.seq) })
	db.mu.Lock()
	defer db.mu.Unlock()
	for _, e := range found {
		if err := db.replay(e.data, db.shared.series); err != nil {
			return err
		}
	}
	db.seq, db.shared.known.seq = now.seq, now.seq
	return nil
}

// newNames adds the series that are new.
func (db *DB) newNames(ctx context.Context) error {
	from := db.next
	return db.file.Each(ctx, names, from, math.MaxInt64, func(number int64, data []byte) error {
		s, err := db.named(number, data)
		if err != nil {
			return err
		}
		db.mu.Lock()
		db.series[s.key], db.shared.series[number] = s, s
		db.mu.Unlock()
		db.next = max(db.next, number+1)
		return nil
	})
}
