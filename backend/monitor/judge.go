package monitor

import (
	"context"
	"math"
	"slices"
	"strconv"
	"sync"
	"time"

	"spyglass/backend/portal/alert"
	"spyglass/backend/portal/threshold"
	"spyglass/backend/resource"
)

// judge compares readings with thresholds, and raises and clears alerts.
//
// It remembers a data point only while its alert is active or it is about to
// get one; the alerts themselves are read from the database when it begins, so
// that a restart neither opens one again nor forgets one. The count of polls
// towards an alert restarts with the program.
type judge struct {
	db resource.LiveDB

	mu     sync.Mutex
	ready  bool                       // the active alerts have been read
	states map[int64]map[int64]*state // by instance and data point
	count  int
	plans  plans
}

// state is a data point that is beyond its threshold, or was at the last poll.
type state struct {
	threshold.Run // of the active alert

	alert   int64 // the active one; 0: none
	value   string
	startOn resource.Seconds
}

func stateOf(a *alert.Alert) *state {
	return &state{Run: threshold.Run{Severity: a.Severity}, alert: int64(a.ID), value: a.Value, startOn: a.StartOn}
}

// maxStates bounds how many data points are remembered. Beyond it only those
// with an alert are, until there is room.
const maxStates = 200_000

// begin reads the active alerts, once.
func (j *judge) begin(ctx context.Context) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.ready {
		return nil
	}
	return j.readAll(ctx)
}

func (j *judge) readAll(ctx context.Context) error {
	alerts, err := resource.Find(ctx, j.db, alert.Alerts.Name, isActive,
		resource.Where{Field: "instanceId", Op: ">", Value: int64(0)})
	if err != nil {
		return err
	}
	j.states, j.count, j.ready = map[int64]map[int64]*state{}, 0, true
	for i := range alerts {
		j.set(&alerts[i])
	}
	return nil
}

var isActive = resource.Where{Field: "cleared", Op: "=", Value: false}

// changed reloads alerts that were written, by anybody.
func (j *judge) changed(ctx context.Context, ids []int64) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if !j.ready || ids == nil {
		return j.readAll(ctx)
	}
	alerts, err := resource.Find(ctx, j.db, alert.Alerts.Name, resource.Where{Field: "id", Op: "in", Value: ids})
	for i := range alerts {
		j.set(&alerts[i])
	}
	return err
}

// set takes over the current state of an alert.
func (j *judge) set(a *alert.Alert) {
	if a.InstanceID == 0 {
		return
	}
	s := j.states[a.InstanceID][a.DataPointID]
	switch {
	case a.Cleared && s != nil && s.alert == int64(a.ID):
		j.drop(a.InstanceID, a.DataPointID)
	case a.Cleared:
	case s == nil || s.alert != int64(a.ID):
		j.put(a.InstanceID, a.DataPointID, stateOf(a))
	default:
		s.Severity, s.value = a.Severity, a.Value
	}
}

func (j *judge) put(instance, point int64, s *state) {
	if j.states[instance] == nil {
		j.states[instance] = map[int64]*state{}
	}
	if j.states[instance][point] == nil {
		j.count++
	}
	j.states[instance][point] = s
}

func (j *judge) drop(instance, point int64) {
	if j.states[instance][point] == nil {
		return
	}
	j.count--
	delete(j.states[instance], point)
	if len(j.states[instance]) == 0 {
		delete(j.states, instance)
	}
}

// forget drops what was counted for instances that are not polled any more; an
// alert of theirs stays as it is.
func (j *judge) forget(instances ...int64) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, id := range instances {
		delete(j.plans.of, id)
		for point, s := range j.states[id] {
			if s.alert == 0 {
				j.drop(id, point)
			}
		}
	}
}

// initial reports whether the alert belongs to the demo's initial data: no poll of
// the instance can have raised it.
func (s *state) initial(w *watched) bool {
	return w.simulated && s.alert > 0 && s.startOn < w.foundOn
}

// held returns the values at which the demo's alerts keep data points of an
// instance.
func (j *judge) held(known map[int64]*watched) func(instance int64) map[int64]float64 {
	return func(instance int64) map[int64]float64 {
		j.mu.Lock()
		defer j.mu.Unlock()
		var held map[int64]float64
		for point, s := range j.states[instance] {
			if v, err := strconv.ParseFloat(s.value, 64); err == nil && s.initial(known[instance]) {
				if held == nil {
					held = map[int64]float64{}
				}
				held[point] = v
			}
		}
		return held
	}
}

