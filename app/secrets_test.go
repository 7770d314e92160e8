package app_test

import (
	"archive/zip"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/zalando/go-keyring"

	"spyglass/app"
	"spyglass/backend/server"
)

// buffer is a log for concurrent writers.
type buffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

// fixture is a complete portal with its Explorer, and a user's session in it.
type fixture struct {
	t            *testing.T
	app          *app.App
	folder       string
	log          *buffer
	cookie, csrf string
}

func open(t *testing.T) *fixture {
	t.Helper()
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", "")
	keyring.MockInit()
	h := &fixture{t: t, folder: filepath.Join(t.TempDir(), "data"), log: &buffer{}}
	a, err := app.Open(t.Context(), server.Options{
		Data: h.folder, Listen: "127.0.0.1:0", Version: "test", Demo: true, DemoDevices: 160, NoLimits: true,
		Twice: true,
		Log:   slog.New(slog.NewTextHandler(h.log, &slog.HandlerOptions{Level: slog.LevelDebug})),
	})
	if err != nil {
		t.Fatal(err)
	}
	h.app = a
	t.Cleanup(func() {
		if err := a.Stop(t.Context()); err != nil {
			t.Error(err)
		}
	})
	return h
}

// send sends a request with the user's session; headers come in pairs.
func (h *fixture) send(method, path, body string, headers ...string) (*http.Response, string) {
	h.t.Helper()
	r, err := http.NewRequestWithContext(h.t.Context(), method, h.app.Origin()+path, strings.NewReader(body))
	if err != nil {
		h.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	if h.cookie != "" {
		r.Header.Set("Cookie", h.cookie)
		r.Header.Set("X-CSRF-Token", h.csrf)
	}
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		h.t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		h.t.Fatal(err)
	}
	return response, string(text)
}

// stream is the path of the event stream, which never ends by itself.
const stream = "/events"

// listen opens a stream; the function it returns waits until the stream has
// ended, as it does when a group changes, and returns the events received.
func (h *fixture) listen(path string) (received func() string) {
	h.t.Helper()
	r, err := http.NewRequestWithContext(h.t.Context(), http.MethodGet, h.app.Origin()+path, nil)
	if err != nil {
		h.t.Fatal(err)
	}
	r.Header.Set("Cookie", h.cookie)
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		h.t.Fatal(err)
	}
	ended := make(chan string)
	go func() {
		defer response.Body.Close()
		text, _ := io.ReadAll(response.Body) // ignore how the stream ends
		ended <- string(text)
	}()
	return func() string { return <-ended }
}

// must sends a request that has to succeed, and decodes the response.
func (h *fixture) must(method, path, body string, into any) {
	h.t.Helper()
	response, text := h.send(method, path, body)
	if response.StatusCode >= 300 {
		h.t.Fatalf("%s %s: %s %s", method, path, response.Status, text)
	}
	if into != nil {
		if err := json.Unmarshal([]byte(text), into); err != nil {
			h.t.Fatal(err)
		}
	}
}

func (h *fixture) signIn(username, password string) (secret string) {
	h.t.Helper()
	response, text := h.send("POST", "/api/session", fmt.Sprintf(`{"username":%q,"password":%q}`, username, password))
	var who struct{ CSRFToken string }
	if err := json.Unmarshal([]byte(text), &who); err != nil || response.StatusCode != http.StatusOK {
		h.t.Fatal(response.Status, text)
	}
	cookie := response.Cookies()[0]
	h.cookie, h.csrf = cookie.Name+"="+cookie.Value, who.CSRFToken
	return cookie.Value
}

// draft returns the request body for the Explorer's send, preview and snippet
// endpoints.
func draft(method, path, body string, headers ...string) string {
	rows := []map[string]any{}
	for i := 0; i < len(headers); i += 2 {
		rows = append(rows, map[string]any{"on": true, "key": headers[i], "value": headers[i+1]})
	}
	text, _ := json.Marshal(
		map[string]any{"draft": map[string]any{"method": method, "path": path, "body": body, "headers": rows,
			"mode": "raw"}})
	return string(text)
}

// plantedNames are properties that hold secrets by their names, and properties
// lists them as JSON, each with a value that begins with "planted-".
var plantedNames = []string{
	"aws.secretkey", "azure.secretkey", "gcp.serviceaccountkey", "dbpassword", "mysqlpwd", "ssh.pwd", "wifi.psk",
	"MYSQLPASSWORD", "AWS_SECRETKEY",
	"snmp.authpass", "ldap.bindpw", "connectionstring", "oauth.bearer", "api.keys", "door.pin", "vpn.credentials",
}

func properties(secrets map[string]string) string {
	var list []string
	for i, name := range plantedNames {
		value := fmt.Sprintf("planted-name-%d", 80+i)
		secrets["property "+name] = value
		list = append(list, fmt.Sprintf(`{"name":%q,"value":%q}`, name, value))
	}
	return strings.Join(list, ",")
}

