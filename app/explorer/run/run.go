// Package run sends saved requests with their checks: in order or several at a time, and
// once for each row of a data file. The page and the command line use it alike.
//
// # Lanes
//
// A lane is what runs in order: all requests for one row of the data file, or all of a
// run without one. With Parallel, lanes run beside each other; without a data file each
// request is a lane then. What extractors find is handed on within a lane.
//
// # Units
//
// Durations are milliseconds.
//
// # Concurrency
//
// A Runner is safe for concurrent use. A run starts at most MaxParallel goroutines and
// waits for them. It ends with its context, and returns what it has so far.
//
// # Memory
//
// Each goroutine holds one request with its response. Results keep the texts of checks
// until maxTexts bytes; later results have only the texts of failed checks until twice
// that, and then their numbers only. The last run of each of mostKept users is kept for
// its report.
//
// # Errors
//
// fault.Invalid names the field of the request: ids, data or parallel. The result of
// each request of a run holds its own problem.
package run

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"spyglass/app/expect"
	"spyglass/app/explorer/outgoing"
	"spyglass/app/explorer/payload"
	"spyglass/app/explorer/send"
	"spyglass/app/explorer/stream"
	"spyglass/app/workspace"
	"spyglass/backend/fault"
	"spyglass/backend/resource"
	"spyglass/backend/service"
)

// Runner runs requests.
type Runner struct {
	*send.Sender

	mu   sync.Mutex
	last []kept // the last run of each user, the newest last
}

// Limits of one run.
const (
	maxPicked   = 500    // saved requests
	MaxRequests = 10_000 // requests times rows
	MaxParallel = 20
	maxTexts    = 16 << 20
)

// Step is one request of a plan.
type Step struct {
	ID   int64 // of the saved request; 0 for one of a file
	Name string
	// Draft returns the request when its turn comes.
	Draft func(ctx context.Context) (string, workspace.Draft, error)
}

// Plan lists the requests of a run.
type Plan struct {
	Title    string
	Steps    []Step
	Rows     []map[string]string // variables of each row of the data file; nil: none, and each step once
	Given    map[string]string   // variables that come before all but those of a row
	Parallel int                 // lanes at a time; 1: in order
	GoOn     bool                // continue after a failure
	Unkept   bool                // nothing is added to the history

	Environment *int64 // its variables are used, 0 for none; nil: the active one

	// Sent is called with each response, whose document is dropped after it, by the
	// goroutine of the lane; may be nil.
	Sent func(one *stream.Ran, reply *send.Reply)
	// Waits is called before a wait for a portal that limits the rate, never beside
	// notify; may be nil.
	Waits func(one *stream.Ran, wait time.Duration)
}

// check refuses a plan that exceeds a limit.
func (p *Plan) check() error {
	if p.Parallel < 1 || p.Parallel > MaxParallel {
		return fault.At("parallel", "run 1 to %d requests at a time, not %d", MaxParallel, p.Parallel)
	}
	if n := len(p.Steps) * max(len(p.Rows), 1); n > MaxRequests {
		return fault.At("data", "%d requests for each of %d rows are %d; a run has at most %d", len(p.Steps),
			len(p.Rows), n, MaxRequests)
	}
	return nil
}

// Run is a run with its results.
type Run struct {
	Title   string
	Portal  string
	Began   time.Time
	Took    time.Duration
	Planned int // requests
	Results []stream.Ran
	Stopped string // why it ended early, in a sentence; empty if it did not
}

// Failed returns the number of requests that failed.
func (r *Run) Failed() (n int) {
	for i := range r.Results {
		if r.Results[i].Problem != "" {
			n++
		}
	}
	return n
}

// Passed reports whether all requests were sent and passed.
func (r *Run) Passed() bool { return len(r.Results) == r.Planned && r.Failed() == 0 }

