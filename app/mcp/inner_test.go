package mcp

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"spyglass/app/explorer/catalog"
	"spyglass/app/explorer/outgoing"
	"spyglass/app/explorer/payload"
	"spyglass/backend/resource"
)

func TestSearchFindsEndpointsByDescription(t *testing.T) {
	all := []resource.Endpoint{
		{Method: "GET", Path: "/device/devices", Summary: "List devices", Category: "Devices"},
		{Method: "DELETE", Path: "/device/devices/{id}", Summary: "Delete a device", Category: "Devices"},
		{Method: "GET", Path: "/device/groups", Summary: "List device groups", Category: "Groups"},
		{Method: "GET", Path: "/sdt/sdts", Summary: "List maintenance windows", Category: "Alerts"},
		{Method: "GET", Path: "/setting/admins", Summary: "List users", Category: "Settings",
			Doc: "People who sign in."},
	}
	for query, want := range map[string]string{
		"all devices": "GET /device/devices", "delete device": "DELETE /device/devices/{id}",
		"groups of devices": "GET /device/groups", "maintenance": "GET /sdt/sdts",
		"who are the users": "GET /setting/admins",
		"deviceGroups":      "GET /device/groups", "people": "GET /setting/admins",
	} {
		if found := search(all, query, "", "", 1); len(found) != 1 || found[0].ID() != want {
			t.Errorf("%q finds %s, want %s", query, found[0].ID(), want)
		}
	}
	if found := search(all, "zebra", "", "", 5); len(found) != 0 {
		t.Errorf("zebra finds %v", found)
	}
	if found := search(all, "", "GET", "devices", 5); len(found) != 1 {
		t.Errorf("the method and the category find %d", len(found))
	}
}

func TestPathIsParsedAsModelsWriteIt(t *testing.T) {
	target := &outgoing.Target{URL: "http://127.0.0.1:8443/api", Catalog: &catalog.Catalog{}}
	target.Place()
	a := &toolCall{&Server{o: Options{Version: "1"}}, &Caller{Agent: "x) y\n(é"}, target}
	const base = "http://127.0.0.1:8443/api"
	for _, tt := range []struct {
		path          string
		params, query map[string]any
		want          string // the expected URL, or words of the expected error
	}{
		{path: "/device/devices", want: base + "/device/devices"},
		{path: base + "/device/devices", want: base + "/device/devices"},
		{path: "/api/device/devices?size=2", query: map[string]any{"offset": 4.0},
			want: base + "/device/devices?offset=4&size=2"},
		{path: "/apiary", want: base + "/apiary"},
		{path: "/d/{id}", params: map[string]any{"id": 7.0}, want: base + "/d/7"},
		{path: "/d/{id}", params: map[string]any{"id": "a/../b"}, want: base + "/d/a%2F..%2Fb"},
		{path: "/d/a b", want: base + "/d/a%20b"},
		{path: "/d", query: map[string]any{"filter": `name~"a&b"`, "on": true, "fields": []any{"a", "b"}},
			want: base + "/d?fields=a,b&filter=name~%22a%26b%22&on=true"},
		{path: "/d/{id}", want: "path_params"},
		{path: "/d/{id}", params: map[string]any{"id": ""}, want: "is empty"},
		{path: "/d/{id}", params: map[string]any{"id": ".."}, want: "must not contain"},
		{path: "/d/%2e%2E/x", want: "must not contain"},
		{path: "device", want: "begin with a slash"},
		{path: "//evil.example/x", want: "begin with a slash"},
		{path: "http://evil.example/x", want: "127.0.0.1:8443 only"},
		{path: "/d", query: map[string]any{"filter": map[string]any{}}, want: "must be a text"},
	} {
		out, err := a.request("GET", tt.path, tt.params, tt.query, "")
		switch {
		case strings.HasPrefix(tt.want, "http"):
			if err != nil || out.URL != tt.want || out.Header("User-Agent") != "Spyglass/1 (MCP; x y)" {
				t.Errorf("%s is %+v, %v", tt.path, out, err)
			}
		case err == nil || !strings.Contains(err.Error(), tt.want):
			t.Errorf("%s is %v, want %s", tt.path, err, tt.want)
		}
	}
}

