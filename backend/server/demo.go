package server

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"

	"spyglass/backend/demo/history"
	"spyglass/backend/demo/stage"
	"spyglass/backend/fault"
	"spyglass/backend/portal/audit"
	"spyglass/backend/portal/collector"
	"spyglass/backend/portal/incident"
	"spyglass/backend/portal/node"
	"spyglass/backend/portal/people"
	"spyglass/backend/portal/reporting"
	"spyglass/backend/portal/setting"
	"spyglass/backend/report"
	"spyglass/backend/resource"
)

// openStage creates the incidents and the clock of a demo.
func (s *Server) openStage(ctx context.Context) error {
	if !s.Setting.Demo {
		return nil
	}
	s.stage = stage.New(stage.Options{
		DB: s.db, Clock: s.pace, Log: s.o.Log, Guard: s.guard, Reset: s.reset, Filling: func() bool {
			return s.samples.filling()
		},
		Poll: func(wanted func(device, source int64) bool) { s.engine.Load().PollSimulated(wanted) },
	})
	s.endpoints = append(s.endpoints, s.staged...)
	s.endpoints = append(s.endpoints, s.onMonitoring(s.stage.Endpoints())...)
	return s.stage.Resume(ctx)
}

// trouble returns the function by which incidents delay or refuse requests.
func (s *Server) trouble() func(context.Context, *resource.Endpoint) error {
	if s.stage == nil {
		return nil
	}
	return s.stage.Trouble
}

func (s *Server) newHistory() *history.History {
	return history.New(history.Options{DB: s.db, Series: s.series, Log: s.o.Log, Clock: s.pace.Now,
		Guard: s.guard, Ends: true})
}

// realTime wraps endpoints for remote callers: they run in real time, even when
// the demo clock is faster.
func (s *Server) realTime(endpoints []resource.Endpoint) []resource.Endpoint {
	for i := range endpoints {
		handle := endpoints[i].Handle
		endpoints[i].Handle = func(ctx context.Context, c *resource.Call) (any, error) {
			call := *c
			call.At = s.o.Clock()
			return handle(resource.WithCall(ctx, &call), &call)
		}
	}
	return endpoints
}

// kept lists the resources that a reset does not change.
var kept = []string{
	string(people.Users.Name), string(people.Roles.Name), string(people.UserGroups.Name),
	string(people.RoleGroups.Name), string(people.Tokens.Name), string(setting.Settings.Name),
	string(audit.AuditLogs.Name),
	string(reporting.ReportPieces.Name), string(collector.CollectorVersions.Name), string(incident.DemoTimes.Name),
	string(node.Nodes.Name), string(node.Leases.Name), string(node.Requests.Name),
}

// taker copies the rows of one resource from another portal.
type taker struct {
	name  string
	clear func(ctx context.Context, tx resource.Tx) error
	take  func(ctx context.Context, from resource.Reader, tx resource.Tx) error
}

func takes[T any](s *Server, r *resource.Resource[*T]) {
	if slices.Contains(kept, string(r.Name)) {
		return
	}
	s.takers = append(s.takers, taker{
		name:  string(r.Name),
		clear: func(ctx context.Context, tx resource.Tx) error { return resource.DeleteAll(ctx, tx, r.Name) },
		take: func(ctx context.Context, from resource.Reader, tx resource.Tx) error {
			rows, err := resource.Find(ctx, from, r.Name)
			for i := range rows {
				if err == nil {
					err = resource.Put(ctx, tx, r.Name, &rows[i])
				}
			}
			return err
		},
	})
}

// reset recreates the demo: it creates a new one in another folder, and replaces
// the rows of this one by its rows.
func (s *Server) reset(ctx context.Context) error {
	if !s.remaking.TryLock() {
		return fault.New(fault.Conflict, "the demo is being reset already")
	}
	defer s.remaking.Unlock()
	ctx = context.WithoutCancel(ctx) // the client may disconnect, and half a reset is worse
	folder, err := os.MkdirTemp(s.o.Data, "reset-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	made, err := incident.TimeOf(ctx, s.db)
	if err == nil && s.o.Key == nil {
		err = copyFile(filepath.Join(folder, "portal.db.key"), filepath.Join(s.o.Data, "portal.db.key"))
	}
	if err != nil {
		return err
	}
	fresh, err := New(ctx, Options{Data: folder, Key: s.o.Key, Version: s.o.Version, Demo: true,
		DemoDevices: int(made.Devices), NoHistory: true, Log: s.o.Log, Clock: s.o.Clock})
	if err != nil {
		return err
	}
	err = s.takeOver(ctx, fresh, made)
	return errors.Join(err, fresh.Stop(ctx))
}

// takeOver stops monitoring, and restarts it with the rows of another portal.
func (s *Server) takeOver(ctx context.Context, fresh *Server, made *incident.DemoTime) error {
	if err := errors.Join(s.engine.Load().Stop(ctx), s.samples.stopHistory(ctx)); err != nil {
		return err
	}
	err := s.db.Write(resource.WithCall(ctx, nil), func(tx resource.Tx) error {
		for _, t := range slices.Backward(s.takers) {
			if err := t.clear(ctx, tx); err != nil {
				return err
			}
		}
		for _, t := range s.takers {
			if err := t.take(ctx, fresh.db, tx); err != nil {
				return err
			}
		}
		made.Paused, made.At, made.PastOn = false, 0, 0
		return resource.Put(ctx, tx, incident.DemoTimes.Name, made)
	})
	if err == nil {
		s.pace.Follow()
		err = errors.Join(s.series.Delete(ctx, s.series.Instances()...),
			report.CopyFiles(ctx, s.files, fresh.files, func(int, int) {}))
	}
	s.engine.Store(s.engines())
	if !s.o.NoHistory {
		s.engine.Load().Start(s.within)
		s.samples.history.Store(s.newHistory())
		s.samples.history.Load().Start(s.within)
	}
	return err
}

func copyFile(to, from string) error {
	text, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return os.WriteFile(to, text, 0o600)
}
