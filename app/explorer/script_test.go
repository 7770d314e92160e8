package explorer_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"spyglass/backend/resource"
)

func (h *fixture) saved(collection int, name, draft string) {
	h.t.Helper()
	body := fmt.Sprintf(`{"collectionId":%d,"name":%q,"draft":%s}`, collection, name, draft)
	if a := h.call(1, "POST /explorer/requests", body); a.status != 201 && a.status != 200 {
		h.t.Fatalf("%s returned %d %s", body, a.status, a.body)
	}
}

func (h *fixture) script(body string) string {
	h.t.Helper()
	a := h.call(1, "POST /explorer/script", body)
	var script struct{ Text string }
	if err := json.Unmarshal([]byte(a.body), &script); err != nil || a.status != 200 {
		h.t.Fatalf("%s returned %d %s", body, a.status, a.body)
	}
	return script.Text
}

func TestSavedCollectionBecomesAScript(t *testing.T) {
	list := endpoints()[1]
	list.Path = "/raw/list"
	list.Response = &resource.Schema{Type: "object", Properties: []resource.Key{
		{Name: "total", Schema: resource.Integer("")},
		{Name: "items", Schema: resource.Schema{Type: "array", Items: &resource.Schema{Type: "object",
			Properties: []resource.Key{{Name: "id", Schema: resource.Integer("")}}}}}}}
	h := buildWith(t, []resource.Endpoint{list})
	h.call(1, "POST /explorer/collections", `{"name":"Fleet"}`)
	h.call(1, "POST /explorer/variables", `{"name":"which","value":"seven"}`)
	h.call(1, "POST /explorer/variables", `{"name":"token","value":"pLaNtEd-1"}`)
	h.call(1, "POST /explorer/variables", `{"name":"hush","value":"pLaNtEd-2","secret":true}`)
	h.extractor(1, `{"endpoint":"GET /raw/list","path":"$.items[*].id","variable":"first"}`)
	h.extractor(1, `{"endpoint":"GET /raw/list","path":"$..id","variable":"any"}`)
	h.saved(1, "All of them", `{"method":"GET","path":"/raw/list?size=20&filter={{which}}"}`)
	h.saved(1, "", `{"method":"GET","path":"/device/devices/{{first}}?t={{token}}&h={{hush}}","headers":`+
		`[{"on":true,"key":"X-Api-Key","value":"pLaNtEd-3"}],"checks":[`+
		`{"on":true,"kind":"status","op":"is","value":"404"},`+
		`{"on":true,"kind":"json","target":"$.id","op":"is","value":"7"}]}`)
	got := h.script(`{"requests":[1,2],"title":"Fleet","pages":true,"language":"python"}`)
	head := `# Written by Spyglass.
#
# Fleet: 2 requests to Demo portal
#
#   1. All of them (all pages), $.items[0].id becomes first
#   2. GET /device/devices/{{first}}?t={{token}}&h={{hush}}
#
# Run it: python3 script.py
# It stops with exit code 1 at the first response with another status than expected.
# It does not set any to $..id: only names and indexes are supported.
# It does not check more of a response than its status; spyglass run does.
#
# It needs these environment variables:
#   SPYGLASS_TOKEN: an API token of the portal
#   SPYGLASS_TOKEN_2: the value of token
#   SPYGLASS_HUSH: the value of hush
#   SPYGLASS_SECRET_1: the value of secret 1
# These replace values below:
#   SPYGLASS_WHICH: the value of which
#   SPYGLASS_PORTAL: the address of the API
#   SPYGLASS_FIRST: the value of first

`
	if !strings.HasPrefix(got, head) {
		t.Fatalf("the script is\n%s\nwant\n%s", got, head)
	}
	_, rest, _ := strings.Cut(got, "def field")
	for _, want := range []string{`text = send_pages(`, `"1. All of them", 0, 0, 20,`,
		`"GET", variables["$portal"] + "/raw/list?filter=" + in_url("which") + "&size=20&offset="`,
		`variables["first"] = field("1. All of them", text, "$.items[0].id", "items", 0, "id")`,
		"\nsend(", `, 404,`, `variables["$portal"] + "/device/devices/" + in_url("first")`,
		`"X-Api-Key": variables["secret 1"]`} {
		before, after, ok := strings.Cut(rest, want)
		if !ok {
			t.Fatalf("behind\n%s\nthere is no %s in\n%s", before, want, got)
		}
		rest = after
	}
	if strings.Contains(got, "pLaNtEd") {
		t.Errorf("the script has a secret:\n%s", got)
	}
	once := h.script(`{"requests":[1],"language":"python"}`)
	if strings.Contains(once, "send_pages") || !strings.Contains(once, "# One request to Demo portal\n") {
		t.Errorf("the script requested one page:\n%s", once)
	}
	for body, want := range map[string]int{`{"requests":[7]}`: 404, `{}`: 400, `{"ids":[1],"requests":[1]}`: 400} {
		if got := h.call(1, "POST /explorer/script", body); got.status != want {
			t.Errorf("%s: %d %s, want %d", body, got.status, got.body, want)
		}
	}
	if got := h.call(2, "POST /explorer/script", `{"requests":[1]}`); got.status != 404 {
		t.Errorf("another's request became a script: %d %s", got.status, got.body)
	}
}
