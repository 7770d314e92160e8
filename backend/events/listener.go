package events

import (
	"context"
	"sync"

	"spyglass/backend/resource"
)

// listener is one stream.
type listener struct {
	user   int64
	who    *resource.Access
	rights string
	scopes []*scope
	left   bool          // guarded by Service.mu
	wake   chan struct{} // something waits, or is in doubt
	over   chan struct{} // closed when the stream has to end
	once   sync.Once

	mu       sync.Mutex
	waiting  []resource.Event
	lost     bool // too many waited
	doubtful bool // the user may have other rights now
}

// mostWaiting is the maximum number of unread events of a listener.
const mostWaiting = 500

// ready waits until the scopes of the listener have read the visible rows.
func (l *listener) ready(ctx context.Context) error {
	for _, sc := range l.scopes {
		select {
		case <-sc.begun:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		if sc.err != nil {
			return sc.err
		}
	}
	return nil
}

// end ends the stream.
func (l *listener) end() { l.once.Do(func() { close(l.over) }) }

// put queues events. If the queue becomes too long, it is dropped, and the stream gets lost.
func (l *listener) put(events []resource.Event) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case len(events) == 0 || l.lost:
		return
	case len(l.waiting)+len(events) > mostWaiting:
		l.waiting, l.lost = nil, true
	default:
		l.waiting = append(l.waiting, events...)
	}
	l.rouse()
}

// lose has the listener list again.
func (l *listener) lose() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.waiting, l.lost = nil, true
	l.rouse()
}

// doubt requests a check of the user's permissions.
func (l *listener) doubt() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.doubtful = true
	l.rouse()
}

// rouse wakes pass.
func (l *listener) rouse() {
	select {
	case l.wake <- struct{}{}:
	default: // it is awake
	}
}

func (l *listener) take() (events []resource.Event, doubtful bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	events, doubtful = l.waiting, l.doubtful
	if l.lost {
		events = []resource.Event{{Name: "lost", Data: struct{}{}}}
	}
	l.waiting, l.lost, l.doubtful = nil, false, false
	return events, doubtful
}

// pass sends what waits until the stream ends.
func (l *listener) pass(ctx context.Context, send func(...resource.Event) error,
	holds func(context.Context) bool) error {
	for {
		select {
		case <-ctx.Done():
			return nil // the client has disconnected
		case <-l.over:
			return nil
		case <-l.wake:
		}
		select {
		case <-l.over: // before what waits: the caller may see it no more
			return nil
		default:
		}
		events, doubtful := l.take()
		if doubtful && !holds(ctx) {
			return nil
		}
		if len(events) == 0 {
			continue
		}
		if err := send(events...); err != nil {
			return err
		}
	}
}
