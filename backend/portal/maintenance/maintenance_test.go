package maintenance_test

import (
	"fmt"
	"testing"
	"time"

	"spyglass/backend/portal/collector"
	"spyglass/backend/portal/fleet"
	"spyglass/backend/portal/maintenance"
	"spyglass/backend/portal/setting"
	"spyglass/backend/resource"
	"spyglass/backend/store"
	"spyglass/backend/store/storetest"
)

var noon = time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)

// maintained is a portal with the groups 2 and 3 (inside 2), device
// 1 in group 3, and a maintenance window for every kind of object.
func maintained(t testing.TB) *store.DB {
	t.Helper()
	db := storetest.Open(t, store.Options{Clock: func() time.Time { return noon }, Zone: time.UTC})
	storetest.Add(t, db, &fleet.Groups)
	storetest.Add(t, db, &fleet.Devices)
	storetest.Add(t, db, &collector.Collectors)
	storetest.Add(t, db, &maintenance.SDTs)
	storetest.Add(t, db, &setting.Settings)
	storetest.Put(t, db, fleet.Groups.Name, fleet.Group{ID: 2, Name: "Servers", ParentID: 1},
		fleet.Group{ID: 3, Name: "Linux", ParentID: 2})
	storetest.Put(t, db, fleet.Devices.Name,
		fleet.Device{ID: 1, Name: "web-1", DisplayName: "web-1", GroupIDs: resource.IDs{3}})
	now := resource.MillisOf(noon)
	for i, s := range []maintenance.SDT{
		{Type: maintenance.DeviceSDT, DeviceID: 1},
		{Type: maintenance.GroupSDT, GroupID: 2},
		{Type: maintenance.GroupSDT, GroupID: 3, DataSourceID: 7},
		{Type: maintenance.DeviceDataSourceSDT, DeviceID: 1, DataSourceID: 7, DeviceDataSourceID: 70},
		{Type: maintenance.InstanceSDT, DeviceID: 1, InstanceID: 700},
		{Type: maintenance.InstanceGroupSDT, DeviceID: 1, InstanceGroupID: 77},
		{Type: maintenance.CollectorSDT, CollectorID: 1},
		{Type: maintenance.DeviceSDT, DeviceID: 2},
	} {
		s.ID, s.Recurrence, s.Timezone = resource.TextID(i+1), maintenance.OneTime, "UTC"
		s.Start, s.End = now, now+3_600_000
		storetest.Put(t, db, maintenance.SDTs.Name, s)
	}
	return db
}

func covering(t testing.TB, db *store.DB, of maintenance.Watched, at time.Time) string {
	t.Helper()
	found, err := maintenance.InMaintenance(t.Context(), db, of, at)
	if err != nil {
		t.Fatal(err)
	}
	ids := []int64{}
	for _, s := range found {
		ids = append(ids, int64(s.ID))
	}
	return fmt.Sprint(ids)
}

func TestMaintenanceCoversOnlyItsScope(t *testing.T) {
	db := maintained(t)
	for _, tt := range []struct {
		name string
		of   maintenance.Watched
		want string
	}{
		{"a device", maintenance.Watched{DeviceID: 1}, "[1 2]"},
		{"a device whose groups are known", maintenance.Watched{DeviceID: 1, GroupIDs: resource.IDs{1}}, "[1]"},
		{"a data source on it", maintenance.Watched{DeviceID: 1, DataSourceID: 7, DeviceDataSourceID: 70}, "[1 2 3 4]"},
		{"another one", maintenance.Watched{DeviceID: 1, DataSourceID: 8, DeviceDataSourceID: 80}, "[1 2]"},
		{"an instance", maintenance.Watched{DeviceID: 1, DataSourceID: 7, DeviceDataSourceID: 70, InstanceID: 700},
			"[1 2 3 4 5]"},
		{"an instance in a group",
			maintenance.Watched{DeviceID: 1, DataSourceID: 7, DeviceDataSourceID: 70, InstanceID: 701,
				InstanceGroupID: 77},
			"[1 2 3 4 6]"},
		{"a collector", maintenance.Watched{CollectorID: 1}, "[7]"},
		{"another collector", maintenance.Watched{CollectorID: 2}, "[]"},
		{"nothing", maintenance.Watched{}, "[]"},
	} {
		if got := covering(t, db, tt.of, noon); got != tt.want {
			t.Errorf("%s is covered by %s, want %s", tt.name, got, tt.want)
		}
	}
	for at, want := range map[time.Duration]string{-time.Millisecond: "[]", 0: "[1 2]",
		time.Hour - time.Millisecond: "[1 2]", time.Hour: "[]"} {
		if got := covering(t, db, maintenance.Watched{DeviceID: 1}, noon.Add(at)); got != want {
			t.Errorf("%v from its begin %s are in effect, want %s", at, got, want)
		}
	}
}

func TestMaintenanceFollowsEveryChange(t *testing.T) {
	db := maintained(t)
	web := maintenance.Watched{DeviceID: 1}
	if got := covering(t, db, web, noon); got != "[1 2]" {
		t.Fatal(got)
	}
	storetest.Put(t, db, fleet.Groups.Name, fleet.Group{ID: 3, Name: "Linux", ParentID: 1})
	if got := covering(t, db, web, noon); got != "[1]" {
		t.Errorf("after the group has moved: %s", got)
	}
	storetest.Put(t, db, maintenance.SDTs.Name,
		maintenance.SDT{ID: 1, Type: maintenance.DeviceSDT, DeviceID: 2, Recurrence: maintenance.OneTime,
			Start: 1, End: 2})
	if got := covering(t, db, web, noon); got != "[]" {
		t.Errorf("after the window has gone elsewhere: %s", got)
	}
	storetest.Put(t, db, maintenance.SDTs.Name,
		maintenance.SDT{Type: maintenance.GroupSDT, GroupID: 3, Recurrence: maintenance.Daily, Hour: 12, Duration: 60,
			Timezone: "UTC"})
	if got := covering(t, db, web, noon.AddDate(0, 0, 9)); got != "[9]" {
		t.Errorf("after a new one: %s", got)
	}
}

func BenchmarkInMaintenance(b *testing.B) {
	db := maintained(b)
	of := maintenance.Watched{DeviceID: 1, GroupIDs: resource.IDs{3}, DataSourceID: 7, DeviceDataSourceID: 70,
		InstanceID: 700}
	for b.Loop() {
		if _, err := maintenance.InMaintenance(b.Context(), db, of, noon); err != nil {
			b.Fatal(err)
		}
	}
}
