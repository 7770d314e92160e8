package pattern_test

import (
	"testing"

	"spyglass/backend/pattern"
)

func TestCompileRefusesTooManySteps(t *testing.T) {
	for _, tt := range []struct {
		text, err string
	}{
		{`^web-\d{2}\.(oslo|bergen)\.example\.net$`, ""},
		{`\p{L}+`, ""},
		{`(.?){1000}`, pattern.ErrLarge.Error()},
		{`((a{10}){10}){10}`, pattern.ErrLarge.Error()},
		{`(x`, "missing closing )"},
		{`x{1001}`, "invalid repeat count"},
	} {
		compiled, steps, err := pattern.Compile(tt.text, 2000)
		if tt.err == "" && (err != nil || compiled == nil || steps < 1 || steps > 100) {
			t.Errorf("%s: %d steps, %v", tt.text, steps, err)
		}
		if tt.err != "" && (err == nil || err.Error() != tt.err) {
			t.Errorf("%s: %v, want %s", tt.text, err, tt.err)
		}
	}
}
