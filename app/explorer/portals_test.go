package explorer_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// faraway is a portal on another machine.
func faraway(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	switch {
	case r.Method == "POST" && r.URL.Path == "/api/session":
		var in struct{ Username, Password, Code string }
		if json.NewDecoder(r.Body).Decode(&in) != nil || in.Password != "pa55word-there" {
			w.WriteHeader(401)
			fmt.Fprint(w, `{"errorMessage":"no"}`)
			return
		}
		state := map[string]string{"": "required", "000000": "wrong"}[in.Code]
		if in.Username == "coded" && state != "" {
			w.WriteHeader(401)
			fmt.Fprintf(w, `{"errorMessage":"no","errorDetail":{"field":"code","secondFactor":%q}}`, state)
			return
		}
		if in.Username == "fresh" {
			fmt.Fprint(w, `{"username":"fresh","csrfToken":"f4r-csrf","must":"changePassword"}`)
			return
		}
		http.SetCookie(w, &http.Cookie{Name: "spyglass_zz", Value: "f4r-s3ss10n", HttpOnly: true})
		fmt.Fprint(w, `{"userId":3,"username":"operator","role":"manager","csrfToken":"f4r-csrf"}`)
	case r.URL.Path == "/api/openapi.json":
		fmt.Fprint(w, `{"openapi":"3.1.0","info":{"title":"t","version":"1"},"servers":[{"url":"/api"}],`+
			`"paths":{"/things/{id}":{"get":{"tags":["Things"],"summary":"Get a thing",`+
			`"description":"One of them.\n\nRight needed: read on things.","x-right":"read on things",`+
			`"parameters":[{"name":"id","in":"path","required":true,"schema":{"type":"integer"},"example":7}],`+
			`"responses":{"200":{"description":"ok",`+
			`"content":{"application/json":{"schema":{"$ref":"#/components/schemas/Thing"}}}}}}},`+
			`"/things":{"post":{"tags":["Things"],`+
			`"requestBody":{"content":{"application/json":{"schema":{"$ref":"#/components/schemas/Thing"}}}},`+
			`"responses":{"201":{"description":"made"}}}}},"components":{"schemas":{"Thing":{"type":"object",`+
			`"required":["name"],"properties":{"name":{"type":"string","example":"web"},"id":{"type":"integer",`+
			`"readOnly":true},"parent":{"$ref":"#/components/schemas/Thing"}}}}}}`)
	case r.URL.Path == "/api/away":
		http.Redirect(w, r, "http://127.0.0.2:1/api/things", http.StatusFound)
	case r.URL.Path == "/api/setting/version":
		fmt.Fprint(w, `{"version":"3.9.1","apiVersion":3}`)
	case r.URL.Path == "/api/session":
		fmt.Fprint(w, `{"username":"operator"}`)
	default:
		fmt.Fprintf(w, `{"cookie":%q,"csrf":%q,"authorization":%q}`, r.Header.Get("Cookie"),
			r.Header.Get("X-Csrf-Token"), r.Header.Get("Authorization"))
	}
}

func (h *fixture) addPortal(user int, body string) string {
	h.t.Helper()
	a := h.call(user, "POST /explorer/portals", body)
	var row struct{ ID int64 }
	if err := json.Unmarshal([]byte(a.body), &row); err != nil || row.ID == 0 {
		h.t.Fatalf("adding a portal returned %d %s", a.status, a.body)
	}
	return fmt.Sprint(row.ID)
}

// bodyAt sends a GET to a portal and returns the body.
func (h *fixture) bodyAt(user int, portal, path string) string {
	h.t.Helper()
	a := h.call(user, "POST /explorer/send?portal="+portal, `{"sendId":"s","draft":{"method":"GET","path":"`+path+`"}}`)
	var r reply
	if err := json.Unmarshal([]byte(a.body), &r); err != nil || a.status != 200 {
		h.t.Fatalf("%s returned %d %s", path, a.status, a.body)
	}
	return h.body(user, r.Document)
}

