package store_test

import (
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"spyglass/backend/store"
	"spyglass/backend/store/postgres/pgtest"
)

// onServer means that every test runs on PostgreSQL, see pgtest.Variable. Without
// it, the tests of this package run on database files, and those in
// shared_test.go on a server: the others take longer there than a usual run should.
var onServer = os.Getenv(pgtest.Variable) != ""

func TestMain(m *testing.M) { os.Exit(pgtest.Main(m.Run)) }

// databases are the addresses of the databases that take the place of files, by
// path.
var databases = struct {
	sync.Mutex
	of map[string]string
}{of: map[string]string{}}

// options are those of a store with a database of its own, as if at that path.
func options(path string) store.Options {
	if !onServer {
		return store.Options{Path: path}
	}
	databases.Lock()
	defer databases.Unlock()
	if databases.of[path] == "" {
		address, err := pgtest.New()
		if err != nil {
			panic(err)
		}
		databases.of[path] = address
	}
	return store.Options{Path: path, Database: databases.of[path]}
}

// portals are databases with the tables of a fixture, and with what every portal
// begins with, which no test uses now. A test that changes no table leaves its
// database to the next one.
var portals []portalOnServer

type portalOnServer struct {
	address string
	kept    pgtest.Kept
}

func newPortal() (p portalOnServer, err error) {
	folder, err := os.MkdirTemp("", "portal")
	if err != nil {
		return p, err
	}
	defer os.RemoveAll(folder)
	path := filepath.Join(folder, "portal.db")
	p.address = options(path).Database
	db, _, err := tables(path, false)
	if err != nil {
		return p, err
	}
	if err := errors.Join(seed(db), db.Close()); err != nil {
		return p, err
	}
	p.kept, err = pgtest.Keep(p.address)
	return p, err
}

// prepared makes the database at a path such a portal; false on files.
func prepared(t testing.TB, path string) bool {
	t.Helper()
	if !onServer {
		return false
	}
	var p portalOnServer
	if last := len(portals) - 1; last >= 0 {
		p, portals = portals[last], portals[:last]
	} else {
		var err error
		if p, err = newPortal(); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() {
		same, err := pgtest.Restore(p.address, p.kept)
		if err != nil {
			t.Error(err)
		} else if same {
			portals = append(portals, p)
		}
	})
	databases.Lock()
	defer databases.Unlock()
	databases.of[path] = p.address
	return true
}

// nameOf returns the name of the database at a path in messages.
func nameOf(path string) string {
	if onServer {
		return store.NameOf(options(path).Database)
	}
	return path
}

// aboutFiles skips a test on a server: it tests database files, or changes them
// with statements of SQLite.
func aboutFiles(t testing.TB) {
	t.Helper()
	if onServer {
		t.Skip("a server has no database files, and other statements of SQL")
	}
}
