package mcp

import (
	"container/list"
	"crypto/rand"
	"sync"
	"time"

	"spyglass/app/explorer/effect"
	"spyglass/app/explorer/outgoing"
	"spyglass/app/explorer/payload"
)

// Limits of handles. The oldest are dropped when there are too many.
const (
	previewTime = 10 * time.Minute
	undoTime    = 24 * time.Hour
	mostHandles = 1000
	mostOfOne   = 100 // of one owner
	mostHeld    = 32 << 20
)

// preview is a change that was shown and not sent yet.
type preview struct {
	out *outgoing.Request
	was *payload.Object // the object before; nil if there was none to read
}

// held is the preview, or the undo of a change, that a handle names.
type held struct {
	handle  string
	owner   string
	preview *preview
	undo    *effect.Undo
	bytes   int
	until   time.Time
}

// handles holds previews and undo records, the oldest first. The zero value is ready to
// use.
type handles struct {
	mu    sync.Mutex
	all   list.List // of *held
	bytes int
}

// keep stores h, and returns its handle.
func (s *handles) keep(h *held) string {
	h.handle = rand.Text()
	s.mu.Lock()
	defer s.mu.Unlock()
	own := 1
	for e := s.all.Back(); e != nil; {
		older := e.Prev()
		if of := e.Value.(*held); of.owner == h.owner {
			if own++; own > mostOfOne {
				s.remove(e)
			}
		}
		e = older
	}
	s.all.PushBack(h)
	s.bytes += h.bytes
	for s.all.Len() > mostHandles || s.bytes > mostHeld && s.all.Len() > 1 {
		s.remove(s.all.Front())
	}
	return h.handle
}

func (s *handles) remove(e *list.Element) {
	s.bytes -= e.Value.(*held).bytes
	s.all.Remove(e)
}

// find returns an owner's handle; nil if there is none any more.
func (s *handles) find(owner, handle string, now time.Time) *held {
	s.mu.Lock()
	defer s.mu.Unlock()
	for e := s.all.Front(); e != nil; e = e.Next() {
		if h := e.Value.(*held); h.handle == handle && h.owner == owner && now.Before(h.until) {
			return h
		}
	}
	return nil
}

// take returns an owner's handle like find, and drops it, so that it is used once.
func (s *handles) take(owner, handle string, now time.Time) *held {
	h := s.find(owner, handle, now)
	if h == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for e := s.all.Front(); e != nil; e = e.Next() {
		if e.Value.(*held) == h {
			s.remove(e)
			return h
		}
	}
	return nil // another call took it
}

func sizeOf(objects ...*payload.Object) (n int) {
	for _, o := range objects {
		if o == nil {
			continue
		}
		for key, value := range o.Values {
			n += len(key) + len(value)
		}
	}
	return n
}
