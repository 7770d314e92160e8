package exchange_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"sync"
	"testing"

	"spyglass/app/exchange"
	"spyglass/app/workspace"
	"spyglass/backend/resource"
)

// listen records the requests that arrive, one line each; it responds with 404
// to a path that ends in gone.
func listen(t *testing.T) (address string, arrived func() []string) {
	t.Helper()
	var mu sync.Mutex
	var all []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		mu.Lock()
		all = append(all, fmt.Sprintf("%s %s %s [%s] %s", r.Method, r.RequestURI, r.Header.Get("Authorization"),
			r.Header.Get("X-A"), body))
		mu.Unlock()
		if strings.HasSuffix(r.URL.Path, "gone") {
			w.WriteHeader(http.StatusNotFound)
		}
		fmt.Fprint(w, "{}")
	}))
	t.Cleanup(server.Close)
	return server.URL + "/api", func() []string { mu.Lock(); defer mu.Unlock(); return all }
}

func bash(t *testing.T, script []byte, environment ...string) (out string, err error) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "script.sh")
	if err := os.WriteFile(file, script, 0o600); err != nil {
		t.Fatal(err)
	}
	command := exec.Command("bash", file)
	command.Env = append(os.Environ(), environment...)
	text, err := command.CombinedOutput()
	return string(text), err
}

const nasty = "it's \"$HOME\" `id` $(id) \\ ü%&=+#"

func TestCurlScriptRunsUnchanged(t *testing.T) {
	address, arrived := listen(t)
	b := &exchange.Bundle{
		Name: "Fleet\n$(touch injected)", BaseURL: address, UserID: 3,
		Variables: []exchange.Variable{{Name: "size", Value: "5 & 6"}, {Name: "quote", Value: nasty},
			{Name: "unused", Value: "x"}},
		Folders: []workspace.Folder{{Name: "Fleet\n`id`", Requests: []workspace.Saved{
			{Name: "Find\nrm -rf", Doc: "One line\n$(id)",
				Draft: workspace.Draft{Method: "GET", Path: "/device/{id}/{{$userId}}?a={{size}}", Body: "left out",
					PathParams: workspace.Rows{row("id", "a/b c")}, Query: workspace.Rows{
						row("q", nasty), {Key: "off", Value: "1"}, row("{{size}}", "")},
					Headers: workspace.Rows{row("X-A", nasty), row("Authorization", "Bearer typed")}}},
			{Draft: workspace.Draft{Method: "POST", Path: "/api/device/devices", Body: `{"a": "{{quote}}",` +
				` "n": {{$now}}, "u": "{{$uuid}}", "password": "` + resource.Mask + `"}`}},
		},
			Folders: []workspace.Folder{
				{
					Name: "Deep",
					Requests: []workspace.Saved{
						{Draft: workspace.Draft{Method: "PUT", Path: "/x/{missing}", Body: nasty,
							Headers: workspace.Rows{row("X-A", "{{token}}")}}}}}}}},
	}
	text, err := exchange.Curl.Write(b)
	if err != nil {
		t.Fatal(err)
	}
	out, err := bash(t, text, "SPYGLASS_TOKEN=t0ken", "SPYGLASS_MISSING=42", "SPYGLASS_HIDDEN_1=pass")
	if err != nil {
		t.Fatalf("%v\n%s\n%s", err, out, text)
	}
	got := arrived()
	for i, want := range []string{
		"PUT /api/x/42 Bearer t0ken [t0ken] " + nasty,
		"GET /api/device/a%2Fb%20c/3?a=5%20%26%206&" +
			"q=it%27s%20%22%24HOME%22%20%60id%60%20%24%28id%29%20%5C%20%C3%BC%25%26%3D%2B%23&5%20%26%206= Bearer " +
			"t0ken [" + nasty + "] ",
	} {
		if i >= len(got) || got[i] != want {
			t.Fatalf("request %d is\n%q\nwant\n%q\nit printed %s\n%s", i+1, got[i:min(i+1, len(got))], want, out, text)
		}
	}
	if want := regexp.MustCompile(`^POST /api/device/devices Bearer t0ken \[\] \{"a": "it's \\"\$HOME\\" ` + "`id`" +
		` \$\(id\) \\\\ ü%&=\+#", "n": 1\d{9}, "u": "[0-9a-f-]{36}", "password": "pass"\}$`); len(got) != 3 ||
		!want.MatchString(got[2]) {
		t.Errorf("the last of %d requests is\n%s\n%s", len(got), got[len(got)-1], text)
	}
	if out != "{}\n{}\n{}\n" || strings.Contains(string(text), "typed") || strings.Contains(string(text), "unused") {
		t.Errorf("it printed %q\n%s", out, text)
	}
}

