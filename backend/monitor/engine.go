package monitor

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"time"

	"spyglass/backend/check"
	"spyglass/backend/clock"
	"spyglass/backend/poll"
	"spyglass/backend/portal/collector"
	"spyglass/backend/portal/fleet"
	"spyglass/backend/portal/ground"
	"spyglass/backend/portal/override"
	"spyglass/backend/resource"
	"spyglass/backend/series"
	"spyglass/backend/service"
)

// EngineOptions configures an Engine.
type EngineOptions struct {
	DB     resource.LiveDB
	Series *series.DB
	Checks []check.Check    // the checks to poll with; data sources of other methods are not polled
	Log    *slog.Logger     // slog.Default when nil
	Clock  func() time.Time // time.Now when nil

	Guard *service.Guard
	Pace  *clock.Clock // the time of simulated devices; Clock's when nil
	World World        // changes the values of simulated devices; nil for no changes

	// Remote reports whether a task polls another machine, see poll.Options;
	// its default when nil.
	Remote func(*check.Task) bool

	Append func(ctx context.Context, samples []series.Sample) error // stores samples; that of Series when nil
}

// Engine is the built-in collector, and processes the results of all collectors:
// it polls the devices of collector 1 and the first thousand simulated ones,
// stores samples, opens and clears alerts, and records which devices respond.
//
// # Alerts of the demo
//
// Simulated devices have ordinary values, but the demo starts with alerts. An
// alert that opened before its instance was found cannot come from a poll, so the
// engine keeps it: its data point keeps the value of the alert until a user
// disables alerting there. A simulated device that was dead before its instances
// were found stays dead and is not polled.
//
// # Demo clock and real time
//
// Simulated devices have their own poller, which runs on Pace. At sixty times the
// speed they are polled sixty times as often, and their samples, alerts and
// states have times of that clock. Real devices are polled and judged in real
// time, whatever Pace is.
//
// # Dependencies
//
// A device with the property parent.device, its own or inherited from a group,
// depends on the device with that display name. While that parent does not
// respond, the device's own silence neither opens an alert nor makes one worse:
// it is suppressed by the parent's alert. The device's own alert opens only after
// the parent has responded since the device fell silent.
//
// # Late results
//
// A collector that could not reach the portal later posts the results it kept,
// the oldest first. By then another collector may poll its devices. Such results
// only fill gaps without other measurements: an alert about the distant past is
// of no use, and the current state of the device is known already.
//
// # Failures of the collector itself
//
// A check that fails because of the collector's own machine says nothing about
// the device: it stores no sample, opens no alert, and leaves the host status
// unchanged. Instead the collector gets one alert of its own
// (alert.ConditionNetwork, ConditionDescriptors). The alert clears when every
// instance that failed in this way has been checked again, or is no longer
// polled.
//
// If the network is down but the machine has a default route, its checks time
// out. Its poller recognises that no device responds any more, and then reports a
// failure of the collector itself (package poll, "Outages"). The same alert opens
// (alert.ConditionNetwork), with the number of devices and the time since when;
// it clears at the first response of any of them. A device counts as having
// responded before if it has done so since the program started, or if its
// hostStatus was normal then.
//
// The check decides which failures are the machine's (check.Failure): no file
// descriptor, port or memory for a connection; and no route to the device's
// network, or no name server, on a machine without a default route. If a machine
// has a default route, a missing route to one network and a host that a router
// cannot reach are failures of the device.
//
// # Lost samples
//
// If samples cannot be stored, for example on a full disk, the portal's own alert
// opens (alert.ConditionSamples). It clears when samples can be stored again. If
// it could not open before that, its text says how many samples are missing.
//
// # Concurrency
//
// One owner calls NewEngine, Start and Stop. Take is safe for concurrent use.
// Stop the engine before closing the series and the database.
type Engine struct {
	o         EngineOptions
	poller    *poll.Poller
	simulated *poll.Poller
	intake    intake
	judge     judge
	reasons   reasons
	local     local
	loss      loss

	mu        sync.Mutex
	instances map[int64]*watched // polled by the engine
	hosts     map[int64]*host    // devices with results
	named     map[string]*host   // the same, by display name in lower case

	running service.Group
}

