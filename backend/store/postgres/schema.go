package postgres

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"spyglass/backend/fault"
	"spyglass/backend/resource"
	"spyglass/backend/store/engine"
)

// migrations are the layouts of the engine's own tables, in order. Never change
// one that was released: add another.
var migrations = []string{
	`CREATE TABLE "_layout" ("format" BIGINT NOT NULL);
	CREATE TABLE "_identity" ("name" TEXT COLLATE "C" NOT NULL, "value" TEXT COLLATE "C" NOT NULL,
		PRIMARY KEY ("name"));
	CREATE TABLE "_id" ("table" TEXT COLLATE "C" NOT NULL, "last" BIGINT NOT NULL, PRIMARY KEY ("table"))`,
	`CREATE TABLE "_version" ("table" TEXT COLLATE "C" NOT NULL, "number" BIGINT NOT NULL, PRIMARY KEY ("table"))`,
}

// tables creates the metadata of a database that has tables.
const tables = `CREATE TABLE IF NOT EXISTS "_shape" ("name" TEXT COLLATE "C" NOT NULL,
		"shape" TEXT COLLATE "C" NOT NULL, PRIMARY KEY ("name"));
	CREATE TABLE IF NOT EXISTS "_field" ("table" TEXT COLLATE "C" NOT NULL, "field" TEXT COLLATE "C" NOT NULL,
		PRIMARY KEY ("table", "field"))`

// linkOf returns the table of a column that holds ids: one row for each id ("ref")
// of each row ("row") that is not deleted.
func linkOf(t *engine.Table, column string) string { return quote(t.Name + "." + column) }

// definition returns the definition of a column. It never allows NULL: a missing
// value is the zero value.
func definition(c engine.Column) string {
	name := quote(c.Name)
	if c.Bytes {
		return name + " BYTEA NOT NULL DEFAULT ''"
	}
	switch c.Kind {
	case resource.KindText, resource.KindIDs:
		return name + ` TEXT COLLATE "C" NOT NULL DEFAULT ''`
	case resource.KindPairs:
		return name + ` TEXT COLLATE "C" NOT NULL DEFAULT '[]'`
	case resource.KindOther:
		return name + ` TEXT COLLATE "C" NOT NULL DEFAULT 'null'`
	case resource.KindNumber:
		return name + " DOUBLE PRECISION NOT NULL DEFAULT 0"
	default:
		return name + " BIGINT NOT NULL DEFAULT 0"
	}
}

// Exec runs statements of SQL, one after the other.
func (w *writer) Exec(ctx context.Context, statements string) error {
	return w.execAll(ctx, statements)
}

// execAll runs statements that change the schema, in one round trip. They take as
// long as they take.
func (w *writer) execAll(ctx context.Context, statements ...string) error {
	if w.broken != nil {
		return w.broken
	}
	ctx = context.WithoutCancel(ctx)
	if err := w.ready(ctx); err != nil {
		return w.failed(err)
	}
	if err := w.flush(ctx); err != nil {
		return err
	}
	all := append(w.markers(), statements...)
	w.pending, w.sent = nil, w.active
	if _, err := w.conn.PgConn().Exec(ctx, strings.Join(all, ";\n")).ReadAll(); err != nil {
		return w.failed(err)
	}
	return nil
}

// unlimited are the settings of a transaction that changes the schema, which no
// other does at the same time.
func unlimited() []string {
	return []string{"SET LOCAL statement_timeout = 0", fmt.Sprintf("SELECT pg_advisory_xact_lock(%d)", lockSchema)}
}

// Prepare implements engine.Writer. Each migration runs in the one transaction.
func (w *writer) Prepare(ctx context.Context, format int, spaces ...string) error {
	key := fmt.Sprintf("(%d)", lockSchema)
	// in the order in which Define locks them, and before the transaction, which then sees the other's
	if err := w.execAll(ctx, lock, "SELECT pg_advisory_lock"+key,
		`CREATE TABLE IF NOT EXISTS "_migration" ("number" BIGINT NOT NULL, PRIMARY KEY ("number"))`); err != nil {
		return err
	}
	err := w.whole(func() error { return w.migrate(ctx, format, spaces) })
	return errors.Join(err, w.execAll(ctx, "SELECT pg_advisory_unlock"+key, unlock))
}

