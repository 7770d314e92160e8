// Package client sends HTTP requests to portals.
//
// A Client sends a request as it was built: no cookies of its own, no retries, no
// compression. It follows redirects within the portal only. New returns the client
// of the built-in portal; For that of a remote one, with its proxy, its certificate
// authority or pinned certificate, and the Bounds that it may dial within.
//
// A Stopwatch measures the phases of a request, and a Trail records its redirects.
//
// # Units
//
// A Timing is in milliseconds.
//
// # Concurrency
//
// A Client is safe for concurrent use. A Stopwatch and a Trail belong to one request;
// the transport writes to them from goroutines of its own, so both have a lock.
//
// # Errors
//
// fault.Offline: the address must not be dialled, with the field baseUrl, or the
// redirects lead in a circle. fault.Invalid: the settings of the portal cannot be
// used. Errors of the connection are returned as net/http has them, and
// ErrNotPinned within a tls.CertificateVerificationError.
package client

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"sync"
	"time"

	"github.com/go-resty/resty/v2"

	"spyglass/app/explorer/serve"
	"spyglass/app/workspace"
	"spyglass/backend/fault"
	"spyglass/backend/loopback"
)

// MaxHeaders limits the bytes of a response's headers.
const MaxHeaders = 1 << 20

const (
	maxRedirects = 10

	handshakeTimeout = 10 * time.Second
)

// Client sends requests, and follows redirects within a portal.
type Client struct{ resty *resty.Client }

// Do sends a request. The caller closes the response's body.
func (c *Client) Do(ctx context.Context, method, address string, header http.Header,
	body string) (*http.Response, error) {
	request := c.resty.R().SetContext(ctx)
	request.Header = header
	if body != "" {
		request.SetBody([]byte(body))
	}
	response, err := request.Execute(method, address)
	if err != nil {
		if response != nil && response.RawBody() != nil {
			response.RawBody().Close()
		}
		return nil, err
	}
	return response.RawResponse, nil
}

// CloseIdle closes idle connections.
func (c *Client) CloseIdle() { c.resty.GetClient().CloseIdleConnections() }

// New returns a client for the portal that listens on address ("127.0.0.1:8443") in this
// process. It connects there whatever host a URL has, without a proxy, and accepts only the
// certificate with the pin; "" without TLS. It sends requests unchanged: without a cookie
// jar (each caller has its own session), retries, or compression.
func New(address, pin string) (*Client, error) {
	client, transport := newResty()
	transport.Proxy = nil
	dial := transport.DialContext
	transport.DialContext = func(ctx context.Context, network, _ string) (net.Conn, error) {
		return dial(ctx, network, address)
	}
	var err error
	transport.TLSClientConfig, err = trusting(&workspace.Portal{Fingerprint: pin})
	return &Client{client}, err
}

// Over returns a client like New that sends requests through a transport.
func Over(transport http.RoundTripper) *Client { return &Client{unchanged(transport)} }

func newResty() (*resty.Client, *http.Transport) {
	dialer := &net.Dialer{Timeout: 10 * time.Second, KeepAlive: 30 * time.Second}
	transport := &http.Transport{
		Proxy:                  proxyFor,
		DialContext:            dialer.DialContext,
		DisableCompression:     true,
		MaxIdleConnsPerHost:    16,
		IdleConnTimeout:        time.Minute,
		TLSHandshakeTimeout:    handshakeTimeout,
		MaxResponseHeaderBytes: MaxHeaders,
	}
	return unchanged(transport), transport
}

func unchanged(transport http.RoundTripper) *resty.Client {
	client := resty.NewWithClient(&http.Client{Transport: transport})
	client.SetDoNotParseResponse(true)
	client.SetDisableWarn(true)
	client.SetRedirectPolicy(resty.RedirectPolicyFunc(redirect))
	client.SetLogger(silent{})
	return client
}

// proxyFor returns the system's proxy, but none for requests to this machine.
func proxyFor(r *http.Request) (*url.URL, error) {
	if loopback.Host(r.URL.Hostname()) {
		return nil, nil
	}
	return http.ProxyFromEnvironment(r)
}

// redirect follows redirects within the portal. A redirect to another address
// becomes the response.
func redirect(r *http.Request, via []*http.Request) error {
	if r.URL.Scheme != via[0].URL.Scheme || r.URL.Host != via[0].URL.Host {
		return http.ErrUseLastResponse
	}
	if t, ok := r.Context().Value(trailKey{}).(*Trail); ok && r.Response != nil {
		t.add(r.Response.StatusCode, r.URL)
	}
	if len(via) > maxRedirects {
		return &fault.Error{Kind: fault.Offline, Field: "portal",
			Detail:  serve.Detail{Answered: true, Failure: serve.Redirects},
			Message: fmt.Sprintf("the portal redirects in a loop: more than %d times", maxRedirects)}
	}
	return nil
}

// silent discards resty's log messages: errors are returned, and a log must not
// contain requests.
type silent struct{}

func (silent) Errorf(string, ...any) {}

func (silent) Warnf(string, ...any) {}

func (silent) Debugf(string, ...any) {}

// Stopwatch measures one request. The transport calls it from its own goroutines.
type Stopwatch struct {
	Began time.Time

	mu        sync.Mutex
	connected time.Duration // 0 for a reused connection
	ready     time.Duration
	firstByte time.Duration
}

// Watch returns a context for the request to measure.
func (s *Stopwatch) Watch(ctx context.Context) context.Context {
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GotConn: func(info httptrace.GotConnInfo) {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.ready = time.Since(s.Began)
			if !info.Reused {
				s.connected += s.ready
			}
		},
		GotFirstResponseByte: func() {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.firstByte = time.Since(s.Began)
		},
	})
}

// Timing is the time of each phase of a request, in milliseconds.
type Timing struct {
	Connect   float64 `json:"connect"`
	FirstByte float64 `json:"firstByte"`
	Download  float64 `json:"download"`
}

// Read returns the phases of a request; all is its total duration.
func (s *Stopwatch) Read(all time.Duration) Timing {
	s.mu.Lock()
	defer s.mu.Unlock()
	return Timing{Connect: Millis(s.connected), FirstByte: Millis(s.firstByte - s.ready),
		Download: Millis(all - s.firstByte)}
}

// Millis returns a duration in milliseconds, with two decimals.
func Millis(d time.Duration) float64 {
	return float64(max(d, 0).Round(10*time.Microsecond)) / float64(time.Millisecond)
}