// watched is an instance, with everything needed to judge its results. It is
// immutable.
type watched struct {
	task             *check.Task // nil if another collector polls it
	instance, device int64
	source           int64
	wild             string
	spot             override.Spot
	alertsOff        bool             // alerts are disabled for the instance or its device
	simulated        bool             // its device is simulated
	host             string           // name or address of the device
	foundOn          resource.Seconds // when the portal discovered it
	elsewhere        bool             // its device no longer belongs to the collector that sent the result
}

// simulatedTogether groups the polls of simulated devices, which may be late: the
// machine wakes and writes to its disk every two seconds instead of for each
// instance.
const simulatedTogether = 2 * time.Second

// NewEngine returns an engine that is not started yet.
func NewEngine(o EngineOptions) *Engine {
	o.Log = cmp.Or(o.Log, slog.Default())
	if o.Clock == nil {
		o.Clock = time.Now
	}
	if o.Pace == nil {
		o.Pace = clock.New(o.Clock)
	}
	if o.World == nil {
		o.World = uneventful{}
	}
	if o.Append == nil {
		o.Append = o.Series.Append
	}
	e := &Engine{
		o: o, intake: intake{db: o.DB, world: o.World}, judge: judge{db: o.DB},
		instances: map[int64]*watched{}, hosts: map[int64]*host{}, named: map[string]*host{}, running: service.Group{
			Guard: o.Guard},
	}
	deliver := func(ctx context.Context, results []check.Result) error {
		return e.Take(ctx, ground.BuiltInCollector, results)
	}
	e.poller = poll.New(poll.Options{
		Deliver: deliver, Log: o.Log, Guard: o.Guard, Name: "The portal", Remote: o.Remote, Responded: e.responded,
		Run: func(ctx context.Context, t *check.Task) (check.Values, error) { return check.Run(ctx, o.Checks, t) },
	})
	e.simulated = poll.New(poll.Options{
		Deliver: deliver, Log: o.Log, Guard: o.Guard, Clock: o.Pace, Together: simulatedTogether,
		// The value of a simulated device is computed when its result is
		// processed.
		Run:     func(context.Context, *check.Task) (check.Values, error) { return nil, nil },
		Instant: func(*check.Task) bool { return true },
	})
	return e
}

// Start starts polling, without blocking.
func (e *Engine) Start(ctx context.Context) {
	e.running.Begin(ctx)
	again := false
	e.running.Keep("alerts of the engine", func(ctx context.Context) {
		missed := again
		again = true
		e.keepAlerts(ctx, missed)
	})
	e.running.Keep("tasks of the engine", e.keepTasks)
	e.running.Keep("states of devices", e.keepHosts)
	e.poller.Start(ctx)
	e.simulated.Start(ctx)
}

// Stop ends all checks, stores their results, and waits, no longer than until ctx
// is done. It may be called twice, and on an engine that never started.
func (e *Engine) Stop(ctx context.Context) error {
	return errors.Join(e.running.Stop(ctx), e.poller.Stop(ctx), e.simulated.Stop(ctx))
}

// Polls returns the numbers of polls of real devices, and of simulated ones.
func (e *Engine) Polls() (real, simulated poll.Stats) {
	return e.poller.Stats(), e.simulated.Stats()
}

// Reason returns why the last check of an instance failed, as a sentence. It is
// empty if the check succeeded, or if there was none since the program started.
func (e *Engine) Reason(instance int64) string { return e.reasons.of(instance) }

// Polled returns the number of instances that the engine polls.
func (e *Engine) Polled() int { return e.poller.Len() + e.simulated.Len() }

// PollSimulated polls simulated instances at once, in addition to their regular
// polls: those of the devices and data sources for which wanted returns true.
func (e *Engine) PollSimulated(wanted func(device, source int64) bool) {
	e.mu.Lock()
	var ids []int64
	for id, w := range e.instances {
		if w.simulated && wanted(w.device, w.source) {
			ids = append(ids, id)
		}
	}
	e.mu.Unlock()
	for _, id := range ids {
		e.simulated.Now(id)
	}
}

// poll passes tasks to their poller.
func (e *Engine) poll(tasks []*check.Task) {
	for _, t := range tasks {
		to, other := e.poller, e.simulated
		if t.Method == methodSimulate {
			to, other = other, to
		}
		other.Drop(t.InstanceID)
		to.Put(t)
	}
}

// responded reports whether the device of a task responded when it was last polled.
func (e *Engine) responded(t *check.Task) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	h := e.hosts[t.DeviceID]
	return h != nil && h.status == hostNormal && h.saved > 0
}

