package monitor_test

import (
	"testing"
	"time"

	"spyglass/backend/check"
	"spyglass/backend/portal/collector"
	"spyglass/backend/portal/fleet"
	"spyglass/backend/portal/ground"
)

func TestPollingCollectorDiscoversInstances(t *testing.T) {
	h := settled(t)
	for _, name := range []string{"Oslo", "Rome"} {
		put(h, &collector.Collectors, &collector.Collector{Description: name, GroupID: ground.DefaultCollectorGroup})
	}
	const oslo, rome = 2, 3
	net := h.on(3, "Net_Interfaces")
	h.start()
	move := func(collectorName string) {
		t.Helper()
		h.do("PATCH /device/devices/{id}", "id=3", `{"preferredCollectorId":`+collectorName+`}`)
		h.do("POST /device/devices/{id}/scheduleAutoDiscovery", "id=3", "")
	}
	take := func(collectorID int64, names ...string) bool {
		t.Helper()
		f := check.Finding{ID: net}
		for _, name := range names {
			f.Found = append(f.Found, check.Found{WildValue: name, DisplayName: name})
		}
		taken, err := h.monitor.TakeFinding(t.Context(), collectorID, &f)
		if err != nil {
			t.Fatal(err)
		}
		return taken
	}

	move("2")
	if s := h.searches(oslo, 1)[0]; s.ID != net || s.Host != "real-sw" || s.DataSource != "Net_Interfaces" ||
		s.Properties["system.categories"] != "switch" {
		t.Errorf("Oslo looks for %+v", s)
	}
	move("3")
	h.searches(rome, 1)
	h.searches(oslo, 0)
	if take(oslo, "eth0") {
		t.Error("a result from Oslo was accepted after the handover to Rome")
	}
	if !take(rome, "eth0", "eth1", "eth2", "eth3") {
		t.Error("a result from Rome is refused")
	}
	h.settles(asBegun[0], asBegun[1], "real-sw: Net_Interfaces 6, Ping")
	if take(rome, "eth0") {
		t.Error("a second result from Rome was accepted")
	}

	move("2")
	h.searches(oslo, 1)
	h.do("PATCH /device/devices/{id}", "id=3", `{"preferredCollectorId":1}`)
	h.searches(oslo, 0)
	for _, one := range h.do(instanceList, path(3, net, ""), "")["items"].([]any) {
		h.do(instanceDrop, path(3, net, one.(map[string]any)["id"]), "")
	}
	h.do("POST /device/devices/{id}/scheduleAutoDiscovery", "id=3", "")
	h.settles(asBegun...) // the portal itself discovers these
}

// searches waits until a collector has this number of discoveries.
func (h *fixture) searches(collector int64, want int) []check.Search {
	h.Helper()
	changed, stop := h.db.Watch(string(fleet.DeviceDataSources.Name))
	defer stop()
	deadline := time.After(20 * time.Second)
	for {
		got, err := h.monitor.Searches(h.Context(), collector)
		if err != nil {
			h.Fatal(err)
		}
		if len(got) == want {
			return got
		}
		select {
		case <-changed:
		case <-deadline:
			h.Fatalf("after 20 seconds, collector %d has the searches %+v, want %d", collector, got, want)
		}
	}
}
