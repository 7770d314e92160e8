package main

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
)

// fleet is a collection in the Explorer's export format.
const fleet = `{"spyglass": 1, "name": "Fleet", "collections": [{"name": "Fleet", "requests": [
  {"name": "Groups", "draft": {"method": "GET", "path": "/device/groups", "query": [
    {"on": true, "key": "size", "value": "{{size}}"}], "checks": [
    {"on": true, "kind": "status", "op": "is", "value": "200"},
    {"on": true, "kind": "json", "target": "$.items[0].id", "op": "is", "value": "{{first}}"},
    {"on": true, "kind": "schema", "op": "declared"}]}},
  {"name": "One group", "draft": {"method": "GET", "path": "/device/groups/1", "checks": [
    {"on": true, "kind": "json", "target": "$.id", "op": "type", "value": "integer"}]}}]}],
  "variables": [{"name": "size", "value": "1"}, {"name": "first", "value": "1"}]}`

func write(t *testing.T, name, text string) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestCollectionRunsWithoutAWindow(t *testing.T) {
	program, data := compiled(t), filepath.Join(t.TempDir(), "data")
	r := serving(t, program, "--data", data, "--listen", "127.0.0.1:0")
	out, log, code := execute(t, "", program, "token", "create", "--data", data, "--user", "admin")
	var token struct{ Bearer string }
	if err := json.Unmarshal([]byte(out), &token); err != nil || code != 0 {
		t.Fatalf("token create prints %q and %q", out, log)
	}
	r.importFile(fleet)
	t.Setenv("SPYGLASS_TOKEN", token.Bearer)
	file := write(t, "fleet.spyglass.json", fleet)
	rows := write(t, "rows.csv", "size,first\n1,1\n2,2\n")

	out, log, code = execute(t, "", program, "run", file, "--portal", r.origin, "--report", "junit")
	if code != 0 || !strings.Contains(out, `<testsuites name="Fleet" tests="4" failures="0" errors="0" skipped="0"`) ||
		!strings.Contains(log, "ok      GET  One group  200") ||
		!strings.Contains(log, "2 of 2 requests sent, 0 failed") {
		t.Errorf("a run that passes ends with %d and prints\n%s\n%s", code, out, log)
	}
	report := filepath.Join(t.TempDir(), "report.json")
	out, log, code = execute(t, "", program, "run", file, "--portal", r.origin, "--var", "first=2", "--report", "json",
		"--out", report)
	text, err := os.ReadFile(report)
	if code != 1 || out != "" || err != nil || !strings.HasSuffix(log, "spyglass: 1 failed\n") ||
		!bytes.Contains(text, []byte(`"label": "JSON value $.items[0].id is {{first}}",`)) ||
		!bytes.Contains(text, []byte(`"expected": "2",`)) || !bytes.Contains(text, []byte(`"actual": "1",`)) {
		t.Errorf("a run that fails ends with %d, prints %q and %q, and writes %s (%v)", code, out, log, text, err)
	}
	out, log, code = execute(t, "", program, "run", file, "--portal", r.origin, "--data-file", rows, "--parallel", "2",
		"--report", "html")
	if code != 1 || !strings.Contains(out, "4 of 4 requests sent, 1 failed") || !strings.Contains(out, "row 2") ||
		!strings.Contains(log, "FAILED  row 2  GET  Groups  200") {
		t.Errorf("a run with rows ends with %d and prints\n%s\n%s", code, out, log)
	}
	// A folder of text files runs without a data folder.
	dir := filepath.Join(t.TempDir(), "fleet")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	inside := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	inside("collection.yaml", "spyglass: 1\nname: Fleet\nvariables:\n  size: \"1\"\n")
	inside("Groups.yaml", "name: Groups\nmethod: GET\npath: /device/groups\nquery:\n- {key: size, value: '{{size}}'}\n"+
		"checks:\n- kind: json\n  target: $.items[0].id\n  op: is\n  value: 1\n")
	out, log, code = execute(t, "", program, "run", dir, "--portal", r.origin, "--report", "junit")
	if code != 0 || !strings.Contains(out, `<testsuites name="Fleet" tests="1" failures="0"`) ||
		!strings.Contains(log, "ok      GET  Groups  200") {
		t.Errorf("a run of a folder ends with %d and prints\n%s\n%s", code, out, log)
	}
	inside("broken.yaml", "method: GET\n<<<<<<< HEAD\npath: /a\n")
	out, log, code = execute(t, "", program, "run", dir, "--portal", r.origin)
	if code != 2 || out != "" ||
		!strings.Contains(log, "broken.yaml, line 2: there is an unresolved conflict of git. Resolve it in an editor") {
		t.Errorf("a run of a broken folder ends with %d and prints\n%s\n%s", code, out, log)
	}
	for _, tt := range []struct{ args, says string }{
		{t.TempDir() + " --portal " + r.origin, "or a folder with a collection.yaml"},
		{"nowhere.json --portal " + r.origin, "there is no file nowhere.json."},
		{file + " --portal http://127.0.0.1:9", "FAILED  GET  Groups"},
		{file + " --portal tcp", `"tcp" is not the address of a portal`},
		{file + " --portal " + r.origin + " --report pdf", `there is no report "pdf"`},
		{file + " --portal " + r.origin + " --out x", "--out needs the format"},
		{file + " --portal " + r.origin + " --var x", `--var must be NAME=VALUE, not "x"`},
		{file + " --portal " + r.origin + " --parallel 0", "run 1 to 20 requests at a time, not 0"},
		{file + " --portal " + r.origin + " --data-file " + file, "the data file must be a JSON array of objects"},
		{rows + " --portal " + r.origin, "rows.csv has an unknown format"},
		{file + " --data " + t.TempDir(), "there is no portal in "},
		{file + " --unknown", "unknown flag"},
		{"", "COLLECTION is missing"},
	} {
		want := 2
		if strings.Contains(tt.says, "FAILED") {
			want = 1 // the portal does not respond, so each request fails
		}
		if out, log, code := execute(t, "", program, append([]string{"run"}, strings.Fields(tt.args)...)...); code !=
			want || out != "" || !strings.Contains(log, tt.says) {
			t.Errorf("run %s ends with %d, prints %q and %q", tt.args, code, out, log)
		}
	}
	for _, secret := range []string{log, string(text), out} {
		if strings.Contains(secret, token.Bearer) {
			t.Error("the token is in what a run writes")
		}
	}
	// While the portal of the data folder runs, it executes the run.
	out, log, code = execute(t, "", program, "run", "Fleet", "--data", data, "--var", "size=1", "--var", "first=2",
		"--data-file", write(t, "one.csv", "size\n1\n"), "--report", "junit")
	if code != 1 || !strings.Contains(out, `tests="4" failures="1"`) ||
		!strings.Contains(log, "FAILED  row 1  GET  Groups  200") || !strings.Contains(log, "spyglass: 1 failed") {
		t.Errorf("a run in the running portal ends with %d and prints\n%s\n%s", code, out, log)
	}
	if _, log, code = execute(t, "", program, "run", "Flet", "--data", data); code != 2 ||
		!strings.Contains(log, `there is no file and no collection "Flet"; the data folder has “Fleet”`) {
		t.Errorf("an unknown name in the running portal ends with %d: %s", code, log)
	}
	if _, code := r.end(); code != 0 {
		t.Fatal(r.log.String())
	}

	// Now the command starts the portal of the data folder only for the run.
	out, log, code = execute(t, "", program, "run", "Fleet", "--data", data, "--var", "size=1", "--var", "first=1",
		"--report", "junit")
	if code != 0 || !strings.Contains(out, `tests="4" failures="0"`) {
		t.Errorf("a run by name ends with %d and prints\n%s\n%s", code, out, log)
	}
	if _, log, code = execute(t, "", program, "run", "Flet", "--data", data); code != 2 ||
		!strings.Contains(log, `there is no file and no collection "Flet"; the data folder has “Fleet”`) {
		t.Errorf("an unknown name ends with %d: %s", code, log)
	}
}

