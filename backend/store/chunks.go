package store

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"

	"spyglass/backend/fault"
	"spyglass/backend/store/engine"
)

// ChunkOptions configure a file of chunks.
type ChunkOptions struct {
	Path string
	// Database is the address of a database on a server, which takes the place of the
	// file. The chunks have a schema of their own there, beside that of Options.Database.
	Database string
	Shared   bool     // other processes may have Database open with Shared, too
	Sibling  Sibling  // the portal that owns the file; zero for none
	Spaces   []string // all spaces that the file may have
	Twice    bool     // run each write once more, for tests: see Options.Twice
}

// Chunks is a separate database file for numbered blobs in named spaces, which
// are listed when the file is opened. Callers should write rows once, at the end
// of a space: pages are then full, and old rows can be deleted as one range.
// Reading is safe for concurrent use and never waits for a write.
type Chunks struct {
	path  string // of the file; the name of a database on a server
	file  string // its id, see Sibling
	base  engine.Database
	twice bool

	mu     sync.Mutex // one transaction at a time
	closed bool

	present *presence // of the file
}

// ChunksTx is a transaction in progress.
type ChunksTx struct{ w engine.Writer }

// besideSamples names the schema of chunks in a database on a server.
const besideSamples = "samples"

// chunkFormat is the layout version of the file. Raise it when the content of a
// chunk is encoded differently. An added space needs no new version.
const chunkFormat = 1

// OpenChunks opens the file, or creates it if it does not exist. It refuses a
// file that is damaged, read-only or from a newer version, and leaves it
// unchanged.
func OpenChunks(ctx context.Context, o ChunkOptions) (*Chunks, error) {
	name, err := prepare(o.Path, o.Database, o.Sibling)
	if err != nil {
		return nil, err
	}
	c := &Chunks{path: name, twice: o.Twice}
	if err := c.connect(ctx, o); err != nil {
		_ = c.Close()
		return nil, explain(c.path, err)
	}
	return c, nil
}

func (c *Chunks) connect(ctx context.Context, o ChunkOptions) (err error) {
	options := engine.Options{Readers: readers, Chunks: true, Alone: !o.Shared, Beside: besideSamples}
	if c.base, c.present, err = connect(ctx, c.path, o.Database, slog.Default(), options); err != nil {
		return err
	}
	layout, err := c.base.Layout(ctx)
	if err != nil {
		return err
	}
	if err := notNewer(c.path, layout, chunkFormat); err != nil {
		return err
	}
	foreign := slices.DeleteFunc(layout.Spaces, func(space string) bool { return slices.Contains(o.Spaces, space) })
	if len(foreign) > 0 {
		return newer(c.path, foreign)
	}
	if err := c.base.Writer().Prepare(ctx, chunkFormat, o.Spaces...); err != nil {
		return err
	}
	c.file, err = o.Sibling.claim(ctx, c.base.Writer(), c.path)
	return err
}

// Close waits for the transaction in progress and closes the file. It may be
// called more than once.
func (c *Chunks) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed || c.base == nil {
		return nil
	}
	c.closed = true
	return c.base.Close()
}

// Write runs do in a transaction. If it returns nil, the change is on disk; if it
// returns an error, nothing has changed. Like a closure of DB.Write, do may run
// twice, and the last run counts for what it changes in memory.
func (c *Chunks) Write(do func(tx ChunksTx) error) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return fault.New(fault.Offline, "the portal is stopping; nothing was written")
	}
	if err := c.present.check(); err != nil {
		return err
	}
	if c.twice {
		_ = c.run(func(tx ChunksTx) error { return errors.Join(do(tx), errRehearsal) })
	}
	return explain(c.path, c.run(do))
}

// errRehearsal rolls back the writes of a first run.
var errRehearsal = errors.New("this run does not count")

func (c *Chunks) run(do func(tx ChunksTx) error) error {
	w := c.base.Writer()
	if err := w.Begin(); err != nil {
		return err
	}
	ended := false
	defer func() {
		if !ended { // do panicked
			_ = w.Rollback()
		}
	}()
	err := do(ChunksTx{w})
	ended = true
	if err == nil {
		err = w.Commit()
	}
	if err != nil {
		err = errors.Join(err, w.Rollback())
	}
	return err
}

// Rows is Chunks.Rows with the changes of the transaction.
func (t ChunksTx) Rows(ctx context.Context, space string, ids []int64, each func(id int64, data []byte) error) error {
	return t.w.FindChunks(ctx, space, ids, each)
}

// Put writes one row, replacing one with the same number.
func (t ChunksTx) Put(space string, id int64, data []byte) error {
	return t.w.PutChunk(space, id, data)
}

// Delete removes the rows from number from to number to, both included.
func (t ChunksTx) Delete(space string, from, to int64) error {
	return t.w.DeleteChunks(space, from, to)
}

// Rows calls each with the existing rows of those numbers, in any order. data is
// valid only until each returns.
func (c *Chunks) Rows(ctx context.Context, space string, ids []int64, each func(id int64, data []byte) error) error {
	return explain(c.path, c.base.FindChunks(ctx, space, ids, each))
}

// Each calls each with the rows from number from to number to, both included, in
// ascending order. All rows are of one state.
func (c *Chunks) Each(ctx context.Context, space string, from, to int64, each func(id int64, data []byte) error) error {
	return explain(c.path, c.base.RangeChunks(ctx, space, from, to, each))
}

// Ends returns the lowest and the highest number of a space; ok is false if the
// space is empty.
func (c *Chunks) Ends(ctx context.Context, space string) (low, high int64, ok bool, err error) {
	low, high, ok, err = c.base.ChunkEnds(ctx, space)
	return low, high, ok, explain(c.path, err)
}

// Size returns the size of the file on disk, in bytes, after its WAL is written
// back.
func (c *Chunks) Size(ctx context.Context) (bytes int64, err error) {
	bytes, err = c.base.Size(ctx)
	return bytes, explain(c.path, err)
}