// act is a change of an alert.
type act struct {
	reading  *reading
	rule     *rule
	state    *state
	severity int64 // 0: it clears
}

// take judges readings, and writes the resulting alerts in one transaction. It holds
// the lock until that is committed, so that alerts are written in the order in which
// they were judged, and the next readings are judged by alerts that are in the
// database: a commit that fails leaves no state that was never written.
func (j *judge) take(ctx context.Context, readings []reading) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if err := j.plans.begin(ctx, j.db); err != nil {
		return err
	}
	var acts []act
	for i := range readings {
		acts = j.weigh(acts, &readings[i])
	}
	if len(acts) == 0 {
		return nil
	}
	clusters, err := alert.SizeClusters(ctx, j.db, lastOf(acts), pointsOf(acts)...)
	if err != nil {
		return err
	}
	outcomes := make([]*alert.Alert, len(acts))
	err = j.db.Write(ctx, func(tx resource.Tx) (err error) {
		for i := range acts {
			if outcomes[i], err = acts[i].write(ctx, tx); err != nil {
				return err
			}
		}
		// Judge clusters before anybody can be notified of their single alerts.
		return alert.JudgeClusters(ctx, tx, clusters, lastOf(acts))
	})
	if err != nil {
		return err // the next poll finds the same again
	}
	for i, a := range outcomes {
		if a == nil {
			j.drop(acts[i].reading.of.instance, acts[i].rule.id)
			continue
		}
		*acts[i].state = *stateOf(a)
	}
	return nil
}

// pointsOf returns the ids of the acts' data points.
func pointsOf(acts []act) []int64 {
	points := make([]int64, len(acts))
	for i := range acts {
		points[i] = acts[i].rule.id
	}
	slices.Sort(points)
	return slices.Compact(points)
}

// lastOf returns the time of the last of the acts' readings.
func lastOf(acts []act) time.Time {
	var at int64
	for i := range acts {
		at = max(at, acts[i].reading.at)
	}
	return time.Unix(at, 0)
}

// weigh adds the alert changes that follow from one reading.
func (j *judge) weigh(acts []act, one *reading) []act {
	w := one.of
	p := j.plans.find(w, one.formula)
	troubled := j.states[w.instance]
	for i := range p.points {
		r := &p.points[i]
		s := troubled[r.id]
		if r.disabled {
			if s != nil && s.alert > 0 {
				acts = append(acts, act{one, r, s, 0})
			} else if s != nil {
				j.drop(w.instance, r.id)
			}
			continue
		}
		severity, known := r.severity(one)
		if !known || s == nil && severity == 0 || s != nil && s.initial(w) {
			continue
		}
		if one.behind && (s == nil || severity > s.Severity) {
			continue
		}
		if s == nil {
			if j.count >= maxStates {
				continue
			}
			s = &state{}
			j.put(w.instance, r.id, s)
		}
		switch news, to := s.Step(severity, r.opens, r.clears); {
		case news:
			acts = append(acts, act{one, r, s, to})
		case s.alert == 0 && severity == 0:
			j.drop(w.instance, r.id)
		}
	}
	return acts
}

// write raises or clears the alert; it returns nil when none is active then.
func (a *act) write(ctx context.Context, tx resource.Tx) (*alert.Alert, error) {
	f := &alert.Finding{
		InstanceID: a.reading.of.instance, DataPointID: a.rule.id, Severity: a.severity, Threshold: a.rule.text,
		Reason: a.reading.reason,
		Value:  alert.NoData, At: resource.Seconds(a.reading.at),
	}
	if v, ok := a.reading.values[a.rule.id]; ok && !math.IsNaN(v) {
		f.Value = strconv.FormatFloat(v, 'g', -1, 64)
	}
	switch {
	case a.rule.disabled:
		return nil, alert.ClearAlerts(ctx, tx, f.At, "alerting is disabled",
			resource.Where{Field: "id", Op: "=", Value: a.state.alert})
	case a.severity == 0:
		_, err := alert.Clear(ctx, tx, f)
		return nil, err
	}
	raised, _, err := alert.Raise(ctx, tx, f)
	if raised != nil && raised.Cleared {
		raised = nil
	}
	return raised, err
}
