package main

import (
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
)

// recorded is a collection with an example, and browsed is a HAR file from another program.
const (
	recorded = `{"spyglass": 1, "name": "Hosts", "collections": [{"name": "Hosts", "requests": [
  {"name": "One", "draft": {"method": "GET", "path": "/device/devices/{id}", "query": [
    {"on": true, "key": "fields", "value": "{{fields}}"}, {"on": false, "key": "size", "value": "1"}],
    "pathParams": [{"on": true, "key": "id", "value": "7"}]}, "examples": [
    {"name": "Found", "status": 200, "headers": [["ETag", "\"1\""]], "body": "{\"id\": 7}"},
    {"name": "Missing", "status": 404, "body": "{}"}]}]}]}`
	browsed = `{"log": {"version": "1.2", "entries": [
  {"startedDateTime": "2026-01-15T09:00:00Z", "_resourceType": "script", "request": {"method": "GET",
    "url": "https://portal.example/app.js"}, "response": {"status": 200, "content": {"text": "x"}}},
  {"startedDateTime": "2026-01-15T09:00:02Z", "_resourceType": "fetch", "request": {"method": "GET",
    "url": "https://portal.example/api/version"}, "response": {"status": 200, "content": {"text": "new"}}},
  {"startedDateTime": "2026-01-15T09:00:01Z", "_resourceType": "fetch", "request": {"method": "GET",
    "url": "https://portal.example/api/version"}, "response": {"status": 200, "content": {"text": "old"}}}]}}`
)

// status sends a GET to a mock, and returns the status with the body.
func (r *running) status(path string) string {
	r.t.Helper()
	request, err := http.NewRequestWithContext(r.t.Context(), "GET", r.origin+path, nil)
	if err != nil {
		r.t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer mock")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		r.t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		r.t.Fatal(err)
	}
	return response.Status[:3] + " " + string(body)
}

func TestRecordedResponsesAreServed(t *testing.T) {
	program, data := compiled(t), filepath.Join(t.TempDir(), "data")
	portal := serving(t, program, "--data", data, "--listen", "127.0.0.1:0")
	post := portal.signIn()
	post("/explorer/exchange/import", map[string]any{"name": "hosts.spyglass.json", "text": recorded})
	if sent := post("/explorer/send", map[string]any{"draft": map[string]any{"method": "GET",
		"path": "/device/groups?fields=id&size=1"}}); sent["status"] != float64(200) {
		t.Fatal(sent)
	}
	file := write(t, "browsed.har", browsed)
	serves := func(when string) {
		t.Helper()
		m := started(t, program, "mock", "--data", data, "--from", "history:local", "--from", "Hosts", "--from", file)
		for path, want := range map[string]string{
			"/api/device/groups?size=1&fields=id":          `200 {"total":1,"searchId":null,"items":[{"id":1}]`,
			"/santaba/rest/device/groups?size=1&fields=id": `200 {"total":1,"searchId":null,"items":[{"id":1}]`,
			"/api/device/devices/7?fields=id":              `200 {"id": 7}`,
			"/api/version":                                 `200 new`,
			"/api/device/groups":                           `404 {"errorMessage":"no response is recorded for GET `,
			"/app.js":                                      `404 `,
		} {
			if got := m.status(path); !strings.HasPrefix(got, want) {
				t.Errorf("%s, %s gets %s", when, path, got)
			}
		}
		rest, code := m.end()
		log := m.log.String()
		if rest != "token: mock\n" || code != 0 || !strings.Contains(log, `matched="request 1 of the history"`) {
			t.Errorf("%s, it prints %q, ends with %d and logs %s", when, rest, code, log)
		}
	}
	serves("while the portal runs")
	if _, code := portal.end(); code != 0 {
		t.Fatal(portal.log.String())
	}
	serves("while it does not")
}

func TestMockRefusesInvalidOptions(t *testing.T) {
	program, empty := compiled(t), t.TempDir()
	for _, tt := range []struct{ args, says string }{
		{"", "there is no portal in "},
		{"--from " + write(t, "x.har", `{"log": {"entries": []}}`), "x.har has no recorded response"},
		{"--from " + write(t, "x.csv", "a,b"), "x.csv has an unknown format"},
		{"--fail 200", `--fail must be a status from 400 to 599 and a percentage, such as 429:10%, not "200"`},
		{"--latency soon", `--latency must be a duration such as 200ms or 2s, not "soon"`},
		{"--listen here", `--listen must be an address and a port`},
	} {
		args := append([]string{"mock", "--data", empty}, strings.Fields(tt.args)...)
		out, log, code := execute(t, "", program, args...)
		if code != 1 || out != "" || !strings.Contains(log, tt.says) {
			t.Errorf("mock %s ends with %d, prints %q and %q", tt.args, code, out, log)
		}
	}
}
