// Package postgres is the engine under package store for a PostgreSQL server: it
// connects, and has every statement of SQL in the dialect of PostgreSQL 15 or newer.
// The address of a database is a URL, postgres://user:password@host/database.
//
// # Same results as SQLite
//
// Texts have the collation "C", in which lower folds only A to Z and orders compare
// bytes. Numbers are bigint or double precision, booleans are 0 and 1. Conditions
// with other letters than A to Z become regular expressions that name each variant
// of a letter (see expression). A text that PostgreSQL cannot store, with NUL or
// invalid UTF-8, is refused as fault.Invalid.
//
// # Transactions
//
// The writer's transactions are serializable. A conflict with another program, or a
// deadlock, is engine.Again: the store repeats the transaction. PostgreSQL gives up
// a transaction at the first error, so an insert that a unique index may refuse does
// nothing instead of failing, and an update runs in a savepoint of its own. BEGIN,
// SAVEPOINT and RELEASE travel with the next statement, without a round trip of
// their own. A commit is durable as the server is configured (synchronous_commit).
//
// # Several processes
//
// Without Options.Alone, an advisory lock lets only one process write at a time. Each
// commit raises the versions of the tables that it changed, and notifies the others
// (LISTEN and NOTIFY). See shared.go.
//
// # Schema
//
// Numbered migrations and Writer.Define run under an advisory lock, so that two
// nodes may start at once.
//
// # Other databases
//
// Wire-compatible databases were not tried. They need advisory locks (CockroachDB
// has none that lock), expression and partial indexes, json_array_elements and the
// collation "C". A connection pooler must not hand out a connection for a single
// transaction: the writer's settings and locks belong to its session.
package postgres

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"spyglass/backend/fault"
	"spyglass/backend/store/engine"
)

// Engine implements engine.Engine.
type Engine struct{}

// Limits of time. Migrations have none.
const (
	connecting   = 5 * time.Second
	longestRead  = 6 * time.Minute // streams may take five
	longestWrite = time.Minute     // one statement
	longestIdle  = 8 * time.Second // within a transaction of the writer, so that a stopped node frees its locks
	oldest       = 15              // version of the server
)

// Name returns an address without its password and parameters, for messages.
func Name(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return "the database"
	}
	return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}).String()
}

// settings returns the settings of a connection.
func settings(c *pgconn.Config, timeout, idle time.Duration) {
	c.ConnectTimeout = connecting
	milliseconds := func(d time.Duration) string { return strconv.FormatInt(d.Milliseconds(), 10) }
	for name, value := range map[string]string{"application_name": "spyglass", "client_encoding": "UTF8",
		"statement_timeout": milliseconds(timeout), "idle_in_transaction_session_timeout": milliseconds(idle)} {
		if _, given := c.RuntimeParams[name]; !given {
			c.RuntimeParams[name] = value
		}
	}
	c.ValidateConnect = func(_ context.Context, conn *pgconn.PgConn) error { return fits(conn) }
}

// fits refuses a server that is too old, or has another encoding than UTF-8.
func fits(conn *pgconn.PgConn) error {
	version := conn.ParameterStatus("server_version")
	major, _, _ := strings.Cut(version, ".")
	if n, err := strconv.Atoi(strings.Fields(major + " ")[0]); err != nil || n < oldest {
		return fault.New(fault.Conflict, "the database server has version %s; Spyglass needs PostgreSQL %d or newer",
			version, oldest)
	}
	if encoding := conn.ParameterStatus("server_encoding"); encoding != "UTF8" {
		return fault.New(fault.Conflict, "the database has the encoding %s; create one with UTF8", encoding)
	}
	return nil
}

// Open implements engine.Engine. Its connections are those of the readers, which
// are opened when needed, and two of the writer.
func (Engine) Open(ctx context.Context, address string, o engine.Options) (engine.Database, error) {
	config, err := pgxpool.ParseConfig(address)
	if err != nil { // which may contain the password
		return nil, fault.New(fault.Conflict, "the address of the database cannot be read; it has the form "+
			"postgres://user:password@host/database")
	}
	if o.Beside != "" {
		if err := useBeside(ctx, config.ConnConfig, o.Beside, o.ReadOnly); err != nil {
			return nil, refused(err)
		}
	}
	w := &writer{config: config.ConnConfig.Copy(), alone: o.Alone, chunks: o.Chunks}
	if !o.Alone {
		w.token = rand.Text()
	}
	listener := config.ConnConfig.Copy()
	settings(&listener.Config, connecting, 0)
	settings(&w.config.Config, longestWrite, longestIdle)
	settings(&config.ConnConfig.Config, longestRead, 0)
	config.ConnConfig.RuntimeParams["default_transaction_read_only"] = "on"
	config.MinConns, config.MaxConns = 0, int32(o.Readers+o.Lasting)
	config.MaxConnIdleTime = idleReader
	w.reader.source = w
	if !o.ReadOnly {
		if err := w.connect(ctx); err != nil {
			return nil, refused(err)
		}
	}
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, errors.Join(refused(err), w.close())
	}
	if o.ReadOnly {
		if err := pool.Ping(ctx); err != nil {
			pool.Close()
			return nil, refused(known(err))
		}
	}
	d := &database{pool: pool, writer: w, chunks: o.Chunks, listener: listener}
	d.reader.source = readers{pool}
	return d, nil
}

// useBeside makes connections use a schema beside that of the address, and creates it
// unless it must exist: public_samples is beside public.
func useBeside(ctx context.Context, config *pgx.ConnConfig, name string, exists bool) error {
	conn, err := pgx.ConnectConfig(ctx, config.Copy())
	if err != nil {
		return known(err)
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	var schema string
	if err := conn.QueryRow(ctx, "SELECT current_schema()").Scan(&schema); err != nil {
		return known(err)
	}
	schema += "_" + name
	config.RuntimeParams["search_path"] = quote(schema)
	if exists {
		return nil
	}
	// both statements are one transaction, so that another node does not create it in between
	create := fmt.Sprintf("SELECT pg_advisory_xact_lock(%d, 0); CREATE SCHEMA IF NOT EXISTS %s", lockSchema,
		quote(schema))
	if _, err := conn.PgConn().Exec(ctx, create).ReadAll(); err != nil {
		return known(err)
	}
	return nil
}

// idleReader is the time after which an idle read connection is closed.
const idleReader = 20 * time.Second

// refused returns the error of a server that refused the connection, with its
// reason: the user has to change something.
func refused(err error) error {
	var own *fault.Error
	if errors.As(err, &own) && own.Kind != fault.Busy {
		return own
	}
	var reason *pgconn.PgError
	if errors.As(err, &reason) {
		return &fault.Error{Kind: fault.Conflict, Message: "the database refused the connection: " + reason.Message,
			Err: err}
	}
	return err
}

var (
	_ engine.Engine   = Engine{}
	_ engine.Database = (*database)(nil)
	_ engine.Writer   = (*writer)(nil)
)
