package monitor_test

import (
	"fmt"
	"strings"
	"testing"

	"spyglass/backend/check"
	"spyglass/backend/portal/collector"
	"spyglass/backend/portal/fleet"
	"spyglass/backend/portal/ground"
	"spyglass/backend/resource"
	"spyglass/backend/series"
)

// The network of a collector fails at minute 0, but the collector continues to poll. At minute 3
// the built-in collector takes over its device. At minute 11 the collector posts its buffered results.
func TestLateSamplesFillGapsAndRaiseNoAlert(t *testing.T) {
	b := newBench(t)
	const minute = 60
	b.do("PATCH /setting/datasources/{id}", "id="+fmt.Sprint(b.source().ID), `{"collectInterval":60,"dataPoints":[
		{"name":"level","rawDataFieldName":"level","alertExpr":"> 10 20 30"},{"name":"sent","rawDataFieldName":"sent","type":1}]}`)
	put(b.fixture, &collector.Collectors,
		&collector.Collector{Description: "Oslo", GroupID: ground.DefaultCollectorGroup + 1,
			BackupID: ground.BuiltInCollector, LastHeartbeatOn: 1})
	put(b.fixture, &collector.Collectors, &collector.Collector{
		Description: "Rome", GroupID: ground.DefaultCollectorGroup,
		LastHeartbeatOn: 1})
	b.do("PATCH /device/devices/{id}", "id=3", `{"preferredCollectorId":2}`)
	b.until("the built-in collector does not poll it", func() bool { return b.Polled() == 12 })
	began, instance := b.at.Load(), b.instance(realDevice)
	take := func(collectorID int64, level float64, minutes ...int64) {
		t.Helper()
		var all []check.Result
		for _, m := range minutes {
			all = append(all, check.Result{InstanceID: instance, At: began + m*minute,
				Values: check.Values{"level": level, "sent": float64(600 * (m + 100))}})
		}
		if err := b.Take(t.Context(), collectorID, all); err != nil {
			t.Fatal(err)
		}
	}
	quiet := func() {
		t.Helper()
		if strings.Contains(b.alerts(), "real-sw") {
			t.Errorf("alerts are raised late: %s", b.alerts())
		}
	}
	take(2, 1, -1, 0)
	d, err := resource.Get(t.Context(), b.db, fleet.Devices.Name, realDevice)
	if err != nil {
		t.Fatal(err)
	}
	d.CurrentCollector = ground.BuiltInCollector
	put(b.fixture, &fleet.Devices, d)
	b.until("the built-in collector polls it", func() bool { return b.Polled() == 13 })
	take(ground.BuiltInCollector, 2, 3, 4)
	b.at.Store(began + 11*minute)

	take(2, 40, 1, 2, 3, 4, 5)
	take(2, 40, 6)
	take(3, 50, 1, 2, 7) // collector 3 does not poll the device
	quiet()
	p := b.source().DataPoints
	got, err := b.series.Range(t.Context(), series.Query{Instance: instance, DataPoints: []int64{p[0].ID, p[1].ID},
		From: began, To: began + 20*minute})
	if err != nil {
		t.Fatal(err)
	}
	for i := range got.Times {
		got.Times[i] = (got.Times[i] - began) / minute
	}
	// the portal no longer knows the results of sent up to minute 1
	want := "[0 1 2 3 4 5 6] [[1 40 40 2 2 40 40] [10 NaN 10 10 10 10 10]]"
	if shown := fmt.Sprint(got.Times, got.Values); shown != want {
		t.Errorf("got  %s\nwant %s", shown, want)
	}

	// Results that the device's own collector buffered for longer than collectorDownSeconds
	// are late as well.
	d.CurrentCollector = 2
	put(b.fixture, &fleet.Devices, d)
	b.until("the built-in collector does not poll it", func() bool { return b.Polled() == 12 })
	take(2, 40, 7)
	quiet()
	take(2, 40, 9)
	if !strings.Contains(b.alerts(), "real-sw level 40: critical") {
		t.Error("a current value raises no alert")
	}
}
