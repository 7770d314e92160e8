package explorer_test

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"

	"spyglass/app/exchange"
	"spyglass/app/explorer/transfer"
	"spyglass/app/snippet"
)

func TestStartReturnsAllThatThePageNeeds(t *testing.T) {
	h := build(t)
	h.call(1, "POST /explorer/tabs", `{"position":2,"name":"second"}`)
	h.call(1, "POST /explorer/tabs", `{"position":1,"name":"first"}`)
	h.call(1, "POST /explorer/variables", `{"name":"x","value":"y","secret":true}`)
	h.call(1, "PATCH /explorer/settings", `{"theme":"dark"}`)
	a := h.call(1, "GET /explorer/start", "")
	draft := `{"method":"GET","path":"","template":"","pathParams":[],"query":[],"headers":[],"body":"","mode":"form"}`
	portal := `{"id":0,"name":"Demo portal","baseUrl":"` + h.base + `/api","address":"` +
		strings.TrimPrefix(h.base, "http://") + `","demo":true,"instance":"ab12",` +
		`"remote":false,"environment":"demo","auth":"session","account":"","secret":"","user":"user1",` +
		`"readOnly":false,"timeout":20,"authority":"","fingerprint":"",` +
		`"proxy":"","proxyPassword":"","sendInClear":false,"catalogUrl":"","catalogFrom":"","catalogAt":0}`
	more := `"saved":null,"historyId":0,"view":{},"requestId":0,"version":1,"closed":0}`
	want := `{"dataFolder":"` + h.dir + `","desktop":false,"folders":false,"formats":` +
		jsonOf(transfer.Shown(exchange.Formats)) +
		`,"keyring":false,"languages":` + jsonOf(snippet.Languages) + `,"notice":null,"portal":` + portal +
		`,"portals":[` + portal + `],"rehearsals":false,` +
		`"settings":{"theme":"dark"},` +
		`"tabs":[{"id":2,"position":1,"name":"first","pinned":false,"draft":` + draft + `,` + more + `,` +
		`{"id":1,"position":2,"name":"second","pinned":false,"draft":` + draft + `,` + more + `],` +
		`"tray":false,` +
		`"user":{"csrfToken":"` + csrfSecret +
		`","id":1,"name":"user1","rights":["read on deviceGroup","write on settings: x","none: no sign-in needed",` +
		`"write on explorer"],"role":"administrator"},` +
		`"variables":[{"id":1,"name":"x","value":"********","secret":true,"scope":"portal",` +
		`"environmentId":0,"changedOn":0}],` +
		`"version":"0.1.0","environments":[]}`
	a.body = regexp.MustCompile(`"changedOn":\d+`).ReplaceAllString(a.body, `"changedOn":0`)
	if a.status != 200 || a.body != want {
		t.Errorf("got  %d %s\nwant %s", a.status, a.body, want)
	}
	if a := h.call(0, "GET /explorer/start", ""); a.status != 200 || !strings.Contains(a.body, `"tabs":[]`) {
		t.Errorf("another user got %s", a.body)
	}
}

func jsonOf(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(text)
}

