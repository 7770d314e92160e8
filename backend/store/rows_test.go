package store_test

import (
	"fmt"
	"reflect"
	"testing"

	"spyglass/backend/portal"
	"spyglass/backend/resource"
)

func TestRowsAreFoundUpToALimitAndDeletedByCondition(t *testing.T) {
	h := open(t)
	const groups resource.Name[*portal.Group] = "deviceGroup"
	const devices resource.Name[*portal.Device] = "device"
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
			if err := resource.Put(t.Context(), tx, devices, &portal.Device{Name: fmt.Sprint(i), DisplayName: fmt.Sprint(i), Description: note, GroupIDs: resource.IDs{portal.RootGroup}}); err != nil {
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
	if want := map[int64]int64{portal.RootGroup: 3}; err != nil || !reflect.DeepEqual(counts, want) {
		t.Errorf("the groups count %v (%v), want %v", counts, err, want)
	}
	if _, err := resource.Find(t.Context(), h.db, groups, resource.Where{Field: "nope", Op: "=", Value: 1}); err == nil || err.Error() != `deviceGroup has no field "nope"` {
		t.Errorf("an unknown field: %v", err)
	}
}