// Do runs a plan. notify receives each result as it arrives, one at a time. The results
// are in the order of the plan.
func (r *Runner) Do(ctx context.Context, c *resource.Call, p *Plan, notify func(stream.Ran)) (*Run, error) {
	if err := p.check(); err != nil {
		return nil, err
	}
	t, err := r.Target(ctx, c)
	if err != nil {
		return nil, err
	}
	u := &underWay{Runner: r, call: c, plan: p, notify: notify,
		results: make([]*stream.Ran, len(p.Steps)*max(len(p.Rows), 1))}
	out := &Run{Title: p.Title, Portal: t.Name, Began: time.Now(), Planned: len(u.results)}
	u.all(ctx)
	out.Took = time.Since(out.Began)
	out.Results = []stream.Ran{}
	for _, one := range u.results {
		if one != nil {
			out.Results = append(out.Results, *one)
		}
	}
	if left := out.Planned - len(out.Results); left > 0 {
		out.Stopped = fmt.Sprintf("It stopped at a failure; %d of %d requests were not sent.", left, out.Planned)
		if ctx.Err() != nil {
			out.Stopped = fmt.Sprintf("It was cancelled; %d of %d requests were not sent.", left, out.Planned)
		}
	}
	return out, nil
}

// underWay is a run under way.
type underWay struct {
	*Runner
	call    *resource.Call
	plan    *Plan
	next    atomic.Int64 // the next lane
	failed  atomic.Bool  // no further request is sent
	mu      sync.Mutex
	notify  func(stream.Ran)
	results []*stream.Ran // by their place in the plan; nil: not sent
	texts   int           // bytes of the checks in results
}

// lanes returns the number of lanes, and the number of steps of each.
func (u *underWay) lanes() (lanes, steps int) {
	if u.plan.Rows == nil && u.plan.Parallel > 1 {
		return len(u.plan.Steps), 1
	}
	return max(len(u.plan.Rows), 1), len(u.plan.Steps)
}

// all runs all lanes.
func (u *underWay) all(ctx context.Context) {
	lanes, steps := u.lanes()
	var running service.Parts
	for range min(u.plan.Parallel, lanes) {
		running.Go(func() {
			for {
				lane := int(u.next.Add(1)) - 1
				if lane >= lanes || !u.lane(ctx, lane, steps) {
					return
				}
			}
		})
	}
	running.Wait()
}

// lane runs the steps of one lane; false if the run has ended.
func (u *underWay) lane(ctx context.Context, lane, steps int) bool {
	values := maps.Clone(u.plan.Given)
	if values == nil {
		values = map[string]string{}
	}
	var row map[string]string
	number := 0
	if u.plan.Rows != nil {
		row, number = u.plan.Rows[lane], lane+1
		maps.Copy(values, row)
	}
	for at := lane * steps; at < (lane+1)*steps; at++ {
		if ctx.Err() != nil || u.failed.Load() {
			return false
		}
		one := &stream.Ran{At: at, Row: number}
		found := u.one(ctx, &u.plan.Steps[at%len(u.plan.Steps)], values, one)
		for _, x := range found {
			_, given := u.plan.Given[x.Variable]
			if _, have := row[x.Variable]; !have && !given && x.Problem == "" && x.Value != resource.Mask {
				values[x.Variable] = x.Value
			}
		}
		if ctx.Err() != nil && one.Status == 0 {
			return false // it was cancelled while it ran
		}
		u.add(one)
	}
	return true
}

// add adds a result.
func (u *underWay) add(one *stream.Ran) {
	u.mu.Lock()
	defer u.mu.Unlock()
	one.Checks = u.bounded(one.Checks)
	u.results[one.At] = one
	if one.Problem != "" && !u.plan.GoOn {
		u.failed.Store(true)
	}
	u.notify(*one)
}

// bounded returns the results of checks as far as there is room for their texts.
func (u *underWay) bounded(checks []expect.Result) []expect.Result {
	out := make([]expect.Result, 0, len(checks))
	for _, c := range checks {
		if u.texts > maxTexts && c.Passed || u.texts > 2*maxTexts {
			continue
		}
		u.texts += len(c.Label) + len(c.Expected) + len(c.Actual) + len(c.Problem)
		out = append(out, c)
	}
	return out
}

