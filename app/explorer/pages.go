package explorer

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"net/http"
	"strconv"
	"time"

	"spyglass/app/document"
	"spyglass/backend/fault"
	"spyglass/backend/resource"
)

// pagesRequest is the body of /pages.
type pagesRequest struct {
	sendRequest
	Largest bool
	Resume  string
	File    string
	Name    string
}

var pagesRequests = resource.Resource[*pagesRequest]{Name: "pages", Label: "request", Fields: []resource.Field[*pagesRequest]{
	{Name: "sendId", At: func(s *pagesRequest) any { return &s.SendID }, Doc: "Comes back in progress events, and steers the run", Required: true, MaxLen: 100},
	{Name: "tabId", At: func(s *pagesRequest) any { return &s.TabID }, Doc: "The tab that shows the answer; 0 for none"},
	{Name: "draft", At: func(s *pagesRequest) any { return &s.Draft }, Doc: "The GET of a list", Required: true},
	{Name: "anyway", At: func(s *pagesRequest) any { return &s.Anyway }, Doc: "Send it even with unknown variables"},
	{Name: "largest", At: func(s *pagesRequest) any { return &s.Largest }, Doc: "Pages as large as the portal allows, whatever size the draft asks for"},
	{Name: "resume", At: func(s *pagesRequest) any { return &s.Resume }, Doc: "The document of a run that ended early: it goes on from there, with its own draft"},
	{Name: "file", At: func(s *pagesRequest) any { return &s.File }, OneOf: []any{"", "csv", "ndjson", "json"}, Doc: "Write the items to a file as they come, to be fetched at /pages/{sendId}/file once the run says that it is ready"},
	{Name: "name", At: func(s *pagesRequest) any { return &s.Name }, Doc: "Of the file, without its extension", MaxLen: 200},
}}

// Bounds of a run.
const (
	largestPage = 1000     // items, where the catalog says nothing else
	maxPage     = 64 << 20 // bytes of one page
	maxSeen     = 1 << 20  // ids that duplicates are found among
	maxTries    = 20       // 429s in a row for one page
)

// runReport is what the page learns of a run through pages.
type runReport struct {
	Pages   int64    `json:"pages"` // that came
	Of      int64    `json:"of"`    // 0: not known
	Items   int64    `json:"items"`
	Total   *int64   `json:"total"`
	Partial string   `json:"partial"` // why it is not whole, one sentence; empty when it is
	Status  int64    `json:"status"`  // of the page that failed; 0 for none
	Resume  bool     `json:"resume"`  // it can go on
	Notes   []string `json:"notes"`
}

// progressed is how far a run came: all that it needs to go on.
type progressed struct {
	request sendRequest
	list    paged
	offset  int64 // of the next page
	step    int64 // between pages; 0 before the first
	pages   int64
	items   int64
	first   *int64 // the total as the first page said it
	total   *int64
	twice   int64
	seen    map[uint64]struct{}
	seed    maphash.Seed
	whole   bool
}

// of is how many pages there are in all; 0 when nobody knows.
func (p *progressed) of() int64 {
	if p.total == nil || *p.total < 0 || p.step == 0 {
		return 0
	}
	return max(p.pages, p.pages+(*p.total-p.offset+p.step-1)/p.step)
}

// take counts a page in and tells whether it was the last. A total below zero
// means "at least": then only a page that is not full ends the list.
func (p *progressed) take(got *page) {
	n := int64(len(got.items))
	if p.pages == 0 {
		p.first = got.total
		switch {
		case p.list.size > 0 && n < p.list.size && n > 0 && got.total != nil && *got.total > p.offset+n:
			p.step = n // the portal gives fewer at once than it was asked for
		case p.list.size > 0:
			p.step = p.list.size
		default:
			p.step = n
		}
	}
	if got.total != nil {
		p.total = got.total
	}
	p.pages++
	p.items += n
	p.offset += p.step
	for _, item := range got.items {
		p.notice(idOf(item))
	}
	switch {
	case n == 0:
		p.whole = true
	case p.total != nil && *p.total >= 0:
		p.whole = p.offset >= *p.total
	default:
		p.whole = n < p.step
	}
}

