package monitor_test

import (
	"testing"
	"time"

	"spyglass/backend/portal/alert"
	"spyglass/backend/portal/maintenance"
	"spyglass/backend/portal/threshold"
	"spyglass/backend/resource"
)

func TestMaintenanceThatEndedWhileOfflineIsRecordedAtTheStart(t *testing.T) {
	h := open(t)
	put(h, &maintenance.SDTs, &maintenance.SDT{Type: maintenance.DeviceSDT, DeviceID: 1,
		Recurrence: maintenance.OneTime, Timezone: "UTC", Start: 1_700_000_000_000, End: 1_700_003_600_000,
		DueOn: 1_700_003_600_000})
	h.start()
	for deadline := time.Now().Add(20 * time.Second); ; {
		past, err := resource.Find(t.Context(), h.db, maintenance.SDTHistories.Name)
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

func TestAlertFollowsTheStartAndEndOfMaintenance(t *testing.T) {
	h := open(t)
	put(h, &alert.Alerts, &alert.Alert{Type: alert.DataSourceAlert, DeviceID: 1, Severity: threshold.SeverityError})
	h.start()
	defer h.stop()
	until := func(what string, sdt bool) {
		t.Helper()
		for deadline := time.Now().Add(20 * time.Second); ; <-time.After(10 * time.Millisecond) {
			found, err := resource.Find(t.Context(), h.db, alert.Alerts.Name)
			if err != nil || len(found) != 1 {
				t.Fatalf("%d alerts (%v)", len(found), err)
			}
			if found[0].SDTed == sdt {
				return
			}
			if time.Now().After(deadline) { // well before the work of the next minute
				t.Fatalf("%s: the alert does not know after 20 seconds", what)
			}
		}
	}
	begin := time.Now().Add(time.Second)
	plan := &maintenance.SDT{Type: maintenance.DeviceSDT, DeviceID: 1, Recurrence: maintenance.OneTime, Timezone: "UTC",
		Start: resource.Millis(begin.UnixMilli()), End: resource.Millis(begin.Add(3 * time.Second).UnixMilli())}
	plan.DueOn = plan.End
	put(h, &maintenance.SDTs, plan)
	until("it begins", true)
	until("it ends", false)
}
