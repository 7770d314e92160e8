package explorer_test

import (
	"context"
	"io"
	"mime"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
)

// documents caches the OpenAPI document, which is the same for every fixture.
var documents struct {
	sync.Once
	doc *openapi3.T
}

// openAPI reads the document below /explorer and checks that it is valid.
func (h *fixture) openAPI() *openapi3.T {
	h.t.Helper()
	documents.Do(func() {
		response, err := http.DefaultClient.Do(h.request(context.Background(), 1, "GET /explorer/openapi.json", ""))
		if err != nil {
			h.t.Fatal(err)
		}
		defer response.Body.Close()
		text, err := io.ReadAll(response.Body)
		if err != nil {
			h.t.Fatal(err)
		}
		doc, err := openapi3.NewLoader().LoadFromData(text)
		if err == nil {
			err = doc.Validate(context.Background())
		}
		if err != nil {
			h.t.Fatal(err)
		}
		no := false
		for name, ref := range doc.Components.Schemas { // no object may have a key that it does not declare
			if name != "Error" && len(ref.Value.Properties) > 0 {
				ref.Value.UnevaluatedProperties = openapi3.BoolSchema{Has: &no}
			}
		}
		documents.doc = doc
	})
	if documents.doc == nil {
		h.t.Fatal("there is no OpenAPI document")
	}
	return documents.doc
}

// templateOf returns the template of a path, fixed parts before parameters.
func templateOf(doc *openapi3.T, method, path string) (template string) {
	parts, most := strings.Split(path, "/"), -1
	for candidate, item := range doc.Paths.Map() {
		names, same := strings.Split(candidate, "/"), 0
		if item.GetOperation(method) == nil || len(names) != len(parts) {
			continue
		}
		for i, name := range names {
			switch {
			case name == parts[i]:
				same++
			case !strings.HasPrefix(name, "{"):
				same = -len(names)
			}
		}
		if same > most {
			template, most = candidate, same
		}
	}
	return template
}

// conforms compares the response to "POST /explorer/send" with its declaration.
func (h *fixture) conforms(do string, a answer) {
	h.t.Helper()
	method, path, _ := strings.Cut(do, " ")
	path, _, _ = strings.Cut(path, "?")
	path, ok := strings.CutPrefix(path, "/explorer")
	if !ok || path == "/openapi.json" || a.status == http.StatusNotModified {
		return
	}
	doc := h.openAPI()
	template := templateOf(doc, method, path)
	if template == "" {
		if a.status < 400 {
			h.t.Errorf("%s %s is not in the document", method, path)
		}
		return
	}
	item := doc.Paths.Value(template)
	operation := item.GetOperation(method)
	kind, _, _ := mime.ParseMediaType(a.header.Get("Content-Type"))
	declared := operation.Responses.Status(a.status)
	if kind != "application/json" || declared != nil && declared.Value.Content.Get("*/*") != nil &&
		declared.Value.Content["application/json"] == nil {
		if declared == nil || declared.Value.Content.Get(kind) == nil {
			h.t.Errorf("%s %s returns %d %s, which it does not declare", method, template, a.status, kind)
		}
		return
	}
	if schema := declared; schema != nil && a.status < 300 {
		if media := schema.Value.Content["application/json"]; media != nil && media.Schema.Value.Type.Is("string") {
			return // a downloaded file that happens to be JSON
		}
	}
	err := openapi3filter.ValidateResponse(h.t.Context(), &openapi3filter.ResponseValidationInput{
		RequestValidationInput: &openapi3filter.RequestValidationInput{
			Request: &http.Request{Method: method},
			Route: &routers.Route{Spec: doc, Path: template, PathItem: item, Method: method,
				Operation: operation},
		},
		Status: a.status, Header: a.header, Body: io.NopCloser(strings.NewReader(a.body)),
		Options: &openapi3filter.Options{IncludeResponseStatus: a.status < 300},
	})
	if err != nil {
		h.t.Errorf("%s %s: %v", method, template, err)
	}
}

func TestEveryEndpointDeclaresItsResponse(t *testing.T) {
	h := build(t)
	doc := h.openAPI()
	for _, e := range h.Endpoints() {
		item := doc.Paths.Value(e.Path)
		if item == nil || item.GetOperation(e.Method) == nil {
			t.Errorf("%s is not in the document", e.ID())
			continue
		}
		if e.Summary == "" {
			t.Errorf("%s has no summary", e.ID())
		}
		if e.Response == nil && e.Method != "DELETE" { // deletions return an empty object
			t.Errorf("%s declares no response", e.ID())
		}
	}
	// schemas with the same name get numbers, which depend on the order of the endpoints
	numbered := regexp.MustCompile(`\d$`)
	for name := range doc.Components.Schemas {
		if numbered.MatchString(name) {
			t.Errorf("%s: give the objects of this name names of their own", name)
		}
	}
}

func TestEventStreamDeclaresItsEvents(t *testing.T) {
	h := build(t)
	media := h.openAPI().Paths.Value("/events").Get.Responses.Status(200).Value.Content["text/event-stream"]
	if media == nil || media.Schema.Value.Properties["progress"] == nil {
		t.Fatal("the events are not declared")
	}
	events := h.listen(1)
	h.call(1, "POST /explorer/variables", `{"name":"seventh","value":"7"}`)
	name, data, _ := strings.Cut(next(t, events), " ")
	declared := media.Schema.Value.Properties[name]
	if declared == nil || data != `{"kind":"variables"}` {
		t.Fatalf("%s %s came", name, data)
	}
	if err := declared.Value.VisitJSON(map[string]any{"kind": "variables"}); err != nil {
		t.Error(err)
	}
	if err := declared.Value.VisitJSON(map[string]any{"kind": "weather"}); err == nil {
		t.Error("any kind is declared")
	}
}
