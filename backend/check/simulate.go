package check

import (
	"math"
	"time"
)

// Shape is the pattern in which a simulated number changes, whatever it is
// called.
type Shape string

// The shapes, with their units. Those marked "by day" are higher in office hours
// than at night, and lower on weekends. Office hours are in UTC, shifted by up to
// an hour for each seed.
const (
	ShapeCPU         Shape = "cpu"         // percent, by day, with spikes
	ShapeMemory      Shape = "memory"      // percent, a little by day, slow
	ShapeTraffic     Shape = "traffic"     // bytes a second, by day, and a backup at night
	ShapeCounter     Shape = "counter"     // whole, only grows, faster by day
	ShapeLatency     Shape = "latency"     // milliseconds, a little by day, with spikes
	ShapeLoss        Shape = "loss"        // percent; 0 except for rare periods
	ShapeTemperature Shape = "temperature" // degrees Celsius, by day
	// percent; grows for months until space is freed, usually before it exceeds
	// 80
	ShapeDisk     Shape = "disk"
	ShapeUp       Shape = "up"       // 1, or 0 in rare periods
	ShapeDaysLeft Shape = "daysLeft" // whole days until a certificate expires; usually renewed in time
	ShapeUptime   Shape = "uptime"   // seconds since the last start, weeks or months ago
	ShapeCount    Shape = "count"    // whole, by day: sessions, processes, connections
	ShapeSize     Shape = "size"     // bytes, never changes: a power of two from 4 GiB to 512 GiB
)

// Shapes lists all shapes.
var Shapes = []Shape{
	ShapeCPU, ShapeMemory, ShapeTraffic, ShapeCounter, ShapeLatency, ShapeLoss, ShapeTemperature,
	ShapeDisk, ShapeUp, ShapeDaysLeft, ShapeUptime, ShapeCount, ShapeSize,
}

// Seed returns a different seed for each data point of each instance of each
// device.
func Seed(device int64, instance int, what string) uint64 {
	h := mix(uint64(device)*0x9e3779b97f4a7c15 + uint64(instance))
	for i := range len(what) {
		h = (h ^ uint64(what[i])) * 0x100000001b3
	}
	return mix(h)
}

// Simulate returns the value at a time, to the second. The result is always the
// same for the same arguments. For an unknown shape it is NaN.
func Simulate(shape Shape, seed uint64, at time.Time) float64 {
	return simulate(shape, moment{seed, at.Unix()})
}

// moment is a seed at a time, in epoch seconds.
type moment struct {
	seed uint64
	at   int64
}

// Units of time, in seconds.
const (
	minutes = 60
	hours   = 60 * minutes
	days    = 24 * hours
)

func simulate(shape Shape, d moment) float64 {
	switch shape {
	case ShapeCPU:
		v := 4 + 22*d.trait(1) + (12+35*d.trait(2))*d.work() + 4*d.noise(3, 2*hours) + 3*d.noise(4, 10*minutes) +
			d.spike(5, 30)
		return cents(v, 0.5, 100)
	case ShapeMemory:
		return cents(38+34*d.trait(1)+7*d.work()+6*d.noise(2, 3*days)+1.2*d.noise(3, 20*minutes), 3, 98)
	case ShapeTraffic:
		peak := 2e4 * math.Exp2(9*d.trait(1)) // 20 kB/s … 10 MB/s
		return math.Round(peak * (0.06 + d.work() + 0.8*d.backup(2)) * (1 + 0.3*d.noise(3, hours) +
			0.2*d.noise(4, 5*minutes)))
	case ShapeCounter:
		return d.counter()
	case ShapeLatency:
		base := 0.4 * math.Exp2(6*d.trait(1)) // 0.4 … 25 ms
		return math.Round(1000*base*(1+0.4*d.work()+0.12*d.noise(2, hours)+0.1*d.noise(3, 5*minutes)+
			d.spike(4, 4))) / 1000
	case ShapeLoss:
		return math.Round(min(d.spike(1, 40), 100))
	case ShapeTemperature:
		return math.Round(10*(24+18*d.trait(1)+5*d.work()+2*d.noise(2, 2*days)+0.6*d.noise(3, 30*minutes))) / 10
	case ShapeDisk:
		low, high := 30+20*d.trait(1), 60+18*d.trait(2) // space is freed in time
		if d.trait(5) > 0.96 {
			high += 18 // for these it is not
		}
		return cents(low+(high-low)*d.cycle(3, 60, 220)+0.4*d.noise(4, 6*hours)+0.2*d.work(), 0, 100)
	case ShapeUp:
		if d.spell(1, 0.01) > 0 {
			return 0
		}
		return 1
	case ShapeDaysLeft:
		return d.daysLeft()
	case ShapeUptime:
		return math.Floor(d.cycle(1, 20, 160) * d.length(1, 20, 160))
	case ShapeCount:
		most := 15 * math.Exp2(5*d.trait(1))
		return math.Round(most * (0.25 + d.work()) * (1 + 0.15*d.noise(2, 20*minutes)))
	case ShapeSize:
		return math.Exp2(32 + math.Floor(8*d.trait(1)))
	}
	return math.NaN()
}

