// Package stage simulates the incidents of the demo, and keeps the demo's time.
//
// An incident has one of several effects, a file each: simulated devices fall silent or
// show other values, simulated collectors stop, requests to the API are delayed or
// refused.
package stage

import (
	"cmp"
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"spyglass/backend/clock"
	"spyglass/backend/monitor"
	"spyglass/backend/portal/fleet"
	"spyglass/backend/portal/incident"
	"spyglass/backend/resource"
	"spyglass/backend/service"
)

// Options configures a Stage.
type Options struct {
	DB    resource.LiveDB
	Clock *clock.Clock // the time of the demo
	Log   *slog.Logger // slog.Default when nil

	// Poll polls simulated instances at once: those of the devices and data
	// sources for which wanted returns true.
	Poll func(wanted func(device, source int64) bool)
	// Filling reports whether the past is being filled; nil if it never is.
	Filling func() bool
	// Reset recreates the demo. Only the caller that started it waits.
	Reset func(ctx context.Context) error
	Guard *service.Guard
}

// Stage simulates incidents: it implements the monitor's World, and disturbs
// requests to the API. The effect of an incident depends only on its row and the
// time, so an incident whose end was not recorded has no effect any more.
//
// # Concurrency
//
// One owner calls New, Start and Stop. Everything else is safe for
// concurrent use and never blocks.
type Stage struct {
	o      Options
	scenes atomic.Pointer[[]scene]
	load   sync.Mutex   // serializes Load
	timed  sync.Mutex   // serializes changes of the time
	speed  atomic.Int64 // speed of the clock when it is not paused
	kept   atomic.Int64 // when the time was last stored
	beaten atomic.Int64 // when simulated collectors last sent heartbeats, epoch seconds

	started bool
	follows service.Group
	running service.Group // of the effects
}

// scene is a running incident.
type scene struct {
	incident.Incident
	kind    *incident.IncidentKind
	effect  *effect
	devices map[int64]bool // affected devices; nil: all
}

// effect is the effect of one kind of incident.
type effect struct {
	kind string
	// pick selects a target for an incident without one; nil: it needs no target.
	pick func(ctx context.Context, r resource.Reader, i *incident.Incident) error
	// cast returns the affected devices; nil: all of them.
	cast func(ctx context.Context, r resource.Reader, i *incident.Incident) (map[int64]bool, error)
	// reach returns how an affected device responds; nil: as usual.
	reach func(s *scene, device, at int64) monitor.Reach
	// shows returns the value of a data point of an affected device in place of
	// v; nil: v.
	shows func(s *scene, p *monitor.Point, v float64) float64
	// every is the interval in seconds of additional polls, for at most most
	// seconds; 0: none.
	every, most int64
	// trouble delays or refuses a request; nil: neither.
	trouble func(ctx context.Context, s *scene) error
}

// effects lists the effects of all kinds of incidents.
var effects = []effect{
	coreSwitchDown, diskFilling, cpuStorm, flappingLink, certificateExpiring, collectorDown, alertStorm,
	slowResponses, tooManyRequests, failingResponses, expiredSession,
}

// New returns a stage without incidents, which is not started yet.
func New(o Options) *Stage {
	o.Log = cmp.Or(o.Log, slog.Default())
	s := &Stage{o: o, follows: service.Group{Guard: o.Guard}, running: service.Group{Guard: o.Guard}}
	s.scenes.Store(&[]scene{})
	s.speed.Store(1)
	return s
}

// Start starts to follow the rows, without blocking.
func (s *Stage) Start(ctx context.Context) {
	s.follows.Begin(ctx)
	s.follows.Keep("incidents of the demo", s.follow)
}

// Stop ends the following, and waits for it no longer than until ctx is done. It may be
// called twice, and on a stage that never started.
func (s *Stage) Stop(ctx context.Context) error { return s.follows.Stop(ctx) }

// StartEffects starts what only one process of a portal does, without blocking: it ends
// incidents, and polls what they affect. It may be called again after StopEffects.
func (s *Stage) StartEffects(ctx context.Context) {
	s.started = true
	s.running.Begin(ctx)
	s.running.Keep("effects of incidents", s.tend)
}

