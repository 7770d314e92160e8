package store

import (
	"context"
	"maps"
	"sync"
	"time"

	"spyglass/backend/store/engine"
)

// shared keeps the caches of a database on a server right, which other processes
// may change. It invalidates them when it hears of a commit. While the connection
// for that is lost, every table is in an unsettled state (see seqlock), in which
// nothing is served from memory: reads go to the database, or fail.
type shared struct {
	db      *DB
	writer  engine.Sharing // nil if no other process may write
	mu      sync.Mutex
	known   map[string]int64 // the versions of the tables that the caches have
	cut     bool             // no commits are heard of
	began   bool             // it was connected before
	changed chan struct{}    // closed when known changes

	outdated  error // see Outdated
	compared  int64 // the version of the declarations that the last commit has seen; used by the writer only
	comparing int64 // that of the current transaction
}

// listen begins to hear of the commits of others, in the background.
func (db *DB) listen(shares bool) {
	remote, ok := db.base.(engine.Remote)
	if !ok {
		return
	}
	s := &shared{db: db, known: map[string]int64{}, cut: true, changed: make(chan struct{})}
	if shares {
		s.writer, _ = db.writer.base.(engine.Sharing)
	}
	db.shared = s
	db.background(func(ctx context.Context) {
		remote.Listen(ctx, engine.Listener{Connected: s.connected, Changed: s.heard, Lost: s.lost})
	})
}

// join adds a table, in the state of the others.
func (s *shared) join(t *Table, add func()) {
	if s == nil {
		add()
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.cut {
		t.unsettle()
	}
	add()
}

func (t *Table) unsettle() {
	t.lock.begin()
	t.members.begin()
}

// settle ends an unsettled state with changes that others have made.
func (t *Table) settle(c engine.Change) {
	t.lock.notes.add(t.lock.now()+1, c.IDs, c.Whole)
	if t.mirror.newest.Load() < t.db.mirrored && len(c.IDs) > 0 {
		t.mirror.newest.Store(c.IDs[len(c.IDs)-1]) // the writer stores it too; either value will do
	}
	t.lock.end()
	t.members.end()
}

// connected ends the state in which commits were not heard of.
func (s *shared) connected(versions map[string]int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	cut := s.cut
	s.cut = false
	s.look(versions[declarations])
	s.advance(versions)
	for name, t := range s.db.allTables() {
		if !cut {
			t.unsettle()
		}
		t.settle(engine.Change{Table: name})
		s.db.signal(t, engine.Change{Table: name})
		if s.began {
			s.db.report(engine.Change{Table: name})
		}
	}
	s.began = true
}

func (s *shared) lost(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.cut {
		return
	}
	s.cut = true
	s.db.log.Warn("the connection to the database is lost: nothing is served from memory", "database", s.db.name,
		"err", err)
	for _, t := range s.db.allTables() {
		t.unsettle()
	}
}

// heard handles a commit of another process.
func (s *shared) heard(c engine.Change) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.cut || c.Version <= s.known[c.Table] {
		return // nothing is in memory, or the writer was faster
	}
	if c.Table == declarations {
		s.look(c.Version)
	}
	c.Whole = c.Whole && c.Version == s.known[c.Table]+1
	s.invalidate(c)
	s.advance(map[string]int64{c.Table: c.Version})
}

// invalidate drops what the caches have of the rows of a table that changed.
func (s *shared) invalidate(c engine.Change) {
	if t := s.db.allTables()[c.Table]; t != nil {
		t.unsettle()
		t.settle(c)
		s.db.signal(t, c)
		s.db.report(c)
	}
}

// advance notes versions that the caches have.
func (s *shared) advance(versions map[string]int64) {
	for name, version := range versions {
		s.known[name] = version
	}
	close(s.changed)
	s.changed = make(chan struct{})
}

// awaited limits how long a write waits for the notice of a commit that it sees,
// which names the changed rows.
const awaited = 50 * time.Millisecond

