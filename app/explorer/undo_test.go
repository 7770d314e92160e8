package explorer_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// written sends a write and expects success.
func (h *fixture) written(method, path, body string) (undo string, historyID int64) {
	h.t.Helper()
	a := h.call(1, "POST /explorer/send", `{"sendId":"w","draft":{"method":"`+method+`","path":"`+path+
		`","mode":"raw","body":`+strconv.Quote(body)+`}}`)
	var r struct {
		Status    int
		Undo      string
		HistoryID int64
	}
	if err := json.Unmarshal([]byte(a.body), &r); err != nil || r.Status/100 != 2 {
		h.t.Fatalf("%s %s returned %s", method, path, a.body)
	}
	return r.Undo, r.HistoryID
}

func (h *fixture) undo(user int, id int64) answer {
	h.t.Helper()
	return h.call(user, "POST /explorer/history/"+strconv.FormatInt(id, 10)+"/undo", "{}")
}

func TestUndoRevertsAWrite(t *testing.T) {
	for _, tt := range []struct {
		do, body string
		noBin    bool
		says     string // the undo that the response offers
		wrote    []string
		message  string
		left     any // name of the thing at the end; nil: none
	}{
		{do: "PATCH /raw/things/7", body: `{"note":"new","size":6}`, says: "will restore note and size", left: "seven",
			wrote: []string{`PATCH /things/7 {"note":"new","size":6}`,
				`PATCH /things/7 {"note":"","size":5} if "v2"`},
			message: "Restored note and size of “seven”"},
		{do: "PUT /raw/things/7", body: `{"name":"Seven","tags":[]}`, says: "will restore name and tags", left: "seven",
			wrote: []string{`PUT /things/7 {"name":"Seven","tags":[]}`, `PATCH /things/7 {"name":"seven",` +
				`"tags":["a"]} if "v2"`},
			message: "Restored name and tags of “seven”"},
		{do: "POST /raw/things", body: `{"name":"eight"}`, says: "will delete “eight”", left: "seven",
			wrote:   []string{`POST /things {"name":"eight"}`, `DELETE /things/8 if "v1"`},
			message: "Deleted “eight”"},
		{do: "DELETE /raw/things/7", says: "will restore “seven” from the recycle bin", left: "seven",
			wrote:   []string{`DELETE /things/7`, `POST /recyclebin/7/restore {}`},
			message: "Restored “seven”"},
		{do: "DELETE /raw/things/7", noBin: true, says: "will recreate “seven” with a new id",
			wrote:   []string{`DELETE /things/7`, `POST /things {"name":"seven","note":"","size":5,"tags":["a"]}`},
			message: "Recreated “seven” with a new id"},
		{do: "DELETE /raw/things/7?deleteHard=true", says: "will recreate “seven” with a new id",
			wrote: []string{`DELETE /things/7?deleteHard=true`, `POST /things {"name":"seven","note":"","size":5,` +
				`"tags":["a"]}`},
			message: "Recreated “seven” with a new id"},
	} {
		t.Run(tt.do, func(t *testing.T) {
			h, s := storeFixture(t, !tt.noBin)
			events := h.listen(1)
			method, path, _ := strings.Cut(tt.do, " ")
			says, id := h.written(method, path, tt.body)
			if says != tt.says {
				t.Errorf("offered %q, want %q", says, tt.says)
			}
			if a, want := h.call(1, "GET /explorer/undos", ""), `{"items":[{"historyId":1,"undo":"`+tt.says+
				`"}]}`; a.body != want {
				t.Errorf("got %s, want %s", a.body, want)
			}
			if a, want := h.undo(1, id), `{"historyId":2,"message":"`+tt.message+`"}`; a.body != want {
				t.Errorf("got %s, want %s", a.body, want)
			}
			// every window gets the event
			for event := next(t, events); event != `undone {"historyId":1}`; event = next(t, events) {
			}
			if got := s.writes(); !reflect.DeepEqual(got, tt.wrote) {
				t.Errorf("wrote %q, want %q", got, tt.wrote)
			}
			if got := s.thing(7)["name"]; got != tt.left {
				t.Errorf("there is %v, want %v", got, tt.left)
			}
			if a := h.undo(1, id); a.status != 404 || h.said(a) != "this request can no longer be undone" {
				t.Errorf("a second time got %d %s", a.status, a.body)
			}
		})
	}
}

