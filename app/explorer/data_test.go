package explorer_test

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	database "spyglass/backend/store"
)

// addDatabase copies a portal's database into the fixture's folder, so that a backup has content.
func (h *fixture) addDatabase() {
	h.t.Helper()
	db, err := database.Open(h.t.Context(), database.Options{Path: filepath.Join(h.dir, "portal.db")})
	if err == nil {
		err = db.Close()
	}
	if err != nil {
		h.t.Fatal(err)
	}
}

// sendPart sends a part of a backup as the page does.
func (h *fixture) sendPart(at int, part []byte) answer {
	h.t.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	w, err := form.CreateFormFile("part", "backup")
	if err == nil {
		_, err = w.Write(part)
	}
	if err == nil {
		err = form.Close()
	}
	if err != nil {
		h.t.Fatal(err)
	}
	return h.call(1, fmt.Sprintf("POST /explorer/data/restore/parts?at=%d", at), body.String(), "Content-Type",
		form.FormDataContentType())
}

func TestBackupIsDownloadedOnceAndUploadedInChunks(t *testing.T) {
	h := build(t)
	h.addDatabase()
	if a := h.call(1, "GET /explorer/data/backup", ""); a.status != http.StatusNotFound ||
		!strings.Contains(a.body, "there is no backup to download") {
		t.Errorf("before one was made: %d %s", a.status, a.body)
	}
	if a := h.call(1, "POST /explorer/data/backup", ""); a.status != 200 || !strings.Contains(a.body, `.backup"`) {
		t.Fatalf("%d %s", a.status, a.body)
	}
	whole := []byte(h.call(1, "GET /explorer/data/backup", "").body)
	if a := h.call(1, "GET /explorer/data/backup", ""); a.status != http.StatusNotFound {
		t.Errorf("a second time: %d %.100s", a.status, a.body)
	}

	for _, tt := range []struct {
		name string
		file []byte
		says string
	}{
		{"nothing", nil, "mine is not a complete backup of Spyglass; nothing was changed"},
		{"a cut one", whole[:len(whole)/2], "mine is not a complete backup of Spyglass; nothing was changed"},
		{"another file", []byte("PK nothing of ours"),
			"mine is not a complete backup of Spyglass; nothing was changed"},
	} {
		if a := h.sendPart(0, tt.file); a.status != 200 {
			t.Fatalf("%s: %d %s", tt.name, a.status, a.body)
		}
		for _, path := range []string{"look", "look"} { // the second request finds no backup
			a := h.call(1, "POST /explorer/data/restore/"+path, `{"name":"mine"}`)
			if a.status != http.StatusConflict || !strings.Contains(a.body, tt.says) {
				t.Errorf("%s: %d %s", tt.name, a.status, a.body)
			}
			tt.says = "no backup was sent"
		}
	}

	half := len(whole) / 2
	h.sendPart(0, whole[:half])
	if a := h.sendPart(half+1, whole[half:]); a.status != http.StatusConflict {
		t.Errorf("a piece at the wrong place: %d %s", a.status, a.body)
	}
	if a := h.sendPart(half, whole[half:]); a.status != 200 || a.body != fmt.Sprintf(`{"bytes":%d}`, len(whole)) {
		t.Errorf("the second piece: %d %s", a.status, a.body)
	}
	var found struct {
		Version string
		Bytes   int64
		SameKey bool
	}
	a := h.call(1, "POST /explorer/data/restore/look", `{"name":"mine"}`)
	if err := json.Unmarshal([]byte(a.body), &found); err != nil || found.Version != "0.1.0" || found.Bytes == 0 ||
		!found.SameKey {
		t.Errorf("%d %s", a.status, a.body)
	}
	for _, step := range []struct{ do, want string }{
		{"POST /explorer/data/restore", `"waits":true`},
		{"POST /explorer/data/restore", `no backup was sent`},
		{"DELETE /explorer/data/restore", `"waits":false`},
		{"DELETE /explorer/data/restore", `no restore is pending`},
		{"POST /explorer/data/restore/undo", `no longer kept`},
		{"DELETE /explorer/data/replaced", `"keptBytes":0`},
	} {
		body := ""
		if step.do == "POST /explorer/data/restore" {
			body = `{"name":"mine"}`
		}
		if a := h.call(1, step.do, body); !strings.Contains(a.body, step.want) {
			t.Errorf("%s: %d %s, want %s", step.do, a.status, a.body, step.want)
		}
	}
	if got := listing(t, filepath.Join(h.dir, "documents", "backup")); len(got) != 0 {
		t.Errorf("of the backups is left %q", got)
	}
}

