package workspace_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"spyglass/app/workspace"
	"spyglass/backend/resource"
)

// past is the response to a search.
type past struct {
	Total int64
	More  bool
	Items []struct {
		ID    int64
		Found *struct{ In, Before, Text, After string }
	}
}

func (d *desk) search(user int64, query string) past {
	d.t.Helper()
	var p past
	text := d.send(user, "GET /history/search?"+query, "")
	if err := json.Unmarshal([]byte(text), &p); err != nil {
		d.t.Fatalf("%s: %s", query, text)
	}
	return p
}

func (d *desk) ids(user int64, query string) string {
	d.t.Helper()
	p := d.search(user, query)
	ids := make([]int64, len(p.Items))
	for i, item := range p.Items {
		ids[i] = item.ID
	}
	if int64(len(ids)) != p.Total && !p.More {
		d.t.Errorf("%s: total is %d, %d items", query, p.Total, len(ids))
	}
	return fmt.Sprint(ids)
}

func zipped(t testing.TB, text string) []byte {
	z := workspace.NewZipper()
	if _, err := io.WriteString(z, text); err != nil {
		t.Fatal(err)
	}
	return z.Zipped()
}

// sent fills the history with five requests of user 1 and one of user 2.
func (d *desk) sent() {
	d.t.Helper()
	for i, s := range []struct {
		user     int64
		h        workspace.History
		response string
	}{
		{1, workspace.History{Method: "GET", Path: "/device/devices/7", Status: 200, StatusText: "OK",
			Draft: workspace.Draft{Method: "GET", Template: "/device/devices/{id}"}},
			`{"displayName":"core-sw-01.fra","location":"Größe"}`},
		{1, workspace.History{Method: "POST", Path: "/device/devices", Status: 201, StatusText: "Created",
			Draft: workspace.Draft{Method: "POST", Template: "/device/devices", Body: `{"name":"10.20.0.11"}`}},
			`{"id":8}`},
		{1, workspace.History{Method: "GET", Path: "/device/devices/9", Status: 404, StatusText: "Not Found",
			Draft: workspace.Draft{Method: "GET", Template: "/device/devices/{id}"}}, ``},
		{1, workspace.History{Method: "GET", Path: "/alert/alerts", Error: "127.0.0.1:9 refused the connection",
			Draft: workspace.Draft{
				Method: "GET", Query: workspace.Rows{{On: true, Key: "filter", Value: `severity:"critical"`}}}}, ``},
		{2, workspace.History{Method: "GET", Path: "/device/devices/7", Status: 200,
			Draft: workspace.Draft{Method: "GET"}}, `{"displayName":"core-sw-01.fra"}`},
		{1, workspace.History{Method: "DELETE", Path: "/device/devices/8", Status: 204,
			Draft: workspace.Draft{Method: "DELETE", Template: "/device/devices/{id}"}}, ``},
	} {
		s.h.UserID, s.h.At = s.user, resource.Millis(1000*(i+1))
		var r *workspace.Reply
		if s.response != "" {
			r = &workspace.Reply{Zipped: zipped(d.t, s.response)}
		}
		if err := d.AddToHistory(context.Background(), &s.h, r, 0); err != nil {
			d.t.Fatal(err)
		}
	}
}

func TestHistoryIsSearched(t *testing.T) {
	d := open(t)
	d.sent()
	for _, tt := range []struct{ query, want string }{
		{"", "[6 4 3 2 1]"},
		{"words=core-sw", "[1]"},
		{"words=grosse", "[]"}, {"words=GRÖSS", "[]"}, {"words=gro", "[1]"}, {"words=GRÖ", "[1]"},
		{"words=10.20.0", "[2]"},
		{"words=critical", "[4]"},
		{"words=refused+connection", "[4]"},
		{"words=404", "[3]"},
		{"words=created", "[2]"},
		{"words=devices+not", "[3]"},
		{"words=%22+OR+x*+NEAR(", "[]"},
		{"words=-+%22", "[6 4 3 2 1]"},
		{"method=GET", "[4 3 1]"},
		{"status=2", "[6 2 1]"}, {"status=0", "[4]"},
		{"endpoint=/device/devices/{id}&method=GET", "[3 1]"},
		{"from=2000&to=4000", "[3 2]"}, {"from=9000", "[]"}, {"to=9000", "[6 4 3 2 1]"},
		{"words=dev&status=2&method=DELETE", "[6]"},
	} {
		if got := d.ids(1, tt.query); got != tt.want {
			t.Errorf("%s finds %s, want %s", tt.query, got, tt.want)
		}
	}
	d.expect(1, "GET /history/search?status=x", "", "invalid status: status must be a whole number from 0 to 5")
	d.expect(1, "GET /history/search?method=get", "",
		"invalid method: the method must be one of GET, POST, PUT, PATCH, "+
			"DELETE")
	if p := d.search(1, "words=core"); *p.Items[0].Found != (struct{ In, Before, Text, After string }{
		"response", `{"displayName":"`, "core", `-sw-01.fra","location":"Größe"}`}) {
		t.Errorf("found %+v", *p.Items[0].Found)
	}
	if p := d.search(1, "words=alerts"); p.Items[0].Found != nil {
		t.Errorf("the path says so already: %+v", *p.Items[0].Found)
	}
	if p := d.search(1, "size=2"); p.Total != 5 || !p.More || len(p.Items) != 2 {
		t.Errorf("a page of two is %+v", p)
	}
	if p := d.search(1, "size=2&before=3"); p.More || len(p.Items) != 2 || p.Items[0].ID != 2 {
		t.Errorf("the last page is %+v", p)
	}
}

