// Package pages sends the draft of a list for every page, and joins the pages.
//
// A run goes to a document, or to a file that the page downloads meanwhile (disk.go).
// It stays below the portal's rate limit, can be paused, and can be resumed where it
// ended early, also from the history.
//
// # Units
//
// Offsets, sizes of pages and totals are items; a total below zero means at least so
// many. Durations are milliseconds, sizes of files bytes.
//
// # Concurrency
//
// A Pager is safe for concurrent use. A run stays on the goroutine of its request; the
// download of its file and the calls that steer it come on theirs, through locks and
// channels.
//
// # Errors
//
// A run that fails before its first page returns the error of that request. One that
// fails later returns what came, with the reason in its report. fault.Conflict: a run
// of that id is under way, or the request was edited. fault.Unknown: there is no such
// run.
package pages

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"time"

	"spyglass/app/explorer/send"
	"spyglass/app/explorer/serve"
	"spyglass/backend/fault"
	"spyglass/backend/resource"
)

// Pager sends the drafts of lists page by page.
type Pager struct {
	*send.Sender
	runs runs
}

// Endpoints returns the endpoints of runs.
func (p *Pager) Endpoints() []resource.Endpoint {
	return append(serve.OfPortal(serve.Post("/pages", "Fetch all pages of a list", &requests, p.pages)),
		serve.Post("/pages/{sendId}/steer", "Pause, resume or stop a run", &steerings, p.steer),
		serve.File("/pages/{sendId}/file", "Download the file of a run", mediaTypes(), p.fetchFile))
}

// HistoryEndpoint returns the endpoint that opens a response of the history.
func (p *Pager) HistoryEndpoint() resource.Endpoint {
	return serve.Get("/history/{id}/reply", "Open a response of the history", p.recall)
}

// request is the body of /pages.
type request struct {
	send.Request
	Largest bool
	Resume  string
	File    string
	Name    string
}

var requests = resource.Resource[*request]{Name: "pages", Label: "request", Fields: []resource.Field[*request]{
	{Name: "sendId", At: func(s *request) any { return &s.SendID }, Doc: "Comes back in progress events, and steers " +
		"the run", Required: true, MaxLen: 100},
	{Name: "tabId", At: func(s *request) any { return &s.TabID }, Doc: "The tab that shows the response; 0 for none"},
	{Name: "draft", At: func(s *request) any { return &s.Draft }, Doc: "The GET of a list", Required: true},
	{Name: "anyway", At: func(s *request) any { return &s.Anyway }, Doc: "Send it even with unknown variables"},
	{Name: "largest", At: func(s *request) any { return &s.Largest }, Doc: "Use the maximum page size instead of " +
		"the size in the draft"},
	{Name: "resume", At: func(s *request) any { return &s.Resume }, Doc: "The document of an incomplete run to " +
		"resume, with its own draft; or one of the history, with the same request as draft"},
	{Name: "file", At: func(s *request) any { return &s.File }, OneOf: []any{"", "csv", "ndjson", "json"},
		Doc: "Write the items to a file, to be downloaded at /pages/{sendId}/file once the run is ready"},
	{Name: "name", At: func(s *request) any { return &s.Name }, Doc: "Of the file, without its extension", MaxLen: 200},
}}

// outcome is the response to /pages: a reply, or the file of a run.
type outcome struct {
	reply *send.Reply
	saved *saved
}

// saved says where a list was saved.
type saved struct {
	Saved *savedFile `json:"saved" null:"no"`
}

// Schema implements resource.Described.
func (outcome) Schema() resource.Schema {
	return resource.Schema{AnyOf: []resource.Schema{resource.SchemaOf(send.Reply{}), resource.SchemaOf(saved{})}}
}

// MarshalJSON encodes the reply or the file.
func (o *outcome) MarshalJSON() ([]byte, error) {
	if o.saved != nil {
		return resource.Encode(o.saved)
	}
	return resource.Encode(o.reply)
}

// pages sends a list's draft page by page and returns one document with all
// items. It ends early, and reports that, if a page fails or the user stops it;
// it is cancelled with the caller.
func (p *Pager) pages(ctx context.Context, c *resource.Call, in *request) (*outcome, error) {
	var earlier *progressed
	if in.Resume != "" {
		var err error
		if earlier, err = p.runs.left(in.Resume); err != nil {
			return nil, err
		}
		if earlier.past == nil {
			in.Draft, in.Anyway = earlier.request.Draft, earlier.request.Anyway
		}
	}
	if in.Resume != "" && in.File != "" {
		return nil, fault.At("resume", "a run to a file cannot be resumed; fetch all pages again")
	}
	if in.Draft.Method != "" && in.Draft.Method != "GET" {
		return nil, fault.At("draft.method", "only GET requests can be sent page by page")
	}
	x, err := p.Exchange(ctx, c, &in.Request)
	if err != nil {
		return nil, err
	}
	life, done, err := p.Life.Begin(ctx)
	if err != nil {
		return nil, err
	}
	defer done()
	life, stop := context.WithCancelCause(life)
	defer stop(nil)
	r := &run{Exchange: x, pager: p, steering: newSteering(stop), at: time.Now(), progressed: newRun(x, in.Largest)}
	x.History.PageSize = r.list.Size
	key := runKey{x.User, in.SendID}
	if err := p.runs.begin(key, r.steering); err != nil {
		return nil, err
	}
	defer p.runs.end(key)
	if in.File != "" {
		return r.toFile(life, in)
	}
	w := &screen{Writer: p.Documents.Create("application/json")}
	defer w.Abort()
	if earlier != nil {
		if err := p.takeUp(r, w, in.Resume, earlier); err != nil {
			return nil, err
		}
	}
	r.to = w
	reply, err := r.finish(life, w)
	return &outcome{reply: reply}, err
}