// importFile imports a collection as the administrator.
func (r *running) importFile(text string) {
	r.t.Helper()
	r.signIn()("/explorer/exchange/import", map[string]any{"name": "fleet.spyglass.json", "text": text})
}

// signIn signs in as the administrator. It returns a function that sends POSTs as the page does.
func (r *running) signIn() (post func(path string, body any) map[string]any) {
	r.t.Helper()
	password := regexp.MustCompile(`admin password: (\S+)`).FindStringSubmatch(r.log.String())
	jar, err := cookiejar.New(nil)
	if err != nil || password == nil {
		r.t.Fatal(err, r.log.String())
	}
	browser, csrf := &http.Client{Jar: jar}, ""
	post = func(path string, body any) (reply map[string]any) {
		in, err := json.Marshal(body)
		if err != nil {
			r.t.Fatal(err)
		}
		request, err := http.NewRequestWithContext(r.t.Context(), "POST", r.origin+path, bytes.NewReader(in))
		if err != nil {
			r.t.Fatal(err)
		}
		request.Header.Set("Content-Type", "application/json")
		request.Header.Set("X-CSRF-Token", csrf)
		response, err := browser.Do(request)
		if err != nil {
			r.t.Fatal(err)
		}
		defer response.Body.Close()
		out, err := io.ReadAll(response.Body)
		if err != nil || response.StatusCode/100 != 2 || json.Unmarshal(out, &reply) != nil {
			r.t.Fatal(response.Status, string(out), err)
		}
		return reply
	}
	signedIn := post("/api/session", map[string]any{"username": "admin", "password": password[1]})
	csrf, _ = signedIn["csrfToken"].(string)
	return post
}

