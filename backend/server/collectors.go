package server

import (
	"context"
	"net/netip"
	"path/filepath"

	"spyglass/backend/check"
	"spyglass/backend/collect"
	"spyglass/backend/monitor"
	"spyglass/backend/notify"
	"spyglass/backend/series"
)

// openSeries opens the samples, in a file of their own, so that they never hold
// up the portal's writes.
func (s *Server) openSeries(ctx context.Context) (err error) {
	s.series, err = series.Open(ctx, series.Options{Path: filepath.Join(s.o.Data, "series.db"), Log: s.o.Log, Clock: s.o.Clock})
	return err
}

// watch makes the monitor, and the engine that is the built-in collector.
func (s *Server) watch() {
	dialer := &check.Dialer{Folder: s.o.Data}
	if s.listener != nil {
		if at, err := netip.ParseAddrPort(s.Address()); err == nil {
			dialer.Own = append(dialer.Own, at)
		}
	}
	s.monitor = monitor.New(monitor.Options{DB: s.db, Log: s.o.Log, Clock: s.o.Clock, Discoverers: check.Discoverers(dialer)})
	s.notices = notify.New(s.db, notify.Options{
		Dial: dialer.DialContext, Origin: s.link, Name: func() string { return s.Setting.Name }, Version: s.o.Version, Log: s.o.Log, Clock: s.o.Clock,
	})
	s.engine = monitor.NewEngine(monitor.EngineOptions{DB: s.db, Series: s.series, Checks: check.All(dialer), Log: s.o.Log, Clock: s.o.Clock})
}

// link is where people find the portal; nothing where it does not listen.
func (s *Server) link() string {
	if s.listener == nil {
		return ""
	}
	return s.Origin()
}

// collectors answers remote collectors.
func (s *Server) collectors() *collect.Service {
	return collect.New(collect.Options{DB: s.db, Folder: filepath.Join(s.o.Data, "installers"), Tasks: monitor.Tasks, Take: s.engine.Take})
}