func (w *writer) migrate(ctx context.Context, format int, spaces []string) error {
	done, err := column[int](w.send(ctx, newText(`SELECT coalesce(max("number"), 0) FROM "_migration"`), true, false))
	if err != nil {
		return err
	}
	if done[0] > len(migrations) {
		return fault.New(fault.Conflict, "the database %s was written by a newer version of Spyglass (schema %d, this "+
			"one knows %d); start that version", w.config.Database, done[0], len(migrations))
	}
	var statements []string
	for i := done[0]; i < len(migrations); i++ {
		statements = append(statements, migrations[i], fmt.Sprintf(`INSERT INTO "_migration" VALUES (%d)`, i+1))
	}
	if !w.chunks {
		statements = append(statements, tables)
	}
	for _, space := range spaces { // chunks are compressed already
		statements = append(statements, "CREATE TABLE IF NOT EXISTS "+quote(space)+
			` ("id" BIGINT PRIMARY KEY, "data" BYTEA NOT NULL)`,
			"ALTER TABLE "+quote(space)+` ALTER COLUMN "data" SET STORAGE EXTERNAL`)
	}
	if len(statements) > 0 {
		if err := w.execAll(ctx, statements...); err != nil {
			return err
		}
	}
	return w.execAll(ctx, `DELETE FROM "_layout"`, fmt.Sprintf(`INSERT INTO "_layout" VALUES (%d)`, format))
}

func (w *writer) Define(ctx context.Context, t *engine.Table) error {
	return w.whole(func() error { return w.define(ctx, t) })
}

// Unindex does nothing: dropping an index would lock the table for other nodes.
func (w *writer) Unindex(context.Context, *engine.Table) error { return nil }

func (w *writer) define(ctx context.Context, t *engine.Table) error {
	table := quote(t.Name)
	statements := append(unlimited(), "CREATE TABLE IF NOT EXISTS "+table+
		` ("id" BIGINT PRIMARY KEY, "body" BYTEA NOT NULL DEFAULT '')`)
	for _, c := range t.Columns {
		if c.Name != engine.ID {
			statements = append(statements, "ALTER TABLE "+table+" ADD COLUMN IF NOT EXISTS "+definition(c))
		}
		if c.Linked() {
			link := linkOf(t, c.Name)
			statements = append(statements, "CREATE TABLE IF NOT EXISTS "+link+
				` ("ref" BIGINT NOT NULL, "row" BIGINT NOT NULL, PRIMARY KEY ("ref", "row"))`,
				index(t.Name+"."+c.Name+" by row", false, " ON "+link+` ("row")`).create)
		}
	}
	if err := w.execAll(ctx, statements...); err != nil {
		return err
	}
	b := newText(`SELECT c.relname FROM pg_catalog.pg_index x JOIN pg_catalog.pg_class c ON c.oid = x.indexrelid ` +
		`WHERE NOT x.indisprimary AND x.indrelid = to_regclass(`)
	b.arg(table)
	b.add("::text)")
	have, err := column[string](w.send(ctx, b, true, false))
	if err != nil {
		return err
	}
	statements = nil
	want := indexesOf(t)
	for _, name := range have {
		if !slices.ContainsFunc(want, func(x definedIndex) bool { return x.name == name }) {
			statements = append(statements, "DROP INDEX IF EXISTS "+quote(name))
		}
	}
	for _, x := range want {
		if !slices.Contains(have, x.name) {
			statements = append(statements, x.create)
		}
	}
	if len(statements) == 0 {
		return nil
	}
	return w.execAll(ctx, statements...)
}

// definedIndex is an index whose name changes with its definition.
type definedIndex struct{ name, create string }

// longestName is that of an index, with its digest; PostgreSQL allows 63 bytes.
const longestName = 46

func index(name string, unique bool, definition string) definedIndex {
	sum := sha256.Sum256(fmt.Append(nil, name, unique, definition))
	if len(name) > longestName {
		name = strings.ToValidUTF8(name[:longestName], "")
	}
	name += " " + hex.EncodeToString(sum[:8])
	create := "CREATE INDEX IF NOT EXISTS "
	if unique {
		create = "CREATE UNIQUE INDEX IF NOT EXISTS "
	}
	return definedIndex{name, create + quote(name) + definition}
}

// indexesOf returns the indexes of a table.
func indexesOf(t *engine.Table) (all []definedIndex) {
	table, live := quote(t.Name), ""
	if t.Soft != "" {
		soft := quote(t.Soft)
		live = " WHERE " + soft + " = 0"
		all = []definedIndex{
			index(t.Name+" in order", false, " ON "+table+` ("id")`+live),
			index(t.Name+" deleted", false, " ON "+table+` ("id") WHERE `+soft+" > 0"),
		}
	}
	for _, x := range t.Indexes {
		b := newText(" ON ", table, " (")
		for i, name := range x.Columns {
			if i > 0 {
				b.add(", ")
			}
			if x.Exact {
				b.name(name)
			} else {
				b.key(t, name)
			}
		}
		if !x.Unique && !x.Exact {
			b.add(`, "id"`)
		}
		b.add(")", live)
		all = append(all, index(x.Name, x.Unique, string(b.sql)))
	}
	return all
}

