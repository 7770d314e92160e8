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
// It is safe for concurrent use. It processes the results of one instance in the
// order in which they arrive.
type intake struct {
	db    resource.Reader
	world World

	mu     sync.Mutex
	before map[int64]raw // the last responses by instance, for rates
	late   map[int64]raw // the last late responses
}

// reading is the evaluated result of one check of an instance.
type reading struct {
	of       *watched
	formula  *formula
	at       int64
	values   map[int64]float64 // by data point, NaN for no data; nil: the check failed
	first    bool              // no earlier response to compute rates from
	late     bool              // it may only fill a gap
	response *bool             // whether the device responded, if the check reports that
	reason   string            // why the check failed, in a sentence
	behind   bool              // the device did not respond, and its parent may be the cause
}

// read converts results to readings, and ignores unknown instances. held returns
// fixed values of simulated data points. Results from before lateBefore, in epoch
// seconds, are late.
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
		if w == nil || formulas[w.source] == nil || r.Local != "" { // a problem of the collector's machine
			continue
		}
		one := reading{of: w, formula: formulas[w.source], at: r.At, late: w.elsewhere || r.At < lateBefore}
		reach := Responds
		if w.simulated {
			reach = k.world.Reach(w.device, r.At)
		} else {
			one.response, one.reason = r.Responded, r.Error
		}
		switch {
		case reach == Unwatched:
			continue
		case reach == Silent:
			one.values = one.formula.noResponse()
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

// formulas returns the formulas of all data sources, rebuilt after a change.
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

// maxLate limits the instances with a stored late response.
const maxLate = 100_000

// setBack is the number of seconds by which a result has to be older than the
// previous one to show that the clock was set back. A smaller difference means
// that the results arrived out of order.
const setBack = 60

// swap stores a response and returns the previous one. It returns nil if there is
// none, or if a later one that is not late has arrived already.
func (k *intake) swap(instance int64, now raw, late bool) *raw {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.before == nil {
		k.before, k.late = map[int64]raw{}, map[int64]raw{}
	}
	last, ok := k.before[instance]
	switch {
	case late && len(k.late) >= maxLate:
		clear(k.late) // the next response of each instance has no rate
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

// forget removes instances that are no longer polled.
func (k *intake) forget(instances ...int64) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, id := range instances {
		delete(k.before, id)
		delete(k.late, id)
	}
}
