package workspace_test

import (
	"fmt"
	"strings"
	"testing"

	"spyglass/app/workspace"
)

// remember sends a request whose response has a given size.
func (d *desk) remember(user int64, bytes int) {
	d.t.Helper()
	h := &workspace.History{UserID: user, Method: "GET", Path: "/n"}
	if err := d.AddToHistory(d.t.Context(), h, &workspace.Reply{Zipped: make([]byte, bytes)}, 0); err != nil {
		d.t.Fatal(err)
	}
}

func (d *desk) openWithin(quota int64) {
	d.t.Helper()
	if err := d.Close(); err != nil {
		d.t.Fatal(err)
	}
	d.quota = quota
	d.open(0)
}

func TestFullQuotaDeletesTheOldestUnpinnedRequests(t *testing.T) {
	d := open(t)
	d.openWithin(100 << 10)
	for range 5 {
		d.remember(1, 15<<10)
	}
	d.remember(2, 15<<10)
	d.send(1, "PATCH /history/1", `{"pinned":true}`)
	d.remember(1, 30<<10) // 105 KB with it
	if got := d.ids(1, "") + d.ids(2, ""); got != "[7 5 4 3 1][6]" {
		t.Errorf("in the history are %s", got)
	}
	d.openWithin(60 << 10) // recounts the history, which now is smaller
	d.remember(1, 10<<10)
	if got := d.ids(1, ""); got != "[8 7 1]" {
		t.Errorf("after a restart with a smaller quota: %s", got)
	}
	if _, _, err := d.Recall(t.Context(), 1, 5); err == nil {
		t.Error("a response outlived its request")
	}
	d.remember(1, 80<<10) // larger than the whole quota
	if got := d.ids(1, ""); got != "[9 1]" {
		t.Errorf("after a response that is larger than the quota: %s", got)
	}
	d.openWithin(0)
	for range 5 {
		d.remember(1, 80<<10)
	}
	if got := d.ids(1, ""); got != "[14 13 12 11 10 9 1]" {
		t.Errorf("without a quota: %s", got)
	}
}

func TestOnlyHalfOfTheQuotaCanBePinned(t *testing.T) {
	d := open(t)
	d.openWithin(100 << 10)
	for range 4 {
		d.remember(1, 20<<10)
	}
	for id, want := range []string{"", `"pinned":true`, `"pinned":true`, `"pinned":true`,
		"invalid pinned: your pinned requests already take"} {
		if id == 0 {
			continue
		}
		if got := d.send(1, fmt.Sprintf("PATCH /history/%d", id), `{"pinned":true}`); !strings.Contains(got, want) {
			t.Errorf("pinning %d: %s", id, got)
		}
	}
	d.send(1, "PATCH /history/1", `{"pinned":false}`)
	if got := d.send(1, "PATCH /history/4", `{"pinned":true}`); !strings.Contains(got, `"pinned":true`) {
		t.Errorf("after one was unpinned: %s", got)
	}
}

func TestOnlyAdministratorsRaiseTheHistoryLimitOnASharedDisk(t *testing.T) {
	d := open(t)
	d.openWithin(1 << 20)
	d.expect(1, "PATCH /settings", `{"historyKept":50000}`, `{"historyKept":50000}`)
	d.expect(1, "PATCH /settings", `{"historyKept":50001}`,
		"invalid historyKept: historyKept can be at most 50000 on a shared "+
			"portal; only administrators may store more")
	d.admin = true
	d.expect(1, "PATCH /settings", `{"historyKept":50001}`, `{"historyKept":50001}`)
	d.openWithin(0)
	d.admin = false
	d.expect(1, "PATCH /settings", `{"historyKept":1000000}`, `{"historyKept":1000000}`)
}
