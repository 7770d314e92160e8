package sqlite

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"

	"spyglass/backend/resource"
	"spyglass/backend/store/engine"
)

// linkOf returns the table of a column that holds ids: one row for each id ("ref")
// of each row ("row") that is not deleted.
func linkOf(t *engine.Table, column string) string { return quote(t.Name + "." + column) }

// byRow returns the index of such a table on the rows.
func byRow(t *engine.Table, column string) string { return quote(t.Name + "." + column + " by row") }

// inOrder returns the name of the narrow index on the ids of existing rows.
func inOrder(t *engine.Table) string { return t.Name + " in order" }

// definition returns the definition of a column. It never allows NULL: a missing
// value is the zero value.
func definition(c engine.Column) string {
	switch c.Kind {
	case resource.KindText, resource.KindIDs:
		return quote(c.Name) + " TEXT NOT NULL DEFAULT ''"
	case resource.KindPairs:
		return quote(c.Name) + " TEXT NOT NULL DEFAULT '[]'"
	case resource.KindOther:
		return quote(c.Name) + " TEXT NOT NULL DEFAULT 'null'"
	case resource.KindNumber:
		return quote(c.Name) + " REAL NOT NULL DEFAULT 0"
	}
	return quote(c.Name) + " INTEGER NOT NULL DEFAULT 0"
}

func (w *writer) Define(ctx context.Context, t *engine.Table) error {
	table := quote(t.Name)
	var statements []string
	columns := []string{`"id" INTEGER PRIMARY KEY AUTOINCREMENT`}
	for _, c := range t.Columns {
		if c.Name != engine.ID {
			columns = append(columns, definition(c))
		}
		if c.Linked() {
			link := linkOf(t, c.Name)
			statements = append(statements, "CREATE TABLE IF NOT EXISTS "+link+
				` ("ref" INTEGER NOT NULL, "row" INTEGER NOT NULL, PRIMARY KEY ("ref", "row")) WITHOUT ROWID`,
				"CREATE INDEX IF NOT EXISTS "+byRow(t, c.Name)+" ON "+link+` ("row")`)
		}
	}
	columns = append(columns, `"body" BLOB NOT NULL DEFAULT ''`)
	if err := w.execAll(ctx, append(statements,
		"CREATE TABLE IF NOT EXISTS "+table+" ("+strings.Join(columns, ", ")+")")); err != nil {
		return err
	}
	have, err := column[string](w.QueryContext(ctx, "SELECT name FROM pragma_table_info(?)", t.Name))
	if err != nil {
		return err
	}
	statements = nil
	for _, c := range t.Columns {
		if !slices.Contains(have, c.Name) {
			statements = append(statements, "ALTER TABLE "+table+" ADD COLUMN "+definition(c))
		}
	}
	if err := w.dropIndexes(ctx, t); err != nil {
		return err
	}
	return w.execAll(ctx, append(statements, indexesOf(t)...))
}

// dropIndexes drops the indexes of a table, but not those of its links.
func (w *writer) dropIndexes(ctx context.Context, t *engine.Table) error {
	indexes, err := column[string](w.QueryContext(ctx, "SELECT name FROM sqlite_master WHERE type = 'index' AND "+
		"tbl_name = ? AND sql IS NOT NULL", t.Name))
	if err != nil {
		return err
	}
	var statements []string
	for _, name := range indexes {
		statements = append(statements, "DROP INDEX "+quote(name))
	}
	return w.execAll(ctx, statements)
}

// Unindex drops the indexes: it is faster to sort the keys of many rows once than to insert
// each into every index.
func (w *writer) Unindex(ctx context.Context, t *engine.Table) error {
	var statements []string
	for _, c := range t.Columns {
		if c.Linked() {
			statements = append(statements, "DROP INDEX "+byRow(t, c.Name))
		}
	}
	if err := w.execAll(ctx, statements); err != nil {
		return err
	}
	return w.dropIndexes(ctx, t)
}

