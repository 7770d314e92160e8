// Package engine declares what package store needs of a database. Package store
// has the tables of resources, versions, caches and feeds; an engine below it
// keeps rows, and has everything that belongs to one database alone: statements,
// dialect, connections and settings. A second engine implements Engine and passes
// the tests of package enginetest.
//
// # Data, not text
//
// Tables, conditions and orders are values of this package (see Table, Cond and
// Select), and an engine writes its own statements from them. What a statement
// depends on beside values, such as a Cond without its values, comes from
// declarations, so the statements are few: an engine keeps them prepared, unless
// Select.Once says that there are many.
//
// # Values
//
// A row holds int64, float64, bool, string and []byte, or types of those kinds. A
// destination of Rows.Scan is a pointer to such a value, an *any, or has a method
// Scan(any) error, which gets the value as it is stored. No value is ever NULL.
//
// # Texts
//
// Conditions, orders and indexes compare texts without regard to case: those of
// A to Z alone where the value in a Cond is ASCII (IsASCII), and in orders and
// indexes; else by Fold.
//
// # Time
//
// Reads end early when their context does. Writes do not: when they have begun,
// only their transaction takes them back.
package engine

import "context"

// Engine opens databases and looks after their files. It is safe for concurrent
// use.
type Engine interface {
	// Open opens a database, or makes it where the file is missing or empty. It
	// changes nothing that Prepare and the methods of Writer should change.
	Open(ctx context.Context, path string, o Options) (Database, error)

	// Copy writes what a database holds at this moment to a file that is new or
	// empty. The database may be open, in another process too, and neither waits
	// for the other.
	Copy(ctx context.Context, from, to string) error

	// Verify reads a whole database, which may be open, and returns what is wrong
	// with it; "" for nothing.
	Verify(ctx context.Context, path string) (findings string, err error)

	// Check is Verify for a database that no process has open: it makes no file
	// beside it. It also returns the layout.
	Check(ctx context.Context, path string) (findings string, layout Layout, err error)

	// SetIdentity is SetMeta of an Identity in a database that no process has open.
	SetIdentity(ctx context.Context, path, name, value string) error

	// Class tells what an error of this engine means; Other for other errors.
	Class(err error) Class
}

// Options configure a database.
type Options struct {
	Readers int  // how many queries run at the same time without waiting, but for snapshots
	Lasting int  // how many snapshots do so beside them
	Chunks  bool // the database has spaces of chunks, and no tables
}

// Layout describes what a database holds.
type Layout struct {
	Format int      // the number that Prepare wrote; 0 for a new database
	Tables bool     // Prepare was called without Options.Chunks
	Spaces []string // of chunks; not of Check
}

// Class is what an error means to a person.
type Class int

// The classes of errors.
const (
	Other       Class = iota
	Damaged           // the file is damaged, or no database
	ReadOnly          // the file cannot be written
	Full              // the disk is full
	Quota             // the disk takes no more, as with a quota
	Interrupted       // the context of a query has ended
	Taken             // a row breaks a unique index
)

// Database is one open database: any number of readers, and one Writer. It is safe
// for concurrent use, but for the Writer. Readers and the writer never wait for each
// other.
type Database interface {
	Reader // each method sees one state: what is committed when it begins

	// Snapshot begins to read one state of the database: that of its first query.
	Snapshot(ctx context.Context) (Snapshot, error)
	Writer() Writer
	Layout(ctx context.Context) (Layout, error)
	Close() error

	// FindChunks calls each with the chunks of those ids that exist, in any order.
	// The data is each's own only until it returns.
	FindChunks(ctx context.Context, space string, ids []int64, each func(id int64, data []byte) error) error
	// RangeChunks is FindChunks from one id to another, both included, by id and of
	// one state.
	RangeChunks(ctx context.Context, space string, from, to int64, each func(id int64, data []byte) error) error
	// ChunkEnds returns the lowest and the highest id; ok is false in an empty space.
	ChunkEnds(ctx context.Context, space string) (low, high int64, ok bool, err error)
	// Size returns the bytes that the database needs on disk.
	Size(ctx context.Context) (int64, error)
}

