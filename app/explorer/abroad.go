package explorer

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
	"sync"
	"syscall"
	"time"

	"github.com/go-resty/resty/v2"

	"spyglass/app/workspace"
	"spyglass/backend/check"
	"spyglass/backend/fault"
)

// abroad holds the connections to remote portals, apart for each. The zero
// value is ready.
type abroad struct {
	mu      sync.Mutex
	clients map[int64]*connected
	known   map[int64]*known
}

// connected is a client for a portal as it was described at that time.
type connected struct {
	as     string
	client *resty.Client
}

func (a *abroad) hangUp() {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, c := range a.clients {
		c.client.GetClient().CloseIdleConnections()
	}
}

// client is the portal's own; a portal that was changed gets a new one, as all do
// when the networks of the settings have changed: no open connection outlives that.
func (a *abroad) client(p *workspace.Portal, proxyPassword string, may bounds) (*resty.Client, error) {
	as := strings.Join([]string{p.BaseURL, p.Authority, p.Fingerprint, p.Proxy, proxyPassword, fmt.Sprint(may)}, "\x00")
	a.mu.Lock()
	defer a.mu.Unlock()
	have := a.clients[p.ID]
	if have != nil && have.as == as {
		return have.client, nil
	}
	client, err := dialler(p, proxyPassword, may)
	if err != nil {
		return nil, err
	}
	if have != nil {
		have.client.GetClient().CloseIdleConnections()
	}
	if p.ID == 0 { // not added yet: it is only being tried
		return client, nil
	}
	if a.clients == nil {
		a.clients = map[int64]*connected{}
	}
	a.clients[p.ID] = &connected{as, client}
	return client, nil
}

// dialler makes the client of a portal.
func dialler(p *workspace.Portal, proxyPassword string, may bounds) (*resty.Client, error) {
	client := newClient()
	transport := client.GetClient().Transport.(*http.Transport)
	dialer := &net.Dialer{Timeout: 10 * time.Second, KeepAlive: 30 * time.Second, Control: func(_, address string, _ syscall.RawConn) error {
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
			return nil, fault.At("proxy", "the proxy's address cannot be read")
		}
		if proxyPassword != "" {
			proxy.User = url.UserPassword(proxy.User.Username(), proxyPassword)
		}
		transport.Proxy = http.ProxyURL(proxy)
	}
	if p.Fingerprint != "" {
		transport.DialTLSContext = dialPinned(dialer, secureProxy(p.BaseURL, transport.Proxy), transport.TLSClientConfig)
	}
	transport.Proxy = may.judgedProxy(transport.Proxy)
	return client, nil
}

