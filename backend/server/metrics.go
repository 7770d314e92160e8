package server

import (
	"path/filepath"

	"spyglass/backend/metrics"
	"spyglass/backend/poll"
	"spyglass/backend/remotewrite"
)

// measure creates the portal's own metrics.
func (s *Server) measure() {
	var nodes func() metrics.Nodes
	if s.leases != nil {
		nodes = s.nodeFigures
	}
	var store func() remotewrite.Stats
	if s.store != nil {
		store = s.store.Stats
	}
	s.metrics = metrics.New(metrics.Options{Nodes: nodes, Store: store,
		Version: s.o.Version, DB: s.db, Series: s.series.Stats, Polls: s.polls, Notices: s.notices.Stats,
		Remote: s.remote.Stats,
		Files: map[string]string{"portal": filepath.Join(s.o.Data, "portal.db"),
			"series": filepath.Join(s.o.Data, "series.db")},
	})
}

// nodeFigures returns the state of the nodes.
func (s *Server) nodeFigures() metrics.Nodes {
	out := metrics.Nodes{Leases: s.leases.Works()}
	for _, age := range s.leases.Ages() {
		out.Alive, out.Lag = out.Alive+1, max(out.Lag, age)
	}
	pool, _ := s.db.Pool()
	out.Used, out.Open, out.Most, out.Waited = pool.Used, pool.Open, pool.Most, pool.Waited
	return out
}

// polls returns the poll statistics of the engine that runs now.
func (s *Server) polls() (real, simulated poll.Stats) { return s.engine.Load().Polls() }
