package store_test

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"spyglass/backend/portal/fleet"
	"spyglass/backend/portal/ground"
	"spyglass/backend/resource"
)

// TestDeepPageMatchesCounting compares pages found by marks with pages found
// by counting rows, while a test deletes, restores and adds rows.
func TestDeepPageMatchesCounting(t *testing.T) {
	h := open(t)
	add := func(n int) {
		t.Helper()
		err := h.db.Write(t.Context(), func(tx resource.Tx) error {
			for range n {
				d := fleet.Device{GroupIDs: resource.IDs{ground.RootGroup}, CollectorID: 1}
				d.Name = fmt.Sprint("d", rand.Uint64())
				d.DisplayName = d.Name
				if err := resource.Put(t.Context(), tx, fleet.Devices.Name, &d); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	check := func(after string) {
		t.Helper()
		all, err := resource.Find(t.Context(), h.db, fleet.Devices.Name)
		if err != nil {
			t.Fatal(err)
		}
		for _, down := range []bool{false, true} {
			for _, offset := range []int{511, 512, 700, 1023, 1024, len(all) - 3, len(all), len(all) + 10} {
				var want []string
				for i := offset; i < min(offset+5, len(all)); i++ {
					k := i
					if down {
						k = len(all) - 1 - i
					}
					want = append(want, fmt.Sprintf(`{"id":%d}`, all[k].ID))
				}
				sort := map[bool]string{false: "id", true: "-id"}[down]
				got := h.send(admin, fmt.Sprintf("GET /device/devices?fields=id&size=5&sort=%s&offset=%d", sort,
					offset), "")
				if want := fmt.Sprintf(`{"total":%d,"searchId":null,"items":[%s],"data":null}`, len(all),
					strings.Join(want, ",")); got != want {
					t.Fatalf("after %s, sort %s, offset %d:\n got %s\nwant %s", after, sort, offset, got, want)
				}
			}
		}
	}
	add(1200)
	check("adding")
	h.send(admin, "DELETE /device/devices/3", "")
	check("deleting")
	add(300)
	check("adding more")
	h.send(admin, "POST /device/recyclebin/3/restore", "")
	check("restoring")
	h.send(admin, "DELETE /device/devices/700?deleteHard=true", "")
	check("removing")
	h.send(admin, "PATCH /device/devices/4", `{"description":"x"}`)
	check("changing")
	d := fleet.Device{ID: 700, Name: "back", DisplayName: "back", GroupIDs: resource.IDs{1}, CollectorID: 1}
	if err := h.db.Write(t.Context(),
		func(tx resource.Tx) error { return resource.Put(t.Context(), tx, fleet.Devices.Name, &d) }); err != nil {
		t.Fatal(err)
	}
	check("filling a gap")
	if err := h.db.Write(t.Context(), func(tx resource.Tx) error {
		return resource.DeleteAll(t.Context(), tx, fleet.Devices.Name,
			resource.Where{Field: "id", Op: "<", Value: int64(100)})
	}); err != nil {
		t.Fatal(err)
	}
	check("deleting many")
	if d, err := resource.Get(t.Context(), h.db, fleet.Devices.Name, 700); err != nil ||
		!reflect.DeepEqual(d.GroupIDs, resource.IDs{1}) {
		t.Errorf("700 is %+v %v", d, err)
	}
}
