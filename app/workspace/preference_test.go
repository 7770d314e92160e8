package workspace_test

import (
	"testing"
	"time"
)

func TestNumericSettingsHaveLimits(t *testing.T) {
	d := open(t)
	for _, tt := range []struct{ do, body, want string }{
		{"PATCH /settings", `{"timeout":0}`, `invalid timeout: timeout must be a whole number from 1 to 3600`},
		{"PATCH /settings", `{"timeout":"9"}`, `invalid timeout: timeout must be a whole number from 1 to 3600`},
		{"PATCH /settings", `{"historyKept":99}`,
			`invalid historyKept: historyKept must be a whole number from 100 to ` +
				`1000000`},
		{"PATCH /settings", `{"theme":"dark","timeout":2.5}`,
			`invalid timeout: timeout must be a whole number from 1 ` +
				`to 3600`},
		{"GET /settings", ``, `{}`},
		{"PATCH /settings", `{"timeout":5,"historyKept":100}`, `{"historyKept":100,"timeout":5}`},
	} {
		d.expect(1, tt.do, tt.body, tt.want)
	}
	for user, want := range map[int64]time.Duration{1: 5 * time.Second, 2: 0} {
		if got, err := d.Preferences(t.Context(), user); err != nil || got.Timeout != want {
			t.Errorf("user %d waits %v, %v; want %v", user, got, err, want)
		}
	}
}
