package app

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"spyglass/backend/server"
)

// visitor sends requests to a portal's page endpoints as its administrator.
type visitor struct {
	t       *testing.T
	app     *App
	client  *http.Client
	cookie  string
	csrf    string
	portals string // ?portal=…
}

func visit(t *testing.T, o server.Options) *visitor {
	t.Helper()
	o.Listen, o.NoHistory, o.NoLimits = cmp.Or(o.Listen, "127.0.0.1:0"), true, true
	o.Log = slog.New(slog.DiscardHandler)
	a, err := Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := a.close(context.WithoutCancel(t.Context())); err != nil {
			t.Error(err)
		}
	})
	id, err := a.Sessions.UserID(t.Context(), administrator)
	if err != nil {
		t.Fatal(err)
	}
	s, err := a.Sessions.Redeem(t.Context(), a.Sessions.Launch(id, false))
	if err != nil {
		t.Fatal(err)
	}
	return &visitor{t: t, app: a, client: http.DefaultClient,
		cookie: a.Sessions.CookieName() + "=" + s.Secret, csrf: s.CSRF}
}

// send sends a request, and decodes the response into out unless it is nil. It returns the
// status and the body.
func (v *visitor) send(method, path, body string, out any) (int, string) {
	v.t.Helper()
	if strings.HasPrefix(path, "/rehearsal") {
		path = "/explorer" + path + v.portals
	}
	request, err := http.NewRequestWithContext(v.t.Context(), method, v.app.Origin()+path, strings.NewReader(body))
	if err != nil {
		v.t.Fatal(err)
	}
	request.Header.Set("Cookie", v.cookie)
	request.Header.Set("X-CSRF-Token", v.csrf)
	if body != "" {
		request.Header.Set("Content-Type", "application/json")
	}
	response, err := v.client.Do(request)
	if err != nil {
		v.t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		v.t.Fatal(err)
	}
	if out != nil {
		if err := json.Unmarshal(text, out); err != nil || response.StatusCode/100 != 2 {
			v.t.Fatalf("%s %s: %d %v %s", method, path, response.StatusCode, err, text)
		}
	}
	return response.StatusCode, string(text)
}

type rehearsalState struct {
	Portal, Copy, Copied, Version int64
	Stage, Problem, Folder        string
	Running                       bool
}

// reach waits until the rehearsal is in a stage.
func (v *visitor) reach(stage string) (s rehearsalState) {
	v.t.Helper()
	portals := v.portals
	defer func() { v.portals = portals }()
	for v.send("GET", "/rehearsal", "", &s); s.Stage != stage; v.send("GET", "/rehearsal", "", &s) {
		if s.Stage == "stopped" || s.Stage == "ready" {
			v.t.Fatalf("the rehearsal is %+v, not %s", s, stage)
		}
		v.portals = fmt.Sprintf("%s&since=%d", portals, s.Version)
	}
	return s
}

func TestAdministratorRehearsesChangesInThePage(t *testing.T) {
	real := visit(t, server.Options{Data: filepath.Join(t.TempDir(), "real")})
	base := t.TempDir()
	v := visit(t, server.Options{Data: filepath.Join(t.TempDir(), "data"), Rehearsals: base})
	real.send("POST", "/api/device/groups", `{"name": "Web", "customProperties": [{"name": "tier", "value": "1"},
		{"name": "db.password", "value": "s3cr3t"}]}`, &struct{}{})
	id, err := real.app.Sessions.UserID(t.Context(), administrator)
	if err != nil {
		t.Fatal(err)
	}
	token, err := real.app.Sessions.CreateToken(t.Context(), id, "", "test")
	if err != nil {
		t.Fatal(err)
	}
	var row struct{ ID int64 }
	v.send("POST", "/explorer/portals", fmt.Sprintf(`{"name": "Real", "baseUrl": "%s/api", "auth": "token",
		"secret": "%s", "readOnly": true}`, real.app.Origin(), token.Bearer), &row)
	v.portals = fmt.Sprint("?portal=", row.ID)

	var plan struct {
		Kinds []struct {
			Noun  string
			Count int64
		}
	}
	v.send("POST", "/rehearsal/preview", "", &plan)
	if !slices.ContainsFunc(plan.Kinds, func(k struct {
		Noun  string
		Count int64
	}) bool {
		return k.Noun == "device groups" && k.Count == 2
	}) {
		t.Errorf("it would copy %+v", plan)
	}
	if status, text := v.send("POST", "/rehearsal/open", "", nil); status != 404 {
		t.Errorf("opening a copy that does not exist returns %d %s", status, text)
	}
	v.send("POST", "/rehearsal/copy", "", &struct{}{})
	s := v.reach("ready")
	if !strings.HasPrefix(s.Folder, base) || !s.Running || s.Copied == 0 || s.Copy != 0 {
		t.Errorf("the copy is %+v", s)
	}
	var report struct {
		Notes []struct{ Name, Field, Why string }
	}
	v.send("GET", "/rehearsal/report", "", &report)
	if !strings.Contains(fmt.Sprint(report.Notes), "{Web customProperties db.password secret}") {
		t.Errorf("the report is %+v", report)
	}
	var opened struct {
		Copy int64
		Page string
	}
	v.send("POST", "/rehearsal/open", "", &opened)
	again := opened
	v.send("POST", "/rehearsal/open", "", &again)
	if opened.Copy == 0 || opened.Page != "" || again != opened {
		t.Errorf("the copy is opened as %+v, then as %+v", opened, again)
	}
	v.changes(real, opened.Copy)
	v.forgets(base, opened.Copy)
}

