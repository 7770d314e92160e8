package monitor

import (
	"context"
	"maps"
	"math"
	"slices"
	"sync"

	"spyglass/backend/check"
	"spyglass/backend/portal/datasource"
	"spyglass/backend/resource"
	"spyglass/backend/series"
)

// intake computes the values of data points from poll results.
//
// It is safe for concurrent use. Results of one instance are processed in the
// order in which they arrive.
type intake struct {
	db    resource.Reader
	world World

	mu     sync.Mutex
	before map[int64]raw // by instance, where rates are made
	late   map[int64]raw // the same of late results
}

// reading is the evaluated result of one check of an instance.
type reading struct {
	of      *watched
	formula *formula
	at      int64
	values  map[int64]float64 // by data point, NaN for no data; nil: the check failed
	first   bool              // there was none before it to make rates from
	late    bool              // it may only fill a gap
	answer  *bool             // whether the device responded, where the check reports it
	reason  string            // why it failed, in a sentence
	behind  bool              // it did not respond, and may be suppressed by the device that it depends on
}

// read makes readings of the results whose instances are known, and ignores the
// others. held returns values that simulated data points are kept at; results
// from before lateBefore, in epoch seconds, are late.
func (k *intake) read(ctx context.Context, results []check.Result, known map[int64]*watched,
	held func(instance int64) map[int64]float64, lateBefore int64) ([]reading, error) {
	formulas, err := k.formulas(ctx)
	if err != nil {
		return nil, err
	}
	readings := make([]reading, 0, len(results))
	for i := range results {
		r := &results[i]
		w := known[r.InstanceID]
		if w == nil || formulas[w.source] == nil || r.Local != "" { // a local failure says nothing about the device
			continue
		}
		one := reading{of: w, formula: formulas[w.source], at: r.At, late: w.elsewhere || r.At < lateBefore}
		reach := Answers
		if w.simulated {
			reach = k.world.Reach(w.device, r.At)
		} else {
			one.answer, one.reason = r.Answered, r.Error
		}
		switch {
		case reach == Unwatched:
			continue
		case reach == Silent:
			one.values = one.formula.unanswered()
		case w.simulated && r.Error == "":
			one.values = one.formula.simulate(w, r.At, held(r.InstanceID), k.world)
		case len(r.Values) > 0:
			now, before := raw{at: r.At, values: r.Values}, (*raw)(nil)
			if one.formula.rates {
				before = k.swap(r.InstanceID, now, one.late)
				one.first = before == nil
			}
			one.values = one.formula.values(now, before)
		}
		readings = append(readings, one)
	}
	return readings, nil
}

// samples returns the samples to store for readings.
func samples(readings []reading) []series.Sample {
	var all []series.Sample
	for i := range readings {
		r := &readings[i]
		for _, id := range slices.Sorted(maps.Keys(r.values)) {
			if v := r.values[id]; !math.IsNaN(v) {
				all = append(all, series.Sample{Instance: r.of.instance, DataPoint: id, At: r.at, Value: v})
			}
		}
	}
	return all
}

// formulas returns those of all data sources, rebuilt when one has changed.
func (k *intake) formulas(ctx context.Context) (map[int64]*formula, error) {
	value, err := k.db.Memo("formulas", []string{string(datasource.DataSources.Name)}, func() (any, error) {
		sources, err := resource.Find(ctx, k.db, datasource.DataSources.Name)
		all := make(map[int64]*formula, len(sources))
		for i := range sources {
			if err == nil {
				all[sources[i].ID], err = newFormula(&sources[i])
			}
		}
		return all, err
	})
	if err != nil {
		return nil, err
	}
	return value.(map[int64]*formula), nil
}

// maxLate bounds for how many instances a late response is kept.
const maxLate = 100_000

// setBack is the number of seconds by which a result has to be older than the one before
// for the clock to have been set back; a result less old has been overtaken.
const setBack = 60

// swap stores a raw response, and returns the one before; nil when it is the
// first, or when a later one that was not late has come already.
func (k *intake) swap(instance int64, now raw, late bool) *raw {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.before == nil {
		k.before, k.late = map[int64]raw{}, map[int64]raw{}
	}
	last, ok := k.before[instance]
	switch {
	case late && len(k.late) >= maxLate:
		clear(k.late) // the next of each gives no rate
	case !late && ok && last.at > now.at+setBack:
		k.before[instance] = now
		delete(k.late, instance)
		return nil
	case !late && ok && last.at >= now.at:
		return nil
	}
	was := (*raw)(nil)
	for _, one := range []map[int64]raw{k.before, k.late} {
		if r, ok := one[instance]; ok && r.at < now.at && (was == nil || r.at > was.at) {
			was = &r
		}
	}
	if was != nil {
		now.prior = &raw{at: was.at, values: was.values}
	}
	if late {
		k.late[instance] = now
	} else {
		k.before[instance] = now
	}
	return was
}

// forget drops what is kept of instances that are not polled any more.
func (k *intake) forget(instances ...int64) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, id := range instances {
		delete(k.before, id)
		delete(k.late, id)
	}
}
