// Package remotewrite forwards samples to another time-series database as they
// are measured, by Prometheus remote write 1.0 (protobuf, snappy, HTTP POST).
//
// # Data
//
// Each sample is one of a series of the name
//
//	spyglass_DATASOURCE_DATAPOINT{datasource="…", device="…", group="…", instance="…"}
//
// in which an underscore replaces every character that Prometheus does not
// allow in a name. device is its display name, group the full path of its first
// group, and times are in milliseconds. Samples without a value ("no data") are
// not sent.
//
// # Queue and backlog
//
// Samples wait in memory, no more than maxQueue. When there are more, and after
// a restart, they are read back from the portal's own series, the oldest first,
// one period at a time; samples measured meanwhile follow. A mark in the
// database stores the progress: it is saved after each batch, once a second at
// most, and when the portal stops. So the receiver gets everything that was
// measured since sending was turned on; after a crash it gets half a minute
// twice, or the period that was being sent, which remote write allows. Samples that
// arrive late, from before the mark, lower it before they are stored: see Expect. Only
// samples that have waited for longer than keepHours are dropped, and counted.
//
// # Attempts
//
// One batch is sent at a time, in order. A receiver that does not respond, is
// broken (5xx) or busy (429) gets the same batch again, after a pause that
// doubles up to a minute, or the one in Retry-After. Any other response (4xx, a
// redirect) refuses the batch for good: it is dropped and counted, and the
// first of those in a row is logged. A sample store does not lose samples to a wrong address or
// token: it refuses for good with 400, 409, 413 and 422 only.
//
// # Sample store
//
// With Options.Store, the receiver has the samples of the portal for good: see package
// samplestore. A batch that it refuses is divided, so that one late sample does not
// discard others: Prometheus refuses a whole request for one sample that is older than
// out_of_order_time_window.
//
// # Concurrency
//
// Offer can be called by any number of goroutines and never waits. Expect can be called
// like Offer, and waits for the database if samples are late. Start begins
// one goroutine; Stop ends it and waits.
//
// # Errors
//
// There is no caller to return errors to: they are stored in the row (state,
// lastError, waitingSince, samplesDropped) and in the metrics.
package remotewrite

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"sync"
	"time"

	"spyglass/backend/fault"
	"spyglass/backend/portal/forward"
	"spyglass/backend/resource"
	"spyglass/backend/series"
	"spyglass/backend/service"
)

// Options configures a Service.
type Options struct {
	// Dial connects to the receiver, and checks its address.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
	// Store is the receiver that is the sample store of the portal; nil for the row that
	// users edit. Its series have the labels of IDs, too.
	Store   *forward.RemoteWrite
	Portal  string         // with Store: the id of the portal
	Header  http.Header    // of all requests, in addition to the usual ones
	Roots   *x509.CertPool // trusted authorities; the system's when nil
	Version string         // of the program
	Log     *slog.Logger   // slog.Default when nil
	Clock   func() time.Time
	Guard   *service.Guard
}

// Stats counts samples since the service was created; Waiting is the current
// number.
type Stats struct {
	Sent    int64
	Refused int64         // permanently refused by the receiver
	Expired int64         // waited for too long, or dropped when sending was turned off
	Retries int64         // repeated attempts to send a batch
	Waiting int           // in memory
	Behind  time.Duration // age of the oldest sample on disk that is pending or being sent
}

// Service forwards samples.
type Service struct {
	db     resource.LiveDB
	o      Options
	series *series.DB
	client *http.Client
	names  *names
	id     int64 // of the mark

	marking sync.Mutex // one reads and writes the mark at a time; locked before mu

	mu      sync.Mutex
	on      bool
	off     bool // by the settings, so that there is no mark; before they are read, on and off are false
	full    int  // number of samples to send immediately
	queue   queue
	backlog backlog
	stats   Stats
	marked  int64   // the mark in the database, or the later one that is being written
	coming  []int64 // the time of the earliest sample of each open Expect

	// Used only by the sending goroutine.
	span     int64 // seconds that are read together
	markedOn time.Time
	refusing bool
	divided  int // how often parts of the batch were refused

	wake    chan struct{} // a full batch is ready
	started bool
	running service.Group

	written   forward.RemoteWrite // the row as last written
	writtenOn time.Time
	lastSent  resource.Seconds
	lastError string
}

// New returns a Service that is not started yet, and creates its row if there is
// none.
func New(ctx context.Context, db resource.LiveDB, samples *series.DB, o Options) (*Service, error) {
	o.Log = cmp.Or(o.Log, slog.Default())
	if o.Clock == nil {
		o.Clock = time.Now
	}
	if o.Dial == nil {
		o.Dial = (&net.Dialer{}).DialContext
	}
	transport := &http.Transport{
		DialContext: o.Dial, TLSClientConfig: &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: o.Roots},
		TLSHandshakeTimeout: attempt, MaxResponseHeaderBytes: 64 << 10, IdleConnTimeout: 2 * time.Minute,
	} // no proxy, which would connect to addresses itself
	s := &Service{running: service.Group{Guard: o.Guard}, db: db, series: samples, o: o, span: firstSpan,
		names: newNames(db), id: forward.RemoteWriteID, wake: make(chan struct{}, 1), client: &http.Client{
			Transport: transport, Timeout: attempt,
			// do not send a secret to another address
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		}}
	if o.Store != nil {
		s.id, s.names.portal = forward.SampleStoreID, o.Portal
		return s, nil
	}
	return s, db.Write(ctx, func(tx resource.Tx) error {
		_, err := resource.Get(ctx, tx, forward.RemoteWrites.Name, forward.RemoteWriteID)
		if !fault.Is(err, fault.Unknown) {
			return err
		}
		row, err := forward.RemoteWrites.Defaults()
		if err != nil {
			return err
		}
		row.ID = forward.RemoteWriteID
		return resource.Put(ctx, tx, forward.RemoteWrites.Name, row)
	})
}

