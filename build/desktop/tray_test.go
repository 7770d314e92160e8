//go:build window

package desktop

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/godbus/dbus/v5"
)

const (
	watcherName = "org.kde.StatusNotifierWatcher"
	watcherPath = "/StatusNotifierWatcher"
	trayItem    = "org.kde.StatusNotifierItem"
	trayMenu    = "com.canonical.dbusmenu"
)

// watcher is a fake of a desktop's tray.
type watcher struct {
	t          *testing.T
	conn       *dbus.Conn
	registered chan dbus.BusObject
}

// RegisterStatusNotifierItem receives the icon of a program.
func (w *watcher) RegisterStatusNotifierItem(sender dbus.Sender, path string) *dbus.Error {
	w.registered <- w.conn.Object(string(sender), dbus.ObjectPath(path))
	return nil
}

func watch(t *testing.T, desk *Desktop) *watcher {
	t.Helper()
	conn := sessionBus(t, desk)
	w := &watcher{t: t, conn: conn, registered: make(chan dbus.BusObject, 1)}
	if err := conn.Export(w, watcherPath, watcherName); err != nil {
		t.Fatal(err)
	}
	if reply, err := conn.RequestName(watcherName, 0); err != nil || reply != dbus.RequestNameReplyPrimaryOwner {
		t.Fatal(reply, err)
	}
	return w
}

// item waits for the icon of the program.
func (w *watcher) item() dbus.BusObject {
	w.t.Helper()
	select {
	case item := <-w.registered:
		return item
	case <-time.After(soon):
		w.t.Fatal("no icon came into the tray")
		return nil
	}
}

// tooltip returns the icon's tooltip.
func (w *watcher) tooltip(item dbus.BusObject) string {
	w.t.Helper()
	var tip struct {
		Name  string
		Icons []struct {
			W, H int32
			Pix  []byte
		}
		Title, Text string
	}
	tooltip, err := item.GetProperty(trayItem + ".ToolTip")
	if err == nil {
		err = tooltip.Store(&tip)
	}
	if err != nil {
		w.t.Fatal(err)
	}
	return tip.Title
}

// line is a line of a menu.
type line struct {
	id      int32
	text    string
	checked bool
}

// menu returns the visible lines.
func (w *watcher) menu(item dbus.BusObject) (lines []line) {
	w.t.Helper()
	type layout struct {
		ID       int32
		Props    map[string]dbus.Variant
		Children []dbus.Variant
	}
	var revision uint32
	var root layout
	menu := w.conn.Object(item.Destination(), item.Path()+"/menu")
	if err := menu.Call(trayMenu+".GetLayout", 0, int32(0), int32(-1), []string{}).Store(&revision, &root); err != nil {
		w.t.Fatal(err)
	}
	for _, child := range root.Children {
		var l layout
		if err := dbus.Store([]any{child.Value()}, &l); err != nil {
			w.t.Fatal(err)
		}
		text, _ := l.Props["label"].Value().(string)
		checked, _ := l.Props["toggle-state"].Value().(int32)
		if visible, said := l.Props["visible"].Value().(bool); text != "" && (visible || !said) {
			lines = append(lines, line{l.ID, text, checked == 1})
		}
	}
	return lines
}

// line waits for the first line of the menu that contains text.
func (w *watcher) line(item dbus.BusObject, text string) (found line) {
	w.t.Helper()
	var lines []line
	eventually(w.t, soon, func() bool {
		lines = w.menu(item)
		at := slices.IndexFunc(lines, func(l line) bool { return strings.Contains(l.text, text) })
		if at >= 0 {
			found = lines[at]
		}
		return at >= 0
	}, func() string { return fmt.Sprintf("the menu has no %q: %v", text, lines) })
	return found
}

// click clicks the first line that contains text.
func (w *watcher) click(item dbus.BusObject, text string) {
	w.t.Helper()
	menu := w.conn.Object(item.Destination(), item.Path()+"/menu")
	if err := menu.Call(trayMenu+".Event", 0, w.line(item, text).id, "clicked", dbus.MakeVariant(""),
		uint32(0)).Err; err != nil {
		w.t.Fatal(err)
	}
}

// counted returns the text that the tray should show, and the critical alert
// that changed most recently.
func (a *app) counted() (text, id string) {
	a.t.Helper()
	var pages [2]struct {
		Total int
		Items []struct{ ID string }
	}
	for i, severity := range []int{4, 3} {
		response := a.send("GET", fmt.Sprintf("/alert/alerts?filter=severity:%d,acked:false,sdted:false&"+
			"sort=-lastUpdatedOnEpoch&size=1", severity), "")
		if err := json.Unmarshal(response, &pages[i]); err != nil {
			a.t.Fatal(err)
		}
	}
	if len(pages[0].Items) == 0 || pages[1].Total < 2 {
		a.t.Fatalf("the demo begins with %+v", pages)
	}
	return fmt.Sprintf("Spyglass: %d critical, %d errors", pages[0].Total, pages[1].Total), pages[0].Items[0].ID
}

func TestTrayCountsAlertsAndItsMenuOpensThem(t *testing.T) {
	desk := desk(t)
	w := watch(t, desk)
	a := open(t, desk, t.TempDir())
	a.page.until("the page has its tabs", `!!named('button', 'New tab')`, "true")
	item := w.item()
	worst := ""
	agree := func() {
		t.Helper()
		var shown, want string
		eventually(t, soon, func() bool {
			want, worst = a.counted()
			shown = w.tooltip(item)
			return shown == want
		}, func() string { return fmt.Sprintf("the tray shows %q, want %q", shown, want) })
	}
	agree()
	a.send("POST", "/alert/alerts/"+worst+"/ack", `{"ackComment":"seen"}`)
	agree()

	a.minimise()
	w.click(item, ": ") // an alert, labeled with its device and instance
	a.page.until("the alerts are shown", `!!named('region', 'Alerts')`, "true")
	a.inFront()
	w.click(item, "Pause notices")
	eventually(t, soon, func() bool { return w.line(item, "Pause notices").checked },
		func() string { return "notices do not pause" })
	w.click(item, "Quit")
	if code := a.exit(); code != 0 {
		t.Errorf("it ends with code %d, want 0", code)
	}
}