func TestLongResponseIsTruncatedWithAHandleForTheRest(t *testing.T) {
	long := strings.Repeat("x", 1000)
	var items []string
	for i := range 200 {
		items = append(items, fmt.Sprintf(`{"id":%d,"text":"%s"}`, i, long))
	}
	for _, tt := range []struct {
		kind, body, note string
		most             int
	}{
		{"application/json", `{"total":200,"items":[` + strings.Join(items, ",") + `]}`, "first 58 of the 200 items",
			maxOutput},
		{"application/json", `{"id":1,"big":"` + strings.Repeat(long, 70) + `"}`, "too long for the result: big", 100},
		{"text/csv", strings.Repeat(long, 70), "of 70000 bytes", maxOutput + 10},
		{"application/pdf", "%PDF", "is a file", 10},
		{"application/json", `{"id":1}`, "", 10},
	} {
		shown, note := bounded(&http.Response{Header: http.Header{"Content-Type": {tt.kind}}}, []byte(tt.body))
		text, err := json.Marshal(shown)
		if err != nil || len(text) > tt.most || !strings.Contains(note, tt.note) || (note == "") != (tt.note == "") {
			t.Errorf("%s of %d bytes becomes %d bytes and %q", tt.kind, len(tt.body), len(text), note)
		}
	}
}

func TestHandlesAreLimitedAndExpire(t *testing.T) {
	var s handles
	now := time.Now()
	first := s.keep(&held{owner: "other", until: now.Add(time.Hour)})
	var mine []string
	for range mostOfOne + 5 {
		mine = append(mine, s.keep(&held{owner: "me", until: now.Add(time.Hour)}))
	}
	alive := func(owner string) func(string) bool {
		return func(handle string) bool { return s.find(owner, handle, now) != nil }
	}
	if slices.ContainsFunc(mine[:5], alive("me")) || !alive("me")(mine[5]) || !alive("other")(first) {
		t.Error("not the oldest handles of the owner with too many are dropped")
	}
	if s.find("other", mine[9], now) != nil || s.find("me", mine[9], now.Add(time.Hour)) != nil {
		t.Error("a handle works for another user, or for too long")
	}
	if s.take("me", mine[9], now) == nil || s.take("me", mine[9], now) != nil {
		t.Error("a handle is not taken exactly once")
	}
	for range 5 {
		s.keep(&held{owner: "big", bytes: mostHeld / 4, until: now.Add(time.Hour)})
	}
	if s.bytes > mostHeld || alive("other")(first) {
		t.Errorf("%d bytes are held", s.bytes)
	}
	o := &payload.Object{Values: map[string]json.RawMessage{"abc": json.RawMessage(`12345`)}}
	if n := sizeOf(o, nil, o); n != 16 {
		t.Errorf("the size is %d", n)
	}
}

func TestInProcessRequestBehavesLikeHTTP(t *testing.T) {
	var got *http.Request
	big := strings.Repeat("x", maxResponse)
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got = r
		w.Header().Set("X-Test", "1")
		switch r.URL.Path {
		case "/abort":
			panic(http.ErrAbortHandler)
		case "/big":
			for range 3 {
				if _, err := w.Write([]byte(big)); err != nil {
					panic(http.ErrAbortHandler)
				}
			}
		}
		w.WriteHeader(http.StatusTeapot)
	})
	i := inside{Portal{Handler: h, Address: func() string { return "127.0.0.1:8443" }}}
	trip := func(path string) (*http.Response, error) {
		return i.RoundTrip(httptest.NewRequest(http.MethodGet, "http://portal.example"+path, nil))
	}
	response, err := trip("/x?y=1")
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	if response.StatusCode != http.StatusTeapot || response.Header.Get("X-Test") != "1" ||
		got.Host != "127.0.0.1:8443" ||
		got.RequestURI != "/x?y=1" || got.RemoteAddr != "127.0.0.1:0" {
		t.Errorf("%d, %+v", response.StatusCode, got)
	}
	if response, err = trip("/abort"); err == nil {
		response.Body.Close()
		t.Error("a response that breaks off is whole")
	}
	if response, err = trip("/big"); err != nil || response.ContentLength != maxResponse+1 {
		t.Errorf("a response that is too long has %d bytes, %v", response.ContentLength, err)
	}
	response.Body.Close()
}