// notice counts ids that came before.
func (p *progressed) notice(id string) {
	if id == "" {
		return
	}
	hash := maphash.String(p.seed, id)
	if _, known := p.seen[hash]; known {
		p.twice++
	} else if len(p.seen) < maxSeen {
		p.seen[hash] = struct{}{}
	}
}

func (p *progressed) report() *runReport {
	r := &runReport{Pages: p.pages, Of: p.of(), Items: p.items, Total: p.total, Notes: []string{}}
	if p.whole {
		r.Of = p.pages
	}
	if p.first != nil && p.total != nil && *p.first != *p.total {
		r.Notes = append(r.Notes, fmt.Sprintf("The list changed meanwhile: its total went from %d to %d.", *p.first, *p.total))
	}
	switch {
	case p.twice == 1:
		r.Notes = append(r.Notes, "One item came twice, because the list moved between pages.")
	case p.twice > 1:
		r.Notes = append(r.Notes, fmt.Sprintf("%d items came twice, because the list moved between pages.", p.twice))
	}
	return r
}

// sink takes the items of a run.
type sink interface {
	page(first *int64, items []raw) error
}

// run is one way through the pages of a list.
type run struct {
	*exchange
	*progressed
	*steering
	to   sink
	pace pace
	at   time.Time // when it began
}

// refused is an answer to a page that is no page.
type refused struct {
	response *http.Response
	body     []byte
}

func (r *refused) Error() string {
	var said struct{ ErrorMessage string }
	text := fmt.Sprintf("was answered %s", r.response.Status)
	if json.Unmarshal(r.body, &said) == nil && said.ErrorMessage != "" {
		text += ": " + said.ErrorMessage
	}
	return text
}

// walk fetches page after page until the list ends. The header is the last
// page's.
func (r *run) walk(ctx context.Context) (header http.Header, err error) {
	for !r.whole {
		if err := r.gate(ctx, func() { r.tell("paused", 0) }); err != nil {
			return header, err
		}
		r.tell("running", 0)
		response, got, err := r.fetchPage(ctx)
		if err != nil {
			return header, err
		}
		header = response.Header
		r.take(got)
		if err := r.to.page(r.first, got.items); err != nil {
			return header, err
		}
		if r.whole {
			break
		}
		if pause := r.pace.after(quotaOf(r.shownHeaders(header)), time.Now()); pause > 0 {
			r.tell("waiting", pause)
			if err := wait(ctx, pause); err != nil {
				return header, err
			}
		}
	}
	return header, nil
}

// fetchPage fetches the next page; where the portal says that it is too much,
// it waits as long as the portal asks.
func (r *run) fetchPage(ctx context.Context) (*http.Response, *page, error) {
	out := *r.out
	out.URL = r.list.at(r.offset)
	for try := 1; ; try++ {
		response, body, err := r.fetchWhole(ctx, &out, maxPage)
		if err != nil {
			return nil, nil, err
		}
		switch {
		case response.StatusCode == http.StatusTooManyRequests && try < maxTries:
			pause := retryAfter(response.Header, time.Now())
			r.tell("waiting", pause)
			if err := wait(ctx, pause); err != nil {
				return nil, nil, err
			}
			continue
		case response.StatusCode != http.StatusOK:
			return nil, nil, &refused{response, body}
		}
		got, err := readPage(body)
		if errors.Is(err, errNoList) {
			return nil, nil, &refused{response, body}
		}
		if err != nil {
			err = &fault.Error{Kind: fault.Offline, Field: "portal", Message: fmt.Sprintf("the answer of %s broke off after %d bytes", r.target.host, len(body)), Err: err}
		}
		return response, got, err
	}
}

// fetchWhole sends a request and reads an answer of at most limit bytes.
func (x *exchange) fetchWhole(ctx context.Context, out *outgoing, limit int64) (*http.Response, []byte, error) {
	timed, stop := context.WithTimeoutCause(ctx, x.target.timeout, errTimeout)
	defer stop()
	response, err := x.target.ask(timed, out)
	if err != nil {
		return nil, nil, x.endedBy(ctx, timed, err, arrived{})
	}
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, limit+1))
	if err == nil && int64(len(body)) > limit {
		return nil, nil, &fault.Error{Kind: fault.Offline, Field: "portal", Message: fmt.Sprintf("one answer of %s has more than %d MiB; ask for a smaller size", x.target.host, limit>>20)}
	}
	if err != nil {
		return nil, nil, x.endedBy(ctx, timed, err, arrived{status: response.Status, bytes: int64(len(body))})
	}
	return response, body, nil
}

