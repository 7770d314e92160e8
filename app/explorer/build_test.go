package explorer_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"
)

// variables creates the users' variables for the tables below.
func (h *fixture) variables() {
	h.t.Helper()
	for _, v := range []string{
		`{"name":"id","value":"42"}`, `{"name":"odd","value":"a/b?c=d&e#f%20\"\\ ü"}`, `{"name":"empty","value":""}`,
		`{"name":"object","value":"{\"a\":[1]}"}`, `{"name":"lines","value":"one\r\nX-Evil: 1"}`,
		`{"name":"dots","value":".."}`,
		`{"name":"key","value":"size"}`, `{"name":"both","value":"global","scope":"global"}`,
		`{"name":"both","value":"portal","scope":"portal"}`,
		`{"name":"nested","value":"{{id}}"}`, `{"name":"secret","value":"` + planted + `","secret":true}`,
		`{"name":"lost","value":"gone","secret":true}`, `{"name":"pin","value":"7","secret":true}`,
	} {
		if a := h.call(1, "POST /explorer/variables", v); a.status != 201 {
			h.t.Fatalf("%s returned %d %s", v, a.status, a.body)
		}
	}
	delete(h.secrets.values, "variable-1-12")
}

const planted = "pLaNtEd-53cr3t"

// sent is a request as the portal received it.
type sent struct {
	Vars  map[string]string
	Query map[string][]string
	Body  string
	User  int64
}

