package check

import (
	"net/netip"
	"strings"
	"testing"
)

func TestNetworksLimitTheAddresses(t *testing.T) {
	for _, c := range []struct {
		allowed, refused, ip string
		want                 bool
	}{
		{"", "", "10.1.2.3", true},
		{"10.0.0.0/8", "", "10.1.2.3", true},
		{"10.0.0.0/8", "", "11.1.2.3", false},
		{"10.0.0.0/8", "", "2001:db8::1", false},
		{"10.0.0.0/8, 2001:db8::/32", "", "2001:db8::1", true},
		{"10.0.0.0/8", "10.1.0.0/16", "10.1.2.3", false},
		{"10.0.0.0/8", "10.1.0.0/16", "10.2.2.3", true},
		{"", "192.168.0.0/16\n10.0.0.0/8", "10.1.2.3", false},
		{"", "192.0.2.7", "192.0.2.7", false},
		{"", "192.0.2.7", "192.0.2.8", true},
		{"", "::ffff:192.0.2.7", "192.0.2.7", false},
		{"", "10.0.0.0/8", "::ffff:10.1.2.3", false},
		{"10.0.0.0/8", "", "::ffff:10.1.2.3", true},
		{"", "10.0.0.0/8", "64:ff9b::10.1.2.3", false},
		{"", "10.0.0.0/8", "2002:a01:203::1", false},
		{"", "2001:db8::/32", "2001:db8::1%eth0", false},
		{"", "127.0.0.0/8", "0.0.0.0", false},
		{"", "::1", "::", false},
		{"0.0.0.0/0", "", "::1", false},
		{"0.0.0.0/0;::/0", "", "::1", true},
	} {
		n, err := NetworksOf(c.allowed, c.refused)
		if err != nil {
			t.Errorf("%q, %q: %v", c.allowed, c.refused, err)
			continue
		}
		ip := netip.MustParseAddr(c.ip)
		_, refused := n.RefusedBy(ip)
		if got := n.Allowed(ip) && !refused; got != c.want {
			t.Errorf("allowed %q, refused %q: %s may be dialled: %t, want %t", c.allowed, c.refused, c.ip, got, c.want)
		}
	}
}

func TestInvalidNetworkIsNamed(t *testing.T) {
	for text, want := range map[string]string{
		"10.0.0.0/8, office":   `"office" is neither`,
		"10.0.0.0/33":          `"10.0.0.0/33" is neither`,
		"10.1.2.3/8":           "the network is 10.0.0.0/8",
		"fe80::1%eth0":         `"fe80::1%eth0" is neither`,
		"::ffff:10.0.0.0/104":  "is neither",
		"http://192.0.2.7/api": "is neither",
	} {
		if _, err := ParseNetworks(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}
