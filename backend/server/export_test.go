package server

import "context"

// Crash runs a background task that panics.
func (s *Server) Crash(task string) { s.wait.Go(task, func() { panic("index out of range") }) }

// Verify checks the databases, as a portal does once in the background.
func (s *Server) Verify(ctx context.Context) { s.verifyNow(ctx) }

// LookAtFiles checks whether the databases can be written, as a portal does
// regularly.
func (s *Server) LookAtFiles() { s.lookAtFiles() }
