package explorer

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"spyglass/app/document"
	"spyglass/app/explorer/client"
	"spyglass/app/explorer/outgoing"
	"spyglass/app/workspace"
	"spyglass/backend/fault"
	"spyglass/backend/resource"
)

// sendRequest is the body of /send.
type sendRequest struct {
	SendID string
	TabID  int64
	Draft  workspace.Draft
	Anyway bool
}

var sendRequests = resource.Resource[*sendRequest]{Name: "send", Label: "request", Fields: []resource.Field[*sendRequest]{
	{Name: "sendId", At: func(s *sendRequest) any { return &s.SendID }, Doc: "Comes back in progress events", MaxLen: 100},
	{Name: "tabId", At: func(s *sendRequest) any { return &s.TabID }, Doc: "The tab that shows the answer; 0 for none"},
	{Name: "draft", At: func(s *sendRequest) any { return &s.Draft }, Doc: "What to send", Required: true},
	{Name: "anyway", At: func(s *sendRequest) any { return &s.Anyway }, Doc: "Send it even with unknown variables"},
}}

// send sends a draft and answers once the whole response is a document. It ends
// with the caller: the page cancels by going away.
func (e *Sender) send(ctx context.Context, c *resource.Call, in *sendRequest) (any, error) {
	x, err := e.exchange(ctx, c, in)
	if err != nil {
		return nil, err
	}
	life, done, err := e.Life.Begin(ctx)
	if err != nil {
		return nil, err
	}
	defer done()
	return x.run(life)
}

// exchange prepares the sending of a draft.
func (e *Sender) exchange(ctx context.Context, c *resource.Call, in *sendRequest) (*exchange, error) {
	m := outgoing.Strict
	if in.Anyway {
		m = outgoing.Anyway
	}
	t, v, out, err := e.outgoing(ctx, c, &in.Draft, m)
	if err != nil {
		return nil, err
	}
	if err := t.Guard(out); err != nil {
		return nil, err
	}
	safe, err := t.Build(v.Filler(outgoing.Shown, &in.Draft), &in.Draft)
	if err != nil {
		return nil, err
	}
	masked, typed := outgoing.MaskDraft(in.Draft, out.Endpoint)
	x := &exchange{
		Sender: e, target: t, in: in, out: out, user: c.Access.UserID, secrets: slices.Concat(slices.Collect(maps.Values(v.Plain)), typed, t.Secrets),
		history: &workspace.History{
			UserID: c.Access.UserID, PortalID: workspace.PortalID(c), At: resource.MillisOf(c.At), Method: out.Method, URL: outgoing.MaskURL(safe),
			Draft: masked,
		},
	}
	x.history.Path = x.history.Draft.Path
	return x, nil
}

// exchange is one request under way.
type exchange struct {
	*Sender
	target  *outgoing.Target
	in      *sendRequest
	out     *outgoing.Request
	user    int64
	secrets []string // that went out
	history *workspace.History
	watch   client.Stopwatch
	hops    client.Trail
	notKept string // why the request is missing from the history
	came    outgoing.Arrived
	zip     *workspace.Zipper  // of an answer that comes and may be kept
	mask    *outgoing.BodyMask // of what is kept; nil where nothing is masked
}

// run sends the request, and returns the reply for the page.
func (x *exchange) run(ctx context.Context) (any, error) {
	timed, stop := context.WithTimeoutCause(ctx, x.target.Timeout, outgoing.ErrTimeout)
	defer stop()
	after := x.Writes.Before(ctx, x)
	x.watch.Began = time.Now()
	response, w, err := x.fetch(timed)
	defer x.zip.Close()
	took := time.Since(x.watch.Began)
	x.history.MS = lasted(took)
	if err != nil {
		return nil, x.failed(ctx, x.target.Explain(timed, err, x.came))
	}
	x.history.Status, x.history.StatusText = int64(response.StatusCode), statusText(response.Status)
	x.history.Bytes = w.Size()
	headers := x.shownHeaders(response.Header)
	entry := *x.history // written while the reply is made
	var doc *document.Document
	var r *reply
	made := beside(func() {
		if doc, err = w.Finish(); err != nil {
			err = x.target.Explain(timed, err, x.came)
			return
		}
		if r, err = x.reply(x.history, doc, headers, x.watch.Read(took)); err == nil {
			r.Extracted = x.extract(ctx, doc)
		}
	})
	var shown *document.Document // nil where nothing is to be looked for in it
	if len(x.secrets) > 0 {
		made()
		shown = doc
	}
	x.remember(ctx, &entry, x.keep(ctx, shown, headers), x.in.TabID)
	made()
	var undo string
	if x.history = &entry; doc != nil {
		undo = after(ctx, doc)
	}
	if err == nil {
		r.HistoryID, r.NotKept, r.Undo, r.Hops = entry.ID, x.notKept, undo, x.hops.Taken(x.echoes)
	}
	return r, err
}

