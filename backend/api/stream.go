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

// pulse is the interval at which a stream sends a heartbeat and checks that its
// caller still has access: it ends within 5 s after the session or token
// (trust.md, rule 4).
const pulse = 4 * time.Second

var errEnded = fault.New(fault.NoLogin, "the session has ended")

// watch cancels the context when the session or the token ends, and calls beat at
// every pulse. The returned function ends the watch and waits for it.
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
	if authorization == "" { // an endpoint without sign-in
		return true
	}
	access, err := x.Sessions.ByToken(ctx, authorization, x.tokenRequest())
	return err == nil && access.May(x.route.Right) || err != nil && !fault.Is(err, fault.NoLogin)
}

// sendStream writes a response piece by piece. An error before the first piece
// still gets its own status.
func (x *exchange) sendStream(ctx context.Context, cancel context.CancelCauseFunc, a *resource.Response) error {
	h := x.w.Header()
	kind := a.Type
	if kind == "" {
		kind = "application/json"
	}
	h["Content-Type"] = []string{kind}
	if kind != "application/json" {
		// Any text in it stays text, even if a browser shows it.
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

// errNoBody ends a stream if the client wants only the headers.
var errNoBody = errors.New("the response to HEAD has no body")

// sendEvents writes server-sent events until the endpoint returns, all events of
// one send in one piece. It sends a comment first and at every pulse, so that
// both sides detect a broken connection.
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
			cancel(err) // a client that does not read is disconnected
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
		_, _ = out.Write([]byte("event: session\ndata: {}\n\n")) // the page then shows the sign-in
		return nil
	}
	if ctx.Err() != nil {
		return nil // the client has disconnected
	}
	return err
}

// patientWriter allows stallTime for each piece of a response, however many there
// are: a client that stops reading blocks it no longer than that.
type patientWriter struct{ x *exchange }

// piece is the number of bytes that must be read within stallTime.
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

// extendWrite sets a deadline of stallTime for the next write. It also applies to
// what the server itself writes after the response; the next request on the
// connection gets a new one.
func (x *exchange) extendWrite() {
	_ = http.NewResponseController(x.w).SetWriteDeadline(time.Now().Add(stallTime)) // fails only for a test's recorder
}