func TestRemoteSignInKeepsSecretsInTheKeyring(t *testing.T) {
	h := build(t)
	far := httptest.NewServer(http.HandlerFunc(faraway))
	defer far.Close()
	id := h.addPortal(1, `{"name":"Far","baseUrl":"`+far.URL+`/api/"}`)

	if a := h.call(1, "POST /explorer/portals/"+id+"/session",
		`{"username":"operator","password":"wrong"}`); a.status != 400 ||
		!strings.Contains(a.body, "Far does not accept this user name and password") {
		t.Errorf("a wrong password returned %d %s", a.status, a.body)
	}
	const there = `,"password":"pa55word-there"`
	for login, want := range map[string]string{
		`"username":"coded","password":"wrong"`:      "does not accept this user name and password",
		`"username":"coded"` + there:                 "Far requires a code of your authenticator app",
		`"username":"coded","code":"000000"` + there: "Far does not accept this code; type the next one",
		`"username":"fresh"` + there: "Far requires a new password or a second factor first; sign in on its own " +
			"page once",
		`"username":"coded","code":"123456"` + there: `"user":"operator"`,
	} {
		if a := h.call(1, "POST /explorer/portals/"+id+"/session", "{"+login+"}"); !strings.Contains(a.body, want) ||
			(a.status == 200) != strings.HasPrefix(want, `"user"`) {
			t.Errorf("%s returned %d %s", login, a.status, a.body)
		}
	}
	if a := h.call(1, "POST /explorer/portals/"+id+"/session",
		`{"username":"operator","password":"pa55word-there"}`); a.status != 200 ||
		!strings.Contains(a.body, `"user":"operator"`) {
		t.Fatalf("the sign-in returned %d %s", a.status, a.body)
	}
	if got, want := h.bodyAt(1, id, "/things/7"),
		`{"cookie":"spyglass_zz=f4r-s3ss10n","csrf":"","authorization":""}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if a := h.call(2, "POST /explorer/send?portal="+id,
		`{"sendId":"s","draft":{"method":"GET","path":"/x"}}`); a.status != 404 {
		t.Errorf("another user's portal returned %d %s", a.status, a.body)
	}
	token := h.addPortal(1, `{"name":"Token","baseUrl":"`+far.URL+`/api","auth":"token","secret":"t0k3n-0f-far"}`)
	if got := h.bodyAt(1, token, "/things/7"); !strings.Contains(got, `"authorization":"Bearer t0k3n-0f-far"`) {
		t.Errorf("the token did not go out: %s", got)
	}
	if a := h.call(1, "GET /explorer/portals/all", ""); strings.Contains(a.body, "t0k3n-0f-far") ||
		strings.Contains(a.body, "f4r-") || !strings.Contains(a.body, `"secret":"********"`) {
		t.Errorf("the list is %s", a.body)
	}
	if a := h.call(1, "PATCH /explorer/portals/"+token, `{"baseUrl":"http://127.0.0.1:1/api"}`); !strings.Contains(
		a.body, `"secret":""`) {
		t.Errorf("a credential stayed with another address: %s", a.body)
	}
	for _, name := range []string{"workspace.db", "workspace.db-wal"} {
		file, err := os.ReadFile(filepath.Join(h.dir, name))
		if err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		for _, secret := range []string{"t0k3n-0f-far", "f4r-s3ss10n", "f4r-csrf", "pa55word-there"} {
			if strings.Contains(string(file), secret) {
				t.Errorf("%s holds %s", name, secret)
			}
		}
	}
	if a := h.call(1, "DELETE /explorer/portals/"+id+"/session", ""); !strings.Contains(a.body,
		`"account":"operator"`) || !strings.Contains(a.body, `"user":""`) {
		t.Errorf("without the session it is forgotten who signed in: %s", a.body)
	}
	if a := h.call(1, "DELETE /explorer/portals/"+id, ""); a.status != 200 {
		t.Fatalf("deleting returned %d %s", a.status, a.body)
	}
	if len(h.secrets.values) != 0 {
		t.Errorf("the keyring still holds %d secrets", len(h.secrets.values))
	}
}

func TestTabsVariablesAndHistoryBelongToAPortal(t *testing.T) {
	h := build(t)
	far := httptest.NewServer(http.HandlerFunc(faraway))
	defer far.Close()
	id := h.addPortal(1, `{"name":"Far","baseUrl":"`+far.URL+`/api","auth":"none"}`)
	for _, at := range []string{"", "?portal=" + id} {
		h.call(1, "POST /explorer/tabs"+at, `{"name":"tab at `+at+`"}`)
		if a := h.call(1, "POST /explorer/variables"+at, `{"name":"host","value":"x"}`); a.status != 201 &&
			a.status != 200 {
			t.Errorf("a variable of the same name at another portal returned %d %s", a.status, a.body)
		}
	}
	h.call(1, "POST /explorer/variables?portal="+id, `{"name":"everywhere","value":"x","scope":"global"}`)
	h.bodyAt(1, id, "/things/1")
	for _, tt := range []struct{ do, want string }{
		{"GET /explorer/tabs?fields=name", `"total":1,"searchId":null,"items":[{"name":"tab at "}]`},
		{"GET /explorer/tabs?fields=name&portal=" + id, `"items":[{"name":"tab at ?portal=` + id + `"}]`},
		{"GET /explorer/variables?fields=name", `"total":2,"searchId":null,"items":[{"name":"host"},` +
			`{"name":"everywhere"}]`},
		{"GET /explorer/variables?fields=name&portal=" + id, `"total":2`},
		{"GET /explorer/history?fields=path", `"total":0`},
		{"GET /explorer/history?fields=path&portal=" + id, `"items":[{"path":"/things/1"}]`},
	} {
		if a := h.call(1, tt.do, ""); !strings.Contains(a.body, tt.want) {
			t.Errorf("%s returned %s\nwant %s", tt.do, a.body, tt.want)
		}
	}
	h.call(1, "PATCH /explorer/settings", `{"activePortal":`+id+`}`)
	if a := h.call(1, "GET /explorer/start", ""); !strings.Contains(a.body, `"portal":{"id":`+id+`,"name":"Far"`) ||
		!strings.Contains(a.body, `"readOnly":true`) {
		t.Errorf("the start is %s", a.body)
	}
	h.call(1, "DELETE /explorer/portals/"+id, "")
	if a := h.call(1, "GET /explorer/start", ""); !strings.Contains(a.body, `"portal":{"id":0,"name":"Demo portal"`) ||
		strings.Contains(a.body, "?portal=") {
		t.Errorf("after deleting, the start is %s", a.body)
	}
}

func TestCatalogOfARemotePortalComesFromItsOpenAPI(t *testing.T) {
	h := build(t)
	far := httptest.NewServer(http.HandlerFunc(faraway))
	id := h.addPortal(1, `{"name":"Far","baseUrl":"`+far.URL+`/api","auth":"none"}`)
	if a := h.call(1, "POST /explorer/portals/"+id+"/catalog", ""); !strings.Contains(a.body, `"catalogFrom":"`+far.URL+
		`/api/openapi.json"`) {
		t.Fatalf("reading the catalog returned %d %s", a.status, a.body)
	}
	far.Close()
	a := h.call(1, "GET /explorer/catalog?portal="+id, "")
	for _, want := range []string{
		`"name":"Things"`, `"id":"GET /things/{id}"`, `"doc":"One of them."`, `"permission":"read on things"`,
		`"path":"/things/7"`, `"id":"POST /things"`, `"status":201`,
		`"body":"{\n  \"name\": \"web\",\n  \"parent\": {}\n}"`,
	} {
		if !strings.Contains(a.body, want) {
			t.Errorf("the catalog lacks %s: %s", want, a.body)
		}
	}
	if a := h.call(1, "GET /explorer/catalog", ""); strings.Contains(a.body, "Things") {
		t.Error("the built-in portal shows another one's catalog")
	}
}

func TestPortalIsTestedBeforeItIsSaved(t *testing.T) {
	h := build(t)
	far := httptest.NewServer(http.HandlerFunc(faraway))
	defer far.Close()
	secure := httptest.NewTLSServer(http.HandlerFunc(faraway))
	defer secure.Close()
	secure.Config.ErrorLog = nil
	page := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, "<html>")
	}))
	defer page.Close()
	try := func(base, more string) answer {
		return h.call(1, "POST /explorer/portals/test", `{"name":"x","auth":"none","baseUrl":"`+base+`"`+more+`}`)
	}
	if a := try(far.URL+"/api", ""); !strings.Contains(a.body, `"version":"3.9.1","user":"operator","sentence":"",`+
		`"ok":true`) {
		t.Errorf("a portal returned %d %s", a.status, a.body)
	}
	a := try(secure.URL+"/api", "")
	print := fingerprint(secure)
	if a.status != 502 || !strings.Contains(a.body, "is not signed by an authority that this computer trusts") ||
		!strings.Contains(a.body, print) {
		t.Errorf("an unknown certificate returned %d %s, want %s in it", a.status, a.body, print)
	}
	if a := try(secure.URL+"/api", `,"fingerprint":"`+print+`"`); !strings.Contains(a.body, `"ok":true`) {
		t.Errorf("an accepted certificate returned %d %s", a.status, a.body)
	}
	if a := try(secure.URL+"/api", `,"fingerprint":"`+strings.Repeat("0", 64)+`"`); a.status != 502 {
		t.Errorf("another certificate than the accepted one returned %d %s", a.status, a.body)
	}
	for base, want := range map[string]string{
		page.URL + "/api":              "it is not an API (text/html)",
		h.base + "/api":                "is this Spyglass itself",
		"http://169.254.169.254/":      "is a multicast, link-local or metadata address",
		"http://no-such-host.invalid/": "no-such-host.invalid",
		"ftp://x":                      "an address must begin with http:// or https://",
	} {
		if a := try(base, `,"proxy":"none"`); !strings.Contains(a.body, want) {
			t.Errorf("%s returned %d %s, want %s", base, a.status, a.body, want)
		}
	}
}

