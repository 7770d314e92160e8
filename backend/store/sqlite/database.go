package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"runtime"
	"sync"
	"time"

	"spyglass/backend/store/engine"
)

// database implements engine.Database.
type database struct {
	reader
	read   *sql.DB
	stmts  *statements // the statements of read
	writer *writer
	chunks bool
}

// idleReader is the time after which an idle read connection is closed: each
// needs 1 MB.
const idleReader = 20 * time.Second

// perProcessor is the number of queries at the same time for each processor: the file is
// mapped, so more of them only take turns. leastReaders leaves some for short queries while
// long ones run.
const (
	perProcessor = 2
	leastReaders = 4
)

// Open implements engine.Engine.
func (Engine) Open(ctx context.Context, path string, o engine.Options) (engine.Database, error) {
	first := ""
	if o.Chunks {
		first = "page_size(16384)" // several chunks share a page, with little wasted space at its end
	}
	pool, err := open(path, "immediate", first, "")
	if err != nil {
		return nil, err
	}
	pool.SetMaxOpenConns(1)
	conn, err := pool.Conn(ctx)
	if err != nil {
		_ = pool.Close() // the first error is the cause
		return nil, err
	}
	w := &writer{pool: pool, conn: conn, chunks: o.Chunks, tables: map[*engine.Table]*changes{}}
	w.stmts.prepare = conn.PrepareContext
	w.reader.source = w
	read, err := open(path, "deferred", first, readOnly)
	if err != nil {
		return nil, errors.Join(err, w.close())
	}
	most := o.Lasting + min(o.Readers, max(leastReaders, perProcessor*runtime.GOMAXPROCS(0)))
	read.SetMaxOpenConns(most)
	read.SetMaxIdleConns(most) // with fewer, many requests at once open and close connections all the time
	read.SetConnMaxIdleTime(idleReader)
	p := &readers{DB: read}
	p.stmts.prepare = read.PrepareContext
	return &database{reader: reader{p}, read: read, stmts: &p.stmts, writer: w, chunks: o.Chunks}, nil
}

func (d *database) Writer() engine.Writer { return d.writer }

func (d *database) Close() error {
	d.stmts.close()
	return errors.Join(d.read.Close(), d.writer.close())
}

// Prepared returns the number of prepared statements that readers keep.
func (d *database) Prepared() int {
	d.stmts.mu.RLock()
	defer d.stmts.mu.RUnlock()
	return len(d.stmts.all)
}

func (d *database) Layout(ctx context.Context) (engine.Layout, error) {
	layout, err := layoutOf(ctx, d.read)
	if err == nil && d.chunks {
		layout.Spaces, err = column[string](d.read.QueryContext(ctx,
			`SELECT "name" FROM "sqlite_master" WHERE "type" = 'table' AND "name" NOT LIKE '\_%' ESCAPE '\'`))
	}
	return layout, err
}

func (d *database) Snapshot(ctx context.Context) (engine.Snapshot, error) {
	tx, err := d.read.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return nil, err
	}
	s := &snapshot{Tx: tx, stmts: d.stmts}
	s.reader.source = s
	return s, nil
}

// readers is the source of a database.
type readers struct {
	*sql.DB
	stmts statements
}

func (r *readers) prepared(ctx context.Context, query []byte) (*sql.Stmt, error) {
	return r.stmts.get(ctx, query)
}

// snapshot implements engine.Snapshot. SQLite reads one state in a transaction.
type snapshot struct {
	reader
	*sql.Tx
	stmts *statements
	own   map[string]*sql.Stmt // closed with the transaction
}

func (s *snapshot) Close() error { return s.Rollback() }

func (s *snapshot) prepared(ctx context.Context, query []byte) (*sql.Stmt, error) {
	if have := s.own[string(query)]; have != nil {
		return have, nil
	}
	own, err := s.prepareOwn(ctx, query)
	if err != nil {
		return nil, err
	}
	if s.own == nil {
		s.own = map[string]*sql.Stmt{}
	}
	s.own[string(query)] = own
	return own, nil
}

// prepareOwn prepares a statement on the connection of the transaction. It waits for no
// other one, which another transaction could hold while it waits, too.
func (s *snapshot) prepareOwn(ctx context.Context, query []byte) (*sql.Stmt, error) {
	if have := s.stmts.find(query); have != nil {
		return s.StmtContext(ctx, have), nil
	}
	return s.PrepareContext(ctx, string(query))
}

// statements caches prepared statements.
type statements struct {
	prepare func(context.Context, string) (*sql.Stmt, error)
	mu      sync.RWMutex
	all     map[string]*sql.Stmt
}

// find returns a statement that is prepared, or nil.
func (s *statements) find(query []byte) *sql.Stmt {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.all[string(query)]
}

func (s *statements) get(ctx context.Context, query []byte) (*sql.Stmt, error) {
	if have := s.find(query); have != nil {
		return have, nil
	}
	text := string(query)
	stmt, err := s.prepare(context.WithoutCancel(ctx), text)
	if err != nil {
		return nil, fmt.Errorf("%w in %s", err, text)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if have := s.all[text]; have != nil {
		_ = stmt.Close()
		return have, nil
	}
	if s.all == nil {
		s.all = map[string]*sql.Stmt{}
	}
	s.all[text] = stmt
	return stmt, nil
}

func (s *statements) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for stmt := range maps.Values(s.all) {
		_ = stmt.Close()
	}
	s.all = nil
}
