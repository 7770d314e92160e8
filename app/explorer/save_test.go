package explorer_test

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// listing returns the names of the files in a folder.
func listing(t *testing.T, folder string) []string {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func TestFileIsSavedWhereTheUserChooses(t *testing.T) {
	h := build(t)
	folder := t.TempDir()
	save := func(name, path, text string) answer {
		t.Helper()
		body, err := json.Marshal(map[string]string{"name": name, "path": path, "text": text})
		if err != nil {
			t.Fatal(err)
		}
		return h.call(window, "POST /explorer/native/save", string(body))
	}
	h.answerRaw(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/api/raw/no" {
			w.WriteHeader(http.StatusForbidden)
			_, _ = w.Write([]byte(`{"errorMessage":"you may not","errorCode":1403,"errorDetail":null}`))
			return
		}
		w.Header().Set("Content-Disposition", `attachment; filename="list.csv"`)
		_, _ = w.Write([]byte("id,name\n" + r.Header.Get("Cookie")))
	})

	h.saveTo = filepath.Join(folder, "script.sh")
	if a := save("request.sh", "", "curl\n"); a.status != 200 || !strings.Contains(a.body, "script.sh") {
		t.Errorf("a text: %d %s", a.status, a.body)
	}
	h.saveTo = filepath.Join(folder, "list.csv")
	if a := save("", "/api/raw/list", ""); a.status != 200 {
		t.Errorf("a file of ours: %d %s", a.status, a.body)
	}
	for name, want := range map[string]string{"script.sh": "curl\n", "list.csv": "id,name\nspyglass_ab12=" +
		cookieSecret + "-3"} {
		if text, err := os.ReadFile(filepath.Join(folder, name)); err != nil || string(text) != want {
			t.Errorf("%s holds %q, %v; want %q", name, text, err, want)
		}
	}
	if want := []string{"request.sh", "list.csv"}; !slices.Equal(h.dialogs, want) {
		t.Errorf("the names suggested are %q, want %q", h.dialogs, want)
	}

	h.saveTo = ""
	if a := save("x", "", "x"); a.status != 200 || a.body != `{"path":""}` {
		t.Errorf("cancelled: %d %s", a.status, a.body)
	}
	h.saveTo = filepath.Join(folder, "gone", "x")
	if a := save("x", "", "x"); a.status != 409 || !strings.Contains(a.body, "nothing was saved to") {
		t.Errorf("a folder that is not there: %d %s", a.status, a.body)
	}
	before := len(h.dialogs)
	if a := save("x", "/api/raw/no", ""); a.status != 409 || !strings.Contains(a.body, "you may not") {
		t.Errorf("a refusal: %d %s", a.status, a.body)
	}
	if a := save("x", "http://192.0.2.1/", ""); a.status != 400 {
		t.Errorf("another host: %d %s", a.status, a.body)
	}
	if len(h.dialogs) != before {
		t.Error("a save dialog opened for a refused download")
	}
	if got := listing(t, folder); !slices.Equal(got, []string{"list.csv", "script.sh"}) {
		t.Errorf("the folder holds %q", got)
	}
}
