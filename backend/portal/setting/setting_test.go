package setting_test

import (
	"strings"
	"testing"

	"spyglass/backend/fault"
	"spyglass/backend/portal/setting"
)

func TestSettingsValidateNetworks(t *testing.T) {
	for _, c := range []struct{ allowed, refused, field, want string }{
		{"", "", "", ""},
		{"10.0.0.0/8, 2001:db8::/32", "192.0.2.7", "", ""},
		{"office", "", "explorerAllowedNetworks", `"office" is neither a network such as 10.0.0.0/8`},
		{"", "10.1.0.0/8", "explorerRefusedNetworks", "the network is 10.0.0.0/8"},
	} {
		err := setting.Settings.Check(nil, nil, &setting.Setting{Allowed: c.allowed, Refused: c.refused})
		if f := fault.Of(err); (err == nil) != (c.field == "") || err != nil &&
			(f.Field != c.field || !strings.Contains(f.Message, c.want)) {
			t.Errorf("%q, %q: %v", c.allowed, c.refused, err)
		}
	}
}
