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

// explainTLS describes a TLS failure in out, with the certificate if that was
// refused; false if err is no such failure.
func (t *Target) explainTLS(out *fault.Error, err error) bool {
	var refused *tls.CertificateVerificationError
	var plain tls.RecordHeaderError
	if errors.As(err, &plain) {
		out.Message = fmt.Sprintf("%s does not speak TLS there; try http:// instead of https://, or another port",
			t.Host)
		return true
	}
	if !errors.As(err, &refused) || len(refused.UnverifiedCertificates) == 0 {
		return false
	}
	c := refused.UnverifiedCertificates[0]
	var host x509.HostnameError
	var invalid x509.CertificateInvalidError
	const next = "; if you know this certificate, you can trust it in the portal's settings"
	switch {
	case errors.Is(err, client.ErrNotPinned):
		out.Message = fmt.Sprintf("the certificate of %s is not the one that you trusted for it; if it was renewed, "+
			"trust the new one in the portal's settings", t.Host)
	case errors.As(err, &host):
		out.Message = fmt.Sprintf("the certificate of %s is for another host%s", t.Host, next)
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired && time.Now().After(c.NotAfter):
		out.Message = fmt.Sprintf("the certificate of %s expired on %s%s", t.Host,
			c.NotAfter.Format("2 January 2006"), next)
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		out.Message = fmt.Sprintf("the certificate of %s is not valid before %s; is this computer's clock right?",
			t.Host, c.NotBefore.Format("2 January 2006"))
	default:
		out.Message = fmt.Sprintf("nobody this computer trusts vouches for the certificate of %s%s", t.Host, next)
	}
	out.Detail["certificate"] = map[string]any{
		"fingerprint": client.Fingerprint(c), "subject": c.Subject.String(), "issuer": c.Issuer.String(),
		"notBefore": c.NotBefore.UnixMilli(), "notAfter": c.NotAfter.UnixMilli(),
		"names": append(append([]string{}, c.DNSNames...), addresses(c.IPAddresses)...),
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
		out.Message = fmt.Sprintf("there is no host named %s; is it spelled right, and are you in the right network?",
			name.Name)
	case errors.As(err, &name):
		out.Message = fmt.Sprintf("the name %s could not be looked up; are you connected to the network?", name.Name)
	case errors.As(err, &dial) && (dial.Op == "proxyconnect" || dial.Op == "socks connect"):
		out.Message = fmt.Sprintf("the proxy on the way to %s does not answer as it should: %v", t.Host, dial.Err)
	default:
		return false
	}
	return true
}

// Arrived is the progress of a response that ended early.
type Arrived struct {
	Status string        // "200 OK"; empty: not even the headers
	Bytes  int64         // of the body
	Quiet  time.Duration // since the last of them; 0: not known
}

// stalled is the time without a byte after which a response counts as stalled.
const stalled = 2 * time.Second

// late explains why a response was incomplete at the timeout.
func (a Arrived) late(address string, timeout time.Duration) string {
	switch {
	case a.Status == "":
		return fmt.Sprintf("%s did not answer within %s", address, seconds(timeout))
	case a.Bytes == 0:
		return fmt.Sprintf("%s answered %s and then stalled: no byte of the body came within %s", address, a.Status,
			seconds(timeout))
	case a.Quiet >= min(stalled, timeout/2):
		return fmt.Sprintf("%s answered %s and then stalled: %s came, and nothing more for %s", address, a.Status,
			amount(a.Bytes), seconds(a.Quiet.Round(100*time.Millisecond)))
	}
	return fmt.Sprintf("%s answered %s, but was not done after %s: %s had come", address, a.Status, seconds(timeout),
		amount(a.Bytes))
}

// amount formats a number of bytes for display.
func amount(bytes int64) string {
	if bytes < 1e6 {
		return fmt.Sprintf("%d bytes", bytes)
	}
	return fmt.Sprintf("%.1f MB", float64(bytes)/1e6)
}