func TestSearchIndexFollowsTheHistory(t *testing.T) {
	d := open(t)
	d.sent()
	d.send(1, "PATCH /history/3", `{"pinned":true}`)
	if got := d.ids(1, "pinned=true"); got != "[3]" {
		t.Errorf("pinned are %s", got)
	}
	d.send(1, "PATCH /history/3", `{"pinned":false}`)
	if got := d.ids(1, "pinned=true"); got != "[]" {
		t.Errorf("pinned are %s", got)
	}
	d.expect(1, "DELETE /history/1", "", "{}")
	if got := d.ids(1, "words=core"); got != "[]" {
		t.Errorf("a deleted request is found: %s", got)
	}
	d.expect(2, "POST /history/1/restore", "", "unknown : request 1 can no longer be restored")
	d.expect(1, "POST /history/1/restore", "", "{}")
	d.expect(1, "POST /history/1/restore", "", "unknown : request 1 can no longer be restored")
	if got := d.ids(1, "words=core"); got != "[1]" {
		t.Errorf("a restored request is not found: %s", got)
	}
	if _, r, err := d.Recall(t.Context(), 1, 1); err != nil || r == nil {
		t.Errorf("its response did not come back: %v", err)
	}
	_ = d.Close()
	d.open(0)
	if got := d.ids(1, "words=core"); got != "[1]" {
		t.Errorf("after a restart %s", got)
	}
	d.expect(1, "DELETE /history", "", "{}")
	if got := d.ids(1, "") + d.ids(2, "words=core"); got != "[][5]" {
		t.Errorf("after all are deleted: %s", got)
	}
}

func TestSettingLimitsTheNumberOfRequests(t *testing.T) {
	d := open(t)
	d.send(1, "PATCH /settings", `{"historyKept":100}`)
	for i := range 103 {
		if err := d.AddToHistory(t.Context(), &workspace.History{UserID: 1, Method: "GET",
			Path: fmt.Sprintf("/n%d", i)}, nil, 0); err != nil {
			t.Fatal(err)
		}
	}
	if p := d.search(1, ""); p.Total != 100 || p.Items[0].ID != 103 {
		t.Errorf("%d stay", p.Total)
	}
	d.send(1, "PATCH /settings", `{"historyKept":null}`) // back to the default
	if err := d.AddToHistory(t.Context(), &workspace.History{UserID: 1, Method: "GET"}, nil, 0); err != nil {
		t.Fatal(err)
	}
	if p := d.search(1, ""); p.Total != 101 {
		t.Errorf("%d stay", p.Total)
	}
}

// BenchmarkSearch searches 100,000 requests.
func BenchmarkSearch(b *testing.B) {
	dir := b.TempDir()
	w, err := workspace.Open(b.Context(), workspace.Options{Path: filepath.Join(dir, "workspace.db"), Kept: 200_000})
	if err != nil {
		b.Fatal(err)
	}
	defer w.Close()
	d := &desk{Workspace: w, t: nil, dir: dir}
	names := []string{"core", "edge", "web", "db", "esx", "mail", "proxy", "cache"}
	numbers := make(chan int)
	var filling sync.WaitGroup
	for range 64 { // concurrent writes share a commit
		filling.Go(func() {
			for i := range numbers {
				path := fmt.Sprintf("/device/devices/%d", i%5000)
				body := fmt.Sprintf(`{"id":%d,"displayName":"%s-%05d.fra","hostStatus":"normal","serial":"sn%07d",`+
					`"customProperties":[{"name":"location","value":"Frankfurt, rack %d"}]}`, i, names[i%len(names)],
					i, i, i%97)
				h := &workspace.History{UserID: 1, At: resource.Millis(i * 1000), Method: workspace.Methods[i%5],
					Path: path, URL: "http://127.0.0.1:8443/api" + path, Status: int64(200 + 204*(i%10/9)),
					StatusText: "OK",
					Draft: workspace.Draft{Method: "GET", Path: path, Template: "/device/devices/{id}",
						Mode: "form"}}
				if err := w.AddToHistory(b.Context(), h, &workspace.Reply{Zipped: zipped(b, body)}, 0); err != nil {
					b.Error(err)
				}
			}
		})
	}
	for i := range 100_000 {
		numbers <- i
	}
	close(numbers)
	filling.Wait()
	d.send(1, "GET /history/search", "")
	for _, query := range []string{
		"", "words=sn0077777", "words=frankfurt", "words=c", "words=core+frankfurt+rack", "words=edge+normal&status=4",
		"words=web&method=GET&from=50000000&to=60000000", "words=nowhere", "endpoint=/device/devices/{id}&words=rack+5",
	} {
		b.Run(query, func(b *testing.B) {
			for b.Loop() {
				if text := d.send(1, "GET /history/search?"+query, ""); !strings.HasPrefix(text, "{") {
					b.Fatal(text)
				}
			}
		})
	}
}