func TestPathBecomesAURL(t *testing.T) {
	h := build(t)
	h.variables()
	for _, tt := range []struct {
		draft string // without the braces; the method is GET by default
		url   string // after the base URL
		fault string // "field: reason"
	}{
		{draft: `"path":"/device/devices/7"`, url: `/api/device/devices/7`},
		{draft: `"path":" device/devices/7 "`, url: `/api/device/devices/7`},
		{draft: `"path":"/api/device/devices/7"`, url: `/api/device/devices/7`},
		{draft: `"path":"/apidevices"`, url: `/api/apidevices`},
		{draft: `"path":"/santaba/rest/device/devices/7"`, url: `/santaba/rest/device/devices/7`},
		{draft: `"path":"BASE/api/device/devices/7?a=b"`, url: `/api/device/devices/7?a=b`},
		{draft: `"path":"LOCALHOST/api/device/devices/7"`, url: `/api/device/devices/7`},
		{draft: `"path":"/device/devices/{{id}}"`, url: `/api/device/devices/42`},
		{draft: `"path":"/device/devices/{{ id }}?size={{id}}"`, url: `/api/device/devices/42?size=42`},
		{draft: `"path":"/device/devices/{{odd}}"`, url: `/api/device/devices/a%2Fb%3Fc=d&e%23f%2520%22%5C%20%C3%BC`},
		{draft: `"path":"/device/devices/x y%20z"`, url: `/api/device/devices/x%20y%20z`},
		{draft: `"path":"/device/devices/{id}","pathParams":[{"on":true,"key":"id","value":"{{id}}"}]`,
			url: `/api/device/devices/42`},
		{draft: `"path":"/device/devices/{id}","pathParams":[{"on":true,"key":"id","value":"a/b"}]`,
			url: `/api/device/devices/a%2Fb`},
		{draft: `"path":"/device/devices/{{nested}}"`, url: `/api/device/devices/%7B%7Bid%7D%7D`},
		{draft: `"path":"/device/devices/{{both}}"`, url: `/api/device/devices/portal`},
		{draft: `"path":"/device/devices/7?filter=name~\"a b\",id>:3||id<2"`,
			url: `/api/device/devices/7?filter=name~%22a%20b%22,id%3E:3%7C%7Cid%3C2`},
		{draft: `"path":"/device/devices/7?size=2&filter=name~\"a b&c\"&x=1"`, url: `/api/device/devices/7?size=2&` +
			`filter=name~%22a%20b%26c%22&x=1`},
		{draft: `"path":"/device/devices/7?filter=name~\"a&{{id}}&b\"&x={{id}}"`,
			url: `/api/device/devices/7?filter=name~%22a%2642%26b%22&x=42`},
		{draft: `"path":"/device/devices/7?filter=name~\"a&x=1"`, url: `/api/device/devices/7?filter=name~%22a&x=1`},
		{draft: `"path":"/device/devices/7?a={{odd}}"`,
			url: `/api/device/devices/7?a=a/b?c%3Dd%26e%23f%2520%22%5C%20%C3%BC`},
		{draft: `"path":"/device/devices/7?a=1","query":[{"on":true,"key":"{{key}}","value":"{{odd}}"},{"on":false,` +
			`"key":"no","value":"1"},{"on":true,"key":"size","value":""},{"on":true,"key":"","value":""},{"on":true,` +
			`"key":"p","value":"50%25 +1"}]`,
			url: `/api/device/devices/7?a=1&size=a/b?c%3Dd%26e%23f%2520%22%5C%20%C3%BC&size=&p=50%2525%20%2B1`},
		{draft: `"path":"/device/devices/{{secret}}?a={{secret}}"`, url: `/api/device/devices/********?a=********`},
		{draft: `"path":"/device/devices/7?a={{pin}}{{id}}"`, url: `/api/device/devices/7?a=********42`},
		{draft: `"path":"/device/devices/{{$userId}}"`, url: `/api/device/devices/1`},
		{draft: `"method":"DELETE","path":"/device/devices/7"`, url: `/api/device/devices/7`},

		{draft: `"path":""`, fault: `path: the path is empty; select an endpoint, or enter a path like ` +
			`/device/devices`},
		{draft: `"path":"https://evil.example/api/x"`, fault: `path: evil.example is another portal; this tab ` +
			`sends to HOST only`},
		{draft: `"path":"BASE@evil.example/api/x"`, fault: `path: HOST@evil.example is another portal; this tab ` +
			`sends to HOST only`},
		{draft: `"path":"BASE/explorer/start"`, fault: `path: the API base URL is BASE/api; BASE/explorer/start is ` +
			`outside of it`},
		{draft: `"path":"/device/devices/{id}"`, fault: `path: {id} needs a value`},
		{draft: `"path":"/device/devices/{id}","pathParams":[{"on":false,"key":"id","value":"7"}]`,
			fault: `path: {id} needs a value`},
		{draft: `"method":"DELETE","path":"/device/devices/{{empty}}"`, fault: `path: {{empty}} is empty; a ` +
			`segment of the path needs a value`},
		{draft: `"path":"/device/devices/{{dots}}"`, fault: `path: the path must not contain the segments . and ..`},
		{draft: `"path":"/device/%2e%2E/x"`, fault: `path: the path must not contain the segments . and ..`},
		{draft: `"path":"/device/devices/{{no}}?x={{ no }}"`, fault: `path: {{no}} has no value; set one under ` +
			`Variables, or send anyway`},
		{draft: `"path":"/x","query":[{"on":true,"key":"filter","value":"{{a}}{{b}}{{c}}"}]`,
			fault: `query.filter: {{a}}, {{b}} and {{c}} have no value; set one for each under Variables, or send ` +
				`anyway`},
		{draft: `"path":"/x/{{lost}}"`, fault: `path: {{lost}} has no value; set one under Variables, or send anyway`},
		{draft: `"method":"FETCH","path":"/x"`,
			fault: `draft.method: the method must be one of GET, POST, PUT, PATCH, ` +
				`DELETE`},
	} {
		t.Run(tt.draft, func(t *testing.T) {
			places := strings.NewReplacer("BASE", h.base, "LOCALHOST",
				strings.Replace(h.base, "127.0.0.1", "localhost", 1), "HOST", strings.TrimPrefix(h.base, "http://"))
			a := h.call(1, "POST /explorer/send", places.Replace(`{"sendId":"s","draft":{`+tt.draft+`}}`))
			if tt.fault != "" {
				if got := h.fault(a); got != places.Replace(tt.fault) {
					t.Errorf("got %d %s, want %s", a.status, got, places.Replace(tt.fault))
				}
				return
			}
			var r reply
			if err := json.Unmarshal([]byte(a.body), &r); err != nil || r.URL != h.base+tt.url {
				t.Errorf("got %s (%v), want %s", r.URL, a.body, h.base+tt.url)
			}
		})
	}
}

func (h *fixture) fault(a answer) string {
	h.t.Helper()
	var f struct {
		ErrorMessage string
		ErrorDetail  struct{ Field, Reason string }
	}
	if err := json.Unmarshal([]byte(a.body), &f); err != nil {
		h.t.Fatal(a.body)
	}
	if f.ErrorDetail.Reason != f.ErrorMessage {
		h.t.Errorf("the reason is %q and the message %q", f.ErrorDetail.Reason, f.ErrorMessage)
	}
	return f.ErrorDetail.Field + ": " + f.ErrorMessage
}

