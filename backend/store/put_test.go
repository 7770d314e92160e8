package store_test

import (
	"fmt"
	"testing"

	"spyglass/backend/portal/fleet"
	"spyglass/backend/portal/ground"
	"spyglass/backend/resource"
)

func TestPutStoresARowUnderItsID(t *testing.T) {
	h := open(t)
	put := func(id int64, name string) {
		t.Helper()
		d := fleet.Device{ID: id, Name: name, DisplayName: name, GroupIDs: resource.IDs{ground.RootGroup},
			CollectorID: 1}
		if err := h.db.Write(t.Context(),
			func(tx resource.Tx) error { return resource.Put(t.Context(), tx, fleet.Devices.Name, &d) }); err != nil {
			t.Fatal(err)
		}
	}
	put(1, "first")
	put(7, "beyond the next id")
	put(0, "gets the next id")
	put(4, "in a gap")
	put(7, "changed")
	devices, err := resource.Find(t.Context(), h.db, fleet.Devices.Name)
	if err != nil {
		t.Fatal(err)
	}
	got := ""
	for _, d := range devices {
		got += fmt.Sprintln(d.ID, d.Name)
	}
	if want := "1 first\n4 in a gap\n7 changed\n8 gets the next id\n"; got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

func TestBulkAddsRowsThatAreUniqueAndFound(t *testing.T) {
	h := open(t)
	fill := func(names ...string) error {
		return h.db.Write(t.Context(), func(tx resource.Tx) error {
			return tx.Bulk(t.Context(), string(fleet.Devices.Name), func(yield func(any, error) bool) {
				for _, name := range names {
					d := fleet.Device{Name: name, DisplayName: name, GroupIDs: resource.IDs{ground.RootGroup}}
					if !yield(&d, nil) {
						return
					}
				}
			})
		})
	}
	if err := fill("a", "b", "c"); err != nil {
		t.Fatal(err)
	}
	if err := fill("d", "e", "D"); err == nil {
		t.Error("two devices have the same display name")
	}
	devices, err := resource.Find(t.Context(), h.db, fleet.Devices.Name,
		resource.Where{Field: "hostGroupIds", Op: "has any", Value: []int64{ground.RootGroup}})
	if err != nil || len(devices) != 3 {
		t.Errorf("%d devices are found (%v), want 3", len(devices), err)
	}
	if err := h.send(admin, "POST /device/devices", `{"name":"x","displayName":"A","preferredCollectorId":1}`); err !=
		`conflict displayName: there is already a device with the displayName "A"` {
		t.Error(err)
	}
}
