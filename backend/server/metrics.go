package server

import (
	"path/filepath"

	"spyglass/backend/metrics"
	"spyglass/backend/poll"
)

// measure creates the portal's own metrics.
func (s *Server) measure() {
	s.metrics = metrics.New(metrics.Options{
		Version: s.o.Version, DB: s.db, Series: s.series.Stats, Polls: s.polls, Notices: s.notices.Stats,
		Remote: s.remote.Stats,
		Files: map[string]string{"portal": filepath.Join(s.o.Data, "portal.db"),
			"series": filepath.Join(s.o.Data, "series.db")},
	})
}

// polls returns the poll statistics of the engine that runs now.
func (s *Server) polls() (real, simulated poll.Stats) { return s.engine.Load().Polls() }
