// Package notify tells people of alerts: by mail and by web hooks, along the
// escalation chains.
//
// # The road of a notice
//
// Whatever happens to an alert marks it (alert.Alert.NoticeOn). The planner
// takes marked alerts and, in one transaction each batch, writes who is to be
// told as alert.Delivery rows, notes on the alert what people know now, and
// when it has to be seen to next. The sender takes the rows that are due. So a
// notice is planned once, however often the process ends, and is sent until the
// other side took it.
//
// Between that and the note of it the process may be killed; the notice is then
// sent again, with the same key (Message-ID, Idempotency-Key) by which the other
// side can tell.
//
// # Who is told, and when
//
// The first stage of the chain when an alert opens or gets worse; the next one
// after the rule's interval, until somebody acknowledges it, it clears, or there
// is no further stage. Who was told of it is told, too, that it was
// acknowledged or has cleared, unless the rule suppresses that. Nobody is told
// while maintenance covers the alert, or while the alert of a group stands for it;
// if it is still active afterwards, it goes on from there. After the alert of a
// group, that is after as many more polls as the single alert takes to clear (two
// at least, a quarter of an hour at most): the devices of a group recover one
// after the other, and nobody shall hear of the last of them that they are down
// and, seconds later, that they are not.
//
// # Web hooks
//
// The body is JSON: the integration's own template or hookBody. With a signing
// key it is signed: X-Spyglass-Signature is "sha256=" and the HMAC of
// X-Spyglass-Timestamp (epoch seconds), a full stop and the body, in hex.
//
// # Reports
//
// A report that was made goes to its recipients by the same rows (Post), with
// the file attached when it is not too large.
//
// # Two times
//
// Whose turn it is, who is on duty and how much a chain may send go by the time
// of the alerts (Pace), which a demo hurries or stops. Attempts go by real time,
// because the servers that are tried do.
//
// # Order
//
// Of one alert a receiver (a method and an address) hears in order, and nothing
// that is out of date. Before a lane sends, arrange looks at all that waits for a
// receiver:
//
//   - A notice that an alert is active or escalated supersedes the earlier ones
//     of that kind which were not delivered. One that it was acknowledged does
//     not: it is sent after them.
//   - A notice that it has cleared supersedes all of them. It is not sent itself
//     where nothing of the alert was delivered: nobody waits for its end.
//   - A notice is not sent before the earlier one to the same receiver.
//
// Superseded notices stay in the log as such. Whether one was delivered is not
// known while it is tried and after it was cut off (Delivery.InDoubt); it counts
// as delivered then, so that no end is missing. InDoubt is written before the
// attempt and holds after the process was killed.
//
// # Many at once
//
// Up to Integration.GroupAbove notices go to one address one by one within
// GroupWait seconds, without delay. What comes beyond, in a storm or after the
// other side was away, is collected for as long and goes as one digest of up to
// laneFull notices: a mail with a list, or one request to a web hook, see
// hookDigest. A template that names more than digestTokens cannot carry several,
// and gets them one by one. The key of a digest is written to its notices before
// it is sent: as long as none of them is superseded, each attempt sends the same
// ones with the same key. If a digest is refused for good its notices go one by one.
//
// # Attempts
//
// A busy or silent server is tried again after ever longer pauses (pauses) for
// about a day; what it refuses for good is not. When it takes one again after more
// than a minute (recovered), all that waits for it is due. Each way out has a lane of its
// own, so that a stuck one delays only itself. An attempt takes at most 10 s, or a
// minute where a file goes with it.
//
// # Concurrency and errors
//
// New, Start and Close are for one owner. Endpoints may be called by many. What
// goes wrong with a notice stands in its row; the log has only what concerns
// the portal itself.
package notify

import (
	"cmp"
	"context"
	"crypto/x509"
	"errors"
	"log/slog"
	"net"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"spyglass/backend/clock"
	"spyglass/backend/portal/alert"
	"spyglass/backend/portal/reporting"
	"spyglass/backend/resource"
	"spyglass/backend/service"
)

