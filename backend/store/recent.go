package store

import (
	"fmt"
	"sync"

	"spyglass/backend/resource"
	"spyglass/backend/store/engine"
)

// recent caches the pages that were read last, until the table changes: many
// users view the same first page.
type recent struct {
	mu    sync.Mutex
	state uint64 // the state of the table, for all pages
	pages map[string]*page
	size  int
}

// maxRecent limits the size of the cached pages of a table, in bytes.
const maxRecent = 1 << 20

// pageKey returns the key of a page of a list.
func pageKey(cond *condition, order []engine.Order, q resource.Query) string {
	return fmt.Sprint(engine.Key(cond.all), order, q.Size, " ", q.Offset)
}

func (r *recent) get(key string, state uint64) *page {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.state != state {
		return nil
	}
	return r.pages[key]
}

// put caches a page. The page must not change afterwards.
func (r *recent) put(key string, state uint64, p *page) {
	size := 200 + len(key)
	for i := range p.body {
		size += 200 + len(p.body[i])
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.state > state || size > maxRecent/2 {
		return
	}
	if r.state < state || r.size+size > maxRecent || r.pages == nil {
		r.state, r.pages, r.size = state, map[string]*page{}, 0
	}
	r.pages[key] = p
	r.size += size
}
