package store_test

import (
	"fmt"
	"net/url"
	"reflect"
	"strings"
	"testing"

	"spyglass/backend/portal/fleet"
	"spyglass/backend/portal/ground"
	"spyglass/backend/resource"
)

func TestRowsAreFoundWithALimitAndDeletedByCondition(t *testing.T) {
	h := open(t)
	const groups resource.Name[*fleet.Group] = "deviceGroup"
	const devices resource.Name[*fleet.Device] = "device"
	ids := func(where ...resource.Where) (ids []int64) {
		t.Helper()
		rows, err := resource.Find(t.Context(), h.db, devices, where...)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range rows {
			ids = append(ids, d.ID)
		}
		return ids
	}
	err := h.db.Write(t.Context(), func(tx resource.Tx) error {
		for i, note := range []string{"a", "b", "a", "b", "a"} {
			if err := resource.Put(t.Context(), tx, devices,
				&fleet.Device{Name: fmt.Sprint(i), DisplayName: fmt.Sprint(i), Description: note,
					GroupIDs: resource.IDs{ground.RootGroup}}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	noted := resource.Where{Field: "description", Op: "=", Value: "a"}
	if got, want := ids(noted, resource.Limit(2)), []int64{1, 3}; !reflect.DeepEqual(got, want) {
		t.Errorf("the first two noted a are %v, want %v", got, want)
	}
	err = h.db.Write(t.Context(), func(tx resource.Tx) error {
		return resource.DeleteAll(t.Context(), tx, devices, noted, resource.Limit(2))
	})
	if got, want := ids(), []int64{2, 4, 5}; err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("left are %v (%v), want %v", got, err, want)
	}
	counts, err := h.db.CountBy(t.Context(), string(devices), "hostGroupIds")
	if want := map[int64]int64{ground.RootGroup: 3}; err != nil || !reflect.DeepEqual(counts, want) {
		t.Errorf("the groups count %v (%v), want %v", counts, err, want)
	}
	if _,
		err := resource.Find(t.Context(), h.db, groups, resource.Where{Field: "nope", Op: "=", Value: 1}); err == nil ||
		err.Error() != `deviceGroup has no field "nope"` {
		t.Errorf("an unknown field: %v", err)
	}
}

func TestRowsByIDUseOneQuery(t *testing.T) {
	aboutFiles(t)
	h := open(t)
	err := h.db.Write(t.Context(), func(tx resource.Tx) error {
		for i := range 6 {
			name := fmt.Sprint("d", i)
			if err := resource.Put(t.Context(), tx, fleet.Devices.Name,
				&fleet.Device{Name: name, DisplayName: name, GroupIDs: resource.IDs{ground.RootGroup}}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	before := h.db.Prepared()
	for filter, want := range map[string]string{
		"id:2|4|9":                `{"id":2},{"id":4}`,
		"id:5|1|2|5":              `{"id":1},{"id":2},{"id":5}`,
		"id:6":                    `{"id":6}`,
		`id:1|2,displayName:"d0"`: `{"id":1}`, // filters by more than ids, so its statement is not cached
		`id!:1|2|3|4,id<6`:        `{"id":5}`,
	} {
		response, err := h.do(nil, "GET /device/devices?sort=%2Bid&fields=id&filter="+url.QueryEscape(filter), "", "")
		if err != nil {
			t.Fatal(err)
		}
		if got := string(response.(resource.JSON)); !strings.Contains(got, `"items":[`+want+`]`) {
			t.Errorf("%s returns %s, want %s", filter, got, want)
		}
	}
	if n := h.db.Prepared() - before; n != 1 {
		t.Errorf("%d questions are kept, want 1", n)
	}
}
