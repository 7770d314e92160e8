package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// send sends a request with a token, and fails the test unless it succeeds.
func (r *running) send(method, path, bearer, body string) {
	r.t.Helper()
	request, err := http.NewRequestWithContext(r.t.Context(), method, r.origin+path, strings.NewReader(body))
	if err != nil {
		r.t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+bearer)
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		r.t.Fatal(err)
	}
	defer response.Body.Close()
	if response.StatusCode/100 != 2 {
		r.t.Fatal(method, path, response.Status)
	}
}

func TestChangesAreRehearsedOnTheCommandLine(t *testing.T) {
	program, data, copied := compiled(t), filepath.Join(t.TempDir(), "data"), filepath.Join(t.TempDir(), "rehearsal")
	real := serving(t, program, "--data", data, "--listen", "127.0.0.1:0")
	tokenOf := func(data string) string {
		out, log, code := execute(t, "", program, "token", "create", "--data", data, "--user", "admin")
		var token struct{ Bearer string }
		if err := json.Unmarshal([]byte(out), &token); err != nil || code != 0 {
			t.Fatalf("token create prints %q and %q", out, log)
		}
		return token.Bearer
	}
	token := tokenOf(data)
	real.send("POST", "/api/device/groups", token, `{"name": "Web"}`)
	rehearse := func(args ...string) (out, log string, code int) {
		return execute(t, "", program, append([]string{"rehearse"}, args...)...)
	}
	for _, tt := range []struct{ args, says string }{
		{"copy --data " + copied, "--portal is missing"},
		{"copy --portal tcp --data " + copied, `"tcp" is not the address of a portal`},
		{"copy --portal http://portal.example --data " + copied, "would get the token in clear text"},
		{"diff --data " + t.TempDir(), "there is no portal in "},
		{"diff --format pdf --data " + copied, `--format must be one of text, json, curl, python`},
		{"report --format python --data " + copied, `--format must be one of text, json, not "python"`},
		{"cpoy", "there is no command cpoy"},
	} {
		t.Setenv("SPYGLASS_TOKEN", token)
		out, log, code := rehearse(strings.Fields(tt.args)...)
		if code != 1 || out != "" || !strings.Contains(log, tt.says) {
			t.Errorf("rehearse %s ends with %d, prints %q and %q", tt.args, code, out, log)
		}
	}
	out, log, code := rehearse("copy", "--portal", real.origin, "--data", copied)
	if code != 0 || !strings.Contains(out, "    2 of     2  device groups\n") ||
		!strings.Contains(log, "2 device groups copied\n") {
		t.Fatalf("a copy ends with %d and prints\n%s\n%s", code, out, log)
	}
	var report struct {
		Portal string
		Counts []struct{ Kind string }
	}
	out, log, code = rehearse("report", "--format", "json", "--data", copied)
	if err := json.Unmarshal([]byte(out), &report); err != nil || code != 0 || len(report.Counts) < 3 ||
		report.Portal != strings.TrimPrefix(real.origin, "http://") {
		t.Errorf("the report ends with %d and prints\n%s\n%s", code, out, log)
	}

	// While the portal of the rehearsal runs, it makes the comparison itself.
	there := serving(t, program, "--data", copied, "--listen", "127.0.0.1:0")
	own := tokenOf(copied)
	if !strings.Contains(there.log.String(), "admin password: ") {
		t.Error("nobody can sign in to the rehearsal")
	}
	there.send("POST", "/api/device/groups", own, `{"name": "Staging"}`)
	real.send("POST", "/api/device/groups", token, `{"name": "Elsewhere"}`)
	out, log, code = rehearse("diff", "--data", copied)
	for _, line := range []string{fmt.Sprintf("1 request would bring %s (%s/api)", report.Portal, real.origin),
		"1. POST /device/groups  (device group “Staging”)", "device group “Elsewhere” added"} {
		if code != 0 || !strings.Contains(out, line) {
			t.Errorf("the difference ends with %d, and %q is not in\n%s\n%s", code, line, out, log)
		}
	}
	script := filepath.Join(t.TempDir(), "changes.sh")
	out, log, code = rehearse("diff", "--data", copied, "--format", "curl", "--offline", "--out", script)
	text, err := os.ReadFile(script)
	if code != 0 || out != "" || err != nil || !strings.Contains(string(text), `"name":"Staging"`) {
		t.Errorf("the script ends with %d, prints %q and %q, and is %s (%v)", code, out, log, text, err)
	}
	if strings.Contains(string(text)+log, token) {
		t.Error("the token is in the script or in the log")
	}
	if _, code := there.end(); code != 0 {
		t.Error(there.log.String())
	}
	if _, code := real.end(); code != 0 {
		t.Error(real.log.String())
	}
}
