package poll

import (
	"container/heap"
	"time"

	"spyglass/backend/check"
)

// queue is a heap of entries ordered by due time, then by instance.
type queue struct {
	heapOf
	step time.Duration // tasks are due at its multiples; at any millisecond when 0
}

type heapOf []*entry

func (h heapOf) Len() int { return len(h) }

func (h heapOf) Less(i, j int) bool {
	if !h[i].due.Equal(h[j].due) {
		return h[i].due.Before(h[j].due)
	}
	return h[i].task.InstanceID < h[j].task.InstanceID
}

func (h heapOf) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].place, h[j].place = i, j
}

// Push implements heap.Interface.
func (h *heapOf) Push(x any) {
	e := x.(*entry)
	e.place = len(*h)
	*h = append(*h, e)
}

// Pop implements heap.Interface.
func (h *heapOf) Pop() any {
	last := len(*h) - 1
	e := (*h)[last]
	(*h)[last] = nil
	*h = (*h)[:last]
	e.place = -1
	return e
}

// put adds the entry, or moves it to its place.
func (q *queue) put(e *entry) {
	if e.place >= 0 {
		heap.Fix(&q.heapOf, e.place)
		return
	}
	heap.Push(&q.heapOf, e)
}

// again recomputes the due times of all entries.
func (q *queue) again(now time.Time) {
	for _, e := range q.heapOf {
		e.due = q.next(e.task, now)
	}
	heap.Init(&q.heapOf)
}

// spread moves overdue entries to due times in the near future, so that they
// are not polled all at once.
func (q *queue) spread(now time.Time) {
	for _, e := range q.heapOf {
		if e.due.After(now) {
			continue
		}
		e.due = q.next(e.task, now)
		if soon := now.Add(within(e.task, catchUp)); soon.Before(e.due) &&
			e.task.Interval > int64(catchUp/time.Second) {
			e.due = soon
		}
	}
	heap.Init(&q.heapOf)
}

func (q *queue) drop(e *entry) {
	if e.place >= 0 {
		heap.Remove(&q.heapOf, e.place)
	}
}

// first returns the next due entry; nil for none.
func (q *queue) first() *entry {
	if len(q.heapOf) == 0 {
		return nil
	}
	return q.heapOf[0]
}

// next returns the first time after now at which the task is due.
func (q *queue) next(t *check.Task, now time.Time) time.Time {
	interval := max(t.Interval, 1) * 1000
	at := now.UnixMilli()
	due := at - at%interval + within(t, time.Duration(interval)*time.Millisecond).Truncate(q.step).Milliseconds()
	for due <= at {
		due += interval
	}
	return time.UnixMilli(due)
}

// within returns the task's own offset in a period.
func within(t *check.Task, while time.Duration) time.Duration {
	return time.Duration(mix(uint64(t.InstanceID))%uint64(while.Milliseconds())) * time.Millisecond
}

// mix spreads consecutive ids (the finalizer of SplitMix64, Steele, Lea and
// Flood 2014).
func mix(n uint64) uint64 {
	n += 0x9e3779b97f4a7c15
	n = (n ^ n>>30) * 0xbf58476d1ce4e5b9
	n = (n ^ n>>27) * 0x94d049bb133111eb
	return n ^ n>>31
}
