// Package store stores the rows of resources: it implements their tables,
// transactions, versions, caches and feeds. Package engine declares what it needs
// from a database engine; package sqlite implements that with files, and package
// postgres with a server.
//
// A Table is built from a declaration in package resource, whose fields determine
// its columns, indexes and endpoints. Each row also stores its JSON ("body"), so
// that a page is read and joined without encoding; an outline has what all rows have
// in common.
// Reads, writes, caches and feeds are in one package because all of them follow the
// version of a Table (seqlock).
//
// # Durability
//
// When Write returns, the change is on disk. One goroutine writes. Writes that
// wait at the same time share one commit, each in its own savepoint, so that a
// failed write does not affect the others.
//
// # Concurrency
//
// Everything here is safe for concurrent use. Readers never wait for the writer.
// Close waits for the write in progress, and refuses later writes.
//
// # Errors
//
// Rows that are missing or out of the caller's scope are fault.Unknown, names
// that exist already fault.Conflict, a full disk fault.Full. Other errors of the
// engine are returned unchanged and belong in the log only.
package store

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"runtime"
	"sync"
	"time"

	"spyglass/backend/fault"
	"spyglass/backend/resource"
	"spyglass/backend/service"
	"spyglass/backend/store/engine"
)

// Options configures a DB.
type Options struct {
	Path string // of the database file; the key file is beside it
	// Database is the address of a database on a server, instead of the file:
	// postgres://user:password@host/database.
	Database string
	Shared   bool // other processes may have Database open with Shared, too; otherwise Open refuses that
	// Others is called after each commit of other processes that changed a table, with the
	// changed rows; without ids, any row may have changed, as after a lost connection. It
	// must not block; may be nil.
	Others func(table string, ids []int64)
	Beside string           // names a part of Database with its own tables, such as "workspace"; "" for the main one
	Log    *slog.Logger     // slog.Default when nil
	Clock  func() time.Time // time.Now when nil
	Zone   *time.Location   // the time zone of days in filters; time.Local when nil
	Guard  *service.Guard

	Upgrade func(Progress) // reports how far an upgrade is, on the goroutine that opens; may be nil

	Sibling Sibling // the portal it belongs to; zero for none
	Secrets bool    // the key belongs to the file: Open refuses a missing or different one
	NewKey  bool    // with Secrets: create a new key if the right one is lost
	Key     []byte  // the key, in place of the file beside Path; KeySize bytes
	KeyOf   *DB     // uses the key of that database; nil for its own

	Twice bool // run each write once more, for tests: see rehearse
}

// DB is one open database.
type DB struct {
	path    string // the place of the key file, without its ending
	name    string // of the database, for messages: the path, or an address without a password
	remote  bool   // the database is on a server
	file    string // its id, see Sibling
	log     *slog.Logger
	guard   *service.Guard
	clock   func() time.Time
	zone    func() *time.Location
	seal    sealer
	upgrade func(Progress)
	others  func(table string, ids []int64) // nil: not called
	base    engine.Database
	streams chan struct{} // limits the lists that are streamed at the same time
	// searches limits the searches of mirrors to one for each processor. Each takes little
	// time, and less in turn than when many take the processors from each other.
	searches chan struct{}
	writer   *writer
	shared   *shared // nil for a file
	memos    memos   // of whole tables
	known    memos   // of single rows: there may be many
	shapes   shapes  // of the tables in the file
	tasks    *tasks

	twice    bool  // see rehearse
	mirrored int64 // tables with more rows than that keep their texts in memory

	auditor resource.Auditor // nil: changes are not audited

	mu       sync.RWMutex
	tables   map[string]*Table
	hooks    map[string][]any // by point
	accepted map[string]bool  // the tables passed to Accept; nil before
	declared []Shape          // the same, with their fields
	watchers map[*watcher]bool
	feeds    map[*feed]bool
	backedUp bool
	unopened sync.Once // logs the first secret that the key cannot open
}

// format is the layout version of the file. A higher one was written by a newer
// program. Version 2 lists the fields of the file: see Accept. Version 3 binds
// secrets to their rows: see Seal. Raise it for a change that no list of fields
// shows.
const format = 3

// readers limits the connections that read at the same time.
const readers = 8

// Open opens the database, or creates it if the file does not exist. It refuses a
// file that is damaged, read-only or from a newer version, and leaves it
// unchanged.
func Open(ctx context.Context, o Options) (*DB, error) {
	name, err := prepare(o.Path, o.Database, o.Sibling)
	if err != nil {
		return nil, err
	}
	db := newDB(name, o)
	if err := db.connect(ctx, o); err != nil {
		_ = db.Close() // the first error is the cause
		return nil, explain(db.name, err)
	}
	return db, nil
}

