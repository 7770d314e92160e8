package notify

import (
	"testing"
	"time"
)

func TestAlertDurationIsFormattedInItsTwoLargestUnits(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0 s", 59 * time.Second: "59 s", 5 * time.Minute: "5 min", 5*time.Minute + 9*time.Second: "5 min 9 s",
		2*time.Hour + 59*time.Second: "2 h", 25*time.Hour + 5*time.Minute: "1 d 1 h", 400 * 24 * time.Hour: "400 d",
	} {
		if got := span(d); got != want {
			t.Errorf("%v is formatted as %q, want %q", d, got, want)
		}
	}
}
