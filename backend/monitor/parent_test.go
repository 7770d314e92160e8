package monitor_test

import (
	"slices"
	"testing"
	"time"

	"spyglass/backend/clock"
	"spyglass/backend/portal/fleet"
	"spyglass/backend/portal/ground"
	"spyglass/backend/resource"
)

func TestSilenceBehindASilentParentOpensNoAlertUntilTheParentResponds(t *testing.T) {
	b := newBench(t)
	_ = b.Engine.Stop(b.Context())
	b.pace = clock.New(nil)
	b.pace.SetTime(time.Unix(b.at.Load(), 0))
	b.pace.SetSpeed(0) // stops simulated polls, so that only the test polls the parent
	b.run()
	const parent = 2
	b.do("PATCH /device/devices/{id}", "id=3", `{"customProperties":[{"name":"parent.device","value":"WEB"}]}`)
	b.until("the engine knows the parent", func() bool { return b.Parent(realDevice) == "web" })
	above, none := b.Dependencies(realDevice)
	_, below := b.Dependencies(parent)
	if !slices.Equal(above, []int64{parent}) || len(none) > 0 || !slices.Equal(below, []int64{realDevice}) {
		t.Errorf("the device depends on %v, and its parent has the dependents %v", above, below)
	}
	b.at.Add(60)
	b.pollBy(ground.BuiltInCollector, b.instance(parent), "1")
	for range 5 {
		b.poll("-")
	}
	b.wantAlerts("")
	b.poll("15")
	b.poll("15")
	b.poll("15")
	b.wantAlerts("1 real-sw level 15: warn") // the parent responds, so the alert is not suppressed
	for range 5 {
		b.poll("-")
	}
	b.wantAlerts("1 real-sw level 15: warn")
	b.at.Add(60)
	b.pollBy(ground.BuiltInCollector, b.instance(parent), "1")
	for range 3 {
		b.poll("-")
	}
	b.wantAlerts("1 real-sw level no data: error")
}

func TestDeadParentSuppressesAlertsUntilItIsPolledAfterAStart(t *testing.T) {
	b := newBench(t)
	_ = b.Engine.Stop(b.Context())
	b.pace = clock.New(nil)
	b.pace.SetTime(time.Unix(b.at.Load(), 0))
	b.pace.SetSpeed(0) // stops simulated polls, so that nothing polls the parent
	b.do("PATCH /device/devices/{id}", "id=3", `{"customProperties":[{"name":"parent.device","value":"WEB"}]}`)
	if err := b.db.Write(t.Context(), func(tx resource.Tx) error {
		parent, err := resource.Get(t.Context(), tx, fleet.Devices.Name, 2)
		if err != nil {
			return err
		}
		parent.HostStatus = "dead"
		return resource.Put(t.Context(), tx, fleet.Devices.Name, parent)
	}); err != nil {
		t.Fatal(err)
	}
	b.run()
	b.until("the engine knows the parent", func() bool { return b.Parent(realDevice) == "web" })
	for range 5 {
		b.poll("-")
	}
	b.wantAlerts("")
}
