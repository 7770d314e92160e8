package monitor

import (
	"context"
	"maps"
	"slices"
	"sync"

	"spyglass/backend/check"
	"spyglass/backend/portal/alert"
	"spyglass/backend/portal/threshold"
	"spyglass/backend/resource"
)

// local tracks which instances could not be checked because of a problem of a
// collector's own machine. See "Failures of the collector itself" of Engine.
type local struct {
	mu     sync.Mutex
	failed map[localKey]map[int64]lacking // by instance
	known  map[localKey]bool              // whether the alert is open; missing until it was looked up
	first  map[localKey]int64             // the first result of a collector not in known, in epoch seconds
}

type localKey struct {
	collector int64
	condition string
}

// lacking is an instance that could not be checked.
type lacking struct {
	until  int64 // counts until that time, in epoch seconds
	uplink bool  // or until any device responds
}

// lack is a problem of a collector's machine, with the text of its alert.
type lack struct {
	condition string
	severity  int64
	value     string
}

// lacks maps check.Result.Local to the problem.
var lacks = map[string]lack{
	check.LocalNetwork:     {alert.ConditionNetwork, threshold.SeverityCritical, "no network"},
	check.LocalUplink:      {alert.ConditionNetwork, threshold.SeverityCritical, "no response"},
	check.LocalDescriptors: {alert.ConditionDescriptors, threshold.SeverityError, "out of resources"},
}

// localPatience is the minimum time, in seconds, for which a failed instance
// counts without another check.
const localPatience = 600

// verdict is the effect of results on the alert of one condition.
type verdict struct {
	open    bool
	changed bool   // the alert has to open or clear
	lack    lack   // the first problem in the results
	reason  string // its reason
	at      int64  // the time of the last result
}

// noteLocal opens the collector's own alert when checks failed because of its
// machine, and clears it when each of them has succeeded.
func (e *Engine) noteLocal(ctx context.Context, collector int64, results []check.Result,
	known map[int64]*watched) error {
	formulas, err := e.intake.formulas(ctx)
	if err != nil {
		return err
	}
	remote := func(w *watched) bool {
		t := &check.Task{Host: w.host}
		if f := formulas[w.source]; f != nil {
			t.Method = f.source.CollectMethod
		}
		if e.o.Remote != nil {
			return e.o.Remote(t)
		}
		return t.Remote(nil)
	}
	since := e.lateBefore(collector)
	results = slices.DeleteFunc(slices.Clone(results), func(r check.Result) bool { return r.At < since })
	for _, condition := range []string{alert.ConditionDescriptors, alert.ConditionNetwork} {
		v := e.local.take(localKey{collector, condition}, results, known, remote)
		if !v.changed {
			continue
		}
		if err := e.writeLocalAlert(ctx, localKey{collector, condition}, &v); err != nil {
			e.local.undo(localKey{collector, condition})
			return err
		}
	}
	return nil
}

func (e *Engine) writeLocalAlert(ctx context.Context, key localKey, v *verdict) error {
	f := &alert.Finding{CollectorID: key.collector, Condition: key.condition, Severity: v.lack.severity,
		Value: v.lack.value, Reason: v.reason, At: resource.Seconds(v.at)}
	if v.open {
		f.Reason += " Until then, devices that it cannot check raise no alerts."
	}
	return e.o.DB.Write(resource.WithCall(ctx, nil), func(tx resource.Tx) (err error) {
		if v.open {
			_, _, err = alert.Raise(ctx, tx, f)
			return err
		}
		_, err = alert.Clear(ctx, tx, f)
		return err
	})
}

// take records results, and returns whether the alert has to open or clear. A
// successful check of the collector clears an alert of an earlier process. An
// alert about the network clears when another machine responds, or after
// localPatience without failures.
func (l *local) take(key localKey, results []check.Result, known map[int64]*watched,
	remote func(*watched) bool) (v verdict) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.failed == nil {
		l.failed, l.known, l.first = map[localKey]map[int64]lacking{}, map[localKey]bool{}, map[localKey]int64{}
	}
	failed, sure := l.failed[key], key.condition != alert.ConditionNetwork
	for i := range results {
		r := &results[i]
		w := known[r.InstanceID]
		if w == nil || w.simulated {
			continue
		}
		v.at = max(v.at, r.At)
		if r.Reached {
			maps.DeleteFunc(failed, func(_ int64, one lacking) bool { return one.uplink })
		}
		is := lacks[r.Local]
		if is.condition != key.condition {
			delete(failed, r.InstanceID)
			sure = sure || r.Responded != nil && *r.Responded && remote(w)
			continue
		}
		if failed == nil {
			failed = map[int64]lacking{}
			l.failed[key] = failed
		}
		every := int64(0)
		if w.task != nil {
			every = w.task.Interval
		}
		failed[r.InstanceID] = lacking{r.At + max(localPatience, 3*every), r.Local == check.LocalUplink}
		if v.reason == "" {
			v.lack, v.reason = is, r.Error
		}
	}
	if v.at == 0 {
		return verdict{}
	}
	maps.DeleteFunc(failed, func(_ int64, one lacking) bool { return one.until < v.at })
	v.open = len(failed) > 0
	was, noted := l.known[key]
	if !noted && !v.open && !sure {
		if l.first[key] == 0 {
			l.first[key] = v.at
		}
		if v.at-l.first[key] < localPatience {
			return verdict{}
		}
	}
	l.known[key], v.changed = v.open, !noted || was != v.open
	return v
}

// undo makes the next results try again.
func (l *local) undo(key localKey) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.known, key)
}

// forget removes instances that are no longer polled.
func (l *local) forget(instances ...int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, failed := range l.failed {
		for _, id := range instances {
			delete(failed, id)
		}
	}
}

// mostReasons limits the instances whose last failure is stored.
const mostReasons = 50_000

// reasons stores why the last check of an instance failed. It is safe for
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