// begin makes the caches agree with the transaction that the writer has begun, so
// that rules decide by the latest rows.
func (s *shared) begin() error {
	states, err := s.writer.Begun(context.Background())
	if err != nil {
		return err
	}
	s.db.continueIDs(states)
	timer := time.NewTimer(awaited)
	defer timer.Stop()
	for late := false; ; {
		s.mu.Lock()
		behind, changed, cut := false, s.changed, s.cut
		for name, state := range states {
			version := state.Version
			if version <= s.known[name] {
				continue
			}
			if late || cut {
				s.invalidate(engine.Change{Table: name, Version: version})
				s.known[name] = version
			} else {
				behind = true
			}
		}
		s.mu.Unlock()
		if !behind {
			return s.compare(context.Background(), states[declarations].Version)
		}
		select {
		case <-changed:
		case <-timer.C:
			late = true
		}
	}
}

// Alone runs do while no other process that shares the database runs its own.
func (db *DB) Alone(ctx context.Context, do func() error) error {
	if !db.shares() {
		return do()
	}
	return db.shared.writer.Alone(ctx, do)
}

// Pool is the use of the connections to a server.
type Pool = engine.Pool

// Pool returns the use of the connections to the server; ok is false for a file.
func (db *DB) Pool() (pool Pool, ok bool) {
	remote, ok := db.base.(engine.Remote)
	if ok {
		pool = remote.Pool()
	}
	return pool, ok
}

// Now returns the time of the server. Call it only for a database on one.
func (db *DB) Now(ctx context.Context) (time.Time, error) { return db.base.(engine.Remote).Now(ctx) }

// Reachable returns fault.Busy if the database is on a server that does not respond.
func (db *DB) Reachable(ctx context.Context) error {
	_, err := db.base.Meta(ctx, engine.Identity, "reachable")
	return err
}

// shares reports whether other processes may write to the database.
func (db *DB) shares() bool { return db.shared != nil && db.shared.writer != nil }

// raise announces the changes of a transaction to other processes.
func (s *shared) raise(t *tx) []engine.Change {
	var changes []engine.Change
	for name, table := range s.db.allTables() {
		if t.touched[&table.lock] == 0 && t.touched[&table.members] == 0 {
			continue
		}
		c := engine.Change{Table: name}
		c.IDs, c.Whole = t.rowsOf(&table.lock)
		if table.ids.next > table.ids.low {
			c.LastID = table.ids.next - 1
		}
		changes = append(changes, c)
	}
	if t.redeclared {
		changes = append(changes, engine.Change{Table: declarations})
	}
	if len(changes) > 0 {
		s.writer.Raise(changes)
	}
	return changes
}

// committed notes the versions of the own commit, whose changes the caches have.
func (s *shared) committed(changes []engine.Change) {
	s.compared = max(s.compared, s.comparing)
	if len(changes) == 0 {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	versions := map[string]int64{}
	for _, c := range changes {
		if versions[c.Table] = c.Version; c.Table == declarations { // nobody else has changed them since begin
			s.compared = c.Version
		}
	}
	s.advance(versions)
}

// allTables returns the tables by name.
func (db *DB) allTables() map[string]*Table {
	db.mu.RLock()
	defer db.mu.RUnlock()
	return maps.Clone(db.tables)
}

// report passes a change that others have made to Options.Others.
func (db *DB) report(c engine.Change) {
	if db.others == nil {
		return
	}
	if !c.Whole {
		c.IDs = nil
	}
	db.others(c.Table, c.IDs)
}

// signal passes a change that others have made to watchers and feeds.
func (db *DB) signal(t *Table, c engine.Change) {
	db.announce(map[*seqlock]int{&t.lock: 1})
	if t.followed.Load() == 0 {
		return
	}
	db.feed(appendChanged(nil, c.Table, c.IDs, c.Whole))
}