func TestCatalogListsTheEndpointsOfThePortal(t *testing.T) {
	h := build(t)
	a := h.call(1, "GET /explorer/catalog", "")
	var got struct {
		Categories []struct {
			Name      string
			Endpoints []struct{ ID string }
		}
	}
	if err := json.Unmarshal([]byte(a.body), &got); err != nil {
		t.Fatal(a.body)
	}
	var names []string
	for _, c := range got.Categories {
		names = append(names, "# "+c.Name)
		for _, e := range c.Endpoints {
			names = append(names, e.ID)
		}
	}
	want := []string{"# Devices", "GET /device/devices/{id}", "POST /device/devices", "DELETE /device/devices/{id}",
		"# Alerts", "GET /alert/alerts", "# Settings", "POST /session"}
	if !slices.Equal(names, want) {
		t.Errorf("got %v, want %v", names, want)
	}
	one := `{"id":"POST /device/devices","method":"POST","path":"/device/devices","category":"Devices",` +
		`"summary":"Add a device","noun":"device","doc":"Adds it.",` +
		`"permission":"write on settings: x","admin":true,"deprecated":false,"params":[],` +
		`"body":{"type":"object","properties":[{"name":"name","required":true,"type":"string",` +
		`"doc":"What it is called"},{"name":"password","type":"string","format":"password"},{"name":"pin",` +
		`"type":"string","format":"password"}]},` +
		`"answer":null,"status":201,"errors":[{"status":409,"when":"the name is taken"}],` +
		`"example":{"path":"/device/devices","query":[{"key":"a","value":"b"}],` +
		`"body":"{\n  \"name\": \"<web>\",\n  \"tags\": [\n    1\n  ]\n}"}}`
	if !strings.Contains(a.body, one) {
		t.Errorf("the catalog is %s\nwithout %s", a.body, one)
	}
	param := `"params":[{"name":"id","in":"path","type":"integer","required":true,"doc":"Which","example":7}]`
	if !strings.Contains(a.body, param) {
		t.Errorf("the catalog is %s\nwithout %s", a.body, param)
	}
	if a.header.Get("ETag") == "" {
		t.Error("the catalog has no ETag")
	}
}

func TestDocumentIsReadInRows(t *testing.T) {
	h := build(t)
	r := h.send(1, `{"path":"/alert/alerts"}`)
	at := "/explorer/documents/" + r.Document
	for _, tt := range []struct{ do, body, want string }{
		{"GET " + at + "/rows?from=1&count=1", "", `{"rows":[{"node":9,"line":2,"depth":1,"kind":"number",` +
			`"key":"total","text":"1204","count":0,"open":false,"comma":true}],"total":16}`},
		{"GET " + at + "/lines?from=0&count=5", "", `{"lines":["{\"total\":1204,\"searchId\":null,` +
			`\"items\":[{\"id\":1},{\"id\":2},{\"id\":3}],\"data\":null}"],"numbers":[1],"total":1}`},
		{"GET " + at + "/path?node=9", "", `{"path":"$.total"}`},
		{"GET " + at + "/value?node=9", "", `1204`},
		{"GET " + at + "/raw", "", `{"total":1204,"searchId":null,"items":[{"id":1},{"id":2},{"id":3}],"data":null}`},
		{"POST " + at + "/toggle", `{"node":-1,"open":false,"deep":true,"count":0}`, `{"rows":[],"total":6}`},
		{"GET " + at + "/find?query=3&from=0", "", `{"count":1,"index":0,"node":63,"path":"$.items[2].id","row":7,` +
			`"total":12}`},
		{"GET " + at + "/left", "", `{"left":"0+ 12+ 1l+"}`},
		{"POST " + at + "/toggle", `{"node":-1,"open":true,"deep":true,"count":0}`, `{"rows":[],"total":16}`},
		{"POST " + at + "/unfold", `{"left":"0+ 12+ 1l+","count":0}`, `{"rows":[],"total":12}`},
		{"POST " + at + "/toggle", `{"node":-1,"open":true,"deep":true,"count":0}`, `{"rows":[],"total":16}`},
		{"POST " + at + "/toggle", `{"node":0,"open":false,"deep":false,"from":0,"count":1}`,
			`{"rows":[{"node":0,"line":1,"depth":0,"kind":"object","count":4,"open":false,` +
				`"preview":"{ total: 1204, searchId: null, items: […], data: null }","comma":false}],"total":1}`},
	} {
		if a := h.call(1, tt.do, tt.body); a.status != 200 || a.body != tt.want {
			t.Errorf("%s %s\n got %d %s\nwant %s", tt.do, tt.body, a.status, a.body, tt.want)
		}
	}
	for _, do := range []string{"GET " + at + "/rows", "GET " + at + "/raw"} {
		if a := h.call(2, do, ""); a.status != 404 {
			t.Errorf("another user: %s returned %d", do, a.status)
		}
	}
	if a := h.call(1, "GET "+at+"/rows?from=x", ""); h.fault(a) != "from: from must be a whole number" {
		t.Errorf("got %s", a.body)
	}
}

