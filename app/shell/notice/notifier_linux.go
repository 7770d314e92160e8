package notice

import (
	"context"
	"errors"
	"html"
	"sync"
	"time"

	// BSD-2. Wails supports notices, but takes a dismissed one for a clicked one,
	// and waits forever for a service that hangs.
	"github.com/godbus/dbus/v5"

	"spyglass/backend/service"
)

const (
	busService = "org.freedesktop.Notifications"
	busPath    = dbus.ObjectPath("/org/freedesktop/Notifications")

	patience    = 5 * time.Second // for a service that does not respond
	mostNotices = 100             // notices whose links are stored
)

// notifier shows notices through the notification service of the session bus.
type notifier struct {
	conn    *dbus.Conn
	clicked func(link string)
	hears   service.Group

	mu    sync.Mutex // also held while a notice is being sent, because its click comes after
	links map[uint32]string
}

// newNotifier fails if there is no session bus. clicked is called with a notice's
// link, on a goroutine that ends with close.
func newNotifier(ctx context.Context, clicked func(link string)) (*notifier, error) {
	conn, err := dbus.ConnectSessionBus()
	if err != nil {
		return nil, err
	}
	n := &notifier{conn: conn, clicked: clicked, hears: service.Group{Parent: ctx}, links: map[uint32]string{}}
	for _, member := range []string{"ActionInvoked", "NotificationClosed"} {
		err = errors.Join(err, conn.AddMatchSignal(dbus.WithMatchObjectPath(busPath),
			dbus.WithMatchInterface(busService), dbus.WithMatchMember(member)))
	}
	if err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	signals := make(chan *dbus.Signal, 16)
	conn.Signal(signals)
	n.hears.Keep("desktop notices", func(context.Context) {
		for signal := range signals { // closed with the connection
			n.handle(signal)
		}
	})
	return n, nil
}

func (n *notifier) close() error { return n.conn.Close() }

func (n *notifier) show(ctx context.Context, notice Notice) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	n.mu.Lock()
	defer n.mu.Unlock()
	var id uint32
	// The body may be interpreted as markup, and contains names of devices.
	err := n.conn.Object(busService, busPath).CallWithContext(ctx, busService+".Notify", 0,
		"Spyglass", uint32(0), "spyglass", notice.Title, html.EscapeString(notice.Body), []string{"default", "Show"},
		map[string]dbus.Variant{"desktop-entry": dbus.MakeVariant("spyglass")}, int32(-1)).Store(&id)
	if err != nil {
		return err
	}
	if len(n.links) >= mostNotices { // for services that never report a closed notice
		clear(n.links)
	}
	n.links[id] = notice.Link
	return nil
}

// handle opens the link of a clicked notice, and drops that of a closed one.
func (n *notifier) handle(signal *dbus.Signal) {
	if len(signal.Body) != 2 {
		return
	}
	id, ok := signal.Body[0].(uint32)
	if !ok {
		return
	}
	n.mu.Lock()
	link := n.links[id]
	delete(n.links, id)
	n.mu.Unlock()
	if signal.Name == busService+".ActionInvoked" && link != "" {
		n.clicked(link)
	}
}
