package monitor

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"spyglass/backend/check"
	"spyglass/backend/portal"
)

func TestRawFieldsBecomeTheValuesOfDataPoints(t *testing.T) {
	f, err := newFormula(&portal.DataSource{DataPoints: []portal.DataPoint{
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
		{"the first answer has no rates", check.Values{"u": 40, "t": 80, "o": 1000}, nil, "1:40 2:50 3:80 4:- 5:- 6:40"},
		{"rates are per second", check.Values{"u": 60, "t": 80, "o": 1600}, &raw{40, check.Values{"o": 1000}}, "1:60 2:75 3:80 4:10 5:10 6:-"},
		{"a counter that was set back has no rate", check.Values{"u": 0, "t": 80, "o": 400}, &raw{40, check.Values{"o": 1000}}, "1:0 2:0 3:80 4:- 5:-10 6:0"},
		{"what is missing is no data, and so is what is computed from it", check.Values{"u": 1}, &raw{40, check.Values{"o": 1000}}, "1:1 2:- 3:- 4:- 5:- 6:1"},
		{"an answer of the same second has no rates", check.Values{"o": 5}, &raw{100, check.Values{"o": 1}}, "1:- 2:- 3:- 4:- 5:- 6:-"},
		{"nothing is divided by zero", check.Values{"u": 1, "t": 0}, nil, "1:1 2:- 3:0 4:- 5:- 6:1"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			values := f.values(raw{100, tt.now}, tt.before)
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

func TestAResultThatComesLateIsNotWhatRatesAreMadeFrom(t *testing.T) {
	k := &intake{}
	if k.swap(1, raw{at: 100}, false) != nil {
		t.Error("the first answer has one before it")
	}
	if k.swap(1, raw{at: 90}, false) != nil {
		t.Error("a late answer has a later one before it")
	}
	if before := k.swap(1, raw{at: 110}, false); before == nil || before.at != 100 {
		t.Errorf("the answer before is %+v, want that of 100", before)
	}
	if before := k.swap(1, raw{at: 49}, false); before != nil { // the clock was set back
		t.Errorf("the answer before is %+v, want none", before)
	}
	if before := k.swap(1, raw{at: 109}, false); before == nil || before.at != 49 {
		t.Errorf("the answer before is %+v, want that of 49", before)
	}
}
