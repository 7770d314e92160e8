package threshold_test

import (
	"math"
	"reflect"
	"testing"

	"spyglass/backend/fault"
	"spyglass/backend/portal/threshold"
)

func TestThresholdGivesTheSeverityOfAValue(t *testing.T) {
	for _, tt := range []struct {
		text string
		want map[float64]int64
	}{
		{"> 60 80 90", map[float64]int64{60: 0, 61: 2, 80: 2, 80.5: 3, 91: 4, -1: 0}},
		{">=60 80 90", map[float64]int64{59.9: 0, 60: 2, 80: 3, 90: 4}},
		{"< 10 5 1", map[float64]int64{10: 0, 9: 2, 4: 3, 0: 4}},
		{"<= 10", map[float64]int64{11: 0, 10: 2, -100: 2}},
		{"= 1 2 3", map[float64]int64{0: 0, 1: 2, 2: 3, 3: 4}},
		{"!= 1 1", map[float64]int64{1: 0, 2: 3}},
		{"> 90 90 90", map[float64]int64{90: 0, 91: 4}},
		{" >  -1.5e1  0 ", map[float64]int64{-15: 0, -14: 2, 1: 3}},
		{"", map[float64]int64{0: 0, 1e9: 0}},
	} {
		a, err := threshold.ParseAlertExpr(tt.text)
		if err != nil {
			t.Errorf("%q: %v", tt.text, err)
		}
		for value, want := range tt.want {
			if got := a.Severity(value); got != want {
				t.Errorf("%q: %v is %d, want %d", tt.text, value, got, want)
			}
		}
		if got := a.Severity(math.NaN()); got != 0 {
			t.Errorf("%q: no data is %d", tt.text, got)
		}
		if again, err := threshold.ParseAlertExpr(a.String()); err != nil || !reflect.DeepEqual(again, a) {
			t.Errorf("%q is written %q, which reads as %v (%v)", tt.text, a, again, err)
		}
	}
}

func TestInvalidThresholdIsRefused(t *testing.T) {
	const begins = `a threshold begins with >, >=, <, <=, = or !=, and its numbers follow: "> 60 80 90"`
	for text, want := range map[string]string{
		"60":           begins,
		"~ 60":         begins,
		"<script>":     `"script>" is not a number; write a threshold like > 60 80 90`,
		">":            "a threshold has one to three numbers, for warn, error and critical, not 0",
		"> 1 2 3 4":    "a threshold has one to three numbers, for warn, error and critical, not 4",
		"> a":          `"a" is not a number; write a threshold like > 60 80 90`,
		"> NaN":        `"NaN" is not a number; write a threshold like > 60 80 90`,
		"> inf":        `"inf" is not a number; write a threshold like > 60 80 90`,
		"> 0x10":       `"0x10" is not a number; write a threshold like > 60 80 90`,
		"> 1_000":      `"1_000" is not a number; write a threshold like > 60 80 90`,
		"== 5":         `"=" is not a number; write a threshold like > 60 80 90`,
		"> 60 80 70":   "the numbers of a threshold with > grow from warn to critical, and 70 follows 80",
		"<= 5 10":      "the numbers of a threshold with <= fall from warn to critical, and 10 follows 5",
		"> 1e999 1 \t": `"1e999" is not a number; write a threshold like > 60 80 90`,
	} {
		_, err := threshold.ParseAlertExpr(text)
		if f := fault.Of(err); err == nil || f.Kind != fault.Invalid || f.Message != want {
			t.Errorf("%q: got %v, want %s", text, err, want)
		}
	}
}
