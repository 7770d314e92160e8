package store_test

import (
	"errors"
	"reflect"
	"testing"

	"spyglass/backend/portal/fleet"
	"spyglass/backend/resource"
)

func TestRepeatedWriteWritesOnce(t *testing.T) {
	h := open(t)
	feed := h.db.Follow(string(fleet.Devices.Name))
	defer feed.Close()
	row := fleet.Device{Name: "10.0.0.1", DisplayName: "fjord", GroupIDs: resource.IDs{1}}
	var ids []int64 // ids of the row before each run
	if err := h.db.Write(t.Context(), func(tx resource.Tx) error {
		ids = append(ids, row.ID)
		return resource.Put(t.Context(), tx, fleet.Devices.Name, &row)
	}); err != nil {
		t.Fatal(err)
	}
	if want := []int64{0, 0}; !reflect.DeepEqual(ids, want) || row.ID != 1 {
		t.Errorf("the runs began with the ids %v, want %v; the row has the id %d, want 1", ids, want, row.ID)
	}
	refused := errors.New("refused")
	if err := h.db.Write(t.Context(), func(tx resource.Tx) error {
		return errors.Join(resource.Delete(t.Context(), tx, fleet.Devices.Name, 1), refused)
	}); !errors.Is(err, refused) {
		t.Error(err)
	}
	found, err := resource.Find(t.Context(), h.db, fleet.Devices.Name)
	if err != nil || len(found) != 1 || found[0].DisplayName != "fjord" {
		t.Errorf("the table has %+v, %v", found, err)
	}
	rows, lost, err := feed.Next(t.Context())
	if want := []resource.Changed{{Name: string(fleet.Devices.Name), ID: 1}}; err != nil || lost ||
		!reflect.DeepEqual(rows, want) {
		t.Errorf("the feed gave %v, %v, %v, want %v", rows, lost, err, want)
	}
}
