package store

import (
	"context"
	"database/sql"
	"errors"
	"net/url"
	"os"

	"spyglass/backend/fault"
)

// Files copies and checks database files, of which no DB of this process need
// be open.
type Files struct{}

// Copy writes what a database holds at this moment to a new file. It may run
// while another process has the database open, and neither waits for the other.
func (Files) Copy(ctx context.Context, from, to string) error {
	if _, err := os.Stat(from); err != nil {
		return err // SQLite would make it
	}
	pool, err := sql.Open("sqlite", dsn(from, "deferred"))
	if err != nil {
		return err
	}
	_, err = pool.ExecContext(ctx, "VACUUM INTO "+quoteText(to))
	if ctx.Err() != nil {
		err = ctx.Err() // SQLite only says that it was interrupted
	}
	if err = errors.Join(err, pool.Close()); err != nil {
		return explain(from, err)
	}
	return os.Chmod(to, 0o600)
}

// Verify reads a whole database, even while another process has it open. It
// is fault.Conflict when the file is damaged; the cause has SQLite's findings.
func (Files) Verify(ctx context.Context, path string) error {
	if _, err := os.Stat(path); err != nil {
		return err // SQLite would make it
	}
	pool, err := sql.Open("sqlite", dsn(path, "deferred")+"&_pragma=query_only(1)")
	if err != nil {
		return err
	}
	var verdict string
	err = pool.QueryRowContext(ctx, "PRAGMA integrity_check(1)").Scan(&verdict)
	if ctx.Err() != nil {
		err = ctx.Err() // SQLite only says that it was interrupted
	}
	if err == nil && verdict != "ok" {
		err = &fault.Error{Kind: fault.Conflict, Message: path + " is damaged: " + advice, Err: errors.New(verdict)}
	}
	if err = errors.Join(err, pool.Close()); err != nil {
		return explain(path, err)
	}
	return nil
}

// advice is the advice in errors about a damaged file.
const advice = "stop Spyglass, keep a copy of the data folder, and restore a backup"

// Damaged reports whether err says that a database file is damaged.
func Damaged(err error) bool {
	c := code(err) & 0xff
	return c == codeCorrupt || c == codeNotADB
}

// Check reads a whole database that no process has open, of this package's
// or of Chunks', and returns the number of its layout. It is fault.Conflict
// when the file is damaged or from a newer version.
func (Files) Check(ctx context.Context, path string) (layout int, err error) {
	// immutable: nothing is made beside the file
	pool, err := sql.Open("sqlite", "file:"+(&url.URL{Path: path}).EscapedPath()+"?mode=ro&immutable=1")
	if err != nil {
		return 0, err
	}
	defer func() {
		if err = explain(path, err); err == nil {
			err = pool.Close()
		} else {
			_ = pool.Close() // there is more to say
		}
	}()
	var verdict string
	if err := pool.QueryRowContext(ctx, "PRAGMA quick_check(1)").Scan(&verdict); err != nil {
		return 0, err
	}
	if verdict != "ok" {
		return 0, &fault.Error{Kind: fault.Conflict, Message: path + " is damaged", Err: errors.New(verdict)}
	}
	var rows bool
	err = pool.QueryRowContext(ctx, `SELECT user_version, EXISTS (SELECT 1 FROM sqlite_master WHERE name = '_shape') `+
		`FROM pragma_user_version`).Scan(&layout, &rows)
	newest := chunkFormat
	if rows {
		newest = format
	}
	if err == nil && layout > newest {
		err = fault.New(fault.Conflict, "%s was written by a newer version of Spyglass (format %d, this one knows %d)",
			path, layout, newest)
	}
	return layout, err
}
