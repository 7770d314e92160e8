package store

import (
	"context"
	"database/sql"
	"slices"
	"sync"

	"spyglass/backend/resource"
)

// totals keeps how many rows meet a condition, until the table changes.
type totals struct {
	mu  sync.Mutex
	all map[string]total
}

type total struct{ state, n uint64 }

const maxTotals = 1000

func (t *totals) get(key string, state uint64) (int64, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	have, ok := t.all[key]
	return int64(have.n), ok && have.state == state
}

func (t *totals) put(key string, state uint64, n int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.all == nil || len(t.all) >= maxTotals {
		t.all = map[string]total{}
	}
	t.all[key] = total{state, uint64(n)}
}

// page holds the rows that were read of a list.
type page struct {
	total int64
	ids   []int64
	body  [][]byte
	from  [][]string // per derived field that reads a column
}

// page reads rows and total of one state of the table: it tries without a
// transaction, and takes one only when a commit came in between.
func (t *Table[T]) page(ctx context.Context, cond *condition, order string, q resource.Query,
	keep bool) (*page, error) {
	key := pageKey(cond, order, q)
	if !cond.foreign {
		state := t.lock.now()
		if p := t.recent.get(key, state); p != nil && settled(state) {
			return p, nil
		}
		p, err := t.readPage(ctx, t.asks(keep, t.db.read.QueryContext), cond, order, q, state)
		if err != nil {
			return nil, err
		}
		if settled(state) && t.lock.now() == state {
			t.recent.put(key, state, p)
			return p, nil
		}
	}
	tx, err := t.db.read.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return nil, err
	}
	defer func() { _ = tx.Rollback() }()
	return t.readPage(ctx, tx.QueryContext, cond, order, q, 1)
}

// ask is a function that runs one query.
type ask func(ctx context.Context, query string, args ...any) (*sql.Rows, error)

// asks returns a function that prepares frequent statements once; those of
// filters vary too much to be cached.
func (t *Table[T]) asks(keep bool, direct ask) ask {
	if !keep {
		return direct
	}
	return func(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
		stmt, err := t.db.stmt(ctx, query)
		if err != nil {
			return nil, err
		}
		return stmt.QueryContext(ctx, args...)
	}
}

// readPage reads the rows and the total; state is even when totals of it may be kept.
func (t *Table[T]) readPage(ctx context.Context, ask ask, cond *condition, order string, q resource.Query,
	state uint64) (*page, error) {
	if t.far(cond, order, q, state) {
		return t.farPage(ctx, ask, cond, order, q, state)
	}
	p := &page{}
	which := t.sql.PageInOrder(cond.text.String(), order, q.Offset > 0)
	found, err := ask(ctx, which, append(slices.Clip(cond.args), q.Size, q.Offset)...)
	if err != nil {
		return nil, err
	}
	if err := t.scanPage(found, p); err != nil {
		return nil, err
	}
	if n := int64(len(p.ids)); n < q.Size && (n > 0 || q.Offset == 0) {
		p.total = q.Offset + n
		return p, nil
	}
	p.total, err = t.total(ctx, ask, cond, state)
	return p, err
}

// total counts the rows that meet the condition.
func (t *Table[T]) total(ctx context.Context, ask ask, cond *condition, state uint64) (n int64, err error) {
	where := cond.text.String()
	key := cond.key()
	if n, ok := t.totals.get(key, state); ok && settled(state) {
		return n, nil
	}
	found, err := ask(ctx, t.sql.Count(where), cond.args...)
	if err != nil {
		return 0, err
	}
	if n, err = oneNumber(found); err == nil && settled(state) && t.lock.now() == state {
		t.totals.put(key, state, n)
	}
	return n, err
}

// froms returns the columns that derived values read.
func (t *Table[T]) froms() []string {
	var names []string
	for _, d := range t.res.Derived {
		if d.From != "" {
			names = append(names, d.From)
		}
	}
	return names
}

func (t *Table[T]) scanPage(found *sql.Rows, p *page) error {
	defer found.Close()
	froms := len(t.froms())
	for found.Next() {
		var id int64
		var body sql.RawBytes
		from := make([]string, froms)
		dest := []any{&id, &body}
		for i := range from {
			dest = append(dest, &from[i])
		}
		if err := found.Scan(dest...); err != nil {
			return err
		}
		p.ids, p.body, p.from = append(p.ids, id), append(p.body, slices.Clone(body)), append(p.from, from)
	}
	return found.Err()
}