func TestAddressesThatLeakTheTokenAreRefused(t *testing.T) {
	for address, want := range map[string]string{
		"":                               "--portal must be an address",
		"ftp://portal.example":           "--portal must be an address",
		"https://user:pw@portal.example": "--portal must be an address",
		"http://portal.example":          "clear text",
	} {
		if _, err := newRemote(&Stdio{Portal: address}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q gives %v, want %s", address, err, want)
		}
	}
	for address, want := range map[string]string{
		"https://portal.example": "https://portal.example/api", "http://127.0.0.1:8443/": "http://127.0.0.1:8443/api",
		"https://portal.example/santaba/rest/": "https://portal.example/santaba/rest",
	} {
		if r, err := newRemote(&Stdio{Portal: address}); err != nil || r.base.URL != want {
			t.Errorf("%q gives %v, %v", address, r, err)
		}
	}
	if err := Run(t.Context(), Stdio{Portal: "http://127.0.0.1:1"}); err == nil ||
		!strings.Contains(err.Error(), TokenVariable) {
		t.Errorf("without a token it says %v", err)
	}
}

func TestFailedDeliveriesAreNotListedAsNotified(t *testing.T) {
	n := notified{Recipients: []string{"ola by email", "kari by email", "Hook", "Late", "old by email"}}
	n.correct([]delivery{
		{Recipient: "ola by email", State: "failed", Error: "the mail server refused it"},
		{Recipient: "kari by email", State: "failed", Error: "the mail server refused it"},
		{Address: "Hook", State: "throttled"},
		{Recipient: "Late", State: "waiting"},
		{Recipient: "Late", State: "failed", Error: "timeout"},
		{Recipient: "ola by email", State: "sent"}, // an earlier delivery succeeded
	})
	x := &explaining{out: &explanation{Notified: n}}
	const want = " Notified: ola by email and old by email. Waiting to notify: Late." +
		" Could not notify: kari by email (the mail server refused it) and Hook (throttled)."
	if said := x.receivers(); said != want {
		t.Errorf("the text is %q, want %q", said, want)
	}
	none := notified{Recipients: []string{"kari by email"}}
	none.correct([]delivery{{Recipient: "kari by email", State: "failed", Error: "timeout"}})
	x.out.Notified = none
	if said := x.receivers(); said != " Could not notify: kari by email (timeout)." {
		t.Errorf("every delivery failed, but the text is %q", said)
	}
	x.out.Notified, x.unconfirmed = notified{Recipients: []string{"kari by email"}}, true
	if said := x.receivers(); said != " Recipients, delivery unknown: kari by email." {
		t.Errorf("the deliveries are unknown, but the text is %q", said)
	}
}

func TestSomeNamesStandForAll(t *testing.T) {
	names := strings.Split("a b c d e f g h i j", " ")
	for n, want := range map[int]string{
		1: "a", 2: "a and b", 8: "a, b, c, d, e, f, g and h", 9: "a, b, c, d, e, f, g, h and 1 other",
		60: "a, b, c, d, e, f, g, h and 52 others",
	} {
		if got := someOf(names[:min(n, len(names))], n); got != want {
			t.Errorf("%d names are %q, want %q", n, got, want)
		}
	}
}
