// Package engine declares what package store needs from a database engine.
// Package store implements the tables of resources, versions, caches and feeds.
// An engine stores rows, and implements everything specific to one database:
// statements, dialect, connections and settings. Another engine implements Engine
// and passes the tests of package enginetest.
//
// # Data, not text
//
// Tables, conditions and orders are values of this package (see Table, Cond and
// Select), from which an engine builds its own statements. Apart from values, a
// statement depends only on declarations. So there are few different statements,
// and an engine keeps them prepared unless Select.Once is set.
//
// # Values
//
// A row holds int64, float64, bool, string and []byte, or types of those kinds. A
// destination of Rows.Scan is a pointer to such a value, an *any, or has a method
// Scan(any) error, which gets the stored value. No value is ever NULL.
//
// # Texts
//
// Conditions, orders and indexes compare texts regardless of case. Orders and
// indexes fold only A to Z, and so do conditions with an ASCII value (IsASCII);
// other conditions use Fold.
//
// # Time
//
// Reads end early when their context ends. Writes do not: once begun, they can
// only be rolled back with their transaction.
package engine

import (
	"context"
	"time"
)

// Engine opens databases. It is safe for concurrent use.
type Engine interface {
	// Open opens the database at an address. What an address is, the engine says;
	// no error contains a password from it. Open changes nothing that Prepare and
	// the methods of Writer should change.
	Open(ctx context.Context, address string, o Options) (Database, error)

	// Class returns the meaning of an error of this engine; Other for other
	// errors.
	Class(err error) Class
}

// Files is an Engine that keeps each database in one file, whose path is the
// address. Open creates the file if it is missing or empty.
type Files interface {
	Engine

	// Copy writes the current state of a database to a new or empty file. The
	// database may be open, in another process too; neither waits for the other.
	Copy(ctx context.Context, from, to string) error

	// Verify reads a whole database, which may be open, and returns its defects;
	// "" for none.
	Verify(ctx context.Context, path string) (findings string, err error)

	// Check is Verify for a database that no process has open: it creates no
	// other files. It also returns the layout.
	Check(ctx context.Context, path string) (findings string, layout Layout, err error)

	// SetIdentity is SetMeta with an Identity, for a database that no process has
	// open.
	SetIdentity(ctx context.Context, path, name, value string) error
}

// Options configure a database.
type Options struct {
	Readers int  // how many queries may run at the same time, not counting snapshots
	Lasting int  // how many snapshots run at the same time
	Alone   bool // refuse a database that another process has open with Alone; an engine of files ignores it
	Chunks  bool // the database has spaces of chunks, and no tables
	// Beside names a separate part of a database on a server, with its own tables; an
	// engine of files ignores it.
	Beside string
	// ReadOnly opens an existing database of a server whatever other processes do with
	// it; its Writer must not be used
	ReadOnly bool
}

// Layout describes what a database holds.
type Layout struct {
	Format int      // the number written by Prepare; 0 for a new database
	Tables bool     // Prepare was called without Options.Chunks
	Spaces []string // the spaces of chunks; Check does not return them
}

// Class is the meaning of an error.
type Class int

// The classes of errors.
const (
	Other       Class = iota
	Damaged           // the file is damaged or not a database
	ReadOnly          // the file cannot be written
	Full              // the disk is full
	Quota             // a limit such as a quota refused the write
	Interrupted       // the context of a query has ended
	Taken             // a row breaks a unique index
	Unfit             // the database cannot store a text; the error says why
	Again             // another transaction conflicted: repeat this transaction after Rollback
	Away              // the database does not respond
)

// Database is one open database: any number of readers, and one Writer. It is
// safe for concurrent use, except for the Writer. Readers and the writer never
// wait for each other.
type Database interface {
	Reader // each method reads one state: what was committed when it began

	// Snapshot returns a reader of one state: that of its first query.
	Snapshot(ctx context.Context) (Snapshot, error)
	Writer() Writer
	Layout(ctx context.Context) (Layout, error)
	Close() error

	// RangeChunks is FindChunks for a range of ids, both ends included. It calls
	// each in ascending order, with chunks of one state.
	RangeChunks(ctx context.Context, space string, from, to int64, each func(id int64, data []byte) error) error
	// ChunkEnds returns the lowest and the highest id; ok is false if the space
	// is empty.
	ChunkEnds(ctx context.Context, space string) (low, high int64, ok bool, err error)
	// Size returns the size of the database on disk, in bytes.
	Size(ctx context.Context) (int64, error)
}

