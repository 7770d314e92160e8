package server

import (
	"context"
	"errors"
	"time"
)

// VerifyDeclarations returns the problems of a portal's declarations, and the number of
// declarations.
func VerifyDeclarations() (n int, err error) {
	var s Server
	err = s.tables()
	for _, verify := range s.verifies {
		err = errors.Join(err, verify())
	}
	return len(s.verifies), err
}

// Crash runs a background task that panics.
func (s *Server) Crash(task string) { s.wait.Go(task, func() { panic("index out of range") }) }

// Verify checks the databases, as the portal does once in the background.
func (s *Server) Verify(ctx context.Context) { s.verifyNow(ctx) }

// LookAtFiles checks whether the databases are writable, as the portal does
// regularly.
func (s *Server) LookAtFiles() { s.lookAtFiles() }

// Problem returns the reason why writes fail; "" if they work.
func (s *Server) Problem() string {
	problem, _ := s.storage.now()
	return problem
}

// Ready returns what GET /readyz responds.
func (s *Server) Ready(ctx context.Context) error { return s.ready(ctx) }

// DrainWithin limits how long open requests may take when the server stops.
func (s *Server) DrainWithin(d time.Duration) { s.drainWithin = d }
