package server

// Crash runs a background task that panics.
func (s *Server) Crash(task string) { s.wait.Go(task, func() { panic("index out of range") }) }
