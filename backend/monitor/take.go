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

// intake makes the values of data points from what was polled.
//
// It is safe for concurrent use. Results of one instance are taken in the order
// in which they come.
type intake struct {
	db    resource.Reader
	world World

	mu     sync.Mutex
	before map[int64]raw // by instance, where rates are made
	late   map[int64]raw // the same of what came late
}

// reading is what one look at an instance came to.
type reading struct {
	of      *watched
	formula *formula
	at      int64
	values  map[int64]float64 // by data point, NaN for no data; nil: the look failed
	first   bool              // there was none before it to make rates from
	late    bool              // it fills a hole, at most
	answer  *bool             // whether the device gave a sign of itself, where the check says so
	reason  string            // why it failed, in a sentence
	behind  bool              // it is not answered, and may be so because of the device that it is reached through
}

// read makes readings of the results whose instances are known; the others are
// passed over. held are values that simulated data points are kept at; what is
// from before lateBefore, in epoch seconds, comes late.
func (k *intake) read(ctx context.Context, results []check.Result, known map[int64]*watched, held func(instance int64) map[int64]float64, lateBefore int64) ([]reading, error) {
	formulas, err := k.formulas(ctx)
	if err != nil {
		return nil, err
	}
	readings := make([]reading, 0, len(results))
	for i := range results {
		r := &results[i]
		w := known[r.InstanceID]
		if w == nil || formulas[w.source] == nil || r.Local != "" { // which says nothing about the device
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

// samples are what is kept of readings.
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

// formulas are those of all data sources, made anew when one has changed.
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

// maxLate bounds what is kept of instances whose results came late.
const maxLate = 100_000

// setBack is how many seconds earlier than the one before it a result has to be
// for the clock to have been set back; what is closer has been overtaken.
const setBack = 60

// swap keeps a raw answer, and gives the one before; nil when it is the first,
// or a later one has come already that was not late.
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
