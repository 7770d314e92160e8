package store

import "context"

// ids are the ids for the new rows of a table: next up to limit are reserved, and
// no row has had one of them.
type ids struct{ next, low, limit int64 }

// reserve makes sure that the ids from the given one are reserved, and reports
// whether it is free.
func (t *Table) reserve(ctx context.Context, tx *tx, id int64) (free bool, err error) {
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

// newID returns the id for a new row.
func (t *Table) newID(ctx context.Context, tx *tx) (int64, error) {
	if t.ids.next >= t.ids.limit {
		if _, err := t.reserve(ctx, tx, t.ids.next); err != nil {
			return 0, err
		}
	}
	return t.ids.next, nil
}

// dropIDs gives up the ids that an earlier transaction of an ordered table has left:
// other processes may have used higher ones since.
func (db *DB) dropIDs() {
	db.mu.RLock()
	defer db.mu.RUnlock()
	for _, t := range db.tables {
		given := &t.ids
		if !t.table.Ordered || given.next >= given.limit {
			continue
		}
		// unless others have used higher ones; after an error there is a gap
		_ = db.writer.base.Return(context.Background(), t.table, given.next, given.limit)
		given.limit = given.next
	}
}

// returnIDs returns the reserved ids that no row has, so that the next start
// continues without a gap.
func (t *Table) returnIDs() error {
	if t.ids.next >= t.ids.limit {
		return nil
	}
	return t.db.writer.base.Return(context.Background(), t.table, t.ids.next, t.ids.limit)
}
