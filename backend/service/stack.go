package service

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"
)

// Service is a long-lived part of a program. Start and Stop may be nil.
type Service struct {
	Name string // as errors call it: "reports", "portal.db"
	// Start begins the work and returns without waiting for it.
	Start func() error
	// Stop ends the work, waits for it no longer than ctx, and releases what the
	// service holds. It is called on a service that never started, too.
	Stop func(ctx context.Context) error
}

// StopWithin limits how long Stop takes when its context has no deadline.
const StopWithin = 10 * time.Second

// Stack holds services that depend on each other: they start from the first to
// the last, and stop from the last to the first. The zero Stack is ready to use.
type Stack struct {
	Guard *Guard // may be nil

	mu       sync.Mutex
	services []Service // that have not stopped
}

// Add puts services on top of those that are there.
func (s *Stack) Add(services ...Service) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.services = append(s.services, services...)
}

// Start starts all services. When one fails or panics, none above it starts, all
// are stopped, and its error is returned.
func (s *Stack) Start(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, of := range s.services {
		if of.Start == nil {
			continue
		}
		if err := s.run("start "+of.Name, of.Start); err != nil {
			return errors.Join(err, s.stop(ctx))
		}
	}
	return nil
}

// Stop stops all services, each once. They share the deadline of ctx, or
// StopWithin: each may take half of the time that is left, so that one that hangs
// leaves time for the others. A service that hangs is left behind, and the error
// names it. A ctx that was cancelled does not end Stop: it is often why a program
// stops.
func (s *Stack) Stop(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.stop(ctx)
}

func (s *Stack) stop(ctx context.Context) error {
	deadline, ok := ctx.Deadline()
	if !ok {
		deadline = time.Now().Add(StopWithin)
	}
	ctx = context.WithoutCancel(ctx)
	var errs []error
	for _, of := range slices.Backward(s.services) {
		if of.Stop != nil {
			errs = append(errs, s.stopOne(ctx, of, time.Until(deadline)/2))
		}
	}
	s.services = nil
	return errors.Join(errs...)
}

func (s *Stack) stopOne(ctx context.Context, of Service, most time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	stopped := make(chan error, 1)
	go func() { stopped <- s.run("stop "+of.Name, func() error { return of.Stop(ctx) }) }()
	select {
	case err := <-stopped:
		return err
	case <-ctx.Done():
		return fmt.Errorf("%s did not stop in time", of.Name)
	}
}

// run returns the error of do, or its panic.
func (s *Stack) run(task string, do func() error) (err error) {
	if p := s.Guard.Run(task, func() { err = do() }); p != nil {
		return p
	}
	return err
}
