package check_test

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"strings"
	"syscall"
	"testing"

	"spyglass/backend/check"
)

// sameTrip removes plausible times from the values of a ping.
func sameTrip(t *testing.T, v check.Values) string {
	t.Helper()
	if v["min"] < 0 || v["min"] > v["average"] || v["average"] > v["max"] || v["max"] > 2000 {
		t.Errorf("the round trip takes %v, %v, %v", v["min"], v["average"], v["max"])
	}
	for _, name := range []string{"min", "average", "max"} {
		if _, ok := v[name]; !ok {
			t.Errorf("%s is missing", name)
		}
		delete(v, name)
	}
	return values(v)
}

func TestPingMeasuresThisMachine(t *testing.T) {
	for _, host := range []string{"127.0.0.1", "localhost"} {
		got, err := look(t, &check.Dialer{},
			check.Task{Method: "ping", Host: host, Attributes: attributes("sendPkts", "3")})
		if err != nil {
			t.Fatal(err)
		}
		if got["icmp"] == 0 {
			t.Skip("this system does not let tests send ICMP")
		}
		if got, want := sameTrip(t, got), "icmp=1 lossPercent=0 recvpkts=3 sentpkts=3"; got != want {
			t.Errorf("%s: got %s, want %s", host, got, want)
		}
	}
}

func TestPingOfAnUnreachableAddressLosesAllPackets(t *testing.T) {
	for _, code := range []syscall.Errno{syscall.ENETUNREACH, syscall.EHOSTUNREACH, syscall.EINVAL} {
		ping := check.PingOnWay(func(context.Context, string) (netip.Addr, error) {
			return netip.Addr{}, &net.OpError{Op: "dial", Net: "udp", Err: os.NewSyscallError("connect", code)}
		})
		got, err := ping.Run(t.Context(), &check.Task{Host: "10.0.0.7", Attributes: attributes("sendPkts", "3")})
		if want := "icmp=1 lossPercent=100 recvpkts=0 sentpkts=3"; err == nil || values(got) != want {
			t.Errorf("%v: got %s (%v), want %s", code, values(got), err, want)
		}
	}
}

func TestPingConnectsWhereICMPIsForbidden(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(server.Close)
	host, open := hostPort(t, server.URL)
	shut := httptest.NewServer(http.NotFoundHandler())
	_, closed := hostPort(t, shut.URL)
	shut.Close()
	for name, ports := range map[string][]string{"an open port": {open}, "a closed port": {closed},
		"two of them": {closed, open}} {
		ping := check.PingWithoutICMP(&check.Dialer{}, ports...)
		got, err := ping.Run(t.Context(), &check.Task{Host: host, Attributes: attributes("sendPkts", "2")})
		if err != nil {
			t.Fatal(err)
		}
		if got, want := sameTrip(t, got), "icmp=0 lossPercent=0 recvpkts=2 sentpkts=2"; got != want {
			t.Errorf("%s: got %s, want %s", name, got, want)
		}
	}
}

func TestPingDoesNotConnectToThePortal(t *testing.T) {
	portal, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = portal.Close() })
	at := netip.MustParseAddrPort(portal.Addr().String())
	_, port, _ := net.SplitHostPort(portal.Addr().String())
	ping := check.PingWithoutICMP(&check.Dialer{Own: []netip.AddrPort{at}}, port)
	if got, err := ping.Run(t.Context(), &check.Task{Host: "127.0.0.1"}); err == nil ||
		!strings.Contains(err.Error(), "Spyglass does not connect there") {
		t.Errorf("got %v (%v)", got, err)
	}
}

func TestPingEndsWhenItsContextIsCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, ping := range []check.Check{check.PingWithoutICMP(&check.Dialer{}, "1"), checkNamed(t, "ping")} {
		if got, err := ping.Run(ctx, &check.Task{Host: "127.0.0.1"}); !errors.Is(err, context.Canceled) &&
			(err == nil || !strings.Contains(err.Error(), "canceled")) {
			t.Errorf("got %v (%v)", got, err)
		}
	}
}

func TestPingValidatesItsAttributes(t *testing.T) {
	measure(t, []measured{
		{"no packets", check.Task{Method: "ping", Host: "127.0.0.1", Attributes: attributes("sendPkts", "0")}, nil,
			"sendPkts must be 1 to 50, and timeout at least 1, not 0 and 2000"},
		{"a flood", check.Task{Method: "ping", Host: "127.0.0.1", Attributes: attributes("sendPkts", "100000")}, nil,
			"sendPkts must be 1 to 50"},
		{"no time", check.Task{Method: "ping", Host: "127.0.0.1", Attributes: attributes("timeout", "0")}, nil,
			"timeout at least 1"},
		{"no number", check.Task{Method: "ping", Host: "127.0.0.1", Attributes: attributes("sendPkts", "few")}, nil,
			`sendPkts is "few", which is not a whole number`},
		{"everybody", check.Task{Method: "ping", Host: "255.255.255.255"}, nil,
			"255.255.255.255 is not the address of " +
				"a single device"},
		{"nobody", check.Task{Method: "ping", Host: "nobody.invalid"}, nil, "nobody.invalid"},
	})
}
