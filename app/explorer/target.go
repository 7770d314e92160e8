package explorer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"syscall"
	"time"

	"github.com/go-resty/resty/v2"

	"spyglass/app/workspace"
	"spyglass/backend/fault"
	"spyglass/backend/resource"
)

// target is the portal that a call of the page is about, and the caller's way in.
type target struct {
	name    string
	url     string // "http://127.0.0.1:8443/api"
	origin  string // "http://127.0.0.1:8443"
	host    string // "127.0.0.1:8443"
	mount   string // "/api"
	version string // of this program

	catalog  *catalog
	client   *resty.Client
	timeout  time.Duration
	readOnly bool // refuses every write
	// sign is the headers that carry the caller's session or token.
	sign func(*outgoing) [][2]string

	remote  *workspace.Portal // nil for the built-in portal
	secrets []string          // of the caller's way in
}

// target returns the portal that the call names, the built-in one when it names none.
func (e *Explorer) target(ctx context.Context, c *resource.Call) (*target, error) {
	if id := workspace.PortalID(c); id != workspace.BuiltIn {
		return e.remote(ctx, c, id)
	}
	own, err := e.o.Workspace.Preferences(ctx, c.Access.UserID)
	if err != nil {
		return nil, err
	}
	t := &target{
		name: e.o.PortalName(), url: strings.TrimSuffix(e.o.BaseURL(), "/"), version: e.o.Version,
		catalog: e.catalog, client: e.client, timeout: cmp.Or(own.Timeout, e.o.Timeout), readOnly: own.ReadOnly,
		sign: func(out *outgoing) [][2]string { return e.session(out, c.Session) },
	}
	t.place()
	return t, nil
}

func (t *target) place() {
	if u, err := url.Parse(t.url); err == nil {
		t.origin, t.host, t.mount = u.Scheme+"://"+u.Host, u.Host, u.Path
	}
}

// outgoing builds a draft for the portal that the call is about, with the
// caller's variables.
func (e *Explorer) outgoing(ctx context.Context, c *resource.Call, d *workspace.Draft, m manner) (*target, *values, *outgoing, error) {
	if err := d.Check("draft"); err != nil {
		return nil, nil, nil, err
	}
	t, err := e.target(ctx, c)
	if err != nil {
		return nil, nil, nil, err
	}
	if d.Timeout > 0 {
		patient := *t
		patient.timeout = time.Duration(d.Timeout) * time.Second
		t = &patient
	}
	v, err := e.values(ctx, c)
	if err != nil {
		return nil, nil, nil, err
	}
	out, err := t.build(v.filler(m, d), d)
	return t, v, out, err
}

// ask sends a request with the caller's way in. The response's body is to be closed.
func (t *target) ask(ctx context.Context, out *outgoing) (*http.Response, error) {
	if err := t.guard(out); err != nil {
		return nil, err
	}
	request := t.client.R().SetContext(ctx)
	request.Header = http.Header{}
	for _, h := range append(out.Headers, t.sign(out)...) {
		request.Header.Add(h[0], h[1])
	}
	if out.Body != "" {
		request.SetBody([]byte(out.Body))
	}
	answer, err := request.Execute(out.Method, out.URL)
	if err != nil {
		if answer != nil && answer.RawBody() != nil {
			answer.RawBody().Close()
		}
		return nil, err
	}
	unpack(answer.RawResponse)
	return answer.RawResponse, nil
}

// arrived is the progress of a response that ended early.
type arrived struct {
	status string        // "200 OK"; empty: not even the headers
	bytes  int64         // of the body
	quiet  time.Duration // since the last of them; 0: not known
}

// stalled is the time without a byte after which a response counts as stalled.
const stalled = 2 * time.Second

