package monitor

import (
	"math"

	"spyglass/backend/portal/datasource"
)

// World changes the values that simulated devices measure; their ordinary values
// depend only on names and the time. It is called at each poll, and must not
// block.
type World interface {
	// Reach returns how a device responds at a time, in epoch seconds.
	Reach(device, at int64) Reach
	// Shows returns the value of a data point in place of v; NaN for no data.
	Shows(p *Point, v float64) float64
}

// Reach describes how a simulated device responds.
type Reach int

// The values of Reach.
const (
	Responds  Reach = iota
	Silent          // it is polled, but does not respond
	Unwatched       // no collector polls it
)

// Point is one data point of one instance of a simulated device at a time.
type Point struct {
	Source    *datasource.DataSource
	DataPoint *datasource.DataPoint
	Device    int64
	Wild      string // wild value of the instance
	At        int64  // epoch seconds
	// Of returns the ordinary value of another measured data point of the
	// instance.
	Of func(name string) float64
}

// uneventful is a World without changes.
type uneventful struct{}

func (uneventful) Reach(int64, int64) Reach          { return Responds }
func (uneventful) Shows(_ *Point, v float64) float64 { return v }

// noResponse returns the values of an instance whose device does not respond:
// pings are lost, and other points have no data.
func (f *formula) noResponse() map[int64]float64 {
	if f.loss < 0 {
		return nil
	}
	return f.complete(func(p *formulaPoint) float64 {
		switch p.raw {
		case "lossPercent":
			return 100
		case "recvpkts":
			return 0
		}
		return math.NaN()
	}, nil)
}

// responded reports whether the device responded. If the check does not report
// that, as in earlier collectors, values count as a response.
func (r *reading) responded() bool {
	if r.response != nil {
		return *r.response
	}
	return r.values != nil && (r.formula.loss < 0 || r.values[r.formula.points[r.formula.loss].id] != 100)
}
