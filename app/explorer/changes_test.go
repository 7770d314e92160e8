package explorer_test

import (
	"strconv"
	"strings"
	"testing"
)

func TestWritePreviewListsChangedFields(t *testing.T) {
	const body = `{"name":"Seven","note":"new","size":5,"id":9,"password":"hunter2","colour":"blue"}`
	const given = `{"name":"name","kind":"changed","was":"\"seven\"","now":"\"Seven\""},` +
		`{"name":"note","kind":"set","was":"\"\"","now":"\"new\""},` +
		`{"name":"size","kind":"same","was":"5","now":"5"},` +
		`{"name":"id","kind":"readOnly","was":"7","now":"9"},` +
		`{"name":"password","kind":"set","was":"","now":"\"********\""},` +
		`{"name":"colour","kind":"unknown","was":"\"red\"","now":"\"blue\""}`
	for _, tt := range []struct{ method, path, body, want, fault string }{
		{method: "PATCH", path: "/raw/things/7", body: body, want: `{"fields":[` + given + `],"name":"seven"}`},
		{method: "PUT", path: "/raw/things/7", body: body, want: `{"fields":[` + given +
			`,{"name":"tags","kind":"cleared","was":"[\"a\"]","now":""}],"name":"seven"}`},
		{method: "PUT", path: "/raw/things/7", body: `{"name":"seven","tags":[ "a" ]}`,
			want: `{"fields":[{"name":"name","kind":"same","was":"\"seven\"","now":"\"seven\""},{"name":"tags",` +
				`"kind":"same","was":"[\"a\"]","now":"[\"a\"]"}],"name":"seven"}`},
		{method: "PATCH", path: "/raw/things/8", body: `{}`, fault: "GET /raw/things/8 failed with 404 Not Found"},
		{method: "PATCH", path: "/raw/other/8", body: `{}`, fault: "the catalog has no GET for /raw/other/8 to " +
			"read the current object"},
		{method: "PATCH", path: "/raw/things/7", body: `[1]`, fault: "the body is not a JSON object, so it cannot " +
			"be compared"},
		{method: "POST", path: "/raw/things", body: `{}`, fault: "only PUT and PATCH requests can be compared"},
	} {
		t.Run(tt.method+" "+tt.path+" "+tt.body, func(t *testing.T) {
			h, s := storeFixture(t, true)
			a := h.call(1, "POST /explorer/changes", `{"draft":{"method":"`+tt.method+`","path":"`+tt.path+
				`","mode":"raw","body":`+strconv.Quote(tt.body)+`}}`)
			if tt.fault != "" {
				if got := h.said(a); got != tt.fault {
					t.Errorf("got %s, want %s", got, tt.fault)
				}
			} else if a.body != tt.want {
				t.Errorf("got  %s\nwant %s", a.body, tt.want)
			}
			if got := s.writes(); got != nil {
				t.Errorf("looking wrote %q", got)
			}
		})
	}
}

func TestLongValuesAreTruncatedInAComparison(t *testing.T) {
	h, s := storeFixture(t, true)
	s.set(7, "note", strings.Repeat("ü", 1000))
	a := h.call(1, "POST /explorer/changes", `{"draft":{"method":"PATCH","path":"/raw/things/7","mode":"raw",`+
		`"body":"{\"note\":\"x\"}"}}`)
	if want := `{"fields":[{"name":"note","kind":"changed","was":"\"` + strings.Repeat("ü", 199) +
		`…","now":"\"x\""}],"name":"seven"}`; a.body != want {
		t.Errorf("got  %s\nwant %s", a.body, want)
	}
}
