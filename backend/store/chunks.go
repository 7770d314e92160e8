package store

import (
	"context"
	"database/sql"
	"errors"
	"log/slog"
	"slices"
	"sync"

	"spyglass/backend/fault"
	"spyglass/backend/store/sqlite"
)

// Chunks is a database file of its own for blobs under numbers, in spaces that
// are named when it is opened. A row is written once at the end of its space
// whenever that can be arranged, so that pages are full and what is old goes as
// one range. Reading is safe for concurrent use and never waits for a write.
type Chunks struct {
	path string
	file string  // its id, see Sibling
	pool *sql.DB // of conn alone
	read *sql.DB
	find statements

	mu     sync.Mutex // one transaction at a time
	conn   *sql.Conn
	change statements
	closed bool

	present *presence // of the file
}

// ChunksTx is a transaction under way.
type ChunksTx struct{ c *Chunks }

// chunkFormat is the number of the layout of such a file. It is raised when what
// a chunk holds is written in another way; a space more is seen without that.
const chunkFormat = 1

// asked are the numbers of rows that one statement can read; the smallest
// sufficient one is used.
var asked = []int{1, 4, 32}

// OpenChunks opens the file, or makes it when it is not there. It refuses a
// file that is damaged, read-only or from a newer version, and leaves it as it is.
func OpenChunks(ctx context.Context, path string, sibling Sibling, spaces ...string) (*Chunks, error) {
	if err := sibling.expect(path); err != nil {
		return nil, err
	}
	if err := private(path); err != nil {
		return nil, err
	}
	c := &Chunks{path: path}
	if err := c.connect(ctx, sibling, spaces); err != nil {
		_ = c.Close()
		return nil, explain(path, err)
	}
	return c, nil
}

func (c *Chunks) connect(ctx context.Context, sibling Sibling, spaces []string) (err error) {
	if c.pool, err = sqlite.Writer(c.path, sqlite.PageSize); err != nil {
		return err
	}
	if c.conn, err = c.pool.Conn(ctx); err != nil {
		return err
	}
	c.change.prepare = c.conn.PrepareContext
	if c.present, err = present(c.path, slog.Default()); err != nil {
		return err
	}
	found, err := sqlite.Format(ctx, c.conn)
	if err != nil {
		return err
	}
	if found > chunkFormat {
		return fault.New(fault.Conflict, "%s was written by a newer version of Spyglass (format %d, this one knows "+
			"%d); start that version, or choose another --data folder", c.path, found, chunkFormat)
	}
	if err := c.accept(ctx, spaces); err != nil {
		return err
	}
	if c.file, err = sibling.claim(ctx, c.conn, c.path); err != nil {
		return err
	}
	for _, space := range spaces {
		if _, err := c.conn.ExecContext(ctx, sqlite.CreateSpace(space)); err != nil {
			return err
		}
	}
	if found < chunkFormat {
		if _, err := c.conn.ExecContext(ctx, sqlite.SetFormat(chunkFormat)); err != nil {
			return err
		}
	}
	if c.read, err = sqlite.Reader(c.path, sqlite.PageSize); err != nil {
		return err
	}
	c.read.SetMaxOpenConns(readers)
	c.read.SetMaxIdleConns(readers)
	c.read.SetConnMaxIdleTime(idleReader)
	c.find.prepare = c.read.PrepareContext
	return nil
}

// accept refuses a file with an unknown space.
func (c *Chunks) accept(ctx context.Context, spaces []string) error {
	found, err := c.conn.QueryContext(ctx, sqlite.Spaces)
	if err != nil {
		return err
	}
	defer found.Close()
	var foreign []string
	for found.Next() {
		var name string
		if err := found.Scan(&name); err != nil {
			return err
		}
		if !slices.Contains(spaces, name) {
			foreign = append(foreign, name)
		}
	}
	if err := errors.Join(found.Err(), found.Close()); err != nil || len(foreign) == 0 {
		return err
	}
	return newer(c.path, foreign)
}

// Close waits for the transaction under way and closes the file. It may be called again.
func (c *Chunks) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return nil
	}
	c.closed = true
	var errs []error
	if c.read != nil {
		c.find.close()
		errs = append(errs, c.read.Close())
	}
	if c.conn != nil {
		c.change.close()
		errs = append(errs, c.conn.Close())
	}
	if c.pool != nil {
		errs = append(errs, c.pool.Close())
	}
	return errors.Join(errs...)
}