// judgedProxy judges where a request goes before a proxy gets it: the proxy would
// dial what this process may not. A name that only the proxy knows passes where
// the settings name no networks.
func (b bounds) judgedProxy(proxy func(*http.Request) (*url.URL, error)) func(*http.Request) (*url.URL, error) {
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
		if err != nil && b.networks.Limited() {
			return nil, outOfBounds("%s has no address that is known here, so it cannot be held against explorerAllowedNetworks and explorerRefusedNetworks in the portal settings", r.URL.Hostname())
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

// bounds say which addresses a client may dial.
type bounds struct {
	own      netip.AddrPort // this process
	networks check.Networks
}

// outOfBounds returns the error for an address that must not be dialled.
func outOfBounds(format string, args ...any) error {
	return &fault.Error{Kind: fault.Offline, Field: "baseUrl", Message: fmt.Sprintf(format, args...)}
}

// dial judges an address right before it is dialled (trust.md, rule 10).
func (b bounds) dial(address string) error {
	at, err := netip.ParseAddrPort(address)
	if err != nil {
		return err
	}
	ip := at.Addr().Unmap()
	if ip.IsMulticast() || check.ForMachinesOnly(ip) {
		return outOfBounds("%s is an address that only machines ask; no portal is there", ip)
	}
	if own := b.own; own.IsValid() && at.Port() == own.Port() && (ip == own.Addr().Unmap() || ip.IsLoopback() && own.Addr().IsLoopback() || ip.IsUnspecified()) {
		return outOfBounds("%s is this Spyglass itself; choose its built-in portal, which is in your list already", at)
	}
	const change = "an administrator can change that in the portal settings"
	if network, refused := b.networks.RefusedBy(ip); refused {
		return outOfBounds("%s is in %s, which explorerRefusedNetworks refuses; %s", ip, network, change)
	}
	if !b.networks.Allowed(ip) {
		return outOfBounds("%s is in no network of explorerAllowedNetworks; %s", ip, change)
	}
	return nil
}

// dialling is the client for a portal, within the bounds of this moment.
func (e *Explorer) dialling(p *workspace.Portal, proxyPassword string) (*resty.Client, error) {
	may := bounds{own: e.ownAddress()}
	if e.o.Networks != nil {
		var err error
		if may.networks, err = e.o.Networks(); err != nil {
			return nil, err
		}
	}
	return e.abroad.client(p, proxyPassword, may)
}

// ownAddress is where this process listens.
func (e *Explorer) ownAddress() netip.AddrPort {
	u, err := url.Parse(e.o.BaseURL())
	if err != nil {
		return netip.AddrPort{}
	}
	at, err := netip.ParseAddrPort(u.Host)
	if err != nil {
		return netip.AddrPort{}
	}
	return at
}

// trusting returns the TLS settings of a portal. Without a pin these are the
// authorities of the system and the portal's own one. With a pin only the pinned
// certificate, or one with the pinned key, is accepted, whatever any authority
// says and however the portal is addressed.
func trusting(p *workspace.Portal) (*tls.Config, error) {
	config := &tls.Config{MinVersion: tls.VersionTLS12}
	if p.Authority != "" {
		pool, err := x509.SystemCertPool()
		if err != nil {
			pool = x509.NewCertPool()
		}
		if !pool.AppendCertsFromPEM([]byte(p.Authority)) {
			return nil, fault.At("authority", "there is no certificate in this text; it begins with -----BEGIN CERTIFICATE-----")
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
		return &tls.CertificateVerificationError{UnverifiedCertificates: s.PeerCertificates, Err: errNotPinned}
	}
	return config, nil
}

// errNotPinned is the error for a certificate that is not the pinned one.
var errNotPinned = errors.New("the certificate is not the pinned one")

// pinned reports whether pin is the SHA-256 of the certificate or of its public
// key (RFC 7469), so that a pin of the key outlives a renewal.
func pinned(c *x509.Certificate, pin string) bool {
	key := sha256.Sum256(c.RawSubjectPublicKeyInfo)
	return fingerprintOf(c) == pin || hex.EncodeToString(key[:]) == pin
}

// dialPinned connects with the pin, except to the https proxy on the way, which
// is judged by the rules of the system. Empty: there is none.
func dialPinned(dialer *net.Dialer, proxy string, pin *tls.Config) func(context.Context, string, string) (net.Conn, error) {
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

// secureProxy returns the host and port of the https proxy to a portal; empty for none.
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

func fingerprintOf(c *x509.Certificate) string {
	sum := sha256.Sum256(c.Raw)
	return hex.EncodeToString(sum[:])
}

// explainTLS describes a TLS failure in out, with the certificate if that was
// refused; false if err is no such failure.
func (t *target) explainTLS(out *fault.Error, err error) bool {
	var refused *tls.CertificateVerificationError
	var plain tls.RecordHeaderError
	if errors.As(err, &plain) {
		out.Message = fmt.Sprintf("%s does not speak TLS there; try http:// instead of https://, or another port", t.host)
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
	case errors.Is(err, errNotPinned):
		out.Message = fmt.Sprintf("the certificate of %s is not the one that you trusted for it; if it was renewed, trust the new one in the portal's settings", t.host)
	case errors.As(err, &host):
		out.Message = fmt.Sprintf("the certificate of %s is for another host%s", t.host, next)
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired && time.Now().After(c.NotAfter):
		out.Message = fmt.Sprintf("the certificate of %s expired on %s%s", t.host, c.NotAfter.Format("2 January 2006"), next)
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		out.Message = fmt.Sprintf("the certificate of %s is not valid before %s; is this computer's clock right?", t.host, c.NotBefore.Format("2 January 2006"))
	default:
		out.Message = fmt.Sprintf("nobody this computer trusts vouches for the certificate of %s%s", t.host, next)
	}
	out.Detail["certificate"] = map[string]any{
		"fingerprint": fingerprintOf(c), "subject": c.Subject.String(), "issuer": c.Issuer.String(),
		"notBefore": c.NotBefore.UnixMilli(), "notAfter": c.NotAfter.UnixMilli(), "names": append(append([]string{}, c.DNSNames...), addresses(c.IPAddresses)...),
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
func (t *target) explainName(out *fault.Error, err error) bool {
	var name *net.DNSError
	var dial *net.OpError
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return false
	case errors.As(err, &name) && name.IsNotFound:
		out.Message = fmt.Sprintf("there is no host named %s; is it spelled right, and are you in the right network?", name.Name)
	case errors.As(err, &name):
		out.Message = fmt.Sprintf("the name %s could not be looked up; are you connected to the network?", name.Name)
	case errors.As(err, &dial) && (dial.Op == "proxyconnect" || dial.Op == "socks connect"):
		out.Message = fmt.Sprintf("the proxy on the way to %s does not answer as it should: %v", t.host, dial.Err)
	default:
		return false
	}
	return true
}