// Remote is implemented by a Database on a server, whose connection can be lost and
// which other processes may change.
type Remote interface {
	// Listen calls the functions of l until ctx ends, one at a time.
	Listen(ctx context.Context, l Listener)
	// Pool returns the use of the connections of readers.
	Pool() Pool
	// Now returns the time of the server.
	Now(ctx context.Context) (time.Time, error)
}

// Pool is the use of a pool of connections.
type Pool struct {
	Used, Open, Most int
	Waited           int64 // queries that had to wait for a connection, since Open
}

// Listener receives the commits of other processes. Until the first Connected, and
// between Lost and Connected, there may be commits that it does not hear of.
type Listener struct {
	Connected func(versions map[string]int64) // the versions of all tables, which Raise has raised
	Changed   func(c Change)
	Lost      func(err error)
}

// Change describes the changes of a commit in one table.
type Change struct {
	Table   string
	Version int64   // of the table after the commit
	IDs     []int64 // the rows, if Whole is set
	Whole   bool    // there are no other changed rows
	LastID  int64   // for Raise: the highest id that the transaction has given to a row; 0 for none
}

// State is what a transaction finds of a table.
type State struct {
	Version int64
	LastID  int64 // no row has had a higher id
}

// Sharing is implemented by the Writer of a database that is open without
// Options.Alone. Its transactions wait for those of other processes.
type Sharing interface {
	// Begun returns the states of all tables when the transaction began. It is the first
	// call after Begin.
	Begun(ctx context.Context) (map[string]State, error)
	// Raise raises the versions and the last ids of tables, and lets the listeners of other
	// processes know when the current transaction commits. Commit fills in Change.Version.
	Raise(changes []Change)
	// Alone runs do while no other process does.
	Alone(ctx context.Context, do func() error) error
}

// Deferring is implemented by a Writer that does several statements faster than each alone.
type Deferring interface {
	// Defer lets the writer defer the inserts and links of the current transaction until it
	// has to know a result. Errors of them may come from a later method or from Commit, as
	// Late: a repeated transaction without Defer gets them at once.
	Defer()
}

// Late is the error of a deferred statement. Its class is Again.
type Late struct{ Err error }

func (l Late) Error() string { return l.Err.Error() }
func (l Late) Unwrap() error { return l.Err }

// Reader runs queries.
type Reader interface {
	// Select reads columns of rows.
	Select(ctx context.Context, q Select) (Rows, error)
	// Tally counts rows, or sums a column of them, in groups. Each result has the
	// values of Tally.By, then the number. Without By there is one result.
	Tally(ctx context.Context, q Tally) (Rows, error)
	// Arrange filters and sorts a JSON array of objects as if they were rows of a
	// table, which need not exist. It returns the indexes of the elements.
	Arrange(ctx context.Context, t *Table, rows []byte, where Cond, order []Order) ([]int, error)
	// FindWords returns ids of a full-text index, the highest first.
	FindWords(ctx context.Context, index string, q WordQuery) ([]int64, error)
	// FindChunks calls each with the existing chunks of those ids, in any order.
	// data is valid only until each returns.
	FindChunks(ctx context.Context, space string, ids []int64, each func(id int64, data []byte) error) error
	// Meta returns the value that SetMeta stored last; nil for none.
	Meta(ctx context.Context, of Meta, name string) ([]string, error)
	// AllMeta returns the value of Meta for every name.
	AllMeta(ctx context.Context, of Meta) (map[string][]string, error)
	// LastID returns an id that no row exceeds or ever exceeded, not even a deleted
	// one; 0 if there was no row.
	LastID(ctx context.Context, t *Table) (int64, error)
	// NextChunks is RangeChunks for at most limit chunks with a higher id than after.
	NextChunks(ctx context.Context, space string, after int64, limit int, each func(id int64, data []byte) error) error
}

// Snapshot is a Reader of one state, for one goroutine. End all queries before
// Close.
type Snapshot interface {
	Reader
	Close() error
}

