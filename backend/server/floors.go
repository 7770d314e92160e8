package server

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync/atomic"
	"time"

	"spyglass/backend/fault"
	"spyglass/backend/service"
)

// floors returns the services that New has opened, from the lowest up: each
// depends on those below it, starts after them and stops before them.
func (s *Server) floors() []service.Service {
	var floors []service.Service
	add := func(opened bool, name string, start func(ctx context.Context), stop func(ctx context.Context) error) {
		if opened {
			floors = append(floors, service.Service{Name: name, Start: start, Stop: stop})
		}
	}
	var files atomic.Int32 // number of open databases
	closing := func(opened bool, file func() error) func(ctx context.Context) error {
		if opened {
			files.Add(1)
		}
		return func(context.Context) error {
			err := file()
			if err == nil {
				files.Add(-1)
			}
			return err
		}
	}
	unlock := func(context.Context) error {
		if files.Load() > 0 { // this process may still write to the files, so the next one must not open them
			return nil
		}
		return s.lock.release()
	}
	endResets := func(context.Context) error { s.remaking.Lock(); return nil } // it stays locked

	add(s.lock != nil, "the lock of the folder", nil, unlock)
	add(s.db != nil, "portal.db", nil, closing(s.db != nil, s.db.Close))
	add(s.series != nil, "series.db", nil, closing(s.series != nil, s.series.Close))
	add(s.stage != nil, "the demo", s.stage.Start, s.stage.Stop)
	if s.leases != nil {
		add(true, "the works of this node", s.leases.Start, s.leases.Stop)
	} else {
		for _, w := range s.works() {
			floors = append(floors, w.services...)
		}
	}
	add(true, "the reset of the demo", nil, endResets)
	add(true, "the server's own tasks", s.startTasks, s.wait.Stop) // and those of HTTP and the control channel
	add(s.Sessions != nil, "sessions", nil, s.Sessions.Stop)
	add(s.listener != nil, "HTTP", s.serve, s.drain)
	add(s.listener != nil && s.o.SwitchHTTPS, "HTTPS", s.startHTTPS, s.stopHTTPS)
	add(s.events != nil, "events", nil, s.events.Stop) // streams keep HTTP from draining
	add(s.control != nil, "the control channel", s.serveControl, s.control.Stop)
	add(s.listener != nil, "readiness", nil, s.announceStop)
	return floors
}

func (s *Server) startEngine(ctx context.Context) {
	if s.within = ctx; !s.o.NoHistory {
		s.engine.Load().Start(ctx)
	}
}

// stopEngine stops the current engine; a reset of the demo replaces it.
func (s *Server) stopEngine(ctx context.Context) error { return s.engine.Load().Stop(ctx) }

// startAlerts starts what opens and clears alerts about the portal itself.
func (s *Server) startAlerts(ctx context.Context) {
	s.alerts.Begin(ctx)
	s.alerts.Keep("alert about panics", s.watchPanics)
	s.alerts.Keep("alert about expressions", s.watchExpressions)
}

func (s *Server) startTasks(context.Context) {
	s.wait.Go("check of the databases", func() { s.verify(s.wait.Context()) })
	s.wait.Keep("presence of the databases", s.watchFiles)
	s.wait.Keep("safety copies of upgrades", s.removeCopies)
	if s.clock != nil {
		s.wait.Keep("clock of the node", s.keepClock)
	}
}

func (s *Server) serve(context.Context) {
	if s.door != nil {
		s.door.portal.Store(&s.handler)
		return
	}
	s.listen()
}

func (s *Server) listen() {
	s.wait.Go("HTTP server", func() {
		if err := s.http.Serve(s.listener); !errors.Is(err, http.ErrServerClosed) {
			s.failed <- fmt.Errorf("serving %s: %w", s.Address(), err)
		}
	})
}

// Times that open requests have when the server stops.
const (
	drainWithin   = 3 * time.Second        // to end by themselves
	respondWithin = 400 * time.Millisecond // then, to respond that it stops
)

// drain waits for open requests, cancels those that take longer, and aborts those that do
// not even end then. The listener closes last if there is a load balancer: one that finds no
// listener aborts the requests that it has open there.
func (s *Server) drain(ctx context.Context) error {
	if s.http == nil { // it never started
		return s.listener.Close()
	}
	for _, end := range s.onDrain {
		s.wait.Go("end of streams", end)
	}
	defer time.AfterFunc(s.drainWithin, func() { s.cancelRequests(fault.ErrStopping) }).Stop()
	ctx, cancel := context.WithTimeout(ctx, s.drainWithin+respondWithin)
	defer cancel()
	if s.readiness.balanced() {
		s.awaitResponses(ctx)
	}
	if err := s.http.Shutdown(ctx); err != nil {
		return s.http.Close() // aborts the remaining requests
	}
	return nil
}

// awaitResponses waits until no request is open, or ctx ends.
func (s *Server) awaitResponses(ctx context.Context) {
	look := time.NewTicker(20 * time.Millisecond)
	defer look.Stop()
	for s.unanswered.Load() > 0 {
		select {
		case <-look.C:
		case <-ctx.Done():
			return
		}
	}
}

func (s *Server) serveControl(context.Context) {
	s.wait.Go("control channel", func() { s.control.serve(s) })
}
