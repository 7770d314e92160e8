package explorer_test

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestFilesArePreviewedImportedAndExported(t *testing.T) {
	h := build(t)
	file := func(more string) string {
		text, err := json.Marshal(`{"info":{"name":"Mine"},"variable":[{"key":"site","value":"7"},{"key":"apiToken",` +
			`"value":"pLaNtEd"}],"item":[{"name":"Folder","item":[{"name":"One","request":{"method":"POST","url":"` +
			h.base + `/api/device/devices?a=1","body":{"mode":"raw",` +
			`"raw":"{\"name\":\"web\",\"password\":\"pLaNtEd\"}"},"header":[{"key":"X-Api-Key",` +
			`"value":"pLaNtEd"}]}}]}]}`)
		if err != nil {
			t.Fatal(err)
		}
		return `{"name":"mine.json","text":` + string(text) + more + `}`
	}
	for _, tt := range []struct {
		do, body string
		status   int
		want     string
	}{
		{"POST /explorer/exchange/look", file(""), 200, `{"folders":2,"format":"postman",` +
			`"label":"Postman collection v2.1","lines":[{"level":0,"name":"Mine"},{"level":1,"name":"Folder"},` +
			`{"level":2,"method":"POST","name":"One","path":"/device/devices"}],"notes":[],"requests":1,` +
			`"secrets":["apiToken"],"variables":["site","apiToken"],"environments":[]}`},
		{"GET /explorer/collections/tree", "", 200, `{"folders":[],"requests":[]}`},
		{"POST /explorer/exchange/import", file(`,"variables":true`), 200, `{"collections":[1],"variables":[1,2],` +
			`"requests":1,"environments":[]}`},
		{"GET /explorer/collections/tree", "", 200, `{"folders":[{"doc":"","id":1,"name":"Mine","parentId":0},` +
			`{"doc":"","id":2,"name":"Folder","parentId":1}],"requests":[{"collectionId":2,"id":1,"method":"POST",` +
			`"name":"One","path":"/device/devices"}]}`},
		{"POST /explorer/exchange/import", `{"text":"{\"info\":{},\"item\":["}`, 400,
			`{"errorMessage":"the text is not valid JSON: line 1: unexpected end of JSON input"`},
		{"GET /explorer/exchange/export?format=har", "", 400,
			`{"errorMessage":"only requests of the history can be exported as HAR 1.2"`},
		{"GET /explorer/exchange/export?format=spyglass&collections=9", "", 404,
			`{"errorMessage":"there is no collection 9"`},
		{"GET /explorer/exchange/export?format=spyglass&collections=x", "", 400,
			`{"errorMessage":"collections must be a list of ids, such as 3,5"`},
	} {
		a := h.call(1, tt.do, tt.body)
		if a.status != tt.status || !strings.HasPrefix(strings.TrimSpace(a.body), tt.want) {
			t.Errorf("%s returned %d\n got %s\nwant %s", tt.do, a.status, a.body, tt.want)
		}
	}
	if secret, err := h.secrets.Get("variable-1-2"); secret != "pLaNtEd" || err != nil {
		t.Errorf("the keyring has %q, %v", secret, err)
	}
	if a := h.call(1, "GET /explorer/variables?fields=name,value,secret", ""); !strings.Contains(a.body,
		`{"name":"apiToken","value":"********","secret":true}`) {
		t.Errorf("the variables are %s", a.body)
	}
	a := h.call(1, "GET /explorer/exchange/export?format=postman&collections=1", "")
	if got := a.header.Get("Content-Disposition"); !strings.Contains(got, "Mine.postman_collection.json") {
		t.Errorf("the file is called %q", got)
	}
	if !json.Valid([]byte(a.body)) || strings.Contains(a.body, "pLaNtEd") ||
		!strings.Contains(a.body, `"key": "site"`) {
		t.Errorf("the file is\n%s", a.body)
	}
	if other := h.call(2, "GET /explorer/exchange/export?format=spyglass&collections=1", ""); other.status != 404 {
		t.Errorf("another user's collection was written: %d", other.status)
	}
}

func TestHistoryIsImportedWithTemplatesAndVariables(t *testing.T) {
	h := build(t)
	h.call(1, "POST /explorer/variables", `{"name":"which","value":"7"}`)
	draft := `{"method":"GET","path":"/device/devices/{id}","template":"/device/devices/{id}",` +
		`"pathParams":[{"on":true,"key":"id","value":"{{which}}"}],"query":[{"on":false,"key":"fields",` +
		`"value":"id"}],"headers":[{"on":true,"key":"X-Api-Key","value":"********"}],"body":"","mode":"form"}`
	h.send(1, strings.Replace(draft, "********", "pLaNtEd", 1))
	a := h.call(1, "GET /explorer/exchange/export?format=har&history=all", "")
	if !strings.Contains(a.body, `/device/devices/7"`) || !strings.Contains(a.body, `"_spyglass":`+draft) ||
		strings.Contains(a.body, "pLaNtEd") {
		t.Fatalf("the file is\n%s", a.body)
	}
	file, err := json.Marshal(map[string]string{"name": "History.har", "text": a.body})
	if err != nil {
		t.Fatal(err)
	}
	h.call(1, "POST /explorer/exchange/import", string(file))
	if a := h.call(1, "GET /explorer/requests/1", ""); !strings.Contains(a.body, `"draft":`+draft) {
		t.Errorf("it came back as %s", a.body)
	}
	broken := strings.Replace(a.body, `"_spyglass":{"method":"GET"`, `"_spyglass":{"method":"FETCH"`, 1)
	if file, err = json.Marshal(map[string]string{"text": broken}); err != nil {
		t.Fatal(err)
	}
	if a := h.call(1, "POST /explorer/exchange/look", string(file)); a.status != 200 ||
		!strings.Contains(a.body, `"path":"/device/devices/7"`) {
		t.Errorf("of a wrong one the address is not taken: %d %s", a.status, a.body)
	}
}

func TestHistoryIsExportedWithItsResponses(t *testing.T) {
	h := build(t)
	h.send(1, `{"method":"GET","path":"/device/devices/7","headers":[{"on":true,"key":"X-Api-Key","value":"pLaNtEd"}]}`)
	h.send(1, `{"method":"GET","path":"/alert/alerts"}`)
	a := h.call(1, "GET /explorer/exchange/export?format=har&history=2", "")
	if a.status != 200 || !json.Valid([]byte(a.body)) || strings.Contains(a.body, "/device/devices/7") ||
		!strings.Contains(a.body, `"text":"{\"total\":1204`) {
		t.Errorf("one of them: %d\n%s", a.status, a.body)
	}
	a = h.call(1, "GET /explorer/exchange/export?format=har&history=all", "")
	for _, no := range []string{"pLaNtEd", cookieSecret, csrfSecret, "Set-Cookie"} {
		if strings.Contains(a.body, no) {
			t.Errorf("the file holds %q", no)
		}
	}
	if strings.Count(a.body, `"startedDateTime"`) != 2 {
		t.Errorf("all of them:\n%s", a.body)
	}
}