func TestAddressWithoutAPathFindsTheAPI(t *testing.T) {
	h := build(t)
	for _, mount := range []string{"/api", "/santaba/rest"} {
		far := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if path, ok := strings.CutPrefix(r.URL.Path, mount); ok {
				r.URL.Path = "/api" + path
				faraway(w, r)
				return
			}
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprint(w, "<html>")
		}))
		for base, want := range map[string]string{
			far.URL:             `"ok":true,"baseUrl":"` + far.URL + mount + `"`,
			far.URL + "/":       `"ok":true,"baseUrl":"` + far.URL + mount + `"`,
			far.URL + "/portal": `"ok":false,"baseUrl":"` + far.URL + `/portal"`,
		} {
			if a := h.call(1, "POST /explorer/portals/test", `{"name":"x","auth":"none","baseUrl":"`+base+
				`"}`); !strings.Contains(a.body, want) {
				t.Errorf("%s returned %d %s, want %s", base, a.status, a.body, want)
			}
		}
		far.Close()
	}
}

func TestSignInAtAWrongAddressReportsTheAddress(t *testing.T) {
	h := build(t)
	far := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(405) }))
	defer far.Close()
	id := h.addPortal(1, `{"name":"Far","baseUrl":"`+far.URL+`"}`)
	a := h.call(1, "POST /explorer/portals/"+id+"/session", `{"username":"operator","password":"pa55word-there"}`)
	if want := "there is no sign-in at " + far.URL; !strings.Contains(a.body, want) || a.status != 502 {
		t.Errorf("a sign-in returned %d %s, want %s", a.status, a.body, want)
	}
}

