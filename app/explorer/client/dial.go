package client

import (
	"cmp"
	"context"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"syscall"
	"time"

	"spyglass/app/workspace"
	"spyglass/backend/check"
	"spyglass/backend/fault"
)

// For returns the client of a portal.
func For(p *workspace.Portal, proxyPassword string, may Bounds) (*Client, error) {
	client, transport := newResty()
	dialer := &net.Dialer{Timeout: 10 * time.Second, KeepAlive: 30 * time.Second,
		Control: func(_, address string, _ syscall.RawConn) error {
			return may.dial(address)
		}}
	transport.DialContext = dialer.DialContext
	transport.ForceAttemptHTTP2 = true
	transport.MaxIdleConnsPerHost = 8
	var err error
	if transport.TLSClientConfig, err = trusting(p); err != nil {
		return nil, err
	}
	switch p.Proxy {
	case workspace.ProxySystem, "":
	case workspace.ProxyNone:
		transport.Proxy = nil
	default:
		proxy, err := url.Parse(p.Proxy)
		if err != nil {
			return nil, fault.At("proxy", "the proxy address is not a valid URL")
		}
		if proxyPassword != "" {
			proxy.User = url.UserPassword(proxy.User.Username(), proxyPassword)
		}
		transport.Proxy = http.ProxyURL(proxy)
	}
	if p.Fingerprint != "" {
		transport.DialTLSContext = dialPinned(dialer, secureProxy(p.BaseURL, transport.Proxy),
			transport.TLSClientConfig)
	}
	transport.Proxy = may.judgedProxy(transport.Proxy)
	return &Client{client}, nil
}

// judgedProxy checks the target of a request before it is sent to a proxy, which
// could connect to addresses that this process may not. A name that only the
// proxy can resolve is allowed if the settings have no networks.
func (b Bounds) judgedProxy(proxy func(*http.Request) (*url.URL, error)) func(*http.Request) (*url.URL, error) {
	if proxy == nil {
		return nil
	}
	return func(r *http.Request) (*url.URL, error) {
		by, err := proxy(r)
		if by == nil || err != nil {
			return by, err
		}
		port := cmp.Or(r.URL.Port(), map[string]string{"http": "80", "https": "443"}[r.URL.Scheme])
		ips, err := net.DefaultResolver.LookupNetIP(r.Context(), "ip", r.URL.Hostname())
		if err != nil && b.Networks.Limited() {
			return nil, outOfBounds("%s cannot be resolved, so it cannot be compared with explorerAllowedNetworks "+
				"and explorerRefusedNetworks in the portal settings", r.URL.Hostname())
		}
		if err != nil {
			return by, nil
		}
		for _, ip := range ips {
			if err := b.dial(net.JoinHostPort(ip.String(), port)); err != nil {
				return nil, err
			}
		}
		return by, nil
	}
}

// Bounds limits the addresses to which a client may connect.
type Bounds struct {
	Own      netip.AddrPort // the address of this process
	Networks check.Networks
}

// Equal reports whether both allow the same addresses.
func (b Bounds) Equal(other Bounds) bool {
	return b.Own == other.Own && b.Networks.Equal(other.Networks)
}

// outOfBounds returns the error for an address that is not allowed.
func outOfBounds(format string, args ...any) error {
	return &fault.Error{Kind: fault.Offline, Field: "baseUrl", Message: fmt.Sprintf(format, args...)}
}

