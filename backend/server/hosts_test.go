package server

import (
	"slices"
	"testing"
)

func TestHostsAreTheNamesOfTheListener(t *testing.T) {
	for _, tt := range []struct {
		address, listen string
		secure          bool
		want            []string
	}{
		{"127.0.0.1:8443", "127.0.0.1:0", false, []string{"127.0.0.1:8443", "localhost:8443", "127.0.0.1:8443"}},
		{"10.0.0.5:8443", "portal.example:8443", true, []string{"10.0.0.5:8443", "portal.example:8443"}},
		{"10.0.0.5:443", "portal.example:443", true, []string{"10.0.0.5:443", "10.0.0.5", "portal.example:443",
			"portal.example"}},
		{"[2001:db8::5]:443", ":443", true, []string{"[2001:db8::5]:443", "[2001:db8::5]"}},
		{"127.0.0.1:80", "127.0.0.1:80", false, []string{"127.0.0.1:80", "127.0.0.1", "localhost:80", "localhost",
			"127.0.0.1:80", "127.0.0.1"}},
		{"10.0.0.5:80", "10.0.0.5:80", true, []string{"10.0.0.5:80", "10.0.0.5:80"}},
	} {
		if got := hosts(tt.address, tt.listen, tt.secure); !slices.Equal(got, tt.want) {
			t.Errorf("%s requested as %s: %q, want %q", tt.address, tt.listen, got, tt.want)
		}
	}
}
