// Package resource declares the resources of the API.
//
// A Resource declares one kind of object: its path, its fields and its rules. The
// table, routes, JSON, validation, filters, sorting, permissions, catalog,
// OpenAPI document, docs and examples are derived from it.
//
// # Shapes
//
// A row is a Go struct. A Field names one JSON key and points at its place in
// the struct; the Go type found there decides everything else:
//
//	*int64      integer            *[]Property  [{"name","value"}], secret-looking values write-only
//	*float64    number             *IDs         "1,2,3": ids of another resource
//	*string     string             *Seconds     epoch seconds
//	*bool       boolean            *Millis      epoch milliseconds
//	*TextID     the row's own id, sent as a string
//	anything else: stored and sent as its encoding/json form; null goes for a pointer
//
// # Errors
//
// Everything a caller can get wrong comes back as a *fault.Error of kind
// Invalid whose Field is the JSON name.
//
// # Concurrency
//
// Declarations are built once and never change; they are safe to share.
package resource

import (
	"context"
	"iter"
	"reflect"
	"strings"

	"spyglass/backend/fault"
)

// Resource declares one kind of object of the API. T is a pointer to the struct
// of its rows: all pointers have one GC shape, so that generic code is compiled
// once, and not once for each resource.
type Resource[T any] struct {
	Name     Name[T] // singular, "device": the table name, and the word in error messages
	Label    string  // singular, for people: "device group"
	Plural   string  // of the Label; the regular one when empty
	Whose    string  // follows the Label where nothing around it says so: "of a data source"
	Path     string  // "/device/devices", below each mount; {parentId} for a nested one
	Category string  // of the catalog
	Doc      string  // one sentence
	Object   Object  // the object of the required privilege
	Area     string  // for Object Setting: the part of the settings, "useraccess"

	Fields  []Field[T]
	Derived []Derived // computed when read; they come last in the object
	// removed fields of earlier versions, in the form of store.Shape; older files
	// still list them
	Former []string

	// Published is a second path, on the mount for published clients only, where
	// these expect the resource. Empty: they know it by Path.
	Published string
	// Absent lists published names that rows do not have, separated by spaces: a
	// published client may use them in a filter, where they compare like empty
	// values.
	Absent string
	// Refused lists published fields that the portal does not have, separated by
	// spaces: published clients may send them, but only empty.
	Refused string

	Unique [][]string // sets of fields that must be unique together; text compares ignoring case
	// fields by which rows are often counted together, in this order: they get an
	// index for counting
	Counted []string
	// Scope lists the fields that determine which rows a role for some device
	// groups can view: "id" of a group, ids of groups, or the id of a row of a
	// resource with a Scope. One matching field is enough. Without a Scope, such
	// a role can view all rows or none.
	Scope   []string
	Parents []Parent // of a nested resource, the outermost first
	Owner   string   // the field with a user's id: each user sees only their own rows
	// Within returns conditions that a call adds to the list, and to the deletion
	// of all own rows.
	Within func(c *Call) []Where
	Usual  *Where // default condition of a list, unless the filter names that field

	// the id that examples use; the demo environment has such a row, on which nothing
	// depends. A resource of which the demo has no rows gets one from its examples
	Sample int64
	// endpoints that are not generated
	Without []Verb
	// settings of single endpoints
	Extra      map[Verb]Extra
	PartialPut bool   // PUT of a published client changes only the given fields, like PATCH
	Single     int64  // the id of its only row, which always exists: the path is that row, and there is no list
	OpTypes    bool   // PUT and PATCH accept opType, which governs customProperties
	Steady     bool   // see Endpoint.Steady
	Flags      []Flag // query switches, "deleteChildren"
	// Millis field that DELETE sets instead of removing the row; rows with it are
	// hidden and in the recycle bin
	SoftBy string
	Bin    string // with SoftBy: path of the recycle bin, "/device/recyclebin"
	// Recycles is the path of the published recycle bin, which restores or
	// removes many rows at once; Bin when empty.
	Recycles string
	Deleted  int64 // with Bin: the id of a deleted row for examples, like Sample; the next higher one is deleted too
	Batch    bool  // POST {path}/batch writes many rows at once

	Props *Props    // set if single name/value pairs have their own endpoints
	Lists []Listing // more paths that list some of the rows
	Query []Param   // more query parameters for reading rows, for Derived values: CallOf has them

	// Check runs before a row is written, in the transaction; was is nil on
	// create. It completes and validates now.
	Check func(w *Write, was, now T) error
	// Settle runs right before a valid row is written. It sets fields that the
	// portal decides, regardless of the caller's permissions.
	Settle func(w *Write, was, now T) error
	// Numbered completes a new row after it gets its id; the row is then written
	// again.
	Numbered func(row T)
	// After runs after the row is written, in the same transaction, to update
	// other rows.
	After func(w *Write, was, now T) error
	// Remove runs before a row is deleted, in the same transaction.
	Remove func(w *Write, row T) error
	// Mend migrates a row of an older version. It runs when the table's shape has
	// changed, including the rules for secrets.
	Mend func(row T) error
	// Hooks lists the functions for the Triggers and Values of resources that do
	// not import this one.
	Hooks []Hook
	// Actions are named changes to one row; of the rules above, only After runs
	// for them.
	Actions []Action[T]
}

