package explorer_test

import (
	"encoding/json"
	"strings"
	"testing"

	"spyglass/backend/testkit"
)

func TestSmallDraftCannotExpandToAHugeRequest(t *testing.T) {
	h := build(t)
	long := strings.Repeat("x", 65_536)
	for name, value := range map[string]string{"long": long, "open": `"` + long[1:]} {
		body, err := json.Marshal(map[string]string{"name": name, "value": value})
		if err != nil {
			t.Fatal(err)
		}
		if a := h.call(1, "POST /explorer/variables", string(body)); a.status != 201 {
			t.Fatalf("the variable returned %d %.200s", a.status, a.body)
		}
	}
	const most = 64 << 20
	for _, tt := range []struct {
		name  string
		draft map[string]any
		field string
	}{
		{"in the path", map[string]any{"path": "/x/" + strings.Repeat("{{long}}", 4000)}, "path"},
		{"in the query", map[string]any{"path": "/x", "query": rowsOf("q", strings.Repeat("{{long}}", 4000))},
			"query.q"},
		{"in a header", map[string]any{"path": "/x", "headers": rowsOf("X-A", strings.Repeat("{{long}}", 4000))},
			"headers.X-A"},
		{"in quotes of the body", map[string]any{"method": "POST", "path": "/x", "body": `"` +
			strings.Repeat("{{long}}", 4000) + `"`}, "body"},
		{"in the body, outside of quotes",
			map[string]any{"method": "POST", "path": "/x", "body": strings.Repeat("[{{open}}],", 8000)}, "body"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, way := range []string{"preview", "send"} {
				in := map[string]any{"draft": tt.draft}
				if way == "send" {
					in["sendId"], in["anyway"] = "s", true
				}
				body, err := json.Marshal(in)
				if err != nil {
					t.Fatal(err)
				}
				before := testkit.Allocated()
				a := h.call(1, "POST /explorer/"+way, string(body))
				if used := testkit.Allocated() - before; used > most {
					t.Errorf("%s of %d bytes took %d MB", way, len(body), used>>20)
				}
				outside := way == "send" && strings.Contains(tt.name, "outside") // refused for that
				if a.status != 400 || !outside &&
					(!strings.Contains(a.body, "With its variables filled in, the request is larger than") ||
						!strings.Contains(a.body, `"`+tt.field+`"`)) {
					t.Errorf("%s returned %d %.300s", way, a.status, a.body)
				}
			}
		})
	}
	if a := h.call(1, "POST /explorer/preview", `{"draft":{"path":"/x","query":[{"on":true,"key":"q","value":"`+
		strings.Repeat("{{long}}", 20)+`"}]}}`); a.status != 200 || strings.Count(a.body, long) < 20 {
		t.Errorf("a value that is used twenty times returned %d", a.status)
	}
}

func TestOnlyTheFirstUnknownVariablesAreNamed(t *testing.T) {
	h := build(t)
	var body strings.Builder
	for i := range 20_000 {
		body.WriteString("{{v" + strings.Repeat("a", i%5) + string(rune('a'+i%26)) + string(rune('a'+i/26%26)) +
			string(rune('a'+i/676)) + "}}")
	}
	text, err := json.Marshal(
		map[string]any{"sendId": "s", "draft": map[string]any{"method": "POST", "path": "/x", "body": `"` +
			body.String() + `"`}})
	if err != nil {
		t.Fatal(err)
	}
	if a := h.call(1, "POST /explorer/send", string(text)); a.status != 400 || len(a.body) > 10_000 {
		t.Errorf("returned %d with %d bytes", a.status, len(a.body))
	}
}

func rowsOf(key, value string) []map[string]any {
	return []map[string]any{{"on": true, "key": key, "value": value}}
}