// StopEffects ends that work and waits for it, no longer than until ctx is done. It may
// be called twice, and on a stage that never started it.
func (s *Stage) StopEffects(ctx context.Context) error {
	if err := s.running.Stop(ctx); err != nil || !s.started || !s.o.Clock.Apart() {
		return err
	}
	if err := s.keepTime(ctx); err != nil {
		s.o.Log.WarnContext(ctx, "the time of the demo could not be stored", "err", err)
	}
	return nil
}

// follow updates the scenes when incidents change.
func (s *Stage) follow(ctx context.Context) {
	changed, stop := s.o.DB.Watch(string(incident.Incidents.Name), string(fleet.Groups.Name))
	defer stop()
	for {
		if err := s.Load(ctx); err != nil && ctx.Err() == nil {
			s.o.Log.WarnContext(ctx, "the incidents of the demo could not be read", "err", err)
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return
		}
	}
}

// Load reads the current incidents.
func (s *Stage) Load(ctx context.Context) error {
	s.load.Lock()
	defer s.load.Unlock()
	rows, err := resource.Find(ctx, s.o.DB, incident.Incidents.Name,
		resource.Where{Field: "state", Op: "=", Value: incident.IncidentRuns})
	if err != nil {
		return err
	}
	scenes := make([]scene, 0, len(rows))
	for i := range rows {
		one := scene{Incident: rows[i], kind: rows[i].KindOf()}
		for k := range effects {
			if effects[k].kind == rows[i].Kind {
				one.effect = &effects[k]
			}
		}
		if one.kind == nil || one.effect == nil {
			continue
		}
		if err := s.settle(ctx, &one); err != nil {
			return err
		}
		if one.effect.cast != nil {
			if one.devices, err = one.effect.cast(ctx, s.o.DB, &one.Incident); err != nil {
				return err
			}
		}
		scenes = append(scenes, one)
	}
	s.scenes.Store(&scenes)
	return nil
}

// settle stores the target of an incident, so that it stays the same.
func (s *Stage) settle(ctx context.Context, one *scene) error {
	was := one.Incident
	if one.effect.pick == nil || was.DeviceID+was.GroupID+was.CollectorID > 0 {
		return nil
	}
	if err := one.effect.pick(ctx, s.o.DB, &one.Incident); err != nil || one.Incident == was {
		return err
	}
	return s.o.DB.Write(resource.WithCall(ctx, nil), func(tx resource.Tx) error {
		row, err := resource.Get(ctx, tx, incident.Incidents.Name, one.ID)
		if err != nil {
			return nil // it was deleted meanwhile
		}
		if row.DeviceID+row.GroupID+row.CollectorID > 0 { // another process was faster
			one.Incident = *row
			return nil
		}
		row.DeviceID, row.GroupID, row.CollectorID = one.DeviceID, one.GroupID, one.CollectorID
		return resource.Put(ctx, tx, incident.Incidents.Name, row)
	})
}

// tendEvery is the interval, in real time, at which the stage ends incidents
// and schedules polls.
const tendEvery = time.Second

// tend ends incidents that are over, and schedules early polls for others.
func (s *Stage) tend(ctx context.Context) {
	each := time.NewTicker(tendEvery)
	defer each.Stop()
	polled := map[int64]int64{} // by incident: the time of its last early poll
	for {
		if err := s.Tend(ctx, polled); err != nil && ctx.Err() == nil {
			s.o.Log.WarnContext(ctx, "the incidents of the demo could not be stored", "err", err)
		}
		select {
		case <-each.C:
		case <-ctx.Done():
			return
		}
	}
}