func TestUndoIsRefused(t *testing.T) {
	for _, tt := range []struct {
		name   string
		since  func(s *store)
		user   int
		status int
		want   string
		wrote  bool // the undo sent a request to the portal
	}{
		{name: "when somebody changed the object since", since: func(s *store) { s.set(7, "tags", []any{"b"}) },
			status: 409,
			want:   "“seven” has changed since (tags); undoing would overwrite that, so nothing was sent"},
		{name: "when it is gone", since: func(s *store) { s.mu.Lock(); delete(s.things, 7); s.mu.Unlock() },
			status: 409,
			want: "the object cannot be read, so the change was not undone: GET /raw/things/7 failed with 404 Not " +
				"Found"},
		{name: "when somebody is faster", since: func(s *store) { s.mu.Lock(); s.refuse = 412; s.mu.Unlock() },
			status: 409, wrote: true,
			want: "not undone: someone else changed it at the same time"},
		{name: "when it is somebody else's", user: 2, status: 404, want: "this request can no longer be undone"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h, s := storeFixture(t, true)
			_, id := h.written("PATCH", "/raw/things/7", `{"note":"new"}`)
			s.writes()
			if tt.since != nil {
				tt.since(s)
			}
			a := h.undo(max(tt.user, 1), id)
			if got := h.said(a); a.status != tt.status || got != tt.want {
				t.Errorf("got  %d %s\nwant %d %s", a.status, got, tt.status, tt.want)
			}
			if got := s.writes(); (got != nil) != tt.wrote {
				t.Errorf("wrote %q", got)
			}
		})
	}
}

func TestWriteWithoutAChangeOffersNoUndo(t *testing.T) {
	h, _ := storeFixture(t, true)
	if says, _ := h.written("PATCH", "/raw/things/7", `{"note":""}`); says != "" {
		t.Errorf("offered %q", says)
	}
	if a := h.call(1, "GET /explorer/undos", ""); a.body != `{"items":[]}` {
		t.Errorf("got %s", a.body)
	}
}

func TestUndoWorksAfterARestart(t *testing.T) {
	for _, tt := range []struct{ do, body, says, wrote string }{
		{"PATCH /raw/things/7", `{"note":"new","size":6}`, "will restore note and size",
			`PATCH /things/7 {"note":"","size":5} if "v2"`},
		{"POST /raw/things", `{"name":"eight"}`, "will delete “eight”", `DELETE /things/8 if "v1"`},
		{"DELETE /raw/things/7?deleteHard=true", "", "will recreate “seven” with a new id",
			`POST /things {"name":"seven","note":"","size":5,"tags":["a"]}`},
	} {
		t.Run(tt.do, func(t *testing.T) {
			h, s := storeFixture(t, true)
			method, path, _ := strings.Cut(tt.do, " ")
			_, id := h.written(method, path, tt.body)
			s.writes()
			h = h.again(storeEndpoints(true))
			h.answerRaw(s.ServeHTTP)
			if a := h.undo(2, id); a.status != 404 {
				t.Errorf("another user got %d %s", a.status, a.body)
			}
			if a, want := h.call(1, "GET /explorer/undos", ""), `{"items":[{"historyId":1,"undo":"`+tt.says+
				`"}]}`; a.body != want {
				t.Errorf("got %s, want %s", a.body, want)
			}
			if a := h.undo(1, id); a.status != 200 {
				t.Errorf("got %d %s", a.status, a.body)
			}
			if got := s.writes(); !reflect.DeepEqual(got, []string{tt.wrote}) {
				t.Errorf("wrote %q, want %q", got, tt.wrote)
			}
			h = h.again(storeEndpoints(true))
			h.answerRaw(s.ServeHTTP)
			if a := h.call(1, "GET /explorer/undos", ""); strings.Contains(a.body, `"historyId":1,`) {
				t.Errorf("the undo is offered again: %s", a.body)
			}
		})
	}
}

