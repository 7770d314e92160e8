// Package history generates past samples of the demo's simulated devices.
//
// It fills the last seven days, including times when the portal was closed. A data
// point has the value of its alert while that was open, so that samples match alerts.
package history

import (
	"cmp"
	"context"
	"log/slog"
	"slices"
	"sync/atomic"
	"time"

	"spyglass/backend/portal/datasource"
	"spyglass/backend/portal/fleet"
	"spyglass/backend/portal/incident"
	"spyglass/backend/resource"
	"spyglass/backend/series"
	"spyglass/backend/service"
)

// Options configures a History.
type Options struct {
	DB     resource.LiveDB
	Series *series.DB
	Log    *slog.Logger     // slog.Default when nil
	Clock  func() time.Time // time.Now when nil
	Ends   bool             // end when the history reaches the present, where the poller continues
	Guard  *service.Guard
}

// History generates the samples of simulated devices for the last seven days,
// including times when the portal was closed, and continues up to the present. In
// a company with more than 1,000 devices, only the first 1,000 have a history.
//
// Samples older than two hours are at least five minutes apart, or half an hour
// if there are many devices. History fills one device after the other; after each
// step the worker pauses for a quarter of its time, so that requests take
// precedence.
//
// One owner calls New, Start and Stop. Errors are logged, and the work is retried
// a minute later.
type History struct {
	db     resource.LiveDB
	series *series.DB
	log    *slog.Logger
	clock  func() time.Time
	ends   bool
	made   int64 // when this history was created, epoch seconds; others may write later samples

	running service.Group
	filling atomic.Bool

	tracks []track
	filled map[int64]int64 // by instance: the time of the last sample
	coarse int64           // seconds between two older samples
	spells map[series.Key][]spell

	known incident.DemoTime // its value when this history was created
	here  map[int64]bool    // the instances that had a series then
	whole bool              // all tracks are filled
}

// track is one simulated instance.
type track struct {
	instance, device int64
	wild             string
	source           *datasource.DataSource
}

const (
	day        = 24 * 60 * 60 // seconds
	past       = 7 * day
	recent     = 2 * 60 * 60 // seconds with a sample for each poll
	halfDay    = day / 2
	worked     = "expression"    // the postProcessorMethod of computed points
	many       = 300             // number of devices above which samples are sparser
	together   = 400             // series in one step
	afterStart = 2 * time.Second // delay of the work, so that opening windows come first
)

// MostDevices is the number of devices that have a history: the first ones.
const MostDevices = 1000

// New returns a history that is not started yet.
func New(o Options) *History {
	h := &History{db: o.DB, series: o.Series, log: cmp.Or(o.Log, slog.Default()), clock: o.Clock, ends: o.Ends,
		filled: map[int64]int64{}}
	if h.clock == nil {
		h.clock = time.Now
	}
	h.running.Guard = o.Guard
	h.made = h.clock().Unix()
	h.filling.Store(true)
	return h
}

// Filling reports whether some of the past is still missing, as far as known. It
// is safe for concurrent use.
func (h *History) Filling() bool { return h.filling.Load() }

// Start starts the work without blocking.
func (h *History) Start(ctx context.Context) {
	h.running.Begin(ctx)
	h.running.Keep("past of the demo", h.run)
}

// Stop ends the work and waits for the current way, no longer than until ctx is
// done. It may be called twice, on a history that never started.
func (h *History) Stop(ctx context.Context) error {
	if err := h.running.Stop(ctx); err != nil || !h.whole || !h.ends {
		return err
	}
	h.whole = false
	if err := h.keepPast(ctx, h.clock().Unix(), false); err != nil {
		h.log.WarnContext(ctx, "the progress of the demo history could not be stored; the next start looks for gaps "+
			"in it", "err", err)
	}
	return nil
}

