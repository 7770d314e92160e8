package send

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
	"spyglass/app/explorer/serve"
	"spyglass/app/explorer/stream"
	"spyglass/app/workspace"
	"spyglass/backend/fault"
	"spyglass/backend/resource"
)

// Request is the body of /send.
type Request struct {
	SendID string
	TabID  int64
	Draft  workspace.Draft
	Anyway bool

	Given  map[string]string // variables that come before those of the user
	Unkept bool              // it is not added to the history

	Environment *int64 // its variables are used, 0 for none; nil: the active one

	Brief bool // the reply has nothing of the body but what checks and extractors find
}

var requests = resource.Resource[*Request]{Name: "send", Label: "request", Fields: []resource.Field[*Request]{
	{Name: "sendId", At: func(s *Request) any { return &s.SendID }, Doc: "Id in progress events", MaxLen: 100},
	{Name: "tabId", At: func(s *Request) any { return &s.TabID }, Doc: "The tab that shows the response; 0 for none"},
	{Name: "draft", At: func(s *Request) any { return &s.Draft }, Doc: "What to send", Required: true},
	{Name: "anyway", At: func(s *Request) any { return &s.Anyway }, Doc: "Send it even with unknown variables"},
}}

// send sends a draft and returns when the whole response is stored as a document.
// It ends when the caller disconnects, which is how the page cancels.
func (s *Sender) send(ctx context.Context, c *resource.Call, in *Request) (*Reply, error) {
	x, err := s.Exchange(ctx, c, in)
	if err != nil {
		return nil, err
	}
	life, done, err := s.Life.Begin(ctx)
	if err != nil {
		return nil, err
	}
	defer done()
	return x.Run(life)
}

// Exchange prepares the sending of a draft.
func (s *Sender) Exchange(ctx context.Context, c *resource.Call, in *Request) (*Exchange, error) {
	m := outgoing.Strict
	if in.Anyway {
		m = outgoing.Anyway
	}
	t, v, out, err := s.outgoing(ctx, c, in, m)
	if err != nil {
		return nil, err
	}
	checks := fillChecks(v, &in.Draft) // before the secrets are read: they may hold more of them
	x, err := s.ExchangeOf(c, t, in, out, slices.Collect(maps.Values(v.Plain))...)
	if err == nil {
		x.checks, x.environment = checks, v.Environment.ID
	}
	return x, err
}

// ExchangeOf prepares the sending of the request out, which was built from a draft.
// secrets are the values of secret variables in it.
func (s *Sender) ExchangeOf(c *resource.Call, t *outgoing.Target, in *Request, out *outgoing.Request,
	secrets ...string) (*Exchange, error) {
	send, err := t.Ready(out)
	if err != nil {
		return nil, err
	}
	masked, typed := outgoing.MaskDraft(in.Draft, out.Endpoint)
	return &Exchange{
		Sender: s, Target: t, In: in, Out: out, User: c.Access.UserID, send: send,
		Secrets: slices.Concat(secrets, typed, t.Secrets),
		History: &workspace.History{
			UserID: c.Access.UserID, PortalID: workspace.PortalID(c), At: resource.MillisOf(c.At), Method: out.Method,
			Path: masked.Path, URL: out.Masked(), Draft: masked,
		},
	}, nil
}

// Exchange is one request under way.
type Exchange struct {
	*Sender
	Target  *outgoing.Target
	In      *Request
	Out     *outgoing.Request
	User    int64
	Secrets []string // that went out
	History *workspace.History
	Watch   client.Stopwatch
	send    func(ctx context.Context) (*http.Response, error) // sends Out
	hops    client.Trail
	NotKept string // why the request is missing from the history
	came    outgoing.Arrived
	checks  []check // of the response

	environment int64 // whose variables were used; 0: none

	zip  *workspace.Zipper  // of an incoming response that may be stored
	mask *outgoing.BodyMask // of the stored part; nil where nothing is masked
}

