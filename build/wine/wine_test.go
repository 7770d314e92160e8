//go:build wine

package wine

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"io/fs"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestPortalRunsAndLosesNothing follows the steps of a user with the program, in a
// path with spaces and umlauts.
func TestPortalRunsAndLosesNothing(t *testing.T) {
	w := installed(t)
	exe, err := os.ReadFile(made(t, "SPYGLASS_PACKAGES", "*-windows-amd64.exe"))
	if err != nil {
		t.Fatal(err)
	}
	folder, err := os.MkdirTemp(w.Path(), "Prüf Ordner ")
	if err == nil {
		err = os.WriteFile(filepath.Join(folder, "Späh Glas.exe"), exe, 0o700)
	}
	if err != nil {
		t.Fatal(err)
	}
	folder = filepath.Base(folder)
	p := program{t, w, `C:\` + folder + `\Späh Glas.exe`}
	data, file := `C:\`+folder+`\Daten für Müller`, `C:\`+folder+`\Sicherung vom März.zip`
	if out := p.must("", "version"); !regexp.MustCompile(`^spyglass \d+\.\d+\.\d+\r?\n$`).MatchString(out) {
		t.Errorf("version prints %q", out)
	}

	serve := []string{"serve", "--data", data, "--listen", "127.0.0.1:0"}
	r := p.start(append(serve, "--demo", "--demo-devices", "5")...)
	login := fmt.Sprintf(`{"username":"admin","password":%q}`, r.password("admin"))
	if status := r.send("POST", "/api/session", login, nil); status != http.StatusOK {
		t.Errorf("a sign-in returns %d", status)
	}
	if status := r.send("GET", "/api/device/devices", "", nil); status != http.StatusUnauthorized {
		t.Errorf("a request without a token returns %d", status)
	}
	var token struct{ Bearer string }
	out := p.must("", "token", "create", "--data", data, "--user", "admin")
	if err := json.Unmarshal([]byte(out), &token); err != nil {
		t.Fatal(err)
	}
	r.bearer = token.Bearer
	demo := r.names()
	if len(demo) < 5 {
		t.Errorf("the demo has the devices %q", demo)
	}
	if out, log, code := p.execute("", serve...); code != 1 || out != "" ||
		!strings.Contains(log, "another Spyglass runs on the data folder "+data) {
		t.Errorf("a second serve ends with %d and prints %q and %q", code, out, log)
	}

	if status := r.send("POST", "/api/device/devices", `{"name":"fürth-01"}`, nil); status != http.StatusCreated {
		t.Errorf("adding a device returns %d", status)
	}
	r.kill()
	more := append(slices.Clone(demo), "fürth-01")
	r = p.start(serve...)
	r.bearer = token.Bearer
	if got := r.names(); !slices.Equal(got, more) {
		t.Errorf("after it was killed it has the devices %q, want %q", got, more)
	}

	p.must("", "backup", "--data", data, file)
	if status := r.send("POST", "/api/device/devices", `{"name":"too-late"}`, nil); status != http.StatusCreated {
		t.Errorf("adding a device returns %d", status)
	}
	if _, log, code := p.execute("", "restore", "--data", data, file); code != 1 ||
		!strings.Contains(log, "another Spyglass runs on the data folder "+data) {
		t.Errorf("a restore while it runs ends with %d: %s", code, log)
	}
	r.kill()
	p.must("", "restore", "--data", data, file)
	p.must("", "check", "--data", data)
	r = p.start(serve...)
	r.bearer = token.Bearer
	if got := r.names(); !slices.Equal(got, more) {
		t.Errorf("after the restore it has the devices %q, want %q", got, more)
	}
}

// TestAuthorityIsTrustedOnceItIsAdded serves HTTPS, and has Windows itself check the
// certificate: Go leaves that to the system. Wine 8 finds deleted root certificates again
// when the store is opened anew, so untrust after trust is not tested.
func TestAuthorityIsTrustedOnceItIsAdded(t *testing.T) {
	w := installed(t)
	p := program{t, w, made(t, "SPYGLASS_PACKAGES", "*-windows-amd64.exe")}
	const data = `C:\trusted`
	p.start("serve", "--data", data, "--listen", "127.0.0.1:0", "--https", "--name", "acme.example.test")
	for _, step := range []struct{ command, want string }{
		{"untrust", "not trusted"}, {"trust", "trusted"}, {"trust", "trusted"},
	} {
		if out := p.must("", step.command, "--data", data); strings.TrimSpace(out) != "Windows, this user: "+step.want {
			t.Errorf("%s prints %q, want that it is %s", step.command, out, step.want)
		}
	}
}

// TestSecondStartRaisesTheFirstWindow starts the program without a command. Wine has no
// WebView2, so that the program shows the portal in the browser.
func TestSecondStartRaisesTheFirstWindow(t *testing.T) {
	w := installed(t)
	browser := newBrowser(t, w)
	p := program{t, w, made(t, "SPYGLASS_PACKAGES", "*-windows-amd64.exe")}
	const data = `C:\first and second`
	first := p.start("--data", data)
	if said := first.said(); !strings.Contains(said,
		"spyglass: The window needs the Microsoft Edge WebView2 runtime, which is not installed.") {
		t.Errorf("without WebView2 it says\n%s", said)
	}
	address := browser.opened(1)
	if !strings.HasPrefix(address, first.origin+"/") {
		t.Errorf("the browser opens %s, want a page of %s", address, first.origin)
	}
	out, log, code := p.execute("", "--data", data)
	if log = opened.ReplaceAllString(log, ""); code != 0 || out != "" || log != "" {
		t.Errorf("a second start ends with %d and prints %q and %q", code, out, log)
	}
	if again := browser.opened(2); !strings.HasPrefix(again, first.origin+"/") || again == address {
		t.Errorf("a second start opens %s, want a page of %s with another token", again, first.origin)
	}
}

// opened matches the warning about a file that other users may read. Wine 8 keeps Linux modes
// instead of access lists, so that Spyglass restricts its files at each start.
var opened = regexp.MustCompile(`(?m)^time=.* msg="other users could read this; .*\n`)

// browser is the default browser of a Windows installation. It records the addresses it opens.
type browser struct {
	t    *testing.T
	file string // Linux path of its log
}

func newBrowser(t *testing.T, w Windows) browser {
	t.Helper()
	const key = `HKLM\Software\Classes\` // Wine 8 reads only part of the user's own classes
	reg(t, w, "add", key+".html", "/ve", "/d", "Recorder", "/f")
	reg(t, w, "add", key+`Recorder\shell\open\command`, "/ve", "/d", `cmd /c type "%1" >> C:\opened`, "/f")
	b := browser{t, w.Path("opened")}
	if err := os.RemoveAll(b.file); err != nil {
		t.Fatal(err)
	}
	return b
}

// opened waits until the browser has opened n pages, and returns the address of the
// last.
func (b browser) opened(n int) string {
	b.t.Helper()
	var text []byte
	var found [][][]byte
	eventually(b.t, func() bool {
		text, _ = os.ReadFile(b.file)
		found = regexp.MustCompile(`content="0;url=([^"]+)"><a`).FindAllSubmatch(text, -1)
		return len(found) >= n
	}, func() string {
		return fmt.Sprintf("the browser has opened %d pages, want %d:\n%s", len(found), n, text)
	})
	return html.UnescapeString(string(found[n-1][1]))
}