func TestRedirectToAnotherHostIsShownAndGetsNoCredential(t *testing.T) {
	h := build(t)
	far := httptest.NewServer(http.HandlerFunc(faraway))
	defer far.Close()
	id := h.addPortal(1, `{"name":"Far","baseUrl":"`+far.URL+`/api","auth":"token","secret":"t0k3n"}`)
	a := h.call(1, "POST /explorer/send?portal="+id, `{"sendId":"s","draft":{"method":"GET","path":"/away"}}`)
	if !strings.Contains(a.body, `"status":302`) || !strings.Contains(a.body, "http://127.0.0.2:1/api/things") {
		t.Errorf("a redirect returned %s", a.body)
	}
}

// fingerprint returns the SHA-256 of a server's certificate.
func fingerprint(s *httptest.Server) string {
	sum := sha256.Sum256(s.Certificate().Raw)
	return hex.EncodeToString(sum[:])
}

func TestRemoteResponsesAreStoredWithoutSecrets(t *testing.T) {
	h := build(t)
	far := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(`{"apiKey":"k3y-0f-far","props":[{"name":"snmp.community","value":"c0mmunity"}],"n":1}`))
	}))
	defer far.Close()
	for _, auth := range []string{`"auth":"none"`, `"auth":"token","secret":"t0k3n-0f-far"`} {
		id := h.addPortal(1, `{"name":`+strconv.Quote("Far "+auth)+`,"baseUrl":"`+far.URL+`/api",`+auth+`}`)
		a := h.call(1, "POST /explorer/send?portal="+id, `{"sendId":"s","draft":{"method":"GET","path":"/x"}}`)
		var live reply
		if err := json.Unmarshal([]byte(a.body), &live); err != nil {
			t.Fatal(err)
		}
		if got := h.body(1, live.Document); !strings.Contains(got, "k3y-0f-far") ||
			strings.Contains(a.body, "were masked") {
			t.Errorf("%s: the response that is shown is %s", auth, got)
		}
		a = h.call(1, fmt.Sprintf("GET /explorer/history/%d/reply?portal=%s", live.HistoryID, id), "")
		var kept reply
		if err := json.Unmarshal([]byte(a.body), &kept); err != nil {
			t.Fatal(err)
		}
		const want = `{"apiKey":"********","props":[{"name":"snmp.community","value":"********"}],"n":1}`
		if got := h.body(1, kept.Document); got != want ||
			!strings.Contains(a.body,
				`"reading":"Secrets of this response were masked when it was stored in the history"`) {
			t.Errorf("%s: the response that is kept is %s\n%s", auth, got, a.body)
		}
	}
}
