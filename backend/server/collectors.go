package server

import (
	"context"
	"net/netip"
	"os"
	"path/filepath"

	"spyglass/backend/check"
	"spyglass/backend/collect"
	"spyglass/backend/fault"
	"spyglass/backend/monitor"
	"spyglass/backend/notify"
	"spyglass/backend/portal/fleet"
	"spyglass/backend/portal/reporting"
	"spyglass/backend/remotewrite"
	"spyglass/backend/resource"
	"spyglass/backend/series"
)

// samplesHavePortal refuses to create a new portal beside the samples of another:
// a missing database, or one emptied by a failing disk, is not a new one.
func (s *Server) samplesHavePortal(path string) error {
	holds := func(path string) bool {
		info, err := os.Stat(path)
		return err == nil && info.Size() > 0
	}
	if s.o.Database != "" {
		if holds(path) {
			return fault.New(fault.Conflict, "the data folder %s has a portal of its own; nothing was changed. Choose "+
				"another --data folder for the portal in the database, or move this one there with spyglass migrate",
				s.o.Data)
		}
		return nil
	}
	if holds(path) || !holds(filepath.Join(s.o.Data, "series.db")) {
		return nil
	}
	return fault.New(fault.Conflict, "%s is missing or empty, but the samples of a portal lie beside it; nothing was "+
		"changed. Restore a backup, or choose another --data folder", path)
}

// openSeries opens the samples in their own file or schema, so that they never delay the
// portal's writes.
func (s *Server) openSeries(ctx context.Context) error {
	return s.OpenBeside(ctx, "series.db", func(path string, sibling Sibling) (file string, err error) {
		s.series, err = series.Open(ctx, series.Options{Path: path, Database: s.o.Database, Shared: s.o.Database != "",
			Log: s.o.Log, Clock: s.pace.Now, Sibling: sibling, Guard: s.guard, Twice: s.o.Twice})
		if err != nil {
			return "", err
		}
		return s.series.FileID(), nil
	})
}

// dialer returns a dialer that does not connect to this portal.
func (s *Server) dialer() *check.Dialer {
	dialer := &check.Dialer{Folder: s.o.Data}
	if s.listener != nil {
		if at, err := netip.ParseAddrPort(s.Address()); err == nil {
			dialer.Own = append(dialer.Own, at)
		}
	}
	return dialer
}

// watch creates the monitor, and the engine that is the built-in collector.
func (s *Server) watch(ctx context.Context) (err error) {
	dialer := s.dialer()
	s.monitor = monitor.New(monitor.Options{DB: s.db, Log: s.o.Log, Clock: s.o.Clock, Pace: s.pace, Guard: s.guard,
		Discoverers: check.Discoverers(check.All(dialer))})
	s.notices = notify.New(s.db, notify.Options{
		File: func(ctx context.Context, taskID int64) (*reporting.ReportFile, error) {
			return s.reports.Made(ctx, taskID)
		},
		Dial: dialer.DialContext, Origin: s.Link, Name: s.PortalName, Version: s.o.Version, Log: s.o.Log,
		Clock: s.o.Clock, Pace: s.pace, Guard: s.guard,
	})
	s.remote, err = remotewrite.New(ctx, s.db, s.series,
		remotewrite.Options{Dial: dialer.DialContext, Version: s.o.Version, Log: s.o.Log, Clock: s.o.Clock,
			Guard: s.guard})
	if err != nil {
		return err
	}
	if err := s.openStore(ctx, dialer); err != nil {
		return err
	}
	s.engines = func() *monitor.Engine {
		o := monitor.EngineOptions{DB: s.db, Series: s.series, Checks: check.All(dialer), Log: s.o.Log,
			Clock: s.o.Clock, Pace: s.pace, Guard: s.guard, Append: s.append}
		if s.stage != nil {
			o.World = s.stage
		}
		return monitor.NewEngine(o)
	}
	s.engine.Store(s.engines())
	return nil
}

// collectors returns the service for remote collectors.
func (s *Server) collectors() *collect.Service {
	return collect.New(collect.Options{DB: s.db, Folder: filepath.Join(s.o.Data, "installers"), Tasks: monitor.Tasks,
		Take: s.take, Searches: s.searches, TakeFinding: s.takeFinding,
	})
}

// trials returns the endpoints that run checks immediately.
func (s *Server) trials() []resource.Endpoint {
	all := append(monitor.Trials(s.db, s.engine.Load), s.onMonitoring(monitor.PollEndpoints(s.db, s.engine.Load))...)
	return append(all, fleet.MatchesEndpoint(s.db))
}
