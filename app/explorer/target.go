package explorer

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

// target is the portal that a call of the page is about, and the caller's way in.
type target struct {
	name    string
	url     string // "http://127.0.0.1:8443/api"
	origin  string // "http://127.0.0.1:8443"
	host    string // "127.0.0.1:8443"
	mount   string // "/api"
	version string // of this program

	catalog  *catalog.Catalog
	client   *client.Client
	timeout  time.Duration
	readOnly bool // refuses every write
	// sign returns the headers that carry the caller's session or token.
	sign func(*outgoing) [][2]string

	remote  *workspace.Portal // nil for the built-in portal
	secrets []string          // of the caller's way in
}

// place sets the origin, host and mount of the target's url.
func (t *target) place() {
	if u, err := url.Parse(t.url); err == nil {
		t.origin, t.host, t.mount = u.Scheme+"://"+u.Host, u.Host, u.Path
	}
}

// ask sends a request with the caller's way in. The response's body is to be closed.
func (t *target) ask(ctx context.Context, out *outgoing) (*http.Response, error) {
	if err := t.guard(out); err != nil {
		return nil, err
	}
	header := http.Header{}
	for _, h := range append(out.Headers, t.sign(out)...) {
		header.Add(h[0], h[1])
	}
	answer, err := t.client.Do(ctx, out.Method, out.URL, header, out.Body)
	if err != nil {
		return nil, err
	}
	payload.Unpack(answer)
	return answer, nil
}
