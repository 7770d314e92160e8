package outgoing

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"syscall"
	"time"

	"spyglass/app/explorer/client"
	"spyglass/app/explorer/serve"
	"spyglass/backend/fault"
)

// explainTLS describes a TLS failure in out, with the certificate if it was
// refused. It returns false for any other error.
func (t *Target) explainTLS(out *fault.Error, detail *serve.Detail, err error) bool {
	var refused *tls.CertificateVerificationError
	var plain tls.RecordHeaderError
	if errors.As(err, &plain) {
		out.Message = fmt.Sprintf("%s does not use TLS on this port; try http:// instead of https://, or another port",
			t.Host)
		return true
	}
	if !errors.As(err, &refused) || len(refused.UnverifiedCertificates) == 0 {
		return false
	}
	c := refused.UnverifiedCertificates[0]
	var host x509.HostnameError
	var invalid x509.CertificateInvalidError
	const next = "; if you know this certificate, trust it in the portal's settings"
	switch {
	case errors.Is(err, client.ErrNotPinned):
		out.Message = fmt.Sprintf("the certificate of %s is not the one you trusted; if it was renewed, trust the "+
			"new one in the portal's settings", t.Host)
	case errors.As(err, &host):
		out.Message = fmt.Sprintf("the certificate of %s is for another host%s", t.Host, next)
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired && time.Now().After(c.NotAfter):
		out.Message = fmt.Sprintf("the certificate of %s expired on %s%s", t.Host,
			c.NotAfter.Format("2 January 2006"), next)
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		out.Message = fmt.Sprintf("the certificate of %s is not valid before %s; check the clock of this computer",
			t.Host, c.NotBefore.Format("2 January 2006"))
	default:
		out.Message = fmt.Sprintf("the certificate of %s is not signed by an authority that this computer trusts%s",
			t.Host, next)
	}
	detail.Certificate = &serve.Certificate{
		Fingerprint: client.Fingerprint(c), Subject: c.Subject.String(), Issuer: c.Issuer.String(),
		NotBefore: c.NotBefore.UnixMilli(), NotAfter: c.NotAfter.UnixMilli(),
		Names: append(append([]string{}, c.DNSNames...), addresses(c.IPAddresses)...),
	}
	return true
}

func addresses(ips []net.IP) []string {
	texts := make([]string, len(ips))
	for i, ip := range ips {
		texts[i] = ip.String()
	}
	return texts
}

// explainName reports that a host name cannot be resolved, or that a proxy refused.
func (t *Target) explainName(out *fault.Error, err error) bool {
	var name *net.DNSError
	var dial *net.OpError
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return false
	case errors.As(err, &name) && name.IsNotFound:
		out.Message = fmt.Sprintf("there is no host named %s; check the spelling, and your network", name.Name)
	case errors.As(err, &name):
		out.Message = fmt.Sprintf("the name %s cannot be resolved; check your network connection", name.Name)
	case errors.As(err, &dial) && (dial.Op == "proxyconnect" || dial.Op == "socks connect"):
		out.Message = fmt.Sprintf("the proxy did not connect to %s: %v", t.Host, dial.Err)
	default:
		return false
	}
	return true
}

// Arrived is the progress of a response that ended early.
type Arrived struct {
	Status string        // "200 OK"; empty: the headers did not arrive
	Bytes  int64         // of the body
	Quiet  time.Duration // since the last of them; 0: unknown
}

// stalled is the longest pause of a response before it counts as stalled.
const stalled = 2 * time.Second

// late explains why a response was incomplete at the timeout.
func (a Arrived) late(address string, timeout time.Duration) string {
	switch {
	case a.Status == "":
		return fmt.Sprintf("%s did not respond within %s", address, seconds(timeout))
	case a.Bytes == 0:
		return fmt.Sprintf("%s responded with %s and then stalled: no body arrived within %s", address, a.Status,
			seconds(timeout))
	case a.Quiet >= min(stalled, timeout/2):
		return fmt.Sprintf("%s responded with %s and then stalled: %s arrived, and nothing more for %s", address,
			a.Status, amount(a.Bytes), seconds(a.Quiet.Round(100*time.Millisecond)))
	}
	return fmt.Sprintf("%s responded with %s, but did not finish within %s: %s arrived", address, a.Status,
		seconds(timeout), amount(a.Bytes))
}