func TestWindowsOfOneUserReceiveChanges(t *testing.T) {
	h := build(t)
	one, two, other := h.listen(1), h.listen(1), h.listen(2)
	for _, change := range []struct{ do, body, kind string }{
		{"POST /explorer/tabs", `{}`, "tabs"}, {"POST /explorer/variables", `{"name":"x"}`, "variables"},
		{"PATCH /explorer/settings", `{"a":1}`, "settings"}, {"DELETE /explorer/history", ``, "history"},
	} {
		h.call(1, change.do, change.body)
		for _, events := range []<-chan string{one, two} {
			if got, want := next(t, events), `workspace {"kind":"`+change.kind+`"}`; got != want {
				t.Errorf("got %s, want %s", got, want)
			}
		}
	}
	h.Stop()
	if got := next(t, other); got != "the end" {
		t.Errorf("another user received %s", got)
	}
}

// hears waits until user 1's event streams receive events.
func (h *fixture) hears(streams ...<-chan string) {
	h.t.Helper()
	h.call(1, "PATCH /explorer/settings", `{"a":1}`)
	for _, events := range streams {
		if got, want := next(h.t, events), `workspace {"kind":"settings"}`; got != want {
			h.t.Fatalf("got %s, want %s", got, want)
		}
	}
}

func TestExternalLinkOpensInOnePage(t *testing.T) {
	h := build(t)
	h.OpenLinks([]string{"spyglass://monitor/alerts/12", "spyglass://device/x"}) // before the page has loaded
	mine := h.listen(window)
	for _, want := range []string{
		`link {"screen":"alerts","id":"12"}`,
		`link {"problem":"“spyglass://device/x” cannot be opened: add the id of the device, as in ` +
			`spyglass://device/7"}`,
	} {
		if got := next(t, mine); got != want {
			t.Errorf("the window received %s, want %s", got, want)
		}
	}
	browser := h.listen(1)
	h.hears(browser)
	h.OpenLinks([]string{"spyglass://api/GET/device/devices?size=5"})
	if got, want := next(t, mine),
		`link {"call":{"method":"GET","path":"/device/devices","query":[{"key":"size","value":"5"}]}}`; got != want {
		t.Errorf("the window received %s, want %s", got, want)
	}
	h.Stop()
	if got := next(t, browser); got != "the end" {
		t.Errorf("a browser beside the window received %s", got)
	}
}

func TestLinkOpensInTheNewestPageIfThereIsNoWindow(t *testing.T) {
	h := build(t)
	first := h.listen(1)
	h.hears(first)
	last := h.listen(1)
	h.hears(last, first)
	h.OpenLinks([]string{"spyglass://monitor"})
	if got := next(t, last); got != `link {"screen":"overview"}` {
		t.Errorf("it received %s", got)
	}
	h.Stop()
	if got := next(t, first); got != "the end" {
		t.Errorf("the other one received %s", got)
	}
}

func TestLinksOpenOnTheDesktop(t *testing.T) {
	h := build(t)
	if a := h.call(window, "POST /explorer/native/open-link", `{"url":"https://example.net/"}`); a.status != 200 ||
		!slices.Equal(h.links, []string{"https://example.net/"}) {
		t.Errorf("got %d %s, opened %v", a.status, a.body, h.links)
	}
}

func TestEndpointSwitchesTheWindowToFullScreen(t *testing.T) {
	h := build(t)
	for _, full := range []bool{true, false} {
		if a := h.call(window, "POST /explorer/native/full-screen", ``); a.status != 200 || h.full != full {
			t.Errorf("got %d %s, and the window fills the screen: %v, want %v", a.status, a.body, h.full, full)
		}
	}
}

func TestWindowHasTheTitleOfThePage(t *testing.T) {
	h := build(t)
	if a := h.call(window, "POST /explorer/native/title", `{"title":"Fleet · Acme · Spyglass"}`); a.status != 200 ||
		h.title != "Fleet · Acme · Spyglass" {
		t.Errorf("got %d %s, and the title is %q", a.status, a.body, h.title)
	}
}

