package explorer_test

import (
	"encoding/json"
	"strings"
	"testing"
)

// environments creates the environments Staging and Live with variables, one of them secret.
func (h *fixture) environments() {
	h.t.Helper()
	for _, one := range [][2]string{
		{"POST /explorer/environments", `{"name":"Staging"}`},
		{"POST /explorer/environments", `{"name":"Live"}`},
		{"POST /explorer/variables", `{"name":"id","value":"1"}`},
		{"POST /explorer/variables", `{"name":"id","value":"0","scope":"global"}`},
		{"POST /explorer/variables", `{"name":"id","value":"2","scope":"environment","environmentId":1}`},
		{"POST /explorer/variables", `{"name":"id","value":"3","scope":"environment","environmentId":2}`},
		{"POST /explorer/variables", `{"name":"key","value":"pLaNtEd-53cr3t","secret":true,"scope":"environment",` +
			`"environmentId":1}`},
	} {
		if a := h.call(1, one[0], one[1]); a.status/100 != 2 {
			h.t.Fatalf("%s %s: %s", one[0], one[1], a.body)
		}
	}
}

func TestActiveEnvironmentOverridesPortalVariables(t *testing.T) {
	h := build(t)
	h.environments()
	const draft = `{"draft":{"method":"GET","path":"/device/devices/{{id}}","headers":[{"on":true,"key":"X-Key",` +
		`"value":"{{key}}"}]},"anyway":true}`
	preview := func(want ...string) {
		t.Helper()
		a := h.call(1, "POST /explorer/preview", strings.Replace(draft, `,"anyway":true`, "", 1))
		for _, text := range append(want, `"url":"`+h.base) {
			if !strings.Contains(a.body, text) || strings.Contains(a.body, "pLaNtEd") {
				t.Errorf("the preview is %s; want %s", a.body, text)
			}
		}
	}
	preview(`/devices/1"`, `"name":"id","value":"1","scope":"portal","known":true,"secret":false,"environment":""`,
		`"name":"key","value":"","scope":"","known":false`)
	h.call(1, "PATCH /explorer/environments/1", `{"active":true}`)
	preview(`/devices/2"`, `"name":"id","value":"2","scope":"environment","known":true,"secret":false,`+
		`"environment":"Staging"`, `"value":"********","scope":"environment","known":true,"secret":true`)
	r := h.send(1, `{"method":"GET","path":"/device/devices/{{id}}?k={{key}}"}`)
	if body := h.body(1, r.Document); !strings.Contains(body, `"query":{"k":["pLaNtEd-53cr3t"]}`) ||
		!strings.Contains(body, `"vars":{"id":"2"}`) {
		t.Errorf("the request had %s", body)
	}
	h.call(1, "PATCH /explorer/environments/2", `{"active":true}`)
	preview(`/devices/3"`, `"environment":"Live"`)
	h.call(1, "DELETE /explorer/environments/2", "")
	preview(`/devices/1"`)
	if a := h.call(1, "GET /explorer/start", ""); !strings.Contains(a.body,
		`"environments":[{"id":1,"name":"Staging","active":false}]`) {
		t.Errorf("the start has %s", a.body)
	}
}

func TestEnvironmentsAreExportedWithoutSecretsAndImportedAgain(t *testing.T) {
	h := build(t)
	h.environments()
	h.call(1, "POST /explorer/variables", `{"name":"apiKey","value":"pLaNtEd","scope":"environment","environmentId":2}`)
	a := h.call(1, "GET /explorer/exchange/export?format=spyglass", "")
	if strings.Contains(a.body, "pLaNtEd") || !strings.Contains(a.body, `"name": "Staging"`) {
		t.Fatalf("the file is %s", a.body)
	}
	text, err := json.Marshal(a.body)
	if err != nil {
		t.Fatal(err)
	}
	file := `{"name":"all.spyglass.json","variables":true,"text":` + string(text) + `}`
	if a := h.call(2, "POST /explorer/exchange/look", file); !strings.Contains(a.body,
		`"environments":["Staging","Live"]`) {
		t.Errorf("before the import: %s", a.body)
	}
	if a := h.call(2, "POST /explorer/exchange/import", file); !strings.Contains(a.body, `"environments":[3,4]`) {
		t.Errorf("the import returned %s", a.body)
	}
	if a := h.call(2, "GET /explorer/variables?fields=name,value,environmentId", ""); !strings.Contains(a.body,
		`{"name":"id","value":"2","environmentId":3},{"name":"id","value":"3","environmentId":4}]`) {
		t.Errorf("the variables are %s", a.body)
	}
}