// Start starts to send, without blocking. It may be called again after Stop.
func (s *Service) Start(ctx context.Context) {
	s.forget() // if Stop failed
	s.running.Begin(ctx)
	s.started = true
	s.running.Keep("remote write", s.run)
}

// Stop stops sending, and saves the progress, no later than when ctx is done. It may
// be called twice, and on a service that never started. Do not call offered
// afterwards.
func (s *Service) Stop(ctx context.Context) error {
	if err := s.running.Stop(ctx); err != nil || !s.started {
		return err
	}
	s.client.CloseIdleConnections()
	if s.isOn() {
		_ = s.keepMark(ctx, 0) // logged
	}
	s.forget()
	return nil
}

// forget drops what is in memory: another node may send it from now on, and keeps the mark.
// The mark, or the series, have what is left.
func (s *Service) forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.on, s.off, s.queue, s.backlog = false, false, queue{}, backlog{}
}

// Offer queues samples that the series have stored. It ignores them while sending
// is off, or while the backlog is read from the series.
func (s *Service) Offer(samples []series.Sample) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.on {
		return
	}
	for i := range samples {
		s.backlog.upTo = max(s.backlog.upTo, samples[i].At+1)
	}
	if s.backlog.disk != never {
		samples = slices.DeleteFunc(slices.Clone(samples),
			func(one series.Sample) bool { return one.At >= s.backlog.disk })
	}
	if !s.queue.put(samples) {
		s.spill(samples)
	}
	if s.queue.n >= s.full {
		select {
		case s.wake <- struct{}{}:
		default:
		}
	}
}

// Expect prepares for samples that will be stored and offered. If they are late, it lowers
// the mark first: the program may end before they are sent. Call end after Offer, or when
// the samples were not stored.
func (s *Service) Expect(ctx context.Context, samples []series.Sample) (end func(), err error) {
	at := earliest(samples)
	s.mu.Lock()
	on, off, late := s.on, s.off, at < s.marked
	s.coming = append(s.coming, at)
	s.mu.Unlock()
	end = func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		i := slices.Index(s.coming, at)
		s.coming = slices.Delete(s.coming, i, i+1)
	}
	switch {
	case off:
	case !on: // it may be starting, or another node sends
		err = s.lowerMark(ctx, at)
	case late:
		err = s.writeMark(ctx, slack)
	}
	if err != nil {
		end()
		return nil, err
	}
	return end, nil
}

// Sent returns the time before which all samples were sent, or dropped; they need no
// longer be in the series. ok is false if sending is off, but not before it starts.
func (s *Service) Sent() (at int64, ok bool) {
	if s.isOn() {
		return s.waiting(slack), true
	}
	at, err := s.readMark(context.Background())
	if err != nil {
		return 0, true
	}
	return at, at > 0
}

// Stats returns the current counts.
func (s *Service) Stats() Stats {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := s.stats
	out.Waiting = s.queue.n
	if since := min(s.backlog.disk, s.backlog.under); s.on && since != never {
		out.Behind = max(0, s.o.Clock().Sub(time.Unix(since, 0)))
	}
	return out
}

func (s *Service) isOn() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.on
}

// set applies the settings. If sending is turned off, it drops the queue and the
// mark.
func (s *Service) set(ctx context.Context, row *forward.RemoteWrite) error {
	was := s.isOn()
	if row.Enabled == was {
		s.turn(row)
		return nil
	}
	if !row.Enabled {
		s.turn(row)
		return s.dropMark(ctx)
	}
	if err := s.turnOn(ctx, row); err != nil {
		return err
	}
	return s.keepMark(ctx, 0)
}

// turnOn starts where the mark is.
func (s *Service) turnOn(ctx context.Context, row *forward.RemoteWrite) error {
	s.marking.Lock()
	defer s.marking.Unlock()
	mark, err := s.readMark(ctx)
	if err != nil {
		return err
	}
	switch {
	case mark > 0:
		s.resume(mark)
	case s.o.Store != nil: // also what was measured before the first settings were read
		s.resume(s.o.Clock().Unix() - slack)
	default:
		s.live()
	}
	s.turn(row)
	return nil
}

func (s *Service) turn(row *forward.RemoteWrite) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.on, s.off, s.full = row.Enabled, !row.Enabled, int(row.Batch)
	if !s.on {
		s.stats.Expired += int64(s.queue.n)
		s.queue = queue{}
	}
}

// take removes samples from the queue in memory; they count as being sent until
// taken is called.
func (s *Service) take(n int) []series.Sample {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := s.queue.take(n)
	s.backlog.under = earliest(out)
	return out
}

func (s *Service) taken() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.backlog.under = never
}

func (s *Service) count(add func(*Stats)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	add(&s.stats)
}
