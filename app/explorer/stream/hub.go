// Package stream sends events to the pages of a user as they happen.
//
// A Hub passes events to the streams of a user. A slow stream delays no other: it
// gets the newest event of each key. OpenLinks sends spyglass:// links to one
// page.
//
// # Concurrency
//
// A Hub is safe for concurrent use; its exported fields are set before the first use.
// Each stream has up to two goroutines beside it, which pass on changes of the portal
// and of its storage; they end with the stream. Streams end when Stopped closes.
//
// # Errors
//
// Notify cannot fail. A link that cannot be read is sent as an event with the
// problem.
package stream

import (
	"context"
	"sync"

	"spyglass/backend/resource"
	"spyglass/backend/service"
)

// Hub passes events to the streams of a user. A slow stream delays no other: it
// gets the newest event of each key.
type Hub struct {
	Stopped <-chan struct{} // ends the streams
	// Changes calls notify with the kinds of rows that change in the portal, until
	// ctx ends or notify fails; nil if changes are not reported.
	Changes func(ctx context.Context, notify func(kinds []string) error) error
	// Storage calls notify with the reason why the portal cannot write, "" if it
	// can: immediately, and on each change until ctx ends; nil if that is not
	// reported.
	Storage func(ctx context.Context, notify func(problem string))

	mu      sync.Mutex
	streams map[int64]map[*stream]bool
	joined  uint64    // number of streams that ever joined
	waiting []waiting // events for the next stream, while there is none
}

// waiting is an event for a single stream.
type waiting struct {
	key   string
	event resource.Event
}

// stream is one listener.
type stream struct {
	number uint64 // the later it joined, the higher
	window bool   // it belongs to the desktop window

	mu      sync.Mutex
	keys    []string // of pending, oldest first
	pending map[string]resource.Event
	wake    chan struct{}
}

func (h *Hub) join(userID int64, window bool) *stream {
	s := &stream{window: window, pending: map[string]resource.Event{}, wake: make(chan struct{}, 1)}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.joined++
	s.number = h.joined
	for _, w := range h.waiting {
		s.put(w.key, w.event)
	}
	h.waiting = nil
	if h.streams == nil {
		h.streams = map[int64]map[*stream]bool{}
	}
	if h.streams[userID] == nil {
		h.streams[userID] = map[*stream]bool{}
	}
	h.streams[userID][s] = true
	return s
}

func (h *Hub) leave(userID int64, s *stream) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.streams[userID], s)
	if len(h.streams[userID]) == 0 {
		delete(h.streams, userID)
	}
}

// Notify sends an event to all streams of a user. It replaces an earlier pending
// one with the same key.
func (h *Hub) Notify(userID int64, key string, event Event) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for s := range h.streams[userID] {
		s.put(key, sent(event))
	}
}

// NotifyAll sends an event to all streams of all users, as Notify does.
func (h *Hub) NotifyAll(key string, event Event) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, streams := range h.streams {
		for s := range streams {
			s.put(key, sent(event))
		}
	}
}

// mostWaiting limits the events that wait until a stream joins.
const mostWaiting = 8

// NotifyOne sends an event to a single stream: that of the desktop window, or
// else the one that joined last. If there is none, the event waits for one,
// unless too many are waiting.
func (h *Hub) NotifyOne(key string, event Event) {
	h.mu.Lock()
	defer h.mu.Unlock()
	var best *stream
	for _, streams := range h.streams {
		for s := range streams {
			if best == nil || s.window && !best.window || s.window == best.window && s.number > best.number {
				best = s
			}
		}
	}
	switch {
	case best != nil:
		best.put(key, sent(event))
	case len(h.waiting) < mostWaiting:
		h.waiting = append(h.waiting, waiting{key, sent(event)})
	}
}

func (s *stream) put(key string, event resource.Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, waits := s.pending[key]; !waits {
		s.keys = append(s.keys, key)
	}
	s.pending[key] = event
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

func (s *stream) take() []resource.Event {
	s.mu.Lock()
	defer s.mu.Unlock()
	events := make([]resource.Event, len(s.keys))
	for i, key := range s.keys {
		events[i] = s.pending[key]
	}
	s.keys = nil
	clear(s.pending)
	return events
}

// Endpoint returns the endpoint of the event stream.
func (h *Hub) Endpoint() resource.Endpoint {
	return resource.Endpoint{Method: "GET", Path: "/events", Summary: "Stream progress and changes",
		Response: schema(), Handle: h.events}
}

// events streams until the caller disconnects or Stop is called.
func (h *Hub) events(ctx context.Context, c *resource.Call) (any, error) {
	user := c.Access.UserID
	s := h.join(user, c.Session.Window) // before the first byte, so that no later event is missed
	context.AfterFunc(ctx, func() { h.leave(user, s) })
	return &resource.Response{Events: func(send func(...resource.Event) error) error {
		defer h.leave(user, s)
		defer h.subscribe(ctx, s)()
		for {
			select {
			case <-ctx.Done():
				return nil
			case <-h.Stopped:
				return nil
			case <-s.wake:
			}
			if err := send(s.take()...); err != nil {
				return err
			}
		}
	}}, nil
}

// subscribe passes changes in the portal and the state of its storage to a
// stream. It returns a function that ends this.
func (h *Hub) subscribe(ctx context.Context, s *stream) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var hearing service.Parts
	if h.Storage != nil {
		hearing.Go(func() {
			h.Storage(ctx, func(problem string) {
				s.put("storage", sent(StorageEvent{problem}))
			})
		})
	}
	if h.Changes == nil {
		return func() { cancel(); hearing.Wait() }
	}
	hearing.Go(func() {
		_ = h.Changes(ctx, func(kinds []string) error { // it ends with the stream
			for _, kind := range kinds {
				s.put("portal "+kind, sent(PortalEvent{kind}))
			}
			return nil
		})
	})
	return func() { cancel(); hearing.Wait() }
}
