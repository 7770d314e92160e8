package resource_test

import (
	"reflect"
	"testing"
	"time"

	"spyglass/backend/resource"
)

func TestMaskedHidesSecretsAndUnmaskedBringsThemBack(t *testing.T) {
	kept := []resource.Property{{Name: "site", Value: "Oslo"}, {Name: "snmp.community", Value: "public"}, {Name: "db.pass"}}
	shown := resource.Masked(kept)
	want := []resource.Property{{Name: "site", Value: "Oslo"}, {Name: "snmp.community", Value: resource.Mask}, {Name: "db.pass"}}
	if !reflect.DeepEqual(shown, want) || kept[1].Value != "public" {
		t.Errorf("shown is %+v and kept %+v, want shown %+v", shown, kept, want)
	}
	if back := resource.Unmasked(shown, kept); !reflect.DeepEqual(back, kept) || shown[1].Value != resource.Mask {
		t.Errorf("back is %+v and shown %+v, want back %+v", back, shown, kept)
	}
}

func TestUnmasked(t *testing.T) {
	was := []resource.Property{{Name: "snmp.community", Value: "public"}, {Name: "note", Value: "was"}}
	for _, tt := range []struct {
		name      string
		now, want resource.Property
	}{
		{"a new value replaces the old", resource.Property{Name: "snmp.community", Value: "private"}, resource.Property{Name: "snmp.community", Value: "private"}},
		{"an empty value replaces the old", resource.Property{Name: "snmp.community"}, resource.Property{Name: "snmp.community"}},
		{"the mask keeps the old under another letter case", resource.Property{Name: "SNMP.Community", Value: resource.Mask}, resource.Property{Name: "SNMP.Community", Value: "public"}},
		{"eight stars in no secret are eight stars", resource.Property{Name: "note", Value: resource.Mask}, resource.Property{Name: "note", Value: resource.Mask}},
	} {
		if got := resource.Unmasked([]resource.Property{tt.now}, was); !reflect.DeepEqual(got, []resource.Property{tt.want}) {
			t.Errorf("%s: got %+v, want %+v", tt.name, got, tt.want)
		}
	}
}

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
		{text: `1,0`, err: `"0" is no id`},
		{text: `-1`, err: `"-1" is no id`},
		{text: `1;2`, err: `"1;2" is no id`},
		{text: `9223372036854775808`, err: `"9223372036854775808" is no id`},
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

func TestMomentsAreEpochSecondsAndMilliseconds(t *testing.T) {
	at := time.Date(2026, 1, 31, 10, 0, 0, 999_999_999, time.UTC)
	if s, ms := resource.SecondsOf(at), resource.MillisOf(at); s != 1769853600 || ms != 1769853600999 {
		t.Errorf("got %d s and %d ms", s, ms)
	}
}

func TestAnIDHasOneSpelling(t *testing.T) {
	for text, want := range map[string]int64{
		"1": 1, "155": 155, "9223372036854775807": 9223372036854775807,
		"": 0, "0": 0, "-1": 0, "+1": 0, "01": 0, "1.0": 0, " 1": 0, "1_0": 0, "٣": 0, "9223372036854775808": 0, "-0": 0,
	} {
		if got, ok := resource.ParseID(text); ok != (want != 0) || ok && got != want {
			t.Errorf("%q is %d %v, want %d", text, got, ok, want)
		}
	}
}
