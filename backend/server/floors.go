package server

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync/atomic"
	"time"

	"spyglass/backend/service"
)

// floors returns the services that New has opened, from the lowest up: each
// depends on those below it, starts after them and stops before them.
func (s *Server) floors() []service.Service {
	var floors []service.Service
	add := func(opened bool, name string, start func(), stop func(ctx context.Context) error) {
		if !opened {
			return
		}
		of := service.Service{Name: name, Stop: stop}
		if start != nil {
			of.Start = func() error { start(); return nil }
		}
		floors = append(floors, of)
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

	add(s.lock != nil, "the lock of the folder", nil, unlock)
	add(s.db != nil, "portal.db", nil, closing(s.db != nil, s.db.Close))
	add(s.series != nil, "series.db", nil, closing(s.series != nil, s.series.Close))
	add(s.samples != nil, "the keeping of samples", s.samples.start, quietly(s.samples.stop))
	add(s.remote != nil, "remote write", s.remote.Start, quietly(s.remote.Close))
	add(s.stage != nil, "the demo", s.stage.Start, quietly(s.stage.Stop))
	add(s.engine.Load() != nil, "the engine", s.startEngine, quietly(s.stopEngine)) // polls devices, and stores samples
	add(s.monitor != nil, "the monitor", s.monitor.Start, s.monitor.Stop)
	add(s.notices != nil, "notices", s.notices.Start, s.notices.Close)
	add(s.reports != nil, "reports", s.reports.Start, s.reports.Close)
	add(true, "the reset of the demo", nil, quietly(s.remaking.Lock)) // kept locked
	add(true, "the server's own tasks", s.startTasks, s.stopTasks)
	add(s.listener != nil, "HTTP", s.serve, s.drain)
	add(s.events != nil, "events", nil, quietly(s.events.Close)) // streams keep HTTP from draining
	add(s.Sessions != nil, "sessions", nil, quietly(s.Sessions.Close))
	add(s.control != nil, "the control socket", s.serveControl, quietly(s.control.close))
	return floors
}

// quietly adapts a stop function that takes no context and cannot fail.
func quietly(stop func()) func(ctx context.Context) error {
	return func(context.Context) error { stop(); return nil }
}

func (s *Server) startEngine() {
	if !s.o.NoHistory {
		s.engine.Load().Start()
	}
}

// stopEngine stops the current engine; a reset of the demo replaces it.
func (s *Server) stopEngine() { s.engine.Load().Stop() }

func (s *Server) startTasks() {
	ctx, quit := context.WithCancel(context.Background())
	s.quit = quit
	s.wait.Go("check of the databases", func() { s.verify(ctx) })
	s.wait.Keep(ctx, "alert about panics", s.watchPanics)
	s.wait.Keep(ctx, "alert about expressions", s.watchExpressions)
	s.wait.Keep(ctx, "presence of the databases", s.watchFiles)
}

// stopTasks stops the server's tasks, and waits for the goroutines of HTTP and of
// the control socket.
func (s *Server) stopTasks(ctx context.Context) error {
	if s.quit != nil {
		s.quit()
	}
	return s.wait.WaitFor(ctx)
}

func (s *Server) serve() {
	s.wait.Go("HTTP server", func() {
		if err := s.http.Serve(s.listener); !errors.Is(err, http.ErrServerClosed) {
			s.failed <- fmt.Errorf("serving %s: %w", s.Address(), err)
		}
	})
}

// drainWithin limits how long open requests may take when the server stops.
const drainWithin = 3 * time.Second

// drain waits for open requests, and aborts those that take longer.
func (s *Server) drain(ctx context.Context) error {
	if s.http == nil { // it never started
		return s.listener.Close()
	}
	ctx, cancel := context.WithTimeout(ctx, drainWithin)
	defer cancel()
	if err := s.http.Shutdown(ctx); err != nil {
		return s.http.Close() // aborts the remaining requests
	}
	return nil
}

func (s *Server) serveControl() { s.wait.Go("control socket", func() { s.control.serve(s) }) }
