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
	"spyglass/backend/store"
)

// EngineOptions say what an engine polls.
type EngineOptions struct {
	DB     *store.DB
	Series *series.DB
	Checks []check.Check    // the ways to look; data sources of others are not polled
	Log    *slog.Logger     // slog.Default when nil
	Clock  func() time.Time // time.Now when nil

	Guard *service.Guard
	Pace  *clock.Clock // the time of simulated devices; Clock's when nil
	World World        // what happens to them; nothing when nil

	// Remote says that a task polls another machine, see poll.Options; its default when nil.
	Remote func(*check.Task) bool

	Measured func([]series.Sample) // is offered samples once they are kept, and does not wait; may be nil
}

// Engine is the built-in collector, and what becomes of results whoever polled:
// it polls the devices of collector 1 and the first thousand simulated ones, keeps samples,
// raises and clears alerts, and notes which devices answer.
//
// # The demo's story
//
// A simulated device gives ordinary values, but the demo tells of alerts. So an
// alert on it which opened before its instance was found, as no poll can have
// made it, stays: its data point is kept at the value of the alert until
// somebody disables alerting there. A simulated device that was dead before its
// instances were found stays dead, and is not polled.
//
// # Two times
//
// Simulated devices have a poller of their own, by Pace: hurried sixty times,
// they are polled sixty times as often, and their samples, alerts and states bear
// that time. What is real is polled, and judged, in real time whatever Pace says.
//
// # What lies behind what
//
// A device with the property parent.device, its own or of its groups, is reached
// through the device of that display name. While that one does not answer, the
// device's own silence opens no alert, nor makes one worse: its parent's says it.
// So the parent has to have answered since the device fell silent.
//
// # What comes late
//
// A collector that could not reach the portal posts what it kept, the oldest
// first; by then another one may look after its devices. Such results fill the
// holes that nobody else's samples have filled, and that is all: nobody wants an
// alert of what is long over, and how the device is now is known already.
//
// # What fails here
//
// A look that fails because of the collector's own machine says nothing about the
// device: no sample, no alert, and its host status stays. Instead the collector
// gets one alert of its own (alert.ConditionNetwork, ConditionDescriptors). It
// clears by itself when every instance that failed so has been looked at again,
// or is not polled any more.
//
// A machine with a default route whose network is dead gets time-outs alone. Its
// poller recognises that no device responds any more, and then reports its own
// failure (package poll, "Outages"). The same alert opens
// (alert.ConditionNetwork), with the number of devices and since when; it clears
// at the first response of any of them. A device responded before, for that, if
// it did since the program began, or if its hostStatus was normal then.
//
// Which failures are the machine's is the check's to say (check.Failure): no file
// descriptor, port or memory for a connection; and no route to the device's
// network, or no name server, on a machine that has no default route. A machine
// with a default route that has no route to one network, and a host that a router
// cannot reach, are the device's failures.
//
// # What cannot be stored
//
// Samples that cannot be stored, on a full disk for example, open the portal's
// own alert (alert.ConditionSamples). It clears when samples are stored again,
// and says how many are missing when it could open only then.
//
// # Concurrency
//
// NewEngine, Start and Stop are for one owner; Take is safe for concurrent use.
// Stop it before the series and the database are closed.
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
	instances map[int64]*watched // that the engine polls
	hosts     map[int64]*host    // devices of which results come
	named     map[string]*host   // the same, by display name in lower case

	start, end sync.Once
	cancel     context.CancelFunc
	running    service.Group
}

// watched is one instance as its results are judged. It never changes.
type watched struct {
	task             *check.Task // nil when another collector polls it
	instance, device int64
	source           int64
	wild             string
	spot             override.Spot
	muted            bool             // no alerts, by the instance or its device
	simulated        bool             // no machine stands behind it
	host             string           // name or address of the device
	foundOn          resource.Seconds // when the portal got to know of it
	elsewhere        bool             // another collector than who tells of it looks after it now
}

// simulatedTogether lets the demo, which nobody waits for, wake the machine and
// write to its disk once a second, not with each of its instances.
const simulatedTogether = time.Second

