// Package poll checks instances when they are due, and delivers the results.
//
// Due times lie on a grid: each instance has its place within its interval, by
// its id, so that a thousand instances polled each minute are spread over the
// minute, now and after a restart. A check that still runs when it is due again
// is not started a second time: that poll is missed. When the clock is set
// back, all due times are computed again. When it is set forward, or the
// machine has slept, each instance that was due meanwhile is polled once, at
// its place within the next minute (or within its interval, where that is
// shorter): not all of them at once.
//
// # Limits
//
// At most Workers checks run at the same time, and at most a few of one device:
// a device that responds slowly delays only itself. Due instances without a
// free worker wait in line, once each. Results wait in bounded memory for
// Deliver; while it does not keep up, no new checks begin.
//
// # Outages
//
// When the network of this machine fails, each device falls silent, and none of
// them has failed. A result is silent when nothing came back: a time-out, or no
// route to the device. Any response counts as one, a refused connection too.
// Only tasks that poll another machine over the network are judged
// (Options.Remote).
//
//  1. An instance that responded to its last check and is silent now has its
//     result held, when at least 3 devices had responded before. Unless another
//     one responds within 0.2 s, up to 48 are polled at once, those that responded
//     last.
//  2. The first response of any device releases all held results: these devices
//     have failed themselves. That is less than half a second later where devices
//     respond within 0.2 s. An instance known to be silent is not held again.
//  3. When all instances that had responded are silent, or the longest interval
//     is over, or a minute, without a response, at least 3 silent devices make it
//     an outage of this machine; with fewer the held results are released.
//  4. In an outage each silent result has no values, and says that it is this
//     machine's failure (check.LocalUplink). The first response ends it
//     (check.Result.Reached). Checks that began before that and are silent are
//     not delivered.
//
// So devices that are silent in an outage but were so before it are delivered as
// silent until it is recognised, and have no data after that.
//
// # Concurrency
//
// All methods are safe for concurrent use. Stop ends all checks and waits for
// them; it delivers their results before it returns.
//
// # Errors
//
// The error of a check is in its result. An error of Deliver is logged, and its
// results are lost. A check that panics has failed, a Deliver that panics has
// lost its results; the poller continues.
package poll

import (
	"cmp"
	"context"
	"log/slog"
	"sync"
	"time"

	"spyglass/backend/check"
	"spyglass/backend/clock"
	"spyglass/backend/service"
)

// Options configures a Poller.
type Options struct {
	// Run returns the raw fields of an instance. It ends when ctx does.
	Run func(ctx context.Context, t *check.Task) (check.Values, error)
	// Instant reports whether a check of the task never waits; it takes no
	// worker then.
	Instant func(t *check.Task) bool
	// Remote reports whether a task polls another machine over the network, so
	// that an outage of this one's network makes it silent; check.Task.Remote
	// when nil.
	Remote func(t *check.Task) bool
	// Responded reports whether a device responded when it was last polled,
	// before this poller got the task; false when nil.
	Responded func(t *check.Task) bool
	Name      string // of the collector, at the beginning of a sentence; "The collector" when empty
	// Deliver receives results in the order in which they came, a batch at a
	// time.
	Deliver func(ctx context.Context, results []check.Result) error
	// Together is the interval of the moments at which tasks are due, except by
	// Now: tasks in between are due at the moment before. The longer it is, the
	// less often a quiet process wakes. On a clock that runs faster, the
	// moments within half of it, in real time, share one. At 0 tasks are due at
	// any millisecond.
	Together time.Duration

	Clock   *clock.Clock // by which tasks are due; that of this machine when nil
	Workers int          // checks at the same time; 256 when 0
	Log     *slog.Logger // slog.Default when nil
	Guard   *service.Guard
}

// Limits.
const (
	defaultWorkers = 256
	perDevice      = 3                     // checks of one device at the same time
	lookAgain      = time.Minute           // between two searches for due tasks, at most: the clock may be set back
	leap           = 5 * time.Second       // beyond the planned wait: the clock was set forward, or the machine slept
	catchUp        = time.Minute           // in which tasks that were due meanwhile are polled
	longest        = 30 * time.Second      // a check, at most
	maxBatch       = 2000                  // results in one batch
	gather         = 25 * time.Millisecond // between two batches, at least: results meanwhile share the next
)

// Poller polls a set of tasks.
type Poller struct {
	o       Options
	mu      sync.Mutex
	tasks   map[int64]*entry // by instance
	queue   queue            // by due time
	devices map[int64]*device
	waiting []*entry // due, and without a worker
	running int
	looked  time.Time // when due tasks were last looked up
	meant   time.Time // until when run waits; zero: it does not
	stopped bool
	stats   Stats
	outage  outage
	own     map[string]bool // names and addresses of this machine
	ownAt   time.Time       // when they were read

	wake    chan struct{} // the queue has changed
	results chan outcome
	cancel  context.CancelFunc
	looks   service.Group // checks under way
	runs    service.Group // run
	hands   service.Group // deliver
}

// Stats are counts since the start.
type Stats struct {
	Checks int64         // begun
	Done   int64         // that have ended
	Failed int64         // of those
	Missed int64         // that were due while the one before still ran or waited
	Late   time.Duration // the longest delay of a check behind its due time

	Tasks, Running, Waiting int // now: all tasks, checks under way, and due tasks without a worker
}

// entry is one task and its state.
type entry struct {
	task  *check.Task
	due   time.Time
	place int // in the queue; -1: not there
	busy  bool
	gone  bool
	begun time.Time // when the check was due that runs or waits now

	remote bool  // it polls another machine
	up     bool  // its last check got a response
	heard  int64 // when that was, in epoch seconds; 0: before the poller had it
}

// device counts the running checks of a device, and queues the waiting ones.
type device struct {
	running int
	waiting []*entry
}

// New returns a poller with no tasks.
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

// Start begins to poll, without blocking.
func (p *Poller) Start() {
	ctx, cancel := context.WithCancel(context.Background())
	p.cancel = cancel
	p.runs.Keep(ctx, "polling schedule", p.run)
	p.hands.Go("poll results", func() { p.deliver(context.WithoutCancel(ctx)) })
}

// Stop ends all checks, delivers the pending results, and waits. It may be
// called on a poller that never started, and again.
func (p *Poller) Stop() {
	p.mu.Lock()
	again := p.stopped
	p.stopped = true
	p.mu.Unlock()
	if again || p.cancel == nil {
		return
	}
	p.cancel()
	p.runs.Wait()
	p.looks.Wait()
	close(p.results)
	p.hands.Wait()
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
		} else if e.task.Host != t.Host || e.task.DeviceID != t.DeviceID { // nothing has responded there yet
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

// Drop removes tasks. A running check ends by itself, and is not delivered.
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

// Now makes a task due immediately, besides its ordinary times.
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