// PublishedPath returns the second path of an endpoint of the resource, see
// Published; empty where it has none.
func (r *Resource[T]) PublishedPath(path string) string {
	rest, below := strings.CutPrefix(path, r.Path)
	if r.Published == "" || !below {
		return ""
	}
	return r.Published + rest
}

// Name is the name of a resource, with the type of its rows: enough for queries
// without the declaration.
type Name[T any] string

// Field is one JSON key of a row.
type Field[T any] struct {
	Name string
	At   func(T) any // a pointer into the row; its type is the field's type
	Doc  string      // its meaning, with the unit

	Example   any // in docs, and in the example body if it is writable
	Default   any // for a missing key; the zero value when nil
	Required  bool
	ReadOnly  bool   // set by the portal; accepted in a body and ignored
	WriteOnly bool   // never shown, filtered or sorted
	OneOf     []any  // the allowed values
	Min, Max  *int64 // of an integer, inclusive
	// of a string, in characters; 1,024 when 0. Up to 255 it is a name: no line breaks, no control characters
	MaxLen  int
	Refs    string // the response includes it only if this returns true
	Loose   bool   // for objects: keys are optional in a body, and zero by default
	Cascade bool   // with Refs: delete the row when the referenced one is permanently deleted
	Prefix  string // of a TextID, "R_"
	Index   bool   // often filtered or sorted: worth an index
	Sealed  bool   // for a write-only string: a secret that the portal must be able to read, so it is stored encrypted

	If func(T) bool // a response has it only if it returns true

	// Keeps lists the keys of a Foreign field, which are keys of the row's own
	// object.
	Keeps []Key

	// for a text with OneOf: former names of its values, which published clients
	// may send
	Older map[string]string

	// Seal converts a value before it is stored (a password into its hash). It
	// may be slow: it runs before the transaction.
	Seal func(string) (string, error)
}

// Parent nests the rows below a row of another resource. With several parents,
// each is below the previous one: a parent with the same path parameters in its
// own Parents is found only below them.
type Parent struct {
	Of     string // its Name, "admin"
	Param  string // the path parameter, "adminId"
	Field  string // the field of this resource that holds the parent's id
	Sample int64  // the parent's id that examples use
}

// Listing is a path that lists some rows of a resource: those whose Field holds
// the id in the path, those that meet Where, or all of them.
type Listing struct {
	Path     string // "/device/groups/{id}/devices"
	Category string // of the catalog; the resource's own when empty
	Summary  string // a few words, "List devices of a group"
	Doc      string // one sentence
	Noun     Noun   // for its rows; the resource's own when empty

	Of     string   // the Name of the resource that the id refers to; empty: all rows
	Param  string   // the path parameter, "id"
	Field  string   // of the rows, an id or IDs
	Above  []Parent // the parents of that id in the path, the outermost first
	Where  func(ctx context.Context, r Reader, id int64) ([]Where, error)
	Query  []Param // further query parameters, for Where: CallOf has them
	Sample int64   // the id that examples use
}

// Flag is a boolean query parameter of DELETE and, if Writes is set, of PUT and
// PATCH.
type Flag struct {
	Name, Doc string
	Writes    bool
}

