package server

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"spyglass/backend/portal/alert"
	"spyglass/backend/portal/ground"
	"spyglass/backend/portal/threshold"
	"spyglass/backend/resource"
	"spyglass/backend/service"
)

// panics opens the portal's own alert while tasks are failing (service.Guard),
// and clears it when all have recovered. The guard calls note and forget on any
// goroutine, including the writer of the database, so only run writes.
type panics struct {
	mu      sync.Mutex
	failing map[string]bool
	wake    chan struct{}
}

// newPanics returns panics that listen to the guard. The first check clears an
// alert that an earlier process left open.
func newPanics(guard *service.Guard) *panics {
	p := &panics{failing: map[string]bool{}, wake: make(chan struct{}, 1)}
	p.wake <- struct{}{}
	guard.Panicked = func(panicked *service.Panic) { p.set(panicked.Task, true) }
	guard.Recovered = func(task string) { p.set(task, false) }
	return p
}

func (p *panics) set(task string, failing bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if failing {
		p.failing[task] = true
	} else {
		delete(p.failing, task)
	}
	select {
	case p.wake <- struct{}{}:
	default: // run will read it
	}
}

func (p *panics) tasks() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Sorted(maps.Keys(p.failing))
}

// panicRetry is the delay before the alert is written again after a failure.
const panicRetry = time.Minute

// watchPanics opens and clears the alert about failing tasks until ctx ends.
func (s *Server) watchPanics(ctx context.Context) {
	again := time.NewTimer(0)
	defer again.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.panics.wake:
		case <-again.C:
		}
		if err := s.writePanics(ctx, s.panics.tasks()); err != nil && ctx.Err() == nil {
			s.o.Log.Error("the alert about a crashed task cannot be written", "err", err)
			again.Reset(panicRetry)
		}
	}
}

func (s *Server) writePanics(ctx context.Context, tasks []string) error {
	f := &alert.Finding{CollectorID: ground.BuiltInCollector, Condition: alert.ConditionPanic,
		At: resource.SecondsOf(s.o.Clock())}
	return s.db.Write(resource.WithCall(ctx, nil), func(tx resource.Tx) (err error) {
		if len(tasks) == 0 {
			_, err = alert.Clear(ctx, tx, f)
			return err
		}
		f.Severity, f.Value = threshold.SeverityError, "crashed task"
		f.Reason = fmt.Sprintf("A task of the portal crashed: %s. See the log. Other tasks continue.",
			strings.Join(tasks, ", "))
		_, _, err = alert.Raise(ctx, tx, f)
		return err
	})
}
