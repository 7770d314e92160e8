package monitor_test

import (
	"context"
	"testing"
	"time"

	"spyglass/backend/portal/alert"
	"spyglass/backend/portal/fleet"
	"spyglass/backend/resource"
)

func TestClockChangeNeitherHidesNorRaisesAnAlert(t *testing.T) {
	b := newBench(t)
	hour := int64(3600)
	for range 3 {
		b.poll("15")
	}
	b.wantAlerts("1 real-sw level 15: warn")
	b.at.Add(-hour)
	b.poll("5")
	b.poll("5")
	b.wantAlerts("")
	a, err := resource.Get(t.Context(), b.db, alert.Alerts.Name, 1)
	if err != nil || a.EndOn < a.StartOn {
		t.Errorf("the alert goes from %d to %d (%v)", a.StartOn, a.EndOn, err)
	}
	b.at.Add(10 * hour)
	for range 3 {
		b.poll("15")
	}
	b.wantAlerts("2 real-sw level 15: warn")
}

func TestDeviceIsDeadAfterTheClockWasSetBack(t *testing.T) {
	b := newBench(t)
	b.poll("5")
	if err := b.SaveHosts(t.Context()); err != nil {
		t.Fatal(err)
	}
	b.at.Add(-30 * 86400)
	b.poll("5")
	for range 4 {
		b.at.Add(86400)
		b.poll("-")
	}
	if err := b.SaveHosts(t.Context()); err != nil {
		t.Fatal(err)
	}
	d, err := resource.Get(t.Context(), b.db, fleet.Devices.Name, realDevice)
	if now := resource.Seconds(b.at.Load()); err != nil || d.HostStatus != "dead" || d.LastDataTime == 0 ||
		d.LastDataTime > now-4*86400 || d.LastRawdataTime > now {
		t.Errorf("at %d it is %s since %d and was last polled at %d (%v)", now, d.HostStatus, d.LastDataTime,
			d.LastRawdataTime, err)
	}
}

func TestCollectorsGetTimeAfterTheMachineSlept(t *testing.T) {
	w := newWatch(t, 1)
	w.m.Start(context.Background())
	if err := w.m.Stop(t.Context()); err != nil { // from here on the test runs the work, at its own times
		t.Fatal(err)
	}
	w.later(0, 2, 3)
	w.later(4*time.Minute, 2, 3)
	w.want("both are there", "4:2")
	w.later(time.Hour)
	w.want("the machine has just woken", "4:2")
	w.later(2*time.Minute, 3)
	w.later(50*time.Second, 3)
	w.want("one of them has not come back", "4:3")
}
