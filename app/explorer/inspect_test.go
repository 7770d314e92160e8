package explorer_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// serves responds to every request below /raw/ with body.
func (h *fixture) serves(kind, body string) {
	h.answerRaw(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", kind)
		fmt.Fprint(w, body)
	})
}

func TestFilterReturnsMatchesAsADocument(t *testing.T) {
	h := build(t)
	h.serves("application/json", `{"items":[{"id":12345678901234567890,"name":"a"},{"id":2,"name":"b"}]}`)
	at := "POST /explorer/documents/" + h.send(1, draft("GET", "/raw/x")).Document + "/filter"
	var first string
	for _, tt := range []struct{ query, want string }{
		{`$.items[*].id`, `[12345678901234567890,2]`},
		{`.items[] | {name}`, `[{"name":"a"},{"name":"b"}]`},
		{`$.nothing`, `[]`},
	} {
		var got struct {
			Matches  int
			Document string
			Rows     []any
			RowCount int
		}
		a := h.call(1, at, `{"query":`+quoted(tt.query)+`}`)
		if err := json.Unmarshal([]byte(a.body), &got); a.status != 200 || err != nil {
			t.Fatalf("%s returned %d %s", tt.query, a.status, a.body)
		}
		body := strings.Join(strings.Fields(h.body(1, got.Document)), "")
		var values []any
		if err := json.Unmarshal([]byte(body), &values); err != nil || body != tt.want || len(values) != got.Matches ||
			len(got.Rows) != got.RowCount {
			t.Errorf("%s: got %s, %d matches, %d of %d rows; want %s", tt.query, body, got.Matches, len(got.Rows),
				got.RowCount, tt.want)
		}
		if first == "" {
			first = got.Document
		}
	}
	if a := h.call(1, "GET /explorer/documents/"+first+"/raw", ""); a.status != 404 {
		t.Errorf("the matches of an earlier filter are still kept: %d", a.status)
	}
	if a := h.call(2, at, `{"query":"$"}`); a.status != 404 {
		t.Errorf("another user got %d %s", a.status, a.body)
	}
}

func quoted(s string) string {
	b, _ := json.Marshal(s)
	return string(b)
}

func TestFilterErrorHasItsPosition(t *testing.T) {
	h := build(t)
	at := "POST /explorer/documents/" + h.send(1, draft("GET", "/alert/alerts")).Document + "/filter"
	for _, query := range []string{`.items[] | select(.id == `, `$.items[`, `.items | nosuchfunction`} {
		a := h.call(1, at, `{"query":`+quoted(query)+`}`)
		var f struct {
			ErrorMessage string
			ErrorDetail  struct {
				Field string
				At    *int
			}
		}
		if err := json.Unmarshal([]byte(a.body), &f); a.status != 400 || err != nil || f.ErrorDetail.Field != "query" ||
			f.ErrorDetail.At == nil || *f.ErrorDetail.At > len(query) {
			t.Errorf("%s returned %d %s", query, a.status, a.body)
		}
	}
}

func TestValuesOfAListResponseComeFromOneItem(t *testing.T) {
	get := table(t, `{"total":2,"items":[{"id":1,"name":"a"},{"id":2,"displayName":"B",`+
		`"tags":["<script>alert(1)</script>"]}]}`)
	for _, tt := range []struct {
		what string
		code int
		want string
	}{
		{"scalars?item=1", 200, `{"list":{"path":"$.items","count":2,"item":1,"first":0,"names":[{"name":"a",` +
			`"id":"1"},{"name":"B","id":"2"}]},"scalars":[` +
			`{"node":9,"path":"$.total","key":"total","text":"2","kind":"number","cut":false},` +
			`{"node":46,"path":"$.items[1].id","key":"id","text":"2","kind":"number","cut":false},` +
			`{"node":62,"path":"$.items[1].displayName","key":"displayName","text":"B","kind":"string","cut":false},` +
			`{"node":74,"path":"$.items[1].tags[0]","key":"","text":"<script>alert(1)</script>","kind":"string",` +
			`"cut":false}],"more":false}`},
		{"keys", 200, `{"keys":["total","items","id","name","displayName","tags"]}`},
	} {
		if a := get(tt.what); a.status != tt.code || a.body != tt.want {
			t.Errorf("%s\n got %d %s\nwant %s", tt.what, a.status, a.body, tt.want)
		}
	}
	if a := get("scalars?item=99"); a.status != 200 || !strings.Contains(a.body, `"item":1,`) {
		t.Errorf("behind the last item: %d %s", a.status, a.body)
	}
}