// LastID returns the last id that was reserved.
func (r reader) LastID(ctx context.Context, t *engine.Table) (int64, error) {
	b := newText(`SELECT greatest((SELECT max("id") FROM `, quote(t.Name),
		`), (SELECT "last" FROM "_id" WHERE "table" = `)
	b.arg(t.Name)
	b.add("), 0)")
	last, err := column[int64](r.query(ctx, b, false))
	if err != nil {
		return 0, err
	}
	return last[0], nil
}

func (w *writer) SetLastID(ctx context.Context, t *engine.Table, last int64) error {
	return w.aside(ctx, func(ctx context.Context, conn *pgx.Conn) error {
		_, err := conn.Exec(ctx, `INSERT INTO "_id" VALUES ($1, $2) ON CONFLICT ("table") `+
			`DO UPDATE SET "last" = greatest("_id"."last", $2)`, t.Name, last)
		return err
	})
}

// block is the number of ids that a writer reserves at a time.
const block = 64

// Reserve runs on a connection of its own, and waits for no transaction.
func (w *writer) Reserve(ctx context.Context, t *engine.Table, least int64) (first, limit int64, err error) {
	var last int64
	err = w.aside(ctx, func(ctx context.Context, conn *pgx.Conn) error {
		return conn.QueryRow(ctx, `INSERT INTO "_id" VALUES ($1, $2::bigint + $3) ON CONFLICT ("table") `+
			`DO UPDATE SET "last" = greatest("_id"."last", $2) + $3 RETURNING "last"`,
			t.Name, least-1, int64(block)).Scan(&last)
	})
	return last - block + 1, last + 1, err
}

func (w *writer) Return(ctx context.Context, t *engine.Table, first, limit int64) error {
	return w.aside(ctx, func(ctx context.Context, conn *pgx.Conn) error {
		_, err := conn.Exec(ctx, `UPDATE "_id" SET "last" = $2::bigint - 1 `+
			`WHERE "table" = $1 AND "last" = $3::bigint - 1`, t.Name, first, limit)
		return err
	})
}

// aside runs do on the second connection.
func (w *writer) aside(ctx context.Context, do func(ctx context.Context, conn *pgx.Conn) error) (err error) {
	ctx = context.WithoutCancel(ctx)
	if w.side == nil || w.side.IsClosed() {
		if w.side, err = w.open(ctx); err != nil {
			return err
		}
		// a row with a reserved id is durable only together with the reservation before it
		if _, err := w.side.Exec(ctx, "SET synchronous_commit = off"); err != nil {
			return known(errors.Join(err, w.side.Close(ctx)))
		}
	}
	return known(do(ctx, w.side))
}

// The tables and columns of the metadata, by kind.
var metas = [...]struct{ table, name, value string }{
	engine.Identity: {`"_identity"`, `"name"`, `"value"`},
	engine.Shape:    {`"_shape"`, `"name"`, `"shape"`},
	engine.Fields:   {`"_field"`, `"table"`, `"field"`},
}

func (r reader) Meta(ctx context.Context, of engine.Meta, name string) ([]string, error) {
	m := metas[of]
	b := newText("SELECT ", m.value, " FROM ", m.table, " WHERE ", m.name, " = ")
	b.arg(name)
	b.add(" ORDER BY 1")
	return column[string](r.query(ctx, b, false))
}

func (r reader) AllMeta(ctx context.Context, of engine.Meta) (map[string][]string, error) {
	m := metas[of]
	found, err := r.query(ctx, newText("SELECT ", m.name, ", ", m.value, " FROM ", m.table, " ORDER BY 1, 2"), false)
	if err != nil {
		return nil, err
	}
	defer found.Close()
	all := map[string][]string{}
	for found.Next() {
		var name, value string
		if err := found.Scan(&name, &value); err != nil {
			return nil, err
		}
		all[name] = append(all[name], value)
	}
	return all, found.Err()
}

func (w *writer) SetMeta(ctx context.Context, of engine.Meta, name string, values ...string) error {
	m := metas[of]
	return w.whole(func() error {
		b := newText("DELETE FROM ", m.table, " WHERE ", m.name, " = ")
		b.arg(name)
		if _, err := w.run(ctx, b, false); err != nil || len(values) == 0 {
			return err
		}
		b = newText("INSERT INTO ", m.table, " SELECT ")
		b.arg(name)
		b.add("::text, unnest(")
		b.arg(values)
		b.add("::text[])")
		_, err := w.run(ctx, b, false)
		return err
	})
}