// places is a collection with environments.
const places = `{"spyglass": 1, "name": "Places", "collections": [{"name": "Places", "requests": [
  {"name": "One", "draft": {"method": "GET", "path": "/{{place}}", "checks": [
    {"on": true, "kind": "json", "target": "$.path", "op": "is", "value": "/api/{{want}}"}]}}]}],
  "variables": [{"name": "place", "value": "none"}, {"name": "want", "value": "first"}],
  "environments": [{"name": "First", "variables": [{"name": "place", "value": "first"}]},
    {"name": "Second", "variables": [{"name": "place", "value": "second"}, {"name": "want", "value": "second"}]}]}`

func TestRunWaitsForTheRateLimitAndUsesAnEnvironment(t *testing.T) {
	program := compiled(t)
	var requests atomic.Int64
	portal := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/api/first" && r.URL.Path != "/api/second" {
			http.NotFound(w, r)
			return
		}
		if requests.Add(1)%3 != 0 {
			w.Header().Set("Retry-After", "0")
			w.WriteHeader(http.StatusTooManyRequests)
			return
		}
		_, _ = w.Write([]byte(`{"path":"` + r.URL.Path + `"}`))
	}))
	t.Cleanup(portal.Close)
	file := write(t, "places.spyglass.json", places)
	for _, tt := range []struct {
		args, says string
		code       int
	}{
		{"", "ok      GET  One  200", 0},
		{"--env First", "ok      GET  One  200", 0},
		{"--env Second", "ok      GET  One  200", 0},
		{"--env Second --var want=x", "FAILED  GET  One  200", 1},
		{"--env Third", `there is no environment "Third"; choose one of “First”, “Second”`, 2},
	} {
		args := append([]string{"run", file, "--portal", portal.URL}, strings.Fields(tt.args)...)
		_, log, code := execute(t, "", program, args...)
		waits := strings.Count(log, "WAITS   GET  One  429: the portal limits the rate, next try in 0s")
		if code != tt.code || !strings.Contains(log, tt.says) || (waits == 2) == (code == 2) {
			t.Errorf("%q ends with %d: %s", tt.args, code, log)
		}
	}
}

func TestInterruptedRunWritesItsReport(t *testing.T) {
	program := compiled(t)
	reached := make(chan struct{})
	portal := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/api/device/groups":
			_, _ = w.Write([]byte(`{"total":1,"items":[{"id":1}]}`))
		case "/api/device/groups/1":
			close(reached)
			<-r.Context().Done()
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(portal.Close)
	report := filepath.Join(t.TempDir(), "report.xml")
	cmd := exec.Command(program, "run", write(t, "fleet.spyglass.json", fleet), "--portal", portal.URL, "--report",
		"junit", "--out", report)
	var log bytes.Buffer
	cmd.Stderr = &log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = cmd.Wait() // checked by the exit code
	}()
	select {
	case <-reached:
	case <-ended:
		t.Fatalf("it ended by itself: %s", log.String())
	}
	if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	<-ended
	text, err := os.ReadFile(report)
	if code := cmd.ProcessState.ExitCode(); code != 2 || err != nil ||
		!strings.HasSuffix(log.String(), "spyglass: the run was cancelled; 1 of 2 requests were not sent\n") ||
		!bytes.Contains(text, []byte(`<testsuite name="Groups"`)) ||
		!bytes.Contains(text, []byte(`It was cancelled; 1 of 2 requests were not sent.`)) ||
		bytes.Contains(text, []byte("One group")) {
		t.Errorf("it ends with %d, prints %q and writes %s (%v)", code, log.String(), text, err)
	}
}
