package shell

import (
	"encoding/xml"
	"log/slog"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestWindowShowsTheUpgradeProgressThenThePage(t *testing.T) {
	var why error = &Busy{Doing: "portal.db: updating <device>, 40 %", Percent: 40}
	w := Window{Title: "Spyglass", Theme: "light", Log: slog.New(slog.DiscardHandler), Open: func() (string, error) {
		return "http://127.0.0.1:8080/launch?t=1", why
	}}
	get := func(path string) *httptest.ResponseRecorder {
		answer := httptest.NewRecorder()
		bootstrap(w, stay).ServeHTTP(answer, httptest.NewRequest("GET", "wails://wails"+path, nil))
		return answer
	}
	page := get("/").Body.String()
	if !strings.Contains(page, `<progress max="100" value="40" aria-label="Progress"></progress><p role="status">`+
		`portal.db: updating &lt;device&gt;, 40 %</p>`) {
		t.Errorf("the page is %s", page)
	}
	if err := xml.Unmarshal([]byte(page), new(struct{ XMLName xml.Name })); err != nil {
		t.Errorf("the page is no XHTML: %v", err)
	}
	for _, tt := range []struct {
		why  error
		want string
	}{
		{why, `{"doing":"portal.db: updating \u003cdevice\u003e, 40 %","percent":40}` + "\n"},
		{nil, `{"doing":"","percent":0}` + "\n"}, // the page is reloaded
	} {
		why = tt.why
		if answer := get("/progress"); answer.Body.String() != tt.want ||
			answer.Header().Get("Content-Type") != "application/json" {
			t.Errorf("the progress is %s %s", answer.Header(), answer.Body)
		}
	}
	if page := get("/").Body.String(); !strings.Contains(page, `location.replace("http://127.0.0.1:8080/launch?t=1")`) {
		t.Errorf("then the page is %s", page)
	}
}
