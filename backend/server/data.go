package server

import (
	"spyglass/backend/data"
	"spyglass/backend/demo"
	"spyglass/backend/monitor"
	"spyglass/backend/resource"
)

// samples take care of what was measured while the portal runs.
type samples struct {
	keep    *monitor.Keep
	history *demo.History // nil unless this is the demo
}

// data answers what was measured.
func (s *Server) data() []resource.Endpoint {
	s.samples = &samples{keep: monitor.NewKeep(monitor.Options{DB: s.db, Log: s.o.Log}, s.series)}
	if s.Setting.Demo && !s.o.NoHistory {
		s.samples.history = s.newHistory()
	}
	return data.New(data.Options{DB: s.db, Series: s.series, Zone: s.zone}).Endpoints()
}

func (m *samples) start() {
	m.keep.Start()
	if m.history != nil {
		m.history.Start()
	}
}

func (m *samples) stop() {
	m.stopHistory()
	m.keep.Stop()
}

func (m *samples) stopHistory() {
	if m.history != nil {
		m.history.Stop()
	}
}
