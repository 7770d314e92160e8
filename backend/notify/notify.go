// Package notify notifies people of alerts: by mail and by web hooks, along the
// escalation chains.
//
// # Life of a notice
//
// Every event of an alert marks it (alert.Alert.NoticeOn). The planner takes
// marked alerts and, in one transaction for each batch, writes a row
// (alert.Delivery) for each recipient, and updates the recipients and the next
// due time of the alert. The sender takes the rows that are due. So a notice is
// planned once, however often the process ends, and is sent until the receiver
// has accepted it.
//
// If the process is killed between sending a notice and updating its row, the
// next process sends the notice again with the same key (Message-ID,
// Idempotency-Key), by which the receiver can recognise it.
//
// # Recipients and times
//
// The first stage of the chain is notified when an alert opens or gets worse,
// and the next one after the rule's interval, until somebody acknowledges the
// alert, it clears, or there is no further stage. Unless the rule suppresses
// that, everyone who was notified of the alert is notified when it is
// acknowledged or clears.
//
// Nobody is notified while maintenance covers the alert, or while the alert of a
// group suppresses it. If it is still active afterwards, escalation resumes.
// After the alert of a group, it resumes after as many more polls as the single
// alert takes to clear (at least two, at most a quarter of an hour): the devices
// of a group recover one after the other, and notices that the last of them are
// down would be out of date seconds later.
//
// # Web hooks
//
// The body is JSON: the integration's own template or hookBody. With a signing
// key it is signed: X-Spyglass-Signature is "sha256=" and the HMAC of
// X-Spyglass-Timestamp (epoch seconds), a full stop and the body, in hex.
//
// # Reports
//
// A finished report is sent to its recipients through rows of the same table
// (Post), with the file attached unless it is too large.
//
// # Demo clock and real time
//
// Escalation, duty rosters and throttling use the time of the alerts (Pace),
// which a demo speeds up or pauses. Attempts run in real time, because mail
// servers do.
//
// # Order
//
// The notices of one alert reach a receiver (a method and an address) in order,
// and outdated ones are not sent. Before a lane sends, arrange checks all pending
// notices for a receiver:
//
//   - A notice that an alert is active or escalated supersedes earlier notices of
//     that kind that were not delivered. A notice that it was acknowledged does
//     not: it is sent after them.
//   - A notice that an alert has cleared supersedes all of them. If no notice of
//     the alert was delivered, it is not sent either, because nobody knows that
//     the alert was active.
//   - A notice is not sent before an earlier one to the same receiver.
//
// Superseded notices stay in the log as such. During an attempt, and after an
// interrupted one, it is unknown whether the notice was delivered
// (Delivery.InDoubt). It then counts as delivered, so that the notice of the end
// is never missing. InDoubt is written before the attempt, so it is set even if
// the process is killed.
//
// # Digests
//
// Within GroupWait seconds, up to Integration.GroupAbove notices are sent to one
// address one by one, without delay. Further ones, in an alert storm or after the
// receiver was down, are collected for GroupWait and sent as one digest of up to
// laneFull notices: a mail with a list, or one request to a web hook, see
// hookDigest. If a template uses other tokens than digestTokens, its notices are
// sent one by one. The key of a digest is written to its notices before it is
// sent: as long as none of them is superseded, each attempt sends the same
// notices with the same key. If a receiver permanently refuses a digest, its
// notices are sent one by one.
//
// # Attempts
//
// While a server is busy or silent, attempts are repeated for about a day, at
// increasing intervals (pauses), but not after the server has permanently
// refused a notice. When it accepts a notice after more than a minute
// (recovered), all pending notices for it are due. Each method has its own lane,
// so that a slow one delays only itself. An attempt takes at most 10 s, or a
// minute with an attached file.
//
// # Concurrency and errors
//
// One owner calls New, Start and Stop are for one owner. Endpoints may be called concurrently.
// Errors of a notice are stored in its row; the log contains only errors of the
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
	// Dial connects to mail servers and web hooks, and refuses addresses that it
	// must not connect to.
	Dial  func(ctx context.Context, network, address string) (net.Conn, error)
	Roots *x509.CertPool // trusted authorities; the system's when nil
	// File returns the file of a report run; fault.Unknown if it was deleted.
	File    func(ctx context.Context, taskID int64) (*reporting.ReportFile, error)
	Origin  func() string // URL of the portal, for links; may be nil
	Name    func() string // of the portal
	Version string        // of the program
	Log     *slog.Logger  // slog.Default when nil
	Clock   func() time.Time
	Pace    *clock.Clock // the time of alerts; Clock's when nil
	Guard   *service.Guard
}

// page returns the URL of an alert's page; empty if the portal's URL is unknown,
// and for no alert.
func (o Options) page(alert int64) string {
	origin := o.Origin()
	if origin == "" || alert == 0 {
		return ""
	}
	return origin + "/#monitor/alerts/" + strconv.FormatInt(alert, 10)
}

// alertsPage returns the URL of the page of all alerts; empty if the portal's URL
// is unknown.
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

	wait service.Group
}

// way sends a notice through one type of integration.
type way interface {
	send(ctx context.Context, i *alert.Integration, d *alert.Delivery) error
}

// New returns a service that is not started yet.
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

// patience is the longest wait without changes, in the time of the alerts.
// leastPatience and patience limit it in real time.
const (
	patience      = 15 * time.Second
	leastPatience = time.Second
)

// Start starts to plan and to send, including notices from an earlier process. It may
// be called again after Stop.
func (s *Service) Start(ctx context.Context) {
	s.wait.Begin(ctx)
	s.wait.Keep("planning of notices", s.run)
}

// run plans and sends until ctx ends.
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

// Stop cancels attempts in progress, which the next process repeats, and waits
// for them at most until until ctx is done. It may be called twice, and on a service that
// never started.
func (s *Service) Stop(ctx context.Context) error { return s.wait.Stop(ctx) }

// refused is a permanent error: a retry would not succeed.
type refused struct{ error }

func (r refused) Unwrap() error { return r.error }

func isRefused(err error) bool {
	var r refused
	return errors.As(err, &r)
}

// unsent is an error after which the receiver certainly has not accepted the
// notice. After any other error it may have.
type unsent struct{ error }

func (u unsent) Unwrap() error { return u.error }

func isUnsent(err error) bool {
	var u unsent
	return errors.As(err, &u) || isRefused(err)
}
