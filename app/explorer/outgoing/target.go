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
// MaskDraft, MaskURL, MaskBody and BodyMask put resource.Mask in place of secrets
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
// body. fault.Denied: the portal is read-only. Explain converts connection errors
// to fault.Offline, with the field portal.
package outgoing

import (
	"context"
	"net/http"
	"net/url"
	"time"

	"spyglass/app/explorer/catalog"
	"spyglass/app/explorer/client"
	"spyglass/app/explorer/payload"
	"spyglass/app/workspace"
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

// Place sets the origin, host and mount of the target's url.
func (t *Target) Place() {
	if u, err := url.Parse(t.URL); err == nil {
		t.Origin, t.Host, t.mount = u.Scheme+"://"+u.Host, u.Host, u.Path
	}
}

// Send sends a request with the caller's credentials. The caller closes the
// response's body.
func (t *Target) Send(ctx context.Context, out *Request) (*http.Response, error) {
	if err := t.Guard(out); err != nil {
		return nil, err
	}
	header := http.Header{}
	for _, h := range append(out.Headers, t.Sign(out)...) {
		header.Add(h[0], h[1])
	}
	response, err := t.Client.Do(ctx, out.Method, out.URL, header, out.Body)
	if err != nil {
		return nil, err
	}
	payload.Unpack(response)
	return response, nil
}