// endedBy is why a request ended: what ended ctx, or else what went wrong.
func (x *exchange) endedBy(ctx, timed context.Context, err error, came arrived) error {
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	return x.target.explain(timed, err, came)
}

// tell says on the user's streams how far the run is.
func (r *run) tell(state string, pause time.Duration) {
	r.hub.tell(r.user, "pages "+r.in.SendID, resource.Event{Name: "pages", Data: map[string]any{
		"sendId": r.in.SendID, "state": state, "page": r.pages, "pages": r.of(), "items": r.items, "total": r.total,
		"ms": time.Since(r.at).Milliseconds(), "wait": pause.Milliseconds(),
	}})
}

// screen is the sink that makes a document, lossless.
type screen struct {
	*document.Writer
	begun bool
	items bool
}

const listEnd = "]}"

func (s *screen) page(first *int64, items []raw) error {
	if !s.begun {
		s.begun = true
		head := `{"items":[`
		if first != nil {
			head = `{"total":` + strconv.FormatInt(*first, 10) + `,"items":[`
		}
		if _, err := io.WriteString(s, head); err != nil {
			return err
		}
	}
	for _, item := range items {
		if s.items {
			if _, err := io.WriteString(s, ","); err != nil {
				return err
			}
		}
		s.items = true
		if _, err := s.Write(item); err != nil {
			return err
		}
	}
	return nil
}

// goOn begins with what an earlier document holds.
func (s *screen) goOn(doc *document.Document, items bool) error {
	s.begun, s.items = true, items
	_, err := doc.WriteTo(&head{to: s.Writer, left: doc.Size() - int64(len(listEnd))})
	return err
}

// head passes on the first bytes and swallows the rest.
type head struct {
	to   io.Writer
	left int64
}

func (h *head) Write(b []byte) (int, error) {
	n := min(h.left, int64(len(b)))
	h.left -= n
	_, err := h.to.Write(b[:n])
	return len(b), err
}

// pages sends a list's draft page by page and answers one document of all
// items. It ends early, and says so, when a page fails or the person has
// enough; it ends altogether with the caller.
func (e *Explorer) pages(ctx context.Context, c *resource.Call, in *pagesRequest) (any, error) {
	var earlier *progressed
	if in.Resume != "" {
		var err error
		if earlier, err = e.runs.left(in.Resume); err != nil {
			return nil, err
		}
		in.Draft, in.Anyway = earlier.request.Draft, earlier.request.Anyway
	}
	if in.Resume != "" && in.File != "" {
		return nil, fault.At("resume", "a file does not go on where another ended; fetch all pages again")
	}
	if in.Draft.Method != "" && in.Draft.Method != "GET" {
		return nil, fault.At("draft.method", "only GET has pages; nothing else is sent more than once")
	}
	x, err := e.exchange(ctx, c, &in.sendRequest)
	if err != nil {
		return nil, err
	}
	life, done, err := e.begin(ctx)
	if err != nil {
		return nil, err
	}
	defer done()
	life, stop := context.WithCancelCause(life)
	defer stop(nil)
	r := &run{exchange: x, steering: &steering{stop: stop}, at: time.Now(), progressed: x.newRun(in.Largest)}
	key := runKey{x.user, in.SendID}
	if err := e.runs.begin(key, r.steering); err != nil {
		return nil, err
	}
	defer e.runs.end(key)
	if in.File != "" {
		return r.toFile(life, in)
	}
	w := &screen{Writer: e.documents.Create("application/json")}
	defer w.Abort()
	if earlier != nil {
		if err := e.takeUp(r, w, in.Resume, earlier); err != nil {
			return nil, err
		}
	}
	r.to = w
	return r.finish(life, w)
}

