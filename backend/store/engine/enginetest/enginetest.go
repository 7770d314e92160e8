// Package enginetest has the tests that every implementation of package engine
// passes. An engine runs them in a test of its own, with a function that returns
// the address of a new database:
//
//	func TestEngine(t *testing.T) { enginetest.Run(t, postgres.Engine{}, pgtest.Database) }
package enginetest

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"spyglass/backend/resource"
	"spyglass/backend/store/engine"
)

// Run runs the tests of any engine. Each has a database of its own.
func Run(t *testing.T, e engine.Engine, address func(testing.TB) string) {
	for _, group := range []map[string]func(*database){schema, rows, queries, transactions} {
		for name, test := range group {
			t.Run(name, func(t *testing.T) {
				test(open(t, e, address(t), engine.Options{Readers: 2, Lasting: 1}))
			})
		}
	}
	t.Run("chunks are found by id and in order", func(t *testing.T) {
		findChunks(open(t, e, address(t), engine.Options{Readers: 2, Lasting: 1, Chunks: true}))
	})
}

// RunFiles runs the tests of an engine of files.
func RunFiles(t *testing.T, e engine.Files) {
	for name, test := range files {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "test.db")
			test(open(t, e, path, engine.Options{Readers: 2, Lasting: 1}), e, path)
		})
	}
}

// database is a new database of a test, which fails when a call does.
type database struct {
	*testing.T
	engine engine.Engine
	engine.Database
	w engine.Writer
}

func open(t *testing.T, e engine.Engine, address string, o engine.Options) *database {
	t.Helper()
	base, err := e.Open(t.Context(), address, o)
	if err != nil {
		t.Fatal(err)
	}
	db := &database{t, e, base, base.Writer()}
	t.Cleanup(func() { db.check(base.Close()) })
	return db
}

func (db *database) check(err error) {
	db.Helper()
	if err != nil {
		db.Fatal(err)
	}
}

// is fails the test unless got, as text, equals want.
func (db *database) is(what string, got any, want string) {
	db.Helper()
	if text := fmt.Sprint(got); text != want {
		db.Errorf("%s: got %s, want %s", what, text, want)
	}
}

// class fails the test unless an error has a class.
func (db *database) class(what string, err error, want engine.Class) {
	db.Helper()
	if got := db.engine.Class(err); got != want {
		db.Errorf("%s: the class of %v is %d, want %d", what, err, got, want)
	}
}

// prepare creates the metadata and the table of things.
func (db *database) prepare() {
	db.Helper()
	db.check(db.w.Prepare(db.Context(), 1))
	db.check(db.w.Define(db.Context(), things))
}

// things is a table with a column of each kind.
var things = &engine.Table{Name: "thing", Soft: "deletedOn", Columns: []engine.Column{
	{Name: "id", Kind: resource.KindInteger},
	{Name: "name", Kind: resource.KindText},
	{Name: "size", Kind: resource.KindInteger},
	{Name: "load", Kind: resource.KindNumber},
	{Name: "on", Kind: resource.KindBoolean},
	{Name: "at", Kind: resource.KindSeconds},
	{Name: "groups", Kind: resource.KindIDs},
	{Name: "props", Kind: resource.KindPairs},
	{Name: "info", Kind: resource.KindOther},
	{Name: "deletedOn", Kind: resource.KindMillis},
}, Indexes: []engine.Index{
	{Name: "thing by size", Columns: []string{"size"}},
	{Name: "thing counted", Columns: []string{"on", "name"}, Exact: true},
}}

// thing is a row of things, in the order of its columns.
type thing struct {
	id          int64
	name        string
	size        int64
	load        float64
	on          bool
	at          int64
	groups      resource.IDs
	props, info string
	deletedOn   int64
}

func (x thing) values() []any {
	return []any{x.id, x.name, x.size, x.load, x.on, x.at, x.groups.String(), x.props, x.info, x.deletedOn,
		[]byte("{" + x.name + "}")}
}

func (db *database) insert(all ...thing) {
	db.Helper()
	for _, x := range all {
		db.check(db.w.Insert(db.Context(), things, x.values()))
		if x.deletedOn == 0 {
			db.check(db.w.Link(db.Context(), things, "groups", engine.Links(x.id, x.groups)...))
		}
	}
}

// read returns the columns of the rows that a query finds, "1 Alpha; 2 beta".
func read(db *database, r engine.Reader, q engine.Select) string {
	db.Helper()
	if q.Table == nil {
		q.Table = things
	}
	if q.Columns == nil {
		q.Columns = []string{engine.ID}
	}
	found, err := r.Select(db.Context(), q)
	db.check(err)
	columns := len(q.Columns)
	if q.Counted {
		columns++
	}
	return text(db, found, columns)
}

// tally returns the results of a Tally.
func tally(db *database, q engine.Tally) string {
	db.Helper()
	q.Table = things
	found, err := db.Tally(db.Context(), q)
	db.check(err)
	return text(db, found, len(q.By)+1)
}

func text(db *database, found engine.Rows, columns int) string {
	db.Helper()
	var lines []string
	for found.Next() {
		values, dest := make([]any, columns), make([]any, columns)
		for i := range dest {
			dest[i] = &values[i]
		}
		db.check(found.Scan(dest...))
		parts := make([]string, columns)
		for i, value := range values {
			if raw, ok := value.([]byte); ok {
				value = string(raw)
			}
			parts[i] = fmt.Sprint(value)
		}
		lines = append(lines, strings.Join(parts, " "))
	}
	db.check(found.Err())
	db.check(found.Close())
	return strings.Join(lines, "; ")
}