// Run sends the request, and returns the reply for the page.
func (x *Exchange) Run(ctx context.Context) (*Reply, error) {
	timed, stop := context.WithTimeoutCause(ctx, x.Target.Timeout, outgoing.ErrTimeout)
	defer stop()
	after := func(context.Context, *document.Document) string { return "" }
	if !x.In.Unkept {
		after = x.Writes.Before(ctx, x)
	}
	x.Watch.Began = time.Now()
	response, w, err := x.fetch(timed)
	defer x.zip.Close()
	took := time.Since(x.Watch.Began)
	x.History.MS = Lasted(took)
	if err != nil {
		return nil, x.Failed(ctx, x.Target.Explain(timed, err, x.came))
	}
	x.History.Status, x.History.StatusText = int64(response.StatusCode), StatusText(response.Status)
	x.History.Bytes = w.Size()
	headers := x.ShownHeaders(response.Header)
	entry := *x.History // written while the reply is created
	var doc *document.Document
	var r *Reply
	reply := x.Reply
	if x.In.Brief {
		reply = x.brief
	}
	made := x.besideHistory(func() {
		if doc, err = w.Finish(); err != nil {
			err = x.Target.Explain(timed, err, x.came)
			return
		}
		if r, err = reply(x.History, doc, headers, x.Watch.Read(took)); err == nil {
			r.Extracted = x.extract(ctx, doc)
			r.Checks = x.check(ctx, doc, headers)
		}
	})
	var shown *document.Document // nil where nothing is to be looked for in it
	if len(x.Secrets) > 0 {
		made()
		shown = doc
	}
	if !x.In.Unkept {
		x.AddToHistory(ctx, &entry, x.Keep(ctx, shown, headers), x.In.TabID)
	}
	made()
	var undo string
	if x.History = &entry; doc != nil {
		undo = after(ctx, doc)
	}
	if err == nil {
		r.HistoryID, r.NotKept, r.Undo, r.Hops = entry.ID, x.NotKept, undo, x.hops.Taken(x.Echoes)
	}
	return r, err
}

// besideHistory runs do beside what adds the request to the history. The caller waits for
// it with done.
func (x *Exchange) besideHistory(do func()) (done func()) {
	if x.In.Unkept { // there is nothing to do beside it
		do()
		return func() {}
	}
	return beside(do)
}

