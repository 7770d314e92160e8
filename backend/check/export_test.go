package check

import (
	"context"
	"net/netip"
	"time"
)

// PingWithoutICMP returns the ping check of a system that forbids ICMP.
func PingWithoutICMP(d *Dialer, ports ...string) Check {
	return pingBy(d, d.way, func(context.Context, netip.Addr, int, time.Duration) (*trips, error) {
		return nil, errNoICMP
	}, ports)
}

// PingOnWay returns a ping check that resolves addresses with way.
func PingOnWay(way func(ctx context.Context, host string) (netip.Addr, error)) Check {
	return pingBy(&Dialer{}, way, echo, knocked)
}
