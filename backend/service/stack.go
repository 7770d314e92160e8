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
	// Start starts the work without waiting for it. The work ends with ctx or Stop.
	Start func(ctx context.Context)
	// Stop ends the work, waits for it at most until ctx ends, and releases the
	// resources of the service. It is also called if the service never started.
	Stop func(ctx context.Context) error
}

// StopWithin limits how long Stop takes if its context has no deadline.
const StopWithin = 10 * time.Second

// Stack holds services that depend on each other: they start from first to last,
// and stop from last to first. The zero Stack is ready to use.
type Stack struct {
	Guard *Guard // may be nil

	mu       sync.Mutex
	services []Service // that have not stopped
}

// Add adds services on top of the existing services.
func (s *Stack) Add(services ...Service) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.services = append(s.services, services...)
}

// Start starts all services. If one panics, it starts none above it, all are
// stopped, and the panic is returned.
func (s *Stack) Start(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, of := range s.services {
		if of.Start == nil {
			continue
		}
		if p := s.Guard.Run("start "+of.Name, func() { of.Start(ctx) }); p != nil {
			return errors.Join(p, s.stop(ctx))
		}
	}
	return nil
}

// Stop stops all services once. They share the deadline of ctx, or StopWithin:
// each may take half of the remaining time, so that one that hangs leaves time
// for the others. Stop gives up on a service that hangs, and names it in the
// error. Stop does not end when ctx is cancelled, because that is often the
// reason for stopping.
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
	go func() {
		var err error
		if p := s.Guard.Run("stop "+of.Name, func() { err = of.Stop(ctx) }); p != nil {
			err = p
		}
		stopped <- err
	}()
	select {
	case err := <-stopped:
		return err
	case <-ctx.Done():
		return fmt.Errorf("%s did not stop in time", of.Name)
	}
}
