package postgres

import (
	"context"
	"reflect"
	"strconv"
	"strings"

	"spyglass/backend/resource"
	"spyglass/backend/store/engine"
)

// text is a statement of SQL under construction, with its arguments.
type text struct {
	sql  []byte
	args []any

	deferred bool          // see writer.later
	into     *engine.Table // of a deferred insert, which gets its SQL when it is sent
	column   string        // whose links it inserts; "" for rows
	rows     [][]any
	links    []engine.Link
	found    func(*rows) error // receives the rows of a pending statement; may be nil
}

func newText(parts ...string) *text {
	b := &text{sql: make([]byte, 0, 512)}
	b.add(parts...)
	return b
}

func (b *text) add(parts ...string) {
	for _, part := range parts {
		b.sql = append(b.sql, part...)
	}
}

// arg writes the place of an argument.
func (b *text) arg(value any) {
	b.args = append(b.args, value)
	b.sql = strconv.AppendInt(append(b.sql, '$'), int64(len(b.args)), 10)
}

// plain returns a value as one of the types that PostgreSQL stores. Booleans are
// stored as numbers.
func plain(value any) any {
	switch value := value.(type) {
	case int64, string, float64, []byte:
		return value
	}
	switch v := reflect.ValueOf(value); v.Kind() {
	case reflect.Bool:
		if v.Bool() {
			return int64(1)
		}
		return int64(0)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return v.Int()
	case reflect.Float32, reflect.Float64:
		return v.Float()
	case reflect.String:
		return v.String()
	case reflect.Slice:
		return v.Bytes()
	}
	return value
}

// name writes a quoted name.
func (b *text) name(name string) { b.add(quote(name)) }

// quote returns a quoted name.
func quote(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

func quoteText(text string) string { return "'" + strings.ReplaceAll(text, "'", "''") + "'" }

// source runs queries: it is the pool of readers, a transaction of one of them,
// or the connection of the writer. once means that there are many such queries.
type source interface {
	query(ctx context.Context, b *text, once bool) (*rows, error)
}

// reader implements engine.Reader.
type reader struct{ source }

func (r reader) Select(ctx context.Context, q engine.Select) (engine.Rows, error) {
	b := newText("SELECT ")
	for i, name := range q.Columns {
		if i > 0 {
			b.add(", ")
		}
		b.name(name)
	}
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
			b.order(q.Table, q.Order, false)
			b.limit(q)
		}
		b.add(")")
		b.order(q.Table, q.Order, false)
	default:
		b.where(q.Table, q.Where)
		b.order(q.Table, q.Order, false)
		b.limit(q)
	}
	return found(r.query(ctx, b, q.Once))
}

// found returns the rows, or nil if there is an error.
func found(rows *rows, err error) (engine.Rows, error) {
	if err != nil {
		return nil, err
	}
	return rows, nil
}

// from selects ids, beginning with one.
func (b *text) from(q engine.Select) {
	b.where(q.Table, q.Where, func() {
		b.add(`"id" >= `)
		b.arg(q.From)
	})
	b.add(` ORDER BY "id"`)
	b.limit(q)
}

func (b *text) limit(q engine.Select) {
	if q.Limit > 0 {
		b.add(" LIMIT ")
		b.arg(q.Limit)
		b.add(" OFFSET ")
		b.arg(q.Offset)
	}
}

// order writes an order. Where nulls can occur, they come first, as in SQLite.
func (b *text) order(t *engine.Table, order []engine.Order, nulls bool) {
	for i, o := range order {
		if i == 0 {
			b.add(" ORDER BY ")
		} else {
			b.add(", ")
		}
		b.key(t, o.Column)
		switch {
		case o.Down && nulls:
			b.add(" DESC NULLS LAST")
		case o.Down:
			b.add(" DESC")
		case nulls:
			b.add(" NULLS FIRST")
		}
	}
}

func (r reader) Tally(ctx context.Context, q engine.Tally) (engine.Rows, error) {
	b := newText("SELECT ")
	if len(q.By) == 1 && q.By[0].Held {
		b.add(`"ref", count(*) FROM `, linkOf(q.Table, q.By[0].Column), " GROUP BY 1 ORDER BY 1")
		return found(r.query(ctx, b, q.Once))
	}
	for _, by := range q.By {
		b.name(by.Column)
		if by.Step > 0 {
			b.add(" / ", strconv.FormatInt(by.Step, 10))
		}
		b.add(", ")
	}
	switch {
	case q.Sum == "":
		b.add("count(*)")
	case q.Table.KindOf(q.Sum) == resource.KindNumber:
		b.add("coalesce(sum(", quote(q.Sum), "), 0)")
	default: // the sum of bigints is a numeric
		b.add("coalesce(sum(", quote(q.Sum), "), 0)::bigint")
	}
	b.add(" FROM ")
	b.name(q.Table.Name)
	b.where(q.Table, q.Where)
	for _, clause := range []string{" GROUP BY ", " ORDER BY "} { // in the order in which SQLite finds them
		for i := range q.By {
			if i > 0 {
				clause = ", "
			}
			b.add(clause, strconv.Itoa(i+1))
		}
	}
	return found(r.query(ctx, b, q.Once))
}

func (r reader) Arrange(ctx context.Context, t *engine.Table, list []byte, where engine.Cond,
	order []engine.Order) ([]int, error) {
	b := newText("WITH ")
	b.name(t.Name)
	b.add(` AS (SELECT e.place - 1 AS `, quote(engine.Place))
	for _, c := range t.Columns {
		b.add(", ", element(c), " AS ")
		b.name(c.Name)
	}
	b.add(" FROM json_array_elements(")
	b.arg(string(list))
	b.add("::json) WITH ORDINALITY e(value, place)) SELECT ", quote(engine.Place), " FROM ")
	b.name(t.Name)
	b.where(t, where)
	b.order(t, order, true)
	return column[int](r.query(ctx, b, true))
}

// element returns the value of a column in the object e.
func element(c engine.Column) string {
	value := "(e.value->>" + quoteText(c.Name) + ")"
	switch {
	case storesText(c.Kind):
		return value + ` COLLATE "C"`
	case c.Kind == resource.KindBoolean:
		return "CASE " + value + " WHEN 'true' THEN 1 WHEN 'false' THEN 0 END"
	case c.Kind == resource.KindNumber:
		return value + "::double precision"
	}
	return value + "::bigint"
}

// column reads the results of a query of one column.
func column[V any](found *rows, err error) (all []V, _ error) {
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
