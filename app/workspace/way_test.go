package workspace_test

import (
	"testing"

	"spyglass/app/workspace"
)

func TestNewestUndosAreKept(t *testing.T) {
	d := open(t)
	for range workspace.MaxWays + 3 {
		h := &workspace.History{UserID: 1, Method: "PATCH", Path: "/a",
			Draft: workspace.Draft{Method: "PATCH", Path: "/a"}}
		if err := d.AddToHistory(t.Context(), h, nil, 0); err != nil {
			t.Fatal(err)
		}
		if err := d.KeepWay(t.Context(), &workspace.Way{ID: h.ID, UserID: 1, Text: "{}"}); err != nil {
			t.Fatal(err)
		}
	}
	ways, err := d.Ways(t.Context(), 1, 0)
	if err != nil || len(ways) != workspace.MaxWays || ways[0].ID != 4 {
		t.Fatalf("%d are kept, from %d on (%v)", len(ways), ways[0].ID, err)
	}
	if ways, err := d.Ways(t.Context(), 2, 0); err != nil || len(ways) != 0 {
		t.Errorf("another user has %d (%v)", len(ways), err)
	}
	if err := d.KeepWay(t.Context(), &workspace.Way{ID: 9999, UserID: 1}); err == nil {
		t.Error("a way without its request was kept")
	}
}
