package store

import (
	"context"
	"errors"
	"maps"
	"slices"

	"spyglass/backend/resource"
	"spyglass/backend/store/engine"
)

// reflect starts to build the mirror with the wished columns and those it already
// has. It returns a channel that closes when the build ends, or nil if the mirror
// cannot have these columns.
func (t *Table) reflect(w wish) <-chan struct{} {
	m := &t.mirror
	m.mu.Lock()
	defer m.mu.Unlock()
	if slices.ContainsFunc(w.sources, func(s source) bool { return m.refused[s] }) {
		return nil
	}
	if m.loading != nil {
		return m.loading
	}
	done := make(chan struct{})
	if !t.db.background(func(ctx context.Context) {
		defer func() {
			m.mu.Lock()
			defer m.mu.Unlock()
			m.loading = nil
			close(done)
		}()
		t.reflectNow(ctx, w)
	}) {
		return nil
	}
	m.loading = done
	return done
}

// reflectNow builds the mirror. If it gets too large, it drops the columns that
// are not wished for now. If that is not enough, or if a column has texts that
// the engine compares in its own way, it refuses these columns.
func (t *Table) reflectNow(ctx context.Context, w wish) {
	m := &t.mirror
	m.mu.RLock()
	sources, sorts := slices.Clone(w.sources), map[string]bool{}
	if m.base != nil {
		for s := range m.base.arenas {
			if !slices.Contains(sources, s) {
				sources = append(sources, s)
			}
		}
		for column := range m.base.orders {
			sorts[column] = true
		}
	}
	m.mu.RUnlock()
	if w.sort != "" {
		sorts[w.sort] = true
	}
	b, state, bad, err := t.readBlock(ctx, sources)
	if errors.Is(err, errTooLarge) && len(sources) > len(w.sources) {
		sources, sorts = w.sources, map[string]bool{w.sort: w.sort != ""}
		b, state, bad, err = t.readBlock(ctx, sources)
	}
	if errors.Is(err, errTooLarge) {
		bad = w.sources
	}
	if err == nil && len(bad) == 0 {
		maps.DeleteFunc(sorts, func(column string, wanted bool) bool {
			return !wanted || b.arenas[source{column: column}] == nil
		})
		for column := range sorts {
			b.sortBy(column)
		}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.refused == nil {
		m.refused = map[source]bool{}
	}
	for _, s := range bad {
		m.refused[s] = true
	}
	if err == nil && len(bad) == 0 {
		m.settle(b)
		m.state = state
	}
}

var errTooLarge = errors.New("the texts are too large to be kept")

// readBlock reads the columns of all existing rows. It returns the state it read
// and the columns that cannot be cached.
func (t *Table) readBlock(ctx context.Context, sources []source) (b *block, state uint64, bad []source, err error) {
	t.mirror.notes.listen()
	s, state, err := t.pin(ctx)
	if err != nil {
		return nil, 0, nil, err
	}
	defer func() { _ = s.Close() }()
	b = &block{arenas: map[source]*arena{}, orders: map[string][]uint32{}}
	for _, s := range sources {
		b.arenas[s] = newArena(0)
	}
	size, sorted := 0, true
	err = t.readTexts(ctx, s, sources, t.live(), func(id int64, texts [][]byte, odd []bool) error {
		sorted = sorted && (len(b.ids) == 0 || b.ids[len(b.ids)-1] < id)
		b.ids = append(b.ids, id)
		size += 8
		for i, s := range sources {
			if odd[i] && !slices.Contains(bad, s) {
				bad = append(bad, s)
			}
			b.arenas[s].add(texts[i])
			size += len(texts[i]) + 12
		}
		if size > maxMirror {
			return errTooLarge
		}
		return nil
	})
	if err == nil {
		b.arrange(sorted)
	}
	return b, state, bad, err
}

// pin starts to read one known state of the table.
func (t *Table) pin(ctx context.Context) (engine.Snapshot, uint64, error) {
	for range 100 {
		s, err := t.db.base.Snapshot(ctx)
		if err != nil {
			return nil, 0, err
		}
		state := t.lock.now()
		// the first query determines the state
		_, err = number(s.Select(ctx, engine.Select{Table: t.table, Columns: onlyID, Limit: 1}))
		if err == nil && settled(state) && t.lock.now() == state {
			return s, state, nil
		}
		if err := errors.Join(err, s.Close()); err != nil {
			return nil, 0, err
		}
	}
	return nil, 0, errMoved
}

// readTexts visits the rows that meet a condition, in any order.
// odd marks the texts that cannot be cached.
func (t *Table) readTexts(ctx context.Context, r engine.Reader, sources []source, where engine.Cond,
	visit func(id int64, texts [][]byte, odd []bool) error) error {
	columns := []string{engine.ID}
	for _, s := range sources {
		columns = append(columns, s.column)
	}
	found, err := r.Select(ctx, engine.Select{Table: t.table, Columns: columns, Where: where, Once: true})
	if err != nil {
		return err
	}
	defer found.Close()
	var id int64
	stored, texts, odd := make([]string, len(sources)), make([][]byte, len(sources)), make([]bool, len(sources))
	dest := []any{&id}
	for i := range stored {
		dest = append(dest, &stored[i])
	}
	for found.Next() {
		if err := found.Scan(dest...); err != nil {
			return err
		}
		for i, s := range sources {
			var ok bool
			texts[i], ok = s.texts(stored[i])
			odd[i] = !ok
		}
		if err := visit(id, texts, odd); err != nil {
			return err
		}
	}
	return found.Err()
}

// arrange sorts rows by their ids, and releases unused memory of the arenas.
func (b *block) arrange(sorted bool) {
	places := make([]uint32, len(b.ids))
	for i := range places {
		places[i] = uint32(i)
	}
	if !sorted {
		slices.SortFunc(places, func(x, y uint32) int { return int(b.ids[x] - b.ids[y]) })
	}
	ids := make([]int64, len(b.ids))
	for i, place := range places {
		ids[i] = b.ids[place]
	}
	b.ids = ids
	for s, old := range b.arenas {
		a := newArena(len(ids))
		a.data = append(make([]byte, 0, len(old.data)), 0)
		for _, place := range places {
			a.add(old.row(int(place)))
		}
		b.arenas[s] = a
	}
}

// sourcesOf returns the columns that a filter on one field searches.
func (t *Table) sourcesOf(name string, wide bool) []source {
	var sources []source
	for _, c := range t.columns {
		if c.Hidden || name != "_all" && c.Name != name {
			continue
		}
		if c.Kind == resource.KindText || c.Kind == resource.KindPairs && name == "_all" {
			sources = append(sources, source{column: c.Name, pairs: c.Kind == resource.KindPairs, wide: wide})
		}
	}
	return sources
}
