package explorer_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"spyglass/backend/resource"
)

// twin is a portal with groups and with things, which can contain each other.
type twin struct {
	mu     sync.Mutex
	things []string // JSON
	groups []string
	wrote  []string
}

const twinDocument = `{"openapi":"3.1.0","info":{"title":"t","version":"1"},"servers":[{"url":"/api"}],"paths":{` +
	`"/raw/things":{"get":{"tags":["T"],"parameters":[{"name":"size","in":"query","schema":{"type":"integer",` +
	`"maximum":2}}],"responses":{"200":{"description":"ok"}}},` +
	`"post":{"tags":["T"],"requestBody":{"content":{"application/json":{"schema":{"type":"object","properties":{` +
	`"id":{"type":"integer","readOnly":true},"name":{"type":"string"},"note":{"type":"string"},` +
	`"parentId":{"type":"integer","x-list":"/raw/things"},"groupId":{"type":"integer","x-list":"/raw/groups"},` +
	`"groupIds":{"type":"string","x-list":"/raw/groups"},"password":{"type":"string","writeOnly":true},` +
	`"properties":{"type":"array","items":{"type":"object","properties":{"name":{"type":"string"},` +
	`"value":{"type":"string"}}}}}}}}},"responses":{"201":{"description":"made"}}}},` +
	`"/raw/things/{id}":{"get":{"tags":["T"],"responses":{"200":{"description":"ok"}}},` +
	`"delete":{"tags":["T"],"responses":{"200":{"description":"gone"}}}},` +
	`"/raw/groups":{"get":{"tags":["T"],"responses":{"200":{"description":"ok"}}}}}}`

func (p *twin) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	path := strings.TrimPrefix(strings.TrimPrefix(r.URL.Path, "/api"), "/raw")
	id, _ := strconv.Atoi(strings.TrimPrefix(path, "/things/"))
	body, _ := io.ReadAll(r.Body)
	if r.Method != "GET" {
		p.wrote = append(p.wrote, strings.TrimSpace(r.Method+" "+path+" "+string(body)))
	}
	at := func(id int) int {
		return slices.IndexFunc(p.things, func(one string) bool {
			return strings.HasPrefix(one, fmt.Sprintf(`{"id":%d,`, id))
		})
	}
	switch {
	case path == "/openapi.json":
		fmt.Fprint(w, twinDocument)
	case r.Method == "POST" && strings.Contains(string(body), `"c"`):
		w.WriteHeader(400)
		fmt.Fprint(w, `{"errorMessage":"no c here"}`)
	case r.Method == "POST":
		made := fmt.Sprintf(`{"id":%d,`, 100+len(p.things)) + strings.TrimPrefix(string(body), "{")
		p.things = append(p.things, made)
		w.WriteHeader(201)
		fmt.Fprint(w, made)
	case id > 0 && at(id) < 0:
		w.WriteHeader(404)
	case r.Method == "DELETE":
		p.things = slices.Delete(p.things, at(id), at(id)+1)
		fmt.Fprint(w, `{}`)
	case id > 0:
		fmt.Fprint(w, p.things[at(id)])
	case r.URL.Query().Has("fields"):
		w.WriteHeader(400) // a part of an object cannot be compared, so the portal refuses
	case path == "/groups":
		fmt.Fprint(w, page(r, p.groups))
	default:
		fmt.Fprint(w, page(r, p.things))
	}
}

// page returns a page of at most two items.
func page(r *http.Request, all []string) string {
	from, _ := strconv.Atoi(r.URL.Query().Get("offset"))
	from = min(from, len(all))
	return fmt.Sprintf(`{"total":%d,"items":[%s]}`, len(all), strings.Join(all[from:min(from+2, len(all))], ","))
}

func (p *twin) writes() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	out := p.wrote
	p.wrote = nil
	return out
}

// lists holds the comparison of the things of two portals.
type lists struct {
	Key, Create                  string
	Keys                         []string
	Here, There, Different, Same int
	Rows                         []struct {
		Kind, Key, Body string
		Left            []string
		Needs           []map[string]string
		Differences     []struct{ Field, Here, There string }
	}
}

