package store_test

import (
	"context"
	"reflect"
	"slices"
	"testing"

	"spyglass/backend/resource"
)

func TestFeedReportsEachChangedRowOncePerCommit(t *testing.T) {
	h := openNested(t)
	feed := h.db.Follow("port", "lane")
	t.Cleanup(feed.Close)
	next := func() (rows []resource.Changed, lost bool) {
		t.Helper()
		rows, lost, err := feed.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		slices.SortFunc(rows, func(a, b resource.Changed) int { return int(a.ID - b.ID) })
		return rows, lost
	}
	h.steps(nil, []step{
		{"PATCH /device/devices/1", `{"description":"not followed"}`, ""},
		{"PATCH /device/devices/1/ports/1", `{"label":"x"}`, ""},
		{"PATCH /device/devices/1/ports/1", `{"label":"y"}`, ""},
		{"PATCH /device/devices/1/ports/1", `{"label":""}`, "invalid label: label must not be empty"},
		{"DELETE /device/devices/2/ports/2/lanes/2", "", "{}"},
	})
	rows, lost := next()
	if want := []resource.Changed{{Name: "port", ID: 1}, {Name: "lane", ID: 2}}; lost ||
		!reflect.DeepEqual(rows, want) {
		t.Errorf("got %v (lost: %v), want %v", rows, lost, want)
	}
	h.steps(nil, []step{{"DELETE /device/devices/1?deleteHard=true", "", "{}"}}) // also deletes its port and lane
	rows, lost = next()
	if want := []resource.Changed{{Name: "lane", ID: 1}, {Name: "port", ID: 1}}; lost || len(rows) != 2 ||
		rows[0].ID != 1 || !slices.Contains(rows, want[0]) || !slices.Contains(rows, want[1]) {
		t.Errorf("got %v (lost: %v), want %v", rows, lost, want)
	}
	remove := func(speed int64) {
		t.Helper()
		if err := h.db.Write(t.Context(), func(tx resource.Tx) error {
			return resource.DeleteAll(t.Context(), tx, laneRows, resource.Where{Field: "speed", Op: "=", Value: speed})
		}); err != nil {
			t.Fatal(err)
		}
	}
	remove(77) // no lane has this speed
	h.steps(nil, []step{{"PATCH /device/devices/2/ports/2", `{"label":"z"}`, ""}})
	if rows, lost = next(); lost || len(rows) != 1 {
		t.Errorf("after a removal by a condition that nothing met, got %v (lost: %v)", rows, lost)
	}
	h.steps(nil, []step{{"POST /device/devices/2/ports/2/lanes", `{"speed":77}`, ""}})
	remove(77)
	if _, lost = next(); !lost {
		t.Error("that rows were removed by a condition is not announced")
	}
	h.steps(nil, []step{{"PATCH /device/devices/2/ports/2", `{"label":"a"}`, ""}})
	if rows, lost = feed.Pending(); lost || len(rows) != 1 {
		t.Errorf("pending after a write are %v (lost: %v)", rows, lost)
	}
	if rows, lost = feed.Pending(); lost || len(rows) > 0 {
		t.Errorf("pending after that are %v (lost: %v)", rows, lost)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := feed.Next(ctx); err == nil {
		t.Error("a feed with nothing to tell does not end with its context")
	}
}

// A feed may begin after a row has changed and before that is committed: what its reader has
// read by then is old.
func TestFeedThatBeginsDuringAWriteReportsIt(t *testing.T) {
	h := openNested(t)
	var feed resource.Feed
	write := func(do func(tx resource.Tx) error) (rows []resource.Changed, lost bool) {
		t.Helper()
		if err := h.db.Write(t.Context(), func(tx resource.Tx) error {
			if feed != nil { // it ran before
				feed.Close()
			}
			err := do(tx)
			feed = h.db.Follow(string(laneRows))
			return err
		}); err != nil {
			t.Fatal(err)
		}
		defer feed.Close()
		return feed.Pending()
	}
	rows, lost := write(func(tx resource.Tx) error {
		return resource.Put(t.Context(), tx, laneRows, &lane{ID: 1, DeviceID: 1, PortID: 1, Speed: 40})
	})
	if want := []resource.Changed{{Name: "lane", ID: 1}}; lost || !slices.Equal(rows, want) {
		t.Errorf("got %v (lost: %v), want %v", rows, lost, want)
	}
	if rows, lost := write(func(tx resource.Tx) error {
		return resource.DeleteAll(t.Context(), tx, laneRows, resource.Where{Field: "speed", Op: "=", Value: int64(40)})
	}); !lost {
		t.Errorf("of a removal by a condition, got %v", rows)
	}
	if rows, lost := write(func(resource.Tx) error { return nil }); lost || len(rows) > 0 {
		t.Errorf("of a write that changes nothing, got %v (lost: %v)", rows, lost)
	}
}
