package store

import (
	"context"

	"spyglass/backend/resource"
	"spyglass/backend/store/engine"
)

// snapshot reads one state of the database, however long that takes. One
// goroutine uses it.
type snapshot struct {
	db   *DB
	base engine.Snapshot
	made map[string]any
}

var _ querier = (*snapshot)(nil)

// Memo caches the result of build for the lifetime of the snapshot, because its
// state never changes.
func (s *snapshot) Memo(key string, _ []string, build func() (any, error)) (any, error) {
	if value, ok := s.made[key]; ok {
		return value, nil
	}
	value, err := build()
	if err != nil {
		return nil, err
	}
	if s.made == nil || len(s.made) >= maxMemos {
		s.made = map[string]any{}
	}
	s.made[key] = value
	return value, nil
}

// GetRow implements resource.Reader.
func (s *snapshot) GetRow(ctx context.Context, name string, id int64, row any) error {
	t, err := s.db.table(name)
	if err != nil {
		return err
	}
	return t.getRow(ctx, s, id, row)
}

// FindRows implements resource.Reader.
func (s *snapshot) FindRows(ctx context.Context, name string, rows any, where ...resource.Where) error {
	t, err := s.db.table(name)
	if err != nil {
		return err
	}
	return t.findRows(ctx, s, rows, where)
}

// CountBy implements resource.Reader.
func (s *snapshot) CountBy(ctx context.Context, name, field string) (map[int64]int64, error) {
	t, err := s.db.table(name)
	if err != nil {
		return nil, err
	}
	value, err := s.Memo("countBy:"+name+":"+field, nil, func() (any, error) { return t.countBy(ctx, s, field) })
	if err != nil {
		return nil, err
	}
	return value.(map[int64]int64), nil
}

// CountWithin implements resource.Reader.
func (s *snapshot) CountWithin(ctx context.Context, name, field string,
	within map[int64][]int64) (map[int64]int64, error) {
	t, err := s.db.table(name)
	if err != nil {
		return nil, err
	}
	return t.countWithin(ctx, s, field, within)
}