// Write runs do in a transaction. When it returns nil the change is on disk;
// when it returns an error nothing has changed.
func (c *Chunks) Write(do func(tx ChunksTx) error) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return fault.New(fault.Offline, "the portal is stopping; nothing was written")
	}
	if err := c.present.check(); err != nil {
		return err
	}
	tx := ChunksTx{c}
	err := tx.exec(sqlite.Begin)
	if err != nil {
		return explain(c.path, err)
	}
	ended := false
	defer func() {
		if !ended { // do panicked
			_ = tx.exec(sqlite.Rollback)
		}
	}()
	err = do(tx)
	ended = true
	if err == nil {
		err = tx.exec(sqlite.Commit)
	}
	if err != nil {
		if lost := tx.exec(sqlite.Rollback); lost != nil && !sqlite.RolledBack(lost) {
			err = errors.Join(err, lost)
		}
	}
	return explain(c.path, err)
}

func (t ChunksTx) exec(statement string, args ...any) error {
	stmt, err := t.c.change.get(context.Background(), statement)
	if err == nil {
		_, err = stmt.Exec(args...)
	}
	return err
}

// Put writes one row, in place of one with the same number.
func (t ChunksTx) Put(space string, id int64, data []byte) error {
	return t.exec(sqlite.PutChunk(space), id, data)
}

// Delete removes the rows from number from to number to, both included.
func (t ChunksTx) Delete(space string, from, to int64) error {
	return t.exec(sqlite.DeleteChunks(space), from, to)
}

// Rows calls each with the rows of those numbers that are there, in no order.
// The data is each's own only until it returns.
func (c *Chunks) Rows(ctx context.Context, space string, ids []int64, each func(id int64, data []byte) error) error {
	for len(ids) > 0 {
		if err := ctx.Err(); err != nil {
			return err
		}
		size := asked[len(asked)-1]
		if i := slices.IndexFunc(asked, func(n int) bool { return n >= len(ids) }); i >= 0 {
			size = asked[i]
		}
		some := ids[:min(size, len(ids))]
		if err := c.some(ctx, space, size, some, each); err != nil {
			return explain(c.path, err)
		}
		ids = ids[len(some):]
	}
	return nil
}

func (c *Chunks) some(ctx context.Context, space string, size int, ids []int64,
	each func(id int64, data []byte) error) error {
	stmt, err := c.find.get(ctx, sqlite.FindChunks(space, size))
	if err != nil {
		return err
	}
	args := make([]any, size) // NULL finds nothing
	for i, id := range ids {
		args[i] = id
	}
	// Reading a few rows by number takes less time than watching for a
	// cancellation.
	rows, err := stmt.QueryContext(context.WithoutCancel(ctx), args...)
	if err != nil {
		return err
	}
	return scan(rows, each)
}

// Each calls each with the rows from number from to number to, both included,
// in the order of their numbers and of one moment.
func (c *Chunks) Each(ctx context.Context, space string, from, to int64, each func(id int64, data []byte) error) error {
	rows, err := c.read.QueryContext(ctx, sqlite.ChunksBetween(space), from, to)
	if err != nil {
		return explain(c.path, err)
	}
	return explain(c.path, scan(rows, each))
}

func scan(rows *sql.Rows, each func(id int64, data []byte) error) error {
	var id int64
	var data sql.RawBytes
	for rows.Next() {
		err := rows.Scan(&id, &data)
		if err == nil {
			err = each(id, data)
		}
		if err != nil {
			return errors.Join(err, rows.Close())
		}
	}
	return errors.Join(rows.Err(), rows.Close())
}

// Ends returns the lowest and the highest number of a space; ok is false when it is empty.
func (c *Chunks) Ends(ctx context.Context, space string) (low, high int64, ok bool, err error) {
	var a, b sql.NullInt64
	err = c.read.QueryRowContext(ctx, sqlite.ChunkEnds(space)).Scan(&a, &b)
	return a.Int64, b.Int64, a.Valid, explain(c.path, err)
}

// Size returns the bytes that the file has on disk once its WAL is written back.
func (c *Chunks) Size(ctx context.Context) (bytes int64, err error) {
	err = c.read.QueryRowContext(ctx, sqlite.Size).Scan(&bytes)
	return bytes, explain(c.path, err)
}
