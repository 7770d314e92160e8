package monitor

import (
	"math"

	"spyglass/backend/check"
	"spyglass/backend/expr"
	"spyglass/backend/portal/datasource"
)

// formula computes the data points of one data source from raw fields. It is
// built once and shared.
type formula struct {
	source *datasource.DataSource
	points []formulaPoint
	rates  bool // some points are rates, which need the previous response
	upTime int  // index of the point with the device's uptime; -1: none
	loss   int  // index of the point with lost pings, in percent; -1: none
}

type formulaPoint struct {
	id        int64
	name, raw string
	rate      bool       // per second, computed from two responses
	mayFall   bool       // and may be negative
	expr      *expr.Expr // of a computed point
	low, high float64    // a value outside this range is no data
}

func newFormula(source *datasource.DataSource) (*formula, error) {
	f := &formula{source: source, upTime: -1, loss: -1}
	for i := range source.DataPoints {
		p := &source.DataPoints[i]
		point := formulaPoint{id: p.ID, name: p.Name, raw: p.RawDataFieldName, rate: p.IsRate(), mayFall: p.MayFall()}
		point.low, point.high = p.Bounds()
		if p.PostProcessor == "expression" {
			var err error
			if point.expr, err = expr.Parse(p.PostProcessorParam); err != nil {
				return nil, err
			}
		}
		if ticksPerSecond[p.Name] > 0 {
			f.upTime = i
		}
		if source.CollectMethod == "ping" && point.raw == "lossPercent" {
			f.loss = i
		}
		f.points = append(f.points, point)
		f.rates = f.rates || point.rate
	}
	return f, nil
}

// ticksPerSecond holds the units of the data points for a device's uptime.
var ticksPerSecond = map[string]float64{"upTime": 1, "sysUpTime": 100}

// up returns the uptime of the device in seconds; false if it reports none.
func (f *formula) up(values map[int64]float64) (int64, bool) {
	if f.upTime < 0 {
		return 0, false
	}
	p := &f.points[f.upTime]
	v, ok := values[p.id]
	if !ok || math.IsNaN(v) || v < 0 || v > math.MaxInt32*100 {
		return 0, false
	}
	return int64(v / ticksPerSecond[p.name]), true
}

// raw is the response of an instance, with its time in epoch seconds.
type raw struct {
	at     int64
	values check.Values
	prior  *raw // the previous response, without its own prior; nil for none
}

// values returns the values of the data points, by id: NaN for no data. before is
// the previous response, for rates. A counter that was reset has no rate, see
// wrapped.
func (f *formula) values(now raw, before *raw) map[int64]float64 {
	return f.complete(func(p *formulaPoint) float64 { return p.measured(now, before) }, nil)
}

// simulate returns the values of an instance on a simulated device at a time. A
// sensor simulates the value of the data point, or the rate if the point is one;
// world may change it. Data points in held keep the value given there.
func (f *formula) simulate(w *watched, at int64, held map[int64]float64, world World) map[int64]float64 {
	sensed := func(name string) float64 { return check.NewSensor(f.source.Name, name, w.device, w.wild).At(at) }
	point := Point{Source: f.source, Device: w.device, Wild: w.wild, At: at, Of: sensed}
	values := f.complete(func(p *formulaPoint) float64 { return sensed(p.name) }, func(i int, v float64) float64 {
		point.DataPoint = &f.source.DataPoints[i]
		return world.Shows(&point, v)
	})
	for id, v := range held {
		if _, ok := values[id]; ok {
			values[id] = v
		}
	}
	return values
}

// complete computes the remaining values from the measured ones. bend, unless
// nil, changes each measured value first.
func (f *formula) complete(measure func(*formulaPoint) float64, bend func(i int, v float64) float64) map[int64]float64 {
	bent := func(i int, v float64) float64 {
		if bend == nil {
			return v
		}
		return bend(i, v)
	}
	out := make(map[int64]float64, len(f.points))
	named := make(map[string]float64, len(f.points))
	for i := range f.points { // first measured points, then those computed from them
		if p := &f.points[i]; p.expr == nil {
			named[p.name] = p.within(bent(i, measure(p)))
			out[p.id] = named[p.name]
		}
	}
	for i := range f.points {
		p := &f.points[i]
		if p.expr == nil {
			continue
		}
		named[p.name] = p.within(bent(i, p.expr.Eval(func(name string) float64 {
			if v, ok := named[name]; ok {
				return v
			}
			return math.NaN()
		})))
		out[p.id] = named[p.name]
	}
	return out
}

func (p *formulaPoint) within(v float64) float64 {
	if v < p.low || v > p.high || math.IsInf(v, 0) {
		return math.NaN()
	}
	return v
}

func (p *formulaPoint) measured(now raw, before *raw) float64 {
	v, ok := now.values[p.raw]
	if !ok {
		return math.NaN()
	}
	if !p.rate {
		return v
	}
	if before == nil || now.at <= before.at {
		return math.NaN()
	}
	was, ok := before.values[p.raw]
	if !ok {
		return math.NaN()
	}
	grown := v - was
	if grown < 0 && !p.mayFall {
		grown = wrapped(v, was, float64(now.at-before.at)*before.pace(p.raw))
	}
	return grown / float64(now.at-before.at)
}

const (
	range32 = 1 << 32
	range64 = 1 << 64
	// A counter is assumed to wrap if it was this close to the end of its range,
	// counting both sides: one percent of 32 bits.
	nearEnd = range32 / 100
	// Otherwise it may have grown by at most this many times its previous growth.
	burst = 10
)

// wrapped returns the growth of a counter that fell from was to v; NaN if it was
// reset. Like RRD's COUNTER, it takes a counter below 2^32 for one of 32 bits,
// otherwise of 64. A wrap and a reset look the same: it assumes a wrap if the
// growth is small or not much more than usual (the growth before that, in the
// same time), so that a restarted device does not show a spike.
func wrapped(v, was, usual float64) float64 {
	grown := v - was + range64
	if was < range32 {
		grown = v - was + range32
	}
	if grown <= max(nearEnd, burst*usual) {
		return grown
	}
	return math.NaN()
}

// pace returns the growth per second of a counter until this response; 0 if
// unknown.
func (r *raw) pace(field string) float64 {
	if r.prior == nil || r.at <= r.prior.at {
		return 0
	}
	now, ok := r.values[field]
	was, known := r.prior.values[field]
	if !ok || !known || now < was {
		return 0
	}
	return (now - was) / float64(r.at-r.prior.at)
}
