package server

import (
	"context"
	"errors"
	"sync/atomic"

	"spyglass/backend/data"
	"spyglass/backend/demo/history"
	"spyglass/backend/monitor"
	"spyglass/backend/resource"
)

// samples manages the measured data of the portal.
type samples struct {
	keep    *monitor.Keep
	history atomic.Pointer[history.History] // only in a demo; a reset replaces it
}

// data returns the endpoints for measured values.
func (s *Server) data() []resource.Endpoint {
	s.samples = &samples{keep: monitor.NewKeep(monitor.Options{DB: s.db, Log: s.o.Log, Guard: s.guard}, s.series)}
	if s.Setting.Demo && !s.o.NoHistory {
		s.samples.history.Store(s.newHistory())
	}
	return data.New(data.Options{DB: s.db, Series: s.series, Zone: s.zone}).Endpoints()
}

func (m *samples) Start(ctx context.Context) {
	m.keep.Start(ctx)
	if h := m.history.Load(); h != nil {
		h.Start(ctx)
	}
}

func (m *samples) Stop(ctx context.Context) error {
	return errors.Join(m.stopHistory(ctx), m.keep.Stop(ctx))
}

func (m *samples) stopHistory(ctx context.Context) error {
	if h := m.history.Load(); h != nil {
		return h.Stop(ctx)
	}
	return nil
}

// filling reports whether samples of the demo's past are still missing.
func (m *samples) filling() bool {
	h := m.history.Load()
	return h != nil && h.Filling()
}