func (h *History) run(ctx context.Context) {
	changed, stop := h.db.Watch(string(fleet.Instances.Name), string(datasource.DataSources.Name),
		string(fleet.Devices.Name))
	defer stop()
	each := time.NewTicker(time.Minute)
	defer each.Stop()
	select {
	case <-time.After(afterStart):
	case <-ctx.Done():
		return
	}
	for {
		began := time.Now()
		err := h.Once(ctx)
		if err == nil && h.ends {
			h.log.InfoContext(ctx, "the demo history is filled", "instances", len(h.tracks), "took",
				time.Since(began).Round(time.Millisecond))
			return
		}
		if err != nil && ctx.Err() == nil {
			h.tracks = nil
			h.log.WarnContext(ctx, "the demo history could not be filled; trying again in a minute",
				"err", err)
		}
		select {
		case <-each.C:
		case <-ctx.Done():
			return
		}
		select {
		case <-changed:
			h.tracks = nil
		default:
		}
	}
}

// Once fills everything that is missing until now.
func (h *History) Once(ctx context.Context) error {
	if h.tracks == nil {
		if err := h.find(ctx); err != nil {
			return err
		}
		if err := h.writePast(ctx, func(row *incident.DemoTime) { row.Polled = true }); err != nil {
			return err
		}
	}
	for rest := h.tracks; len(rest) > 0; {
		n, points := 0, 0
		for n < len(rest) && (n == 0 || points+len(rest[n].source.DataPoints) <= together) {
			points += len(rest[n].source.DataPoints)
			n++
		}
		if err := h.fill(ctx, rest[:n]); err != nil {
			return err
		}
		rest = rest[n:]
	}
	h.whole = true
	h.filling.Store(false) // first, because listeners of the row read it
	return h.keepPast(ctx, h.clock().Unix(), true)
}

// find reads the simulated instances.
func (h *History) find(ctx context.Context) error {
	devices, err := resource.Find(ctx, h.db, fleet.Devices.Name, resource.Limit(MostDevices))
	if err != nil {
		return err
	}
	if h.here == nil {
		if err := h.readPast(ctx); err != nil {
			return err
		}
		h.here = map[int64]bool{}
		for _, id := range h.series.Instances() {
			h.here[id] = true
		}
	}
	if err := h.findSpells(ctx); err != nil {
		return err
	}
	h.tracks, h.coarse = []track{}, 300
	if len(devices) > many {
		h.coarse = 1800
	}
	found, err := resource.Find(ctx, h.db, datasource.DataSources.Name)
	if err != nil {
		return err
	}
	sources := make(map[int64]*datasource.DataSource, len(found))
	for i := range found {
		sources[found[i].ID] = &found[i]
	}
	for some := range slices.Chunk(devices, 50) {
		var ids []int64
		for i := range some {
			if is, err := h.simulated(ctx, &some[i]); err != nil {
				return err
			} else if is {
				ids = append(ids, some[i].ID)
			}
		}
		if err := h.findOn(ctx, ids, sources); err != nil {
			return err
		}
	}
	return nil
}

func (h *History) simulated(ctx context.Context, d *fleet.Device) (bool, error) {
	tree, err := fleet.TreeOf(ctx, h.db)
	if err != nil {
		return false, err
	}
	return fleet.IsSimulated(tree.Properties(d)["system.categories"]), nil
}

// findOn adds the instances of polled devices, grouped by device and data source.
func (h *History) findOn(ctx context.Context, devices []int64, sources map[int64]*datasource.DataSource) error {
	instances, err := resource.Find(ctx, h.db, fleet.Instances.Name,
		resource.Where{Field: "deviceId", Op: "in", Value: devices},
		resource.Where{Field: "stopMonitoring", Op: "=", Value: false})
	if err != nil {
		return err
	}
	slices.SortStableFunc(instances, func(a, b fleet.Instance) int {
		return cmp.Or(cmp.Compare(a.DeviceID, b.DeviceID), cmp.Compare(a.DeviceDataSourceID, b.DeviceDataSourceID))
	})
	for i := range instances {
		in := &instances[i]
		source := sources[in.DataSourceID]
		if source == nil || len(source.DataPoints) == 0 {
			continue
		}
		h.tracks = append(h.tracks, track{in.ID, in.DeviceID, in.WildValue, source})
		if h.filled[in.ID] == 0 {
			if h.filled[in.ID], err = h.newest(ctx, in.ID, source); err != nil {
				return err
			}
		}
	}
	return nil
}