// takeUp puts what an earlier run brought into a new one.
func (e *Explorer) takeUp(r *run, w *screen, sealed string, earlier *progressed) error {
	again := *earlier // two may go on from the same place
	again.seen = map[uint64]struct{}{}
	for hash := range earlier.seen {
		again.seen[hash] = struct{}{}
	}
	r.progressed = &again
	doc, err := e.sealedDocument(sealed, r.user)
	if err != nil {
		return err
	}
	return w.goOn(doc, again.items > 0)
}

// newRun begins a run where the request's own offset says, with its own size
// or the largest.
func (x *exchange) newRun(largest bool) *progressed {
	p := &progressed{request: *x.in, list: pagedOf(x.out.URL), seen: map[uint64]struct{}{}, seed: maphash.MakeSeed()}
	p.offset = p.list.offset
	usual, most := int64(0), int64(largestPage)
	if x.out.endpoint != nil {
		for _, param := range x.out.endpoint.Params {
			if param.Name != "size" || param.In != "query" {
				continue
			}
			if n, err := strconv.ParseInt(fmt.Sprint(param.Schema.Default), 10, 64); err == nil {
				usual = n
			}
			if param.Schema.Max != nil {
				most = *param.Schema.Max
			}
		}
	}
	switch {
	case largest:
		p.list.size = most
	case p.list.size == 0:
		p.list.size = usual
	}
	return p
}

// finish walks and answers what came.
func (r *run) finish(ctx context.Context, w *screen) (any, error) {
	r.watch.began = r.at
	header, why := r.walk(r.watch.watch(ctx))
	took := time.Since(r.at)
	r.history.MS = took.Round(time.Millisecond).Milliseconds()
	if out, err, over := r.without(ctx, why, took); over {
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
	r.history.Status, r.history.StatusText = http.StatusOK, http.StatusText(http.StatusOK)
	r.history.Bytes, r.history.Error = doc.Size(), report.Partial
	headers := r.shownHeaders(header)
	r.remember(ctx, r.history, r.keep(ctx, doc, headers))
	out, err := r.reply(r.history, doc, headers, r.watch.read(took))
	if err != nil {
		return nil, err
	}
	out.Run, out.Items, out.Total = report, &report.Items, report.Total
	if report.Resume {
		r.runs.leave(out.Document, r.progressed)
	}
	return out, nil
}

// without is the answer of a run that ended before its first page.
func (r *run) without(ctx context.Context, why error, took time.Duration) (out any, err error, over bool) {
	var no *refused
	switch known := (*fault.Error)(nil); {
	case why == nil, r.pages > 0:
		return nil, nil, false
	case errors.As(why, &no):
		out, err = r.answered(ctx, no, took)
	case errors.As(why, &known):
		err = r.failed(ctx, known)
	default:
		err = r.failed(ctx, &fault.Error{Kind: fault.Offline, Field: "portal", Message: "cancelled before the first page came", Err: why})
	}
	return out, err, true
}

// explainPartial says why a run is not whole, and what can be done.
func (r *run) explainPartial(report *runReport, why error) {
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
	case errors.Is(why, errStopping):
		report.Partial = "stopped before " + where + ": " + errStopping.Error()
	case errors.As(why, &no):
		report.Status, report.Partial = int64(no.response.StatusCode), where+" "+no.Error()
	case errors.As(why, &known):
		report.Partial = where + " failed: " + known.Message
	default:
		report.Partial = "cancelled before " + where
	}
}

// answered is the reply where the first page is none: an error, or no list.
func (r *run) answered(ctx context.Context, no *refused, took time.Duration) (any, error) {
	w := r.documents.Create(no.response.Header.Get("Content-Type"))
	defer w.Abort()
	if _, err := io.Copy(w, bytes.NewReader(no.body)); err != nil {
		return nil, err
	}
	doc, err := w.Finish()
	if err != nil {
		return nil, err
	}
	r.history.Status, r.history.StatusText, r.history.Bytes = int64(no.response.StatusCode), statusText(no.response.Status), doc.Size()
	headers := r.shownHeaders(no.response.Header)
	r.remember(ctx, r.history, r.keep(ctx, doc, headers))
	return r.reply(r.history, doc, headers, r.watch.read(took))
}
