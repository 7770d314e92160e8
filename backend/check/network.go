package check

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/shirou/gopsutil/v4/net" // traffic of each interface, on every system
)

func networkCheck() Check {
	return Check{
		Name: "network", Title: "Network of this machine", Local: true,
		Doc: "A network interface of the machine that runs this program, regardless of the " +
			"device's name.",
		Fields: []Setting{
			{"inOctets", "bytes received since the machine started"}, {"outOctets", "bytes sent"},
			{"inErrors", "broken packets received"}, {"outErrors", "packets that could not be sent"},
			{"inDiscards", "packets received and dropped"}, {"outDiscards", "packets dropped instead of sent"},
		},
		Run: func(ctx context.Context, t *Task) (Values, error) {
			all, err := net.IOCountersWithContext(ctx, true)
			if err != nil {
				return nil, fmt.Errorf("this machine has no traffic counters for its interfaces: %w", err)
			}
			i := slices.IndexFunc(all, func(c net.IOCountersStat) bool { return c.Name == t.Wild })
			if i < 0 {
				return nil, fmt.Errorf("this machine no longer has the interface %s", t.Wild)
			}
			c := &all[i]
			return Values{
				"inOctets": float64(c.BytesRecv), "outOctets": float64(c.BytesSent), "inErrors": float64(c.Errin),
				"outErrors":  float64(c.Errout),
				"inDiscards": float64(c.Dropin), "outDiscards": float64(c.Dropout),
			}, nil
		},
		Find: func(ctx context.Context, _ Search) ([]Found, error) { return ownInterfaces(ctx) },
	}
}

// ownInterfaces returns the interfaces that are up, except loopback and container
// interfaces, which come and go.
func ownInterfaces(ctx context.Context) ([]Found, error) {
	all, err := net.InterfacesWithContext(ctx)
	if err != nil {
		return nil, fmt.Errorf("this machine does not list its interfaces: %w", err)
	}
	var found []Found
	for _, i := range all {
		if !slices.Contains(i.Flags, "up") || slices.Contains(i.Flags, "loopback") ||
			strings.HasPrefix(i.Name, "veth") {
			continue
		}
		var addresses []string
		for _, a := range i.Addrs {
			addresses = append(addresses, a.Addr)
		}
		found = append(found, Found{WildValue: i.Name, DisplayName: i.Name, Description: strings.Join(addresses, ", ")})
	}
	return found, nil
}