func TestWindowOpensAFolderDialog(t *testing.T) {
	h := build(t)
	for _, path := range []string{"/home/u/fleet", ""} {
		h.saveTo = path
		a := h.call(window, "POST /explorer/native/choose-folder", `{"title":"Sync with a folder"}`)
		if a.status != 200 || strings.TrimSpace(a.body) != `{"path":"`+path+`"}` {
			t.Errorf("choosing %q responds %d %s", path, a.status, a.body)
		}
	}
	if !slices.Equal(h.dialogs, []string{"Sync with a folder", "Sync with a folder"}) {
		t.Errorf("the titles are %q", h.dialogs)
	}
}

func TestEndpointClosesTheWindow(t *testing.T) {
	h := build(t)
	if a := h.call(window, "POST /explorer/native/quit", ``); a.status != 200 || h.quits != 1 {
		t.Errorf("got %d %s, and the window was closed %d times", a.status, a.body, h.quits)
	}
	if a := h.call(window, "POST /explorer/native/quit", ``, "X-CSRF-Token", "wrong"); a.status != 403 || h.quits != 1 {
		t.Errorf("without the token: %d %s, and the window was closed %d times", a.status, a.body, h.quits)
	}
}

func TestInvalidRequestsAreRefused(t *testing.T) {
	h := build(t)
	for _, tt := range []struct{ do, body, want string }{
		{"POST /explorer/send", `{"sendID":"x","draft":{}}`, `sendID: request has no field`},
		{"POST /explorer/send", `{"sendId":"x"}`, `draft: draft is required`},
		{"POST /explorer/preview", `{"draft":{"query":[{"on":"yes"}]}}`, `draft: draft does not have the documented ` +
			`shape`},
		{"POST /explorer/documents/x/toggle", `{"node":0}`, `open: open is required`},
		{"POST /explorer/documents/x/unfold", `{}`, `left: left is required`},
	} {
		if got := h.fault(h.call(1, tt.do, tt.body)); !strings.HasPrefix(
			got, strings.Split(tt.want, " request has")[0]) {
			t.Errorf("%s %s: got %s, want %s", tt.do, tt.body, got, tt.want)
		}
	}
}

func TestDesktopEndpointsAreForTheWindowOnly(t *testing.T) {
	h := build(t)
	endpoints := 0
	for _, e := range h.Endpoints() {
		if !strings.HasPrefix(e.Path, "/native/") {
			continue
		}
		endpoints++
		for _, user := range []int{1, stranger} {
			body := map[string]string{"/native/open-link": `{"url":"https://example.net/"}`,
				"/native/save": `{"name":"x","text":"y"}`, "/native/title": `{"title":"x"}`,
				"/native/choose-folder": `{"title":"x"}`, "/native/autostart": `{"on":true}`}[e.Path]
			if a := h.call(user, e.Method+" /explorer"+e.Path, body); a.status != 403 {
				t.Errorf("%s of user %d returned %d %s", e.Path, user, a.status, a.body)
			}
		}
	}
	if endpoints != 10 || h.links != nil || h.dialogs != nil || h.full || h.title != "" || h.quits+h.restarts > 0 ||
		h.atSignIn.on {
		t.Errorf("%d endpoints; what happened: %v %v %v %q %d %d %t", endpoints, h.links, h.dialogs, h.full, h.title,
			h.quits, h.restarts, h.atSignIn.on)
	}
	if a := h.call(windowed, "POST /explorer/native/save", `{"name":"x","text":"y"}`); a.status != 200 ||
		len(h.dialogs) != 1 {
		t.Errorf("saving in the window by who signed in there later: %d %s", a.status, a.body)
	}
	if a := h.call(windowed, "POST /explorer/native/quit", ""); a.status != 204 && a.status != 200 || h.quits != 1 {
		t.Errorf("quitting in the window by who signed in there later: %d %s", a.status, a.body)
	}
	for user, want := range map[int]string{1: `"desktop":false`, stranger: `"desktop":false`, window: `"desktop":true`,
		windowed: `"desktop":true`} {
		if a := h.call(user, "GET /explorer/start", ""); !strings.Contains(a.body, want) {
			t.Errorf("the start of user %d lacks %s", user, want)
		}
	}
}
