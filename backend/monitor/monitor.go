// Package monitor keeps what is watched in step with what there is: it works
// out which data sources apply to which devices, and finds their instances
// (Monitor). These are polled, and judged by their thresholds (Engine), and what
// nobody asks for any more goes (Keep).
//
// # What it follows
//
// Three things make devices unsettled: being new, which shows in an id beyond
// the last one looked at; being changed, moved or restored, which the rules of
// devices note in a queue (fleet.Unsettle); and another data source, group or
// function, after which all devices are gone through. All of it is rows, so
// that whatever process comes next goes on where this one was killed: work is
// done in the transaction that notes that it is done.
//
// # Manners
//
// Requests come first. Each transaction is so small that a write which waits
// for it waits for a few milliseconds, and after each one the worker rests for
// a multiple of the time it took; for longer while others write devices. What
// only has to be compared is read beside the writer.
//
// # Concurrency
//
// New, Start and Stop are for one owner; Start begins four goroutines: one that
// follows, one for collectors, one for maintenance windows that begin and end, and
// one for what is due each minute (Tick). Stop cancels them, and
// waits for them and for the transactions under way. Stop it after
// HTTP and before the database is closed.
//
// # Errors
//
// There is nobody to tell: an error is logged, and the work is tried again
// some seconds later.
package monitor

import (
	"cmp"
	"context"
	"log/slog"
	"sync"
	"time"

	"spyglass/backend/check"
	"spyglass/backend/clock"
	"spyglass/backend/portal/datasource"
	"spyglass/backend/portal/fleet"
	"spyglass/backend/resource"
	"spyglass/backend/service"
	"spyglass/backend/store"
)

// Options say what is monitored.
type Options struct {
	DB    *store.DB
	Log   *slog.Logger     // slog.Default when nil
	Clock func() time.Time // time.Now when nil
	Pace  *clock.Clock     // of maintenance, and of what the portal drops; Clock's time when nil
	Guard *service.Guard

	// Discoverers find instances, by the collectMethod of data sources; those of
	// simulated devices need none.
	Discoverers map[string]check.Discoverer
}

// Monitor is the association worker.
type Monitor struct {
	db          *store.DB
	log         *slog.Logger
	clock       func() time.Time
	pace        *clock.Clock
	discoverers map[string]check.Discoverer
	asked       asked

	began      time.Time // when Start was called, or the machine woke
	looked     time.Time // when the collectors were last looked at
	start, end sync.Once
	cancel     context.CancelFunc
	running    service.Group
}

// New makes a monitor that does nothing yet.
func New(o Options) *Monitor {
	m := &Monitor{db: o.DB, log: cmp.Or(o.Log, slog.Default()), clock: o.Clock, pace: o.Pace, discoverers: o.Discoverers, running: service.Group{Guard: o.Guard}}
	if m.clock == nil {
		m.clock = time.Now
	}
	if m.pace == nil {
		m.pace = clock.New(m.clock)
	}
	return m
}

// Start begins to work; it returns at once.
func (m *Monitor) Start() {
	m.start.Do(func() {
		ctx, cancel := context.WithCancel(context.Background())
		m.cancel, m.began = cancel, m.clock().Round(0)
		m.looked = m.began
		m.running.Keep(ctx, "association worker", m.run)
		m.running.Keep(ctx, "collectors", m.followCollectors)
		m.running.Keep(ctx, "maintenance of alerts", m.followMaintenance)
		m.running.Keep(ctx, "work of each minute", func(ctx context.Context) { m.ticks(ctx, minutely, m.pace) })
	})
}

// Stop ends the work and waits for it, no longer than until ctx is done. It may
// be called twice, and on a monitor that never started.
func (m *Monitor) Stop(ctx context.Context) error {
	m.start.Do(func() {}) // it does not start any more
	m.end.Do(func() {
		if m.cancel != nil {
			m.cancel()
		}
	})
	return m.running.WaitFor(ctx)
}

// Times of the worker.
const (
	quiet    = 100 * time.Millisecond // what changes together is looked at together
	round    = time.Minute            // between two looks at what is due
	retry    = 5 * time.Second        // after an error
	progress = 10 * time.Second       // between two lines of the log
)

func (m *Monitor) run(ctx context.Context) {
	changed, stop := m.db.Watch(string(fleet.UnsettledRows.Name), string(datasource.DataSources.Name), string(fleet.Groups.Name), string(fleet.Functions.Name), string(fleet.Devices.Name), string(fleet.DeviceDataSources.Name))
	defer stop()
	devices, stopDevices := m.db.Watch(string(fleet.Devices.Name))
	defer stopDevices()
	w := &worker{m: m, chunk: firstChunk, busy: devices}
	for ctx.Err() == nil {
		more, err := w.step(ctx)
		wait, wake := w.rest(), (<-chan struct{})(nil)
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			m.log.WarnContext(ctx, "associating devices with data sources failed; it is tried again", "err", err)
			wait = retry
		case !more:
			w.report(ctx, true)
			wait, wake = round, changed
		default:
			w.report(ctx, false)
		}
		if !pause(ctx, wait, wake) {
			return
		}
		if wake != nil && !pause(ctx, quiet, nil) {
			return
		}
	}
}

// pause waits until the time is over or it is woken; it is false when ctx is done.
func pause(ctx context.Context, d time.Duration, wake <-chan struct{}) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-wake:
	case <-ctx.Done():
		return false
	}
	return true
}

func (m *Monitor) now() resource.Seconds { return resource.SecondsOf(m.clock()) }
