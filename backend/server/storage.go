package server

import (
	"cmp"
	"context"
	"sync"

	"spyglass/backend/fault"
)

// storage holds the reason why writes fail, and notifies listeners.
type storage struct {
	mu      sync.Mutex
	problem string
	changed chan struct{} // closed at the next change; nil without listeners
}

func (s *storage) set(problem string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.problem == problem {
		return
	}
	s.problem = problem
	if s.changed != nil {
		close(s.changed)
		s.changed = nil
	}
}

func (s *storage) now() (problem string, changed <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.changed == nil {
		s.changed = make(chan struct{})
	}
	return s.problem, s.changed
}

// Storage calls notify with the reason why writes fail, "" if they do not:
// immediately, and after each change until ctx ends.
func (s *Server) Storage(ctx context.Context, notify func(problem string)) {
	for {
		problem, changed := s.storage.now()
		notify(problem)
		select {
		case <-changed:
		case <-ctx.Done():
			return
		}
	}
}

// lookAtFiles checks whether the databases can be written. The databases log the
// reason if not.
func (s *Server) lookAtFiles() {
	s.lookForRoom()
	problem := ""
	if err := cmp.Or(s.db.Writable(), s.series.Present()); err != nil {
		problem = fault.Sentence(err)
	}
	s.storage.set(problem)
}
