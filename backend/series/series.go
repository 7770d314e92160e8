// Package series is a time series database: it stores the samples of datapoints.
//
// A series holds the samples of one datapoint of one instance. Open opens the
// file, Append adds samples, and Range, Aggregate and Last read them.
//
// # Units and shapes
//
// Times are in epoch seconds, from 1970 to 9999; ranges include their beginning
// but not their end. A value is any float64 and is returned exactly, except that
// NaN means "no data": it is not stored, and in a Table it marks a missing sample.
//
// Samples may arrive in any order. Of two samples of a series for the same second,
// the later write wins.
//
// # File format
//
// Appended samples go into a log, in order of arrival, and into open chunks in
// memory. A chunk holds one series for half a day (UTC), compressed as in
// Facebook's Gorilla and Prometheus: delta-of-delta times, and values XORed with
// the previous one. When half a day has ended, its chunks are written, ordered by
// time and then by series, and its log is deleted. So a chunk is written once, at
// the end of the file; if late samples arrive, it is written again. Open reads
// the log back. There are no five-minute rollups, because most datapoints are
// polled every five minutes; Retain converts old samples to hourly values: count,
// sum, minimum, maximum, first and last.
//
// # Durability, memory
//
// When Append returns nil, the samples are on disk. At most about four million
// samples wait in memory, some 20 MB plus 500 bytes for each series; if there are
// more, all chunks are written early.
//
// # Concurrency
//
// Everything is safe for concurrent use. One goroutine writes; calls that wait
// at the same time share a commit. Readers never wait for the disk's writer.
//
// # Several processes
//
// With Options.Shared, several processes have the samples open. One of them, which Lead
// names, writes; the others follow: before they read, they read the rows of the log that
// they do not have yet. A row of its own, the state, says what is new. It holds the epoch
// of the process that writes, so that one that was replaced writes nothing more.
//
// # Errors
//
// An invalid time is fault.Invalid, a damaged file fault.Conflict, a full
// disk fault.Full, and anything after Close fault.Offline.
package series

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"log/slog"
	"math"
	"sync"
	"time"

	"spyglass/backend/fault"
	"spyglass/backend/service"
	"spyglass/backend/store"
)

// Sample is one value of one datapoint.
type Sample struct {
	Instance, DataPoint int64
	At                  int64 // epoch seconds
	Value               float64
}

// Key identifies a series.
type Key struct{ Instance, DataPoint int64 }

// Options configures a DB.
type Options struct {
	Path string // of the file
	// Database is the address of a database on a server that takes the place of the file
	Database string
	Shared   bool             // other processes may have Database open with Shared, too: see Lead
	Log      *slog.Logger     // slog.Default when nil
	Clock    func() time.Time // time.Now when nil
	Guard    *service.Guard

	Sibling store.Sibling // the owner of the file; zero for none
	Twice   bool          // run each write twice, for tests: see store.Options
}

// DB is one open file of samples.
type DB struct {
	path  string
	log   *slog.Logger
	clock func() time.Time
	file  *store.Chunks
	older Older // nil: this DB has all samples

	jobs chan *job
	stop chan struct{}
	done chan struct{}
	once sync.Once

	// Used only by the writing goroutine.
	shared *shared         // nil: no other process may write
	seq    int64           // of the last row of the log
	logged map[int64]int64 // the last row of the log in each half day
	next   int64           // the number for the next new series
	newest int64           // the latest time appended
	folded int64           // half days before this half day are written
	again  time.Time       // when to retry a failed fold
	batch  batch

	rolling sync.RWMutex // readers see either samples or the hours made of them

	mu     sync.RWMutex // guards the fields below, and the contents of series
	series map[Key]*series
	held   int   // samples in memory
	taken  int64 // samples appended since Open
	runs   service.Group
	low    int64 // the half days that may have chunks, from low to high;
	high   int64 // high < low when there are none
	rolled span  // the eras that may have hours
}

// span is a range of numbers, both ends included; empty when to < from.
type span struct{ from, to int64 }

func (s span) with(n int64) span {
	if s.to < s.from {
		return span{n, n}
	}
	return span{min(s.from, n), max(s.to, n)}
}

// writing is the name of the writing goroutine in panic reports.
const writing = "writes to series.db"

// The key spaces of the file. A row of names has the number of its series; row 0
// has the next number. The rows of other spaces are numbered by series and time:
// see rowOf.
const (
	names  = "name"
	logs   = "log"
	chunks = "chunk"
	hours  = "hour"
)

// Spaces returns the key spaces of all samples. A shared database has another one, with the
// state of its processes.
func Spaces() []string { return []string{names, logs, chunks, hours} }

// halfDay is the length of a chunk in seconds; no chunk can overflow its 65,535 samples.
const halfDay = 12 * 60 * 60

// latest is the first time that is out of range: the year 10000.
const latest = 253402300800

func halfDayOf(at int64) int64 { return at / halfDay }

// rowOf returns the number of a row: ordered by time, then by series (or, in
// the log, by arrival).
func rowOf(when, number int64) int64 { return when<<40 | number }

