// Package agent is a collector on another machine: it registers with a portal,
// polls the instances that the portal assigns to it, runs the discovery
// searches that it is assigned, and posts the results of both.
//
// # Files
//
// Its folder holds its identity (collector.json, with the credential that it
// got for the installation token) and, while the portal is away, pending
// results (waiting/). Only its own user can read them: a collector runs
// unattended, where there is no keyring. When more than maxWaiting batches are
// pending, the oldest are deleted.
//
// # Concurrency
//
// Run is for one owner; it returns when its context ends, and everything it
// began has ended then.
//
// # Errors
//
// A permanent refusal by the portal (a wrong token, a collector that was
// deleted) ends Run with the portal's message. When the portal does not
// respond, requests are retried at growing intervals.
package agent

import (
	"cmp"
	"context"
	"log/slog"
	"net/http"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"spyglass/backend/check"
	"spyglass/backend/clock"
	"spyglass/backend/fault"
	"spyglass/backend/poll"
	"spyglass/backend/private"
	"spyglass/backend/service"
)

// Options configures a collector.
type Options struct {
	Folder  string // for its files; created if missing
	Portal  string // the portal's address, "https://portal.example:8443"; when empty, the one it registered with
	Token   string // for one installation; empty when already registered
	Once    bool   // only register, then exit
	Version string // of this program
	Log     *slog.Logger
	Client  *http.Client     // http.Client with a time limit when nil
	Checks  []check.Check    // check.All when nil
	Clock   func() time.Time // of this machine; time.Now when nil
}

// Intervals and limits.
const (
	assignEvery = time.Minute
	assignFirst = 5 * time.Second // while it has nothing to poll
	sayOffset   = 5 * time.Second // delay until a measured clock offset is reported to the portal
	searchEvery = 15 * time.Second
	patience    = 30 * time.Second // time limit for a device to list its instances
	sideBySide  = 8                // searches at the same time
	leastRetry  = 2 * time.Second
	mostRetry   = time.Minute
)

// agent is the state of one run.
type agent struct {
	Options
	self    identity
	waiting *waiting
	poller  *poll.Poller
	tag     string // ETag of the current assignments
	known   map[int64]bool
	finds   map[string]check.Discoverer
	clock   portalClock

	reached   atomic.Int64  // end of the last network outage according to the results, in epoch seconds
	devices   int64         // number of assigned devices at the last heartbeat
	assignNow chan struct{} // requests the assignments immediately
}

// Run registers if it has a token, and collects until ctx ends.
func Run(ctx context.Context, o Options) error {
	o.Log = cmp.Or(o.Log, slog.Default())
	o.Client = cmp.Or(o.Client, &http.Client{Timeout: time.Minute})
	if o.Clock == nil {
		o.Clock = time.Now
	}
	if o.Checks == nil {
		o.Checks = check.All(&check.Dialer{Folder: o.Folder})
	}
	if err := private.MkdirAll(o.Folder); err != nil {
		return fault.New(fault.Conflict, "the folder %s cannot be created (%v); choose another one with --data",
			o.Folder, err)
	}
	a := &agent{Options: o, known: map[int64]bool{}, finds: check.Discoverers(o.Checks),
		clock: portalClock{now: o.Clock}, assignNow: make(chan struct{}, 1)}
	if err := a.identify(ctx); err != nil || o.Once {
		return err
	}
	var err error
	if a.waiting, err = openWaiting(o.Folder); err != nil {
		return err
	}
	return a.collect(ctx)
}

// identify reads the collector's stored identity, or registers.
func (a *agent) identify(ctx context.Context) error {
	if a.Token == "" {
		kept, err := readIdentity(a.Folder)
		if err != nil {
			return err
		}
		if api, err := apiOf(a.Portal); a.Portal != "" && (err != nil || api != kept.Portal) {
			return fault.New(fault.Invalid, "this collector is registered with %s; to move it to another portal, "+
				"give it an installation token of that one with --token", kept.Portal)
		}
		a.self = *kept
		return nil
	}
	host, err := os.Hostname()
	if err != nil {
		return err
	}
	made, err := a.register(ctx, hello{Hostname: host, Platform: runtime.GOOS, Arch: runtime.GOARCH, Build: a.Version})
	if err != nil {
		return err
	}
	a.self = *made
	a.Log.InfoContext(ctx, "registered", "portal", made.Portal, "collector", made.Collector)
	return a.self.keep(a.Folder)
}

// collect polls, sends heartbeats and posts results until ctx ends or the portal
// refuses the collector.
func (a *agent) collect(parent context.Context) error {
	ctx, cancel := context.WithCancelCause(parent)
	defer cancel(nil)
	guard := &service.Guard{Log: a.Log}
	a.poller = poll.New(poll.Options{
		Run: func(ctx context.Context, t *check.Task) (check.Values, error) { return check.Run(ctx, a.Checks, t) },
		Deliver: func(_ context.Context, results []check.Result) error {
			a.clock.correct(results)
			for i := range results {
				if results[i].Reached {
					a.reached.Store(results[i].At)
				}
			}
			return a.waiting.add(results)
		},
		Clock: clock.New(a.Clock),
		Log:   a.Log,
		Guard: guard,
	})
	a.poller.Start(context.WithoutCancel(ctx))
	loops := service.Group{Guard: guard, Parent: ctx}
	start := func(name string, do func(context.Context) (time.Duration, error), wake <-chan struct{}) {
		loops.Keep(name, func(ctx context.Context) {
			if err := a.again(ctx, do, wake); err != nil {
				cancel(err)
			}
		})
	}
	connected := make(chan struct{}) // closed after the first heartbeat: polling begins when the portal's time is known
	first := sync.OnceFunc(func() { close(connected) })
	start("heartbeat", func(ctx context.Context) (time.Duration, error) {
		wait, err := a.beat(ctx)
		if err == nil {
			first()
		}
		return wait, err
	}, nil)
	select {
	case <-ctx.Done():
	case <-connected:
	}
	start("assignments", a.assign, a.assignNow)
	start("searches", a.search, nil)
	start("posts", a.post, nil)
	loops.Wait()
	_ = a.poller.Stop(context.WithoutCancel(ctx)) // however long that takes
	if parent.Err() != nil {
		return nil // the caller ended it: not an error, whatever the cause
	}
	return context.Cause(ctx)
}

// again calls do after each interval that do returns, and whenever wake receives.
// A permanent refusal by the portal ends it; after any other error it retries at
// increasing intervals.
func (a *agent) again(ctx context.Context, do func(context.Context) (time.Duration, error),
	wake <-chan struct{}) error {
	retry := leastRetry
	for ctx.Err() == nil {
		wait, err := do(ctx)
		switch {
		case ctx.Err() != nil:
			return nil
		case fault.Is(err, fault.NoLogin), fault.Is(err, fault.Denied), fault.Is(err, fault.Unknown):
			return err
		case err != nil:
			a.Log.WarnContext(ctx, "the portal cannot be worked with now; trying again", "in", retry, "err", err)
			wait, retry = retry, min(2*retry, mostRetry)
		default:
			retry = leastRetry
		}
		timer := time.NewTimer(wait)
		select {
		case <-ctx.Done():
		case <-timer.C:
		case <-wake:
		}
		timer.Stop()
	}
	return nil
}
