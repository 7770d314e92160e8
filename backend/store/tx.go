package store

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"iter"
	"maps"
	"slices"
	"sync"
	"sync/atomic"

	"spyglass/backend/resource"
)

// tx is a write transaction. Only the writer's goroutine uses it.
type tx struct {
	db          *DB
	w           *writer
	touched     map[*seqlock]int // the number of changes of each table
	noted       map[*seqlock]*noted
	memos       map[string]txMemo
	changes     []resource.Changed // for feeds
	unfollowed  []*Table           // changed tables without a record in changes
	given       []*int64           // the ids assigned to rows, where they may be rolled back
	drawn       []drawn            // tables that have given ids to rows of the batch
	drawnBefore int                // the length of drawn before the current job
	ran         []*job             // jobs of the batch whose callers have no result yet
	ending      bool               // touched tables are unsettled: see writer.end
	redeclared  bool               // the declaration of a table has changed
	auditing                       // the current job's changes for the audit log
}

// seqlock numbers the states of a table; it is odd while a commit is changing the
// table, or while this process does not hear of the commits of others. A reader
// that sees the same even number before and after has read one state.
type seqlock struct {
	n     atomic.Uint64
	notes *notes // receives the changed rows; may be nil

	mu   sync.Mutex
	open int // how many reasons there are for an odd number
}

func (s *seqlock) begin() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.open++; s.open == 1 {
		s.n.Add(1)
	}
}

func (s *seqlock) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.open--; s.open == 0 {
		s.n.Add(1)
	}
}

func (s *seqlock) now() uint64  { return s.n.Load() }
func settled(state uint64) bool { return state%2 == 0 }

// memos caches values that are built from tables, until one of these tables
// changes. When it is full, it drops the least recently used values.
type memos struct {
	mu    sync.RWMutex
	young map[string]memo // created or used since the last change of generations
	old   map[string]memo // the generation before
}

type memo struct {
	states []uint64
	value  any
}

// maxMemos limits the values in a generation: a few are built from whole tables,
// and many from single rows that others refer to.
const maxMemos = 5_000

func (m *memos) get(key string) (memo, bool) {
	m.mu.RLock()
	have, ok := m.young[key]
	aged, was := m.old[key]
	m.mu.RUnlock()
	if !ok && was {
		m.put(key, aged)
		return aged, true
	}
	return have, ok
}

func (m *memos) put(key string, value memo) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.young == nil || len(m.young) >= maxMemos {
		m.young, m.old = map[string]memo{}, m.young
	}
	m.young[key] = value
}

// Memo caches the result of build until a row of one of those resources changes.
// build may run several times at once; callers must not change its result.
func (db *DB) Memo(key string, names []string, build func() (any, error)) (any, error) {
	return db.memo(&db.memos, key, names, build)
}

func (db *DB) memo(in *memos, key string, names []string, build func() (any, error)) (any, error) {
	before := db.states(names)
	if have, ok := in.get(key); ok && slices.Equal(have.states, before) {
		return have.value, nil
	}
	value, err := build()
	if err != nil || slices.ContainsFunc(before, func(s uint64) bool { return !settled(s) }) ||
		!slices.Equal(before, db.states(names)) {
		return value, err
	}
	in.put(key, memo{before, value})
	return value, nil
}

// txMemo is a value built from tables after a number of changes.
type txMemo struct {
	changes []int
	value   any
}

// Memo inside a transaction does not share a value built from a table that this
// transaction has changed: the change may be rolled back.
func (t *tx) Memo(key string, names []string, build func() (any, error)) (any, error) {
	return t.memo(&t.db.memos, key, names, build)
}

func (t *tx) memo(in *memos, key string, names []string, build func() (any, error)) (any, error) {
	changes, changed := make([]int, len(names)), false
	for i, name := range names {
		table, err := t.db.table(name)
		if err != nil {
			return nil, err
		}
		changes[i] = t.touched[&table.lock]
		changed = changed || changes[i] > 0
	}
	if !changed {
		return t.db.memo(in, key, names, build)
	}
	if have, ok := t.memos[key]; ok && slices.Equal(have.changes, changes) {
		return have.value, nil
	}
	value, err := build()
	if err != nil {
		return value, err
	}
	if t.memos == nil || len(t.memos) >= maxMemos {
		t.memos = map[string]txMemo{}
	}
	t.memos[key] = txMemo{changes, value}
	return value, nil
}

func (db *DB) states(names []string) []uint64 {
	db.mu.RLock()
	defer db.mu.RUnlock()
	states := make([]uint64, len(names))
	for i, name := range names {
		if t := db.tables[name]; t != nil {
			states[i] = t.lock.now()
		}
	}
	return states
}

