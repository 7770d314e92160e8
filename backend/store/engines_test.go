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

// onServer makes every test run on PostgreSQL, see pgtest.Variable. Without
// it, the tests in shared_test.go run on a server, and the other tests of this package on
// database files, because a server would make a usual run too slow.
var onServer = os.Getenv(pgtest.Variable) != ""

func TestMain(m *testing.M) { os.Exit(pgtest.Main(m.Run)) }

// databases maps the paths of database files to the addresses of the server databases that replace
// them.
var databases = struct {
	sync.Mutex
	of map[string]string
}{of: map[string]string{}}

// options returns the options of a store with a separate database for each path.
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

// portals holds unused databases with the tables of a fixture and the initial rows of a
// portal. A test that changes no table leaves its database
// to the next test.
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

// prepared sets up the database at a path as such a portal. It returns false for files.
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

// nameOf returns the name that messages use for the database at a path.
func nameOf(path string) string {
	if onServer {
		return store.NameOf(options(path).Database)
	}
	return path
}

// aboutFiles skips a test on a server, because it tests database files, or changes them
// with SQLite statements.
func aboutFiles(t testing.TB) {
	t.Helper()
	if onServer {
		t.Skip("a server has no database files, and other statements of SQL")
	}
}
