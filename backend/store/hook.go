package store

import (
	"slices"

	"spyglass/backend/resource"
)

// hook adds the hooks of a resource. The caller holds db.mu.
func (db *DB) hook(hooks []resource.Hook) {
	if db.hooks == nil {
		db.hooks = map[string][]any{}
	}
	for _, h := range hooks {
		db.hooks[h.Point] = append(slices.Clip(db.hooks[h.Point]), h.Do)
	}
}

// Hooks implements resource.Reader.
func (db *DB) Hooks(point string) []any {
	db.mu.RLock()
	defer db.mu.RUnlock()
	return db.hooks[point]
}

// Hooks implements resource.Reader.
func (t *tx) Hooks(point string) []any { return t.db.Hooks(point) }

// Hooks implements resource.Reader.
func (s *snapshot) Hooks(point string) []any { return s.db.Hooks(point) }
