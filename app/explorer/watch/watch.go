// Package watch sends a GET again and again, and records what changes.
//
// A watch is one request of the page, which ends it by disconnecting: when the tab
// closes, the user stops it or signs out. It ends by itself when all checks of the draft
// pass (if the request says so), after MaxSamples responses, when the portal refuses the credential,
// or after maxFailures requests in a row without a response. It sends one request at a
// time, and waits as long as the portal's rate limit requires.
//
// # Memory
//
// A Recording keeps of each sample the time, status, duration, size and at most MaxPaths
// numbers, and the last two bodies. Recordings of the last mostKept watches are kept for
// export. Bodies over maxBody are shown, and neither compared nor searched for numbers.
//
// # Units
//
// Durations are milliseconds, intervals seconds, sizes bytes.
//
// # Concurrency
//
// A Watcher is safe for concurrent use. A watch stays on the goroutine of its request;
// its Recording is read through a lock.
//
// # Errors
//
// fault.Invalid names the field of the request. fault.Conflict: too many watches of the
// user are running. fault.Unknown: the recording is no longer kept. A request without a
// response is a sample with a problem.
package watch

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"spyglass/app/document"
	"spyglass/app/expect"
	"spyglass/app/explorer/outgoing"
	"spyglass/app/explorer/send"
	"spyglass/app/explorer/serve"
	"spyglass/app/explorer/stream"
	"spyglass/app/explorer/view"
	"spyglass/app/workspace"
	"spyglass/backend/fault"
	"spyglass/backend/resource"
)

// Limits of a watch.
const (
	MaxSamples  = 1000
	MaxPaths    = 200
	maxWatches  = 3 // of one user at a time: each holds a connection of the browser
	maxFailures = 5 // requests in a row without a response
	maxRefusals = 20
	maxBody     = 16 << 20
	maxChanged  = 1000 // changed values of one sample to show
	mostKept    = 8    // recordings
)

// Watcher watches requests.
type Watcher struct {
	*send.Sender

	mu         sync.Mutex
	recordings []*Recording // oldest first
}

// Endpoint returns the endpoint that watches a request.
func (w *Watcher) Endpoint() resource.Endpoint {
	return serve.Post("/watches", "Send a GET again and again", &requests, w.watch)
}

// RecordingEndpoints returns the endpoints of recordings.
func (w *Watcher) RecordingEndpoints() []resource.Endpoint {
	return []resource.Endpoint{
		serve.Get("/watches/{watchId}", "Get samples of a watch and its last response", w.show,
			serve.Query("from", resource.Integer("Number of the first sample, from 0")),
			serve.Query("path", resource.Integer("Number of the first path, from 0"))),
		serve.File("/watches/{watchId}/file", "Download the recording of a watch", fileTypes, w.file,
			serve.Query("format", resource.Text("csv or json"))),
	}
}

// request is the body of /watches.
type request struct {
	WatchID     string
	Draft       workspace.Draft
	Every       int64
	UntilPassed bool
	Anyway      bool
}

var requests = resource.Resource[*request]{Name: "watch", Label: "watch", Fields: []resource.Field[*request]{
	{Name: "watchId", At: func(r *request) any { return &r.WatchID }, Doc: "Id in events, and of the recording",
		Required: true, MaxLen: 100},
	{Name: "draft", At: func(r *request) any { return &r.Draft }, Doc: "The GET to send", Required: true},
	{Name: "every", At: func(r *request) any { return &r.Every }, Doc: "Seconds from one request to the next",
		Default: int64(5), Min: resource.Bound(1), Max: resource.Bound(3600)},
	{Name: "untilPassed", At: func(r *request) any { return &r.UntilPassed }, Doc: "Stop when all checks of the " +
		"draft pass"},
	{Name: "anyway", At: func(r *request) any { return &r.Anyway }, Doc: "Send it even with unknown variables"},
}}

// ended is the response to /watches.
type ended struct {
	Samples int    `json:"samples"`
	Reason  string `json:"reason" doc:"why it ended, one sentence"`
}

// watch watches a request until it ends by itself, or with the caller.
func (w *Watcher) watch(ctx context.Context, c *resource.Call, in *request) (*ended, error) {
	if in.Draft.Method != "" && in.Draft.Method != "GET" {
		return nil, fault.At("draft.method", "only GET requests can be watched")
	}
	if in.UntilPassed && !anyOn(in.Draft.Checks) {
		return nil, fault.At("untilPassed", "the request has no checks; add one under Checks")
	}
	life, done, err := w.Life.Begin(ctx)
	if err != nil {
		return nil, err
	}
	defer done()
	shown, _ := outgoing.MaskDraft(in.Draft, nil)
	r := &Recording{user: c.Access.UserID, id: in.WatchID, Request: "GET " + shown.Path, Every: in.Every,
		running: true, columns: map[string]int{}}
	if err := w.begin(r); err != nil {
		return nil, err
	}
	defer r.end()
	u := &underWay{Watcher: w, call: c, in: in, recording: r}
	reason, err := u.run(life)
	if err != nil {
		return nil, err
	}
	return &ended{r.size(), reason}, nil
}

func anyOn(checks []expect.Check) bool {
	for _, c := range checks {
		if c.On {
			return true
		}
	}
	return false
}

// underWay is a watch under way.
type underWay struct {
	*Watcher
	call      *resource.Call
	in        *request
	recording *Recording
	before    *document.Document // of the last sample; nil: none that can be compared
	failures  int                // requests in a row without a response
	refusals  int                // responses in a row that require a wait
}

