// Package sqlite is the embedded engine under package store: it opens database
// files, and has every statement of SQL, every pragma, and the functions that
// Spyglass adds to SQLite.
//
// # Statements
//
// Names are always quoted, and values are always arguments ("?"): neither is ever
// part of a text as it came. A type text collects a statement and its arguments.
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
	"net/url"
	"sync"

	"modernc.org/sqlite" // SQLite translated to Go: no cgo, the same on every system

	"spyglass/backend/store/engine"
)

// Engine implements engine.Files.
type Engine struct{}

// fold compares texts with letters beyond ASCII: SQLite itself folds only A to Z.
var registerFunctions = sync.OnceValue(func() error {
	return sqlite.RegisterDeterministicScalarFunction("fold", 1,
		func(_ *sqlite.FunctionContext, args []driver.Value) (driver.Value, error) {
			if text, ok := args[0].(string); ok {
				return engine.Fold(text), nil
			}
			return args[0], nil
		})
})

const driverName = "sqlite"

// open opens a file. lock is the mode in which its transactions begin; first and
// last are pragmas before and after all others, "" for none.
func open(path, lock, first, last string) (*sql.DB, error) {
	if err := registerFunctions(); err != nil {
		return nil, err
	}
	values := url.Values{"_txlock": {lock}}
	// mmap_size is the most that SQLite allows: it reads what is beyond with a system call
	// for each page, and a million devices take 1.3 GB. The cache of each connection is
	// SQLite's usual 2 MB: pages that are mapped need none, and larger ones stay in memory.
	for _, pragma := range []string{first,
		"busy_timeout(5000)", "journal_mode(WAL)", "synchronous(FULL)", "foreign_keys(ON)", "temp_store(MEMORY)",
		"mmap_size(2147418112)", "journal_size_limit(67108864)", "trusted_schema(OFF)", last,
	} {
		if pragma != "" {
			values.Add("_pragma", pragma)
		}
	}
	return sql.Open(driverName, fileURL(path)+"?"+values.Encode())
}

// readOnly is the last pragma of a connection that only reads.
const readOnly = "query_only(1)"

func fileURL(path string) string { return "file:" + (&url.URL{Path: path}).EscapedPath() }

// Copy implements engine.Files.
func (Engine) Copy(ctx context.Context, from, to string) error {
	pool, err := open(from, "deferred", "", "")
	if err != nil {
		return err
	}
	_, err = pool.ExecContext(ctx, "VACUUM INTO "+quoteText(to))
	if ctx.Err() != nil {
		err = ctx.Err() // SQLite only says that it was interrupted
	}
	return errors.Join(err, pool.Close())
}

// Verify implements engine.Files.
func (Engine) Verify(ctx context.Context, path string) (findings string, err error) {
	pool, err := open(path, "deferred", "", readOnly)
	if err != nil {
		return "", err
	}
	findings, err = verdict(ctx, pool, "PRAGMA integrity_check(1)")
	if ctx.Err() != nil {
		err = ctx.Err() // SQLite only says that it was interrupted
	}
	return findings, errors.Join(err, pool.Close())
}

func verdict(ctx context.Context, pool *sql.DB, pragma string) (findings string, err error) {
	err = pool.QueryRowContext(ctx, pragma).Scan(&findings)
	if findings == "ok" {
		findings = ""
	}
	return findings, err
}

// Check implements engine.Files.
func (Engine) Check(ctx context.Context, path string) (findings string, layout engine.Layout, err error) {
	pool, err := sql.Open(driverName, fileURL(path)+"?mode=ro&immutable=1")
	if err != nil {
		return "", layout, err
	}
	findings, err = verdict(ctx, pool, "PRAGMA quick_check(1)")
	if err == nil && findings == "" {
		layout, err = layoutOf(ctx, pool)
	}
	if err != nil {
		_ = pool.Close() // the other error says more
		return findings, layout, err
	}
	return findings, layout, pool.Close()
}

// layoutOf reads the layout of a file, without its spaces.
func layoutOf(ctx context.Context, pool *sql.DB) (layout engine.Layout, err error) {
	err = pool.QueryRowContext(ctx, `SELECT user_version, EXISTS (SELECT 1 FROM sqlite_master WHERE name = `+
		`'_shape') FROM pragma_user_version`).Scan(&layout.Format, &layout.Tables)
	return layout, err
}

// SetIdentity implements engine.Files.
func (Engine) SetIdentity(ctx context.Context, path, name, value string) error {
	pool, err := sql.Open(driverName, fileURL(path)+"?_pragma=journal_mode(DELETE)&_pragma=synchronous(FULL)")
	if err != nil {
		return err
	}
	_, err = pool.ExecContext(ctx, createMeta(engine.Identity))
	if err == nil {
		_, err = pool.ExecContext(ctx, `INSERT INTO "_identity" VALUES (?, ?) ON CONFLICT DO UPDATE SET `+
			`"value" = excluded."value"`, name, value)
	}
	return errors.Join(err, pool.Close())
}