// Options say how notices leave.
type Options struct {
	// Dial connects to mail servers and web hooks, and judges where to.
	Dial  func(ctx context.Context, network, address string) (net.Conn, error)
	Roots *x509.CertPool // whom to trust; the system's when nil
	// File is the file of a run of a report; fault.Unknown for one that is gone.
	File    func(ctx context.Context, taskID int64) (*reporting.ReportFile, error)
	Origin  func() string // where the portal lies, for links; may be nil
	Name    func() string // of the portal
	Version string        // of the program
	Log     *slog.Logger  // slog.Default when nil
	Clock   func() time.Time
	Pace    *clock.Clock // the time of alerts; Clock's when nil
	Guard   *service.Guard
}

// page is where people look at an alert; empty where the portal cannot be reached, and for none.
func (o Options) page(alert int64) string {
	origin := o.Origin()
	if origin == "" || alert == 0 {
		return ""
	}
	return origin + "/#monitor/alerts/" + strconv.FormatInt(alert, 10)
}

// alertsPage is where people look at all alerts; empty where the portal cannot be reached.
func (o Options) alertsPage() string {
	origin := o.Origin()
	if origin == "" {
		return ""
	}
	return origin + "/#monitor/alerts"
}

// Service plans and sends notices.
type Service struct {
	db    resource.LiveDB
	o     Options
	ways  map[string]way // by type of integration
	freed chan struct{}  // a lane has become free

	sent, failed, retried atomic.Int64 // see Stats

	mu    sync.Mutex
	lanes map[string]*lane // by method

	close context.CancelFunc // nil until Start
	wait  service.Group
}

// way sends a notice by one type of integration.
type way interface {
	send(ctx context.Context, i *alert.Integration, d *alert.Delivery) error
}

// New makes a service that does nothing yet.
func New(db resource.LiveDB, o Options) *Service {
	o.Log = cmp.Or(o.Log, slog.Default())
	if o.Clock == nil {
		o.Clock = time.Now
	}
	if o.Pace == nil {
		o.Pace = clock.New(o.Clock)
	}
	if o.Dial == nil {
		o.Dial = (&net.Dialer{}).DialContext
	}
	if o.Origin == nil {
		o.Origin = func() string { return "" }
	}
	if o.Name == nil {
		o.Name = func() string { return "Spyglass" }
	}
	s := &Service{db: db, o: o, freed: make(chan struct{}, 1), lanes: map[string]*lane{}, wait: service.Group{Guard: o.Guard}}
	s.ways = map[string]way{alert.IntegrationSMTP: mailer{s}, alert.IntegrationHTTP: newHook(s)}
	return s
}

// patience is how long nothing is looked at while nothing happens, in the time
// of the alerts; leastPatience and patience bound that in real time.
const (
	patience      = 15 * time.Second
	leastPatience = time.Second
)

// Start begins to plan and to send, also what an earlier process left.
func (s *Service) Start() {
	ctx, cancel := context.WithCancel(context.Background())
	s.close = cancel
	s.wait.Keep(ctx, "planning of notices", s.run)
}

// run plans and sends until ctx is done.
func (s *Service) run(ctx context.Context) {
	changed, stop := s.db.Watch(string(alert.Alerts.Name), string(alert.Deliveries.Name), string(alert.Integrations.Name))
	defer stop()
	for {
		err := s.plan(ctx)
		if err == nil {
			err = s.dispatch(ctx)
		}
		if err != nil && ctx.Err() == nil {
			s.o.Log.ErrorContext(ctx, "notices wait", "err", err)
		}
		wait, turned := s.o.Pace.Wait(patience)
		timer := time.NewTimer(min(max(wait, leastPatience), patience))
		select {
		case <-ctx.Done():
			timer.Stop()
			return
		case <-changed:
		case <-s.freed:
		case <-turned:
		case <-timer.C:
		}
		timer.Stop()
	}
}

// Close cancels what is being sent, which is sent again by the next process,
// and waits for it no longer than the context. It may be called twice, and on a
// service that never started.
func (s *Service) Close(ctx context.Context) error {
	if s.close == nil {
		return nil
	}
	s.close()
	return s.wait.WaitFor(ctx)
}

// refused is an error that no second attempt would mend.
type refused struct{ error }

func (r refused) Unwrap() error { return r.error }

func isRefused(err error) bool {
	var r refused
	return errors.As(err, &r)
}

// unsent is an error after which the other side certainly has not taken the
// notice. After any other one it may have.
type unsent struct{ error }

func (u unsent) Unwrap() error { return u.error }

func isUnsent(err error) bool {
	var u unsent
	return errors.As(err, &u) || isRefused(err)
}
