package check_test

import (
	"math"
	"testing"
	"time"

	"spyglass/backend/check"
)

var monday = time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC)

func TestSimulatedValuesAreDeterministic(t *testing.T) {
	at := time.Date(2026, 3, 3, 14, 5, 30, 0, time.UTC)
	for shape, want := range map[check.Shape]float64{
		check.ShapeCPU:         43.96,
		check.ShapeMemory:      49.31,
		check.ShapeTraffic:     36526,
		check.ShapeCounter:     1.363449184e+10,
		check.ShapeLatency:     0.624,
		check.ShapeLoss:        0,
		check.ShapeTemperature: 30.1,
		check.ShapeDisk:        61.22,
		check.ShapeUp:          1,
		check.ShapeDaysLeft:    204,
		check.ShapeUptime:      1.935123e+06,
		check.ShapeCount:       22,
		check.ShapeSize:        4.294967296e+09,
	} {
		if got := check.Simulate(shape, check.Seed(7, 1, "x"), at); got != want {
			t.Errorf("%s is %v, want %v", shape, got, want)
		}
	}
}

// eachWeek calls f for every five minutes of four weeks, with forty seeds.
func eachWeek(shape check.Shape, f func(seed int, at time.Time, v float64)) {
	for seed := range 40 {
		for at := monday; at.Before(monday.AddDate(0, 0, 28)); at = at.Add(5 * time.Minute) {
			f(seed, at, check.Simulate(shape, check.Seed(int64(seed), 0, string(shape)), at))
		}
	}
}

func TestSimulatedValuesCoverTheirRange(t *testing.T) {
	for _, tt := range []struct {
		shape     check.Shape
		low, high float64 // every value is between these
		small     float64 // at least one value is at most this
		large     float64 // at least one value is at least this
		whole     bool
	}{
		{check.ShapeCPU, 0.5, 100, 8, 85, false},
		{check.ShapeMemory, 3, 98, 40, 80, false},
		{check.ShapeTraffic, 0, 3e7, 5e3, 5e6, true},
		{check.ShapeCounter, 0, 1e15, 1e11, 1e13, true},
		{check.ShapeLatency, 0.1, 400, 0.6, 25, false},
		{check.ShapeLoss, 0, 100, 0, 20, true},
		{check.ShapeTemperature, 15, 60, 26, 42, false},
		{check.ShapeDisk, 0, 100, 45, 80, false},
		{check.ShapeUp, 0, 1, 0, 1, true},
		{check.ShapeDaysLeft, 1, 365, 16, 200, true},
		{check.ShapeUptime, 0, 160 * 86400, 86400, 80 * 86400, true},
		{check.ShapeCount, 0, 2000, 10, 200, true},
		{check.ShapeSize, 1 << 32, 1 << 39, 1 << 33, 1 << 38, true},
	} {
		least, most := math.Inf(1), math.Inf(-1)
		eachWeek(tt.shape, func(seed int, at time.Time, v float64) {
			if !(v >= tt.low && v <= tt.high) || tt.whole && v != math.Trunc(v) {
				t.Fatalf("%s of %d is %v at %v, want %v to %v (whole: %v)", tt.shape, seed, v, at, tt.low,
					tt.high, tt.whole)
			}
			least, most = min(least, v), max(most, v)
		})
		if least > tt.small || most < tt.large {
			t.Errorf("%s goes from %v to %v, want from %v to %v at least", tt.shape, least, most, tt.small, tt.large)
		}
	}
	if v := check.Simulate("none", 1, monday); !math.IsNaN(v) {
		t.Errorf("a shape that is none gives %v, want NaN", v)
	}
}

func TestOfficeHoursAreBusierThanNightsAndWeekends(t *testing.T) {
	for _, shape := range []check.Shape{check.ShapeCPU, check.ShapeMemory, check.ShapeTraffic, check.ShapeLatency,
		check.ShapeTemperature, check.ShapeCount} {
		var office, night, weekend [40]float64
		count := map[string]float64{}
		eachWeek(shape, func(seed int, at time.Time, v float64) {
			weekday, h := at.Weekday(), at.Hour()
			switch {
			case (weekday == time.Saturday || weekday == time.Sunday) && h >= 9 && h < 17:
				weekend[seed] += v
				count["weekend"]++
			case weekday != time.Saturday && weekday != time.Sunday && h >= 9 && h < 17:
				office[seed] += v
				count["office"]++
			case h < 4 || h >= 21:
				night[seed] += v
				count["night"]++
			}
		})
		for seed := range office {
			o, w, x := office[seed]/count["office"], weekend[seed]/count["weekend"], night[seed]/count["night"]
			if o <= w || o <= x {
				t.Errorf("%s of %d: %.2f in office hours, %.2f at weekends, %.2f at night", shape, seed, 40*o,
					40*w, 40*x)
			}
		}
	}
}

func TestDevicesDiffer(t *testing.T) {
	for _, shape := range []check.Shape{check.ShapeCPU, check.ShapeMemory, check.ShapeTraffic, check.ShapeCounter,
		check.ShapeLatency, check.ShapeDisk, check.ShapeUptime} {
		seen := map[float64]bool{}
		for device := range int64(100) {
			seen[check.Simulate(shape, check.Seed(device, 0, "x"), monday)] = true
		}
		if len(seen) < 90 {
			t.Errorf("%s: a hundred devices have %d values", shape, len(seen))
		}
	}
	seen := map[uint64]bool{}
	for device := range int64(300) {
		for instance := range 30 {
			for _, what := range []string{"a", "b", "ab", "ba"} {
				seen[check.Seed(device, instance, what)] = true
			}
		}
	}
	if len(seen) != 300*30*4 {
		t.Errorf("%d seeds for %d numbers", len(seen), 300*30*4)
	}
}

func TestCountersGrowAndDisksFill(t *testing.T) {
	last := map[int]float64{}
	eachWeek(check.ShapeCounter, func(seed int, at time.Time, v float64) {
		if v <= last[seed] {
			t.Fatalf("the counter of %d goes from %v to %v at %v", seed, last[seed], v, at)
		}
		last[seed] = v
	})
	fuller := 0
	for seed := range int64(40) {
		s := check.Seed(seed, 0, "disk")
		if check.Simulate(check.ShapeDisk, s, monday.AddDate(0, 0, 14)) > check.Simulate(check.ShapeDisk, s, monday) {
			fuller++
		}
	}
	if fuller < 30 {
		t.Errorf("%d of 40 disks are fuller after two weeks", fuller)
	}
	full := 0
	for seed := range int64(4000) {
		if check.Simulate(check.ShapeDisk, check.Seed(seed, 0, "disk"), monday) > 80 {
			full++
		}
	}
	if full < 4 || full > 40 { // more would fill a company with these warnings
		t.Errorf("%d of 4000 disks are over 80 %%", full)
	}
}

func TestChartsAreSmooth(t *testing.T) {
	for shape, most := range map[check.Shape]float64{check.ShapeCPU: 38, check.ShapeMemory: 2.5,
		check.ShapeTemperature: 1.5} {
		last := map[int]float64{}
		eachWeek(shape, func(seed int, at time.Time, v float64) {
			if before, ok := last[seed]; ok && math.Abs(v-before) > most {
				t.Errorf("%s of %d goes from %v to %v within five minutes at %v", shape, seed, before, v, at)
			}
			last[seed] = v
		})
	}
}

func BenchmarkSimulate(b *testing.B) {
	for _, shape := range check.Shapes {
		b.Run(string(shape), func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				check.Simulate(shape, 7, monday.Add(time.Duration(i)*time.Second))
			}
		})
	}
}
