package store

import (
	"fmt"
	"sync"

	"spyglass/backend/resource"
	"spyglass/backend/store/engine"
)

// recent caches the pages that were sent last, until the table changes: many
// users view the same first page.
type recent struct {
	mu    sync.Mutex
	state uint64 // the state of the table, for all pages
	sent  map[string]*sent
	size  int
}

// sent is a page in its envelope. Its derived values may change before the table does.
type sent struct {
	page    *page // without the JSON of its rows
	derived [][][]byte
	json    resource.JSON
}

// maxRecent limits the size of the cached pages of a table, in bytes.
const maxRecent = 1 << 20

// pageKey returns the key of a page of a list.
func pageKey(cond *condition, order []engine.Order, q resource.Query) string {
	return fmt.Sprint(engine.Key(cond.all), order, q.Fields, q.Size, " ", q.Offset)
}

func (r *recent) get(key string, state uint64) *sent {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.state != state {
		return nil
	}
	return r.sent[key]
}

// put caches a page. It must not change afterwards.
func (r *recent) put(key string, state uint64, s *sent) {
	size := 200 + len(key) + len(s.json) + 200*len(s.page.ids)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.state > state || size > maxRecent/2 {
		return
	}
	if r.state < state || r.size+size > maxRecent || r.sent == nil {
		r.state, r.sent, r.size = state, map[string]*sent{}, 0
	}
	r.sent[key] = s
	r.size += size
}
