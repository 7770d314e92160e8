package store

// watcher is notified when tables change.
type watcher struct {
	of     []*seqlock
	signal chan struct{}
}

// Watch signals each commit that changed a row of one of those resources. It
// combines commits into one signal until the receiver reads it. stop ends it; the
// channel is never closed.
func (db *DB) Watch(names ...string) (changed <-chan struct{}, stop func()) {
	w := &watcher{signal: make(chan struct{}, 1)}
	db.mu.Lock()
	defer db.mu.Unlock()
	for _, name := range names {
		if t := db.tables[name]; t != nil {
			w.of = append(w.of, &t.lock)
		}
	}
	if db.watchers == nil {
		db.watchers = map[*watcher]bool{}
	}
	db.watchers[w] = true
	return w.signal, func() {
		db.mu.Lock()
		defer db.mu.Unlock()
		delete(db.watchers, w)
	}
}

// announce signals the watchers of the tables that were changed.
func (db *DB) announce(touched map[*seqlock]int) {
	db.mu.RLock()
	defer db.mu.RUnlock()
	for w := range db.watchers {
		for _, s := range w.of {
			if touched[s] > 0 {
				select {
				case w.signal <- struct{}{}:
				default: // it already has a signal
				}
				break
			}
		}
	}
}
