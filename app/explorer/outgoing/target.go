// Package outgoing builds requests from drafts, and sends them to a portal.
//
// A draft arrives with its {{variables}} unresolved. Target.Build builds the
// request for previews, sending and snippets, so that the three cannot differ.
// Target.Send sends the Request with the caller's session or token.
//
// # Variables
//
// {{name}} is a variable of the user, {{$name}} a built-in one:
//
//	{{$now}} {{$now-1h}} {{$now+90s}}  epoch seconds; s m h d w
//	{{$uuid}}                          random; the same in all of one request
//	{{$userId}}                        of who is signed in
//
// A value is escaped for its place and not searched for more variables. In JSON,
// outside of quotes, it must be a whole JSON value.
//
// # Secrets
//
// MaskDraft, Request.Masked, MaskBody and BodyMask put resource.Mask in place of secrets
// before the history keeps a request or its response.
//
// # Units
//
// Sizes are bytes; a draft's timeout is seconds.
//
// # Concurrency
//
// A Target is safe for concurrent use once its fields are set. Values, a Filler and a
// BodyMask belong to one request. Nothing starts goroutines.
//
// # Errors
//
// fault.Invalid names the field of the draft: path, query.NAME, headers.NAME or
// body. fault.Denied: the portal is read-only (Ready). Explain converts connection errors
// to fault.Offline, with the field portal.
package outgoing

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"spyglass/app/explorer/catalog"
	"spyglass/app/explorer/client"
	"spyglass/app/explorer/payload"
	"spyglass/app/explorer/serve"
	"spyglass/app/workspace"
	"spyglass/backend/fault"
)

// Target is the portal of a call, with the caller's credentials.
type Target struct {
	Name    string
	URL     string // "http://127.0.0.1:8443/api"
	Origin  string // "http://127.0.0.1:8443"
	Host    string // "127.0.0.1:8443"
	mount   string // "/api"
	Version string // version of this program

	Catalog  *catalog.Catalog
	Client   *client.Client
	Timeout  time.Duration
	ReadOnly bool // refuses every write
	// Sign returns the headers with the caller's session or token.
	Sign func(*Request) [][2]string

	Remote  *workspace.Portal // nil for the built-in portal
	Secrets []string          // the caller's credentials
}

// Below returns the part of a path below the portal's API.
func (t *Target) Below(path string) string {
	for _, mount := range []string{t.mount, LenientMount} {
		if rest, ok := strings.CutPrefix(path, mount+"/"); ok {
			return "/" + rest
		}
	}
	return path
}

// Place sets the origin, host and mount of the target's url.
func (t *Target) Place() {
	if u, err := url.Parse(t.URL); err == nil {
		t.Origin, t.Host, t.mount = u.Scheme+"://"+u.Host, u.Host, u.Path
	}
}

// Ready returns the function that sends a request, as it is now, with the caller's
// credentials. The caller closes the
// response's body. Ready refuses writes to a portal that
// is locked for them.
func (t *Target) Ready(request *Request) (func(ctx context.Context) (*http.Response, error), error) {
	if t.ReadOnly && request.Method != "GET" {
		return nil, &fault.Error{Kind: fault.Denied, Field: "portal", Detail: serve.Detail{ReadOnly: true},
			Message: fmt.Sprintf("%s is read-only, so %s was not sent; unlock it to make changes", t.Name,
				request.Method)}
	}
	out := *request
	return func(ctx context.Context) (*http.Response, error) {
		header := http.Header{}
		for _, h := range slices.Concat(out.Headers, t.Sign(&out)) {
			header.Add(h[0], h[1])
		}
		response, err := t.Client.Do(ctx, out.Method, out.URL, header, out.Body)
		if err != nil {
			return nil, err
		}
		payload.Unpack(response)
		return response, nil
	}, nil
}

// Send prepares a request and sends it.
func (t *Target) Send(ctx context.Context, out *Request) (*http.Response, error) {
	send, err := t.Ready(out)
	if err != nil {
		return nil, err
	}
	return send(ctx)
}

// Fetch sends a request and reads a response of at most limit bytes.
func (t *Target) Fetch(ctx context.Context, out *Request, limit int) (*http.Response, []byte, error) {
	timed, stop := context.WithTimeoutCause(ctx, t.Timeout, ErrTimeout)
	defer stop()
	response, err := t.Send(timed, out)
	if err != nil {
		return nil, nil, t.Explain(timed, err, Arrived{})
	}
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, int64(limit)+1))
	if err == nil && len(body) > limit {
		err = errors.New("the response is too large")
		return nil, nil, &fault.Error{Kind: fault.Offline, Field: "portal", Message: fmt.Sprintf("the response of %s "+
			"has more than %d MiB; request fewer items", t.Host, limit>>20), Err: err}
	}
	if err != nil {
		return nil, nil, t.Explain(timed, err, Arrived{Status: response.Status, Bytes: int64(len(body))})
	}
	return response, body, nil
}