// twins returns two portals with things, the built-in portal and a second portal, and the id of the second.
func twins(t *testing.T) (h *fixture, there *twin, id string) {
	t.Helper()
	nothing := func(context.Context, *resource.Call) (any, error) { return nil, nil }
	h = buildWith(t, []resource.Endpoint{
		{Method: "GET", Path: "/raw/things", Category: "T", Handle: nothing},
		{Method: "GET", Path: "/raw/groups", Category: "T", Handle: nothing},
	})
	here := &twin{groups: []string{`{"id":1,"name":"Web"}`, `{"id":2,"name":"Lab"}`, `{"id":3,"name":"Gone"}`},
		things: []string{
			`{"id":1,"name":"a","parentId":0,"groupId":1,"groupIds":"1,2","note":"x"}`,
			`{"id":5,"name":"in b","parentId":2,"groupId":1}`,
			`{"id":2,"name":"b","parentId":1,"groupId":1,"note":"{{x}}","properties":[{"name":"site","value":"1"},` +
				`{"name":"snmp.community","value":"********"},{"name":"api.key","value":"k3y-0f-b"}],` +
				`"password":"p4ss-0f-b","created":5}`,
			`{"id":3,"name":"c","groupId":3,"groupIds":"2,3"}`,
			`{"id":4,"name":"d","groupId":1,"note":"old"}`,
			`{"id":6,"name":"in c","parentId":3}`,
		}}
	there = &twin{groups: []string{`{"id":7,"name":"Lab"}`, `{"id":8,"name":"Web"}`}, things: []string{
		`{"id":50,"name":"a","parentId":0,"groupId":8,"groupIds":"7,8","note":"x","created":9}`,
		`{"id":51,"name":"d","groupId":7,"note":"new"}`,
		`{"id":52,"name":"e","groupId":7}`,
	}}
	h.answerRaw(here.ServeHTTP)
	far := httptest.NewServer(there)
	t.Cleanup(far.Close)
	id = h.addPortal(1, `{"name":"Far","baseUrl":"`+far.URL+`/api","auth":"none","readOnly":false}`)
	if a := h.call(1, "POST /explorer/portals/"+id+"/catalog", ""); a.status != 200 {
		t.Fatal(a.status, a.body)
	}
	return h, there, id
}

func (h *fixture) lists(body string) lists {
	h.t.Helper()
	a := h.call(1, "POST /explorer/lists/compare", body)
	var got lists
	if err := json.Unmarshal([]byte(a.body), &got); err != nil || a.status != 200 {
		h.t.Fatal(a.status, a.body)
	}
	return got
}

// objects returns the body that creates the rows with these keys.
func (l lists) objects(keys ...string) string {
	var all []map[string]any
	for _, key := range keys {
		for _, r := range l.Rows {
			if r.Key == key {
				all = append(all, map[string]any{"key": r.Key, "body": r.Body, "needs": r.Needs})
			}
		}
	}
	text, _ := json.Marshal(map[string]any{"batchId": "c1", "path": l.Create, "objects": all})
	return string(text)
}

func TestListIsComparedWithAnotherPortal(t *testing.T) {
	h, _, id := twins(t)
	got := h.lists(`{"other":` + id + `,"draft":{"path":"/raw/things?offset=1","query":[{"on":true,"key":"fields",` +
		`"value":"id"}]}}`)
	var rows []string
	for _, r := range got.Rows {
		rows = append(rows, fmt.Sprint(r.Kind, " ", r.Key, " ", r.Body, " ", r.Differences, r.Left, r.Needs))
	}
	same(t, rows, []string{
		`same a  [] [] []`,
		`here in b {"groupId":8,"name":"in b"} [] [] [map[field:parentId key:b]]`,
		`here b {"groupId":8,"name":"b","note":"{{x}}","parentId":50,"properties":[{"name":"site","value":"1"}]} [] ` +
			`[password: a secret properties snmp.community: a secret properties api.key: a secret] []`,
		`here c {"groupIds":"7","name":"c"} [] [groupId: the other portal has no “Gone” ` +
			`groupIds: the other portal has no “Gone”] []`,
		`different d  [{groupId "Web" "Lab"} {note "old" "new"}] [] []`,
		`here in c {"name":"in c"} [] [] [map[field:parentId key:c]]`,
		`there e  [] [] []`,
	})
	if got.Key != "name" || strings.Join(got.Keys, " ") != "name id" || got.Create != "/raw/things" ||
		got.Here != 4 || got.There != 1 || got.Different != 1 || got.Same != 1 {
		t.Errorf("got %+v", got)
	}
	got = h.lists(`{"other":` + id + `,"key":"id","draft":{"path":"/raw/things"}}`)
	if got.Here != 6 || got.There != 3 {
		t.Errorf("by id there are %d here and %d there", got.Here, got.There)
	}
	for _, tt := range []struct{ body, field, want string }{
		{`{"other":` + id + `,"key":"note","draft":{"path":"/raw/things"}}`, "key",
			`"note" is not unique in both lists; choose another field`},
		{`{"other":0,"draft":{"path":"/raw/things"}}`, "other", "choose another portal than the one of the tab"},
		{`{"other":` + id + `,"draft":{"method":"POST","path":"/raw/things"}}`, "draft.method",
			"Demo portal: only GET requests can be sent page by page"},
	} {
		if a := h.call(1, "POST /explorer/lists/compare", tt.body); a.status != 400 || h.said(a) != tt.want ||
			!strings.Contains(a.body, `"field":"`+tt.field+`"`) {
			t.Errorf("%s returned %d %s", tt.body, a.status, a.body)
		}
	}
	if a := h.call(1, "POST /explorer/lists/compare", `{"other":`+id+`,"draft":{"path":"/raw/things/50"}}`); a.status !=
		502 || !strings.Contains(h.said(a), "Demo portal: page 1 failed with 404 Not Found") {
		t.Errorf("a body that is not a list returned %d %s", a.status, a.body)
	}
}