// Derived is a value that is computed from other rows when read.
type Derived struct {
	Name    string
	Doc     string
	Schema  Schema
	Example any
	Counts  Noun   // what a number counts: "device in it", "devices in it"
	From    string // the stored column that Of gets as text; empty: the id
	// a list of name/value pairs that depends only on From, so that filters can
	// use it
	Pairs bool
	Whole bool // it counts devices of all groups: 0 for a role that cannot view all of them
	// Of returns one JSON value per row, in the order of rows. It is called
	// once per page and makes a fixed number of queries, not one per row.
	Of func(ctx context.Context, r Reader, rows []Row) ([][]byte, error)
}

// Row is the input of a Derived value.
type Row struct {
	ID   int64
	From string
}

// Write is a write in progress: the call, the given data, and the transaction.
type Write struct {
	Context context.Context
	Call    *Call
	Tx      Tx
	Given   func(field string) bool // reports whether the body names the field
	Body    *Body                   // the request body; nil for writes of the portal itself
}

// SentText returns the text that the body has for a field, before Seal; "" for
// none.
func (w *Write) SentText(field string) string {
	if w.Body == nil {
		return ""
	}
	if sent := w.Body.node.Get(field); sent != nil {
		return sent.Text
	}
	return ""
}

// Reader reads other tables. The store implements it; use Get and Find.
type Reader interface {
	// GetRow fills row, a pointer to the struct of the named resource. It returns
	// fault.Unknown if there is no such row.
	GetRow(ctx context.Context, name string, id int64, row any) error
	// FindRows appends all matching rows to rows, a pointer to a slice of the
	// struct.
	FindRows(ctx context.Context, name string, rows any, where ...Where) error
	// CountBy counts the rows of name for each id in the IDs or Refs field.
	CountBy(ctx context.Context, name, field string) (map[int64]int64, error)
	// CountWithin counts, for each key, the distinct rows of name whose IDs field
	// holds any of its ids.
	CountWithin(ctx context.Context, name, field string, within map[int64][]int64) (map[int64]int64, error)
	// Memo caches the result of build until a row of one of those resources
	// changes.
	Memo(key string, names []string, build func() (any, error)) (any, error)
	// Hooks returns the functions for a point, in the order in which they were
	// added; use Trigger.Fire and Value.Or.
	Hooks(point string) []any
}

// DB is the database for the code of endpoints. The store implements it.
type DB interface {
	Reader
	// Write runs do in a transaction. If it returns nil, the change is on disk;
	// if it returns an error, nothing has changed. do may run more than once, and
	// only its last run counts, so it must reset any state outside of the
	// transaction. If Put assigned an id to a row, the next run starts without
	// it.
	Write(ctx context.Context, do func(tx Tx) error) error
}

// By is a field by which rows are grouped and counted.
type By struct {
	Field  string
	Step   int64             // for numbers: groups all numbers of one step, as the number of the step
	Within map[int64][]int64 // for an IDs field: groups by each key with any of its ids; a row counts once per key
}

// Tally is the number of rows with these values, in the order of the fields of
// By.
type Tally struct {
	Of    []any // int64 or string
	Count int64
}

// Counter is a Reader that counts without reading rows.
type Counter interface {
	Reader
	// Tally counts the rows of name that meet all of where, in one query.
	Tally(ctx context.Context, name string, by []By, where ...Where) ([]Tally, error)
}

// LiveDB is a DB that notifies services of changes.
type LiveDB interface {
	DB
	Counter
	// Watch signals commits that changed rows of these resources, until stop.
	Watch(names ...string) (changed <-chan struct{}, stop func())
	// Follow begins a feed of changed rows of these resources.
	Follow(names ...string) Feed
	// IDs returns the ids of the rows of name that meet all of where, ascending, without reading the rows.
	IDs(ctx context.Context, name string, where ...Where) ([]int64, error)
}

// Changed is a row that a commit wrote or removed.
type Changed struct {
	Name string // of the resource
	ID   int64
}

// Feed reports which rows of some resources have changed. One goroutine reads it.
type Feed interface {
	// Next waits for a commit, and returns all rows that changed since the last
	// call, without duplicates. If lost is set, any row may have changed: read
	// all again. It ends when ctx ends.
	Next(ctx context.Context) (rows []Changed, lost bool, err error)
	// Pending returns the same without waiting. A write that has returned is included.
	Pending() (rows []Changed, lost bool)
	// Close ends the feed.
	Close()
}