// amount formats a number of bytes for display.
func amount(bytes int64) string {
	if bytes < 1e6 {
		return fmt.Sprintf("%d bytes", bytes)
	}
	return fmt.Sprintf("%.1f MB", float64(bytes)/1e6)
}

// Explain converts an error of sending to a sentence.
func (t *Target) Explain(ctx context.Context, err error, came Arrived) *fault.Error {
	address := t.Host
	detail := &serve.Detail{Address: address, Answered: came.Status != ""}
	out := &fault.Error{Kind: fault.Offline, Field: "portal", Err: err, Detail: detail}
	if t.Remote != nil {
		detail.Portal = t.Remote.ID
	}
	var known *fault.Error
	var dial *net.OpError
	var at *url.Error
	switch cause := context.Cause(ctx); {
	case cause == ErrTimeout:
		out.Message = came.late(address, t.Timeout)
		detail.Timeout, detail.Failure = true, serve.TimedOut
		if came.Status != "" {
			detail.Failure, detail.Status, detail.Received = serve.Stalled, came.Status, came.Bytes
		}
	case cause == fault.ErrStopping:
		out.Kind, out.Message = fault.Busy, fault.ErrStopping.Error()
	case cause != nil:
		out.Message = "cancelled"
	case errors.As(err, &known):
		if known.Kind == fault.Full {
			known.Detail = serve.Detail{Failure: serve.Unstored}
		}
		return known
	case t.explainTLS(out, detail, err), t.explainName(out, err):
		detail.Failure = serve.Unreached
	case errors.Is(err, syscall.ECONNREFUSED):
		detail.Failure = serve.Unreached
		out.Message = fmt.Sprintf("%s refused the connection; check that the portal is running", address)
	case errors.As(err, &dial) && dial.Op == "dial":
		detail.Failure = serve.Unreached
		out.Message = fmt.Sprintf("%s cannot be reached: %v", address, dial.Err)
	case errors.Is(err, http.ErrSchemeMismatch):
		detail.Failure = serve.Unreached
		out.Message = fmt.Sprintf("%s uses HTTP, not HTTPS; change its address to http://", address)
	case errors.As(err, &at) && came.Status == "" && (errors.Is(err, io.EOF) || errors.Is(err, syscall.ECONNRESET)):
		detail.Failure = serve.NoResponse
		out.Message = fmt.Sprintf("%s closed the connection without a response", address)
	case errors.As(err, &at): // its own text contains the URL
		if out.Message, detail.Failure = noHTTP(address, at.Err.Error()); detail.Failure == serve.Unreadable {
			detail.Answered = true
		}
	default:
		detail.Failure = serve.Incomplete
		out.Message = fmt.Sprintf("the response from %s broke off after %d bytes", address, came.Bytes)
	}
	return out
}

// noHTTP explains why a response could not be read, in words from net/http
// without its own prefixes.
func noHTTP(address, why string) (message string, failure serve.Failure) {
	_, wrong, broken := strings.Cut(why, "transport connection broken: ")
	wrong = strings.TrimPrefix(strings.TrimPrefix(wrong, "net/http: "), "http: ")
	location, leads := strings.CutPrefix(why, "failed to parse Location header ")
	switch {
	case leads:
		location, _, _ = strings.Cut(location, ": ")
		return fmt.Sprintf("%s redirects to %s, which is not a valid address", address, location), serve.Unreadable
	case !broken:
		return fmt.Sprintf("%s did not respond: %s", address, why), serve.NoResponse
	case strings.Contains(wrong, `"\x15\x03`): // a TLS alert
		return address + " uses HTTPS, not HTTP; change its address to https://", serve.Unreadable
	case strings.Contains(wrong, "response headers exceeded"):
		return fmt.Sprintf("%s responded with more than %d KiB of headers, the maximum", address,
			client.MaxHeaders>>10), serve.Unreadable
	}
	return fmt.Sprintf("%s did not respond in HTTP: %s", address, wrong), serve.Unreadable
}

// seconds formats a duration for display.
func seconds(d time.Duration) string {
	if d == time.Second {
		return "1 second"
	}
	return fmt.Sprintf("%g seconds", d.Seconds())
}

// ErrTimeout is the cause of a context canceled by a timeout.
var ErrTimeout = errors.New("the request took too long")
