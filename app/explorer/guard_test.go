package explorer_test

import (
	"encoding/json"
	"testing"
)

func TestReadOnlyLockRefusesWrites(t *testing.T) {
	h, s := storeFixture(t, true)
	_, id := h.written("PATCH", "/raw/things/7", `{"note":"new"}`)
	s.writes()
	if a := h.call(1, "PATCH /explorer/settings", `{"portalReadOnly":true}`); a.status != 200 {
		t.Fatal(a.body)
	}
	past := h.call(1, "GET /explorer/history?fields=id", "").body
	for _, method := range []string{"POST", "PUT", "PATCH", "DELETE"} {
		a := h.call(1, "POST /explorer/send", `{"sendId":"s","draft":{"method":"`+method+
			`","path":"/raw/things/7","mode":"raw","body":"{}"}}`)
		var f struct {
			ErrorMessage string
			ErrorDetail  struct{ ReadOnly bool }
		}
		if err := json.Unmarshal([]byte(a.body), &f); err != nil {
			t.Fatal(a.body)
		}
		if want := "Demo portal is read-only, so " + method +
			" was not sent; unlock it to make changes"; a.status != 403 || f.ErrorMessage != want ||
			!f.ErrorDetail.ReadOnly {
			t.Errorf("got %d %s, want %s", a.status, a.body, want)
		}
	}
	if a := h.undo(1, id); a.status != 403 {
		t.Errorf("undoing got %d %s", a.status, a.body)
	}
	if got := s.writes(); got != nil {
		t.Errorf("the portal got %q", got)
	}
	if got := h.call(1, "GET /explorer/history?fields=id", "").body; got != past {
		t.Errorf("the history is %s, want %s", got, past)
	}
	if r := h.send(1, `{"path":"/raw/things/7"}`); r.Status != 200 {
		t.Errorf("reading got %d", r.Status)
	}
	if a := h.call(1, "PATCH /explorer/settings", `{"portalReadOnly":false}`); a.status != 200 {
		t.Fatal(a.body)
	}
	if a := h.undo(1, id); a.status != 200 {
		t.Errorf("unlocked, undoing got %d %s", a.status, a.body)
	}
}
