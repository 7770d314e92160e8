package store

import (
	"context"
	"slices"
	"sync"

	"spyglass/backend/resource"
)

// feed implements resource.Feed.
type feed struct {
	db    *DB
	names map[string]bool

	mu   sync.Mutex
	rows map[resource.Changed]bool
	lost bool // too many changes to report, or rows were deleted by a condition
	wake chan struct{}
}

// maxFeed limits the unread changes; beyond it, Next reports them as lost.
const maxFeed = 100_000

// Follow implements resource.LiveDB.
func (db *DB) Follow(names ...string) resource.Feed {
	f := &feed{db: db, names: map[string]bool{}, rows: map[resource.Changed]bool{}, wake: make(chan struct{}, 1)}
	for _, name := range names {
		f.names[name] = true
	}
	db.mu.Lock()
	defer db.mu.Unlock()
	if db.feeds == nil {
		db.feeds = map[*feed]bool{}
	}
	db.feeds[f] = true
	for _, name := range names {
		if t := db.tables[name]; t != nil {
			t.follow(1)
		}
	}
	return f
}

// Close implements resource.Feed.
func (f *feed) Close() {
	f.db.mu.Lock()
	defer f.db.mu.Unlock()
	if !f.db.feeds[f] {
		return
	}
	delete(f.db.feeds, f)
	for name := range f.names {
		if t := f.db.tables[name]; t != nil {
			t.follow(-1)
		}
	}
}

// Next implements resource.Feed.
func (f *feed) Next(ctx context.Context) (rows []resource.Changed, lost bool, err error) {
	select {
	case <-ctx.Done():
		return nil, false, ctx.Err()
	case <-f.wake:
	}
	rows, lost = f.Pending()
	return rows, lost, nil
}

// Pending implements resource.Feed.
func (f *feed) Pending() (rows []resource.Changed, lost bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	select {
	case <-f.wake:
	default:
	}
	for row := range f.rows {
		rows = append(rows, row)
	}
	lost = f.lost
	f.rows, f.lost = map[resource.Changed]bool{}, false
	return rows, lost
}

func (f *feed) add(changes []resource.Changed) {
	f.mu.Lock()
	defer f.mu.Unlock()
	relevant := false
	for _, c := range changes {
		if !f.names[c.Name] {
			continue
		}
		relevant = true
		switch {
		case c.ID == 0 || len(f.rows) >= maxFeed:
			f.lost = true
		default:
			f.rows[c] = true
		}
	}
	if !relevant {
		return
	}
	select {
	case f.wake <- struct{}{}:
	default:
	}
}

// follow counts the followers of the table.
func (t *Table) follow(n int32) { t.followed.Add(n) }

// changed records a changed row for the feeds; id 0 means any row.
func (t *Table) changed(tx *tx, id int64) {
	if t.followed.Load() > 0 {
		tx.changes = append(tx.changes, resource.Changed{Name: string(t.res.Name), ID: id})
	} else if !slices.Contains(tx.unfollowed, t) {
		tx.unfollowed = append(tx.unfollowed, t)
	}
}

// catchUp records the changes of tables that had no follower when they changed. Who has
// followed one since may have read it before the commit.
func (t *tx) catchUp() {
	for _, table := range t.unfollowed {
		if table.followed.Load() == 0 {
			continue
		}
		ids, whole := t.rowsOf(&table.lock)
		t.changes = appendChanged(t.changes, string(table.res.Name), ids, whole)
	}
}

// appendChanged appends the changes of a table: of the rows if they are all, or of any.
func appendChanged(changes []resource.Changed, name string, ids []int64, whole bool) []resource.Changed {
	if !whole {
		return append(changes, resource.Changed{Name: name})
	}
	for _, id := range ids {
		changes = append(changes, resource.Changed{Name: name, ID: id})
	}
	return changes
}

// feed passes the changes of a commit to the feeds.
func (db *DB) feed(changes []resource.Changed) {
	if len(changes) == 0 {
		return
	}
	db.mu.RLock()
	defer db.mu.RUnlock()
	for f := range db.feeds {
		f.add(changes)
	}
}