func TestNoOutputContainsPlantedSecrets(t *testing.T) {
	h := open(t)
	secrets := map[string]string{
		"property of a device": "planted-community-61", "property of a group": "planted-db-pass-62",
		"property of a collector":       "planted-agent-token-63",
		"password of a user":            "planted-horse-battery-64",
		"password of the administrator": h.app.Passwords["admin"],
		"wrong password":                "planted-mistyped-65", "secret variable": "planted-variable-66",
	}
	secrets["session cookie"] = h.signIn("admin", h.app.Passwords["admin"])
	secrets["CSRF token"] = h.csrf
	var token struct{ Bearer, AccessKey string }
	h.must("POST", "/api/setting/admins/1/apitokens", `{"note":"planted"}`, &token)
	secrets["bearer token"], secrets["LMv1 key"] = token.Bearer, token.AccessKey
	secrets["flagged property of a device"], secrets["flagged property of a group"] = "planted-flag-67",
		"planted-flag-68"
	named := properties(secrets)
	if len(secrets) != 13+len(plantedNames) {
		t.Fatalf("%d secrets, want %d", len(secrets), 13+len(plantedNames))
	}

	received := h.listen("/api" + stream)
	h.must("POST", "/explorer/variables", fmt.Sprintf(`{"name":"tok","value":%q,"secret":true}`,
		secrets["secret variable"]), nil)
	drafts := []string{
		draft("POST", "/device/devices", fmt.Sprintf(`{"name":"planted","customProperties":[{"name":"snmp.community",`+
			`"value":%q},{"name":"asset","value":%q,"secret":true},%s]}`, secrets["property of a device"],
			secrets["flagged property of a device"], named)),
		draft("PATCH", "/device/groups/25", fmt.Sprintf(`{"customProperties":[{"name":"db.pass","value":%q},`+
			`{"secret":true,"value":%q,"name":"shelf"}]}`, secrets["property of a group"],
			secrets["flagged property of a group"])),
		draft("PATCH", "/setting/collectors/2", fmt.Sprintf(`{"customProperties":[{"name":"agent.token","value":%q}]}`,
			secrets["property of a collector"])),
		draft("POST", "/setting/admins", fmt.Sprintf(`{"username":"planted","password":%q,"email":"p@example.net",`+
			`"roles":[{"name":"readonly"}]}`, secrets["password of a user"])),
		draft("POST", "/session", fmt.Sprintf(`{"username":"admin","password":%q}`, secrets["wrong password"])),
		draft("POST", "/session", fmt.Sprintf(`{"username":"admin","password":%q}`, secrets["password of the "+
			"administrator"])),
		draft("GET", "/device/devices?size=1&sort={{tok}}", ""),
		draft("GET", "/device/devices/{{tok}}", ""),
		draft("GET", "/device/devices?size=1&token="+secrets["secret variable"], "", "Authorization", "Bearer "+
			token.Bearer),
		draft("GET", "/device/devices?size=1", "", "Authorization", "Bearer {{tok}}"),
		draft("GET", "/session", "", "X-CSRF-Token", "Fetch"),
		draft("GET", "/device/devices?size=1", "", "X-CSRF-Token", h.csrf, "X-API-Key", token.AccessKey),
		draft("POST", "/device/devices", `{"name":"{{tok}}`),
	}
	for _, d := range drafts {
		if response, text := h.send("POST", "/explorer/send", d); response.StatusCode != http.StatusOK {
			t.Errorf("%s: %s %s", d, response.Status, text)
		}
	}

	outputs := h.outputs(token.Bearer)
	for _, d := range drafts {
		if strings.Contains(d, "planted-") || strings.Contains(d, token.Bearer) ||
			strings.Contains(d, token.AccessKey) || strings.Contains(d, h.csrf) ||
			strings.Contains(d, secrets["password of the administrator"]) {
			continue // the person just entered the secret
		}
		for _, path := range []string{"/explorer/preview", "/explorer/snippets"} {
			_, outputs[path+" "+d] = h.send("POST", path, d)
		}
	}
	h.must("POST", "/explorer/data/backup", "", nil)
	for _, path := range []string{"/explorer/data/diagnostics", "/explorer/data/backup"} {
		_, packed := h.send("GET", path, "")
		for name, text := range unzip(t, packed) {
			outputs["GET "+path+" "+name] = text
		}
	}
	if !strings.Contains(outputs["GET /explorer/data/diagnostics log.txt"], "level=") {
		t.Errorf("the diagnostics have no log: %q", outputs["GET /explorer/data/diagnostics log.txt"])
	}
	outputs["the log"], outputs["the stream"] = h.log.String(), received()
	if !strings.Contains(outputs["the stream"], "event: device") {
		t.Errorf("the stream sent only %q", outputs["the stream"])
	}
	for name, text := range files(t, h.folder) {
		outputs["file "+name] = text
	}
	if len(outputs) < 60 {
		t.Errorf("only %d outputs were searched", len(outputs))
	}
	for where, text := range outputs {
		if strings.Contains(where, "/program") {
			continue // here the program is the test binary, which contains the planted secrets
		}
		for what, secret := range secrets {
			if what == "CSRF token" && (where == "GET /explorer/start" || strings.Contains(where, "/session")) {
				continue // this response must contain the CSRF token
			}
			if holds(text, secret) {
				t.Errorf("%s: %s shows the %s", where, excerpt(text, secret), what)
			}
		}
	}
}

