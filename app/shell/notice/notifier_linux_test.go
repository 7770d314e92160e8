package notice

import (
	"bufio"
	"context"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/godbus/dbus/v5"
)

// sessionBus starts a session bus for the test and sets its address in the environment.
func sessionBus(t *testing.T) {
	t.Helper()
	cmd := exec.Command("dbus-daemon", "--session", "--nofork", "--print-address=1")
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	address, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", strings.TrimSpace(address))
}

// noticing is a fake of the desktop's notification service.
type noticing struct {
	conn  *dbus.Conn
	shown chan [4]string // app, icon, title, body
	last  uint32
}

func (s *noticing) Notify(app string, _ uint32, icon, title, body string, _ []string, _ map[string]dbus.Variant,
	_ int32) (uint32, *dbus.Error) {
	s.last++
	s.shown <- [4]string{app, icon, title, body}
	return s.last, nil
}

func (s *noticing) tell(t *testing.T, signal string, id uint32, value any) {
	t.Helper()
	if err := s.conn.Emit(busPath, busService+"."+signal, id, value); err != nil {
		t.Fatal(err)
	}
}

func serve(t *testing.T) *noticing {
	t.Helper()
	conn, err := dbus.ConnectSessionBus()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	s := &noticing{conn: conn, shown: make(chan [4]string, 10)}
	if err := conn.Export(s, busPath, busService); err != nil {
		t.Fatal(err)
	}
	if reply, err := conn.RequestName(busService, 0); err != nil || reply != dbus.RequestNameReplyPrimaryOwner {
		t.Fatal(reply, err)
	}
	return s
}

func TestClickOnANoticeOpensItsLink(t *testing.T) {
	sessionBus(t)
	s := serve(t)
	opened := make(chan string, 10)
	n, err := newNotifier(t.Context(), func(link string) { opened <- link })
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = n.close() })
	for _, link := range []string{"spyglass://monitor/alerts/1", "spyglass://monitor/alerts/2",
		"spyglass://monitor/alerts/3"} {
		if err := n.show(t.Context(), Notice{Title: "web <1> is critical", Body: "CPU <b>97</b> & more",
			Link: link}); err != nil {
			t.Fatal(err)
		}
		want := [4]string{"Spyglass", "spyglass", "web <1> is critical", "CPU &lt;b&gt;97&lt;/b&gt; &amp; more"}
		if got := <-s.shown; got != want {
			t.Errorf("shown is %q, want %q", got, want)
		}
	}
	s.tell(t, "NotificationClosed", 1, uint32(2)) // after a dismissal, a late click opens nothing
	s.tell(t, "ActionInvoked", 1, "default")
	s.tell(t, "ActionInvoked", 99, "default") // belongs to another program
	s.tell(t, "ActionInvoked", 3, "default")
	s.tell(t, "ActionInvoked", 3, "default")
	s.tell(t, "ActionInvoked", 2, "default")
	for _, want := range []string{"spyglass://monitor/alerts/3", "spyglass://monitor/alerts/2"} {
		if got := <-opened; got != want {
			t.Errorf("opened is %s, want %s", got, want)
		}
	}
}

func TestMissingNotificationServiceIsAnError(t *testing.T) {
	sessionBus(t)
	n, err := newNotifier(t.Context(), func(string) {})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = n.close() })
	if err := n.show(t.Context(), Notice{Title: "x"}); err == nil {
		t.Error("no service shows it, and there is no error")
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
	cancel()
	if err := n.show(ctx, Notice{Title: "x"}); err == nil {
		t.Error("there is no error after the end")
	}
}
