package fleet_test

import (
	"testing"

	"spyglass/backend/portal/fleet"
)

func TestHostNameHasOnlyValidCharacters(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"web-42.example.net", "web-42.example.net"},
		{" web-42 ", "web-42"},
		{"_dmarc.example.net", "_dmarc.example.net"},
		{"bücher.example", "bücher.example"},
		{"例え.テスト", "例え.テスト"},
		{"उदाहरण.परीक्षा", "उदाहरण.परीक्षा"},
		{"10.0.0.7", "10.0.0.7"},
		{"fe80::1%eth0", "fe80::1%eth0"},
		{"[2001:db8::7]", "2001:db8::7"},
		{"", ""},
		{"-rf", ""},
		{"$(id)x", ""},
		{"`id`", ""},
		{"a;b", ""},
		{"a|b", ""},
		{"a&b", ""},
		{"a b", ""},
		{"a/b", ""},
		{"a\nb", ""},
		{"a\u202eb", ""},
		{"[web-42]", ""},
		{"[10.0.0.7]", ""},
		{"[2001:db8::7", ""},
		{"[[::1]]", ""},
	} {
		got, err := fleet.HostName(tt.text)
		if got != tt.want || (err == nil) != (tt.want != "") {
			t.Errorf("HostName(%q) = %q, %v; want %q", tt.text, got, err, tt.want)
		}
	}
}