func TestUndoWithASecretEndsWithTheProcess(t *testing.T) {
	for _, tt := range []struct {
		name, body string
		stands     func(s *store)
	}{
		{name: "a secret variable", body: `{"note":"say {{word}}"}`},
		{name: "stars in what undoing sends", body: `{"note":"plain"}`,
			stands: func(s *store) { s.set(7, "note", "********") }},
		{name: "a value under a secret name", body: `{"tags":["x"]}`,
			stands: func(s *store) { s.set(7, "tags", []any{map[string]any{"apiToken": planted}}) }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h, s := storeFixture(t, true)
			if a := h.call(1, "POST /explorer/variables", `{"name":"word","value":"`+planted+
				`","secret":true}`); a.status/100 != 2 {
				t.Fatal(a.body)
			}
			if tt.stands != nil {
				tt.stands(s)
			}
			if says, _ := h.written("PATCH", "/raw/things/7", tt.body); says == "" {
				t.Error("in this process nothing is offered")
			}
			h = h.again(storeEndpoints(true))
			if a := h.call(1, "GET /explorer/undos", ""); a.body != `{"items":[]}` {
				t.Errorf("got %s", a.body)
			}
		})
	}
}

func TestHistoryOfAnUndoMasksSecretsInThePath(t *testing.T) {
	for _, tt := range []struct{ method, path, secret, body string }{
		{"PATCH", "/raw/things/{{id}}?loud=1", "7", `{"note":"new"}`},
		{"DELETE", "/raw/things/{{id}}", "7", ""},
		{"POST", "/{{room}}/things", "raw", `{"name":"made"}`},
	} {
		t.Run(tt.method+" "+tt.path, func(t *testing.T) {
			h, _ := storeFixture(t, true)
			name, _, _ := strings.Cut(tt.path[strings.Index(tt.path, "{{")+2:], "}}")
			if a := h.call(1, "POST /explorer/variables", fmt.Sprintf(`{"name":%q,"value":%q,"secret":true}`, name,
				tt.secret)); a.status/100 != 2 {
				t.Fatal(a.body)
			}
			says, id := h.written(tt.method, tt.path, tt.body)
			if says == "" {
				t.Fatal("nothing can be undone")
			}
			if a := h.undo(1, id); a.status != 200 {
				t.Fatal(a.body)
			}
			var history struct {
				Items []struct{ Method, Path, URL string }
			}
			a := h.call(1, "GET /explorer/history", "")
			if err := json.Unmarshal([]byte(a.body), &history); err != nil || len(history.Items) < 2 {
				t.Fatal(a.body, err)
			}
			for _, item := range history.Items {
				for _, shown := range []string{item.Path, item.URL} {
					shown, _, _ = strings.Cut(shown, "?")
					if slices.Contains(strings.Split(shown, "/"), tt.secret) {
						t.Errorf("the history of %s shows %s", item.Method, shown)
					}
				}
			}
		})
	}
}

func TestUndoIsDeletedWithItsHistoryEntry(t *testing.T) {
	for _, do := range []string{"DELETE /explorer/history/1", "DELETE /explorer/history"} {
		h, _ := storeFixture(t, true)
		h.written("PATCH", "/raw/things/7", `{"note":"new"}`)
		if a := h.call(1, do, ""); a.status != 200 {
			t.Fatal(a.body)
		}
		if ways, err := h.workspace.Ways(t.Context(), 1, 0); err != nil || len(ways) != 0 {
			t.Errorf("%s leaves %v (%v)", do, ways, err)
		}
	}
}
