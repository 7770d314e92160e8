package explorer_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"spyglass/app/expect"
)

// checked sends a draft and returns the result of each check: passed, expected, actual
// and problem.
func (h *fixture) checked(user int, draft string) []string {
	h.t.Helper()
	a := h.call(user, "POST /explorer/send", `{"draft":`+draft+`}`)
	var got struct{ Checks []expect.Result }
	if err := json.Unmarshal([]byte(a.body), &got); err != nil || a.status != 200 {
		h.t.Fatal(a.status, a.body)
	}
	out := []string{}
	for _, r := range got.Checks {
		out = append(out, fmt.Sprintf("%t %s|%s|%s|%s", r.Passed, r.Label, r.Expected, r.Actual, r.Problem))
	}
	return out
}

func TestChecksRunOnTheResponse(t *testing.T) {
	h := build(t)
	draft := `{"path":"/alert/alerts","checks":[` +
		`{"on":true,"kind":"status","op":"is","value":"200"},` +
		`{"on":true,"kind":"json","target":"$.items[1].id","op":"is","value":"3"},` +
		`{"on":false,"kind":"status","op":"is","value":"500"},` +
		`{"on":true,"kind":"json","target":".items | length","op":"above","value":"{{least}}"},` +
		`{"on":true,"kind":"json","target":"$.items[?","op":"exists"},` +
		`{"on":true,"kind":"header","target":"content-type","op":"contains","value":"json"},` +
		`{"on":true,"kind":"header","target":"x-csrf-token","op":"absent"}]}`
	if a := h.call(1, "POST /explorer/variables", `{"name":"least","value":"2"}`); a.status/100 != 2 {
		t.Fatal(a.body)
	}
	got := h.checked(1, draft)
	same(t, got, []string{
		"true Status is 200|200|200|",
		"false JSON value $.items[1].id is 3|3|2|",
		"true JSON value .items | length is above {{least}}|is above 2|3|",
		got[3], // not compared: the query parser writes this message
		"true Header content-type contains json|contains json|application/json|",
		"true Header x-csrf-token does not exist|does not exist|nothing|",
	})
	if !strings.HasPrefix(got[3], "false JSON value $.items[? exists|exists|nothing|") ||
		strings.HasSuffix(got[3], "|") {
		t.Errorf("a wrong query gives %s", got[3])
	}
	same(t, h.checked(2, draft)[2:3], []string{
		"false JSON value .items | length is above {{least}}|is above {{least}}||" +
			"{{least}} has no value; set one under Variables"})
	if a := h.call(1, "POST /explorer/tabs", `{"draft":`+draft+`}`); a.status/100 != 2 ||
		!strings.Contains(a.body, `"checks":[{"on":true,"kind":"status","op":"is","value":"200"},`) {
		t.Errorf("a tab keeps %s", a.body)
	}
}

func TestChecksCompareTheBodyWithTheCatalog(t *testing.T) {
	h := build(t)
	check := `"checks":[{"on":true,"kind":"schema","op":"declared"}]}`
	same(t, h.checked(1, `{"path":"/device/devices/7",`+check), []string{
		"false Body matches the schema in the catalog|matches the schema in the catalog|$ lacks name|"})
	same(t, h.checked(1, `{"path":"/device/devices/7?fields=id",`+check), []string{
		"true Body matches the schema in the catalog|matches the schema in the catalog|matches|"})
	same(t, h.checked(1, `{"path":"/alert/alerts",`+check), []string{
		"false Body matches the schema in the catalog|matches the schema in the catalog|nothing|" +
			"the catalog declares no JSON response for this request"})
}

func TestChecksHideSecrets(t *testing.T) {
	h := build(t)
	if a := h.call(1, "POST /explorer/variables",
		`{"name":"key","value":"hunter-22","secret":true}`); a.status/100 != 2 {
		t.Fatal(a.body)
	}
	h.answerRaw(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(`{"echo":"hunter-22","password":"correct-horse","name":"web"}`))
	})
	got := h.checked(1, `{"path":"/raw/x","checks":[`+
		`{"on":true,"kind":"json","target":"$.echo","op":"is","value":"{{key}}"},`+
		`{"on":true,"kind":"json","target":"$['password']","op":"is","value":"wrong-horse"},`+
		`{"on":true,"kind":"json","target":"$.name","op":"is","value":"web"}]}`)
	same(t, got, []string{
		"true JSON value $.echo is {{key}}|********|********|",
		"false JSON value $['password'] is ********|********|********|",
		"true JSON value $.name is web|web|web|",
	})
	if a := h.call(1, "GET /explorer/history?fields=draft", ""); strings.Contains(a.body, "horse") ||
		strings.Contains(a.body, "hunter") || !strings.Contains(a.body, "{{key}}") {
		t.Errorf("the history has %s", a.body)
	}
	a := h.call(1, "POST /explorer/send", `{"draft":{"method":"POST","path":"/session","body":"{}","checks":[`+
		`{"on":true,"kind":"json","target":"$.csrfToken","op":"exists"},`+
		`{"on":true,"kind":"json","target":"$.came","op":"exists"}]}}`)
	if strings.Contains(a.body[strings.Index(a.body, `"checks":`):], csrfSecret) {
		t.Errorf("a value that is shown once is in the results: %s", a.body)
	}
}

func TestEndpointListsTheKindsOfChecks(t *testing.T) {
	h := build(t)
	a := h.call(1, "GET /explorer/checks", "")
	var got struct {
		Kinds []struct {
			ID  string
			Ops []struct{ ID string }
		}
	}
	if err := json.Unmarshal([]byte(a.body), &got); err != nil {
		t.Fatal(a.body)
	}
	var ids []string
	for _, k := range got.Kinds {
		ids = append(ids, fmt.Sprint(k.ID, " ", len(k.Ops)))
	}
	same(t, ids, []string{"status 5", "json 13", "header 8", "schema 1", "time 3", "size 5"})
	one := `{"on":true,"kind":"status","op":"is"}`
	if a := h.call(1, "POST /explorer/send", `{"draft":{"path":"/x","checks":[`+strings.Repeat(one+",", 100)+one+
		`]}}`); a.status != 400 || h.said(a) != "a request can have at most 100 checks, not 101" {
		t.Errorf("101 checks give %d %s", a.status, a.body)
	}
}