func TestCurlScriptIsReadable(t *testing.T) {
	text, err := exchange.Curl.Write(bundle())
	want := `#!/usr/bin/env bash
# Everything: 3 requests to http://127.0.0.1:8443/api
# Every request is sent, in order, until one fails. Responses go to standard output.

set -euo pipefail

: "${SPYGLASS_TOKEN:?set it to an API token of the portal}"
var_baseUrl='http://127.0.0.1:8443/api' # {{$baseUrl}}
var_x=${SPYGLASS_X:?set it to the value of x} # {{x}}
var_part=${SPYGLASS_PART:?set it to the value of part} # {{part}}
var_pageSize='50' # {{pageSize}}
`
	if err != nil || !strings.HasPrefix(string(text), want) {
		t.Errorf("%v\n%s\nwant\n%s", err, text, want)
	}
	_, commands, _ := strings.Cut(string(text), "\n## ")
	want = `Fleet

### Writes

# Add one
#   It is checked at once
curl --globoff --silent --show-error --fail-with-body --write-out '\n' \
  -H "Authorization: Bearer $SPYGLASS_TOKEN" \
  -X POST "$var_baseUrl"'/device/devices' \
  -H 'X-Version: 3' \
  -H 'Content-Type: application/json' \
  --data-raw '{ "a" : 1.0,
"ü": "'"$(in_json "$var_x")"'" }'

# GET /device/devices/{id}/{{part}}
curl --globoff --silent --show-error --fail-with-body --write-out '\n' \
  -H "Authorization: Bearer $SPYGLASS_TOKEN" \
  -X GET "$var_baseUrl"'/device/devices/42/'"$(in_url "$var_part")"

# List
curl --globoff --silent --show-error --fail-with-body --write-out '\n' \
  -H "Authorization: Bearer $SPYGLASS_TOKEN" \
  -X GET "$var_baseUrl"'/device/devices?size='"$(in_url "$var_pageSize")"'&filter=name~%22a%26b%3Dc%22%20d&size='
`
	if commands != want {
		t.Errorf("got\n%s\nwant\n%s", commands, want)
	}
}

func TestCurlScriptStopsAtAFailure(t *testing.T) {
	address, arrived := listen(t)
	get := func(path string) workspace.Saved {
		return workspace.Saved{Draft: workspace.Draft{Method: "GET", Path: path}}
	}
	text, err := exchange.Curl.Write(
		&exchange.Bundle{
			BaseURL: address,
			Folders: []workspace.Folder{{Name: "x", Requests: []workspace.Saved{get("/gone"), get("/never")}}}})
	if err != nil {
		t.Fatal(err)
	}
	if out, err := bash(t, text, "SPYGLASS_TOKEN="); err == nil || len(arrived()) > 0 ||
		!strings.Contains(out, "SPYGLASS_TOKEN: set it to an API token of the portal") {
		t.Errorf("without a token it sent %q and printed %s", arrived(), out)
	}
	out, err := bash(t, text, "SPYGLASS_TOKEN=t")
	if want := []string{"GET /api/gone Bearer t [] "}; err == nil || !reflect.DeepEqual(arrived(), want) {
		t.Errorf("it sent %q and printed %s", arrived(), out)
	}
}