func TestValuesAreEscapedForTheBody(t *testing.T) {
	h := build(t)
	h.variables()
	for _, tt := range []struct{ body, want, fault string }{
		{body: `{"a": "{{odd}}", "b": {{id}}}`, want: `{"a": "a/b?c=d&e#f%20\"\\ ü", "b": 42}`},
		{body: `{{object}}`, want: `{"a":[1]}`},
		{body: `[{{id}},{{ object }}]`, want: `[42,{"a":[1]}]`},
		{body: `{"{{key}}": "x\"{{id}}\\", "y": {{id}} }`, want: `{"size": "x\"42\\", "y": 42 }`},
		{body: `{"a": "{{secret}}"}`, want: `{"a": "` + planted + `"}`},
		{body: `{"a": "{{lines}}"}`, want: `{"a": "one\r\nX-Evil: 1"}`},
		{body: `not JSON at all`, want: `not JSON at all`},
		{body: `{"a":1, "a":2,  "n":1.00}`, want: `{"a":1, "a":2,  "n":1.00}`},
		{body: `{"a": {{odd}}}`, fault: `body: {{odd}} is not in quotes, and is not a valid JSON value; write ` +
			`"{{odd}}"`},
		{body: `{"a": 1{{id}}}`, fault: `body: {{id}} is not in quotes, and is not a valid JSON value; write ` +
			`"{{id}}"`},
		{body: `{"a": {{empty}}}`, fault: `body: {{empty}} is not in quotes, and is not a valid JSON value; write ` +
			`"{{empty}}"`},
		{body: `{"a": "{{nobody}}"}`, fault: `body: {{nobody}} has no value; set one under Variables, or send anyway`},
	} {
		t.Run(tt.body, func(t *testing.T) {
			body, _ := json.Marshal(tt.body)
			a := h.call(1, "POST /explorer/send", fmt.Sprintf(`{"draft":{"method":"POST","path":"/device/devices",`+
				`"body":%s}}`, body))
			if tt.fault != "" {
				if got := h.fault(a); got != tt.fault {
					t.Errorf("got %s, want %s", got, tt.fault)
				}
				return
			}
			var r reply
			var got sent
			if err := json.Unmarshal([]byte(a.body), &r); err != nil || r.Status != 201 {
				t.Fatal(a.body)
			}
			if err := json.Unmarshal([]byte(h.body(1, r.Document)), &got); err != nil || got.Body != tt.want {
				t.Errorf("got %s, want %s", got.Body, tt.want)
			}
		})
	}
}

func TestBodyIsKeptButNotSentWithGET(t *testing.T) {
	h := build(t)
	for _, method := range []string{"GET", "DELETE"} {
		a := h.call(1, "POST /explorer/send", `{"draft":{"method":"`+method+`","path":"/device/devices/7",`+
			`"body":"{\"a\":{{nobody}}}"}}`)
		var r reply
		var got sent
		if err := json.Unmarshal([]byte(a.body), &r); err != nil || r.Status != 200 {
			t.Fatal(a.body)
		}
		if err := json.Unmarshal([]byte(h.body(1, r.Document)), &got); err != nil || got.Body != "" {
			t.Errorf("%s sent %q (%v)", method, got.Body, err)
		}
	}
}

