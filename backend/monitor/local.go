package monitor

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"sync"

	"spyglass/backend/check"
	"spyglass/backend/portal"
	"spyglass/backend/resource"
)

// local keeps which instances could not be looked at because of a collector's own
// machine. See "What fails here" of Engine.
type local struct {
	mu     sync.Mutex
	failed map[localKey]map[int64]int64 // by instance: until when it counts, in epoch seconds
	known  map[localKey]bool            // whether the alert is open; a collector not here has not been asked yet
}

type localKey struct {
	collector int64
	condition string
}

// localConditions are the conditions of a collector by what its machine lacks.
var localConditions = map[string]struct {
	condition string
	severity  int64
	value     string
}{
	check.LocalNetwork:     {portal.ConditionNetwork, portal.SeverityCritical, "no network"},
	check.LocalDescriptors: {portal.ConditionDescriptors, portal.SeverityError, "out of resources"},
}

// localPatience is how long, in seconds, an instance that failed counts when it
// is not looked at again, at least.
const localPatience = 600

// noteLocal opens the collector's own alert when looks failed because of its
// machine, and clears it when each of them has succeeded.
func (e *Engine) noteLocal(ctx context.Context, collector int64, results []check.Result, known map[int64]*watched) error {
	for _, lack := range slices.Sorted(maps.Keys(localConditions)) {
		open, reason, at, changed := e.local.take(collector, lack, results, known)
		if !changed {
			continue
		}
		if err := e.tellLocal(ctx, collector, lack, open, reason, at); err != nil {
			e.local.undo(collector, lack)
			return err
		}
	}
	return nil
}

func (e *Engine) tellLocal(ctx context.Context, collector int64, lack string, open bool, reason string, at int64) error {
	c := localConditions[lack]
	f := &portal.Finding{CollectorID: collector, Condition: c.condition, Severity: c.severity, Value: c.value, Reason: reason, At: resource.Seconds(at)}
	return e.o.DB.Write(resource.WithCall(ctx, nil), func(tx resource.Tx) (err error) {
		if open {
			f.Reason += " Devices that it cannot check raise no alerts until that is over."
			_, _, err = portal.Raise(ctx, tx, f)
			return err
		}
		f.Value = ""
		_, err = portal.Clear(ctx, tx, f)
		return err
	})
}

// take notes results, and answers whether the alert has to open or clear. The
// first look of a collector that succeeds clears what an earlier process opened.
func (l *local) take(collector int64, lack string, results []check.Result, known map[int64]*watched) (open bool, reason string, at int64, changed bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.failed == nil {
		l.failed, l.known = map[localKey]map[int64]int64{}, map[localKey]bool{}
	}
	key := localKey{collector, lack}
	failed, real := l.failed[key], false
	for i := range results {
		r := &results[i]
		w := known[r.InstanceID]
		if w == nil || w.simulated {
			continue
		}
		real, at = true, max(at, r.At)
		if r.Local != lack {
			delete(failed, r.InstanceID)
			continue
		}
		if failed == nil {
			failed = map[int64]int64{}
			l.failed[key] = failed
		}
		every := int64(0)
		if w.task != nil {
			every = w.task.Interval
		}
		failed[r.InstanceID] = r.At + max(localPatience, 3*every)
		reason = cmp.Or(reason, r.Error)
	}
	if !real {
		return false, "", 0, false
	}
	maps.DeleteFunc(failed, func(_, until int64) bool { return until < at })
	open = len(failed) > 0
	was, asked := l.known[key]
	l.known[key] = open
	return open, reason, at, !asked || was != open
}

// undo makes the next results try again.
func (l *local) undo(collector int64, lack string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.known, localKey{collector, lack})
}

// forget drops instances that are not polled any more.
func (l *local) forget(instances ...int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, failed := range l.failed {
		for _, id := range instances {
			delete(failed, id)
		}
	}
}

// mostReasons bounds what is kept of instances whose last look failed.
const mostReasons = 50_000

// reasons keeps why the last look at an instance failed. It is safe for
// concurrent use.
type reasons struct {
	mu   sync.Mutex
	last map[int64]string
}

func (r *reasons) take(readings []reading) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for i := range readings {
		one := &readings[i]
		if one.reason == "" {
			delete(r.last, one.of.instance)
			continue
		}
		if r.last == nil {
			r.last = map[int64]string{}
		}
		if _, there := r.last[one.of.instance]; there || len(r.last) < mostReasons {
			r.last[one.of.instance] = one.reason
		}
	}
}

func (r *reasons) of(instance int64) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.last[instance]
}

func (r *reasons) forget(instances ...int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, id := range instances {
		delete(r.last, id)
	}
}