// Explain turns what went wrong into a sentence.
func (t *Target) Explain(ctx context.Context, err error, came Arrived) *fault.Error {
	address := t.Host
	out := &fault.Error{Kind: fault.Offline, Field: "portal", Err: err, Detail: map[string]any{"address": address}}
	if t.Remote != nil {
		out.Detail["portal"] = t.Remote.ID
	}
	var failure client.Failure
	var known *fault.Error
	var dial *net.OpError
	var at *url.Error
	if came.Status != "" {
		out.Detail["answered"] = true // so somebody is there
	}
	switch cause := context.Cause(ctx); {
	case cause == ErrTimeout:
		out.Message = came.late(address, t.Timeout)
		out.Detail["timeout"], failure = true, client.TimedOut
		if came.Status != "" {
			failure = client.Stalled
			out.Detail["status"], out.Detail["received"] = came.Status, came.Bytes
		}
	case cause == serve.ErrStopping:
		out.Message = serve.ErrStopping.Error()
	case cause != nil:
		out.Message = "cancelled"
	case errors.As(err, &known):
		if known.Kind == fault.Full {
			known.Detail = map[string]any{"failure": client.Unstored}
		}
		return known
	case t.explainTLS(out, err), t.explainName(out, err):
		failure = client.Unreached
	case errors.Is(err, syscall.ECONNREFUSED):
		failure = client.Unreached
		out.Message = fmt.Sprintf("nothing answers at %s: the connection was refused", address)
	case errors.As(err, &dial) && dial.Op == "dial":
		failure = client.Unreached
		out.Message = fmt.Sprintf("%s cannot be reached: %v", address, dial.Err)
	case errors.Is(err, http.ErrSchemeMismatch):
		failure = client.Unreached
		out.Message = fmt.Sprintf("%s speaks HTTP, not HTTPS; its address would begin with http://", address)
	case errors.As(err, &at) && came.Status == "" && (errors.Is(err, io.EOF) || errors.Is(err, syscall.ECONNRESET)):
		failure = client.NoResponse
		out.Message = fmt.Sprintf("%s closed the connection without an answer", address)
	case errors.As(err, &at): // its own words hold the URL
		if out.Message, failure = noHTTP(address, at.Err.Error()); failure == client.Unreadable {
			out.Detail["answered"] = true
		}
	default:
		failure = client.Incomplete
		out.Message = fmt.Sprintf("the answer of %s broke off after %d bytes", address, came.Bytes)
	}
	if failure != "" {
		out.Detail["failure"] = failure
	}
	return out
}

// noHTTP explains why a response could not be read, in the words of net/http that are
// not about itself.
func noHTTP(address, why string) (message string, failure client.Failure) {
	_, wrong, broken := strings.Cut(why, "transport connection broken: ")
	wrong = strings.TrimPrefix(strings.TrimPrefix(wrong, "net/http: "), "http: ")
	location, leads := strings.CutPrefix(why, "failed to parse Location header ")
	switch {
	case leads:
		location, _, _ = strings.Cut(location, ": ")
		return fmt.Sprintf("%s redirects to %s, which is no address", address, location), client.Unreadable
	case !broken:
		return fmt.Sprintf("%s gave no answer: %s", address, why), client.NoResponse
	case strings.Contains(wrong, `"\x15\x03`): // a TLS alert
		return address + " speaks HTTPS, not HTTP; its address would begin with https://", client.Unreadable
	case strings.Contains(wrong, "response headers exceeded"):
		return fmt.Sprintf("%s answered with more than %d KiB of headers, which are not read", address,
			client.MaxHeaders>>10), client.Unreadable
	}
	return fmt.Sprintf("%s answered, but not in HTTP: %s", address, wrong), client.Unreadable
}

// seconds formats a duration for display.
func seconds(d time.Duration) string {
	if d == time.Second {
		return "1 second"
	}
	return fmt.Sprintf("%g seconds", d.Seconds())
}

// ErrTimeout is the cause of what a timeout cancels.
var ErrTimeout = errors.New("the request took too long")