func TestMissingItemsAreCreatedInOrderAndUndone(t *testing.T) {
	h, there, id := twins(t)
	got := h.lists(`{"other":` + id + `,"draft":{"path":"/raw/things"}}`)
	create := got.objects("in b", "in c", "c", "b")
	events := h.listen(1)
	a := h.call(1, "POST /explorer/lists/create?portal="+id, create)
	var made struct {
		Results []struct {
			Name, Problem     string
			Status, HistoryID int64
		}
	}
	if err := json.Unmarshal([]byte(a.body), &made); err != nil || len(made.Results) != 4 {
		t.Fatal(a.status, a.body)
	}
	var results []string
	for _, r := range made.Results {
		results = append(results, fmt.Sprint(r.Name, " ", r.Status, " ", r.Problem))
	}
	same(t, results, []string{
		`b 201 `,
		`in b 201 `,
		`c 400 no c here`,
		`in c 0 not sent, because parentId needs “c”, which was not created`,
	})
	same(t, there.writes(), []string{
		`POST /things {"groupId":8,"name":"b","note":"\u007b\u007bx}}","parentId":50,"properties":[{"name":"site",` +
			`"value":"1"}]}`,
		`POST /things {"groupId":8,"name":"in b","parentId":103}`,
		`POST /things {"groupIds":"7","name":"c"}`,
	})
	for i := range 4 {
		want := fmt.Sprintf(`batch {"batchId":"c1","of":4,"result":{"at":%d,`, i)
		for event := next(t, events); !strings.HasPrefix(event, want); event = next(t, events) {
			if event == "the end" {
				t.Fatalf("no event says %s", want)
			}
		}
	}

	undo := func(historyID int64) answer {
		return h.call(1, fmt.Sprintf("POST /explorer/history/%d/undo?portal=%s", historyID, id), "{}")
	}
	if a := undo(made.Results[1].HistoryID); !strings.Contains(a.body, "Deleted “in b”") {
		t.Errorf("the undo returned %d %s", a.status, a.body)
	}
	same(t, there.writes(), []string{`DELETE /things/104`})

	h.call(1, "PATCH /explorer/portals/"+id, `{"readOnly":true}`)
	a = h.call(1, "POST /explorer/lists/create?portal="+id, create)
	if a.status != 403 || !strings.HasPrefix(h.said(a), "Far is read-only") || there.writes() != nil {
		t.Errorf("a read-only portal returned %d %s", a.status, a.body)
	}
	for _, tt := range []struct{ body, want string }{
		{`{"path":"/raw/groups","objects":[{"key":"a","body":"{}","needs":[]}]}`,
			"Far has no POST /raw/groups to create objects"},
		{`{"path":"/raw/things","objects":[]}`, "select 1 to 500 objects, not 0"},
	} {
		if a := h.call(1, "POST /explorer/lists/create?portal="+id, tt.body); a.status != 400 || h.said(a) != tt.want {
			t.Errorf("%s returned %d %s", tt.body, a.status, a.body)
		}
	}
}
