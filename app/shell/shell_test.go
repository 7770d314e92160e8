package shell

import (
	"encoding/xml"
	"errors"
	"io"
	"log/slog"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

func TestFirstWindowHasTheDefaultSize(t *testing.T) {
	for _, tt := range []struct{ last, want Place }{
		{Place{}, Place{Width: 1440, Height: 900}},
		{Place{X: 5, Y: 6, Width: 20, Height: 900}, Place{Width: 1440, Height: 900}},
		{Place{X: 5, Y: 6, Width: 800, Height: 600}, Place{X: 5, Y: 6, Width: 800, Height: 600}},
		{Place{Width: 800, Height: 600, Maximised: true}, Place{Width: 800, Height: 600, Maximised: true}},
	} {
		if got := tt.last.orDefault(); got != tt.want {
			t.Errorf("after %+v it opens at %+v, want %+v", tt.last, got, tt.want)
		}
	}
}

func TestBootstrapPageShowsTheStartError(t *testing.T) {
	w := Window{Title: "Spyglass", Log: slog.New(slog.DiscardHandler), Open: func() (string, error) {
		return "", errors.New("the data folder </main> is newer")
	}}
	answer := httptest.NewRecorder()
	bootstrap(w, stay).ServeHTTP(answer, httptest.NewRequest("GET", "wails://wails/", nil))
	page := answer.Body.String()
	if !strings.Contains(page, `<h1>Spyglass could not start</h1><p id="why">the data folder &lt;/main&gt; is `+
		`newer.</p>`) || strings.Contains(page, "location.replace") {
		t.Errorf("the page is %s", page)
	}
	if err := xml.Unmarshal([]byte(page), new(struct{ XMLName xml.Name })); err != nil {
		t.Errorf("the page is no XHTML: %v", err)
	}
}

func TestErrorPageRetriesShowsTheFolderAndQuits(t *testing.T) {
	folder, tools := t.TempDir(), t.TempDir()
	opened := filepath.Join(tools, "opened")
	script := "#!/bin/sh\necho \"$1\" > " + opened + ".new && mv " + opened + ".new " + opened + "\n"
	name, _ := opener(runtime.GOOS, folder)
	if err := os.WriteFile(filepath.Join(tools, name), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", tools+string(filepath.ListSeparator)+os.Getenv("PATH"))
	var why error
	h := &heard{}
	w := Window{Title: "Spyglass", Native: &Native{}, Log: slog.New(slog.DiscardHandler),
		Open:    func() (string, error) { return "http://127.0.0.1:8080/", why },
		Trouble: Trouble{Folder: folder, Again: func() error { h.acts = append(h.acts, "again"); return nil }},
	}
	w.Native.attach(h)
	post := func(path string) *httptest.ResponseRecorder {
		answer := httptest.NewRecorder()
		bootstrap(w, stay).ServeHTTP(answer, httptest.NewRequest("POST", "wails://wails"+path, nil))
		return answer
	}
	for _, path := range []string{"/again", "/folder", "/quit"} {
		post(path)
	}
	if len(h.acts) != 0 {
		t.Errorf("without a trouble it does %q", h.acts)
	}
	why = errors.New("the disk is full")
	for _, path := range []string{"/again", "/folder", "/quit", "/"} {
		if a := post(path); a.Code != 200 || a.Body.Len() > 0 {
			t.Errorf("%s: %d %s", path, a.Code, a.Body)
		}
	}
	if want := []string{"again", "quit"}; !slices.Equal(h.acts, want) {
		t.Errorf("it does %q, want %q", h.acts, want)
	}
	var text []byte
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for tries := 0; tries < 1000 && len(text) == 0; tries++ { // Native does not wait for the program
		<-tick.C
		text, _ = os.ReadFile(opened)
	}
	if string(text) != folder+"\n" {
		t.Errorf("the folder opened is %q, want %s", text, folder)
	}
	w.Native.attach(nil)
	if a := post("/quit"); a.Code != 409 || a.Body.String() != ErrNoWindow.Error()+"\n" {
		t.Errorf("without a window: %d %s", a.Code, a.Body)
	}
}

func TestBootstrapPageRedirectsToANewAddressEachTime(t *testing.T) {
	const system = "html { background: #0b1014 } @media (prefers-color-scheme: light) { html { background: #efede7 } }"
	opened := 0
	for _, tt := range []struct{ theme, style, background string }{
		{"dark", "html { background: #0b1014 }", "#0b1014"},
		{"light", "html { background: #efede7 }", "#efede7"},
		{"system", system, "#0b1014"},
		{"</style>", system, "#0b1014"},
	} {
		w := Window{Title: "A & B", Theme: tt.theme, Log: slog.New(slog.DiscardHandler), Open: func() (string, error) {
			opened++
			return "http://127.0.0.1:8080/launch?t=" + strconv.Itoa(opened) + "&x=</script>", nil
		}}
		if got := w.background(); got != tt.background {
			t.Errorf("%s: the window is %s, want %s", tt.theme, got, tt.background)
		}
		answer := httptest.NewRecorder()
		bootstrap(w, stay).ServeHTTP(answer, httptest.NewRequest("GET", "wails://wails/", nil))
		body, err := io.ReadAll(answer.Result().Body)
		if err != nil {
			t.Fatal(err)
		}
		whole := `<html xmlns="http://www.w3.org/1999/xhtml"><head><title>A &amp; B</title>
<style>` + tt.style + `</style>
<script>location.replace("http://127.0.0.1:8080/launch?t=` + strconv.Itoa(opened) + `\u0026x=\u003c/script\u003e")</script></head><body></body></html>
`
		if string(body) != whole {
			t.Errorf("the page is\n%s\nwant\n%s", body, whole)
		}
		if got := answer.Result().Header.Get("Content-Type"); got != "application/xhtml+xml; charset=utf-8" {
			t.Errorf("its type is %s: Wails adds its scripts to text/html", got)
		}
	}
	if opened != 4 {
		t.Errorf("%d addresses were requested, want a fresh one each time", opened)
	}
}

// stay fakes a window that cannot change its own address.
func stay(string) bool { return false }

func TestSelfNavigatingWindowGetsNoBootstrapPage(t *testing.T) {
	var why error
	var visited []string
	w := Window{Title: "Spyglass", Log: slog.New(slog.DiscardHandler),
		Open: func() (string, error) { return "http://127.0.0.1:8080/launch?t=1", why }}
	page := bootstrap(w, func(address string) bool { visited = append(visited, address); return true })
	answer := httptest.NewRecorder()
	page.ServeHTTP(answer, httptest.NewRequest("GET", "wails://wails/", nil))
	if answer.Code != 204 || answer.Body.Len() > 0 {
		t.Errorf("it returns %d %s, want nothing", answer.Code, answer.Body)
	}
	why = errors.New("the disk is full")
	answer = httptest.NewRecorder()
	page.ServeHTTP(answer, httptest.NewRequest("GET", "wails://wails/", nil))
	if !strings.Contains(answer.Body.String(), "the disk is full") {
		t.Errorf("in trouble it returns %s", answer.Body)
	}
	if want := []string{"http://127.0.0.1:8080/launch?t=1"}; !slices.Equal(visited, want) {
		t.Errorf("it goes to %q, want %q", visited, want)
	}
}

func TestOnlyWebAddressesAreOpened(t *testing.T) {
	for _, tt := range []struct {
		link, want string // want is empty for a link that is refused
	}{
		{"https://example.net/a?b=c#d", "https://example.net/a?b=c#d"},
		{"HTTP://example.net/ a", "http://example.net/%20a"},
		{"http://127.0.0.1:8080/", "http://127.0.0.1:8080/"},
		{"https:", ""},
		{"https:///etc/passwd", ""},
		{"file:///etc/passwd", ""},
		{"javascript:alert(1)", ""},
		{"vscode://file/x", ""},
		{"--help", ""},
		{"", ""},
		{"http://exa mple.net", ""},
	} {
		got, err := webAddress(tt.link)
		if got != tt.want || (err == nil) != (tt.want != "") {
			t.Errorf("%q opens %q with error %v, want %q", tt.link, got, err, tt.want)
		}
	}
}

func TestNativeWithoutAWindowReturnsAnError(t *testing.T) {
	var n Native
	_, saved := n.SaveFile("devices.csv")
	_, chosen := n.ChooseFolder("Folder")
	for act, err := range map[string]error{
		"SaveFile": saved, "SetClipboard": n.SetClipboard("x"), "ToggleFullScreen": n.ToggleFullScreen(),
		"SetTitle": n.SetTitle("x"), "Quit": n.Quit(),
		"ChooseFolder": chosen,
	} {
		if !errors.Is(err, ErrNoWindow) {
			t.Errorf("%s returns %v, want %v", act, err, ErrNoWindow)
		}
	}
	if n.HasWindow() {
		t.Error("there is a window")
	}
}

// heard is a window that only receives events.
type heard struct{ acts []string }

func (h *heard) saveFile(name string) (string, error) {
	h.acts = append(h.acts, "save "+name)
	return "/home/u/" + name, nil
}
func (h *heard) chooseFolder(title string) (string, error) {
	h.acts = append(h.acts, "choose "+title)
	return "/home/u/fleet", nil
}
func (h *heard) setClipboard(text string) error {
	h.acts = append(h.acts, "copy "+text)
	return nil
}
func (h *heard) toggleFullScreen() { h.acts = append(h.acts, "full screen") }
func (h *heard) setTitle(t string) { h.acts = append(h.acts, "title "+t) }
func (h *heard) quit()             { h.acts = append(h.acts, "quit") }

func TestNativeSuggestsAFileNameWithoutAFolder(t *testing.T) {
	var n Native
	h := &heard{}
	n.attach(h)
	path, err := n.SaveFile("../../.ssh/authorized_keys")
	if err != nil || path != "/home/u/authorized_keys" {
		t.Errorf("saved to %q (%v), want /home/u/authorized_keys", path, err)
	}
	n.attach(nil)
	if n.HasWindow() {
		t.Error("the window is gone, and Native still has it")
	}
}
