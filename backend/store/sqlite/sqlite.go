// Package sqlite is the embedded engine under package store: it opens database
// files, and has every statement of SQL, every pragma, and the functions that
// Spyglass adds to SQLite. Package store decides what is read and written, when,
// and what of it is cached; this package only runs it on SQLite.
//
// # Names
//
// A parameter called table or link is a name as Quote returns it; name, field
// and column are names as they are declared. A where is a condition that this
// package made. Values are always arguments ("?") and never part of a text.
//
// # Durability
//
// A file runs in WAL mode with synchronous=FULL: a commit that has returned is
// on disk.
package sqlite

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"sync"
	"unicode"

	"modernc.org/sqlite" // SQLite translated to Go: no cgo, the same on every system
)

// registerFunctions adds fold(text) to SQLite, once a process: the driver keeps
// one list for all connections. fold makes texts equal that differ only in case;
// SQLite itself only folds A to Z.
var registerFunctions = sync.OnceValue(func() error {
	return sqlite.RegisterDeterministicScalarFunction("fold", 1,
		func(_ *sqlite.FunctionContext, args []driver.Value) (driver.Value, error) {
			if text, ok := args[0].(string); ok {
				return Fold(text), nil
			}
			return args[0], nil
		})
})

// Fold returns a text that is equal for texts that differ in case only.
func Fold(text string) string { return strings.Map(unicode.ToLower, strings.ToUpper(text)) }

// PageSize is a pragma for Writer and Reader: several chunks share a page, with
// little room lost at its end.
const PageSize = "page_size(16384)"

// Writer opens a file, or makes it, for transactions that write. first are
// pragmas that come before all others.
func Writer(path string, first ...string) (*sql.DB, error) {
	if err := registerFunctions(); err != nil {
		return nil, err
	}
	return sql.Open(driverName, dsn(path, "immediate", first...))
}

// Reader opens a file for queries alone.
func Reader(path string, first ...string) (*sql.DB, error) {
	if err := registerFunctions(); err != nil {
		return nil, err
	}
	return sql.Open(driverName, dsn(path, "deferred", first...)+"&_pragma=query_only(1)")
}

const driverName = "sqlite"

// dsn returns the data source name of a connection.
func dsn(path, lock string, first ...string) string {
	values := url.Values{"_txlock": {lock}}
	for _, pragma := range append(first,
		"busy_timeout(5000)", "journal_mode(WAL)", "synchronous(FULL)", "foreign_keys(ON)", "temp_store(MEMORY)",
		"cache_size(-8000)", "mmap_size(268435456)", "journal_size_limit(67108864)", "trusted_schema(OFF)",
	) {
		values.Add("_pragma", pragma)
	}
	return "file:" + (&url.URL{Path: path}).EscapedPath() + "?" + values.Encode()
}

// Queryer runs a query of one row: a connection or a pool of them.
type Queryer interface {
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// Format returns the number of the layout of a file; 0 for a new one.
func Format(ctx context.Context, q Queryer) (n int, err error) {
	err = q.QueryRowContext(ctx, "PRAGMA user_version").Scan(&n)
	return n, err
}

// SetFormat returns the statement that writes the number of the layout.
func SetFormat(n int) string { return fmt.Sprintf("PRAGMA user_version = %d", n) }

// Copy writes what a database holds at this moment to a new file. It may run
// while another process has the database open, and neither waits for the other.
func Copy(ctx context.Context, from, to string) error {
	pool, err := sql.Open(driverName, dsn(from, "deferred"))
	if err != nil {
		return err
	}
	_, err = pool.ExecContext(ctx, CopyInto(to))
	if ctx.Err() != nil {
		err = ctx.Err() // SQLite only says that it was interrupted
	}
	return errors.Join(err, pool.Close())
}

// CopyInto returns the statement that copies the open database to a new file.
func CopyInto(path string) string { return "VACUUM INTO " + quoteText(path) }

// Verify reads a whole database, even while another process has it open, and
// returns what is wrong with it; "" for nothing.
func Verify(ctx context.Context, path string) (findings string, err error) {
	pool, err := Reader(path)
	if err != nil {
		return "", err
	}
	findings, err = verdict(ctx, pool, "PRAGMA integrity_check(1)")
	if ctx.Err() != nil {
		err = ctx.Err() // SQLite only says that it was interrupted
	}
	return findings, errors.Join(err, pool.Close())
}

func verdict(ctx context.Context, q Queryer, pragma string) (findings string, err error) {
	err = q.QueryRowContext(ctx, pragma).Scan(&findings)
	if findings == "ok" {
		findings = ""
	}
	return findings, err
}

// Check reads a whole database that no process has open, and makes nothing
// beside it. It returns what is wrong with it, "" for nothing, the number of its
// layout, and whether it has tables of resources.
func Check(ctx context.Context, path string) (findings string, format int, tables bool, err error) {
	pool, err := sql.Open(driverName, "file:"+(&url.URL{Path: path}).EscapedPath()+"?mode=ro&immutable=1")
	if err != nil {
		return "", 0, false, err
	}
	findings, err = verdict(ctx, pool, "PRAGMA quick_check(1)")
	if err == nil && findings == "" {
		err = pool.QueryRowContext(ctx, `SELECT user_version, EXISTS (SELECT 1 FROM sqlite_master WHERE name = `+
			`'_shape') FROM pragma_user_version`).Scan(&format, &tables)
	}
	if err != nil {
		_ = pool.Close() // there is more to say
		return findings, format, tables, err
	}
	return findings, format, tables, pool.Close()
}

// SetIdentity writes what a file that no process has open says of itself.
func SetIdentity(ctx context.Context, path, name, value string) error {
	pool, err := sql.Open(driverName, "file:"+(&url.URL{Path: path}).EscapedPath()+
		"?_pragma=journal_mode(DELETE)&_pragma=synchronous(FULL)")
	if err != nil {
		return err
	}
	_, err = pool.ExecContext(ctx, CreateIdentity)
	if err == nil {
		_, err = pool.ExecContext(ctx, PutIdentity, name, value)
	}
	return errors.Join(err, pool.Close())
}
