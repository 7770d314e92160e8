package explorer_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
)

func TestLookupsReturnTheResponsesInOrder(t *testing.T) {
	h := build(t)
	h.answerRaw(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/api/raw/text" {
			fmt.Fprint(w, "no JSON")
			return
		}
		fmt.Fprintf(w, `{"path":%q}`, r.URL.Path)
	})
	do := func(drafts string) answer { return h.call(1, "POST /explorer/lookup", `{"drafts":[`+drafts+`]}`) }
	get := func(path string) string { return `{"method":"GET","path":"` + path + `"}` }
	for _, tt := range []struct {
		drafts string
		status int
		want   string // part of the body, or all of a success
	}{
		{get("/raw/a"), 200, `{"found":[{"body":{"path":"/api/raw/a"},"status":200}]}`},
		{get("/raw/a") + "," + get("/raw/text") + "," + get("/{{unknown}}"), 200,
			`{"found":[{"body":{"path":"/api/raw/a"},"status":200},{"body":null,"status":200},` +
				`{"body":{"errorMessage":"{{unknown}} has no value; set one under Variables, ` +
				`or send anyway"},"status":400}]}`},
		{get("/{{unknown}}") + "," + get("/{{other}}"), 400, `"unknown":["unknown"]`},
		{`{"method":"DELETE","path":"/raw/a"}`, 400, "only GET requests can be looked up"},
		{"", 400, "there must be 1 to 8 drafts"},
		{strings.Repeat(get("/raw/a")+",", 8) + get("/raw/a"), 400, "there must be 1 to 8 drafts"},
	} {
		a := do(tt.drafts)
		if a.status != tt.status || !strings.Contains(a.body, tt.want) ||
			a.status == 200 && strings.TrimSpace(a.body) != tt.want {
			t.Errorf("%s returned %d %s, want %d %s", tt.drafts, a.status, a.body, tt.status, tt.want)
		}
	}
	var kept struct{ Total int }
	if a := h.call(1, "GET /explorer/history", ""); json.Unmarshal([]byte(a.body), &kept) != nil || kept.Total != 0 {
		t.Errorf("lookups are in the history: %s", a.body)
	}
}
