package api

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"

	"spyglass/backend/fault"
	"spyglass/backend/resource"
)

// document reads the portal's OpenAPI document and validates it.
func (p *served) document() *openapi3.T {
	p.t.Helper()
	response, text := p.request("GET /api/openapi.json", "viewer", "")
	if response.StatusCode != 200 || response.Header.Get("Content-Type") != "application/json" {
		p.t.Fatalf("returns %d %v", response.StatusCode, response.Header)
	}
	doc, err := openapi3.NewLoader().LoadFromData([]byte(text))
	must(p.t, err)
	must(p.t, doc.Validate(context.Background()))
	return doc
}

func TestOpenAPIDocumentIsValid(t *testing.T) {
	p := newPortal(t, nil)
	doc := p.document()
	if doc.OpenAPI != "3.1.0" || doc.Servers[0].URL != "/api" {
		t.Errorf("it is OpenAPI %s of %s", doc.OpenAPI, doc.Servers[0].URL)
	}
	var tags []string
	for _, tag := range doc.Tags {
		tags = append(tags, tag.Name)
	}
	if want := []string{"Devices", "Device Groups", "Settings"}; !slices.Equal(tags, want) {
		t.Errorf("the tags are %v, want %v", tags, want)
	}
	if doc.Paths.Value("/test/echo/{name}") != nil {
		t.Error("an endpoint without a category is published")
	}
	for path, item := range doc.Paths.Map() {
		for method, op := range item.Operations() {
			if op.Extensions["x-example"] == nil || op.Summary == "" || op.OperationID == "" {
				t.Errorf("%s %s lacks its example, summary or id", method, path)
			}
			if op.RequestBody != nil && op.RequestBody.Value.Content["application/json"].Example == nil {
				t.Errorf("%s %s has no example body", method, path)
			}
		}
	}
}