// late explains why a response was incomplete at the timeout.
func (a arrived) late(address string, timeout time.Duration) string {
	switch {
	case a.status == "":
		return fmt.Sprintf("%s did not answer within %s", address, seconds(timeout))
	case a.bytes == 0:
		return fmt.Sprintf("%s answered %s and then stalled: no byte of the body came within %s", address, a.status, seconds(timeout))
	case a.quiet >= min(stalled, timeout/2):
		return fmt.Sprintf("%s answered %s and then stalled: %s came, and nothing more for %s", address, a.status, amount(a.bytes), seconds(a.quiet.Round(100*time.Millisecond)))
	}
	return fmt.Sprintf("%s answered %s, but was not done after %s: %s had come", address, a.status, seconds(timeout), amount(a.bytes))
}

// amount formats a number of bytes for display.
func amount(bytes int64) string {
	if bytes < 1e6 {
		return fmt.Sprintf("%d bytes", bytes)
	}
	return fmt.Sprintf("%.1f MB", float64(bytes)/1e6)
}

// explain turns what went wrong into a sentence.
func (t *target) explain(ctx context.Context, err error, came arrived) *fault.Error {
	address := t.host
	out := &fault.Error{Kind: fault.Offline, Field: "portal", Err: err, Detail: map[string]any{"address": address}}
	if t.remote != nil {
		out.Detail["portal"] = t.remote.ID
	}
	var known *fault.Error
	var dial *net.OpError
	var at *url.Error
	if came.status != "" {
		out.Detail["answered"] = true // so somebody is there
	}
	switch cause := context.Cause(ctx); {
	case cause == errTimeout:
		out.Message = came.late(address, t.timeout)
		out.Detail["timeout"] = true
		if came.status != "" {
			out.Detail["status"], out.Detail["received"] = came.status, came.bytes
		}
	case cause == errStopping:
		out.Message = errStopping.Error()
	case cause != nil:
		out.Message = "cancelled"
	case errors.As(err, &known):
		return known
	case t.explainTLS(out, err), t.explainName(out, err):
	case errors.Is(err, syscall.ECONNREFUSED):
		out.Message = fmt.Sprintf("nothing answers at %s: the connection was refused", address)
	case errors.As(err, &dial) && dial.Op == "dial":
		out.Message = fmt.Sprintf("%s cannot be reached: %v", address, dial.Err)
	case errors.Is(err, http.ErrSchemeMismatch):
		out.Message = fmt.Sprintf("%s speaks HTTP, not HTTPS; its address would begin with http://", address)
	case errors.As(err, &at) && came.status == "" && (errors.Is(err, io.EOF) || errors.Is(err, syscall.ECONNRESET)):
		out.Message = fmt.Sprintf("%s closed the connection without an answer", address)
	case errors.As(err, &at): // its own words hold the URL
		var answered bool
		if out.Message, answered = noHTTP(address, at.Err.Error()); answered {
			out.Detail["answered"] = true
		}
	default:
		out.Message = fmt.Sprintf("the answer of %s broke off after %d bytes", address, came.bytes)
	}
	return out
}

// noHTTP explains why a response could not be read, in the words of net/http that are
// not about itself; answered reports whether it is known that there was one.
func noHTTP(address, why string) (message string, answered bool) {
	_, wrong, broken := strings.Cut(why, "transport connection broken: ")
	wrong = strings.TrimPrefix(strings.TrimPrefix(wrong, "net/http: "), "http: ")
	location, leads := strings.CutPrefix(why, "failed to parse Location header ")
	switch {
	case leads:
		location, _, _ = strings.Cut(location, ": ")
		return fmt.Sprintf("%s redirects to %s, which is no address", address, location), true
	case !broken:
		return fmt.Sprintf("%s gave no answer: %s", address, why), false
	case strings.Contains(wrong, `"\x15\x03`): // a TLS alert
		return address + " speaks HTTPS, not HTTP; its address would begin with https://", true
	case strings.Contains(wrong, "response headers exceeded"):
		return fmt.Sprintf("%s answered with more than %d KiB of headers, which are not read", address, maxHeaders>>10), true
	}
	return fmt.Sprintf("%s answered, but not in HTTP: %s", address, wrong), true
}

// seconds formats a duration for display.
func seconds(d time.Duration) string {
	if d == time.Second {
		return "1 second"
	}
	return fmt.Sprintf("%g seconds", d.Seconds())
}