// takeUp copies the result of an earlier run into a new one.
func (p *Pager) takeUp(r *run, w *screen, sealed string, earlier *progressed) error {
	doc, err := p.Documents.Unsealed(sealed, r.User)
	if err != nil {
		return err
	}
	if earlier.past != nil {
		if earlier, err = regain(r.Exchange, earlier.past, doc); err != nil {
			return err
		}
	}
	again := *earlier // two runs may resume from the same place
	again.seen = maps.Clone(earlier.seen)
	r.progressed = &again
	return w.goOn(doc, again.items > 0)
}

// finish fetches the pages and returns what arrived.
func (r *run) finish(ctx context.Context, w *screen) (*send.Reply, error) {
	r.Watch.Began = r.at
	header, why := r.walk(r.Watch.Watch(ctx))
	took := time.Since(r.at)
	r.History.MS = send.Lasted(took)
	if out, over, err := r.without(ctx, why, took); over {
		return out, err
	}
	if _, err := io.WriteString(w, listEnd); err != nil {
		return nil, err
	}
	doc, err := w.Finish()
	if err != nil {
		return nil, err
	}
	report := r.report()
	r.explainPartial(report, why)
	r.ended(report, doc.Size())
	headers := r.ShownHeaders(header)
	r.AddToHistory(ctx, r.History, r.Keep(ctx, doc, headers), r.In.TabID)
	out, err := r.Reply(r.History, doc, headers, r.Watch.Read(took))
	if err != nil {
		return nil, err
	}
	out.Run, out.Items, out.Total, out.NotKept = report, &report.Items, report.Total, r.NotKept
	if report.Resume {
		r.pager.runs.leave(out.Document, r.progressed)
	}
	return out, nil
}

// ended records a run with at least one page in the history.
func (r *run) ended(report *send.RunReport, bytes int64) {
	r.History.Status, r.History.StatusText = http.StatusOK, http.StatusText(http.StatusOK)
	r.History.Bytes, r.History.Error, r.History.Items = bytes, report.Partial, report.Items
	if report.Total != nil {
		r.History.Total = max(0, *report.Total)
	}
}

// without returns the response of a run that ended before its first page.
func (r *run) without(ctx context.Context, why error, took time.Duration) (out *send.Reply, over bool,
	err error) {
	var no *refused
	switch known := (*fault.Error)(nil); {
	case why == nil, r.pages > 0:
		return nil, false, nil
	case errors.As(why, &no):
		out, err = r.answered(ctx, no, took)
	case errors.As(why, &known):
		err = r.Failed(ctx, known)
	default:
		err = r.Failed(ctx, &fault.Error{Kind: fault.Offline, Field: "portal", Message: "cancelled before the first " +
			"page arrived", Err: why})
	}
	return out, true, err
}

// explainPartial explains why a run is incomplete, and what to do.
func (r *run) explainPartial(report *send.RunReport, why error) {
	if why == nil {
		return
	}
	report.Resume = true
	where := fmt.Sprintf("page %d", r.pages+1)
	if of := r.of(); of > 0 {
		where += fmt.Sprintf(" of %d", of)
	}
	var no *refused
	var known *fault.Error
	switch {
	case errors.Is(why, errEnough):
		report.Partial = "stopped before " + where
	case errors.Is(why, errHungUp):
		report.Partial = errHungUp.Error() + " before " + where
	case errors.Is(why, fault.ErrStopping):
		report.Partial = "stopped before " + where + ": " + fault.ErrStopping.Error()
	case errors.As(why, &no):
		report.Status, report.Partial = int64(no.response.StatusCode), where+" "+no.Error()
	case errors.As(why, &known):
		report.Partial = where + " failed: " + known.Message
	default:
		report.Partial = "cancelled before " + where
	}
}

// answered returns the reply if the first response is not a page: an error, or
// not a list.
func (r *run) answered(ctx context.Context, no *refused, took time.Duration) (*send.Reply, error) {
	w := r.Documents.Create(no.response.Header.Get("Content-Type"))
	defer w.Abort()
	if _, err := io.Copy(w, bytes.NewReader(no.body)); err != nil {
		return nil, err
	}
	doc, err := w.Finish()
	if err != nil {
		return nil, err
	}
	r.History.Status, r.History.StatusText, r.History.Bytes = int64(no.response.StatusCode),
		send.StatusText(no.response.Status), doc.Size()
	headers := r.ShownHeaders(no.response.Header)
	r.AddToHistory(ctx, r.History, r.Keep(ctx, doc, headers), r.In.TabID)
	out, err := r.Reply(r.History, doc, headers, r.Watch.Read(took))
	if err == nil {
		out.NotKept = r.NotKept
	}
	return out, err
}
