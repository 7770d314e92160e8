package check

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// Failure is the error of a failed check, as Run returns it.
type Failure struct {
	Text      string // a sentence for users
	Responded bool   // the device responded, for example by refusing a connection
	// the kind of this machine's own failure (LocalNetwork, LocalDescriptors);
	// the check then says nothing about the device
	Local  string
	Silent bool // no response from the device or its network: a time-out, or no route to it
}

// Values of Failure.Local.
const (
	LocalNetwork     = "network"     // the machine has no route to any other
	LocalDescriptors = "descriptors" // the machine has no file descriptors, ports or memory left
	LocalUplink      = "uplink"      // the machine has a route, but no device responds
)

func (f *Failure) Error() string { return f.Text }

// IsSilent reports whether a check failed because there was no response.
func IsSilent(err error) bool {
	var f *Failure
	return errors.As(err, &f) && f.Silent
}

// maxReason limits the text of a failure, in bytes.
const maxReason = 500

// Windows errors that correspond to those of other systems.
const (
	windowsNoFiles     = syscall.Errno(10024) // WSAEMFILE
	windowsNoAddress   = syscall.Errno(10049) // WSAEADDRNOTAVAIL
	windowsNetDown     = syscall.Errno(10050) // WSAENETDOWN
	windowsNetUnreach  = syscall.Errno(10051) // WSAENETUNREACH
	windowsReset       = syscall.Errno(10054) // WSAECONNRESET
	windowsNoBuffers   = syscall.Errno(10055) // WSAENOBUFS
	windowsHostDown    = syscall.Errno(10064) // WSAEHOSTDOWN
	windowsHostUnreach = syscall.Errno(10065) // WSAEHOSTUNREACH
)

func isAny(err error, codes ...syscall.Errno) bool {
	for _, code := range codes {
		if errors.Is(err, code) {
			return true
		}
	}
	return false
}

// exhausted reports whether this machine had no file descriptor, port or memory
// left for a connection.
func exhausted(err error) bool {
	return isAny(err, syscall.EMFILE, syscall.ENFILE, syscall.ENOBUFS, syscall.ENOMEM, windowsNoFiles,
		windowsNoBuffers) || noPort(err)
}

// noPort reports whether all local ports are in use. A machine without IPv6
// returns the same error for every IPv6 address; these do not count.
func noPort(err error) bool {
	var op *net.OpError
	if !isAny(err, syscall.EADDRNOTAVAIL, windowsNoAddress) || !errors.As(err, &op) || op.Addr == nil {
		return false
	}
	at, err := netip.ParseAddrPort(op.Addr.String())
	return err == nil && at.Addr().Unmap().Is4()
}

// noRoute reports whether the system has no route to the network of a device.
func noRoute(err error) bool {
	return isAny(err, syscall.ENETUNREACH, syscall.ENETDOWN, windowsNetUnreach, windowsNetDown)
}

// unreachable reports whether the system or a router says that packets cannot
// reach the device. A blackhole route causes EINVAL.
func unreachable(err error) bool {
	return noRoute(err) || isAny(err, syscall.EHOSTUNREACH, syscall.EHOSTDOWN, syscall.EINVAL, windowsHostUnreach,
		windowsHostDown)
}

// outbound lists addresses that only a default route can reach. They are reserved
// for documentation, and nothing is sent to them.
var outbound = []string{"192.0.2.1:9", "[2001:db8::1]:9"}

// offline reports whether this machine has no default route. A machine with
// neither a default route nor a route to the device has left its network. If
// there is a default route, a router reports that the device's network is
// unreachable.
func offline() bool {
	for _, at := range outbound {
		conn, err := net.Dial("udp", at) // connects the socket without sending anything
		if err == nil {
			_ = conn.Close()
			return false
		}
		if !noRoute(err) {
			return false
		}
	}
	return true
}

