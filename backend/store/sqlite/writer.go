package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"

	"spyglass/backend/store/engine"
)

// writer implements engine.Writer on one connection.
type writer struct {
	reader
	pool   *sql.DB // holds only conn
	conn   *sql.Conn
	stmts  statements
	chunks bool
	tables map[*engine.Table]*changes

	defers  bool      // see Defer
	fresh   int       // rows inserted since the last statement about the transaction
	waiting []waiting // rows to insert, by table
	waits   int       // how many there are
	broken  error     // why the transaction can only be rolled back: a deferred insert was refused
}

// waiting are rows of a table that wait to be inserted in one statement.
type waiting struct {
	table *engine.Table
	rows  [][]any
}

// A transaction that inserts many rows defers all but the first few, so that a write of
// one row knows its error at once.
const (
	atOnce      = 8
	mostWaiting = 512
)

// Defer implements engine.Deferring.
func (w *writer) Defer() { w.defers = true }

// later defers the insert of a row, and reports whether it does.
func (w *writer) later(ctx context.Context, t *engine.Table, row []any) (bool, error) {
	if w.fresh++; !w.defers || w.fresh <= atOnce {
		return false, nil
	}
	i := slices.IndexFunc(w.waiting, func(have waiting) bool { return have.table == t })
	if i < 0 {
		i, w.waiting = len(w.waiting), append(w.waiting, waiting{table: t})
	}
	w.waiting[i].rows = append(w.waiting[i].rows, row)
	if w.waits++; w.waits < mostWaiting {
		return true, nil
	}
	return true, w.flush(ctx)
}

// flush inserts the waiting rows.
func (w *writer) flush(ctx context.Context) error {
	all := w.waiting
	w.forget()
	for _, some := range all {
		if err := w.insert(ctx, some.table, some.rows); err != nil {
			w.broken = engine.Late{Err: err}
			break
		}
	}
	return w.broken
}

// forget gives up the waiting rows.
func (w *writer) forget() { w.waiting, w.waits = nil, 0 }

// changes holds the beginnings of the statements that change a table and its link
// tables.
type changes struct {
	insert, row, update string
	links               []string
}

func (w *writer) close() error {
	w.stmts.close()
	err := w.conn.Close()
	if errors.Is(err, sql.ErrConnDone) { // it is closed already
		err = nil
	}
	return errors.Join(err, w.pool.Close())
}

func (w *writer) prepared(ctx context.Context, query []byte) (*sql.Stmt, error) {
	if err := w.flush(ctx); err != nil {
		return nil, err
	}
	return w.stmts.get(ctx, query)
}

func (w *writer) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	if err := w.flush(ctx); err != nil {
		return nil, err
	}
	return w.conn.QueryContext(ctx, query, args...)
}

// Exec runs statements that are not kept prepared.
func (w *writer) Exec(ctx context.Context, statements string) error {
	if err := w.flush(ctx); err != nil {
		return err
	}
	_, err := w.conn.ExecContext(context.WithoutCancel(ctx), statements)
	return err
}

// run inserts the waiting rows, and does the same as exec with more arguments.
func (w *writer) run(ctx context.Context, b *text, args ...any) (int64, error) {
	if err := w.flush(ctx); err != nil {
		b.free()
		return 0, err
	}
	b.args = append(b.args, args...)
	return w.exec(ctx, b)
}

// exec runs a statement, returns the number of rows that it changed, and frees it.
func (w *writer) exec(ctx context.Context, b *text) (int64, error) {
	defer b.free()
	ctx = context.WithoutCancel(ctx)
	stmt, err := w.stmts.get(ctx, b.sql)
	if err != nil {
		return 0, err
	}
	result, err := stmt.ExecContext(ctx, b.args...)
	if err != nil {
		return 0, err
	}
	return result.RowsAffected()
}

// do runs a statement about the transaction.
func (w *writer) do(statement ...string) error {
	w.fresh = 0
	_, err := w.run(context.Background(), newText(statement...))
	return err
}

func (w *writer) Begin() error { return w.do("BEGIN IMMEDIATE") }

func (w *writer) Commit() error {
	err := w.do("COMMIT")
	w.defers = w.defers && err != nil
	return err
}

func (w *writer) Rollback() error {
	w.forget()
	w.defers, w.broken = false, nil
	if err := w.do("ROLLBACK"); err != nil && code(err) != codeError { // SQLite has already rolled back
		return err
	}
	return nil
}

func (w *writer) Savepoint(name string) error { return w.do("SAVEPOINT ", name) }
func (w *writer) Release(name string) error   { return w.do("RELEASE ", name) }

func (w *writer) RollbackTo(name string) error {
	w.forget() // all are newer than the last savepoint
	return w.do("ROLLBACK TO ", name)
}

