package history

import (
	"math"

	"spyglass/backend/check"
	"spyglass/backend/expr"
	"spyglass/backend/portal/datasource"
	"spyglass/backend/series"
)

// gauge is one data point of one simulated instance. It never changes.
type gauge struct {
	key     series.Key
	every   int64 // seconds between two polls
	since   int64 // samples exist up to this time
	sensor  *check.Sensor
	formula *expr.Expr // computes the value from others, instead of sensor
	over    map[string]*gauge
	spells  []spell
}

// At returns the value at a time in epoch seconds; NaN for none.
func (g *gauge) At(at int64) float64 {
	if v, ok := valueIn(g.spells, at); ok {
		return v
	}
	if g.formula == nil {
		return g.sensor.At(at)
	}
	return g.formula.Eval(func(name string) float64 {
		if of := g.over[name]; of != nil {
			return of.At(at)
		}
		return math.NaN()
	})
}

// after does the same as At for times without samples.
func (g *gauge) after(at int64) float64 {
	if at <= g.since {
		return math.NaN()
	}
	return g.At(at)
}

// gauges returns all data points of some instances.
func (h *History) gauges(some []track) []gauge {
	var all []gauge
	for i := range some {
		t := &some[i]
		b := builder{track: t, made: map[string]*gauge{}}
		for k := range t.source.DataPoints {
			p := &t.source.DataPoints[k]
			g := *b.of(p)
			g.key, g.every, g.since = series.Key{Instance: t.instance, DataPoint: p.ID},
				max(1, t.source.CollectInterval), h.filled[t.instance]
			g.spells = h.spells[g.key]
			all = append(all, g)
		}
	}
	return all
}

// builder creates the gauges of an instance.
type builder struct {
	track *track
	made  map[string]*gauge // nil while it is being built
}

func (b *builder) of(p *datasource.DataPoint) *gauge {
	if g, ok := b.made[p.Name]; ok {
		return g
	}
	b.made[p.Name] = nil
	g := &gauge{}
	if formula, err := expr.Parse(p.PostProcessorParam); p.PostProcessor == worked && err == nil {
		g.formula, g.over = formula, map[string]*gauge{}
		for _, name := range formula.Names() {
			for i := range b.track.source.DataPoints {
				if of := &b.track.source.DataPoints[i]; of.Name == name {
					g.over[name] = b.of(of)
				}
			}
		}
	} else {
		g.sensor = check.NewSensor(b.track.source.Name, p.Name, b.track.device, b.track.wild)
	}
	b.made[p.Name] = g
	return g
}