// dial checks an address right before connecting to it (trust.md, rule 10).
func (b Bounds) dial(address string) error {
	at, err := netip.ParseAddrPort(address)
	if err != nil {
		return err
	}
	ip := at.Addr().Unmap()
	if ip.IsMulticast() || check.ForMachinesOnly(ip) {
		return outOfBounds("%s is a multicast, link-local or metadata address; enter the address of a portal", ip)
	}
	if own := b.Own; own.IsValid() && at.Port() == own.Port() &&
		(ip == own.Addr().Unmap() || ip.IsLoopback() && own.Addr().IsLoopback() || ip.IsUnspecified()) {
		return outOfBounds("%s is this Spyglass itself; select the built-in portal in your list", at)
	}
	const change = "an administrator can change this in the portal settings"
	if network, refused := b.Networks.RefusedBy(ip); refused {
		return outOfBounds("%s is in the network %s of explorerRefusedNetworks; %s", ip, network, change)
	}
	if !b.Networks.Allowed(ip) {
		return outOfBounds("no network of explorerAllowedNetworks contains %s; %s", ip, change)
	}
	return nil
}

// trusting returns the TLS settings of a portal. Without a pin, it trusts the
// authorities of the system and the portal's own. With a pin, it accepts only the
// pinned certificate, or one with the pinned key, regardless of authorities and
// host names.
func trusting(p *workspace.Portal) (*tls.Config, error) {
	config := &tls.Config{MinVersion: tls.VersionTLS12}
	if p.Authority != "" {
		pool, err := x509.SystemCertPool()
		if err != nil {
			pool = x509.NewCertPool()
		}
		if !pool.AppendCertsFromPEM([]byte(p.Authority)) {
			return nil, fault.At("authority", "the text contains no certificate; paste one that begins with "+
				"-----BEGIN CERTIFICATE-----")
		}
		config.RootCAs = pool
	}
	if p.Fingerprint == "" {
		return config, nil
	}
	config.InsecureSkipVerify = true // VerifyConnection below compares with the pin instead
	config.VerifyConnection = func(s tls.ConnectionState) error {
		if len(s.PeerCertificates) > 0 && pinned(s.PeerCertificates[0], p.Fingerprint) {
			return nil
		}
		return &tls.CertificateVerificationError{UnverifiedCertificates: s.PeerCertificates, Err: ErrNotPinned}
	}
	return config, nil
}

// ErrNotPinned is the error for a certificate that is not the pinned one.
var ErrNotPinned = errors.New("the certificate is not the pinned one")

// pinned reports whether pin is the SHA-256 of the certificate or of its public
// key (RFC 7469), so that a pin of the key outlives a renewal.
func pinned(c *x509.Certificate, pin string) bool {
	key := sha256.Sum256(c.RawSubjectPublicKeyInfo)
	return Fingerprint(c) == pin || hex.EncodeToString(key[:]) == pin
}

// dialPinned connects with the pin, except to the https proxy, which is verified
// by the rules of the system; proxy is empty if there is none.
func dialPinned(dialer *net.Dialer, proxy string,
	pin *tls.Config) func(context.Context, string, string) (net.Conn, error) {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		config := &tls.Config{MinVersion: tls.VersionTLS12}
		if proxy == "" || address != proxy {
			config = pin.Clone()
			config.NextProtos = []string{"h2", "http/1.1"}
		}
		ctx, cancel := context.WithTimeout(ctx, dialer.Timeout+handshakeTimeout)
		defer cancel()
		to := tls.Dialer{NetDialer: dialer, Config: config}
		return to.DialContext(ctx, network, address)
	}
}

// secureProxy returns the host and port of the https proxy to a portal; "" for
// none.
func secureProxy(base string, proxy func(*http.Request) (*url.URL, error)) string {
	u, err := url.Parse(base)
	if err != nil || proxy == nil {
		return ""
	}
	by, err := proxy(&http.Request{URL: u})
	if err != nil || by == nil || by.Scheme != "https" || strings.EqualFold(by.Host, u.Host) {
		return ""
	}
	return net.JoinHostPort(by.Hostname(), cmp.Or(by.Port(), "443"))
}

// Fingerprint returns the SHA-256 of a certificate in hexadecimal.
func Fingerprint(c *x509.Certificate) string {
	sum := sha256.Sum256(c.Raw)
	return hex.EncodeToString(sum[:])
}
