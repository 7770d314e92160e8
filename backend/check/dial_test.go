package check

import (
	"net/netip"
	"testing"
)

func TestLocalAddressesAreRecognisedInEveryForm(t *testing.T) {
	for _, tt := range []struct {
		addr string
		want bool
	}{
		{"169.254.169.254", true},
		{"169.254.170.2", true},
		{"::ffff:169.254.169.254", true},
		{"64:ff9b::169.254.169.254", true},
		{"2002:a9fe:a9fe::1", true},
		{"fe80::1%eth0", true},
		{"fd00:ec2::254", true},
		{"fd00:ec2::23", true},
		{"fd20:ce::254", true},
		{"192.0.0.192", true},
		{"64:ff9b::192.0.0.192", true},
		{"100.100.100.200", true},
		{"168.63.129.16", true},
		{"10.0.0.7", false},
		{"127.0.0.1", false},
		{"192.0.0.8", false},
		{"fd00:ec2::255", false},
		{"64:ff9b::10.0.0.7", false},
		{"2002:a00:7::1", false},
		{"2001:db8::169.254.169.254", false},
	} {
		if got := ForMachinesOnly(netip.MustParseAddr(tt.addr)); got != tt.want {
			t.Errorf("ForMachinesOnly(%s) = %t, want %t", tt.addr, got, tt.want)
		}
	}
}
