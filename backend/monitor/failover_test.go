package monitor_test

import (
	"strings"
	"testing"
	"time"

	"spyglass/backend/portal/setting"
)

// The devices of a silent collector move to its backup within
// collectorDownSeconds, at any phase between two checks of collectors.
// The backup polls them within another interval (package agent).
func TestDevicesOfASilentCollectorMoveWithinTheConfiguredTime(t *testing.T) {
	const looks = 15 * time.Second // interval between two checks of collectors
	down, err := setting.CollectorDownAfter(t.Context(), open(t).db)
	if err != nil || down != time.Minute {
		t.Fatalf("by default a collector is down after %v (%v)", down, err)
	}
	for phase := time.Second; phase <= looks; phase += 7 * time.Second {
		w := newWatch(t, 2)
		w.later(0, 2, 3)
		w.later(looks-phase, 2, 3) // the last heartbeat of collector 2
		silent := time.Duration(0)
		for step := phase; w.with() != "4:3, 5:3"; step = looks {
			w.later(step, 3)
			if silent += step; silent > down {
				t.Fatalf("silent for %v after a look in %v, devices are with %s", silent, phase, w.with())
			}
			if strings.Contains(w.with(), ":3") && silent < down-looks {
				t.Errorf("devices move after %v of silence", silent)
			}
		}
		w.later(time.Second, 2, 3)
		w.want("the first look after its first heartbeat", "4:2, 5:2")
	}
}
