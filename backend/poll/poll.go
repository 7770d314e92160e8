// Package poll checks instances when they are due, and delivers the results.
//
// Each instance has a fixed offset within its interval, computed from its id, so
// that a thousand instances polled each minute are spread over the minute, also
// after a restart. A check that is still running when it is due again is not
// started a second time: that poll is missed. When the clock is set back, all due
// times are recomputed. When it is set forward, or the machine has slept, each
// instance that was due meanwhile is polled once, spread over the next minute (or
// over its interval if that is shorter).
//
// # Limits
//
// At most Workers checks run at the same time, and only a few of one device: a
// device that responds slowly delays only itself. Due instances without a free
// worker wait in a queue, once each. Results wait in bounded memory for Deliver;
// while it is too slow, no new checks begin.
//
// # Outages
//
// When the network of this machine fails, every device falls silent, but none of
// them has failed. A result is silent if there was no response: a time-out, or no
// route to the device. Anything else counts as a response, even a refused
// connection. Only tasks that poll another machine over the network are judged
// (Options.Remote).
//
//  1. If an instance that responded to its last check is silent now, and at least
//     3 devices have responded before, its result is held. Unless another device
//     responds within 0.2 s, up to 48 instances are polled immediately: those that
//     responded most recently.
//  2. The first response of any device releases all held results, because these
//     devices have failed themselves. This takes less than half a second if devices
//     respond within 0.2 s. An instance known to be silent is not held again.
//  3. The wait ends without a response when all instances that had responded are
//     silent, after the longest interval, or after a minute. If at least 3 devices
//     are silent then, it is an outage of this machine; otherwise the held results
//     are released.
//  4. During an outage, each silent result has no values and is marked as this
//     machine's failure (check.LocalUplink). The first response ends the outage
//     (check.Result.Reached). Silent checks that began before that are not
//     delivered.
//
// Devices that were silent before an outage are delivered as silent until it is
// detected, and have no data after that.
//
// # Concurrency
//
// All methods are safe for concurrent use. Stop ends all checks and waits for
// them; it delivers their results before it returns.
//
// # Errors
//
// The error of a check is in its result. An error of Deliver is logged, and its
// results are lost. After a panic, a check counts as failed, and the results of
// Deliver are lost; the poller continues.
package poll

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"spyglass/backend/check"
	"spyglass/backend/clock"
	"spyglass/backend/service"
)

// Options configures a Poller.
type Options struct {
	// Run returns the raw fields of an instance. It ends when ctx ends.
	Run func(ctx context.Context, t *check.Task) (check.Values, error)
	// Instant reports whether a check of the task never waits; it then needs no
	// worker.
	Instant func(t *check.Task) bool
	// Remote reports whether a task polls another machine over the network, so
	// that a failure of this machine's network makes it silent; check.Task.Remote
	// when nil.
	Remote func(t *check.Task) bool
	// Responded reports whether a device responded to its last poll before this
	// poller got the task; false when nil.
	Responded func(t *check.Task) bool
	Name      string // of the collector, as the beginning of a sentence; "The collector" when empty
	// Deliver receives results in the order in which they arrive, in batches.
	Deliver func(ctx context.Context, results []check.Result) error
	// Together is the interval of due times: tasks in between are due at the time
	// before, except for Now. The longer it is, the less often an idle process
	// wakes. On an accelerated clock, due times within half of it, in real time,
	// are combined. At 0, tasks are due at any millisecond.
	Together time.Duration

	Clock   *clock.Clock // the clock of due times; that of this machine when nil
	Workers int          // checks at the same time; 256 when 0
	Log     *slog.Logger // slog.Default when nil
	Guard   *service.Guard
}

// Limits.
const (
	defaultWorkers = 256
	perDevice      = 3                     // checks of one device at the same time
	lookAgain      = time.Minute           // maximum time between two searches, because the clock may be set back
	leap           = 5 * time.Second       // a longer delay means that the clock was set forward, or the machine slept
	catchUp        = time.Minute           // time in which to poll tasks that were due meanwhile
	longest        = 30 * time.Second      // maximum duration of a check
	maxBatch       = 2000                  // results in one batch
	gather         = 25 * time.Millisecond // minimum time between two batches: results meanwhile share the next
)

// Poller polls a set of tasks.
type Poller struct {
	o       Options
	mu      sync.Mutex
	tasks   map[int64]*entry // by instance
	queue   queue            // by due time
	devices map[int64]*device
	waiting []*entry // due, but without a worker
	running int
	looked  time.Time // when due tasks were last searched
	meant   time.Time // until when run waits; zero: it does not wait
	stopped bool
	stats   Stats
	outage  outage
	own     map[string]bool // names and addresses of this machine
	ownAt   time.Time       // when they were read

	wake    chan struct{} // the queue has changed
	results chan outcome
	looks   service.Group // running checks
	runs    service.Group // run
	hands   service.Group // deliver
}