// Tend does the work that is due: it ends incidents, polls the affected
// instances, and sends heartbeats of simulated collectors. polled holds the time
// of each last poll.
func (s *Stage) Tend(ctx context.Context, polled map[int64]int64) error {
	scenes := *s.scenes.Load() // the current slice: ending an incident replaces it
	for i := range scenes {
		one := &scenes[i]
		now := s.now(one)
		if now >= int64(one.EndOn) {
			if err := s.over(ctx, one); err != nil {
				return err
			}
		}
		e := one.effect
		if e.every > 0 && now-int64(one.StartOn) <= e.most && now-polled[one.ID] >= e.every {
			polled[one.ID] = now
			s.o.Poll(func(device, _ int64) bool { return one.devices == nil || one.devices[device] })
		}
	}
	if err := s.remember(ctx); err != nil {
		return err
	}
	return s.beat(ctx)
}

// rememberEvery is the interval in seconds at which an accelerated clock is stored, so
// that a killed portal resumes near that time.
const rememberEvery = 10

func (s *Stage) remember(ctx context.Context) error {
	now := time.Now()
	if !s.o.Clock.Apart() || s.o.Clock.Speed() == 0 || now.Unix()-s.kept.Load() < rememberEvery {
		return nil
	}
	s.kept.Store(now.Unix())
	return s.keepTime(ctx)
}

// over records that an incident has ended, and updates the values that it
// affected.
func (s *Stage) over(ctx context.Context, one *scene) error {
	err := s.o.DB.Write(resource.WithCall(ctx, nil), func(tx resource.Tx) error {
		row, err := resource.Get(ctx, tx, incident.Incidents.Name, one.ID)
		if err != nil {
			return nil // it was deleted meanwhile
		}
		row.End(row.EndOn)
		return resource.Put(ctx, tx, incident.Incidents.Name, row)
	})
	if err == nil {
		err = s.Load(ctx)
	}
	if err == nil && one.effect.every > 0 {
		s.o.Poll(func(device, _ int64) bool { return one.devices == nil || one.devices[device] })
	}
	return err
}

// now returns the time of the incident's clock.
func (s *Stage) now(one *scene) int64 {
	if one.kind.Real {
		return time.Now().Unix()
	}
	return s.o.Clock.Now().Unix()
}

// at reports whether the incident is running at a time of its clock.
func (s *scene) at(moment int64) bool {
	return moment >= int64(s.StartOn) && moment < int64(s.EndOn)
}

// has reports whether the incident affects the device.
func (s *scene) has(device int64) bool { return s.devices == nil || s.devices[device] }

// part returns the elapsed share of the incident at a time, from 0 to 1.
func (s *scene) part(moment int64) float64 {
	return min(1, max(0, float64(moment-int64(s.StartOn))/float64(max(1, s.Duration))))
}

// Reach returns how a simulated device responds at a time (monitor.World).
func (s *Stage) Reach(device, at int64) monitor.Reach {
	worst, scenes := monitor.Responds, *s.scenes.Load()
	for i := range scenes {
		one, moment := &scenes[i], at
		if one.kind.Real {
			moment = time.Now().Unix()
		}
		if one.effect.reach != nil && one.at(moment) && one.has(device) {
			worst = max(worst, one.effect.reach(one, device, at))
		}
	}
	return worst
}

// Shows returns the value of a data point in place of v (monitor.World).
func (s *Stage) Shows(p *monitor.Point, v float64) float64 {
	scenes := *s.scenes.Load()
	for i := range scenes {
		one := &scenes[i]
		if one.effect.shows != nil && one.at(p.At) && one.has(p.Device) {
			v = one.effect.shows(one, p, v)
		}
	}
	return v
}

// Trouble delays or refuses a request to the portal's API. It does not affect
// endpoints that are declared Steady: those that end incidents, and the one for the
// signed-in user, which the page needs to show the others.
func (s *Stage) Trouble(ctx context.Context, e *resource.Endpoint) error {
	scenes := *s.scenes.Load()
	if len(scenes) == 0 || e.Steady {
		return nil
	}
	for i := range scenes {
		if t := scenes[i].effect.trouble; t != nil && scenes[i].at(time.Now().Unix()) {
			if err := t(ctx, &scenes[i]); err != nil {
				return err
			}
		}
	}
	return nil
}
