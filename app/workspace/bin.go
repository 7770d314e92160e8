package workspace

import (
	"slices"
	"sync"
	"time"
)

// bin holds deleted values in memory so that they can be restored: the newest
// most of all users, for the time keep; 0 means no limit. It is lost when the
// process ends.
type bin[T any] struct {
	most int
	keep time.Duration

	mu    sync.Mutex
	items []*binned[T]
}

type binned[T any] struct {
	userID, id int64
	what       T
}

// put stores a value that a user deleted.
func (b *bin[T]) put(userID, id int64, what T) {
	item := &binned[T]{userID, id, what}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.items = append(b.items, item)
	if b.most > 0 && len(b.items) > b.most {
		b.items = slices.Delete(b.items, 0, len(b.items)-b.most)
	}
	if b.keep > 0 {
		time.AfterFunc(b.keep, func() { b.remove(func(other *binned[T]) bool { return other == item }) })
	}
}

// take removes the value that a user last deleted under an id from the bin, and
// returns it.
func (b *bin[T]) take(userID, id int64) (what T, ok bool) {
	item := b.remove(func(it *binned[T]) bool { return it.userID == userID && it.id == id })
	if item == nil {
		return what, false
	}
	return item.what, true
}

func (b *bin[T]) remove(is func(*binned[T]) bool) *binned[T] {
	b.mu.Lock()
	defer b.mu.Unlock()
	for i, item := range slices.Backward(b.items) {
		if is(item) {
			b.items = slices.Delete(b.items, i, i+1)
			return item
		}
	}
	return nil
}
