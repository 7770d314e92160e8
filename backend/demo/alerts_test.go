package demo_test

import (
	"strings"
	"testing"

	"spyglass/backend/portal/alert"
	"spyglass/backend/portal/fleet"
	"spyglass/backend/portal/threshold"
	"spyglass/backend/resource"
)

func TestLastSevenDaysHavePlausibleAlerts(t *testing.T) {
	h := filled(t, 0)
	counts := map[string]int{}
	of := map[int64][]alert.Alert{}
	now := resource.SecondsOf(noon)
	for _, a := range find(h, &alert.Alerts) {
		of[a.DeviceID] = append(of[a.DeviceID], a)
		counts["all"]++
		for what, is := range map[string]bool{
			"warn": a.Severity == threshold.SeverityWarn, "error": a.Severity == threshold.SeverityError,
			"critical": a.Severity == threshold.SeverityCritical,
			"active":   !a.Cleared, "cleared": a.Cleared, "acknowledged": a.Acked && !a.Cleared,
			"in maintenance": a.SDTed && !a.Cleared, "on a chain": a.ChainID > 0,
		} {
			if is {
				counts[what]++
			}
		}
		if a.StartOn > now || a.StartOn < now-7*24*60*60 || a.EndOn > now || a.AckedOn > now ||
			a.Cleared != (a.EndOn > 0) || a.Cleared && a.EndOn <= a.StartOn {
			t.Errorf("alert %d of %s: from %d to %d, acknowledged %d", a.ID, a.DeviceName, a.StartOn,
				a.EndOn, a.AckedOn)
		}
		if expr, err := threshold.ParseAlertExpr(a.Threshold); err != nil || len(expr.Levels) == 0 || a.Value == "" {
			t.Errorf("alert %d of %s: %s is held against %s", a.ID, a.DeviceName, a.Value, a.Threshold)
		}
	}
	for what, want := range map[string][2]int{
		"all": {35, 60}, "active": {15, 35}, "cleared": {10, 25}, "acknowledged": {3, 15}, "in maintenance": {1, 5},
		"on a chain": {35, 60},
		"warn":       {12, 40}, "error": {6, 25}, "critical": {3, 12},
	} {
		if n := counts[what]; n < want[0] || n > want[1] {
			t.Errorf("%d alerts are %s, want %d to %d", n, what, want[0], want[1])
		}
	}
	for _, d := range h.devices() {
		if want := alert.AlertStatus(of[d.ID]); d.AlertStatus != want {
			t.Errorf("%s is %s, but its alerts make it %s", d.DisplayName, d.AlertStatus, want)
		}
		if d.HostStatus == "dead" && !strings.Contains(d.AlertStatus, "critical") {
			t.Errorf("%s is dead, and its alerts are %s", d.DisplayName, d.AlertStatus)
		}
	}
}

func TestLargeDemoHasProportionalAlerts(t *testing.T) {
	h := filled(t, 1500)
	of, active := map[int64][]alert.Alert{}, 0
	for _, a := range find(h, &alert.Alerts) {
		if of[a.DeviceID] = append(of[a.DeviceID], a); !a.Cleared {
			active++
		}
	}
	if all := len(find(h, &alert.Alerts)); active < 150 || active > 300 || all < 350 || all > 600 {
		t.Errorf("%d alerts are active of %d, want ten times those of the standard company", active, all)
	}
	for _, d := range h.devices() {
		if want := alert.AlertStatus(of[d.ID]); d.AlertStatus != want {
			t.Errorf("%s is %s, but its alerts make it %s", d.DisplayName, d.AlertStatus, want)
		}
		if d.HostStatus == "dead" && !strings.Contains(d.AlertStatus, "critical") {
			t.Errorf("%s is dead, and its alerts are %s", d.DisplayName, d.AlertStatus)
		}
	}
}

func TestFirstAlertStaysForExamples(t *testing.T) {
	h := filled(t, 0)
	a := find(h, &alert.Alerts)[0]
	if int64(a.ID) != alert.Alerts.Sample || a.Cleared || a.Acked || a.ChainID == 0 {
		t.Errorf("the first alert is %+v", a)
	}
	for _, i := range find(h, &fleet.Instances) {
		if i.ID == a.InstanceID && !i.StopMonitoring {
			t.Errorf("the instance %s of the first alert is polled, and a poll may clear it", i.Name)
		}
	}
}