// fetch sends the request and takes the response in. The Writer is to be finished.
func (x *exchange) fetch(ctx context.Context) (*http.Response, *document.Writer, error) {
	response, err := x.target.Send(x.hops.Watch(x.watch.Watch(ctx)), x.out)
	if err != nil {
		return nil, nil, err
	}
	defer response.Body.Close()
	w := x.Documents.Create(response.Header.Get("Content-Type"))
	to := io.Writer(w)
	if response.ContentLength <= workspace.MaxPlain && !outgoing.GivesSecrets(x.out.Endpoint) {
		x.zip = workspace.NewZipper()
		kept := x.masking(response.Header.Get("Content-Type"), x.zip)
		to = io.MultiWriter(kept, w)
		defer kept.Close() //nolint:errcheck // a Zipper does not fail
	}
	body := &progress{Reader: response.Body, exchange: x, expected: max(response.ContentLength, 0), last: time.Now()}
	if _, err := io.CopyBuffer(struct{ io.Writer }{to}, body, make([]byte, 64<<10)); err != nil {
		x.history.Bytes = w.Size()
		x.came = outgoing.Arrived{Status: response.Status, Bytes: body.received, Quiet: time.Since(body.last)}
		w.Abort()
		return nil, nil, err
	}
	return response, w, nil
}

// The delay of the first progress event, and the interval of the next ones.
const (
	firstProgress = 300 * time.Millisecond
	nextProgress  = 100 * time.Millisecond
)

// progress is a Reader that sends the bytes received so far to the user's streams.
type progress struct {
	io.Reader
	exchange *exchange
	received int64
	expected int64 // 0: not known
	told     time.Duration
	last     time.Time // when something came, or the answer began
}

func (p *progress) Read(b []byte) (int, error) {
	n, err := p.Reader.Read(b)
	if p.received += int64(n); n > 0 {
		p.last = time.Now()
	}
	if now := time.Since(p.exchange.watch.Began); now >= firstProgress && now-p.told >= nextProgress && n > 0 {
		p.told = now
		p.exchange.Hub.Tell(p.exchange.user, "progress "+p.exchange.in.SendID, resource.Event{Name: "progress", Data: map[string]any{
			"sendId": p.exchange.in.SendID, "received": p.received, "expected": p.expected,
		}})
	}
	return n, err
}

// keep returns the response to store in the history; nil if it is too large, or
// holds a value shown only once or a secret of the request. doc may be nil if the
// request had no secret and the response was compressed as it arrived.
func (x *exchange) keep(ctx context.Context, doc *document.Document, headers [][2]string) *workspace.Reply {
	if x.history.Bytes > workspace.MaxPlain || outgoing.GivesSecrets(x.out.Endpoint) || doc == nil && len(x.secrets) > 0 {
		return nil
	}
	zipped, err := x.zipped(doc, contentType(headers))
	if err != nil {
		x.Log.ErrorContext(ctx, "an answer is missing from the history", "err", err)
	}
	if zipped == nil {
		return nil
	}
	return &workspace.Reply{Headers: headers, Zipped: zipped, Masked: x.mask != nil && x.mask.Masked}
}

// masking returns where the body of a response is written to be kept. What a
// remote portal answers is masked on the way, where it is JSON: the built-in
// portal masks its secrets itself, and other texts do not say what is one.
func (x *exchange) masking(kind string, to io.Writer) io.WriteCloser {
	x.mask = nil
	if x.target.Remote == nil || !strings.Contains(strings.ToLower(kind), "json") {
		return unmasked{to}
	}
	x.mask = &outgoing.BodyMask{To: to}
	return x.mask
}

