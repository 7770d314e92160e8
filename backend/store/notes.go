package store

import (
	"slices"
	"sync"
)

// notes collects the rows that commits have changed since the last read, so that
// a cache of a table can be updated row by row.
type notes struct {
	mu     sync.Mutex
	on     bool // a reader is waiting for notes
	states []uint64
	ids    []int64
	lost   uint64 // the last state whose changes are unknown or were too many
}

// maxNotes limits how many changed rows are remembered.
const maxNotes = 50_000

// noted holds the rows of a table that a single transaction has changed.
type noted struct{ ids []int64 }

// note records that a row changes. Each note belongs to one touch of the table; a
// touch without a note means that any row may have changed.
func (t *tx) note(s *seqlock, id int64) {
	if t.noted == nil {
		t.noted = map[*seqlock]*noted{}
	}
	if t.noted[s] == nil {
		t.noted[s] = &noted{}
	}
	t.noted[s].ids = append(t.noted[s].ids, id)
}

// rowsOf returns the rows of a table that the transaction has changed; whole is false if
// there may be others.
func (t *tx) rowsOf(s *seqlock) (ids []int64, whole bool) {
	if c := t.noted[s]; c != nil {
		ids = c.ids
	}
	return ids, len(ids) == t.touched[s]
}

// publish passes on the rows that a commit changed, before readers see the new
// state.
func (t *tx) publish(s *seqlock) {
	if s.notes != nil {
		ids, whole := t.rowsOf(s)
		s.notes.add(s.now()+1, ids, whole)
	}
}

func (n *notes) add(state uint64, ids []int64, whole bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if !n.on {
		return
	}
	if !whole || len(n.ids)+len(ids) > maxNotes {
		n.lost, n.ids, n.states = state, nil, nil
		return
	}
	for _, id := range ids {
		n.ids, n.states = append(n.ids, id), append(n.states, state)
	}
}

// listen starts recording.
func (n *notes) listen() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.on = true
}

// since returns the rows that changed between two states; ok is false if that is
// not known. It forgets older notes.
func (n *notes) since(from, to uint64) (ids []int64, ok bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.lost > from {
		return nil, false
	}
	first, _ := slices.BinarySearch(n.states, from+1)
	last, _ := slices.BinarySearch(n.states, to+1)
	ids = slices.Clone(n.ids[first:last])
	n.ids, n.states = slices.Delete(n.ids, 0, first), slices.Delete(n.states, 0, first)
	slices.Sort(ids)
	return slices.Compact(ids), true
}
