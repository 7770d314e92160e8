//go:build window

package desktop

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// app is a run of the program with a window.
type app struct {
	t    *testing.T
	desk *Desktop
	cmd  *exec.Cmd
	log  output
	page page

	data   string // its data folder
	window string // its X window id
	origin string // origin of its page; send sets it at the first request
	bearer string // token of its administrator; send sets it at the first request
	ended  chan struct{}
	code   int // valid once ended is closed
}

// output is a file with the output of a program and its successor.
type output string

func (o output) String() string {
	text, err := os.ReadFile(string(o))
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// binary returns the path of the program under test, a desktop build.
func binary(t *testing.T) string {
	t.Helper()
	path := os.Getenv("SPYGLASS_BIN")
	if path == "" {
		t.Fatal("SPYGLASS_BIN is not set: run this with go run ./build test window")
	}
	path, err := filepath.Abs(path)
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// launch starts the program on a data folder and does not wait for it.
func launch(t *testing.T, desk *Desktop, data string, args ...string) *app {
	t.Helper()
	a := &app{t: t, desk: desk, data: data, ended: make(chan struct{})}
	inspector, err := FreeAddress()
	if err != nil {
		t.Fatal(err)
	}
	a.page = page{t: t, inspector: inspector}
	a.cmd = desk.Command(binary(t), append([]string{"--data", data}, args...)...)
	a.cmd.Env = append(a.cmd.Env, "WEBKIT_INSPECTOR_HTTP_SERVER="+a.page.inspector)
	log, err := os.CreateTemp(t.TempDir(), "log")
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	a.log, a.cmd.Stdout, a.cmd.Stderr = output(log.Name()), log, log
	if err := a.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		_ = a.cmd.Wait() // checked by the exit code
		a.code = a.cmd.ProcessState.ExitCode()
		close(a.ended)
	}()
	t.Cleanup(func() {
		_ = a.cmd.Process.Kill()
		<-a.ended
		if t.Failed() {
			t.Logf("%s said:\n%s", a.cmd, a.log)
		}
	})
	return a
}

// nameOfWindow matches the titles of the program's window, which begin with the current screen.
const nameOfWindow = "Spyglass$"

// open starts the program and waits until its window has the keyboard focus.
func open(t *testing.T, desk *Desktop, data string, args ...string) *app {
	t.Helper()
	a := launch(t, desk, data, args...)
	eventually(t, soon, func() bool {
		select {
		case <-a.ended:
			t.Fatalf("the program ended with code %d before it had a window", a.code)
		default:
		}
		ids := strings.Fields(a.xdotool("search", "--onlyvisible", "--name", nameOfWindow))
		if len(ids) == 0 {
			return false
		}
		a.window = ids[0]
		return true
	}, func() string { return "no window with a name that ends with Spyglass" })
	a.xdotool("windowactivate", "--sync", a.window)
	return a
}

// xdotool returns the output of xdotool; it is empty if a window search finds
// none.
func (a *app) xdotool(args ...string) string {
	a.t.Helper()
	out, err := a.desk.Command("xdotool", args...).Output()
	if err != nil && args[0] != "search" && args[0] != "getactivewindow" {
		a.t.Fatalf("xdotool %s: %v", strings.Join(args, " "), err)
	}
	return strings.TrimSpace(string(out))
}

// press presses a key combination in xdotool's syntax.
func (a *app) press(keys string) {
	a.t.Helper()
	a.xdotool("key", "--clearmodifiers", keys)
}

func (a *app) typeText(text string) {
	a.t.Helper()
	a.xdotool("type", "--delay", "15", text)
}

// minimise minimises the window. xdotool waits until the window is hidden. openbox does not give the focus
// to a window that reappears before another window has had it.
func (a *app) minimise() {
	a.t.Helper()
	a.xdotool("windowminimize", "--sync", a.window)
	eventually(a.t, soon, func() bool { return a.xdotool("getactivewindow") == "" },
		func() string { return "the minimised window keeps the keyboard" })
}

// inFront waits until the window has the keyboard focus.
func (a *app) inFront() {
	a.t.Helper()
	eventually(a.t, soon, func() bool { return a.xdotool("getactivewindow") == a.window },
		func() string { return "the window is not in front" })
}

// dialog waits until a dialog of the desktop has the keyboard focus.
func (a *app) dialog(what string) {
	a.t.Helper()
	eventually(a.t, soon, func() bool {
		for _, id := range strings.Fields(a.xdotool("search", "--onlyvisible", "--class", "spyglass")) {
			if id != a.window && a.xdotool("getactivewindow") == id {
				return true
			}
		}
		return false
	}, func() string { return "no dialog says " + what })
}

// end sends sig, waits for the program to end, and returns its exit code.
func (a *app) end(sig syscall.Signal) int {
	a.t.Helper()
	if err := a.cmd.Process.Signal(sig); err != nil {
		a.t.Fatal(err)
	}
	return a.exit()
}

// exit waits for the program to end, and returns its exit code.
func (a *app) exit() int {
	a.t.Helper()
	select {
	case <-a.ended:
		return a.code
	case <-time.After(soon):
		a.t.Fatal("the program does not end")
		return 0
	}
}

// send sends a request to the running portal as its administrator, and returns
// the response.
func (a *app) send(method, path, body string) []byte {
	a.t.Helper()
	if a.bearer == "" {
		out, err := a.desk.Command(binary(a.t), "token", "create", "--data", a.data, "--user", "admin").Output()
		var token struct{ Bearer string }
		if err == nil {
			err = json.Unmarshal(out, &token)
		}
		if err != nil {
			a.t.Fatal(err)
		}
		a.bearer = token.Bearer
		eventually(a.t, soon, func() bool {
			a.origin, err = a.page.eval("location.origin")
			return err == nil && strings.HasPrefix(a.origin, "http:")
		}, func() string { return fmt.Sprintf("the page comes from %q (%v)", a.origin, err) })
	}
	r, err := http.NewRequestWithContext(a.t.Context(), method, a.origin+"/api"+path, strings.NewReader(body))
	if err != nil {
		a.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+a.bearer)
	r.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		a.t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode >= http.StatusBadRequest {
		a.t.Fatalf("%s %s returned %s: %s (%v)", method, path, response.Status, text, err)
	}
	return text
}

// holds reports whether a file in the data folder contains text.
func holds(data, text string) bool {
	files, _ := filepath.Glob(filepath.Join(data, "workspace.db*"))
	for _, file := range files {
		if content, err := os.ReadFile(file); err == nil && bytes.Contains(content, []byte(text)) {
			return true
		}
	}
	return false
}