// unmasked keeps a body as it is.
type unmasked struct{ io.Writer }

// Close implements io.Closer.
func (unmasked) Close() error { return nil }

// contentType returns the Content-Type among headers.
func contentType(headers [][2]string) string {
	for _, h := range headers {
		if strings.EqualFold(h[0], "Content-Type") {
			return h[1]
		}
	}
	return ""
}

// zipped returns the compressed body of a response; nil where it holds a secret
// of the request, or is too large even when compressed.
func (x *exchange) zipped(doc *document.Document, kind string) ([]byte, error) {
	if len(x.secrets) > 0 {
		var body bytes.Buffer
		if err := doc.WriteText(&body); err != nil || x.echoes(body.String()) {
			return nil, err
		}
	}
	if x.zip != nil {
		return x.zip.Zipped(), nil
	}
	zip := workspace.NewZipper()
	defer zip.Close()
	kept := x.masking(kind, zip)
	_, err := doc.WriteTo(kept)
	if err = errors.Join(err, kept.Close()); err != nil {
		return nil, err
	}
	return zip.Zipped(), nil
}

// maxSecrets limits the secrets of one request that are searched for in its
// response.
const maxSecrets = 500

// echoes reports whether text holds a secret of the request, plain or as encoded
// in a URL or JSON. With more than maxSecrets secrets it reports true.
func (x *exchange) echoes(text string) bool {
	if len(x.secrets) > maxSecrets {
		return true
	}
	return slices.ContainsFunc(x.secrets, func(secret string) bool {
		quoted := resource.AppendString(nil, secret)
		return secret != "" && (strings.Contains(text, secret) || strings.Contains(text, outgoing.QueryText(secret)) || strings.Contains(text, string(quoted[1:len(quoted)-1])))
	})
}

// remember writes the history, and that it is the last response of the tab of that
// id; 0 when nothing came that a tab shows. What was sent was sent: when there is
// no room for the row, the response is shown nevertheless.
func (x *exchange) remember(ctx context.Context, entry *workspace.History, kept *workspace.Reply, tab int64) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	if err := x.Workspace.Remember(ctx, entry, kept, tab); err != nil {
		entry.ID = 0
		x.notKept = "This request is not in the history: " + strings.TrimSuffix(fault.Sentence(err), ".") + "."
		x.Log.ErrorContext(ctx, "a request is missing from the history", "err", err)
	}
}

// failed remembers a request that got no answer, and returns why.
func (x *exchange) failed(ctx context.Context, why *fault.Error) error {
	x.history.Error = why.Message
	x.remember(ctx, x.history, nil, 0)
	return why
}

// lasted returns the duration of a request in whole milliseconds, at least 1.
func lasted(took time.Duration) int64 {
	return max(1, took.Round(time.Millisecond).Milliseconds())
}

// statusText returns "Not Found" for "404 Not Found".
func statusText(status string) string {
	_, text, _ := strings.Cut(status, " ")
	return text
}

// fetchWhole sends a request and reads a response of at most limit bytes.
func (x *exchange) fetchWhole(ctx context.Context, out *outgoing.Request, limit int64) (*http.Response, []byte, error) {
	timed, stop := context.WithTimeoutCause(ctx, x.target.Timeout, outgoing.ErrTimeout)
	defer stop()
	response, err := x.target.Send(timed, out)
	if err != nil {
		return nil, nil, x.endedBy(ctx, timed, err, outgoing.Arrived{})
	}
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, limit+1))
	if err == nil && int64(len(body)) > limit {
		return nil, nil, &fault.Error{Kind: fault.Offline, Field: "portal", Detail: map[string]any{"answered": true}, Message: fmt.Sprintf("one answer of %s has more than %d MiB; ask for a smaller size", x.target.Host, limit>>20)}
	}
	if err != nil {
		return nil, nil, x.endedBy(ctx, timed, err, outgoing.Arrived{Status: response.Status, Bytes: int64(len(body))})
	}
	return response, body, nil
}

// endedBy returns why a request ended: the cause of ctx, or else the error.
func (x *exchange) endedBy(ctx, timed context.Context, err error, came outgoing.Arrived) error {
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	return x.target.Explain(timed, err, came)
}
