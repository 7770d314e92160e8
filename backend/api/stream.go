package api

import (
	"context"
	"errors"
	"io"
	"mime"
	"net/http"
	"strings"
	"sync"
	"time"

	"spyglass/backend/fault"
	"spyglass/backend/resource"
	"spyglass/backend/service"
)

// pulse is the interval at which a stream sends a sign of life and checks that
// its caller may still have it: ended sessions and tokens end it within 5 s
// (trust.md, rule 4).
const pulse = 4 * time.Second

var errEnded = fault.New(fault.NoLogin, "the session has ended")

// watch cancels the context when the session or the token ends, and calls beat
// at every pulse. The function it returns ends the watch and waits for that.
func (x *exchange) watch(ctx context.Context, cancel context.CancelCauseFunc, beat func()) (stop func()) {
	var ended <-chan struct{} // never, for a token
	if x.session != nil {
		ended = x.session.Done()
	}
	quit := make(chan struct{})
	var running service.Parts
	running.Go(func() {
		done := false
		defer func() {
			if !done { // it has ended, or the watch panicked and cannot report the end
				cancel(errEnded)
			}
		}()
		ticker := time.NewTicker(pulse)
		defer ticker.Stop()
		for {
			select {
			case <-quit:
				done = true
				return
			case <-ctx.Done():
				done = true
				return
			case <-ended:
				return
			case <-ticker.C:
				if x.session == nil && !x.tokenHolds(ctx) {
					return
				}
				beat()
			}
		}
	})
	return func() { close(quit); running.Wait() }
}

func (x *exchange) tokenHolds(ctx context.Context) bool {
	authorization := x.r.Header.Get("Authorization")
	if authorization == "" { // an endpoint that needs no sign-in
		return true
	}
	access, err := x.Sessions.ByToken(ctx, authorization, x.tokenRequest())
	return err == nil && access.May(x.route.Right) || err != nil && !fault.Is(err, fault.NoLogin)
}

// sendStream writes a response piece by piece. Until the first piece an error
// still has a status of its own.
func (x *exchange) sendStream(ctx context.Context, cancel context.CancelCauseFunc, a *resource.Response) error {
	h := x.w.Header()
	kind := a.Type
	if kind == "" {
		kind = "application/json"
	}
	h["Content-Type"] = []string{kind}
	if kind != "application/json" {
		// Whatever text it holds stays text, should a browser show it.
		h["Content-Security-Policy"] = []string{"sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src " +
			"data:; frame-ancestors 'none'"}
	}
	if a.Filename != "" {
		name := strings.NewReplacer("/", "-", `\`, "-").Replace(a.Filename)
		h["Content-Disposition"] = []string{mime.FormatMediaType("attachment", map[string]string{"filename": name})}
	}
	stop := x.watch(ctx, cancel, func() {})
	defer stop()
	out := x.patient()
	var to io.Writer = streamWriter{ctx, out}
	var packed *packedStream
	if kind == resource.LinesType && x.packs() {
		packed = newPackedStream(to)
		to = packed
		markPacked(h)
	}
	err := a.Stream(to)
	if x.r.Method == http.MethodHead && x.begun { // it ended with its first piece
		return nil
	}
	if err == nil && packed != nil {
		err = packed.close()
	}
	if err != nil {
		if !x.begun {
			h.Del("Content-Disposition")
			h["Content-Security-Policy"] = nothingIn
			h.Del("Content-Encoding")
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		return err
	}
	if !x.begun {
		x.begin(http.StatusOK)
	}
	return nil
}

// streamWriter refuses to write once the stream's context has ended.
type streamWriter struct {
	ctx context.Context
	out *patientWriter
}

func (s streamWriter) Write(p []byte) (int, error) {
	if s.ctx.Err() != nil {
		return 0, context.Cause(s.ctx)
	}
	if !s.out.x.begun {
		s.out.x.begin(http.StatusOK)
	}
	if s.out.x.r.Method == http.MethodHead {
		return 0, errNoBody
	}
	return s.out.Write(p)
}

// errNoBody ends a stream whose caller wants only the headers.
var errNoBody = errors.New("the response to HEAD has no body")

// sendEvents writes server-sent events until the endpoint returns, those of one
// send in one piece. A comment
// goes first and at every pulse, so that both sides notice a broken line.
func (x *exchange) sendEvents(ctx context.Context, cancel context.CancelCauseFunc,
	events func(func(...resource.Event) error) error) error {
	x.w.Header()["Content-Type"] = []string{"text/event-stream"}
	x.begin(http.StatusOK)
	if x.r.Method == http.MethodHead {
		return nil
	}
	x.Observer.Listens(1)
	defer x.Observer.Listens(-1)
	out := x.patient()
	var mu sync.Mutex // events and the pulse come from different goroutines
	write := func(p []byte) error {
		mu.Lock()
		defer mu.Unlock()
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		_, err := out.Write(p)
		if err == nil {
			err = out.flush()
		}
		if err != nil {
			cancel(err) // who does not read does not listen
		}
		return err
	}
	beat := func() { _ = write([]byte(":\n\n")) }
	beat()
	stop := x.watch(ctx, cancel, beat)
	defer stop()
	err := events(func(all ...resource.Event) error {
		var text []byte
		for _, e := range all {
			data, err := encode(e.Data)
			if err != nil {
				return err
			}
			text = append(append(text, "event: "...), e.Name...)
			text = append(append(append(text, "\ndata: "...), data...), "\n\n"...)
		}
		return write(text)
	})
	if context.Cause(ctx) == error(errEnded) {
		mu.Lock()
		defer mu.Unlock()
		_, _ = out.Write([]byte("event: session\ndata: {}\n\n")) // the last event: the page shows the sign-in
		return nil
	}
	if ctx.Err() != nil {
		return nil // the client has disconnected
	}
	return err
}

// patientWriter gives the caller stallTime for each piece of a response,
// however many there are: a client that stops reading blocks nothing for
// longer.
type patientWriter struct{ x *exchange }

// piece sets how many bytes have to be read within stallTime.
const piece = 64 << 10

func (x *exchange) patient() *patientWriter { return &patientWriter{x} }

func (p *patientWriter) Write(b []byte) (n int, err error) {
	for {
		p.x.extendWrite()
		part := b[n:min(len(b), n+piece)]
		done, err := p.x.w.Write(part)
		if n += done; err != nil || n == len(b) {
			return n, err
		}
	}
}

func (p *patientWriter) flush() error {
	p.x.extendWrite()
	return http.NewResponseController(p.x.w).Flush()
}

// extendWrite gives the next write its stallTime. The deadline remains after
// the response, for what the server itself has yet to write; the next request
// on the connection gets a new one.
func (x *exchange) extendWrite() {
	_ = http.NewResponseController(x.w).SetWriteDeadline(time.Now().Add(stallTime)) // only a test's recorder cannot
}
