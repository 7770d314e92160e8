package store

import (
	"context"
	"slices"
	"sync"

	"spyglass/backend/resource"
	"spyglass/backend/store/engine"
)

// marks are the ids of every stride-th row of an unfiltered list sorted by id. A
// page far down begins at the nearest mark, so the engine need not count all rows
// before it. New rows come after the last mark and change none; deleting or
// restoring a row rebuilds the marks.
type marks struct {
	mu    sync.Mutex
	state uint64 // of Table.members
	ids   []int64
}

// stride limits the number of rows that a page skips.
const stride = 256

// far reports whether marks can find the page: the list is unfiltered and sorted
// by id, up or down, and the page is far from its beginning.
func (t *Table) far(cond *condition, order []engine.Order, q resource.Query, state uint64) bool {
	return settled(state) && q.Offset >= 2*stride && t.whole(cond.all) && order[0].Column == engine.ID
}

// whole reports whether a condition selects all existing rows.
func (t *Table) whole(all engine.All) bool {
	if t.res.SoftBy == "" {
		return len(all) == 0
	}
	return len(all) == 1 && t.begins(all)
}

// begins reports whether a condition begins with the condition for existing rows.
func (t *Table) begins(all engine.All) bool {
	return t.res.SoftBy == "" || len(all) > 0 && all[0] == engine.Cond(engine.Deleted(false))
}

// farPage reads such a page.
func (t *Table) farPage(ctx context.Context, r listReader, cond *condition, order []engine.Order, q resource.Query,
	state uint64) (*page, error) {
	total, err := t.total(ctx, r, cond, state)
	if err != nil {
		return nil, err
	}
	p := &page{total: total}
	from, size := q.Offset, q.Size
	if order[0].Down { // the page at the same distance from the other end
		from = max(0, total-q.Offset-q.Size)
		size = min(q.Size, total-q.Offset)
	}
	if q.Offset >= total {
		return p, nil
	}
	mark, err := t.mark(ctx, r, from/stride)
	if err != nil {
		return nil, err
	}
	return p, t.readRows(ctx, r, p, engine.Select{Where: t.live(), Order: order, Limit: size, Offset: from % stride,
		From: mark})
}

// mark returns the id of the row after n strides.
func (t *Table) mark(ctx context.Context, r listReader, n int64) (int64, error) {
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
		id, err := number(r.Select(ctx, engine.Select{Table: t.table, Columns: onlyID, Where: t.live(), From: last + 1,
			Limit: 1, Offset: skip, Once: r.once}))
		if err != nil || id == 0 { // a row was deleted meanwhile: the page will be read again
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