// Rows are the results of a query. *sql.Rows implements it.
type Rows interface {
	Next() bool
	Scan(dest ...any) error
	Err() error
	Close() error
}

// Writer changes a database. One goroutine uses it at a time. Its queries see its
// uncommitted changes. Outside a transaction, each change is committed at once.
type Writer interface {
	Reader

	// Begin begins a transaction. When Commit returns nil, the changes are on disk.
	Begin() error
	Commit() error
	// Rollback rolls back the whole transaction. It is not an error if the
	// transaction has already ended by itself, for example on a full disk.
	Rollback() error
	// Savepoint begins a part of a transaction, RollbackTo undoes the changes
	// since then, and Release ends the part. Parts nest.
	Savepoint(name string) error
	RollbackTo(name string) error
	Release(name string) error

	// Prepare creates the tables for Meta and the spaces if they are missing, and
	// writes Layout.Format.
	Prepare(ctx context.Context, format int, spaces ...string) error
	// SetMeta stores the values of a name, replacing earlier values.
	SetMeta(ctx context.Context, of Meta, name string, values ...string) error
	// Define creates a table, or changes it to match its declaration: it adds
	// missing columns, removes none, and leaves exactly the declared indexes.
	Define(ctx context.Context, t *Table) error
	// Unindex drops the indexes of a table if that makes many inserts faster. Until
	// Define creates them again, queries of the table are slow, and rows may share a
	// value that must be unique: then Define fails.
	Unindex(ctx context.Context, t *Table) error
	// DefineWords creates a full-text index if it is missing. The index maps
	// words to ids and stores no texts.
	DefineWords(ctx context.Context, index string) error

	// Insert adds rows with new ids; each row is a value for each column, and the body.
	Insert(ctx context.Context, t *Table, rows ...[]any) error
	// Update replaces the row with that id if it meets the condition; n is 0 if
	// it does not.
	Update(ctx context.Context, t *Table, values []any, id int64, where Cond) (n int64, err error)
	// Delete deletes rows and their links, and returns the number of rows.
	Delete(ctx context.Context, t *Table, where Cond) (n int64, err error)
	// Link adds ids by which Holds finds rows.
	Link(ctx context.Context, t *Table, column string, links ...Link) error
	// Unlink removes the ids by which Holds finds a row.
	Unlink(ctx context.Context, t *Table, column string, row int64) error
	// SetLastID makes LastID return at least that id.
	SetLastID(ctx context.Context, t *Table, last int64) error
	// Reserve returns ids for new rows, from first up to limit, which it does not
	// include. No row has had them, and no other Writer gets them. first is least
	// unless that id is taken. They stay reserved after a Rollback.
	Reserve(ctx context.Context, t *Table, least int64) (first, limit int64, err error)
	// Return takes back the reserved ids from first up to limit, which are the last
	// ones and have no rows.
	Return(ctx context.Context, t *Table, first, limit int64) error

	// PutWords stores the words of an id, replacing earlier words.
	PutWords(ctx context.Context, index string, id int64, tags []string, text string) error
	DeleteWords(ctx context.Context, index string, id int64) error

	// PutChunk writes a chunk, replacing one with the same id.
	PutChunk(space string, id int64, data []byte) error
	// DeleteChunks deletes the chunks from one id to another, both included.
	DeleteChunks(space string, from, to int64) error
}

// Link is one of the ids by which Holds finds a row.
type Link struct{ ID, Row int64 }

// Links returns the links of a row.
func Links(row int64, ids []int64) []Link {
	links := make([]Link, len(ids))
	for i, id := range ids {
		links[i] = Link{ID: id, Row: row}
	}
	return links
}

// Meta is a kind of metadata.
type Meta int

// The kinds of Meta.
const (
	Identity Meta = iota // the owner of the database: one value for each name
	Shape                // the digest of a table's declaration: one value for each table
	Fields               // the fields of a table, sorted
)

// WordQuery selects ids that have all tags and all words, where a word may be a
// prefix. Without tags and words it selects all ids.
type WordQuery struct {
	Tags   []string
	Words  []string
	From   int64 // the lowest id; 0 for no limit
	Before int64 // only lower ids; 0 for no limit
	Limit  int
}