// changes creates a group in the copy, and checks that only the comparison shows it.
func (v *visitor) changes(real *visitor, copied int64) {
	t, portals := v.t, v.portals
	var sent struct{ Status int }
	v.send("POST", fmt.Sprint("/explorer/send?portal=", copied), `{"draft": {"method": "POST", "path": "/device/groups",
		"mode": "raw", "body": "{\"name\": \"Staging\"}"}}`, &sent)
	if sent.Status/100 != 2 {
		t.Fatalf("the copy refuses a group: %+v", sent)
	}
	if status, text := v.send("POST", "/rehearsal/script", "{}", nil); status != 409 {
		t.Errorf("a script before the comparison: %d %s", status, text)
	}
	v.portals = fmt.Sprint("?portal=", copied) // the id of the copy selects its rehearsal
	var d struct {
		Steps []struct{ Method, Path, Body, Name string }
	}
	v.send("POST", "/rehearsal/diff", "{}", &d)
	if len(d.Steps) != 1 || d.Steps[0].Path != "/device/groups" || d.Steps[0].Name != "Staging" {
		t.Errorf("the changes are %+v", d)
	}
	var script struct{ Name, Text string }
	v.send("POST", "/rehearsal/script", `{"language": "python"}`, &script)
	if script.Name != "rehearsal.py" || !strings.Contains(script.Text, "Staging") ||
		!strings.Contains(script.Text, "1 change of a rehearsal for Real") {
		t.Errorf("the script %s is\n%s", script.Name, script.Text)
	}
	v.portals = portals
	if _, text := real.send("GET", "/api/device/groups", "", nil); strings.Contains(text, "Staging") {
		t.Error("the real portal was changed")
	}
}

// forgets deletes the copy of the portal.
func (v *visitor) forgets(base string, copied int64) {
	var s rehearsalState
	v.send("DELETE", "/rehearsal", "", &s)
	left, err := os.ReadDir(base)
	if err != nil || len(left) > 0 || s.Stage != "none" || s.Running {
		v.t.Errorf("after it was deleted, there are %v in its folder, and it is %+v", left, s)
	}
	_, text := v.send("GET", "/explorer/portals/all", "", nil)
	if strings.Contains(text, fmt.Sprintf(`"id":%d,`, copied)) {
		v.t.Errorf("the copy is still in the list: %s", text)
	}
}

func TestServeNeedsAFolderForRehearsals(t *testing.T) {
	v := visit(t, server.Options{Data: filepath.Join(t.TempDir(), "data")})
	v.portals = "?portal=1"
	if status, text := v.send("GET", "/rehearsal", "", nil); status != 403 || !strings.Contains(text, "--rehearsals") {
		t.Errorf("without a folder, it returns %d %s", status, text)
	}
	if _, err := Open(t.Context(), server.Options{Data: t.TempDir(), Rehearsals: "/nowhere"}); err == nil ||
		!strings.Contains(err.Error(), "the folder of --rehearsals cannot be used") {
		t.Errorf("a folder that is not there: %v", err)
	}
}
