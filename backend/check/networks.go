package check

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"
)

// Networks limits the addresses to connect to: those in allowed, or all if it is
// empty, except those in refused. The zero value allows every address.
type Networks struct {
	allowed, refused []netip.Prefix
}

// Equal reports whether both allow the same addresses.
func (n Networks) Equal(other Networks) bool {
	return slices.Equal(n.allowed, other.allowed) && slices.Equal(n.refused, other.refused)
}

// NetworksOf parses two lists like ParseNetworks.
func NetworksOf(allowed, refused string) (n Networks, err error) {
	if n.allowed, err = ParseNetworks(allowed); err != nil {
		return n, err
	}
	n.refused, err = ParseNetworks(refused)
	return n, err
}

// ParseNetworks parses networks such as 10.0.0.0/8 and single addresses,
// separated by commas or white space.
func ParseNetworks(text string) ([]netip.Prefix, error) {
	var networks []netip.Prefix
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(",; \t\r\n", r) }) {
		network, err := parseNetwork(word)
		if err != nil {
			return nil, err
		}
		networks = append(networks, network)
	}
	return networks, nil
}

func parseNetwork(word string) (netip.Prefix, error) {
	if ip, err := netip.ParseAddr(word); err == nil && ip.Zone() == "" {
		return netip.PrefixFrom(ip.Unmap(), ip.Unmap().BitLen()), nil
	}
	network, err := netip.ParsePrefix(word)
	if err != nil || network.Addr().Is4In6() {
		return network, fmt.Errorf("%q is neither a network such as 10.0.0.0/8 nor an address such as 192.0.2.7", word)
	}
	if masked := network.Masked(); masked != network {
		return network, fmt.Errorf("%s has bits beyond its length; the network is %s", network, masked)
	}
	return network, nil
}

// Limited reports whether any address is refused.
func (n Networks) Limited() bool { return len(n.allowed)+len(n.refused) > 0 }

// RefusedBy returns the refused network that contains an address. An IPv6 address
// with an embedded IPv4 address is in the networks of both.
func (n Networks) RefusedBy(ip netip.Addr) (network netip.Prefix, refused bool) {
	return within(n.refused, ip)
}

// Allowed reports whether an address is in an allowed network, or whether all are
// allowed.
func (n Networks) Allowed(ip netip.Addr) bool {
	_, is := within(n.allowed, ip)
	return is || len(n.allowed) == 0
}

func within(networks []netip.Prefix, ip netip.Addr) (netip.Prefix, bool) {
	ip = ip.Unmap().WithZone("")
	switch ip { // connecting to an unspecified address connects to this machine
	case netip.IPv4Unspecified():
		ip = netip.AddrFrom4([4]byte{127, 0, 0, 1})
	case netip.IPv6Unspecified():
		ip = netip.IPv6Loopback()
	}
	for _, network := range networks {
		if network.Contains(ip) || network.Contains(embedded(ip)) {
			return network, true
		}
	}
	return netip.Prefix{}, false
}