// polls reports whether the engine has the check of a task.
func (e *Engine) polls(a *assigned) bool {
	if a.task.Method == methodSimulate {
		return true
	}
	if a.device.CurrentCollector != ground.BuiltInCollector {
		return false
	}
	for i := range e.o.Checks {
		if e.o.Checks[i].Name == a.task.Method {
			return true
		}
	}
	return false
}

// Take processes the results of a collector: it stores samples, and updates
// alerts and the state of the devices. It ignores results of instances that were
// deleted or that the collector does not poll. Of late results it stores only
// samples.
func (e *Engine) Take(ctx context.Context, collector int64, results []check.Result) error {
	known, err := e.known(ctx, collector, results)
	if err != nil {
		return err
	}
	if err := e.judge.begin(ctx); err != nil {
		return err
	}
	noted := e.noteLocal(ctx, collector, results, known)
	readings, err := e.intake.read(ctx, results, known, e.judge.held(known), e.lateBefore(collector))
	if err != nil || len(readings) == 0 {
		return errors.Join(noted, err)
	}
	readings, late := parted(readings)
	if late, err = e.gaps(ctx, late); err != nil {
		return err
	}
	back := e.noteResponses(readings)
	e.reasons.take(readings)
	return errors.Join(noted,
		e.append(ctx, samples(slices.Concat(late, readings))),
		e.judge.take(ctx, readings),
		e.save(ctx, back),
	)
}

// known returns the instances of the results that the collector may poll.
func (e *Engine) known(ctx context.Context, collector int64, results []check.Result) (map[int64]*watched, error) {
	known := make(map[int64]*watched, len(results))
	if collector != ground.BuiltInCollector {
		return known, e.assignedTo(ctx, collector, results, known)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	for i := range results {
		if w := e.instances[results[i].InstanceID]; w != nil && !e.deadInStory(w) {
			known[w.instance] = w
		}
	}
	return known, nil
}

// deadInStory reports whether a simulated device is dead in the demo's initial
// data.
func (e *Engine) deadInStory(w *watched) bool {
	h := e.hosts[w.device]
	return w.simulated && h != nil && h.status == hostDead && h.saved < w.foundOn
}

// assignedTo returns instances whose device is, or was, assigned to a remote
// collector.
func (e *Engine) assignedTo(ctx context.Context, collectorID int64, results []check.Result,
	known map[int64]*watched) error {
	ids := make([]int64, 0, len(results))
	for i := range results {
		ids = append(ids, results[i].InstanceID)
	}
	instances, err := resource.Find(ctx, e.o.DB, fleet.Instances.Name,
		resource.Where{Field: "id", Op: "in", Value: ids})
	if err != nil {
		return err
	}
	ids = ids[:0]
	for i := range instances {
		ids = append(ids, instances[i].DeviceID)
	}
	devices, err := resource.Find(ctx, e.o.DB, fleet.Devices.Name, resource.Where{Field: "id", Op: "in", Value: ids})
	if err != nil {
		return err
	}
	collectors, err := resource.Find(ctx, e.o.DB, collector.Collectors.Name)
	if err != nil {
		return err
	}
	of := make(map[int64]*fleet.Device, len(devices))
	for i := range devices {
		of[devices[i].ID] = &devices[i]
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	for i := range instances {
		d := of[instances[i].DeviceID]
		if d == nil || instances[i].StopMonitoring || !mayHavePolled(collectorID, d, collectors) {
			continue
		}
		w := newWatched(&assigned{instance: &instances[i], device: d})
		if w.elsewhere = d.CurrentCollector != collectorID; !w.elsewhere {
			e.host(d)
		}
		known[w.instance] = w
	}
	return nil
}

func newWatched(a *assigned) *watched {
	i := a.instance
	return &watched{
		task: a.task, instance: i.ID, device: i.DeviceID, source: i.DataSourceID, wild: i.WildValue,
		foundOn: i.CreatedOn,
		spot: override.Spot{Groups: a.device.GroupIDs, DeviceDataSourceID: i.DeviceDataSourceID,
			InstanceGroupID: i.GroupID, InstanceID: i.ID},
		alertsOff: i.DisableAlerting || a.device.DisableAlerting, simulated: a.task != nil &&
			a.task.Method == methodSimulate,
		host: a.device.Name,
	}
}
