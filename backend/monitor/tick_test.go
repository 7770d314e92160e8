package monitor_test

import (
	"testing"
	"time"

	"spyglass/backend/portal"
	"spyglass/backend/resource"
)

func TestMaintenanceThatEndedWhileThePortalWasOffIsRememberedWhenItStarts(t *testing.T) {
	h := open(t)
	put(h, &portal.SDTs, &portal.SDT{Type: portal.DeviceSDT, DeviceID: 1, Recurrence: portal.OneTime, Timezone: "UTC", Start: 1_700_000_000_000, End: 1_700_003_600_000, DueOn: 1_700_003_600_000})
	h.start()
	for deadline := time.Now().Add(20 * time.Second); ; {
		past, err := resource.Find(t.Context(), h.db, portal.SDTHistories.Name)
		if err != nil {
			t.Fatal(err)
		}
		if len(past) == 1 && past[0].ItemID == 1 && past[0].Duration == 60 {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("the history is %+v", past)
		}
		<-time.After(10 * time.Millisecond)
	}
	h.stop()
}