// run takes samples until the watch ends. It returns why.
func (u *underWay) run(ctx context.Context) (reason string, err error) {
	for {
		began := time.Now()
		wait, reason, err := u.sample(ctx)
		if err != nil || reason != "" {
			return reason, err
		}
		if wait > 0 {
			u.publish(wait)
		}
		rest := max(wait, time.Until(began.Add(time.Duration(u.in.Every)*time.Second)))
		over := time.NewTimer(rest)
		select {
		case <-over.C:
		case <-ctx.Done():
			over.Stop()
			return "", context.Cause(ctx)
		}
	}
}

// sample sends the request once. It returns how long the portal wants it to wait, or why
// the watch ends.
func (u *underWay) sample(ctx context.Context) (wait time.Duration, reason string, err error) {
	now := *u.call
	now.At = time.Now()
	x, err := u.Exchange(ctx, &now, &send.Request{SendID: u.in.WatchID, Draft: u.in.Draft, Anyway: u.in.Anyway,
		Unkept: true})
	if err != nil {
		if u.recording.size() == 0 {
			return 0, "", err
		}
		return 0, "Stopped: " + sentence(err), nil
	}
	reply, err := x.Run(ctx)
	if cause := context.Cause(ctx); cause != nil {
		return 0, "", cause
	}
	if err != nil {
		return u.failed(x, err)
	}
	u.failures = 0
	if reply.Error != nil && reply.Error.RetryAfter > 0 {
		u.drop(reply)
		if u.refusals++; u.refusals == maxRefusals {
			return 0, fmt.Sprintf("Stopped: the portal refused %d requests in a row with %d.", maxRefusals,
				reply.Status), nil
		}
		return time.Duration(reply.Error.RetryAfter) * time.Second, "", nil
	}
	u.refusals = 0
	if err := u.take(ctx, x, reply); err != nil {
		return 0, "", err
	}
	u.publish(0)
	return pause(reply), u.enough(reply), nil
}

// failed records a request without a response.
func (u *underWay) failed(x *send.Exchange, err error) (time.Duration, string, error) {
	if known := new(fault.Error); !errors.As(err, &known) {
		return 0, "", err
	}
	u.recording.add(Sample{At: int64(x.History.At), MS: x.History.MS, Problem: sentence(err)}, nil, nil, nil)
	u.publish(0)
	if u.failures++; u.failures == maxFailures {
		return 0, fmt.Sprintf("Stopped after %d requests in a row without a response: %s", maxFailures, sentence(err)),
			nil
	}
	return 0, u.full(), nil
}

// take records a response.
func (u *underWay) take(ctx context.Context, x *send.Exchange, reply *send.Reply) error {
	one := Sample{At: int64(x.History.At), Status: reply.Status, MS: reply.MS, Bytes: reply.Bytes}
	doc, err := u.Documents.Get(documentID(reply))
	if err != nil {
		return err
	}
	var numbers []document.NumberAt
	var changed []int64
	if ok, _ := doc.JSON(); ok && doc.Size() <= maxBody {
		if numbers, one.More, err = doc.Numbers(ctx, MaxPaths); err != nil {
			return err
		}
		if u.before != nil {
			if changed, one.Changes, err = changes(ctx, u.before, doc); err != nil {
				return err
			}
			if err := doc.FoldLike(u.before); err != nil {
				return err
			}
			if reply.Rows, reply.RowCount, err = doc.Rows(0, view.FirstRows); err != nil {
				return err
			}
		}
		u.before = doc
	}
	if old := u.recording.add(one, numbers, changed, reply); old != nil {
		u.drop(old)
	}
	return nil
}

// changes returns the values of a body that differ from those of an earlier one, and
// their number with the removed ones.
func changes(ctx context.Context, before, now *document.Document) (nodes []int64, n int, err error) {
	diff, err := document.Diff(ctx, before, now, nil)
	if err != nil {
		return nil, 0, err
	}
	for _, one := range diff.Changes {
		if one.Node >= 0 && len(nodes) < maxChanged {
			nodes = append(nodes, one.Node)
		}
	}
	return nodes, diff.Added + diff.Removed + diff.Changed, nil
}

// enough returns why a watch ends after a response; "" if it continues.
func (u *underWay) enough(reply *send.Reply) string {
	switch {
	case reply.Status == 401:
		return "Stopped: the portal requires a sign-in."
	case u.in.UntilPassed && len(reply.Checks) > 0 && expect.Failed(reply.Checks) == 0:
		return "Stopped: all checks passed."
	}
	return u.full()
}

// full returns why a watch ends with its recording full; "" if there is room.
func (u *underWay) full() string {
	if u.recording.size() < MaxSamples {
		return ""
	}
	return fmt.Sprintf("Stopped after %d samples, the most that a recording keeps.", MaxSamples)
}

// pause returns how long to wait when the portal's rate limit is almost used up.
func pause(reply *send.Reply) time.Duration {
	q := reply.Quota
	if q == nil || q.Limit <= 0 || q.Remaining > max(1, q.Limit/20) {
		return 0
	}
	return time.Duration(q.Window) * time.Second
}

// publish reports to the page that there is a new sample, or that the watch waits.
func (u *underWay) publish(wait time.Duration) {
	u.Hub.Notify(u.call.Access.UserID, "watch "+u.in.WatchID, stream.WatchEvent{
		WatchID: u.in.WatchID, Samples: u.recording.size(), Wait: wait.Milliseconds()})
}

// drop deletes the document of a response.
func (u *underWay) drop(reply *send.Reply) { u.Documents.Drop(documentID(reply)) }

func documentID(reply *send.Reply) string {
	id, _, _ := strings.Cut(reply.Document, "-")
	return id
}

func sentence(err error) string { return fault.Sentence(err) }