func TestOperationIsDescribedCompletely(t *testing.T) {
	level := resource.Schema{Type: "string", Doc: "How bad", Enum: []any{"warn", "error"}, Default: "warn"}
	thing := resource.Schema{Type: "object", Name: "thing", Doc: "One thing", Properties: []resource.Key{
		{Name: "id", ReadOnly: true, Schema: resource.Integer("Set by the portal")},
		{Name: "level", Required: true, Schema: level},
		{Name: "secret", WriteOnly: true, Schema: resource.Schema{Type: "string", MaxLen: 8}},
		{Name: "parent", Schema: resource.Schema{Type: "object", Name: "ref", Nullable: true,
			Properties: []resource.Key{
				{Name: "id", Required: true, Schema: resource.Schema{Type: "integer", Min: new(int64(1))}}}}},
	}}
	endpoint := resource.Endpoint{
		Method: "PATCH", Path: "/a/things/{id}", Category: "Things", Summary: "Change a thing", Doc: "Changes it.",
		Right: resource.Right{Object: resource.Setting, Area: "portal", Op: resource.Modify},
		Params: []resource.Param{{Name: "id", In: "path", Schema: resource.Integer("Which")},
			{Name: "dry", In: "query", Schema: resource.Boolean("Only try"), Example: true}},
		Body: &thing, Response: &thing,
		Errors: []resource.Failure{{Kind: fault.Conflict, When: "it is busy"},
			{Kind: fault.Conflict, When: "it is taken"}},
		Example: resource.Example{Path: "/a/things/7", Query: [][2]string{{"dry", "true"}},
			Body: map[string]string{"level": "error"}},
	}
	text, err := OpenAPI([]resource.Endpoint{endpoint}, "/api", "3.0.0")
	must(t, err)
	var doc struct {
		Paths      json.RawMessage
		Components struct{ Schemas map[string]json.RawMessage }
	}
	must(t, json.Unmarshal(text, &doc))
	const rate = `"headers":{"X-Rate-Limit-Limit":{"$ref":"#/components/headers/X-Rate-Limit-Limit"},` +
		`"X-Rate-Limit-Remaining":{"$ref":"#/components/headers/X-Rate-Limit-Remaining"},` +
		`"X-Rate-Limit-Window":{"$ref":"#/components/headers/X-Rate-Limit-Window"}}`
	const want = `{"/a/things/{id}":{"patch":{"operationId":"patchAThingsById","tags":["Things"],` +
		`"summary":"Change a thing","description":"Changes it.\n\nRequired permission: write on settings: portal.",` +
		`"parameters":[{"name":"id","in":"path","required":true,"description":"Which","schema":{"type":"integer"},` +
		`"example":7},{"name":"dry","in":"query","description":"Only try","schema":{"type":"boolean"},` +
		`"example":true}],` +
		`"requestBody":{"required":true,` +
		`"content":{"application/json":{"schema":{"$ref":"#/components/schemas/ThingChanges",` +
		`"description":"One thing"},"example":{"level":"error"}}}},` +
		`"responses":{"200":{"description":"Done",` + rate +
		`,"content":{"application/json":{"schema":{"$ref":"#/components/schemas/Thing","description":"One thing"}}}},` +
		`"400":{"$ref":"#/components/responses/Invalid"},"401":{"$ref":"#/components/responses/NotSignedIn"},` +
		`"403":{"$ref":"#/components/responses/Denied"},"404":{"$ref":"#/components/responses/NotFound"},` +
		`"409":{"$ref":"#/components/responses/Conflict","description":"it is busy; it is taken"},` +
		`"413":{"$ref":"#/components/responses/TooLarge"},"415":{"$ref":"#/components/responses/NotJSON"},` +
		`"429":{"$ref":"#/components/responses/TooMany"},"500":{"$ref":"#/components/responses/InternalError"},` +
		`"503":{"$ref":"#/components/responses/Busy"}},` +
		`"security":[{"session":[],"csrf":[]},{"bearer":[]},{"lmv1":[]}],"x-right":"write on settings: portal",` +
		`"x-example":"/a/things/7?dry=true"}}}`
	if string(doc.Paths) != want {
		t.Errorf("the paths are\n%s\nwant\n%s", doc.Paths, want)
	}
	for name, want := range map[string]string{
		"Thing": `{"type":"object","properties":{"id":{"type":"integer","description":"Set by the portal",` +
			`"readOnly":true},"level":{"type":"string","description":"How bad","enum":["warn","error"],` +
			`"default":"warn"},` +
			`"parent":{"anyOf":[{"$ref":"#/components/schemas/Ref"},{"type":"null"}]}},"required":["level"]}`,
		"ThingChanges": `{"type":"object","properties":{"id":{"type":"integer","description":"Set by the portal",` +
			`"readOnly":true},"level":{"type":"string","description":"How bad","enum":["warn","error"],` +
			`"default":"warn"},` +
			`"secret":{"type":"string","maxLength":8,"writeOnly":true},` +
			`"parent":{"anyOf":[{"$ref":"#/components/schemas/Ref"},{"type":"null"}]}}}`,
		"Ref": `{"type":"object","properties":{"id":{"type":"integer","minimum":1}},"required":["id"]}`,
	} {
		if string(doc.Components.Schemas[name]) != want {
			t.Errorf("%s is\n%s\nwant\n%s", name, doc.Components.Schemas[name], want)
		}
	}
	if again, err := OpenAPI([]resource.Endpoint{endpoint}, "/api", "3.0.0"); err != nil ||
		string(again) != string(text) {
		t.Errorf("the same endpoints make another document: %v", err)
	}
}

func TestConflictingEndpointsAreRefused(t *testing.T) {
	same := []resource.Endpoint{{Method: "GET", Path: "/a/{id}"}, {Method: "GET", Path: "/a/{name}"}}
	if _, err := New(Options{Endpoints: same}); err == nil || err.Error() != "/api: GET /a/{name} is declared twice" {
		t.Errorf("two routes of one path: %v", err)
	}
	same = []resource.Endpoint{{Method: "GET", Path: "/a-b", Category: "X"},
		{Method: "GET", Path: "/a/b", Category: "X"}}
	if _, err := New(Options{Endpoints: same}); err == nil ||
		err.Error() != "GET /a-b and GET /a/b are both called getAB" {
		t.Errorf("two operations of one name: %v", err)
	}
}

