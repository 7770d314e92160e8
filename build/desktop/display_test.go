//go:build window

package desktop

import (
	"strings"
	"syscall"
	"testing"
)

// TestWindowPositionIsKeptPerDisplayArrangement uses one display at a
// time, because GDK sees no second output on a server without a graphics card.
func TestWindowPositionIsKeptPerDisplayArrangement(t *testing.T) {
	desk, data := deskOf(t, 3200, 1000), t.TempDir()
	xrandr := func(args ...string) {
		t.Helper()
		if out, err := desk.Command("xrandr", args...).CombinedOutput(); err != nil {
			t.Fatalf("xrandr %v: %v: %s", args, err, out)
		}
	}
	const left, right = "1600/400x1000/250+0+0", "1600/400x1000/250+1600+0"
	run := func(what string, do func(a *app)) {
		t.Helper()
		a := open(t, desk, data)
		do(a)
		if code := a.end(syscall.SIGTERM); code != 0 {
			t.Fatalf("%s: SIGTERM ended it with code %d, want 0", what, code)
		}
	}
	stands := func(a *app, want string) {
		t.Helper()
		eventually(t, soon, func() bool { return strings.HasPrefix(a.place(), want) },
			func() string { return "the window stands at " + a.place() + ", want " + want })
	}
	var onRight, onLeft string
	xrandr("--setmonitor", "display", right, "screen")
	run("on the right", func(a *app) {
		a.page.until("the page has its tabs", `!!named('button', 'New tab')`, "true") // the window is visible
		a.xdotool("windowsize", "--sync", a.window, "700", "500")
		a.xdotool("windowmove", "--sync", a.window, "1900", "300")
		onRight = a.place()
	})
	xrandr("--delmonitor", "display")
	xrandr("--setmonitor", "display", left, "screen")
	run("on the left", func(a *app) {
		stands(a, "X=902 ") // the frame is two pixels wide
		a.xdotool("windowmove", "--sync", a.window, "100", "100")
		onLeft = a.place()
	})
	xrandr("--delmonitor", "display")
	xrandr("--setmonitor", "display", right, "screen")
	run("on the right again", func(a *app) { stands(a, onRight) })
	xrandr("--delmonitor", "display")
	xrandr("--setmonitor", "display", left, "screen")
	run("on the left again", func(a *app) { stands(a, onLeft) })
}
