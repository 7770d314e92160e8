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

// ChunkOptions say where a file of chunks lies.
type ChunkOptions struct {
	Path    string
	Sibling Sibling  // whose file it is; zero for nobody's
	Spaces  []string // all that the file may have
	Twice   bool     // run each write once more, for tests: see Options.Twice
}

// Chunks is a database file of its own for blobs under numbers, in spaces that
// are named when it is opened. A row is written once at the end of its space
// whenever that can be arranged, so that pages are full and what is old goes as
// one range. Reading is safe for concurrent use and never waits for a write.
type Chunks struct {
	path  string
	file  string // its id, see Sibling
	base  engine.Database
	twice bool

	mu     sync.Mutex // one transaction at a time
	closed bool

	present *presence // of the file
}

// ChunksTx is a transaction under way.
type ChunksTx struct{ w engine.Writer }

// chunkFormat is the number of the layout of such a file. It is raised when what
// a chunk holds is written in another way; a space more is seen without that.
const chunkFormat = 1

// OpenChunks opens the file, or makes it when it is not there. It refuses a
// file that is damaged, read-only or from a newer version, and leaves it as it is.
func OpenChunks(ctx context.Context, o ChunkOptions) (*Chunks, error) {
	if err := o.Sibling.expect(o.Path); err != nil {
		return nil, err
	}
	if err := private(o.Path); err != nil {
		return nil, err
	}
	c := &Chunks{path: o.Path, twice: o.Twice}
	if err := c.connect(ctx, o); err != nil {
		_ = c.Close()
		return nil, explain(o.Path, err)
	}
	return c, nil
}

func (c *Chunks) connect(ctx context.Context, o ChunkOptions) (err error) {
	if c.base, err = chosen.Open(ctx, c.path, engine.Options{Readers: readers, Chunks: true}); err != nil {
		return err
	}
	if c.present, err = present(c.path, slog.Default()); err != nil {
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

// Close waits for the transaction under way and closes the file. It may be called again.
func (c *Chunks) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed || c.base == nil {
		return nil
	}
	c.closed = true
	return c.base.Close()
}

// Write runs do in a transaction. When it returns nil the change is on disk;
// when it returns an error nothing has changed. Like a closure of DB.Write, do may
// run twice: what it changes in memory counts from its last run.
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

// errRehearsal takes back what a first run wrote.
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

// Put writes one row, in place of one with the same number.
func (t ChunksTx) Put(space string, id int64, data []byte) error {
	return t.w.PutChunk(space, id, data)
}

// Delete removes the rows from number from to number to, both included.
func (t ChunksTx) Delete(space string, from, to int64) error {
	return t.w.DeleteChunks(space, from, to)
}

// Rows calls each with the rows of those numbers that are there, in no order.
// The data is each's own only until it returns.
func (c *Chunks) Rows(ctx context.Context, space string, ids []int64, each func(id int64, data []byte) error) error {
	return explain(c.path, c.base.FindChunks(ctx, space, ids, each))
}

// Each calls each with the rows from number from to number to, both included,
// in the order of their numbers and of one moment.
func (c *Chunks) Each(ctx context.Context, space string, from, to int64, each func(id int64, data []byte) error) error {
	return explain(c.path, c.base.RangeChunks(ctx, space, from, to, each))
}

// Ends are the lowest and the highest number of a space; ok is false when it is empty.
func (c *Chunks) Ends(ctx context.Context, space string) (low, high int64, ok bool, err error) {
	low, high, ok, err = c.base.ChunkEnds(ctx, space)
	return low, high, ok, explain(c.path, err)
}

// Size returns the bytes that the file has on disk once its WAL is written back.
func (c *Chunks) Size(ctx context.Context) (bytes int64, err error) {
	bytes, err = c.base.Size(ctx)
	return bytes, explain(c.path, err)
}