func (db *DB) table(name string) (*Table, error) {
	db.mu.RLock()
	defer db.mu.RUnlock()
	if t := db.tables[name]; t != nil {
		return t, nil
	}
	return nil, fmt.Errorf("no table %q in %s", name, db.name)
}

// GetRow implements resource.Reader.
func (db *DB) GetRow(ctx context.Context, name string, id int64, row any) error {
	t, err := db.table(name)
	if err != nil {
		return err
	}
	return t.getRow(ctx, db, id, row)
}

// FindRows implements resource.Reader.
func (db *DB) FindRows(ctx context.Context, name string, rows any, where ...resource.Where) error {
	t, err := db.table(name)
	if err != nil {
		return err
	}
	return t.findRows(ctx, db, rows, where)
}

// CountBy implements resource.Reader. It caches the counts until the table
// changes.
func (db *DB) CountBy(ctx context.Context, name, field string) (map[int64]int64, error) {
	t, err := db.table(name)
	if err != nil {
		return nil, err
	}
	value, err := db.Memo("countBy:"+name+":"+field, []string{name},
		func() (any, error) { return t.countBy(ctx, db, field) })
	if err != nil {
		return nil, err
	}
	return value.(map[int64]int64), nil
}

// digestOf identifies the scope of a count. For a large tree it is shorter than
// the tree.
func digestOf(within map[int64][]int64) string {
	sum := sha256.New()
	number := make([]byte, 0, 8)
	write := func(n int64) {
		number = binary.LittleEndian.AppendUint64(number[:0], uint64(n))
		sum.Write(number)
	}
	for _, id := range slices.Sorted(maps.Keys(within)) {
		write(id)
		write(int64(len(within[id])))
		for _, inside := range within[id] {
			write(inside)
		}
	}
	return string(sum.Sum(nil))
}

// CountWithin implements resource.Reader.
func (db *DB) CountWithin(ctx context.Context, name, field string, within map[int64][]int64) (map[int64]int64, error) {
	t, err := db.table(name)
	if err != nil {
		return nil, err
	}
	key := "countWithin:" + name + ":" + field + ":" + digestOf(within)
	value, err := db.Memo(key, []string{name}, func() (any, error) { return t.countWithin(ctx, db, field, within) })
	if err != nil {
		return nil, err
	}
	return value.(map[int64]int64), nil
}

// GetRow implements resource.Reader.
func (t *tx) GetRow(ctx context.Context, name string, id int64, row any) error {
	table, err := t.db.table(name)
	if err != nil {
		return err
	}
	if err := table.getRow(ctx, t, id, row); err != nil {
		return err
	}
	return table.remember(ctx, t, id, row)
}

// FindRows implements resource.Reader.
func (t *tx) FindRows(ctx context.Context, name string, rows any, where ...resource.Where) error {
	table, err := t.db.table(name)
	if err != nil {
		return err
	}
	return table.findRows(ctx, t, rows, where)
}

// CountBy implements resource.Reader.
func (t *tx) CountBy(ctx context.Context, name, field string) (map[int64]int64, error) {
	table, err := t.db.table(name)
	if err != nil {
		return nil, err
	}
	return table.countBy(ctx, t, field)
}

// CountWithin implements resource.Reader.
func (t *tx) CountWithin(ctx context.Context, name, field string, within map[int64][]int64) (map[int64]int64, error) {
	table, err := t.db.table(name)
	if err != nil {
		return nil, err
	}
	return table.countWithin(ctx, t, field, within)
}

// PutRow implements resource.Tx.
func (t *tx) PutRow(ctx context.Context, name string, row any) error {
	table, err := t.db.table(name)
	if err != nil {
		return err
	}
	return table.putRow(ctx, t, row)
}

// Bulk implements resource.Tx.
func (t *tx) Bulk(ctx context.Context, name string, rows iter.Seq2[any, error]) error {
	table, err := t.db.table(name)
	if err != nil {
		return err
	}
	if err := t.w.base.Unindex(ctx, table.table); err != nil {
		return err
	}
	if err := table.bulk(ctx, t, rows); err != nil {
		return err
	}
	return t.w.base.Define(ctx, table.table)
}

// DeleteRow implements resource.Tx.
func (t *tx) DeleteRow(ctx context.Context, name string, id int64) error {
	table, err := t.db.table(name)
	if err != nil {
		return err
	}
	return table.deleteRow(ctx, t, id)
}

// DeleteRows implements resource.Tx.
func (t *tx) DeleteRows(ctx context.Context, name string, where ...resource.Where) error {
	table, err := t.db.table(name)
	if err != nil {
		return err
	}
	return table.deleteRows(ctx, t, where)
}
