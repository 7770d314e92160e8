//go:build window

package desktop

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
)

// Elements that the tests use, by their accessible names.
const (
	dialogOpen  = `!!named('dialog', 'Command palette')`
	command     = `named('textbox', 'Command') === document.activeElement`
	requestOpen = `!!named('region', 'Request')`
	path        = `(e => e && ('value' in e ? e.value : e.textContent))(named('combobox', 'Path'))`
	pathFocused = `named('combobox', 'Path')?.contains(document.activeElement)`
	status      = `(named('status')?.textContent ?? '').trim().slice(0, 6)`
)

// desk starts a desktop for a test.
func desk(t *testing.T) *Desktop {
	t.Helper()
	return deskOf(t, 1600, 1000)
}

// deskOf starts a desktop with a screen of the given size.
func deskOf(t *testing.T, width, height int) *Desktop {
	t.Helper()
	d, err := Start(Options{Width: width, Height: height, Manager: true, Bus: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return d
}

// explorer navigates from any screen of the window to a request in the
// Explorer.
func (a *app) explorer() {
	a.t.Helper()
	a.page.until("the page is ours", `location.pathname + document.readyState`, "/complete")
	a.page.until("no sign-in is required", `!!named('textbox', 'Password')`, "false")
	a.page.until("the page has its tabs", `!!named('button', 'New tab')`, "true") // the bootstrap page has no tabs
	a.page.until("the page has the keyboard", `document.hasFocus()`, "true")
	a.press("ctrl+k")
	a.page.until("Ctrl+K opens the command palette", dialogOpen, "true")
	a.page.until("the palette has the keyboard", command, "true")
	a.typeText("API")
	a.press("Return")
	a.page.until("the palette closes", dialogOpen, "false")
	a.page.until("the Explorer shows a request", requestOpen, "true")
}

// enterPath types text into the path of the active tab.
func (a *app) enterPath(text string) {
	a.t.Helper()
	a.press("ctrl+l")
	a.page.until("Ctrl+L goes to the path", pathFocused, "true")
	a.press("ctrl+a")
	a.typeText(text)
	a.page.until("the path is what was typed", path, text)
}

func TestWindowOpensSignedInAndSendsARequestByKeyboard(t *testing.T) {
	a := open(t, desk(t), t.TempDir())
	a.explorer()
	a.enterPath("/device/devices")
	a.press("ctrl+Return")
	a.page.until("the status after Ctrl+Enter", status, "200 OK")
}

func TestPageUsesOneProcessAndInstalledFonts(t *testing.T) {
	desk, data := desk(t), t.TempDir()
	a := launch(t, desk, data)
	pages := map[int]bool{} // process ids seen so far
	var opened string
	var err error
	eventually(t, soon, func() bool {
		for _, pid := range Family(a.cmd.Process.Pid) {
			if name, _ := os.ReadFile(fmt.Sprintf("/proc/%d/comm", pid)); strings.HasPrefix(string(name),
				"WebKitWebProc") {
				pages[pid] = true
			}
		}
		opened, err = a.page.eval(`!!named('button', 'New tab')`)
		return err == nil && opened == "true"
	}, func() string { return fmt.Sprintf("the page has no tabs: %s (%v)", opened, err) })
	if len(pages) != 1 {
		t.Errorf("it takes %d processes to show the first page", len(pages))
	}
	a.page.until("its text is looked for in fonts of another system",
		`getComputedStyle(document.body).fontFamily.startsWith('-apple-system')`, "false")

	a.explorer()
	a.press("ctrl+plus")
	saved(t, data, `"zoom":1.1`)
	if code := a.end(syscall.SIGTERM); code != 0 {
		t.Fatalf("SIGTERM ended it with code %d, want 0", code)
	}
	a = open(t, desk, data)
	const first = `document.documentElement.dataset.zoom + ' ' + (document.documentElement.dataset.fontUi === ` +
		`document.documentElement.style.getPropertyValue('--font-ui'))`
	a.page.until("what the page knows from its first byte when it is opened again", first, "1.1 true")
}

// saved waits until the data folder contains text.
func saved(t *testing.T, data, text string) {
	t.Helper()
	eventually(t, soon, func() bool { return holds(data, text) },
		func() string { return text + " never reached the data folder" })
}

func TestTabSurvivesARestartAndAKill(t *testing.T) {
	desk, data := desk(t), t.TempDir()
	a := open(t, desk, data)
	a.explorer()
	a.enterPath("/device/devices")
	saved(t, data, "/device/devices") // stored before the history contains it too
	a.press("ctrl+Return")
	a.page.until("the status after Ctrl+Enter", status, "200 OK")
	if code := a.end(syscall.SIGTERM); code != 0 {
		t.Fatalf("SIGTERM ended it with code %d, want 0", code)
	}

	a = open(t, desk, data)
	a.page.until("the path after a restart", path, "/device/devices")
	a.enterPath("/setting/version/kept")
	saved(t, data, "/setting/version/kept")
	a.end(syscall.SIGKILL)

	a = open(t, desk, data)
	a.page.until("the path after kill -9", path, "/setting/version/kept")
	if code := a.end(syscall.SIGTERM); code != 0 {
		t.Fatalf("SIGTERM ended it with code %d, want 0", code)
	}
}

func TestCtrlQClosesTheWindowAndLosesNothing(t *testing.T) {
	data := t.TempDir()
	a := open(t, desk(t), data)
	a.explorer()
	a.enterPath("/setting/version/last")
	a.press("ctrl+q") // before the tab is saved automatically
	if code := a.exit(); code != 0 {
		t.Errorf("Ctrl+Q ended it with code %d, want 0", code)
	}
	if !holds(data, "/setting/version/last") {
		t.Error("what was typed last is not in the data folder")
	}
}

func TestResponseIsSavedWithTheFileDialog(t *testing.T) {
	a := open(t, desk(t), t.TempDir())
	a.explorer()
	a.enterPath("/setting/version")
	a.press("ctrl+Return")
	a.page.until("the status after Ctrl+Enter", status, "200 OK")
	save := `named('link', 'Save response to a file')`
	a.page.until("the response can be saved", `!!`+save, "true")
	a.page.until("its link has the keyboard", `(`+save+`.focus(), document.activeElement === `+save+`)`, "true")
	a.press("Return")
	a.dialog("where to save")
	file := filepath.Join(t.TempDir(), "version.json")
	a.press("ctrl+a")
	a.typeText(file)
	a.press("Return")
	var text []byte
	eventually(t, soon, func() bool { text, _ = os.ReadFile(file); return len(text) > 0 },
		func() string { return file + " was not written" })
	if !strings.Contains(string(text), `"version"`) {
		t.Errorf("the file holds %s", text)
	}
	a.page.until("the page says where it is", `document.body.textContent.includes('Saved to')`, "true")
}

func TestSecondStartOpensItsLinkInTheFirstWindow(t *testing.T) {
	desk, data := desk(t), t.TempDir()
	first := open(t, desk, data, "spyglass://monitor/alerts")
	first.page.until("the link of the first start is open", `!!named('region', 'Alerts')`, "true")
	first.minimise()

	again := func(args ...string) {
		second := launch(t, desk, data, args...)
		if code := second.exit(); code != 0 {
			t.Fatalf("the second start with %v ended with code %d, want 0", args, code)
		}
	}
	again("spyglass://api/DELETE/device/devices/7?deleteHard=true")
	first.inFront()
	first.page.until("the link of the second start is in a tab", path, "/device/devices/7")
	first.page.until("its method", `named('combobox', 'Method').value`, "DELETE")
	first.page.until("nothing was sent", status, "Ready")
	again("spyglass://evil.example/monitor", "--", "--data")
	first.page.until("the page says what is no link",
		`document.body.textContent.includes('cannot be opened')`, "true")
	first.page.until("the request is still there", path, "/device/devices/7")

	var ids []string
	eventually(t, soon, func() bool {
		ids = strings.Fields(first.xdotool("search", "--onlyvisible", "--name", nameOfWindow))
		return len(ids) == 1
	}, func() string { return fmt.Sprintf("there are windows %v, want one", ids) })
}

var geometry = regexp.MustCompile(`(?m)^(X|Y|WIDTH|HEIGHT)=\d+$`)

// place returns the position of the window in xdotool's format.
func (a *app) place() string {
	a.t.Helper()
	return strings.Join(geometry.FindAllString(a.xdotool("getwindowgeometry", "--shell", a.window), -1), " ")
}

func TestWindowOpensWhereItWasClosed(t *testing.T) {
	desk, data := desk(t), t.TempDir()
	a := open(t, desk, data)
	a.xdotool("windowsize", "--sync", a.window, "1000", "700")
	a.xdotool("windowmove", "--sync", a.window, "300", "200")
	want := a.place()
	if !strings.Contains(want, "WIDTH=1000 HEIGHT=700") {
		t.Fatalf("the window is at %s, want it 1000 × 700", want)
	}
	if code := a.end(syscall.SIGTERM); code != 0 {
		t.Fatalf("SIGTERM ended it with code %d, want 0", code)
	}

	a = open(t, desk, data)
	eventually(t, soon, func() bool { return a.place() == want },
		func() string { return "the window stands at " + a.place() + ", want " + want })
}

func TestMissingDisplayIsReported(t *testing.T) {
	d, err := Start(Options{Bus: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	a := launch(t, d, t.TempDir())
	eventually(t, soon, func() bool { return strings.Contains(a.log.String(), "there is no display") },
		func() string { return "it does not say that there is no display" })
}
