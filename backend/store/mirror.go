package store

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"spyglass/backend/resource"
	"spyglass/backend/store/engine"
)

// mirror caches the searchable texts of a table with many rows, so that a filter
// need not read the rows. It holds the existing rows of one state: a base, which
// a scan searches, and the few rows that changed since. Its first use builds it
// from one state of the database, while the engine runs the queries.
type mirror struct {
	notes  notes
	newest atomic.Int64 // no row has had a higher id

	mu      sync.RWMutex
	state   uint64 // of Table.lock
	base    *block
	stale   bitmap             // rows of base that have changed or were deleted
	fresh   *block             // changed and new rows
	texts   map[int64]freshRow // the texts of the rows in fresh
	refused map[source]bool    // too large, or compared in the engine's own way
	loading chan struct{}      // closed when the current load ends
}

// freshRow holds the texts of a row that changed since base was built, by source.
type freshRow map[source][]byte

// Tables of up to leastMirrored rows are fast without a mirror. A query waits for
// the mirror to be built for patience times the number of texts, because the
// engine would take at least as long; it never waits longer than longestPatience.
const (
	leastMirrored   = 4096
	patience        = time.Second
	longestPatience = 8 * time.Second
)

// wish lists the columns of a mirror that a query needs.
type wish struct {
	sources []source
	sort    string // a text column, or "" for the id
}

func (w *wish) want(s source) {
	if !slices.Contains(w.sources, s) {
		w.sources = append(w.sources, s)
	}
}

func (m *mirror) shows(w wish) bool {
	if m.base == nil || w.sort != "" && m.base.orders[w.sort] == nil {
		return false
	}
	return !slices.ContainsFunc(w.sources, func(s source) bool { return m.base.arenas[s] == nil })
}

// view locks the mirror for reading in that state of the table, or returns nil if
// there is no such mirror. The caller unlocks mu.
func (t *Table) view(ctx context.Context, w wish, state uint64) *mirror {
	m := &t.mirror
	m.mu.RLock()
	if m.shows(w) && m.state == state {
		return m
	}
	shows := m.shows(w)
	m.mu.RUnlock()
	if !shows && !waited(ctx, t.reflect(w), min(longestPatience, patience*time.Duration(len(w.sources)))) {
		return nil
	}
	m.mu.Lock()
	ok := m.shows(w) && t.refresh(ctx, state) == nil
	m.mu.Unlock()
	if !ok {
		return nil
	}
	m.mu.RLock()
	if m.shows(w) && m.state == state {
		return m
	}
	m.mu.RUnlock()
	return nil
}

// waited reports whether the mirror was built within the time that a query waits
// for it, which is shorter than the query's own timeout.
func waited(ctx context.Context, loaded <-chan struct{}, most time.Duration) bool {
	if loaded == nil {
		return false
	}
	defer resource.Pause(ctx)()
	timer := time.NewTimer(most)
	defer timer.Stop()
	select {
	case <-loaded:
		return true
	case <-timer.C:
	case <-ctx.Done():
	}
	return false
}

var errMoved = errors.New("the table has changed meanwhile")

// refresh updates the mirror to a state by reading the rows that changed. The
// caller holds mu.
func (t *Table) refresh(ctx context.Context, state uint64) error {
	m := &t.mirror
	if m.state >= state {
		return nil
	}
	ids, ok := m.notes.since(m.state, state)
	if !ok || len(ids) > len(m.base.ids)/4+leastMirrored {
		m.base = nil // rebuild it
		return errMoved
	}
	if len(ids) > 0 {
		read, err := t.readFresh(ctx, ids)
		if err != nil {
			return err
		}
		if t.lock.now() != state {
			return errMoved
		}
		m.change(ids, read)
		if len(m.texts) > len(m.base.ids)/16+int(t.db.mirrored/4) {
			m.settle(m.base.merge(m.stale, m.fresh))
		}
	}
	m.state = state
	return nil
}

// readFresh reads the texts of some rows.
func (t *Table) readFresh(ctx context.Context, ids []int64) (map[int64]freshRow, error) {
	sources := slices.Collect(maps.Keys(t.mirror.base.arenas))
	read, lost := make(map[int64]freshRow, len(ids)), false
	err := t.readTexts(ctx, t.db.base, sources, engine.All{t.live(), engine.Among{Column: engine.ID, IDs: ids}},
		func(id int64, texts [][]byte, odd []bool) error {
			row := freshRow{}
			for i, s := range sources {
				if row[s] = texts[i]; odd[i] {
					t.mirror.refused[s], lost = true, true
				}
			}
			read[id] = row
			return nil
		})
	if lost {
		t.mirror.base = nil
		return nil, errMoved
	}
	return read, err
}

// change replaces the rows with those ids by what was read.
func (m *mirror) change(ids []int64, read map[int64]freshRow) {
	for _, id := range ids {
		if i, ok := m.base.place(id); ok {
			m.stale.set(i)
		}
		if m.texts[id] = read[id]; read[id] == nil {
			delete(m.texts, id)
		}
	}
	m.fresh = newBlock(m.texts, m.base)
}

// settle makes b the base, without any changed rows.
func (m *mirror) settle(b *block) {
	m.base, m.stale, m.texts = b, newBitmap(len(b.ids)), map[int64]freshRow{}
	m.fresh = newBlock(nil, b)
}