func TestResponsesOfTabsAndHistoryAreCompared(t *testing.T) {
	h := build(t)
	h.serves("application/json", `{"items":[{"id":1,"name":"a"},{"id":2,"name":"b"}],"at":1}`)
	before := h.send(1, draft("GET", "/raw/x"))
	h.serves("application/json", `{"at":2,"items":[{"id":2,"name":"c"},{"id":3,"name":"d"}]}`)
	after := h.send(1, draft("GET", "/raw/x"))
	want := `{"changes":[{"kind":"removed","path":"$.items[?@.id == 1]","before":"{\"id\":1,\"name\":\"a\"}"},` +
		`{"kind":"changed","path":"$.items[?@.id == 2].name","before":"\"b\"","after":"\"c\""},` +
		`{"kind":"added","path":"$.items[?@.id == 3]","after":"{\"id\":3,\"name\":\"d\"}"}],"added":1,"removed":1,` +
		`"changed":1,"by":["$.items by id"]}`
	h.call(1, "POST /explorer/collections", `{"name":"Things"}`)
	h.saved(1, "One", draft("GET", "/raw/x"))
	if a := h.call(1, "POST /explorer/requests/1/examples", fmt.Sprintf(`{"historyId":%d,"name":"Before"}`,
		before.HistoryID)); a.status != 200 {
		t.Fatalf("the example: %d %s", a.status, a.body)
	}
	for name, sides := range map[string]string{
		"example":   fmt.Sprintf(`"leftExample":1,"right":%q`, after.Document),
		"documents": fmt.Sprintf(`"left":%q,"right":%q`, before.Document, after.Document),
		"history":   fmt.Sprintf(`"leftHistory":%d,"rightHistory":%d`, before.HistoryID, after.HistoryID),
		"both":      fmt.Sprintf(`"left":%q,"rightHistory":%d`, before.Document, after.HistoryID),
	} {
		if a := h.call(1, "POST /explorer/compare", `{`+sides+`,"ignore":["at"]}`); a.status != 200 || a.body != want {
			t.Errorf("%s\n got %d %s\nwant %s", name, a.status, a.body, want)
		}
	}
	for _, tt := range []struct {
		user   int
		body   string
		status int
	}{
		{2, fmt.Sprintf(`{"left":%q,"right":%q}`, before.Document, after.Document), 404},
		{2, fmt.Sprintf(`{"leftHistory":%d,"rightHistory":%d}`, before.HistoryID, after.HistoryID), 404},
		{2, `{"leftExample":1,"rightExample":1}`, 404},
		{1, fmt.Sprintf(`{"left":%q}`, before.Document), 400},
	} {
		if a := h.call(tt.user, "POST /explorer/compare", tt.body); a.status != tt.status {
			t.Errorf("user %d, %s: got %d %s, want %d", tt.user, tt.body, a.status, a.body, tt.status)
		}
	}
}

func TestBinaryBodyIsShownByItsFirstBytes(t *testing.T) {
	h := build(t)
	h.serves("image/png", "\x89PNG\r\n\x1a\n\x00\x00"+strings.Repeat("x", 5000))
	r := h.send(1, draft("GET", "/raw/x"))
	a := h.call(1, "GET /explorer/documents/"+r.Document+"/hex", "")
	first, _, _ := strings.Cut(a.body, "\n")
	if !r.Binary || first != "00000000  89 50 4e 47 0d 0a 1a 0a  00 00 78 78 78 78 78 78  |.PNG......xxxxxx|" ||
		strings.Count(a.body, "\n") != 256 {
		t.Errorf("got binary %v, %s", r.Binary, a.body)
	}
	if h.body(1, r.Document) != "\x89PNG\r\n\x1a\n\x00\x00"+strings.Repeat("x", 5000) {
		t.Error("the body is not saved as it came")
	}
	h.serves("application/json", `{"a":[1,2}`)
	if r := h.send(1, draft("GET", "/raw/x")); r.Binary || r.JSON ||
		r.Problem != "the body is not JSON: expected a comma or a closing bracket at byte 9, found }" ||
		r.LineCount != 1 {
		t.Errorf("broken JSON is %+v", r)
	}
}