// Stats are counts since the start.
type Stats struct {
	Checks int64         // started checks
	Done   int64         // finished checks
	Failed int64         // failed checks among them
	Missed int64         // polls that were due while the previous one was still running or waiting
	Late   time.Duration // the longest delay of a check after its due time

	Tasks, Running, Waiting int // current numbers: all tasks, running checks, and due tasks without a worker
}

// entry is one task and its state.
type entry struct {
	task  *check.Task
	due   time.Time
	place int // index in the queue; -1: not queued
	busy  bool
	gone  bool
	begun time.Time // due time of the check that is running or waiting

	remote      bool  // it polls another machine
	up          bool  // its last check got a response
	respondedAt int64 // when that was, in epoch seconds; 0: before the poller had the task
}

// device counts the running checks of a device, and queues the waiting ones.
type device struct {
	running int
	waiting []*entry
}

// New returns a poller without tasks.
func New(o Options) *Poller {
	o.Workers, o.Log, o.Name = cmp.Or(o.Workers, defaultWorkers), cmp.Or(o.Log, slog.Default()),
		cmp.Or(o.Name, "The collector")
	if o.Clock == nil {
		o.Clock = clock.New(nil)
	}
	if o.Instant == nil {
		o.Instant = func(*check.Task) bool { return false }
	}
	if o.Responded == nil {
		o.Responded = func(*check.Task) bool { return false }
	}
	return &Poller{
		o: o, looks: service.Group{Guard: o.Guard}, runs: service.Group{Guard: o.Guard},
		hands: service.Group{Guard: o.Guard}, tasks: map[int64]*entry{}, devices: map[int64]*device{},
		queue: queue{step: o.Together},
		wake:  make(chan struct{}, 1), results: make(chan outcome, maxBatch),
	}
}

// Start starts polling, without blocking.
func (p *Poller) Start(ctx context.Context) {
	p.runs.Begin(ctx)
	p.runs.Keep("polling schedule", p.run)
	p.hands.Go("poll results", func() { p.deliver(context.WithoutCancel(ctx)) })
}

// Stop ends all checks, delivers the pending results, and waits, no longer than
// until ctx is done. It may be more than once, and on a poller that never started.
func (p *Poller) Stop(ctx context.Context) error {
	p.mu.Lock()
	again := p.stopped
	p.stopped = true
	p.mu.Unlock()
	if again {
		return nil
	}
	if err := errors.Join(p.runs.Stop(ctx), p.looks.Stop(ctx)); err != nil {
		return err // more results may come
	}
	close(p.results)
	return p.hands.Stop(ctx)
}

// Put adds tasks, or changes those of the same instances. An existing task
// keeps its due time unless its interval changes.
func (p *Poller) Put(tasks ...*check.Task) {
	responded := make([]bool, len(tasks))
	for i, t := range tasks {
		responded[i] = p.o.Responded(t)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.o.Clock.Now()
	for i, t := range tasks {
		e := p.tasks[t.InstanceID]
		fresh := e == nil
		if fresh {
			e = &entry{place: -1}
			p.tasks[t.InstanceID] = e
		} else if e.task.Host != t.Host || e.task.DeviceID != t.DeviceID { // no response from the new host yet
			p.outage.mark(e, false)
		}
		same := e.task != nil && e.task.Interval == t.Interval
		e.task, e.remote = t, p.remote(t)
		p.outage.mark(e, e.remote && (e.up || fresh && responded[i]))
		if !same {
			e.due = p.queue.next(t, now)
			p.queue.put(e)
		}
	}
	p.nudge()
}

// Drop removes tasks. A running check ends by itself, but its result is not
// delivered.
func (p *Poller) Drop(instances ...int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, id := range instances {
		if e := p.tasks[id]; e != nil {
			e.gone = true
			p.outage.mark(e, false)
			p.queue.drop(e)
			delete(p.tasks, id)
		}
	}
}

// Now makes a task due immediately, in addition to its regular times.
func (p *Poller) Now(instance int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if e := p.tasks[instance]; e != nil {
		e.due = p.o.Clock.Now()
		p.queue.put(e)
		p.nudge()
	}
}

// Len returns the number of tasks.
func (p *Poller) Len() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.tasks)
}

// Stats returns the counts since the start.
func (p *Poller) Stats() Stats {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := p.stats
	s.Tasks, s.Running, s.Waiting = len(p.tasks), p.running, len(p.waiting)
	for _, d := range p.devices {
		s.Waiting += len(d.waiting)
	}
	return s
}

func (p *Poller) nudge() {
	select {
	case p.wake <- struct{}{}:
	default:
	}
}
