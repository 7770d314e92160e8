// Package notify notifies people of alerts: by mail and by web hooks, along the
// escalation chains.
//
// # Life of a notice
//
// Every event of an alert marks it (alert.Alert.NoticeOn). The planner takes
// marked alerts and, in one transaction each batch, writes the recipients as
// alert.Delivery rows, and updates the recipients and the next due time of the
// alert. The sender takes the rows that are due. So a notice is planned once,
// however often the process ends, and is sent until the other side has accepted
// it.
//
// The process may be killed between the sending and the update of the row; the
// notice is then sent again, with the same key (Message-ID, Idempotency-Key),
// by which the other side can recognise it.
//
// # Recipients and times
//
// The first stage of the chain is notified when an alert opens or gets worse;
// the next one after the rule's interval, until somebody acknowledges it, it
// clears, or there is no further stage. Those notified of it are notified, too,
// when it is acknowledged or clears, unless the rule suppresses that. Nobody is
// notified while maintenance covers the alert, or while the alert of a group
// suppresses it; if it is still active afterwards, it resumes from there. After
// the alert of a group, that is after as many more polls as the single alert
// takes to clear (two at least, a quarter of an hour at most): the devices of a
// group recover one after the other, and nobody should be notified that the
// last of them are down and, seconds later, that they are not.
//
// # Web hooks
//
// The body is JSON: the integration's own template or hookBody. With a signing
// key it is signed: X-Spyglass-Signature is "sha256=" and the HMAC of
// X-Spyglass-Timestamp (epoch seconds), a full stop and the body, in hex.
//
// # Reports
//
// A finished report is sent to its recipients by the same rows (Post), with the
// file attached when it is not too large.
//
// # Demo clock and real time
//
// Escalation, duty rosters and throttling go by the time of the alerts (Pace),
// which a demo speeds up or pauses. Attempts run in real time, because mail
// servers do.
//
// # Order
//
// The notices of one alert reach a receiver (a method and an address) in order,
// and none that is out of date. Before a lane sends, arrange checks all pending
// notices for a receiver:
//
//   - A notice that an alert is active or escalated supersedes the earlier ones
//     of that kind which were not delivered. One that it was acknowledged does
//     not: it is sent after them.
//   - A notice that it has cleared supersedes all of them. It is not sent itself
//     where nothing of the alert was delivered: no one knows that it was active.
//   - A notice is not sent before the earlier one to the same receiver.
//
// Superseded notices stay in the log as such. While an attempt runs, and after an
// interrupted one, it is unknown whether the notice was delivered
// (Delivery.InDoubt); it then counts as delivered, so that no notice of the end
// is missing. InDoubt is written before the attempt and holds after the process
// was killed.
//
// # Many at once
//
// Up to Integration.GroupAbove notices go to one address one by one within
// GroupWait seconds, without delay. Further ones, in a storm or after the other
// side was away, are collected for as long and sent as one digest of up to
// laneFull notices: a mail with a list, or one request to a web hook, see
// hookDigest. A template that uses more than digestTokens cannot carry several,
// and gets them one by one. The key of a digest is written to its notices
// before it is sent: as long as none of them is superseded, each attempt sends
// the same ones with the same key. If a digest is refused for good its notices
// are sent one by one.
//
// # Attempts
//
// Sending is retried after growing pauses (pauses) for about a day while a
// server is busy or silent, but not when it refuses for good. When it accepts a
// notice again after more than a minute (recovered), all pending notices for it
// are due. Each method has a lane of its own, so that a stuck one delays only
// itself. An attempt takes at most 10 s, or a minute with an attached file.
//
// # Concurrency and errors
//
// New, Start and Close are for one owner. Endpoints may be called by many.
// Errors of a notice are stored in its row; the log has only those of the
// portal itself.
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

// Options configures a Service.
type Options struct {
	// Dial connects to mail servers and web hooks, and judges their addresses.
	Dial  func(ctx context.Context, network, address string) (net.Conn, error)
	Roots *x509.CertPool // trusted authorities; the system's when nil
	// File returns the file of a report run; fault.Unknown for a deleted one.
	File    func(ctx context.Context, taskID int64) (*reporting.ReportFile, error)
	Origin  func() string // URL of the portal, for links; may be nil
	Name    func() string // of the portal
	Version string        // of the program
	Log     *slog.Logger  // slog.Default when nil
	Clock   func() time.Time
	Pace    *clock.Clock // the time of alerts; Clock's when nil
	Guard   *service.Guard
}

// page returns the URL of an alert's page; empty where the portal cannot be
// reached, and for no alert.
func (o Options) page(alert int64) string {
	origin := o.Origin()
	if origin == "" || alert == 0 {
		return ""
	}
	return origin + "/#monitor/alerts/" + strconv.FormatInt(alert, 10)
}

// alertsPage returns the URL of the page of all alerts; empty where the portal
// cannot be reached.
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
	s := &Service{db: db, o: o, freed: make(chan struct{}, 1), lanes: map[string]*lane{},
		wait: service.Group{Guard: o.Guard}}
	s.ways = map[string]way{alert.IntegrationSMTP: mailer{s}, alert.IntegrationHTTP: newHook(s)}
	return s
}

// patience is the longest wait without changes, in the time of the alerts;
// leastPatience and patience bound it in real time.
const (
	patience      = 15 * time.Second
	leastPatience = time.Second
)

// Start begins to plan and to send, including the notices that an earlier
// process left.
func (s *Service) Start() {
	ctx, cancel := context.WithCancel(context.Background())
	s.close = cancel
	s.wait.Keep(ctx, "planning of notices", s.run)
}

// run plans and sends until ctx is done.
func (s *Service) run(ctx context.Context) {
	changed, stop := s.db.Watch(string(alert.Alerts.Name), string(alert.Deliveries.Name),
		string(alert.Integrations.Name))
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

// Close cancels sends under way, which the next process repeats, and waits for
// them no longer than the context. It may be called twice, and on a service
// that never started.
func (s *Service) Close(ctx context.Context) error {
	if s.close == nil {
		return nil
	}
	s.close()
	return s.wait.WaitFor(ctx)
}

// refused is a permanent error: a retry would not succeed.
type refused struct{ error }

func (r refused) Unwrap() error { return r.error }

func isRefused(err error) bool {
	var r refused
	return errors.As(err, &r)
}

// unsent is an error after which the other side certainly has not accepted the
// notice. After any other one it may have.
type unsent struct{ error }

func (u unsent) Unwrap() error { return u.error }

func isUnsent(err error) bool {
	var u unsent
	return errors.As(err, &u) || isRefused(err)
}