// failureOf converts the error of checking a host to a Failure. took is the
// duration of the check; offline reports whether this machine has no default
// route.
func failureOf(err error, host string, took time.Duration, offline func() bool) *Failure {
	var known *Failure
	var named *net.DNSError
	switch at := addressOf(err, host); {
	case errors.As(err, &known):
		return known
	case exhausted(err):
		return &Failure{Text: "The machine that runs this check has no file descriptors, ports or memory left for " +
			"connections.", Local: LocalDescriptors}
	case noRoute(err):
		f := &Failure{Text: fmt.Sprintf("There is no route to %s.", at), Silent: true}
		if offline() {
			f.Text, f.Local, f.Silent = fmt.Sprintf("The machine that runs this check has no network: there is no "+
				"route to %s.", at), LocalNetwork, false
		}
		return f
	case errors.As(err, &named):
		return unresolved(named, host, offline)
	case isClosed(err):
		return &Failure{Text: fmt.Sprintf("%s refused the connection.", at), Responded: true}
	case isAny(err, syscall.EHOSTUNREACH, syscall.EHOSTDOWN, windowsHostUnreach, windowsHostDown):
		return &Failure{Text: fmt.Sprintf("%s is unreachable: no route to host.", at), Silent: true}
	case isAny(err, syscall.ECONNRESET, syscall.EPIPE, windowsReset), errors.Is(err, io.EOF),
		errors.Is(err, io.ErrUnexpectedEOF):
		return &Failure{Text: fmt.Sprintf("%s closed the connection.", at), Responded: true}
	case isTimeout(err):
		return &Failure{
			Text: fmt.Sprintf("%s did not respond within %s s.", at,
				strconv.FormatFloat(took.Round(100*time.Millisecond).Seconds(), 'f', -1, 64)), Silent: true}
	}
	if text := distrust(err); text != "" {
		return &Failure{Text: text, Responded: true}
	}
	return &Failure{Text: plainly(err)}
}

// Sentence returns the text of a failed check or discovery at a host.
func Sentence(err error, host string) string { return failureOf(err, host, 0, offline).Text }

// addressOf returns the address that could not be reached, or the host.
func addressOf(err error, host string) string {
	var op *net.OpError
	if errors.As(err, &op) && op.Addr != nil {
		return op.Addr.String()
	}
	var page *url.Error
	if errors.As(err, &page) {
		if at, err := url.Parse(page.URL); err == nil {
			return at.Host
		}
	}
	return host
}

func unresolved(err *net.DNSError, host string, offline func() bool) *Failure {
	name := err.Name
	if name == "" {
		name = host
	}
	if err.IsNotFound {
		return &Failure{Text: fmt.Sprintf("The name %s does not exist.", name)}
	}
	if offline() {
		return &Failure{Text: fmt.Sprintf("The machine that runs this check has no network: no name server could "+
			"look up %s.", name), Local: LocalNetwork}
	}
	return &Failure{Text: fmt.Sprintf("The name %s could not be looked up: %s.", name, err.Err), Silent: true}
}

func isTimeout(err error) bool {
	var timed net.Error
	return errors.Is(err, context.DeadlineExceeded) || errors.As(err, &timed) && timed.Timeout()
}

// distrust describes a problem with a certificate or a handshake; it returns ""
// for any other error.
func distrust(err error) string {
	var invalid x509.CertificateInvalidError
	var unknown x509.UnknownAuthorityError
	var other x509.HostnameError
	var record tls.RecordHeaderError
	var alert tls.AlertError
	const day = "2 January 2006"
	switch {
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired && invalid.Cert != nil:
		if from := invalid.Cert.NotBefore; time.Now().Before(from) {
			return fmt.Sprintf("The certificate is not valid before %s, or this machine's clock is wrong.",
				from.UTC().Format(day))
		}
		return fmt.Sprintf("The certificate expired on %s.", invalid.Cert.NotAfter.UTC().Format(day))
	case errors.As(err, &unknown):
		if c := unknown.Cert; c != nil && c.Issuer.String() == c.Subject.String() {
			return "The certificate is self-signed, and this machine does not trust it."
		}
		return "The certificate is signed by an authority that this machine does not trust."
	case errors.As(err, &other):
		names := "no name"
		if c := other.Certificate; c != nil && len(c.DNSNames) > 0 {
			names = strings.Join(c.DNSNames, ", ")
		}
		return fmt.Sprintf("The certificate is not for %s; it is for %s.", other.Host, names)
	case errors.As(err, &invalid):
		return "The certificate is not valid: " + invalid.Error() + "."
	case errors.As(err, &record):
		return "The port does not speak TLS."
	case errors.As(err, &alert):
		return "The TLS handshake failed: " + alert.Error() + "."
	}
	return ""
}

// plainly returns the text of an error without the URL, which may contain
// secrets.
func plainly(err error) string {
	var page *url.Error
	if errors.As(err, &page) {
		err = page.Err
	}
	text := err.Error()
	if len(text) > maxReason {
		text = strings.ToValidUTF8(text[:maxReason], "")
	}
	return text
}
