package store

import (
	"context"
	"slices"
	"time"

	"spyglass/backend/fault"
	"spyglass/backend/store/engine"
)

// Programs of two versions may share a database while the nodes of a portal are upgraded.
// The newer one adds what it needs and removes nothing (expand), so that the older one can
// still read. Whether the older one can write, it decides at the start of its next
// transaction: see shared.compare.

// declarations is the name under which the database counts changes of its declarations,
// among the versions of the tables. No table has this name.
const declarations = "_shape"

// mixed is the shape of a table with rows of two versions. The next program that starts
// writes all of them again.
const mixed = "mixed"

// retryNewer is when a client should repeat a write that an outdated node has refused: the
// load balancer sends it to another one.
const retryNewer = 2 * time.Second

// outdated is the error of writes after a newer version has added what this one would lose.
func outdated(why error) error {
	return &fault.Error{Kind: fault.Busy, Err: why, RetryAfter: retryNewer, Message: "a newer version of Spyglass " +
		"has changed the database; this node only reads until it is upgraded. Nothing was written"}
}

// Outdated returns why writes are refused if a newer version has changed the database, and
// nil otherwise.
func (db *DB) Outdated() error {
	if db.shared == nil {
		return nil
	}
	db.shared.mu.Lock()
	defer db.shared.mu.Unlock()
	return db.shared.outdated
}

// look has the writer compare the declarations soon if they have changed. The caller holds
// mu.
func (s *shared) look(version int64) {
	if version <= s.known[declarations] || !s.began {
		return
	}
	s.db.background(func(ctx context.Context) {
		err := s.db.write(ctx, func(*tx) error { return nil })
		if err != nil && ctx.Err() == nil && !fault.Is(err, fault.Busy) {
			s.db.log.WarnContext(ctx, "the declarations of the database cannot be compared", "err", err)
		}
	})
}

// compare decides whether this program may write, in a transaction that sees a change of
// the declarations. It may not if it would lose fields of a newer version. Otherwise, it
// marks the tables that another version has declared in another way, such as with other
// indexes, because the rows of both may differ.
func (s *shared) compare(ctx context.Context, version int64) error {
	s.db.mu.RLock()
	declared := s.db.declared
	s.db.mu.RUnlock()
	if version == s.compared || declared == nil {
		return nil
	}
	err := s.knows(ctx, declared)
	if fault.Is(err, fault.Conflict) {
		err = outdated(err)
	} else if err != nil {
		return err
	}
	s.mu.Lock()
	was := s.outdated
	s.outdated = err
	s.advance(nil) // for who waits for it
	s.mu.Unlock()
	if err != nil {
		if was == nil {
			s.db.log.WarnContext(ctx, "this node only reads until it is upgraded", "database", s.db.name, "err", err)
		}
		return err
	}
	s.comparing = version
	return s.mark(ctx)
}

// knows returns fault.Conflict if a newer version has added what declared has not.
func (s *shared) knows(ctx context.Context, declared []Shape) error {
	layout, err := s.db.base.Layout(ctx) // what others have committed, as the transaction sees it
	if err == nil {
		err = notNewer(s.db.name, layout, format)
	}
	if err == nil {
		err = accept(ctx, s.db.writer.base, s.db.name, declared)
	}
	return err
}

// mark marks the tables whose declaration in the database is that of another version.
func (s *shared) mark(ctx context.Context) error {
	w := s.db.writer.base
	shapes, err := w.AllMeta(ctx, engine.Shape)
	if err != nil {
		return err
	}
	for name, t := range s.db.allTables() {
		if have := shapes[name]; slices.Equal(have, []string{t.shape()}) || slices.Equal(have, []string{mixed}) {
			continue
		}
		if err := w.SetMeta(ctx, engine.Shape, name, mixed); err != nil {
			return err
		}
	}
	return nil
}
