// Package service starts goroutines: a Group runs tasks in the background until
// it is stopped, and a Guard handles their panics. A Stack starts and stops the
// services that tasks belong to, in order.
//
// A panic ends its task, with one line in the log (task, value, stack) and one
// report, and never the process. There are three kinds of goroutines:
//
//   - Group.Go runs a task once. After a panic it has ended; its caller
//     starts the next one as usual. A report, a notice and a command of the
//     control channel are such tasks.
//   - Group.Keep runs a task until the group is stopped, and starts it again
//     after a panic: a second later at first, a minute later at most. The loops
//     that a portal cannot do without are such tasks: pollers, the association
//     worker, planners of notices and reports, sessions, the demo. They create
//     their state in the function, so that each start has a fresh one.
//   - Parts are the parts of one call that run side by side. A panic of a part is
//     a panic of the caller, whose own guard (a request's, a task's) handles it.
//
// A task that panicked counts as failing until it runs again, or has returned,
// and ten minutes (Steady) have passed without another panic. The guard reports
// both moments, which is how the server opens and clears an alert.
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
	"sync/atomic"
	"time"
)

// Panic is a panic that ended a task.
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
	// Panicked is called after each panic, by the goroutine that panicked. May be nil.
	Panicked func(p *Panic)
	// Recovered is called when a task that panicked runs well again. May be nil.
	Recovered func(task string)

	troubled atomic.Bool // whether failing is not empty, to skip the lock
	mu       sync.Mutex
	failing  map[string]*failing
}

// failing is a task that panicked.
type failing struct {
	last time.Time   // when it panicked
	well bool        // it runs again, or has ended by itself
	over *time.Timer // checks whether it has recovered, Steady after last
}

// Run runs do and returns the panic that ended it, or nil.
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
	log.Error("a task panicked and was ended", "task", p.Task, "panic", fmt.Sprint(p.Value), "stack", string(p.Stack))
	if g == nil {
		return
	}
	g.note(p.Task)
	if g.Panicked != nil {
		g.Panicked(p)
	}
}

func (g *Guard) note(task string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	f := g.failing[task]
	if f == nil {
		f = &failing{}
		f.over = time.AfterFunc(Steady, func() { g.recover(task) })
	}
	f.last, f.well = time.Now(), false
	f.over.Reset(Steady)
	if g.failing == nil {
		g.failing = map[string]*failing{}
	}
	g.failing[task] = f
	g.troubled.Store(true)
}

// well records that the task ended by itself, or runs again.
func (g *Guard) well(task string) {
	if g == nil || !g.troubled.Load() {
		return
	}
	g.mu.Lock()
	if f := g.failing[task]; f != nil {
		f.well = true
	}
	g.mu.Unlock()
	g.recover(task)
}

// recover reports a task that is running well and has not panicked for some time.
func (g *Guard) recover(task string) {
	g.mu.Lock()
	f := g.failing[task]
	recovered := f != nil && f.well && time.Since(f.last) >= Steady
	if recovered {
		f.over.Stop()
		delete(g.failing, task)
		g.troubled.Store(len(g.failing) > 0)
	}
	g.mu.Unlock()
	if recovered && g.Recovered != nil {
		g.Recovered(task)
	}
}

// Steady is the time without another panic after which a task counts as recovered.
const Steady = 10 * time.Minute

// Pauses before a task that is kept running starts again.
const (
	firstPause = time.Second
	mostPause  = time.Minute
)

// keep runs do repeatedly until it returns by itself or ctx ends.
func (g *Guard) keep(ctx context.Context, task string, do func(ctx context.Context)) {
	pause := firstPause
	for {
		began := time.Now()
		if p := g.Run(task, func() { do(ctx) }); p == nil {
			return
		}
		if time.Since(began) >= Steady {
			pause = firstPause
		}
		timer := time.NewTimer(pause)
		select {
		case <-timer.C:
			g.well(task)
		case <-ctx.Done():
			timer.Stop()
			return
		}
		pause = min(2*pause, mostPause)
	}
}

// Group is a set of tasks to wait for. The zero Group is ready to use.
type Group struct {
	Guard  *Guard          // may be nil
	Parent context.Context // of Context; may be nil

	mu     sync.Mutex
	ctx    context.Context // nil until it is needed
	cancel context.CancelFunc
	tasks  map[string]int // running tasks by name
	idle   chan struct{}  // closed when no task is running; nil until Wait is called
}

// Context returns the context of the group's tasks, which Stop cancels.
func (g *Group) Context() context.Context {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.ctx == nil {
		parent := g.Parent
		if parent == nil {
			parent = context.Background()
		}
		g.ctx, g.cancel = context.WithCancel(parent)
	}
	return g.ctx
}

// Begin sets Parent, and lets a group that was stopped start tasks again. The earlier
// tasks must have ended.
func (g *Group) Begin(parent context.Context) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.Parent, g.ctx = parent, nil
}

// Go starts a task. Task names say which code runs, not on what, so there are
// few.
func (g *Group) Go(task string, do func()) {
	g.begin(task)
	go func() {
		defer g.end(task)
		_ = g.Guard.Run(task, do) // it has reported a panic
	}()
}

// Keep starts a task, and restarts it after a panic, until it returns by itself
// or the group is stopped. In a group that was stopped, it starts nothing until Begin.
func (g *Group) Keep(task string, do func(ctx context.Context)) {
	ctx := g.Context()
	if ctx.Err() != nil {
		return
	}
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

// waiting returns a channel that is closed when no task is running.
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

// Wait waits until no task is running.
func (g *Group) Wait() { <-g.waiting() }

// Stop cancels like context of the tasks and waits for them, no longer than until
// ctx ends; its error names those that still run. It may be called twice, and
// on a group that never started a task.
func (g *Group) Stop(ctx context.Context) error {
	_ = g.Context() // so that Keep starts nothing any more
	g.cancel()
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

// Parts are the concurrent parts of one call. The zero Parts is ready to use.
type Parts struct {
	wait  sync.WaitGroup
	mu    sync.Mutex
	wrong *Panic // the first part that panicked
}

// Go starts a part.
func (p *Parts) Go(do func()) {
	p.wait.Go(func() {
		defer func() {
			if value := recover(); value != nil {
				p.mu.Lock()
				defer p.mu.Unlock()
				if p.wrong == nil {
					p.wrong = &Panic{Task: "a part", Value: value, Stack: debug.Stack()}
				}
			}
		}()
		do()
	})
}

// Wait waits for all parts. If one has panicked, it panics with the same value
// and stack.
func (p *Parts) Wait() {
	p.wait.Wait()
	if p.wrong != nil {
		panic(fmt.Sprintf("%v\n%s", p.wrong.Value, p.wrong.Stack))
	}
}