// indexesOf returns the statements that create the indexes of a table.
func indexesOf(t *engine.Table) (statements []string) {
	table, live := quote(t.Name), ""
	if t.Soft != "" {
		soft := quote(t.Soft)
		live = " WHERE " + soft + " = 0"
		statements = []string{
			"CREATE INDEX " + quote(inOrder(t)) + " ON " + table + ` ("id")` + live,
			"CREATE INDEX " + quote(t.Name+" deleted") + " ON " + table + ` ("id") WHERE ` + soft + " > 0",
		}
	}
	for _, x := range t.Indexes {
		columns, create := make([]string, len(x.Columns), len(x.Columns)+1), "CREATE INDEX "
		for i, name := range x.Columns {
			if columns[i] = quote(name); !x.Exact {
				columns[i] += collation(t, name)
			}
		}
		if x.Unique {
			create = "CREATE UNIQUE INDEX "
		} else if !x.Exact {
			columns = append(columns, `"id"`)
		}
		statements = append(statements,
			create+quote(x.Name)+" ON "+table+" ("+strings.Join(columns, ", ")+")"+live)
	}
	return statements
}

// execAll runs statements that change the schema; they are not kept prepared.
func (w *writer) execAll(ctx context.Context, statements []string) error {
	for _, statement := range statements {
		if err := w.Exec(ctx, statement); err != nil {
			return err
		}
	}
	return nil
}

func (r reader) LastID(ctx context.Context, t *engine.Table) (int64, error) {
	last, err := column[int64](r.QueryContext(ctx, `SELECT "seq" FROM "sqlite_sequence" WHERE "name" = ?`, t.Name))
	if err != nil || len(last) == 0 {
		return 0, err
	}
	return last[0], nil
}

func (w *writer) SetLastID(ctx context.Context, t *engine.Table, last int64) error {
	n, err := w.run(ctx, newText(`UPDATE "sqlite_sequence" SET "seq" = max("seq", ?) WHERE "name" = ?`), last, t.Name)
	if err == nil && n == 0 && last > 0 {
		_, err = w.run(ctx, newText(`INSERT INTO "sqlite_sequence" ("name", "seq") VALUES (?, ?)`), t.Name, last)
	}
	return err
}

// Reserve returns all higher ids: there is no other Writer.
func (w *writer) Reserve(ctx context.Context, t *engine.Table, least int64) (first, limit int64, err error) {
	last, err := w.LastID(ctx, t)
	return max(last+1, least), math.MaxInt64, err
}

// Return does nothing: SQLite stores the highest id that a row has had.
func (w *writer) Return(context.Context, *engine.Table, int64, int64) error { return nil }

// The tables and columns of the metadata, by kind.
var metas = [...]struct{ table, name, value, key string }{
	engine.Identity: {`"_identity"`, `"name"`, `"value"`, `"name"`},
	engine.Shape:    {`"_shape"`, `"name"`, `"shape"`, `"name"`},
	engine.Fields:   {`"_field"`, `"table"`, `"field"`, `"table", "field"`},
}

// createMeta returns the statement that creates the table of a kind, unless it
// exists.
func createMeta(of engine.Meta) string {
	m := metas[of]
	return "CREATE TABLE IF NOT EXISTS " + m.table + " (" + m.name + " TEXT NOT NULL, " + m.value +
		" TEXT NOT NULL, PRIMARY KEY (" + m.key + ")) WITHOUT ROWID"
}

func (r reader) Meta(ctx context.Context, of engine.Meta, name string) ([]string, error) {
	m := metas[of]
	b := newText("SELECT ", m.value, " FROM ", m.table, " WHERE ", m.name, " = ? ORDER BY 1")
	defer b.free()
	b.args = append(b.args, name)
	return column[string](r.query(ctx, b, false))
}

func (r reader) AllMeta(ctx context.Context, of engine.Meta) (map[string][]string, error) {
	m := metas[of]
	found, err := r.QueryContext(ctx, "SELECT "+m.name+", "+m.value+" FROM "+m.table+" ORDER BY 1, 2")
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

// SetMeta uses a savepoint, which acts as a transaction outside of one.
func (w *writer) SetMeta(ctx context.Context, of engine.Meta, name string, values ...string) error {
	if err := w.Savepoint("meta"); err != nil {
		return err
	}
	m := metas[of]
	_, err := w.run(ctx, newText("DELETE FROM ", m.table, " WHERE ", m.name, " = ?"), name)
	for _, value := range values {
		if err == nil {
			_, err = w.run(ctx, newText("INSERT INTO ", m.table, " VALUES (?, ?)"), name, value)
		}
	}
	if err != nil {
		return errors.Join(err, w.RollbackTo("meta"), w.Release("meta"))
	}
	return w.Release("meta")
}
