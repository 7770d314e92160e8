package explorer_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

type extracted struct{ Variable, Value, Problem string }

// extracts sends a draft and returns the values that the extractors found in the response.
func (h *fixture) extracts(user int, draft string) []extracted {
	h.t.Helper()
	a := h.call(user, "POST /explorer/send", `{"sendId":"s1","draft":`+draft+`}`)
	var r struct{ Extracted []extracted }
	if err := json.Unmarshal([]byte(a.body), &r); a.status != 200 || err != nil {
		h.t.Fatalf("%s returned %d %s", draft, a.status, a.body)
	}
	return r.Extracted
}

func (h *fixture) extractor(user int, body string) {
	h.t.Helper()
	if a := h.call(user, "POST /explorer/extractors", body); a.status != 201 && a.status != 200 {
		h.t.Fatalf("%s returned %d %s", body, a.status, a.body)
	}
}

func TestExtractorsRunAfterMatchingResponses(t *testing.T) {
	h := build(t)
	h.extractor(1, `{"path":"$.items[1].id","variable":"second"}`)
	h.extractor(1, `{"endpoint":"GET /alert/alerts","status":"200","path":".items | length","variable":"more"}`)
	h.extractor(1, `{"endpoint":"POST /device/devices","path":"$","variable":"other"}`)
	h.extractor(1, `{"status":"404","path":"$.errorMessage","variable":"why"}`)
	h.extractor(1, `{"path":"$","variable":"off","on":false}`)
	h.extractor(2, `{"path":"$","variable":"theirs"}`)
	if got, want := h.extracts(1, draft("GET", "/alert/alerts")),
		[]extracted{{"second", "2", ""}, {"more", "3", ""}}; !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if got := h.extracts(1, draft("GET", "/nowhere")); len(got) != 1 || got[0].Variable != "why" || got[0].Value == "" {
		t.Errorf("after 404: %v", got)
	}
	for name, value := range map[string]string{"second": "2", "more": "3"} {
		if a := h.call(1, "GET /explorer/variables?filter=name:"+name, ""); !strings.Contains(a.body, `"value":"`+value+
			`"`) || !strings.Contains(a.body, `"scope":"portal"`) {
			t.Errorf("%s is %s", name, a.body)
		}
	}
	var echoed struct{ Query map[string][]string }
	r := h.send(1, `{"method":"GET","path":"/device/devices/7?n={{second}}"}`)
	if err := json.Unmarshal([]byte(h.body(1, r.Document)), &echoed); err != nil ||
		!reflect.DeepEqual(echoed.Query["n"], []string{"2"}) {
		t.Errorf("the next request had %v", echoed.Query)
	}
}

func TestExtractorWithoutAMatchSaysWhyAndKeepsTheVariable(t *testing.T) {
	h := build(t)
	h.extractor(1, `{"path":"$.items[0].id","variable":"first"}`)
	h.extracts(1, draft("GET", "/alert/alerts"))
	h.serves("application/json", `{"items":[]}`)
	if got, want := h.extracts(1, draft("GET", "/raw/x")),
		[]extracted{{"first", "", "nothing in the response matches $.items[0].id"}}; !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if a := h.call(1, "GET /explorer/variables?filter=name:first", ""); !strings.Contains(a.body, `"value":"1"`) {
		t.Errorf("the variable is %s", a.body)
	}
	if a := h.call(1, "GET /explorer/extractors", ""); !strings.Contains(a.body,
		`"last":"1","problem":"nothing in the response matches $.items[0].id"`) {
		t.Errorf("the extractor is %s", a.body)
	}
	h.serves("text/html", "<p>no</p>")
	if got := h.extracts(1, draft("GET", "/raw/x")); len(got) != 1 || !strings.Contains(got[0].Problem, "not JSON") {
		t.Errorf("of a page: %v", got)
	}
}

func TestInvalidExtractorNamesTheWrongField(t *testing.T) {
	h := build(t)
	for body, want := range map[string]string{
		`{"path":"$.items[","variable":"x"}`:            "path: ",
		`{"path":"$.id","variable":"1 x"}`:              "variable: a variable's name must begin with a letter",
		`{"path":"$.id","variable":"x","status":"ok!"}`: "status: the status must be three digits",
	} {
		if got := h.fault(h.call(1, "POST /explorer/extractors", body)); !strings.HasPrefix(got, want) {
			t.Errorf("%s: got %s, want %s", body, got, want)
		}
	}
}

func TestEditedExtractorIsValidatedLikeANewOne(t *testing.T) {
	h := build(t)
	h.extractor(1, `{"path":"$.items[0].id","variable":"first"}`)
	h.serves("application/json", `{"items":[{"id":1}]}`)
	h.extracts(1, draft("GET", "/raw/x"))
	shown := func() string {
		return h.call(1, "GET /explorer/extractors?fields=status,path,variable,on,last,problem", "").body
	}
	for body, want := range map[string]string{
		`{"path":"$.items["}`: "path: ",
		`{"path":""}`:         "path: path must not be empty",
		`{"variable":"1 x"}`:  "variable: a variable's name must begin with a letter",
		`{"status":"ok!"}`:    "status: the status must be three digits",
	} {
		if got := h.fault(h.call(1, "PATCH /explorer/extractors/1", body)); !strings.HasPrefix(got, want) {
			t.Errorf("%s: got %s, want %s", body, got, want)
		}
	}
	if a := h.call(2, "PATCH /explorer/extractors/1", `{"path":"$"}`); a.status != 404 {
		t.Errorf("another user's returns %d %s", a.status, a.body)
	}
	for _, tt := range []struct{ body, want string }{
		{`{"on":false}`, `{"total":1,"searchId":null,"items":[{"status":"2xx","path":"$.items[0].id",` +
			`"variable":"first","on":false,"last":"1","problem":""}],"data":null}`},
		{`{"path":"$.items[1].id","on":true}`, `{"total":1,"searchId":null,"items":[{"status":"2xx",` +
			`"path":"$.items[1].id","variable":"first","on":true,"last":"","problem":""}],"data":null}`},
	} {
		h.call(1, "PATCH /explorer/extractors/1", tt.body)
		if got := shown(); got != tt.want {
			t.Errorf("after %s\n got %s\nwant %s", tt.body, got, tt.want)
		}
	}
	if got, want := h.extracts(1, draft("GET", "/raw/x")),
		[]extracted{{"first", "", "nothing in the response matches $.items[1].id"}}; !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
