package resource_test

import (
	"reflect"
	"testing"
	"time"

	"spyglass/backend/resource"
)

func TestParseIDs(t *testing.T) {
	for _, tt := range []struct {
		text string
		want resource.IDs
		back string
		err  string
	}{
		{text: ``},
		{text: ` , `},
		{text: `1`, want: resource.IDs{1}, back: `1`},
		{text: ` 3, 1,3,,2 `, want: resource.IDs{3, 1, 2}, back: `3,1,2`},
		{text: `9223372036854775807`, want: resource.IDs{9223372036854775807}, back: `9223372036854775807`},
		{text: `1,0`, err: `"0" is not an id`},
		{text: `-1`, err: `"-1" is not an id`},
		{text: `1;2`, err: `"1;2" is not an id`},
		{text: `9223372036854775808`, err: `"9223372036854775808" is not an id`},
	} {
		got, err := resource.ParseIDs(tt.text)
		if tt.err != "" {
			if err == nil || err.Error() != tt.err {
				t.Errorf("%q: %v, want %s", tt.text, err, tt.err)
			}
			continue
		}
		if err != nil || !reflect.DeepEqual(got, tt.want) || got.String() != tt.back {
			t.Errorf("%q is %v (%q) %v, want %v (%q)", tt.text, got, got, err, tt.want, tt.back)
		}
	}
}

func TestTimesAreEpochSecondsAndMilliseconds(t *testing.T) {
	at := time.Date(2026, 1, 31, 10, 0, 0, 999_999_999, time.UTC)
	if s, ms := resource.SecondsOf(at), resource.MillisOf(at); s != 1769853600 || ms != 1769853600999 {
		t.Errorf("got %d s and %d ms", s, ms)
	}
}

func TestIDIsCanonical(t *testing.T) {
	for text, want := range map[string]int64{
		"1": 1, "155": 155, "9223372036854775807": 9223372036854775807,
		"": 0, "0": 0, "-1": 0, "+1": 0, "01": 0, "1.0": 0, " 1": 0, "1_0": 0, "٣": 0,
		"9223372036854775808": 0, "-0": 0,
	} {
		if got, ok := resource.ParseID(text); ok != (want != 0) || ok && got != want {
			t.Errorf("%q is %d %v, want %d", text, got, ok, want)
		}
	}
}
