package server

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"os"

	"spyglass/backend/check"
	"spyglass/backend/lease"
	"spyglass/backend/portal/node"
	"spyglass/backend/resource"
	"spyglass/backend/service"
)

// work is a list of services that run on only one node at a time, in the order of their
// starts.
type work struct {
	name     string
	services []service.Service
}

// monitoring is the work of the node that polls, judges and stores samples.
const monitoring = "monitoring"

// works returns the works of the portal as far as New has opened it, the lowest first.
func (s *Server) works() []work {
	var services []service.Service
	var works []work
	add := func(opened bool, name string, start func(ctx context.Context), stop func(ctx context.Context) error) {
		if opened {
			services = append(services, service.Service{Name: name, Start: start, Stop: stop})
		}
	}
	end := func(name string) { works, services = append(works, work{name, services}), nil }

	add(s.samples != nil, "the keeping of samples", s.samples.Start, s.samples.Stop)
	add(s.remote != nil, "remote write", s.remote.Start, s.remote.Stop)
	add(s.store != nil, "the sample store", s.store.Start, s.store.Stop)
	add(s.stage != nil, "the effects of incidents", s.stage.StartEffects, s.stage.StopEffects)
	add(s.engine.Load() != nil, "the engine", s.startEngine, s.stopEngine) // polls devices, and stores samples
	add(s.monitor != nil, "the monitor", s.monitor.Start, s.monitor.Stop)
	add(true, "alerts about the portal", s.startAlerts, s.alerts.Stop)
	end(monitoring)
	add(s.notices != nil, "notices", s.notices.Start, s.notices.Stop)
	end("notices")
	add(s.reports != nil, "reports", s.reports.Start, s.reports.Stop)
	end("reports")
	return works
}

// joinNodes adds this process to the nodes of a portal on a server, and reports whether
// there may be others.
func (s *Server) joinNodes(ctx context.Context) (others bool, err error) {
	if s.o.Database == "" {
		return false, nil
	}
	host, err := os.Hostname()
	if err != nil {
		return false, err
	}
	self := node.Node{Name: host, Process: int64(os.Getpid()), Version: s.o.Version}
	if s.listener != nil {
		self.Address = s.Origin()
		if s.ip().IsUnspecified() { // it says nothing about this machine, and all nodes have it
			_, port, _ := net.SplitHostPort(s.Address()) // of a listener
			self.Address = s.scheme() + net.JoinHostPort(host, port)
		}
	}
	s.leases = lease.New(lease.Options{DB: s.db, Self: self, Log: s.o.Log, Clock: s.o.Clock, Guard: s.guard,
		Respond: s.respond, Outdated: func() bool { return s.db.Outdated() != nil }}, s.leased()...)
	return s.leases.Join(ctx)
}

// leased returns the works for a keeper of leases.
func (s *Server) leased() []lease.Work {
	var all []lease.Work
	for i, w := range s.works() { // only the names: not everything is open yet
		var running *service.Stack
		all = append(all, lease.Work{Name: w.name,
			Begin: func(ctx context.Context, epoch int64) error {
				if w.name == monitoring {
					if err := s.lead(ctx, epoch); err != nil {
						return err
					}
				}
				running = &service.Stack{Guard: s.guard}
				running.Add(s.works()[i].services...)
				return running.Start(ctx)
			},
			End: func(ctx context.Context) error {
				if running == nil {
					return nil
				}
				if err := running.Stop(ctx); err != nil {
					return err
				}
				if running = nil; w.name == monitoring {
					return s.series.Follow(ctx)
				}
				return nil
			}})
	}
	return all
}

// lead makes this node the one that stores samples, with an engine that knows nothing of
// an earlier time.
func (s *Server) lead(ctx context.Context, epoch int64) error {
	if err := s.series.Lead(ctx, epoch); err != nil {
		return err
	}
	s.engine.Store(s.engines())
	if s.samples.history.Load() != nil {
		s.samples.history.Store(s.newHistory())
	}
	return nil
}

// onMonitoring wraps endpoints that need what the node has in memory that polls: other
// nodes send it their requests.
func (s *Server) onMonitoring(endpoints []resource.Endpoint) []resource.Endpoint {
	if s.o.Database == "" {
		return endpoints
	}
	for i := range endpoints {
		e := &endpoints[i]
		name := e.Method + " " + e.Path
		if s.handlers == nil {
			s.handlers = map[string]handler{}
		}
		s.handlers[name] = e.Handle
		e.Handle = func(ctx context.Context, c *resource.Call) (any, error) {
			call := *c
			call.Session, call.Device = resource.Session{}, "" // secrets of the caller
			var out json.RawMessage
			err := s.leases.Request(ctx, monitoring, name, call, &out)
			return out, err
		}
	}
	return endpoints
}

type handler = func(ctx context.Context, c *resource.Call) (any, error)

// Requests that are not endpoints.
const (
	requestTake     = "take"
	requestSearches = "searches"
	requestFinding  = "finding"
)

// from is a request of a collector that reached another node.
type from struct {
	Collector int64
	Results   []check.Result
	Finding   *check.Finding
}

// respond handles the request of another node.
func (s *Server) respond(ctx context.Context, name string, in json.RawMessage) (any, error) {
	if handle := s.handlers[name]; handle != nil {
		var c resource.Call
		if err := json.Unmarshal(in, &c); err != nil {
			return nil, err
		}
		return handle(resource.WithCall(ctx, &c), &c)
	}
	var of from
	if err := json.Unmarshal(in, &of); err != nil {
		return nil, err
	}
	return s.collected(resource.WithCall(ctx, nil), name, &of)
}

// collected handles the request of a collector, on the node that polls.
func (s *Server) collected(ctx context.Context, name string, of *from) (any, error) {
	switch name {
	case requestTake:
		return nil, s.engine.Load().Take(ctx, of.Collector, of.Results)
	case requestSearches:
		return s.monitor.Searches(ctx, of.Collector)
	case requestFinding:
		return s.monitor.TakeFinding(ctx, of.Collector, of.Finding)
	}
	return nil, fmt.Errorf("a node of another version requests %q", name)
}

// onPollingNode handles the request of a collector here if this node polls, and otherwise
// sends it to the node that does.
func onPollingNode[T any](ctx context.Context, s *Server, name string, of *from) (out T, err error) {
	if s.leases != nil {
		fenced, here := s.leases.Within(ctx, monitoring)
		if !here {
			return out, s.leases.Request(ctx, monitoring, name, of, &out)
		}
		ctx = fenced
	}
	response, err := s.collected(ctx, name, of)
	if err == nil {
		out, _ = response.(T)
	}
	return out, err
}

func (s *Server) take(ctx context.Context, collector int64, results []check.Result) error {
	_, err := onPollingNode[any](ctx, s, requestTake, &from{Collector: collector, Results: results})
	return err
}

func (s *Server) searches(ctx context.Context, collector int64) ([]check.Search, error) {
	return onPollingNode[[]check.Search](ctx, s, requestSearches, &from{Collector: collector})
}

func (s *Server) takeFinding(ctx context.Context, collector int64, f *check.Finding) (taken bool, err error) {
	return onPollingNode[bool](ctx, s, requestFinding, &from{Collector: collector, Finding: f})
}