// outputs returns the responses of all readable endpoints, and of requests that
// name a secret.
func (h *fixture) outputs(bearer string) map[string]string {
	h.t.Helper()
	out := map[string]string{}
	read := func(path string) {
		_, out["GET "+path] = h.send("GET", path, "")
	}
	for _, e := range h.app.Endpoints() {
		if e.Method != http.MethodGet || e.Path == stream {
			continue
		}
		path := e.Path
		if e.Example.Path != "" {
			path = e.Example.Path
		}
		for _, mount := range []string{"/api", "/santaba/rest"} {
			read(mount + path)
			read(mount + path + "?size=1000")
		}
	}
	for _, path := range []string{"/device/devices?size=1000&filter=name:%22planted%22", "/device/groups/25",
		"/setting/collectors/2", "/setting/admins?size=1000", "/setting/admins/1/apitokens?size=1000"} {
		read("/api" + path)
	}
	for _, field := range []string{"customProperties.value", "inheritedProperties.value", "_all", "password",
		"bearerHash", "sealedKey"} {
		for _, path := range []string{"/device/devices", "/device/groups", "/setting/collectors", "/setting/admins"} {
			path = "/api" + path + "?filter=" + url.QueryEscape(field+`~"planted-"`) // prefix of every secret
			read(path)
			if found := out["GET "+path]; !strings.Contains(found, `"total":0,`) &&
				!strings.Contains(found, `"errorCode":1400`) {
				h.t.Errorf("%s finds secrets: %.300s", path, found)
			}
		}
	}
	for _, path := range []string{"/api/openapi.json", "/explorer/catalog", "/explorer/start", "/explorer/variables",
		"/explorer/tabs", "/explorer/settings", "/explorer/history?size=1000", "/explorer/about", "/explorer/data"} {
		read(path)
	}
	var history struct{ Items []struct{ ID int64 } }
	h.must("GET", "/explorer/history?size=1000", "", &history)
	for _, item := range history.Items {
		read(fmt.Sprintf("/explorer/history/%d", item.ID))
		read(fmt.Sprintf("/explorer/history/%d/reply", item.ID))
	}
	_, out["a wrong token"] = h.send("GET", "/api/session", "", "Authorization", "Bearer x"+bearer)
	return out
}

// unzip returns the contents of a ZIP, by name.
func unzip(t *testing.T, packed string) map[string]string {
	t.Helper()
	z, err := zip.NewReader(strings.NewReader(packed), int64(len(packed)))
	if err != nil {
		t.Fatalf("%v: %.200s", err, packed)
	}
	out := map[string]string{}
	for _, f := range z.File {
		in, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(in)
		if err != nil {
			t.Fatal(err)
		}
		out[f.Name] = string(text)
	}
	return out
}

// files returns the contents of all files below a folder.
func files(t *testing.T, folder string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		text, err := os.ReadFile(path)
		out[filepath.Base(path)] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// holds reports whether a text contains a secret, as plain text, in base64 or escaped for a
// URL.
func holds(text, secret string) bool {
	return strings.Contains(text, secret) || strings.Contains(text, url.QueryEscape(secret)) ||
		strings.Contains(text, base64.StdEncoding.EncodeToString([]byte(secret))[:len(secret)])
}

func excerpt(text, secret string) string {
	at := max(0, strings.Index(text, secret))
	return fmt.Sprintf("%q", text[max(0, at-80):min(len(text), at+len(secret)+20)])
}

func TestServedPortalDoesNotOpenLinks(t *testing.T) {
	h := open(t)
	h.signIn("viewer", h.app.Passwords["viewer"])
	response, text := h.send("POST", "/explorer/native/open-link", `{"url":"http://127.0.0.1:1/"}`)
	if want := `{"errorMessage":"this portal runs without a desktop; open the link yourself","errorCode":1409,` +
		`"errorDetail":null}`; response.StatusCode != http.StatusConflict || text != want {
		t.Errorf("%s %s, want %s", response.Status, text, want)
	}
}