// newest returns the time up to which an instance has samples without a gap in the
// week before this history was created; 0 if it has none.
func (h *History) newest(ctx context.Context, instance int64, source *datasource.DataSource) (int64, error) {
	had := h.had(instance)
	if had > 0 && !h.known.Polled {
		return had, nil
	}
	point := source.DataPoints[max(
		0,
		slices.IndexFunc(source.DataPoints, func(p datasource.DataPoint) bool { return p.PostProcessor != worked }))].ID
	step := max(recent, 2*source.CollectInterval)
	q := series.Query{Instance: instance, DataPoints: []int64{point}, From: max(h.made-past+step, had), To: h.made}
	found, err := h.series.Aggregate(ctx, q, step)
	if err != nil {
		return 0, err
	}
	for i, s := range found[0] {
		if s.Count == 0 && i == 0 {
			return had, nil
		}
		if s.Count == 0 && i < len(found[0])-1 {
			return s.At - 1, nil
		}
	}
	q.Limit = 1
	last, err := h.series.Range(ctx, q)
	if err != nil || len(last.Times) == 0 {
		return had, err
	}
	return last.Times[0], nil
}

// fill adds the samples of some instances up to now: first the past in steps of
// half a day, then the last hours.
func (h *History) fill(ctx context.Context, some []track) error {
	now := h.clock().Unix()
	coarse := (now - recent) / halfHour * halfHour
	since := now
	for _, t := range some {
		since = min(since, max(h.filled[t.instance]+1, now-past))
	}
	gauges := h.gauges(some)
	for from := since; from < coarse; {
		to := min((from/halfDay+1)*halfDay, coarse)
		if err := h.rested(ctx, func() error { return h.fillPast(ctx, gauges, from, to) }); err != nil {
			return err
		}
		from = to
	}
	if samples := h.samples(gauges, max(coarse, since), now); len(samples) > 0 {
		if err := h.rested(ctx, func() error { return h.series.Append(ctx, samples) }); err != nil {
			return err
		}
	}
	for _, t := range some {
		h.filled[t.instance] = max(h.filled[t.instance], now)
	}
	return nil
}

const halfHour = 30 * 60 // seconds: a multiple or divisor of every past interval

// rested runs a step, then pauses for a quarter of the time that the step took.
func (h *History) rested(ctx context.Context, step func() error) error {
	began := time.Now()
	if err := step(); err != nil {
		return err
	}
	timer := time.NewTimer(min(time.Since(began)/4, time.Second/8))
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// fillPast fills a past period for instances without later samples.
func (h *History) fillPast(ctx context.Context, gauges []gauge, from, to int64) error {
	every := map[int64][]gauge{}
	for _, g := range gauges {
		step := max(g.every, h.coarse)
		every[step] = append(every[step], g)
	}
	for step, some := range every {
		keys := make([]series.Key, len(some))
		for i := range some {
			keys[i] = some[i].key
		}
		err := h.series.Fill(ctx, series.History{
			Keys: keys, From: (from + step - 1) / step * step, To: to, Every: step,
			Value: func(i int, at int64) float64 { return some[i].after(at) },
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// samples returns the samples of each poll between two times.
func (h *History) samples(gauges []gauge, from, now int64) []series.Sample {
	var samples []series.Sample
	for i := range gauges {
		g := &gauges[i]
		for at := (from + g.every - 1) / g.every * g.every; at <= now; at += g.every {
			if at > g.since {
				samples = append(samples, series.Sample{Instance: g.key.Instance, DataPoint: g.key.DataPoint, At: at,
					Value: g.At(at)})
			}
		}
	}
	return samples
}
