package workspace

import (
	"context"
	"slices"
	"sync"
	"time"
)

// bin holds deleted values so that they can be restored: the newest most of all
// users, for the time keep; 0 means no limit. They are in memory, and lost when the
// process ends, unless in is set.
type bin[T any] struct {
	most int
	keep time.Duration
	in   *shelved // holds them for all processes; nil for memory

	mu    sync.Mutex
	items []*binned[T]
}

type binned[T any] struct {
	userID, id int64
	what       T
}

// put stores a value that a user deleted.
func (b *bin[T]) put(ctx context.Context, userID, id int64, what T) {
	if b.in != nil {
		b.in.put(ctx, b.most, b.keep, userID, id, what)
		return
	}
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
func (b *bin[T]) take(ctx context.Context, userID, id int64) (what T, ok bool, err error) {
	if b.in != nil {
		ok, err = b.in.take(ctx, b.keep, userID, id, &what)
		return what, ok, err
	}
	item := b.remove(func(it *binned[T]) bool { return it.userID == userID && it.id == id })
	if item == nil {
		return what, false, nil
	}
	return item.what, true, nil
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
