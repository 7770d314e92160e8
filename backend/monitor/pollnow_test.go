package monitor_test

import (
	"testing"

	"spyglass/backend/fault"
	"spyglass/backend/portal/fleet"
	"spyglass/backend/portal/ground"
	"spyglass/backend/resource"
)

// TestInstanceIsPolledAtOnceAndItsSamplesAreStored polls between two regular
// polls and reads the samples. An instance without polls is refused.
func TestInstanceIsPolledAtOnceAndItsSamplesAreStored(t *testing.T) {
	b := newBench(t)
	device, err := resource.Get(t.Context(), b.db, fleet.Devices.Name, 1)
	if err != nil {
		t.Fatal(err)
	}
	instance := b.instance(1)
	b.at.Add(7)
	got, err := b.PollNow(t.Context(), device, instance)
	if err != nil {
		t.Fatal(err)
	}
	if got.Status != "done" || got.AgentID != ground.BuiltInCollector || got.Result.Timestamp != b.at.Load() ||
		len(got.Result.Values) == 0 {
		t.Fatalf("polled %+v, %+v at %d", got, got.Result, b.at.Load())
	}
	var points []int64
	for _, v := range got.Result.Values {
		if v.Value == "" || v.Message != "" {
			t.Errorf("no value of %+v", v)
		}
		points = append(points, v.ID)
	}
	if at, err := b.series.Latest(t.Context(), instance, points...); err != nil || at != got.Result.Timestamp {
		t.Errorf("the newest sample is of %d, want %d (%v)", at, got.Result.Timestamp, err)
	}
	if got, err := b.PollNow(t.Context(), device, b.instance(realDevice)); !fault.Is(err, fault.Conflict) {
		t.Errorf("an instance of another device: %+v, %v", got, err)
	}
	real, err := resource.Get(t.Context(), b.db, fleet.Devices.Name, realDevice)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := b.PollNow(t.Context(), real, b.instance(realDevice)); err != nil ||
		got.Result.Message != "nobody answers" {
		t.Errorf("a device that does not respond: %+v, %v", got, err)
	}
}