// eventually waits until done returns true.
func eventually(t *testing.T, done func() bool, failure func() string) {
	t.Helper()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(time.Minute); !done(); <-tick.C {
		if time.Now().After(end) {
			t.Fatal(failure())
		}
	}
}

// reg runs reg.exe, which reads and writes the registry.
func reg(t *testing.T, w Windows, args ...string) (out string) {
	t.Helper()
	text, err := w.Command(t.Context(), "reg", args...).CombinedOutput()
	if err != nil {
		t.Fatalf("reg %q: %v\n%s", args, err, text)
	}
	return string(text)
}

// Registry keys of the installer.
const (
	uninstall = `HKCU\Software\Microsoft\Windows\CurrentVersion\Uninstall\Spyglass`
	links     = `HKCU\Software\Classes\spyglass`
)

func TestInstallerInstallsUpgradesAndUninstalls(t *testing.T) {
	w := installed(t)
	home := strings.TrimSpace(string(output(t, w.Command(t.Context(), "cmd", "/c", "echo %LOCALAPPDATA%"))))
	local := w.Path(strings.Split(strings.ReplaceAll(strings.TrimPrefix(home, `C:\`), `\`, "/"), "/")...)
	folder := filepath.Join(local, "Programs", "Spyglass")
	if err := os.RemoveAll(filepath.Join(local, "Spyglass")); err != nil { // data of an earlier run
		t.Fatal(err)
	}
	p := program{t, w, home + `\Programs\Spyglass\spyglass.exe`}

	install(t, w, "SPYGLASS_PACKAGES_BEFORE", 0)
	is := func(version string) {
		t.Helper()
		if got := reg(t, w, "query", uninstall, "/v", "DisplayVersion"); !strings.Contains(got, " "+version) {
			t.Errorf("installed is %s, want %s", got, version)
		}
	}
	is("0.0.1")
	if got, want := reg(t, w, "query", links+`\shell\open\command`, "/ve"),
		`"`+p.path+`" -- "%1"`; !strings.Contains(got, want) {
		t.Errorf("links are opened with %s, want %s", got, want)
	}
	first := p.start("serve", "--demo", "--demo-devices", "5")
	p.must("the words of kim\n", "user", "add", "kim")

	install(t, w, "SPYGLASS_PACKAGES", aborted) // the program is running
	is("0.0.1")
	first.kill()
	install(t, w, "SPYGLASS_PACKAGES", 0)
	version := strings.TrimPrefix(strings.TrimSpace(p.must("", "version")), "spyglass ")
	is(version)
	second := p.start("serve")
	if status := second.send("POST", "/api/session", `{"username":"kim","password":"the words of kim"}`,
		nil); status != http.StatusOK {
		t.Errorf("after the upgrade, the sign-in of a user returns %d", status)
	}
	second.kill()

	// it continues in a copy of itself, because it cannot delete itself, and exits
	output(t, w.Command(t.Context(), p.path[:strings.LastIndex(p.path, `\`)]+`\uninstall.exe`, "/S"))
	if err := w.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(folder); !errors.Is(err, fs.ErrNotExist) {
		left, _ := os.ReadDir(folder)
		t.Errorf("%v is left (%v)", left, err)
	}
	for _, key := range []string{uninstall, links} {
		if out, err := w.Command(t.Context(), "reg", "query", key).CombinedOutput(); err == nil {
			t.Errorf("the registry still has %s", out)
		}
	}
	if _, err := os.Stat(filepath.Join(local, "Spyglass", "portal.db")); err != nil {
		t.Errorf("the user's data is gone: %v", err)
	}
}

// aborted is the exit code of an installer that did not install anything.
const aborted = 2

// install runs the installer in a folder that a variable names, and expects an exit
// code.
func install(t *testing.T, w Windows, folder string, code int) {
	t.Helper()
	cmd := w.Command(t.Context(), made(t, folder, "*-setup.exe"), "/S")
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	if err := cmd.Run(); cmd.ProcessState == nil || cmd.ProcessState.ExitCode() != code {
		t.Fatalf("%s: %v, want exit code %d\n%s", cmd, err, code, said.String())
	}
}

func output(t *testing.T, cmd *exec.Cmd) []byte {
	t.Helper()
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v\n%s", cmd, err, out)
	}
	return out
}