// Reader runs queries.
type Reader interface {
	// Select reads columns of rows.
	Select(ctx context.Context, q Select) (Rows, error)
	// Tally counts rows, or adds up a column of them, by groups. Each row has the
	// values of Tally.By and then the number; without By there is one row.
	Tally(ctx context.Context, q Tally) (Rows, error)
	// Arrange filters and sorts a JSON array of objects as if they were the rows of
	// a table, which need not exist, and returns the indexes of their elements.
	Arrange(ctx context.Context, t *Table, rows []byte, where Cond, order []Order) ([]int, error)
	// FindWords returns ids of a full-text index, the highest first.
	FindWords(ctx context.Context, index string, q WordQuery) ([]int64, error)
	// Meta returns what SetMeta was given last; nil for nothing.
	Meta(ctx context.Context, of Meta, name string) ([]string, error)
	// AllMeta returns what Meta does, of every name that has any.
	AllMeta(ctx context.Context, of Meta) (map[string][]string, error)
}

// Snapshot is a Reader of one state, for one goroutine. Queries must have ended
// before Close.
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

// Writer changes a database. It belongs to one goroutine at a time. Its queries see
// what it has not committed yet. Outside of a transaction, each change is committed
// at once.
type Writer interface {
	Reader

	// Begin begins a transaction. When Commit returns nil, the changes are on disk.
	Begin() error
	Commit() error
	// Rollback takes back the whole transaction; one that has ended by itself, as
	// where the disk is full, is no error.
	Rollback() error
	// Savepoint begins a part of a transaction, RollbackTo takes back what has
	// changed since, and Release ends the part. Parts nest.
	Savepoint(name string) error
	RollbackTo(name string) error
	Release(name string) error

	// Prepare makes what Meta needs, and the spaces, where they are missing, and
	// writes Layout.Format.
	Prepare(ctx context.Context, format int, spaces ...string) error
	// SetMeta keeps values of a name in place of earlier ones.
	SetMeta(ctx context.Context, of Meta, name string, values ...string) error
	// Define makes a table, or brings it to its declaration: columns are added and
	// none removed, and exactly the declared indexes exist afterwards.
	Define(ctx context.Context, t *Table) error
	// DefineWords makes a full-text index where it is missing. It maps words to ids
	// and keeps no texts.
	DefineWords(ctx context.Context, index string) error

	// Insert adds a row: a value for each column, and the body. Its id is new.
	Insert(ctx context.Context, t *Table, values []any) error
	// Update is Insert in place of the row with that id, if it meets the condition;
	// n is 0 if not.
	Update(ctx context.Context, t *Table, values []any, id int64, where Cond) (n int64, err error)
	// Delete deletes rows and what Link gave them, and returns how many they were.
	Delete(ctx context.Context, t *Table, where Cond) (n int64, err error)
	// Link gives a row the ids that Holds finds it by, in place of earlier ones;
	// fresh says that there are none.
	Link(ctx context.Context, t *Table, column string, row int64, ids []int64, fresh bool) error
	// LastID returns the highest id that a row ever had, deleted ones too; 0 for none.
	LastID(ctx context.Context, t *Table) (int64, error)

	// PutWords gives an id its words, in place of earlier ones.
	PutWords(ctx context.Context, index string, id int64, tags []string, text string) error
	DeleteWords(ctx context.Context, index string, id int64) error

	// PutChunk writes a chunk, in place of one with the same id.
	PutChunk(space string, id int64, data []byte) error
	// DeleteChunks deletes the chunks from one id to another, both included.
	DeleteChunks(space string, from, to int64) error
}

// Meta is a kind of what a database says of itself.
type Meta int

// The kinds of Meta.
const (
	Identity Meta = iota // whose database it is: one value a name
	Shape                // the declaration of a table, digested: one value a table
	Fields               // the fields of a table, sorted
)

// WordQuery selects ids that have all tags and all words, as a word or the beginning
// of one; without either, all ids.
type WordQuery struct {
	Tags   []string
	Words  []string
	From   int64 // the lowest id; 0 for any
	Before int64 // ids below; 0 for any
	Limit  int
}