// Prepare runs one transaction, which writes nothing if nothing is missing.
func (w *writer) Prepare(ctx context.Context, format int, spaces ...string) error {
	var have int
	if err := w.conn.QueryRowContext(ctx, "PRAGMA user_version").Scan(&have); err != nil {
		return err
	}
	statements := []string{"BEGIN IMMEDIATE", createMeta(engine.Identity)}
	if !w.chunks {
		statements = append(statements, createMeta(engine.Shape), createMeta(engine.Fields))
	}
	for _, space := range spaces {
		statements = append(statements,
			"CREATE TABLE IF NOT EXISTS "+quote(space)+` ("id" INTEGER PRIMARY KEY, "data" BLOB NOT NULL)`)
	}
	if have != format {
		statements = append(statements, fmt.Sprintf("PRAGMA user_version = %d", format))
	}
	err := w.Exec(ctx, strings.Join(append(statements, "COMMIT"), ";\n"))
	if err != nil {
		err = errors.Join(err, w.Rollback())
	}
	return err
}

// changesOf returns the beginnings of the statements that change a table.
func (w *writer) changesOf(t *engine.Table) *changes {
	if have := w.tables[t]; have != nil {
		return have
	}
	var names, links []string
	for _, c := range t.Columns {
		names = append(names, quote(c.Name))
		if c.Linked() {
			links = append(links, linkOf(t, c.Name))
		}
	}
	names = append(names, quote(engine.Body))
	made := &changes{
		links:  links,
		insert: "INSERT INTO " + quote(t.Name) + " (" + strings.Join(names, ", ") + ") VALUES ",
		row:    "(" + strings.Repeat("?, ", len(names)-1) + "?)",
		update: "UPDATE " + quote(t.Name) + " SET " + strings.Join(names, " = ?, ") + " = ?",
	}
	w.tables[t] = made
	return made
}

func (w *writer) Insert(ctx context.Context, t *engine.Table, rows ...[]any) error {
	if len(rows) == 1 {
		if deferred, err := w.later(ctx, t, rows[0]); deferred {
			return err
		}
	}
	return w.insert(ctx, t, rows)
}

// insert inserts rows at once.
func (w *writer) insert(ctx context.Context, t *engine.Table, rows [][]any) error {
	c := w.changesOf(t)
	for some := range parts(rows) {
		b := newText(c.insert, c.row)
		for i, values := range some {
			if i > 0 {
				b.add(", ", c.row)
			}
			b.args = append(b.args, values...)
		}
		if _, err := w.exec(ctx, b); err != nil {
			return err
		}
	}
	return nil
}

// parts returns the rows in parts of few different sizes, so that few statements are
// prepared.
func parts[T any](rows []T) iter.Seq[[]T] {
	return func(yield func([]T) bool) {
		for _, size := range []int{64, 8, 1} {
			for len(rows) >= size {
				if !yield(rows[:size]) {
					return
				}
				rows = rows[size:]
			}
		}
	}
}

func (w *writer) Update(ctx context.Context, t *engine.Table, values []any, id int64,
	where engine.Cond) (int64, error) {
	b := newText(w.changesOf(t).update, ` WHERE "id" = ?`)
	b.args = append(append(b.args, values...), id)
	b.and(t, where, true)
	return w.run(ctx, b)
}

// Delete first finds the rows that may have links, because the condition may
// depend on links.
func (w *writer) Delete(ctx context.Context, t *engine.Table, where engine.Cond) (int64, error) {
	links := w.changesOf(t).links
	if _, one := where.(engine.HasID); !one && len(links) > 0 {
		b := newText(`SELECT "id" FROM `)
		defer b.free()
		b.name(t.Name)
		b.where(t, where)
		ids, err := column[int64](w.query(ctx, b, false))
		if err != nil {
			return 0, err
		}
		where = engine.Among{Column: engine.ID, IDs: ids}
	}
	for _, link := range links {
		b := newText("DELETE FROM ", link, ` WHERE "row"`)
		switch where := where.(type) {
		case engine.HasID:
			b.add(" = ?")
			b.args = append(b.args, int64(where))
		case engine.Among:
			b.among(where.IDs)
		}
		if _, err := w.run(ctx, b); err != nil {
			return 0, err
		}
	}
	b := newText("DELETE FROM ")
	b.name(t.Name)
	b.where(t, where)
	return w.run(ctx, b)
}

func (w *writer) Link(ctx context.Context, t *engine.Table, column string, links ...engine.Link) error {
	for some := range parts(links) {
		b := newText("INSERT INTO ", linkOf(t, column), ` ("ref", "row") VALUES (?, ?)`)
		for i, link := range some {
			if i > 0 {
				b.add(", (?, ?)")
			}
			b.args = append(b.args, link.ID, link.Row)
		}
		if _, err := w.run(ctx, b); err != nil {
			return err
		}
	}
	return nil
}

func (w *writer) Unlink(ctx context.Context, t *engine.Table, column string, row int64) error {
	_, err := w.run(ctx, newText("DELETE FROM ", linkOf(t, column), ` WHERE "row" = ?`), row)
	return err
}
