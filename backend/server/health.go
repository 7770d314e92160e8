package server

import (
	"context"
	"net/http"
	"sync/atomic"
	"time"

	"spyglass/backend/fault"
	"spyglass/backend/resource"
)

// readiness says whether a load balancer should send requests to this process.
type readiness struct {
	stopping atomic.Bool
	read     atomic.Int64 // when it was last read, in epoch seconds
}

// balanced reports whether there is a load balancer: it has read readiness lately.
func (r *readiness) balanced() bool { return time.Since(time.Unix(r.read.Load(), 0)) <= readLately }

// Times of a stop that a load balancer has to hear of.
const (
	readLately  = 30 * time.Second // so that it is worth waiting for the load balancer
	longestWait = 2 * time.Second  // for the database to respond
	heardOf     = 3 * time.Second  // after which it sends no more requests
)

// health is the response of /healthz and /readyz.
type health struct {
	Status string `json:"status"`
}

// healthEndpoints returns /healthz, which responds as long as the process does, and
// /readyz, which fails while it should get no requests. Both are for everybody.
func (s *Server) healthEndpoints() []resource.Endpoint {
	probe := func(path, summary string, check func(context.Context) error) resource.Endpoint {
		return resource.Endpoint{
			Method: http.MethodGet, Path: path, Summary: summary, Right: resource.Right{Object: resource.Open},
			Steady: true,
			Handle: func(ctx context.Context, _ *resource.Call) (any, error) { return health{"ok"}, check(ctx) },
		}
	}
	return []resource.Endpoint{
		probe("/healthz", "Report that the process runs", func(context.Context) error { return nil }),
		probe("/readyz", "Report that the process can serve requests", s.ready),
	}
}

// ready returns why this process cannot serve requests, or nil.
func (s *Server) ready(ctx context.Context) error {
	s.readiness.read.Store(time.Now().Unix())
	if s.readiness.stopping.Load() {
		// 404 is what HAProxy's disable-on-404 takes as: complete what is open, and send no more
		return fault.New(fault.Unknown, "the portal is stopping")
	}
	if s.leases != nil && s.leases.Replaced() { // until then, it can at least read
		return s.db.Outdated()
	}
	ctx, cancel := context.WithTimeout(ctx, longestWait)
	defer cancel()
	if err := s.db.Reachable(ctx); err != nil {
		return &fault.Error{Kind: fault.Busy, Message: "the database does not respond", Err: err,
			RetryAfter: time.Second}
	}
	return nil
}

// announceStop fails /readyz, and waits until a load balancer that reads it has heard of it.
func (s *Server) announceStop(ctx context.Context) error {
	s.readiness.stopping.Store(true)
	if !s.readiness.balanced() {
		return nil
	}
	select {
	case <-time.After(heardOf):
	case <-ctx.Done():
	}
	return nil
}