func TestOnlyAdministratorsSeeTheDataFolder(t *testing.T) {
	h := build(t)
	var requested []string
	for _, e := range h.Endpoints() {
		if !strings.HasPrefix(e.Path, "/data") && e.Path != "/native/open-folder" && e.Path != "/native/restart" {
			continue
		}
		requested = append(requested, e.ID())
		body := ""
		if e.Body != nil {
			body = `{"name":"x"}`
		}
		if a := h.call(stranger, e.Method+" /explorer"+e.Path, body); a.status != http.StatusForbidden ||
			!strings.Contains(a.body, "only an administrator") &&
				!strings.Contains(a.body, "Only the Spyglass window") {
			t.Errorf("%s: %d %s", e.ID(), a.status, a.body)
		}
		if e.Method == "GET" {
			continue
		}
		if a := h.call(1, e.Method+" /explorer"+e.Path, body, "X-CSRF-Token",
			"wrong"); a.status != http.StatusForbidden {
			t.Errorf("%s without the token: %d %s", e.ID(), a.status, a.body)
		}
		if a := h.call(1, e.Method+" /explorer"+e.Path, body, "Origin",
			"http://192.0.2.1"); a.status != http.StatusForbidden {
			t.Errorf("%s from elsewhere: %d %s", e.ID(), a.status, a.body)
		}
	}
	if len(requested) != 12 {
		t.Errorf("requested %q", requested)
	}
	if len(h.links) > 0 || h.restarts > 0 {
		t.Errorf("opened %q, restarted %d times", h.links, h.restarts)
	}
	for _, do := range []string{"open-folder", "restart"} {
		if a := h.call(window, "POST /explorer/native/"+do, ""); a.status != 200 {
			t.Errorf("%s: %d %s", do, a.status, a.body)
		}
	}
	if !slices.Equal(h.links, []string{h.dir}) || h.restarts != 1 {
		t.Errorf("opened %q, restarted %d times", h.links, h.restarts)
	}
}

func TestDiagnosticsContainNothingThatUsersTyped(t *testing.T) {
	h := build(t)
	h.call(1, "PATCH /explorer/settings", `{"theme":"dark","edits":{"device 7":{"edits":{"name":"typed-by-me"}}}}`)
	a := h.call(1, "GET /explorer/data/diagnostics", "")
	z, err := zip.NewReader(strings.NewReader(a.body), int64(len(a.body)))
	if err != nil {
		t.Fatal(a.status, err)
	}
	texts := map[string]string{}
	for _, f := range z.File {
		in, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(in)
		if err != nil {
			t.Fatal(err)
		}
		texts[f.Name] = string(text)
		if strings.Contains(string(text), "typed-by-me") {
			t.Errorf("%s shows the user's input", f.Name)
		}
	}
	for name, want := range map[string]string{
		"about.json": `"version": "0.1.0"`, "settings.json": `"theme": "dark"`, "tables.json": `"device": 7`,
		"health.json": `"workspace.db": `,
		"log.txt":     "", "errors.txt": "",
	} {
		if text, ok := texts[name]; !ok || !strings.Contains(text, want) {
			t.Errorf("%s holds %s, want %s", name, text, want)
		}
	}
	if _, err := os.Stat(filepath.Join(h.dir, "documents")); err == nil {
		t.Error("it was made on the disk")
	}
}