// cents limits a value to the range from low to high, and rounds it to two
// decimals.
func cents(v, low, high float64) float64 { return math.Round(100*min(max(v, low), high)) / 100 }

// mix spreads all bits of x (splitmix64).
func mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// chance returns a pseudorandom number in [0, 1) for the number n and the purpose
// what.
func (d moment) chance(what uint64, n int64) float64 {
	return float64(mix(d.seed^mix(what*0x9e3779b97f4a7c15^uint64(n)))>>11) / (1 << 53)
}

// trait returns a constant of the seed in [0, 1).
func (d moment) trait(what uint64) float64 { return d.chance(what, math.MinInt64) }

// noise moves smoothly between -1 and 1, and changes direction after every
// period.
func (d moment) noise(what uint64, period int64) float64 {
	n, rest := d.at/period, d.at%period
	a, b := d.chance(what, n), d.chance(what, n+1)
	f := float64(rest) / float64(period)
	return 2*(a+(b-a)*f*f*(3-2*f)) - 1
}

// work returns the activity in an office: 0 at night, 1 at about 1:30 p.m., a
// third of that on weekends.
func (d moment) work() float64 {
	shift := int64(2*hours*d.trait(100)) - hours
	c := 0.5 + 0.5*math.Cos(2*math.Pi*float64((d.at+shift-13*hours-30*minutes)%days)/days)
	// the first of January 1970 was a Thursday, 4
	if weekday := ((d.at+shift)/days + 4) % 7; weekday == 6 || weekday == 0 {
		return c * c / 3
	}
	return c * c
}

// backup returns 1 for most of an hour between midnight and 5 a.m., otherwise 0,
// with smooth edges.
func (d moment) backup(what uint64) float64 {
	begin := int64(4 * hours * d.trait(what))
	return bump(d.at%days-begin, 55*minutes)
}

// bump rises to 1 and falls to 0 within length seconds.
func bump(since, length int64) float64 {
	if since <= 0 || since >= length {
		return 0
	}
	f := float64(since) / float64(length)
	return min(1, 8*f*(1-f))
}

// spike returns a peak of up to high, about once every two days, for at most
// twenty minutes.
func (d moment) spike(what uint64, high float64) float64 {
	slot := d.at / (20 * minutes)
	if d.chance(what, slot) > 0.008 {
		return 0
	}
	return high * (0.3 + 0.7*d.chance(what+1000, slot)) * bump(d.at%(20*minutes), 20*minutes)
}

// spell returns more than 0 for 5 to 45 minutes of a day, on the given share of
// days.
func (d moment) spell(what uint64, share float64) float64 {
	date := d.at / days
	if d.chance(what, date) > share {
		return 0
	}
	begin := int64(23 * hours * d.chance(what+1000, date))
	return bump(d.at%days-begin, 5*minutes+int64(40*minutes*d.chance(what+2000, date)))
}

// length returns the duration of a cycle in seconds: some days between low and
// high.
func (d moment) length(what uint64, low, high float64) float64 {
	return math.Floor(low+(high-low)*d.trait(what)) * days
}

// cycle rises from 0 to 1 and starts again.
func (d moment) cycle(what uint64, low, high float64) float64 {
	length := d.length(what, low, high)
	_, part := math.Modf(float64(d.at)/length + d.trait(what+1000))
	return part
}

// counter returns the sum of a rate that follows the time of day and is always at
// least a tenth of the average.
func (d moment) counter() float64 {
	rate := 50 * math.Exp2(12*d.trait(1))
	begun := 1_600_000_000 - int64(400*days*d.trait(2)) // long ago, beginning at 0
	if d.at <= begun {
		return 0
	}
	angle := 2 * math.Pi * float64((d.at-13*hours-30*minutes)%days) / days
	const wander = 2 * hours
	total := float64(d.at-begun+days) + 0.6*days/(2*math.Pi)*math.Sin(angle) + 0.1*wander*d.noise(3, wander)
	return math.Floor(rate * total)
}

// daysLeft counts down from 90 or 365. One certificate in ten is renewed only in
// the last week.
func (d moment) daysLeft() float64 {
	life, early := 90.0, math.Floor(14+16*d.trait(2))
	if d.trait(1) < 0.4 {
		life = 365
	}
	if d.trait(3) < 0.1 {
		early = math.Floor(1 + 6*d.trait(2))
	}
	age := math.Mod(float64(d.at)/days+life*d.trait(4), life-early)
	return math.Floor(life - age)
}