// NewEngine makes an engine that does nothing yet.
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
	if o.Measured == nil {
		o.Measured = func([]series.Sample) {}
	}
	e := &Engine{
		o: o, intake: intake{db: o.DB, world: o.World}, judge: judge{db: o.DB},
		instances: map[int64]*watched{}, hosts: map[int64]*host{}, named: map[string]*host{}, running: service.Group{Guard: o.Guard},
	}
	deliver := func(ctx context.Context, results []check.Result) error {
		return e.Take(ctx, ground.BuiltInCollector, results)
	}
	e.poller = poll.New(poll.Options{
		Deliver: deliver, Log: o.Log, Guard: o.Guard, Name: "The portal", Remote: o.Remote, Responded: e.responded,
		Look: func(ctx context.Context, t *check.Task) (check.Values, error) { return check.Look(ctx, o.Checks, t) },
	})
	e.simulated = poll.New(poll.Options{
		Deliver: deliver, Log: o.Log, Guard: o.Guard, Clock: o.Pace, Together: simulatedTogether,
		// What a simulated device shows is known when the result is taken.
		Look:    func(context.Context, *check.Task) (check.Values, error) { return nil, nil },
		Instant: func(*check.Task) bool { return true },
	})
	return e
}

// Start begins to poll; it returns at once.
func (e *Engine) Start() {
	e.start.Do(func() {
		ctx, cancel := context.WithCancel(context.Background())
		e.cancel = cancel
		again := false
		e.running.Keep(ctx, "alerts of the engine", func(ctx context.Context) {
			missed := again
			again = true
			e.keepAlerts(ctx, missed)
		})
		e.running.Keep(ctx, "tasks of the engine", e.keepTasks)
		e.running.Keep(ctx, "states of devices", e.keepHosts)
		e.poller.Start()
		e.simulated.Start()
	})
}

// Stop ends all looks, keeps what they had to say, and waits. It may be called
// twice, and on an engine that never started.
func (e *Engine) Stop() {
	e.start.Do(func() {}) // it does not start any more
	e.end.Do(func() {
		if e.cancel != nil {
			e.cancel()
		}
	})
	e.running.Wait()
	e.poller.Stop()
	e.simulated.Stop()
}

// Polls are the counts of looks at real devices, and at simulated ones.
func (e *Engine) Polls() (real, simulated poll.Stats) {
	return e.poller.Stats(), e.simulated.Stats()
}

// Reason is why the last look at an instance failed, in a sentence; empty when it
// did not, or there was none since the program began.
func (e *Engine) Reason(instance int64) string { return e.reasons.of(instance) }

// Polled is how many instances the engine polls.
func (e *Engine) Polled() int { return e.poller.Len() + e.simulated.Len() }

// PollSimulated polls simulated instances at once, besides their ordinary times:
// those of the devices and data sources for which wanted is true.
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

// poll hands tasks to their poller.
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

// Take keeps the results of a collector: samples, alerts and the state of the
// devices. Those of instances that are gone, or that the collector has nothing
// to do with, are passed over; of those that come late only samples are kept.
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
	if late, err = e.holes(ctx, late); err != nil {
		return err
	}
	back := e.heard(readings)
	e.reasons.take(readings)
	return errors.Join(noted,
		e.append(ctx, samples(slices.Concat(late, readings))),
		e.judge.take(ctx, readings),
		e.save(ctx, back),
	)
}

// known are those of the results' instances that the collector looks after.
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

// deadInStory reports whether a simulated device is one that the demo tells is dead.
func (e *Engine) deadInStory(w *watched) bool {
	h := e.hosts[w.device]
	return w.simulated && h != nil && h.status == hostDead && h.saved < w.foundOn
}

// assignedTo finds instances whose device a remote collector looks after, or did.
func (e *Engine) assignedTo(ctx context.Context, collectorID int64, results []check.Result, known map[int64]*watched) error {
	ids := make([]int64, 0, len(results))
	for i := range results {
		ids = append(ids, results[i].InstanceID)
	}
	instances, err := resource.Find(ctx, e.o.DB, fleet.Instances.Name, resource.Where{Field: "id", Op: "in", Value: ids})
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
		task: a.task, instance: i.ID, device: i.DeviceID, source: i.DataSourceID, wild: i.WildValue, foundOn: i.CreatedOn,
		spot:  override.Spot{Groups: a.device.GroupIDs, DeviceDataSourceID: i.DeviceDataSourceID, InstanceGroupID: i.GroupID, InstanceID: i.ID},
		muted: i.DisableAlerting || a.device.DisableAlerting, simulated: a.task != nil && a.task.Method == methodSimulate,
		host: a.device.Name,
	}
}
