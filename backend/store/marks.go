package store

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"sync"

	"spyglass/backend/resource"
	"spyglass/backend/store/sqlite"
)

// marks are the ids of every stride-th row of a whole list in the order of its
// ids, so that a page far down begins near its rows and need not count all
// those before it. New rows come behind the last mark and change none; deleting
// or restoring a row rebuilds them.
type marks struct {
	mu    sync.Mutex
	state uint64 // of Table.members
	ids   []int64
}

// stride limits how many rows a page steps over.
const stride = 256

// far reports whether the page is one that marks can find: of all rows that are
// there, by id, up or down, a good way from its beginning.
func (t *Table[T]) far(cond *condition, order string, q resource.Query, state uint64) bool {
	return settled(state) && q.Offset >= 2*stride && cond.text.String() == t.live() &&
		(order == sqlite.ID || order == sqlite.Descending(sqlite.ID))
}

// farPage reads a page far from the beginning.
func (t *Table[T]) farPage(ctx context.Context, ask ask, cond *condition, order string, q resource.Query,
	state uint64) (*page, error) {
	total, err := t.total(ctx, ask, cond, state)
	if err != nil {
		return nil, err
	}
	p := &page{total: total}
	from, size, down := q.Offset, q.Size, order != sqlite.ID
	if down { // the page at the same distance from the other end
		from = max(0, total-q.Offset-q.Size)
		size = min(q.Size, total-q.Offset)
	}
	if q.Offset >= total {
		return p, nil
	}
	mark, err := t.mark(ctx, ask, from/stride)
	if err != nil {
		return nil, err
	}
	found, err := ask(ctx, t.sql.PageFrom(t.live(), order), mark, size, from%stride)
	if err != nil {
		return nil, err
	}
	return p, t.scanPage(found, p)
}

// orderIndex returns the name of the narrow index of the ids that are there.
func (t *Table[T]) orderIndex() string { return string(t.res.Name) + " in order" }

// mark returns the id of the row at n strides.
func (t *Table[T]) mark(ctx context.Context, ask ask, n int64) (int64, error) {
	state := t.members.now()
	t.marks.mu.Lock()
	var ids []int64
	if settled(state) && t.marks.state == state {
		ids = slices.Clip(t.marks.ids)
	}
	t.marks.mu.Unlock()
	if n < int64(len(ids)) {
		return ids[n], nil
	}
	for int64(len(ids)) <= n {
		last, skip := int64(0), int64(0)
		if len(ids) > 0 {
			last, skip = ids[len(ids)-1], stride-1
		}
		found, err := ask(ctx, t.sql.NextID(t.live()), last, skip)
		if err != nil {
			return 0, err
		}
		id, err := oneNumber(found)
		if err != nil || id == 0 { // a row went meanwhile: the page will be read again
			return 0, err
		}
		ids = append(ids, id)
	}
	if settled(state) && t.members.now() == state {
		t.marks.mu.Lock()
		defer t.marks.mu.Unlock()
		t.marks.state, t.marks.ids = state, ids
	}
	return ids[n], nil
}

// oneNumber reads the only value of a query result; 0 where there is no row.
func oneNumber(found *sql.Rows) (n int64, err error) {
	defer func() { err = errors.Join(err, found.Close()) }()
	if found.Next() {
		err = found.Scan(&n)
	}
	return n, errors.Join(err, found.Err())
}
