//go:build window

package desktop

import (
	"strings"
	"testing"
	"time"

	"github.com/godbus/dbus/v5"
)

// notifications is a fake of a desktop's notification service.
type notifications struct {
	conn  *dbus.Conn
	shown chan string // titles
}

const (
	notificationName = "org.freedesktop.Notifications"
	notificationPath = "/org/freedesktop/Notifications"
)

func (n *notifications) Notify(_ string, _ uint32, _, title, _ string, _ []string, _ map[string]dbus.Variant,
	_ int32) (uint32, *dbus.Error) {
	select {
	case n.shown <- title:
	default: // the channel has one already
	}
	return 7, nil
}

// sessionBus returns a connection to the desktop's session bus.
func sessionBus(t *testing.T, desk *Desktop) *dbus.Conn {
	t.Helper()
	address := ""
	for _, v := range desk.Environ() {
		if a, ok := strings.CutPrefix(v, "DBUS_SESSION_BUS_ADDRESS="); ok {
			address = a
		}
	}
	conn, err := dbus.Connect(address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}

func notify(t *testing.T, desk *Desktop) *notifications {
	t.Helper()
	conn := sessionBus(t, desk)
	n := &notifications{conn: conn, shown: make(chan string, 1)}
	if err := conn.Export(n, notificationPath, notificationName); err != nil {
		t.Fatal(err)
	}
	if reply, err := conn.RequestName(notificationName, 0); err != nil || reply != dbus.RequestNameReplyPrimaryOwner {
		t.Fatal(reply, err)
	}
	return n
}

func TestClickOnACriticalNoticeOpensTheAlerts(t *testing.T) {
	desk := desk(t)
	service := notify(t, desk)
	a := open(t, desk, t.TempDir())
	a.page.until("the page has its tabs", `!!named('button', 'New tab')`, "true")
	a.send("PATCH", "/demo/time", `{"speed":60}`)
	a.send("POST", "/demo/incidents", `{"kind":"coreSwitchDown"}`)
	select {
	case title := <-service.shown:
		if !strings.Contains(title, "critical") {
			t.Errorf("it tells %q", title)
		}
	case <-time.After(2 * soon): // the demo polls every minute, and its clock runs a minute per second
		t.Fatal("nobody was notified of the incident")
	}
	a.minimise()
	if err := service.conn.Emit(notificationPath, notificationName+".ActionInvoked", uint32(7), "default"); err != nil {
		t.Fatal(err)
	}
	a.page.until("the alerts are shown", `!!named('region', 'Alerts')`, "true")
	a.inFront()
}

func TestF11TogglesFullScreen(t *testing.T) {
	a := open(t, desk(t), t.TempDir())
	a.page.until("the page has its tabs", `!!named('button', 'New tab')`, "true")
	a.page.until("the page has the keyboard", `document.hasFocus()`, "true")
	before := a.place()
	a.press("F11")
	eventually(t, soon, func() bool { return strings.HasSuffix(a.place(), "WIDTH=1600 HEIGHT=1000") },
		func() string { return "the window stands at " + a.place() + ", want all of the screen" })
	a.press("F11")
	eventually(t, soon, func() bool { return a.place() == before },
		func() string { return "the window stands at " + a.place() + ", want " + before })
}