// one sends one request, again while the portal limits the rate, and fills in its
// result. It returns what extractors found.
func (u *underWay) one(ctx context.Context, step *Step, values map[string]string,
	one *stream.Ran) []workspace.Extracted {
	one.ID, one.Name = step.ID, step.Name
	name, draft, err := step.Draft(ctx)
	if err != nil {
		one.Problem = fault.Of(err).Message
		return nil
	}
	one.Name, one.Method = name, draft.Method
	for try := 1; ; try++ {
		reply, err := u.try(ctx, &draft, values, one)
		if err != nil {
			one.Problem, one.Checks, one.Passed, one.Failed = fault.Of(err).Message, nil, 0, 0
			return nil
		}
		one.Checks = reply.Checks
		one.Failed = int64(expect.Failed(reply.Checks))
		one.Passed = int64(len(reply.Checks)) - one.Failed
		one.Problem = complaint(reply)
		if one.Problem == "" || try == maxTries || !u.waited(ctx, reply, one) {
			return reply.Extracted
		}
	}
}

// try sends one request once.
func (u *underWay) try(ctx context.Context, draft *workspace.Draft, values map[string]string,
	one *stream.Ran) (*send.Reply, error) {
	now := *u.call
	now.At = time.Now()
	x, err := u.Exchange(ctx, &now, &send.Request{Draft: *draft, Given: values, Unkept: u.plan.Unkept, Brief: true,
		Environment: u.plan.Environment})
	if err != nil {
		shown, _ := outgoing.MaskDraft(*draft, nil)
		one.Path = shown.Path
		return nil, err
	}
	one.Path = x.History.Path
	reply, err := x.Run(ctx)
	one.Status, one.MS, one.HistoryID = x.History.Status, x.History.MS, x.History.ID
	if err != nil {
		return nil, err
	}
	if u.plan.Sent != nil {
		u.plan.Sent(one, reply)
	}
	u.Documents.Drop(reply.Document) // the history has it to show it again
	return reply, nil
}

// Limits of waiting for a portal that limits the rate of requests.
const (
	maxTries = 20 // of one request
	maxWait  = 10 * time.Minute
)

// waited waits as long as a portal requires that limits the rate. It reports whether the
// request is to be sent again.
func (u *underWay) waited(ctx context.Context, r *send.Reply, one *stream.Ran) bool {
	header := http.Header{}
	for _, h := range r.Headers {
		header.Add(h[0], h[1])
	}
	if !payload.IsTemporary(int(r.Status), header) {
		return false
	}
	wait := payload.RetryAfter(header, time.Now())
	if wait > maxWait {
		return false
	}
	if u.plan.Waits != nil {
		u.mu.Lock()
		u.plan.Waits(one, wait)
		u.mu.Unlock()
	}
	select {
	case <-time.After(wait):
		return true
	case <-ctx.Done():
		return false
	}
}

// complaint describes the problem of a response: its failed checks or, without checks, its
// status; "" if there is none.
func complaint(r *send.Reply) string {
	failed := expect.Failed(r.Checks)
	switch {
	case failed > 0:
		return fmt.Sprintf("%d of %d checks failed: %s", failed, len(r.Checks), firstFailed(r.Checks))
	case len(r.Checks) > 0 || r.Status/100 == 2:
		return ""
	}
	status := strings.TrimSpace(fmt.Sprint(r.Status, " ", r.StatusText))
	if r.Error != nil {
		return cmp.Or(r.Error.Message, status)
	}
	return status
}

func firstFailed(checks []expect.Result) string {
	for _, c := range checks {
		switch {
		case c.Passed:
		case c.Problem != "":
			return c.Label + ": " + c.Problem
		default:
			first, _, _ := strings.Cut(c.Actual, "\n")
			return c.Label + ", not " + first
		}
	}
	return ""
}
