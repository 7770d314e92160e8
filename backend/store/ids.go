package store

import (
	"context"
	"math"
	"slices"

	"spyglass/backend/store/engine"
)

// ids are the ids for the new rows of a table: next up to limit are reserved, and
// no row has had one of them. New ids exceed those of all earlier commits, those of other
// processes too.
type ids struct{ next, low, limit int64 }

// reserve makes sure that the ids from the given one are reserved, and reports
// whether it is free.
func (t *Table) reserve(ctx context.Context, tx *tx, id int64) (free bool, err error) {
	tx.draw(&t.ids)
	if id < t.ids.limit {
		return id >= t.ids.next, nil
	}
	first, limit, err := tx.w.base.Reserve(ctx, t.table, id)
	if err != nil {
		return false, err
	}
	if first != t.ids.limit { // others have the ids in between
		t.ids.next, t.ids.low = first, first
	}
	t.ids.limit = limit
	return first == id, nil
}

// number gives a new row its id.
func (t *Table) number(ctx context.Context, tx *tx, row any) error {
	tx.draw(&t.ids)
	if t.ids.next >= t.ids.limit {
		if _, err := t.reserve(ctx, tx, t.ids.next); err != nil {
			return err
		}
	}
	id := t.idOf(row)
	*id = t.ids.next
	t.ids.next++
	if t.db.twice || t.db.remote {
		tx.given = append(tx.given, id)
	}
	return nil
}

// drawn are the next ids of a table before a write gave one of them to a row.
type drawn struct {
	of   *ids
	next int64
}

// draw remembers the next ids of a table, unless this write has done so.
func (t *tx) draw(of *ids) {
	for _, d := range slices.Backward(t.drawn[t.drawnBefore:]) {
		if d.of == of {
			return
		}
	}
	t.drawn = append(t.drawn, drawn{of, of.next})
}

// undraw makes tables give ids again that all but the first n of drawn have given to
// rows that were rolled back.
func (t *tx) undraw(n int) {
	for _, d := range slices.Backward(t.drawn[n:]) {
		d.of.next = max(d.next, d.of.low)
	}
	t.drawn, t.drawnBefore = t.drawn[:n], n
}

// continueIDs makes new rows get the ids after those of all earlier commits. Others cannot
// commit before the current transaction, so it needs to reserve none.
func (db *DB) continueIDs(states map[string]engine.State) {
	db.mu.RLock()
	defer db.mu.RUnlock()
	for name, t := range db.tables {
		t.ids = unreserved(states[name].LastID)
	}
}

// unreserved are the ids after the last one in a shared database.
func unreserved(last int64) ids { return ids{next: last + 1, low: last + 1, limit: math.MaxInt64} }

// returnIDs returns the reserved ids that no row has, so that the next start
// continues without a gap.
func (t *Table) returnIDs() error {
	if t.ids.next >= t.ids.limit || t.db.shares() {
		return nil
	}
	return t.db.writer.base.Return(context.Background(), t.table, t.ids.next, t.ids.limit)
}
