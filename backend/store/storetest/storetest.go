// Package storetest opens stores for the tests of other packages, and fills them.
// What fails ends the test.
package storetest

import (
	"os"
	"path/filepath"
	"testing"

	"spyglass/backend/resource"
	"spyglass/backend/store"
	"spyglass/backend/store/postgres/pgtest"
)

// Open opens a store that closes when the test ends: in a new folder unless o has a
// path, and running each write twice except in benchmarks.
func Open(t testing.TB, o store.Options) *store.DB {
	t.Helper()
	_, bench := t.(*testing.B)
	o.Twice = !bench
	return OpenOnce(t, o)
}

// OpenOnce opens a store as Open does, but runs each write once unless o says
// otherwise. It is for tests of many writes whose code other tests run twice.
func OpenOnce(t testing.TB, o store.Options) *store.DB {
	t.Helper()
	if o.Path == "" {
		o.Path = filepath.Join(t.TempDir(), "portal.db")
		o.Database = Database(t)
	}
	db, err := store.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return db
}

// Database returns the address of a new database if tests run on a server (see
// pgtest.Variable); "" if they run on database files.
func Database(t testing.TB) string {
	t.Helper()
	if os.Getenv(pgtest.Variable) == "" {
		return ""
	}
	return pgtest.Database(t)
}

// Add adds the table of a resource, and returns its endpoints.
func Add[T any](t testing.TB, db *store.DB, r *resource.Resource[*T]) []resource.Endpoint {
	t.Helper()
	table, err := store.Add(db, r)
	if err != nil {
		t.Fatal(err)
	}
	return table.Endpoints()
}

// Put writes rows in one transaction.
func Put[T any](t testing.TB, db *store.DB, name resource.Name[*T], rows ...T) {
	t.Helper()
	Write(t, db, func(tx resource.Tx) error {
		for _, row := range rows { // a copy: the write may run twice
			if err := resource.Put(t.Context(), tx, name, &row); err != nil {
				return err
			}
		}
		return nil
	})
}

// Write runs a transaction.
func Write(t testing.TB, db *store.DB, do func(tx resource.Tx) error) {
	t.Helper()
	if err := db.Write(t.Context(), do); err != nil {
		t.Fatal(err)
	}
}
