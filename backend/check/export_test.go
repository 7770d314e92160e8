package check

import (
	"context"
	"net/netip"
	"time"
)

// PingWithoutICMP is the ping check where the system forbids ICMP.
func PingWithoutICMP(d *Dialer, ports ...string) Check {
	return pingBy(d, func(context.Context, netip.Addr, int, time.Duration) (*trips, error) { return nil, errNoICMP }, ports)
}