// SecretDB is a DB that encrypts secrets with the portal's key, so that they are
// unreadable in the database and in copies of it.
type SecretDB interface {
	DB
	// Seal encrypts a secret and binds it to its place: only Unseal with the same place opens it.
	Seal(place string, secret []byte) string
	Unseal(place, sealed string) ([]byte, error)
}

// Tx reads and writes other tables inside one transaction; use Put and Delete.
type Tx interface {
	Counter
	PutRow(ctx context.Context, name string, row any) error
	DeleteRow(ctx context.Context, name string, id int64) error
	// DeleteRows removes all rows that match, without reading them.
	DeleteRows(ctx context.Context, name string, where ...Where) error
	// Bulk adds many new rows, *T as for PutRow, which get their ids. It reads some of them
	// ahead; meanwhile nothing may search the table, nor change a row. It checks at the end
	// that they are unique.
	Bulk(ctx context.Context, name string, rows iter.Seq2[any, error]) error
	// Note records a change without a row in the audit log.
	Note(ctx context.Context, c *Change) error
}

// Where is one condition on a field; Op is one of = != < > <= >=, "in" or "has
// any". "in" takes an []int64 and matches a number in it; "has any" takes an
// []int64 and matches an IDs field that holds one of them. Of, Either, SeenBy and
// Limit return other conditions.
type Where struct {
	Field string
	Op    string
	Value any
}

// Of returns the condition that the row in a Refs field meets all of where.
func Of(field string, where ...Where) Where { return Where{Field: field, Op: OpOf, Value: where} }

// Either returns the condition that at least one of where is met.
func Either(where ...Where) Where { return Where{Op: OpEither, Value: where} }

// SeenBy returns the condition that the caller may do op with the row; a nil
// caller may do everything.
func SeenBy(who *Access, op Operation) Where { return Where{Op: OpSeenBy, Value: Seen{who, op}} }

// Deleted selects rows in the recycle bin instead of existing rows.
func Deleted() Where { return Where{Op: OpGone} }

// Seen is the value of SeenBy.
type Seen struct {
	Access *Access
	Op     Operation
}

// The operators of conditions that functions return.
const (
	OpOf     = "of"
	OpEither = "either"
	OpSeenBy = "seen by"
	OpGone   = "gone"
	OpLimit  = "limit"
)

// New returns an empty row.
func (r *Resource[T]) New() T {
	return reflect.New(reflect.TypeFor[T]().Elem()).Interface().(T)
}

// Get reads one row by id.
func Get[T any](ctx context.Context, from Reader, name Name[*T], id int64) (*T, error) {
	row := new(T)
	if err := from.GetRow(ctx, string(name), id, row); err != nil {
		return nil, err
	}
	return row, nil
}

// Lookup does the same as Get, but returns nil without an error if the row does
// not exist.
func Lookup[T any](ctx context.Context, from Reader, name Name[*T], id int64) (*T, error) {
	row, err := Get(ctx, from, name, id)
	if fault.Is(err, fault.Unknown) {
		return nil, nil
	}
	return row, err
}

// Find reads the rows that meet all conditions, by id.
func Find[T any](ctx context.Context, from Reader, name Name[*T], where ...Where) ([]T, error) {
	var rows []T
	err := from.FindRows(ctx, string(name), &rows, where...)
	return rows, err
}

// Limit limits a result to the n rows with the lowest ids.
func Limit(n int64) Where { return Where{Op: OpLimit, Value: n} }

// Put writes row unchanged; if its id is 0, the row is new and gets an id. The
// rules of the resource do not run; the caller, usually a rule, writes a valid
// row.
func Put[T any](ctx context.Context, tx Tx, name Name[*T], row *T) error {
	return tx.PutRow(ctx, string(name), row)
}

// Delete removes one row. The rules of the resource do not run.
func Delete[T any](ctx context.Context, tx Tx, name Name[*T], id int64) error {
	return tx.DeleteRow(ctx, string(name), id)
}

// DeleteAll removes the rows that meet all conditions. The rules of the
// resource do not run.
func DeleteAll[T any](ctx context.Context, tx Tx, name Name[*T], where ...Where) error {
	return tx.DeleteRows(ctx, string(name), where...)
}