// TestResponsesMatchTheDocument sends valid and invalid requests, and validates every key
// of the responses against the document.
func TestResponsesMatchTheDocument(t *testing.T) {
	p := newPortal(t, nil)
	doc := p.document()
	strict(doc)
	for _, tt := range []struct {
		do, path, as, body string // path is the template
		code               int
	}{
		{"POST /api/device/groups", "/device/groups", "token", `{"name":"a","customProperties":[{"name":"x",` +
			`"value":"y"}]}`, 201},
		{"POST /api/device/devices", "/device/devices", "token", `{"name":"web-01","hostGroupIds":"2"}`, 201},
		{"GET /api/device/devices", "/device/devices", "viewer", ``, 200},
		{"GET /api/device/devices?fields=id", "/device/devices", "viewer", ``, 200},
		{"GET /api/device/devices?size=0", "/device/devices", "viewer", ``, 400},
		{"GET /api/device/devices/1", "/device/devices/{id}", "viewer", ``, 200},
		{"GET /api/device/devices/9", "/device/devices/{id}", "viewer", ``, 404},
		{"PATCH /api/device/devices/1", "/device/devices/{id}", "token", `{"description":"x"}`, 200},
		{"PUT /api/device/devices/1", "/device/devices/{id}", "viewer", `{"name":"web-01"}`, 403},
		{"GET /api/device/groups", "/device/groups", "viewer", ``, 200},
		{"GET /api/setting/collectors", "/setting/collectors", "admin", ``, 200},
		{"GET /api/setting/roles", "/setting/roles", "admin", ``, 200},
		{"GET /api/setting/admins", "/setting/admins", "admin", ``, 200},
		{"GET /api/setting/admins/1/apitokens", "/setting/admins/{adminId}/apitokens", "admin", ``, 200},
		{"POST /api/setting/admins/1/apitokens", "/setting/admins/{adminId}/apitokens", "token", `{"note":"x"}`, 201},
		{"GET /api/setting/version", "/setting/version", "viewer", ``, 200},
		{"GET /api/session", "/session", "viewer", ``, 200},
		{"GET /api/session", "/session", "", ``, 401},
		{"POST /api/session", "/session", "", `{"username":"viewer","password":"wrong horse"}`, 401},
		{"DELETE /api/device/devices/1", "/device/devices/{id}", "admin", ``, 200},
	} {
		response, text := p.request(tt.do, tt.as, tt.body)
		if response.StatusCode != tt.code {
			t.Errorf("%s returns %d %s, want %d", tt.do, response.StatusCode, text, tt.code)
			continue
		}
		item := doc.Paths.Value(tt.path)
		method, _, _ := strings.Cut(tt.do, " ")
		err := openapi3filter.ValidateResponse(t.Context(), &openapi3filter.ResponseValidationInput{
			RequestValidationInput: &openapi3filter.RequestValidationInput{
				Request: &http.Request{Method: method},
				Route: &routers.Route{Spec: doc, Path: tt.path, PathItem: item, Method: method,
					Operation: item.GetOperation(method)},
			},
			Status: response.StatusCode, Header: response.Header, Body: io.NopCloser(strings.NewReader(text)),
			Options: &openapi3filter.Options{IncludeResponseStatus: true},
		})
		if err != nil {
			t.Errorf("%s: %v", tt.do, err)
		}
	}
}

// strict makes every named object of the document refuse unknown keys. The keyword
// belongs to JSON Schema 2020-12, so that kin-openapi uses its 2020-12 validator
// for these schemas instead of the rules of OpenAPI 3.0.
func strict(doc *openapi3.T) {
	no := false
	for name, ref := range doc.Components.Schemas {
		if name != "Error" && len(ref.Value.Properties) > 0 {
			ref.Value.UnevaluatedProperties = openapi3.BoolSchema{Has: &no}
		}
	}
}
