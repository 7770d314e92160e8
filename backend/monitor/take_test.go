package monitor

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"spyglass/backend/check"
	"spyglass/backend/portal/datasource"
)

func TestRawFieldsBecomeTheValuesOfDataPoints(t *testing.T) {
	f, err := newFormula(&datasource.DataSource{DataPoints: []datasource.DataPoint{
		{ID: 1, Name: "used", RawDataFieldName: "u", Type: 2},
		{ID: 2, Name: "percent", Type: 2, PostProcessor: "expression", PostProcessorParam: "used / total * 100"},
		{ID: 3, Name: "total", RawDataFieldName: "t", Type: 2},
		{ID: 4, Name: "octets", RawDataFieldName: "o", Type: 1},
		{ID: 5, Name: "change", RawDataFieldName: "o", Type: 3},
		{ID: 6, Name: "bounded", RawDataFieldName: "u", Type: 2, MinValue: "0", MaxValue: "50"},
	}})
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name   string
		now    check.Values
		before *raw
		want   string
	}{
		{"the first response has no rates", check.Values{"u": 40, "t": 80, "o": 1000}, nil,
			"1:40 2:50 3:80 4:- 5:- 6:40"},
		{"rates are per second", check.Values{"u": 60, "t": 80, "o": 1600},
			&raw{at: 40, values: check.Values{"o": 1000}}, "1:60 2:75 3:80 4:10 5:10 6:-"},
		{"a counter that was set back has no rate", check.Values{"u": 0, "t": 80, "o": 400},
			&raw{at: 40, values: check.Values{"o": 1000}}, "1:0 2:0 3:80 4:- 5:-10 6:0"},
		{"what is missing is no data, and so is what is computed from it", check.Values{"u": 1},
			&raw{at: 40, values: check.Values{"o": 1000}}, "1:1 2:- 3:- 4:- 5:- 6:1"},
		{"a response of the same second has no rates", check.Values{"o": 5}, &raw{at: 100,
			values: check.Values{"o": 1}},
			"1:- 2:- 3:- 4:- 5:- 6:-"},
		{"nothing is divided by zero", check.Values{"u": 1, "t": 0}, nil, "1:1 2:- 3:0 4:- 5:- 6:1"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			values := f.values(raw{at: 100, values: tt.now}, tt.before)
			var got []string
			for _, id := range slices.Sorted(maps.Keys(values)) {
				text := fmt.Sprint(values[id])
				if math.IsNaN(values[id]) {
					text = "-"
				}
				got = append(got, fmt.Sprint(id, ":", text))
			}
			if strings.Join(got, " ") != tt.want {
				t.Errorf("got %s\nwant %s", strings.Join(got, " "), tt.want)
			}
		})
	}
}

func TestWrappedCounterKeepsItsRateAndResetCounterHasNone(t *testing.T) {
	const top32, top64 = 1 << 32, 1 << 64
	for _, tt := range []struct {
		name                 string
		earlier, was, is     float64 // at 80, 90 and 100 s; earlier < 0: missing
		wantCounter, wantAll float64 // rate of a counter, and of a derive
	}{
		{"grows", -1, 1000, 1600, 60, 60},
		{"stands still", 1000, 1000, 1000, 0, 0},
		{"wraps at 32 bits, close to the end", -1, top32 - 500, 100, 60, (600.0 - top32) / 10},
		{"wraps at 32 bits, as fast as before", top32 - 500_000_000, top32 - 100_000_000, 300_000_000, 40_000_000,
			(400_000_000.0 - top32) / 10},
		{"wraps at 32 bits, at once after a start", -1, top32 - 100_000_000, 300_000_000, math.NaN(),
			(400_000_000.0 - top32) / 10},
		{"wraps at 64 bits", -1, top64 - 4096, 4096, 819.2, 819.2 - top64/10.0},
		{"is reset in the middle", 1_999_999_000, 2_000_000_000, 500, math.NaN(), -199_999_950},
		{"is reset near the upper end", 3_999_999_000, 4_000_000_000, 500, math.NaN(), -399_999_950},
		{"of 64 bits is reset", 1e12 - 1e6, 1e12, 500, math.NaN(), (500 - 1e12) / 10},
		{"of 64 bits is reset while it is small", 5000, 6000, 10, math.NaN(), -599},
		{"was reset before", 5000, 10, 1010, 100, 100},
		{"falls a second time", 5000, 4000, 3000, math.NaN(), -100},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f, err := newFormula(&datasource.DataSource{DataPoints: []datasource.DataPoint{
				{ID: 1, Name: "counter", RawDataFieldName: "o", Type: 1},
				{ID: 2, Name: "derive", RawDataFieldName: "o", Type: 3},
			}})
			if err != nil {
				t.Fatal(err)
			}
			k := &intake{}
			if tt.earlier >= 0 {
				k.swap(1, raw{at: 80, values: check.Values{"o": tt.earlier}}, false)
			}
			k.swap(1, raw{at: 90, values: check.Values{"o": tt.was}}, false)
			now := raw{at: 100, values: check.Values{"o": tt.is}}
			got := f.values(now, k.swap(1, now, false))
			for id, want := range map[int64]float64{1: tt.wantCounter, 2: tt.wantAll} {
				if g := got[id]; g != want && !(math.IsNaN(g) && math.IsNaN(want)) {
					t.Errorf("data point %d shows %v, want %v", id, g, want)
				}
			}
			if last := k.before[1]; last.prior == nil || last.prior.prior != nil {
				t.Errorf("more than one response before the last is kept, or none: %+v", last)
			}
		})
	}
}

func TestLateResultsAreNotUsedForRates(t *testing.T) {
	k := &intake{}
	if k.swap(1, raw{at: 100}, false) != nil {
		t.Error("the first response has one before it")
	}
	if k.swap(1, raw{at: 90}, false) != nil {
		t.Error("swap returned a later reading for a late one")
	}
	if before := k.swap(1, raw{at: 110}, false); before == nil || before.at != 100 {
		t.Errorf("the response before is %+v, want that of 100", before)
	}
	if before := k.swap(1, raw{at: 49}, false); before != nil { // after the clock was set back
		t.Errorf("the response before is %+v, want none", before)
	}
	if before := k.swap(1, raw{at: 109}, false); before == nil || before.at != 49 {
		t.Errorf("the response before is %+v, want that of 49", before)
	}
}
