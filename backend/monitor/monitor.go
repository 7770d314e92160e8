// Package monitor updates monitoring when the inventory changes: it determines
// which data sources apply to which devices, and discovers their instances
// (Monitor). The engine polls these and compares the results with their
// thresholds (Engine). Samples that are no longer needed are deleted (Keep).
//
// # What triggers work
//
// The worker processes new devices, whose ids are higher than the last one
// processed; devices that were changed, moved or restored, which the rules of
// devices put into a queue (fleet.Unsettle); and all devices after a change of
// data sources, groups or functions. The pending work is stored in rows and
// removed in the transaction that does it, so that the next process continues
// after a crash.
//
// # Load
//
// Requests come first. Each transaction is so small that other writes wait for it
// only for a few milliseconds. After each one the worker rests for a multiple of
// the time it took, longer while others write devices. Comparisons read from the
// database outside of the write transaction.
//
// # Concurrency
//
// One owner calls New, Start and Stop. Start begins four goroutines: one
// associates data sources with devices, one follows collectors, one begins and
// ends maintenance windows, and one does the work of each minute (Tick). Stop
// cancels them, and waits for them and for their transactions. Stop the monitor
// after HTTP and before closing the database.
//
// # Errors
//
// There is no caller to return an error to: errors are logged, and the work is
// retried a few seconds later.
package monitor

import (
	"cmp"
	"context"
	"log/slog"
	"time"

	"spyglass/backend/check"
	"spyglass/backend/clock"
	"spyglass/backend/portal/datasource"
	"spyglass/backend/portal/fleet"
	"spyglass/backend/resource"
	"spyglass/backend/service"
)

// Options configures a Monitor.
type Options struct {
	DB    resource.LiveDB
	Log   *slog.Logger     // slog.Default when nil
	Clock func() time.Time // time.Now when nil
	Pace  *clock.Clock     // time of maintenance and retention; Clock's time when nil
	Guard *service.Guard

	// Discoverers discover instances, by the collectMethod of data sources;
	// simulated devices need none.
	Discoverers map[string]check.Discoverer
}

// Monitor is the association worker.
type Monitor struct {
	db          resource.LiveDB
	log         *slog.Logger
	clock       func() time.Time
	pace        *clock.Clock
	discoverers map[string]check.Discoverer
	handedOver  handedOver

	began   time.Time // when Start was called, or the machine last woke
	looked  time.Time // when the collectors were last checked
	running service.Group
}

// New returns a Monitor that is not started yet.
func New(o Options) *Monitor {
	m := &Monitor{db: o.DB, log: cmp.Or(o.Log, slog.Default()), clock: o.Clock, pace: o.Pace,
		discoverers: o.Discoverers, running: service.Group{Guard: o.Guard}}
	if m.clock == nil {
		m.clock = time.Now
	}
	if m.pace == nil {
		m.pace = clock.New(m.clock)
	}
	return m
}

// Start starts the work, without blocking. It may be called again after Stop.
func (m *Monitor) Start(ctx context.Context) {
	m.running.Begin(ctx)
	m.began = m.clock().Round(0)
	m.looked = m.began
	m.running.Keep("association worker", m.run)
	m.running.Keep("collectors", m.followCollectors)
	m.running.Keep("maintenance of alerts", m.followMaintenance)
	m.running.Keep("work of each minute", func(ctx context.Context) { m.ticks(ctx, minutely, m.pace) })
}

// Stop ends the work and waits for it, at most until ctx ends. It may be called
// twice, and on a monitor that never started.
func (m *Monitor) Stop(ctx context.Context) error { return m.running.Stop(ctx) }

// Times of the worker.
const (
	quiet    = 100 * time.Millisecond // changes within this time are processed together
	round    = time.Minute            // between two searches for due work
	retry    = 5 * time.Second        // after an error
	progress = 10 * time.Second       // between two lines of the log
)

func (m *Monitor) run(ctx context.Context) {
	changed, stop := m.db.Watch(string(fleet.UnsettledRows.Name), string(datasource.DataSources.Name),
		string(fleet.Groups.Name), string(fleet.Functions.Name), string(fleet.Devices.Name),
		string(fleet.DeviceDataSources.Name))
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
			m.log.WarnContext(ctx, "associating devices with data sources failed; trying again", "err", err)
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

// pause waits until d has passed or it is woken. It returns false if ctx has
// ended.
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
