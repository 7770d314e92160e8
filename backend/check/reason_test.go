package check

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"syscall"
	"testing"
	"time"
)

func TestFailureNamesTheCause(t *testing.T) {
	dial := func(code syscall.Errno) error {
		return &net.OpError{Op: "dial", Net: "tcp", Addr: &net.TCPAddr{IP: net.IPv4(10, 0, 0, 7), Port: 80},
			Err: os.NewSyscallError("connect", code)}
	}
	expired := x509.CertificateInvalidError{Reason: x509.Expired,
		Cert: &x509.Certificate{NotAfter: time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)}}
	secret := &url.Error{Op: "Get", URL: "https://10.0.0.7/?token=s3cret", Err: errors.New("it broke")}
	const here, noRoute = "The machine that runs this check has no ", "There is no route to 10.0.0.7:80."
	for _, tt := range []struct {
		name    string
		err     error
		offline bool
		want    Failure
	}{
		{"a closed port", dial(syscall.ECONNREFUSED), false, Failure{"10.0.0.7:80 refused the connection.", true,
			"", false}},
		{"a reset", dial(syscall.ECONNRESET), false, Failure{"10.0.0.7:80 closed the connection.", true, "", false}},
		{"an end", io.EOF, false, Failure{"web closed the connection.", true, "", false}},
		{"a host that is away", dial(syscall.EHOSTUNREACH), false, Failure{"10.0.0.7:80 is unreachable: no route to " +
			"host.", false, "", true}},
		{"a host that is away, in a network without a way out", dial(syscall.EHOSTUNREACH), true,
			Failure{"10.0.0.7:80 is unreachable: no route to host.", false, "", true}},
		{"a network that a router does not know", dial(syscall.ENETUNREACH), false, Failure{noRoute, false, "", true}},
		{"no network at all", dial(syscall.ENETUNREACH), true, Failure{here + "network: there is no route to " +
			"10.0.0.7:80.", false, LocalNetwork, false}},
		{"no descriptors", dial(syscall.EMFILE), false, Failure{here + "file descriptors, ports or memory left for " +
			"connections.", false, LocalDescriptors, false}},
		{"no ports", dial(syscall.EADDRNOTAVAIL), false, Failure{here + "file descriptors, ports or memory left for " +
			"connections.", false, LocalDescriptors, false}},
		{"a name that is none", &net.DNSError{Name: "web", IsNotFound: true}, true,
			Failure{"The name web does not exist.", false, "", false}},
		{"a name server that fails", &net.DNSError{Name: "web", Err: "server misbehaving"}, false,
			Failure{"The name web could not be looked up: server misbehaving.", false, "", true}},
		{"no name server", &net.DNSError{Name: "web", Err: "connection refused"}, true,
			Failure{here + "network: no name server could look up web.", false, LocalNetwork, false}},
		{"no response", fmt.Errorf("x: %w", context.DeadlineExceeded), false,
			Failure{"web did not respond within 5 s.", false, "", true}},
		{"an old certificate", &url.Error{Op: "Get", URL: "https://10.0.0.7/", Err: expired}, false,
			Failure{"The certificate expired on 1 March 2026.", true, "", false}},
		{"an address that is secret", secret, false, Failure{"it broke", false, "", false}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := failureOf(tt.err, "web", 5*time.Second, func() bool { return tt.offline }); *got != tt.want {
				t.Errorf("got %+v\nwant %+v", *got, tt.want)
			}
		})
	}
}
