package payload

import (
	"net/http"
	"testing"
	"time"
)

func TestRetryAfterIsSecondsOrADate(t *testing.T) {
	now := time.Date(2026, 11, 22, 0, 0, 0, 0, time.UTC)
	for text, want := range map[string]time.Duration{
		"3": 3 * time.Second, "0": 0, "": unsaidWait, "soon": unsaidWait, "-1": unsaidWait,
		"Sun, 22 Nov 2026 00:00:07 GMT": 7 * time.Second, "Sat, 21 Nov 2026 00:00:00 GMT": 0,
	} {
		if got := RetryAfter(http.Header{"Retry-After": {text}}, now); got != want {
			t.Errorf("%q is %v, want %v", text, got, want)
		}
	}
}