func TestUnknownVariablesAreSentIfAllowed(t *testing.T) {
	h := build(t)
	a := h.call(1, "POST /explorer/send", `{"anyway":true,"draft":{"path":"/device/devices/{{no}}?x={{no}}"}}`)
	var r reply
	if err := json.Unmarshal([]byte(a.body), &r); err != nil {
		t.Fatal(a.body)
	}
	var got sent
	if err := json.Unmarshal([]byte(h.body(1, r.Document)), &got); err != nil || got.Vars["id"] != "{{no}}" ||
		got.Query["x"][0] != "{{no}}" {
		t.Errorf("got %+v", got)
	}
	a = h.call(1, "POST /explorer/send", `{"draft":{"path":"/x/{{one}}/{{two}}"}}`)
	if want := `"unknown":["one","two"]`; !strings.Contains(a.body, want) {
		t.Errorf("got %s, want %s", a.body, want)
	}
	a = h.call(1, "POST /explorer/send", `{"anyway":true,"draft":{"path":"/x/{id}"}}`)
	if got, want := h.fault(a), "path: {id} needs a value"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestBuiltInVariablesAreTheSameThroughoutARequest(t *testing.T) {
	h := build(t)
	r := h.send(1, `{"path":"/device/devices/{{$uuid}}?a={{$uuid}}&now={{$now}}&then={{$now-1h}}&later={{$now+2d}}&`+
		`odd={{$now}}"}`)
	var got sent
	if err := json.Unmarshal([]byte(h.body(1, r.Document)), &got); err != nil {
		t.Fatal(err)
	}
	if id := got.Vars["id"]; got.Query["a"][0] != id ||
		!regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`).MatchString(id) {
		t.Errorf("the ids are %s and %s", id, got.Query["a"])
	}
	var now, then, later int64
	if _, err := fmt.Sscan(got.Query["now"][0], &now); err != nil {
		t.Fatal(err)
	}
	fmt.Sscan(got.Query["then"][0], &then)
	fmt.Sscan(got.Query["later"][0], &later)
	if now < 1_700_000_000 || then != now-3600 || later != now+172_800 {
		t.Errorf("now is %d, an hour ago %d, in two days %d", now, then, later)
	}
	for _, name := range []string{"$nope", "$now-1y", "$now-", "$now -1h"} {
		if a := h.call(1, "POST /explorer/send", `{"draft":{"path":"/x/{{`+name+`}}"}}`); a.status != 400 {
			t.Errorf("%s returned %d", name, a.status)
		}
	}
}

func TestPreviewShowsTheRequestWithoutSecrets(t *testing.T) {
	h := build(t)
	h.variables()
	draft := `{"method":"POST","path":"/device/devices/{id}?a={{secret}}","query":[{"on":true,"key":"b",` +
		`"value":"{{nobody}}"}],` +
		`"headers":[{"on":true,"key":"X-One","value":"{{secret}} {{id}}"},{"on":false,"key":"X-Off","value":"1"}],` +
		`"body":"{\"p\":\"{{secret}}\",\"n\":{{id}}}"}`
	a := h.call(1, "POST /explorer/preview", `{"draft":`+draft+`}`)
	want := `{"body":"{\"p\":\"********\",\"n\":42}","headers":[["X-One","******** 42"],["Accept",` +
		`"application/json"],["User-Agent","Spyglass/0.1.0"],` +
		`["Content-Type","application/json"],["Cookie","********"],["X-CSRF-Token","********"]],"method":"POST",` +
		`"url":"` + h.base + `/api/device/devices/{id}?a=********&b={{nobody}}",` +
		`"variables":[{"name":"secret","value":"********","scope":"portal","known":true,"secret":true,` +
		`"environment":""},` +
		`{"name":"nobody","value":"","scope":"","known":false,"secret":false,"environment":""},` +
		`{"name":"id","value":"42","scope":"portal","known":true,"secret":false,"environment":""}]}`
	if a.body != want {
		t.Errorf("got  %s\nwant %s", a.body, want)
	}
}

func TestSnippetContainsNoSecretOrSession(t *testing.T) {
	h := build(t)
	h.variables()
	draft := `{"method":"POST","path":"/device/devices?a={{secret}}&b={{id}}","headers":[{"on":true,` +
		`"key":"Authorization","value":"Bearer ` + planted +
		`"},{"on":true,"key":"X-Api","value":"{{secret}}"}],"body":"{\"p\":\"{{secret}}\"}"}`
	for _, language := range []string{"curl", "python", "powershell", "groovy"} {
		a := h.call(1, "POST /explorer/snippets", `{"language":"`+language+`","draft":`+draft+`}`)
		if a.status != 200 || !strings.Contains(a.body, h.base+"/api/device/devices?a=") ||
			!strings.Contains(a.body, "SPYGLASS_TOKEN") || !strings.Contains(a.body, "SPYGLASS_SECRET") ||
			strings.Contains(a.body, "********") {
			t.Errorf("%s returned %d %s", language, a.status, a.body)
		}
		for _, secret := range []string{planted, cookieSecret, csrfSecret} {
			if strings.Contains(a.body, secret) {
				t.Errorf("%s shows %s", language, secret)
			}
		}
	}
	a := h.call(1, "POST /explorer/snippets", `{"language":"cobol","draft":{"path":"/x"}}`)
	if got, want := h.fault(a), `language: there are no snippets for "cobol"`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
