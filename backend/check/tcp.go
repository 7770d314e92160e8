package check

import (
	"context"
	"errors"
	"net"
	"time"
)

func tcpCheck(d *Dialer) Check {
	return Check{
		Name: "tcp", Title: "TCP port", PublishedName: "tcp", PublishedSearch: "ad_port",
		Needs: &Need{Property: "tcp.port", Label: "Port", Example: "5432"},
		Doc:   "Whether a port accepts connections.",
		Attributes: []Setting{{"port", "the port"},
			{"timeout", "how long to wait, in milliseconds; 5000 unless given"}},
		Fields: []Setting{{"status", "1 when the port is open, else 0"}, {"responseTime", "time to connect, in " +
			"milliseconds"}},
		Run: func(ctx context.Context, t *Task) (Values, error) {
			ctx, cancel, err := t.within(ctx, 5*time.Second)
			if err != nil {
				return nil, err
			}
			defer cancel()
			address, err := target(t.Host, t.Attribute("port", ""), 0)
			if err != nil {
				return nil, err
			}
			began := time.Now()
			conn, err := d.DialContext(ctx, "tcp", address)
			if errors.Is(err, errRefused) {
				return nil, errRefused
			}
			if named := (*net.DNSError)(nil); errors.As(err, &named) && !named.IsNotFound {
				return nil, err // the port is unknown
			}
			if err != nil { // a closed port is a result
				return Values{"status": 0}, err
			}
			took := millis(began)
			_ = conn.Close()
			return Values{"status": 1, "responseTime": took}, nil
		},
	}
}
