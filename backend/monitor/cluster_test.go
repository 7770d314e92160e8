package monitor_test

import (
	"fmt"
	"testing"
	"time"

	"spyglass/backend/monitor"
	"spyglass/backend/portal/alert"
	"spyglass/backend/portal/datasource"
	"spyglass/backend/portal/ground"
	"spyglass/backend/portal/setting"
	"spyglass/backend/resource"
)

// newCluster returns a bench with a group Shop of four real devices, 4 to 7, and a
// rule for every alert in it.
func newCluster(t *testing.T) *bench {
	t.Helper()
	b := newBench(t)
	b.do("POST /device/groups", "", `{"name":"Shop","parentId":1}`)
	for i := range 4 {
		b.do("POST /device/devices", "", fmt.Sprintf(`{"name":"shop-%d","hostGroupIds":"2"}`, i+1))
	}
	b.fixture.start()
	b.until("the shop is polled", func() bool { return b.Polled() == 17 })
	b.fixture.stop()
	return b
}

// level sends results until a level of a device in Shop takes effect, at the third poll.
func (b *bench) level(device int64, level string) {
	b.Helper()
	for range 3 {
		b.at.Add(60)
		b.pollBy(ground.BuiltInCollector, b.instance(device), level)
	}
}

// source returns the data source Gauge.
func (b *bench) source() *datasource.DataSource {
	b.Helper()
	found, err := resource.Find(b.Context(), b.db, datasource.DataSources.Name,
		resource.Where{Field: "name", Op: "=", Value: "Gauge"})
	if err != nil || len(found) != 1 {
		b.Fatalf("%d data sources (%v)", len(found), err)
	}
	return &found[0]
}

func (b *bench) cluster(rest string) string {
	p := b.source().DataPoints[0]
	return fmt.Sprintf(`{"dataSourceId":%d,"dataPointId":%d,%s}`, p.DataSourceID, p.ID, rest)
}

func TestClusterAlertOpensWhenEnoughDevicesHaveAlerts(t *testing.T) {
	b := newCluster(t)
	const group = "deviceGroupId=2"
	b.do("POST /device/groups/{deviceGroupId}/clusterAlertConf", group, b.cluster(`"thresholdType":"percentage",`+
		`"alertExpr":"> 25 50 75","minAlertLevel":3,"suppressIndAlert":true`))
	suppressed := func() int {
		found, err := resource.Find(t.Context(), b.db, alert.Alerts.Name,
			resource.Where{Field: "suppressor", Op: "=", Value: "cluster alert 1"},
			resource.Where{Field: "cleared", Op: "=", Value: false})
		if err != nil {
			t.Fatal(err)
		}
		return len(found)
	}
	want := func(alerts string, kept int) {
		t.Helper()
		b.wantAlerts(alerts)
		if got := suppressed(); got != kept {
			t.Errorf("%d alerts are suppressed, want %d", got, kept)
		}
	}
	const one, two = "1 shop-1 level 40: critical", "2 shop-2 level 40: critical"
	b.level(4, "40")
	want(one, 0) // 25 % is not more than 25
	b.level(5, "15")
	b.wantAlerts(one + ", 2 shop-2 level 15: warn") // a warning does not count
	b.level(5, "40")
	want(one+", "+two+", 3 Shop level 50: warn", 2)
	got, err := resource.Get(t.Context(), b.db, alert.Alerts.Name, 3)
	if err != nil {
		t.Fatal(err)
	}
	wording, err := alert.WordingOf(t.Context(), b.db, got)
	if err != nil {
		t.Fatal(err)
	}
	if got.Type != alert.GroupAlert || got.GroupID != 2 || got.DeviceID != 0 ||
		wording.Message().Subject != "warn: 2 of 4 devices of Shop have an alert of level" {
		t.Errorf("%s of group %d, device %d: %q", got.Type, got.GroupID, got.DeviceID, wording.Message().Subject)
	}
	b.level(6, "40")
	want(one+", "+two+", 3 Shop level 75: error, 4 shop-3 level 40: critical", 3)
	if page := b.do("GET /device/groups/{id}/alerts", "id=2", ""); fmt.Sprint(page["total"]) != "4" {
		t.Errorf("the group lists %v alerts, want 4", page["total"])
	}
	if of := b.do("GET /device/groups/{id}", "id=2", "")["activeAlerts"]; fmt.Sprint(of) !=
		"map[critical:3 error:1 warn:0]" {
		t.Errorf("the group has the active alerts %v", of)
	}
	if unit := b.do("GET /alert/alerts/{id}", "id=3", "")["dataPointUnit"]; unit != "%" {
		t.Errorf("the alert of the group has the unit %v, want %%", unit)
	}

	// A device in maintenance does not count.
	b.do("POST /sdt/sdts", "", `{"type":"ResourceSDT","deviceId":6,"duration":60}`)
	put(b.fixture, &setting.Settings, &setting.Setting{ID: setting.SettingID, Timezone: "UTC"})
	if err := monitor.New(
		monitor.Options{DB: b.db, Clock: func() time.Time { return time.Unix(1_790_000_900, 0) }}).Tick(
		t.Context()); err != nil {
		t.Fatal(err)
	}
	want(one+", "+two+", 3 Shop level 50: warn, 4 shop-3 level 40: critical", 3)

	b.level(5, "1")
	want(one+", 4 shop-3 level 40: critical", 0)

	b.level(5, "40")
	want(one+", 4 shop-3 level 40: critical, 5 shop-2 level 40: critical, 6 Shop level 50: warn", 3)
	b.do("PATCH /device/groups/{deviceGroupId}/clusterAlertConf/{id}", group+" id=1",
		`{"countBy":"instance","thresholdType":"absolute","alertExpr":"> 0 1 2","suppressIndAlert":false}`)
	want(one+", 4 shop-3 level 40: critical, 5 shop-2 level 40: critical, 6 Shop level 2: error", 0)
	b.do("DELETE /device/groups/{deviceGroupId}/clusterAlertConf/{id}", group+" id=1", "")
	want(one+", 4 shop-3 level 40: critical, 5 shop-2 level 40: critical", 0)
}

func TestSizeOfAClusterFollowsItsDevices(t *testing.T) {
	b := newCluster(t)
	b.do("POST /device/groups/{deviceGroupId}/clusterAlertConf", "deviceGroupId=2",
		b.cluster(`"thresholdType":"percentage","alertExpr":"> 25 50 75","minAlertLevel":3`))
	at := time.Unix(b.at.Load(), 0)
	want := func(n int64) {
		t.Helper()
		sizes, err := alert.SizeClusters(t.Context(), b.db, at)
		if err != nil || sizes[1] != n {
			t.Errorf("the cluster has %d devices (%v), want %d", sizes[1], err, n)
		}
	}
	want(4)
	b.fixture.start()
	b.do("POST /device/devices", "", `{"name":"shop-5","hostGroupIds":"2"}`)
	b.until("the new device is polled", func() bool { return b.Polled() == 18 })
	b.fixture.stop()
	want(5)
	b.do("PATCH /device/devices/{id}", "id=5", `{"hostGroupIds":"1"}`)
	b.do("DELETE /device/devices/{id}", "id=4", "")
	at = at.Add(time.Minute)
	want(3)
}