// fetch sends the request and takes the response in. The Writer is to be finished.
func (x *Exchange) fetch(ctx context.Context) (*http.Response, *document.Writer, error) {
	if !x.In.Brief {
		ctx = x.hops.Watch(x.Watch.Watch(ctx))
	}
	response, err := x.send(ctx)
	if err != nil {
		return nil, nil, err
	}
	defer response.Body.Close()
	w := x.Documents.Create(response.Header.Get("Content-Type"))
	to := io.Writer(w)
	if !x.In.Unkept && response.ContentLength <= workspace.MaxPlain && !outgoing.GivesSecrets(x.Out.Endpoint) {
		x.zip = workspace.NewZipper()
		kept := x.masking(response.Header.Get("Content-Type"), x.zip)
		to = io.MultiWriter(kept, w)
		defer kept.Close() //nolint:errcheck // a Zipper does not fail
	}
	body := &progress{Reader: response.Body, exchange: x, expected: max(response.ContentLength, 0), last: time.Now()}
	buf := x.pieces.take()
	defer x.pieces.put(buf)
	if _, err := io.CopyBuffer(struct{ io.Writer }{to}, body, buf[:]); err != nil {
		x.History.Bytes = w.Size()
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
	exchange *Exchange
	received int64
	expected int64 // 0: not known
	reported time.Duration
	last     time.Time // when data arrived, or the response began
}

func (p *progress) Read(b []byte) (int, error) {
	n, err := p.Reader.Read(b)
	if p.received += int64(n); n > 0 {
		p.last = time.Now()
	}
	if now := time.Since(p.exchange.Watch.Began); now >= firstProgress && now-p.reported >= nextProgress && n > 0 {
		p.reported = now
		p.exchange.Hub.Notify(p.exchange.User, "progress "+p.exchange.In.SendID,
			stream.ProgressEvent{Expected: p.expected, Received: p.received, SendID: p.exchange.In.SendID})
	}
	return n, err
}

// Keep returns the response to store in the history; nil if it is too large, or
// holds a value shown only once or a secret of the request. doc may be nil if the
// request had no secret and the response was compressed as it arrived.
func (x *Exchange) Keep(ctx context.Context, doc *document.Document, headers [][2]string) *workspace.Reply {
	if x.History.Bytes > workspace.MaxPlain || outgoing.GivesSecrets(x.Out.Endpoint) || doc == nil &&
		len(x.Secrets) > 0 {
		return nil
	}
	zipped, err := x.zipped(doc, ContentType(headers))
	if err != nil {
		x.Log.ErrorContext(ctx, "a response was not stored in the history", "err", err)
	}
	if zipped == nil {
		return nil
	}
	return &workspace.Reply{Headers: headers, Zipped: zipped, Masked: x.mask != nil && x.mask.Masked}
}

// masking returns the writer for the stored body of a response. It masks JSON of
// remote portals: the built-in portal masks its secrets itself, and secrets in
// other formats cannot be recognized.
func (x *Exchange) masking(kind string, to io.Writer) io.WriteCloser {
	x.mask = nil
	if x.Target.Remote == nil || !strings.Contains(strings.ToLower(kind), "json") {
		return unmasked{to}
	}
	x.mask = &outgoing.BodyMask{To: to}
	return x.mask
}

// unmasked keeps a body as it is.
type unmasked struct{ io.Writer }

// Close implements io.Closer.
func (unmasked) Close() error { return nil }

// ContentType returns the Content-Type among headers.
func ContentType(headers [][2]string) string {
	for _, h := range headers {
		if strings.EqualFold(h[0], "Content-Type") {
			return h[1]
		}
	}
	return ""
}

// zipped returns the compressed body of a response; nil where it holds a secret
// of the request, or is too large even when compressed.
func (x *Exchange) zipped(doc *document.Document, kind string) ([]byte, error) {
	if len(x.Secrets) > 0 {
		var body bytes.Buffer
		if err := doc.WriteText(&body); err != nil || x.Echoes(body.String()) {
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

// Echoes reports whether text holds a secret of the request, plain or as encoded
// in a URL or JSON. With more than maxSecrets secrets it reports true.
func (x *Exchange) Echoes(text string) bool {
	if len(x.Secrets) > maxSecrets {
		return true
	}
	return slices.ContainsFunc(x.Secrets, func(secret string) bool {
		quoted := resource.AppendString(nil, secret)
		return secret != "" && (strings.Contains(text, secret) || strings.Contains(text, outgoing.QueryText(secret)) ||
			strings.Contains(text, string(quoted[1:len(quoted)-1])))
	})
}

// AddToHistory writes the history, and that it is the last response of the tab of that
// id; 0 when nothing came that a tab shows. What was sent was sent: when there is
// no room for the row, the response is shown nevertheless.
func (x *Exchange) AddToHistory(ctx context.Context, entry *workspace.History, kept *workspace.Reply, tab int64) {
	if x.In.Unkept {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	if err := x.Workspace.AddToHistory(ctx, entry, kept, tab); err != nil {
		entry.ID = 0
		x.NotKept = "This request is not in the history: " + strings.TrimSuffix(fault.Sentence(err), ".") + "."
		x.Log.ErrorContext(ctx, "a request was not stored in the history", "err", err)
	}
}

// Failed adds a request without a response to the history, and returns why it
// failed.
func (x *Exchange) Failed(ctx context.Context, why *fault.Error) error {
	x.History.Error = why.Message
	x.AddToHistory(ctx, x.History, nil, 0)
	return why
}

// Lasted returns the duration of a request in whole milliseconds, at least 1.
func Lasted(took time.Duration) int64 {
	return max(1, took.Round(time.Millisecond).Milliseconds())
}

// StatusText returns "Not Found" for "404 Not Found".
func StatusText(status string) string {
	_, text, _ := strings.Cut(status, " ")
	return text
}

// FetchWhole sends a request and reads a response of at most limit bytes.
func (x *Exchange) FetchWhole(ctx context.Context, out *outgoing.Request, limit int64) (*http.Response, []byte, error) {
	timed, stop := context.WithTimeoutCause(ctx, x.Target.Timeout, outgoing.ErrTimeout)
	defer stop()
	response, err := x.Target.Send(timed, out)
	if err != nil {
		return nil, nil, x.endedBy(ctx, timed, err, outgoing.Arrived{})
	}
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, limit+1))
	if err == nil && int64(len(body)) > limit {
		return nil, nil, &fault.Error{Kind: fault.Offline, Field: "portal",
			Detail: serve.Detail{Answered: true, Failure: serve.Unreadable},
			Message: fmt.Sprintf("one response of %s has more than %d MiB; request a smaller size", x.Target.Host,
				limit>>20)}
	}
	if err != nil {
		return nil, nil, x.endedBy(ctx, timed, err, outgoing.Arrived{Status: response.Status, Bytes: int64(len(body))})
	}
	return response, body, nil
}

// endedBy returns why a request ended: the cause of ctx, or else the error.
func (x *Exchange) endedBy(ctx, timed context.Context, err error, came outgoing.Arrived) error {
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	return x.Target.Explain(timed, err, came)
}
