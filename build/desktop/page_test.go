//go:build window

package desktop

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"testing"
	"time"

	"golang.org/x/net/websocket"
)

// page is the page in the window, controlled through WebKit's remote inspector.
type page struct {
	t         *testing.T
	inspector string // host:port
}

// named is a JavaScript function that finds elements as a screen reader does:
// the visible element with a role and an accessible name.
const named = `(role, name) => {
	const tags = {region: 'section', combobox: 'select', textbox: 'input,textarea', button: 'button', dialog: 'dialog',
		tab: 'x', status: 'output', link: 'a[href]'}
	const label = e => e.getAttribute('aria-label') ??
		(e.getAttribute('aria-labelledby') ?? '').split(' ').map(id => document.getElementById(id)?.textContent ?? '').join(' ').trim()
	return [...document.querySelectorAll('[role=' + role + '],' + tags[role])].find(e =>
		e.checkVisibility() && (!name || (label(e) || e.labels?.[0]?.textContent || e.textContent).trim() === name))
}`

var inspected = regexp.MustCompile(`/socket/\d+/\d+/WebPage`)

// eval returns the value of a JavaScript expression as text; the expression can call
// named. Each call opens a new connection, because the page gets
// a new inspector after each navigation.
func (p page) eval(expression string) (string, error) {
	response, err := http.Get("http://" + p.inspector + "/")
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	list, err := io.ReadAll(response.Body)
	if err != nil {
		return "", err
	}
	path := inspected.Find(list)
	if path == nil {
		return "", fmt.Errorf("the inspector lists no page")
	}
	socket, err := websocket.Dial("ws://"+p.inspector+string(path), "", "http://"+p.inspector)
	if err != nil {
		return "", err
	}
	defer socket.Close()
	if err := socket.SetDeadline(time.Now().Add(5 * time.Second)); err != nil {
		return "", err
	}
	return evaluate(socket, "(named => String("+expression+"))("+named+")")
}

// evaluate waits for the page to connect, sends it the expression, and
// waits for the response. Messages to a page are JSON inside JSON.
func evaluate(socket *websocket.Conn, expression string) (string, error) {
	for {
		var event struct {
			Method string
			Params struct {
				TargetInfo struct {
					TargetID      string
					Type          string
					IsProvisional bool
				}
				Message string
			}
		}
		if err := websocket.JSON.Receive(socket, &event); err != nil {
			return "", err
		}
		switch target := event.Params.TargetInfo; event.Method {
		case "Target.targetCreated":
			if target.Type != "page" || target.IsProvisional {
				continue
			}
			inner, err := json.Marshal(map[string]any{"id": 1, "method": "Runtime.evaluate",
				"params": map[string]any{"expression": expression, "returnByValue": true}})
			if err != nil {
				return "", err
			}
			err = websocket.JSON.Send(socket, map[string]any{"id": 1, "method": "Target.sendMessageToTarget",
				"params": map[string]any{"targetId": target.TargetID, "message": string(inner)}})
			if err != nil {
				return "", err
			}
		case "Target.dispatchMessageFromTarget":
			return value(event.Params.Message)
		}
	}
}

func value(message string) (string, error) {
	var response struct {
		Result struct {
			Result    struct{ Value, Description string }
			WasThrown bool
		}
	}
	if err := json.Unmarshal([]byte(message), &response); err != nil {
		return "", err
	}
	if response.Result.WasThrown {
		return "", fmt.Errorf("the page threw %s", response.Result.Result.Description)
	}
	return response.Result.Result.Value, nil
}

// soon limits the time that the window may take for a step, on a machine that
// also runs other tests.
const soon = 20 * time.Second

// until polls an expression until its value is want.
func (p page) until(what, expression, want string) {
	p.t.Helper()
	var got string
	var err error
	eventually(p.t, soon, func() bool {
		got, err = p.eval(expression)
		return err == nil && got == want
	}, func() string { return fmt.Sprintf("%s: it is %q (%v), want %q", what, got, err, want) })
}

// eventually polls done at intervals of at most 20 ms. If done does not return true in time,
// eventually fails the test with the message from failure.
func eventually(t *testing.T, limit time.Duration, done func() bool, failure func() string) {
	t.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(limit); time.Now().Before(end); <-tick.C {
		if done() {
			return
		}
	}
	t.Fatal(failure())
}