func whenOf(row int64) int64   { return row >> 40 }
func numberOf(row int64) int64 { return row & (1<<40 - 1) }

// Open opens the file, or creates it, and reads back the samples that are not in
// chunks yet. It refuses a file that is damaged, read-only or from a newer
// version, and leaves it unchanged.
func Open(ctx context.Context, o Options) (*DB, error) {
	db := newDB(o)
	spaces := Spaces()
	if o.Shared {
		db.shared, spaces = &shared{known: state{other: -1}}, append(spaces, leads)
	}
	file, err := store.OpenChunks(ctx, store.ChunkOptions{Path: o.Path, Database: o.Database, Shared: o.Shared,
		Sibling: o.Sibling, Twice: o.Twice, Spaces: spaces})
	if err != nil {
		return nil, err
	}
	db.file = file
	if o.Shared {
		err = db.catchUp(ctx)
	} else {
		_, err = db.load(ctx, math.MaxInt64)
	}
	if err != nil {
		_ = file.Close()
		return nil, err
	}
	db.runs.Guard = o.Guard
	db.runs.Go(writing, db.run)
	return db, nil
}

func newDB(o Options) *DB {
	db := &DB{
		path: o.Path, log: cmp.Or(o.Log, slog.Default()), clock: o.Clock,
		jobs: make(chan *job, maxJobs), stop: make(chan struct{}), done: make(chan struct{}),
		logged: map[int64]int64{}, next: 1, series: map[Key]*series{}, high: -1, rolled: span{0, -1},
	}
	if db.clock == nil {
		db.clock = time.Now
	}
	return db
}

// load reads everything, up to a row of the log, and returns the series by number.
func (db *DB) load(ctx context.Context, upTo int64) (byNumber map[int64]*series, err error) {
	if byNumber, err = db.loadNames(ctx); err != nil {
		return nil, err
	}
	low, high, ok, err := db.file.Ends(ctx, chunks)
	if err != nil {
		return nil, err
	}
	if ok {
		db.low, db.high = whenOf(low), whenOf(high)
	}
	if low, high, ok, err = db.file.Ends(ctx, hours); err != nil {
		return nil, err
	}
	if ok {
		db.rolled = span{whenOf(low), whenOf(high)}
	}
	return byNumber, db.file.Each(ctx, logs, 0, math.MaxInt64, func(row int64, data []byte) error {
		when, seq := whenOf(row), numberOf(row)
		if seq > upTo {
			return nil
		}
		db.seq, db.logged[when] = max(db.seq, seq), seq
		return db.replay(data, byNumber)
	})
}

func (db *DB) loadNames(ctx context.Context) (map[int64]*series, error) {
	byNumber := map[int64]*series{}
	return byNumber, db.file.Each(ctx, names, 0, math.MaxInt64, func(number int64, data []byte) error {
		if number == 0 && len(data) == 8 {
			db.next = int64(binary.LittleEndian.Uint64(data))
			return nil
		}
		s, err := db.named(number, data)
		if err == nil {
			db.series[s.key], byNumber[number] = s, s
		}
		return err
	})
}

// named returns a series that has a name in the file.
func (db *DB) named(number int64, data []byte) (*series, error) {
	if len(data) != 16 {
		return nil, db.damaged(fmt.Errorf("series %d has a name of %d bytes", number, len(data)))
	}
	key := Key{int64(binary.LittleEndian.Uint64(data)), int64(binary.LittleEndian.Uint64(data[8:]))}
	return &series{key: key, number: number}, nil
}

// replay loads one row of the log into memory. It skips samples of series that
// have been deleted since.
func (db *DB) replay(data []byte, byNumber map[int64]*series) error {
	err := readLog(data, func(number int64, p point) error {
		s := byNumber[number]
		if s == nil {
			return nil
		}
		db.newest = max(db.newest, p.at)
		db.held++
		return s.add(p, db.high)
	})
	if err != nil {
		return db.damaged(err)
	}
	return nil
}

func (db *DB) damaged(err error) error {
	return &fault.Error{Kind: fault.Conflict, Message: db.path + " is damaged; it was left as it is. Restore a " +
		"backup, or choose another --data folder", Err: err}
}

// Close writes pending samples and closes the file. It may be called more than
// once.
func (db *DB) Close() error {
	db.once.Do(func() { close(db.stop) })
	<-db.done
	return db.file.Close()
}

// FileID returns the id of the file, see store.Sibling.
func (db *DB) FileID() string { return db.file.FileID() }

// Stats are counts of the samples.
type Stats struct {
	Appended int64 // since Open
	Series   int   // number of series that have, or had, samples
	Held     int   // samples in memory that are not in chunks yet
}

// Stats returns the current counts.
func (db *DB) Stats() Stats {
	db.mu.RLock()
	defer db.mu.RUnlock()
	return Stats{Appended: db.taken, Series: len(db.series), Held: db.held}
}

// Size returns the size of the samples on disk, in bytes.
func (db *DB) Size(ctx context.Context) (int64, error) { return db.file.Size(ctx) }

// Present returns fault.Busy if the file was deleted or replaced, which is logged
// once.
func (db *DB) Present() error { return db.file.Present() }
