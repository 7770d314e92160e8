package resource_test

import (
	"reflect"
	"testing"

	"spyglass/backend/resource"
)

func FuzzReadPropertiesRoundTrip(f *testing.F) {
	for _, seed := range [][3]string{{"a", "b", "c"}, {`","value":"`, `"}`, `\`}, {"", "\u2028<é🙂", "]"},
		{"{", "],[", "\t\n"}} {
		f.Add(seed[0], seed[1], seed[2])
	}
	f.Fuzz(func(t *testing.T, a, b, c string) {
		for _, want := range [][]resource.Property{{}, {{Name: a, Value: b}},
			{{Name: a, Value: b}, {Name: c, Value: a}}} {
			for i := range want { // as many as a body may contain
				want[i].Name, want[i].Value = valid(want[i].Name), valid(want[i].Value)
			}
			text := string(resource.AppendProperties(nil, want))
			if got, err := resource.ReadProperties(text); err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("%s is read as %+v (%v)", text, got, err)
			}
		}
	})
}

func valid(text string) string { return string([]rune(text)) }

func TestReadPropertiesRefusesNonLists(t *testing.T) {
	for _, text := range []string{"", "null", "[", `[{"name":"a"`, `[{"name":"a","value":"b"}`,
		`[{"name":"a","value":"b"},`} {
		if got, err := resource.ReadProperties(text); err == nil {
			t.Errorf("%q is read as %+v", text, got)
		}
	}
}
