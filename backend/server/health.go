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
	asked    atomic.Int64 // when it was last asked, in epoch seconds
}

// Times of a stop that a load balancer has to hear of.
const (
	askedLately = 30 * time.Second // it asks, so it is worth waiting for it
	heardOf     = 3 * time.Second  // after which it sends no more requests
)

// health is the response of /healthz and /readyz.
type health struct {
	OK bool `json:"ok" doc:"always true"`
}

// healthEndpoints returns /healthz, which responds as long as the process does, and
// /readyz, which fails while it should get no requests. Both are for everybody.
func (s *Server) healthEndpoints() []resource.Endpoint {
	open := resource.Right{Object: resource.Open}
	return []resource.Endpoint{
		{Method: http.MethodGet, Path: "/healthz", Summary: "Report that the process runs", Right: open,
			Handle: func(context.Context, *resource.Call) (any, error) { return health{true}, nil }},
		{Method: http.MethodGet, Path: "/readyz", Summary: "Report that the process can serve requests", Right: open,
			Handle: func(ctx context.Context, _ *resource.Call) (any, error) { return health{true}, s.ready(ctx) }},
	}
}

// ready returns why this process cannot serve requests, or nil.
func (s *Server) ready(ctx context.Context) error {
	s.readiness.asked.Store(time.Now().Unix())
	if s.readiness.stopping.Load() {
		return fault.New(fault.Busy, "the portal is stopping")
	}
	return s.db.Reachable(ctx)
}

// announceStop fails /readyz, and waits until a load balancer that asks has heard of it.
func (s *Server) announceStop(ctx context.Context) error {
	s.readiness.stopping.Store(true)
	if time.Since(time.Unix(s.readiness.asked.Load(), 0)) > askedLately {
		return nil
	}
	select {
	case <-time.After(heardOf):
	case <-ctx.Done():
	}
	return nil
}