// newDB returns a DB that is not connected.
func newDB(name string, o Options) *DB {
	if o.Log == nil {
		o.Log = slog.Default()
	}
	if o.Clock == nil {
		o.Clock = time.Now
	}
	if o.Zone == nil {
		o.Zone = time.Local
	}
	if o.Upgrade == nil {
		o.Upgrade = func(Progress) {}
	}
	return &DB{path: o.Path, name: name, remote: o.Database != "", log: o.Log, guard: o.Guard, clock: o.Clock,
		zone: func() *time.Location { return o.Zone }, streams: make(chan struct{}, maxStreams),
		searches: make(chan struct{}, runtime.GOMAXPROCS(0)),
		tables:   map[string]*Table{}, tasks: newTasks(o.Guard),
		mirrored: leastMirrored, twice: o.Twice, upgrade: o.Upgrade, others: o.Others}
}

// SetZone sets the time zone of days in filters, instead of Options.Zone. Call it
// before the first query; the store calls zone for each filter.
func (db *DB) SetZone(zone func() *time.Location) { db.zone = zone }

func (db *DB) dayZone(filter string) *time.Location {
	if filter == "" {
		return time.UTC // never used
	}
	return db.zone()
}

func (db *DB) connect(ctx context.Context, o Options) (err error) {
	options := engine.Options{Readers: readers, Lasting: maxStreams, Alone: !o.Shared, Beside: o.Beside}
	base, file, err := connect(ctx, db.path, o.Database, db.log, options)
	db.base = base
	if err != nil {
		return err
	}
	db.writer = newWriter(db, base.Writer())
	db.writer.present = file
	layout, err := db.base.Layout(ctx)
	if err != nil {
		return err
	}
	if err := notNewer(db.name, layout, format); err != nil {
		return err
	}
	if err := db.writer.base.Prepare(ctx, format); err != nil {
		return err
	}
	if err := moved(ctx, db.base, db.name); err != nil {
		return err
	}
	if db.file, err = o.Sibling.claim(ctx, db.writer.base, db.name); err != nil {
		return err
	}
	if db.seal, err = db.openKey(ctx, o); err != nil {
		return err
	}
	db.listen(o.Shared)
	return nil
}

// notNewer refuses a file with a newer layout version.
func notNewer(path string, layout engine.Layout, format int) error {
	if layout.Format <= format {
		return nil
	}
	return fault.New(fault.Conflict, "%s was written by a newer version of Spyglass (format %d, this one knows "+
		"%d); start that version, or choose another --data folder", path, layout.Format, format)
}

// Close stops the writer after all waiting writes, and closes the file.
func (db *DB) Close() error {
	db.tasks.close()
	return db.closeBase()
}

func (db *DB) closeBase() error {
	db.detach()
	if db.base == nil {
		return nil
	}
	return db.base.Close()
}

// detach stops the writer, and leaves the base open.
func (db *DB) detach() {
	if db.writer != nil {
		db.writer.close()
	}
	if db.base == nil {
		return
	}
	db.mu.RLock()
	defer db.mu.RUnlock()
	for _, t := range db.tables {
		if err := t.returnIDs(); err != nil {
			db.log.Warn("ids stay reserved", "table", t.table.Name, "err", err)
		}
	}
}

// Backup writes a consistent copy of the database to a new file.
func (db *DB) Backup(ctx context.Context, path string) error {
	if err := db.Writable(); err != nil { // another file may have replaced it
		return err
	}
	if db.remote {
		return fault.New(fault.Conflict, "%s is on a server; back it up with the tools of PostgreSQL", db.name)
	}
	if err := embedded.Copy(ctx, db.path, path); err != nil {
		return explain(path, err)
	}
	return os.Chmod(path, 0o600)
}

// private makes sure that only this user can read the file, before the engine
// creates it.
func private(path string) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return fault.New(fault.Conflict, "%s cannot be written (%v); choose another --data folder or change its "+
			"permissions", path, rootCause(err))
	}
	if err := f.Close(); err != nil {
		return err
	}
	return os.Chmod(path, 0o600)
}

func rootCause(err error) error {
	var p *os.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}

// explain turns an error about a whole file into a readable fault.
func explain(path string, err error) error {
	switch class(err) {
	case engine.Damaged:
		return &fault.Error{Kind: fault.Conflict, Message: path + " is damaged; it was left as it is. Restore a " +
			"backup, or choose another --data folder", Err: err}
	case engine.ReadOnly:
		return &fault.Error{Kind: fault.Conflict, Message: path + " is read-only; change its permissions, or choose " +
			"another --data folder", Err: err}
	}
	return full(err)
}

// full turns the error of a full disk into fault.Full.
func full(err error) error {
	switch class(err) {
	case engine.Full:
		return &fault.Error{Kind: fault.Full, Message: "the disk is full; nothing was written", Err: err}
	case engine.Quota:
		return &fault.Error{Kind: fault.Full, Message: "the disk failed to write; nothing was written", Err: err}
	}
	return err
}

var (
	_ resource.LiveDB   = (*DB)(nil)
	_ resource.Counter  = (*DB)(nil)
	_ resource.SecretDB = (*DB)(nil)
	_ resource.Tx       = (*tx)(nil)
)
