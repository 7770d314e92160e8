package explorer_test

import (
	"fmt"
	"strings"
	"testing"
)

func TestRequestLinkHasNoSecretsHeadersOrBody(t *testing.T) {
	h := build(t)
	for _, v := range []string{`{"name":"size","value":"5"}`,
		`{"name":"hidden","value":"s3cret-value","secret":true}`} {
		if a := h.call(1, "POST /explorer/variables", v); a.status != 201 {
			t.Fatal(a.body)
		}
	}
	for _, tt := range []struct{ draft, want string }{
		{`{"method":"GET","path":"/alert/alerts?filter=monitorObjectName~\"a & b\"","query":[` +
			`{"on":true,"key":"size","value":"{{size}}"},{"on":false,"key":"offset","value":"3"}]}`,
			`{"link":"spyglass://api/GET/alert/alerts?filter=monitorObjectName~%22a+%26+b%22&size=5","without":[]}`},
		{`{"method":"GET","path":"/device/devices/{id}","pathParams":[{"on":true,"key":"id","value":"7"}],"query":[` +
			`{"on":true,"key":"token","value":"typed-s3cret"},{"on":true,"key":"who","value":"{{hidden}}"},` +
			`{"on":true,"key":"size","value":"1"}],"headers":[{"on":true,"key":"X-Api-Key","value":"typed-s3cret"}]}`,
			`{"link":"spyglass://api/GET/device/devices/7?size=1","without":["token","who","headers"]}`},
		{`{"method":"POST","path":"/device/devices","body":"{\"password\":\"typed-s3cret\"}"}`,
			`{"link":"spyglass://api/POST/device/devices","without":["body"]}`},
	} {
		a := h.call(1, "POST /explorer/links", `{"draft":`+tt.draft+`}`)
		if a.status != 200 || a.body != tt.want {
			t.Errorf("got  %d %s\nwant %s", a.status, a.body, tt.want)
		}
	}
	for draft, want := range map[string]string{
		`{"method":"GET","path":"/device/devices/{{hidden}}"}`: "No link can lead here: " +
			"its path must not contain escapes",
		`{"method":"GET","path":""}`: "the path is empty; select an endpoint, or enter " +
			"a path like /device/devices",
	} {
		if a := h.call(1, "POST /explorer/links", `{"draft":`+draft+`}`); a.status != 400 || h.said(a) != want {
			t.Errorf("%s: %d %s, want %s", draft, a.status, a.body, want)
		}
	}
}

func TestResponseLinkIsForItsUserOnly(t *testing.T) {
	h := build(t)
	first := h.send(1, `{"method":"GET","path":"/alert/alerts","query":[`+
		`{"on":true,"key":"token","value":"typed-s3cret"},`+
		`{"on":true,"key":"size","value":"3"}]}`).HistoryID
	second := h.send(1, `{"method":"GET","path":"/device/devices/7"}`).HistoryID
	past := fmt.Sprintf(
		`{"target":{"past":{"folder":"","historyId":%d,"view":[{"key":"view","value":"table"}]}}}`, first)
	diff := fmt.Sprintf(`{"target":{"diff":{"folder":"","left":%d,"right":%d,"ignore":"total"}}}`, first, second)

	link := fmt.Sprintf("spyglass://response/ab12/%d/GET/alert/alerts?size=3&~view=table", first)
	if a := h.call(1, "POST /explorer/links", past); a.body != `{"link":"`+link+`","without":["token"]}` {
		t.Errorf("the response is at %s", a.body)
	}
	want := fmt.Sprintf(`{"link":"spyglass://diff/ab12/%d/%d?ignore=total","without":[]}`, first, second)
	if a := h.call(1, "POST /explorer/links", diff); a.body != want {
		t.Errorf("the comparison is at %s, want %s", a.body, want)
	}
	for _, of := range []string{past, diff} {
		if a := h.call(2, "POST /explorer/links", of); a.status != 404 || strings.Contains(a.body, "alerts") {
			t.Errorf("another user gets %d %s", a.status, a.body)
		}
	}
	want = fmt.Sprintf(`{"call":{"method":"GET","path":"/alert/alerts","query":[{"key":"size","value":"3"}]},`+
		`"past":{"folder":"ab12","historyId":%d,"view":[{"key":"view","value":"table"}]}}`, first)
	if a := h.call(1, "POST /explorer/links/open", `{"link":"`+link+`"}`); a.body != want {
		t.Errorf("it leads to %s, want %s", a.body, want)
	}
}

func TestScreenLinkHasTheFilters(t *testing.T) {
	h := build(t)
	const target = `{"screen":"alerts","id":"12","filters":[{"key":"severity","value":"4"},` +
		`{"key":"text","value":"a&b"}]}`
	const link = "spyglass://monitor/alerts/12?severity=4&text=a%26b"
	if a := h.call(1, "POST /explorer/links", `{"target":`+target+`}`); a.body != `{"link":"`+link+`","without":[]}` {
		t.Errorf("it is at %s", a.body)
	}
	if a := h.call(1, "POST /explorer/links/open", `{"link":"`+link+`"}`); a.body != target {
		t.Errorf("it leads to %s", a.body)
	}
	const bare = `{"link":"spyglass://monitor/fleet","without":[]}`
	if a := h.call(1, "POST /explorer/links", `{"target":{"screen":"fleet","filters":[]}}`); a.body != bare {
		t.Errorf("a screen without filters is at %s", a.body)
	}
	const evil = "“spyglass://evil.example/x” cannot be opened: begin it with spyglass://monitor, " +
		"spyglass://device or spyglass://api"
	if a := h.call(1, "POST /explorer/links/open", `{"link":"spyglass://evil.example/x"}`); h.said(a) != evil {
		t.Errorf("it says %s", a.body)
	}
}
