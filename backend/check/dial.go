package check

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strconv"
	"syscall"
	"time"
)

// Dialer connects to devices, web hooks and mail servers. It judges each address
// when it connects, so that DNS names and redirects cannot bypass the check: it
// never connects to the portal itself, nor to addresses at which clouds provide
// credentials (trust.md, rule 10).
type Dialer struct {
	Own    []netip.AddrPort // the addresses on which the portal listens
	Folder string           // the program's data folder; the host check measures its disk
}

// errRefused is the error for an address that Spyglass must not connect to.
var errRefused = errors.New("Spyglass does not connect there: it is the portal itself, a link-local " +
	"address, or the metadata address of a cloud")

// DialContext connects like net.Dialer.DialContext, to allowed addresses only.
func (d *Dialer) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	to := net.Dialer{Control: d.control}
	return to.DialContext(ctx, network, address)
}

// control judges the address that a socket is about to connect to.
func (d *Dialer) control(_, address string, _ syscall.RawConn) error {
	at, err := netip.ParseAddrPort(address)
	if err != nil {
		return err
	}
	return d.judge(at)
}

// judge refuses addresses that no check may reach.
func (d *Dialer) judge(at netip.AddrPort) error {
	ip := at.Addr().Unmap()
	if ip.IsInterfaceLocalMulticast() || ForMachinesOnly(ip) {
		return errRefused
	}
	for _, own := range d.Own {
		mine := own.Addr().Unmap()
		if at.Port() == own.Port() && (mine == ip || mine.IsUnspecified() || mine.IsLoopback() && ip.IsLoopback() ||
			ip.IsUnspecified()) {
			return errRefused
		}
	}
	return nil
}

// metadata lists the addresses, apart from link-local ones, at which clouds
// provide credentials.
var metadata = []netip.Addr{
	netip.MustParseAddr("fd00:ec2::254"), netip.MustParseAddr("fd00:ec2::23"), // Amazon: instances, pods
	netip.MustParseAddr("fd20:ce::254"),    // Google
	netip.MustParseAddr("192.0.0.192"),     // Oracle
	netip.MustParseAddr("100.100.100.200"), // Alibaba
	netip.MustParseAddr("168.63.129.16"),   // Azure
}

// embedded returns the IPv4 address that NAT64 (RFC 6052) or 6to4 (RFC 3056)
// embeds in an IPv6 address.
func embedded(ip netip.Addr) netip.Addr {
	bytes := ip.As16()
	switch {
	case [12]byte(bytes[:12]) == [12]byte{0, 0x64, 0xff, 0x9b}: // 64:ff9b::/96
		return netip.AddrFrom4([4]byte(bytes[12:]))
	case bytes[0] == 0x20 && bytes[1] == 0x02: // 2002::/16
		return netip.AddrFrom4([4]byte(bytes[2:6]))
	}
	return ip
}

// ForMachinesOnly reports whether an address is link-local or a cloud's metadata
// address, which users never mean.
func ForMachinesOnly(ip netip.Addr) bool {
	ip = embedded(ip.Unmap().WithZone(""))
	return ip.IsLinkLocalUnicast() || ip.IsLinkLocalMulticast() || slices.Contains(metadata, ip)
}

// All returns all checks, in display order.
func All(d *Dialer) []Check {
	return []Check{pingCheck(d), hostCheck(d), diskCheck(), networkCheck(), httpCheck(d), tlsCheck(d), tcpCheck(d),
		dnsCheck(d), snmpCheck(d)}
}

// Run runs the check that the task names. Its error is a Failure with a text for
// users. It may return values as well, such as the status of a closed port, but
// none if the failure is this machine's own.
func Run(ctx context.Context, checks []Check, t *Task) (Values, error) {
	for _, c := range checks {
		if c.Name != t.Method {
			continue
		}
		began := time.Now()
		values, err := c.Run(ctx, t)
		if err == nil {
			return values, nil
		}
		f := failureOf(err, t.Host, time.Since(began), offline)
		if f.Local != "" {
			values = nil
		}
		return values, f
	}
	return nil, fmt.Errorf("this collector has no check %q", t.Method)
}

// number returns an attribute of the data source as a whole number.
func (t *Task) number(name string, otherwise int) (int, error) {
	text := t.Attribute(name, "")
	if text == "" {
		return otherwise, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 {
		return 0, fmt.Errorf("%s is %q, which is not a whole number", name, text)
	}
	return n, nil
}

// within returns a context that ends after the data source's timeout, in
// milliseconds.
func (t *Task) within(ctx context.Context, otherwise time.Duration) (context.Context, context.CancelFunc, error) {
	ms, err := t.number("timeout", int(otherwise.Milliseconds()))
	if err != nil {
		return nil, nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, time.Duration(ms)*time.Millisecond)
	return ctx, cancel, nil
}

// millis returns the time since began, in milliseconds.
func millis(began time.Time) float64 { return float64(time.Since(began).Microseconds()) / 1000 }

// target returns host:port for a host and a port.
func target(host, port string, otherwise int) (string, error) {
	n := otherwise
	if port != "" {
		var err error
		if n, err = strconv.Atoi(port); err != nil {
			return "", fmt.Errorf("the port is %q, which is not a number", port)
		}
	}
	if n < 1 || n > 65535 {
		return "", fmt.Errorf("there is no port %d", n)
	}
	return net.JoinHostPort(host, strconv.Itoa(n)), nil
}
