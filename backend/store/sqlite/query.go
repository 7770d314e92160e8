package sqlite

import (
	"context"
	"database/sql"
	"strconv"
	"strings"
	"sync"

	"spyglass/backend/store/engine"
)

// text is an SQL statement under construction, with its arguments.
type text struct {
	sql  []byte
	args []any
}

// texts pools buffers: even a prepared statement needs its text, to be found.
var texts = sync.Pool{New: func() any { return &text{} }}

func newText(parts ...string) *text {
	b := texts.Get().(*text)
	b.add(parts...)
	return b
}

func (b *text) free() {
	clear(b.args)
	b.sql, b.args = b.sql[:0], b.args[:0]
	texts.Put(b)
}

func (b *text) add(parts ...string) {
	for _, part := range parts {
		b.sql = append(b.sql, part...)
	}
}

// name writes a quoted name.
func (b *text) name(name string) {
	b.sql = append(b.sql, '"')
	for i := range len(name) {
		if b.sql = append(b.sql, name[i]); name[i] == '"' {
			b.sql = append(b.sql, '"')
		}
	}
	b.sql = append(b.sql, '"')
}

// names writes a list of quoted names.
func (b *text) names(names []string) {
	for i, name := range names {
		if i > 0 {
			b.add(", ")
		}
		b.name(name)
	}
}

// quote returns a quoted name.
func quote(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

func quoteText(text string) string { return "'" + strings.ReplaceAll(text, "'", "''") + "'" }

// source runs queries: it is the pool of readers, a transaction of one of them,
// or the connection of the writer.
type source interface {
	prepared(ctx context.Context, query []byte) (*sql.Stmt, error)
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// reader implements engine.Reader.
type reader struct{ source }

func (r reader) query(ctx context.Context, b *text, once bool) (*sql.Rows, error) {
	if once {
		return r.QueryContext(ctx, string(b.sql), b.args...)
	}
	stmt, err := r.prepared(ctx, b.sql)
	if err != nil {
		return nil, err
	}
	return stmt.QueryContext(ctx, b.args...)
}

func (r reader) Select(ctx context.Context, q engine.Select) (engine.Rows, error) {
	b := newText("SELECT ")
	defer b.free()
	b.names(q.Columns)
	if q.Counted {
		b.add(", (SELECT count(*) FROM ")
		b.name(q.Table.Name)
		b.where(q.Table, q.Where)
		b.add(")")
	}
	b.add(" FROM ")
	b.name(q.Table.Name)
	ids := len(q.Columns) == 1 && q.Columns[0] == engine.ID
	switch {
	case q.From > 0 && ids:
		b.from(q)
	case q.From > 0 || q.Limit > 0 && q.Offset > 0 && !ids: // skip ids, which an index may have, instead of rows
		b.add(` WHERE "id" IN (SELECT "id" FROM `)
		b.name(q.Table.Name)
		if q.From > 0 {
			b.from(q)
		} else {
			b.where(q.Table, q.Where)
			b.order(q.Table, q.Order)
			b.limit(q)
		}
		b.add(")")
		b.order(q.Table, q.Order)
	default:
		b.where(q.Table, q.Where)
		b.order(q.Table, q.Order)
		b.limit(q)
	}
	return found(r.query(ctx, b, q.Once))
}

// found returns the rows, or nil if there is an error.
func found(rows *sql.Rows, err error) (engine.Rows, error) {
	if err != nil {
		return nil, err
	}
	return rows, nil
}

// from selects ids, beginning with one, by the narrow index of existing rows if
// only these are wanted.
func (b *text) from(q engine.Select) {
	if q.Where == engine.Cond(engine.Deleted(false)) {
		b.add(" INDEXED BY ")
		b.name(inOrder(q.Table))
	}
	b.where(q.Table, q.Where, `"id" >= ?`)
	b.args = append(b.args, q.From)
	b.add(` ORDER BY "id"`)
	b.limit(q)
}

func (b *text) limit(q engine.Select) {
	if q.Limit > 0 {
		b.add(" LIMIT ? OFFSET ?")
		b.args = append(b.args, q.Limit, q.Offset)
	}
}

func (b *text) order(t *engine.Table, order []engine.Order) {
	for i, o := range order {
		if i == 0 {
			b.add(" ORDER BY ")
		} else {
			b.add(", ")
		}
		b.name(o.Column)
		b.add(collation(t, o.Column))
		if o.Down {
			b.add(" DESC")
		}
	}
}

func (r reader) Tally(ctx context.Context, q engine.Tally) (engine.Rows, error) {
	b := newText("SELECT ")
	defer b.free()
	if len(q.By) == 1 && q.By[0].Held {
		b.add(`"ref", count(*) FROM `, linkOf(q.Table, q.By[0].Column), " GROUP BY 1")
		return found(r.query(ctx, b, q.Once))
	}
	for _, by := range q.By {
		b.name(by.Column)
		if by.Step > 0 {
			b.add(" / ", strconv.FormatInt(by.Step, 10))
		}
		b.add(", ")
	}
	if q.Sum == "" {
		b.add("count(*)")
	} else {
		b.add("coalesce(sum(")
		b.name(q.Sum)
		b.add("), 0)")
	}
	b.add(" FROM ")
	b.name(q.Table.Name)
	b.where(q.Table, q.Where)
	for i := range q.By {
		if i == 0 {
			b.add(" GROUP BY ")
		} else {
			b.add(", ")
		}
		b.add(strconv.Itoa(i + 1))
	}
	return found(r.query(ctx, b, q.Once))
}

func (r reader) Arrange(ctx context.Context, t *engine.Table, rows []byte, where engine.Cond,
	order []engine.Order) ([]int, error) {
	b := newText("WITH ")
	defer b.free()
	b.name(t.Name)
	b.add(` AS (SELECT "key" AS `)
	b.name(engine.Place)
	for _, c := range t.Columns {
		b.add(`, "value"->>`, quoteText(c.Name), " AS ")
		b.name(c.Name)
	}
	b.add(" FROM json_each(?)) SELECT ")
	b.args = append(b.args, string(rows))
	b.name(engine.Place)
	b.add(" FROM ")
	b.name(t.Name)
	b.where(t, where)
	b.order(t, order)
	return column[int](r.query(ctx, b, true))
}

// column reads the results of a query of one column.
func column[V any](found *sql.Rows, err error) (all []V, _ error) {
	if err != nil {
		return nil, err
	}
	defer found.Close()
	for found.Next() {
		var one V
		if err := found.Scan(&one); err != nil {
			return nil, err
		}
		all = append(all, one)
	}
	return all, found.Err()
}
