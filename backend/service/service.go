// Package service is where goroutines begin: a Group runs tasks in the
// background, and a Guard says what becomes of one that panics.
//
// A panic ends its task, with one line in the log (task, value, stack) and one
// report, and never the process. Every goroutine that Spyglass starts for
// longer than a call runs in a Group. Two kinds of tasks exist:
//
//   - Go runs a task once. After a panic it has ended; whoever started it starts
//     the next one as usual. A poll, a report, a notice, a backup and a page that
//     is fetched are such tasks.
//   - Keep runs a task for as long as its context lasts and starts it again after
//     a panic, a second later at first, a minute later at most. The loops that a
//     portal needs are such tasks: its scheduler, its planner of notices, the
//     writers of its databases. Their state must be made in the function, so that
//     each start has a sound one.
//
// A task that panicked is failing until a task of that name ends by itself, or
// has run for ten minutes (Steady). The guard reports both moments, which is how
// the server opens and clears an alert.
//
// # Concurrency
//
// Everything is safe for concurrent use, but for the fields of a Guard and of a
// Group, which are set before the first task starts.
package service

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"
)

// Panic is what ended a task.
type Panic struct {
	Task  string
	Value any
	Stack []byte
}

// Error implements error.
func (p *Panic) Error() string { return fmt.Sprintf("%s panicked: %v", p.Task, p.Value) }

// Guard recovers panics. A nil Guard logs to slog.Default and reports nothing.
type Guard struct {
	Log *slog.Logger // slog.Default when nil
	// Panicked is called after each panic, by the goroutine that panicked, which
	// ends when it returns. May be nil.
	Panicked func(p *Panic)
	// Recovered is called when a task that panicked runs well again. May be nil.
	Recovered func(task string)

	mu      sync.Mutex
	failing map[string]bool
}

// Run runs do and returns the panic that ended it, nil when it returned.
func (g *Guard) Run(task string, do func()) (p *Panic) {
	defer func() {
		if value := recover(); value != nil {
			p = &Panic{Task: task, Value: value, Stack: debug.Stack()}
			g.failed(p)
		}
	}()
	do()
	g.well(task)
	return nil
}

func (g *Guard) failed(p *Panic) {
	log := slog.Default()
	if g != nil && g.Log != nil {
		log = g.Log
	}
	log.Error("a background task panicked and was ended", "task", p.Task, "panic", fmt.Sprint(p.Value), "stack", string(p.Stack))
	if g == nil {
		return
	}
	g.mu.Lock()
	if g.failing == nil {
		g.failing = map[string]bool{}
	}
	g.failing[p.Task] = true
	g.mu.Unlock()
	if g.Panicked != nil {
		g.Panicked(p)
	}
}

// well notes that the task runs as it should.
func (g *Guard) well(task string) {
	if g == nil {
		return
	}
	g.mu.Lock()
	failed := g.failing[task]
	delete(g.failing, task)
	g.mu.Unlock()
	if failed && g.Recovered != nil {
		g.Recovered(task)
	}
}

// Times of tasks that are kept running.
const (
	firstPause = time.Second
	mostPause  = time.Minute
	// Steady is how long a task that panicked has to run to count as recovered.
	Steady = 10 * time.Minute
)

// keep runs do again and again until it returns by itself or ctx is done.
func (g *Guard) keep(ctx context.Context, task string, do func(ctx context.Context)) {
	pause := firstPause
	for {
		began := time.Now()
		steady := time.AfterFunc(Steady, func() { g.well(task) })
		p := g.Run(task, func() { do(ctx) })
		steady.Stop()
		if p == nil {
			return
		}
		if time.Since(began) >= Steady {
			pause = firstPause
		}
		timer := time.NewTimer(pause)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return
		}
		pause = min(2*pause, mostPause)
	}
}

// Group is a set of tasks that somebody waits for. The zero Group is ready to use.
type Group struct {
	Guard *Guard // may be nil

	mu    sync.Mutex
	tasks map[string]int // under way, by name
	idle  chan struct{}  // closed when none is under way; nil until somebody waits
}

// Go starts a task. Names are few: they say which code runs, not on what.
func (g *Group) Go(task string, do func()) {
	g.begin(task)
	go func() {
		defer g.end(task)
		g.Guard.Run(task, do)
	}()
}

// Keep starts a task and starts it again after a panic, until it returns by
// itself or ctx is done.
func (g *Group) Keep(ctx context.Context, task string, do func(ctx context.Context)) {
	g.begin(task)
	go func() {
		defer g.end(task)
		g.Guard.keep(ctx, task, do)
	}()
}

func (g *Group) begin(task string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.tasks == nil {
		g.tasks = map[string]int{}
	}
	g.tasks[task]++
}

func (g *Group) end(task string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.tasks[task]--; g.tasks[task] == 0 {
		delete(g.tasks, task)
	}
	if len(g.tasks) == 0 && g.idle != nil {
		close(g.idle)
		g.idle = nil
	}
}

// waiting returns a channel that is closed when no task is under way.
func (g *Group) waiting() <-chan struct{} {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.idle != nil {
		return g.idle
	}
	idle := make(chan struct{})
	if len(g.tasks) == 0 {
		close(idle)
	} else {
		g.idle = idle
	}
	return idle
}

// Wait waits until no task is under way.
func (g *Group) Wait() { <-g.waiting() }

// WaitFor is Wait for no longer than ctx; its error names what still runs.
func (g *Group) WaitFor(ctx context.Context) error {
	idle := g.waiting()
	select {
	case <-idle:
		return nil
	default:
	}
	select {
	case <-idle:
		return nil
	case <-ctx.Done():
		g.mu.Lock()
		defer g.mu.Unlock()
		names := strings.Join(slices.Sorted(maps.Keys(g.tasks)), ", ")
		return fmt.Errorf("still running: %s: %w", names, context.Cause(ctx))
	}
}
