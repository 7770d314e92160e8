package check

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/netip"
	"runtime"
	"syscall"
	"time"

	// sends ICMP echo requests on every system, unprivileged if the system allows
	// that
	probing "github.com/prometheus-community/pro-bing"

	"spyglass/backend/service"
)

const (
	mostPackets = 50
	packetGap   = 200 * time.Millisecond // between two packets
)

// knocked lists the ports to try if the system forbids ICMP: most devices respond
// on one of them, even if only to refuse the connection.
var knocked = []string{"443", "80", "22"}

// errNoICMP means that this program may not send echo requests.
var errNoICMP = errors.New("this system does not allow the program to send ICMP")

func pingCheck(d *Dialer) Check { return pingBy(d, d.way, echo, knocked) }

// pingBy returns a ping of the address that way returns. It sends echo requests,
// or connects to ports if echo is forbidden.
func pingBy(d *Dialer, way func(ctx context.Context, host string) (netip.Addr, error),
	echo func(context.Context, netip.Addr, int, time.Duration) (*trips, error), ports []string) Check {
	return Check{
		Name: "ping", Title: "Ping", PublishedName: "ping",
		Doc: "Whether a device responds, how fast, and how reliably: by ICMP echo, or by connecting to " +
			"ports 443, 80 and 22 where the system forbids ICMP.",
		Attributes: []Setting{{"sendPkts", "how many packets, at most 50; 5 unless given"},
			{"timeout", "how long to wait for each of them, in milliseconds; 2000 unless given"}},
		Fields: []Setting{
			{"average", "round trip, average in milliseconds"}, {"min", "the fastest"}, {"max", "the slowest"},
			{"sentpkts", "packets sent"}, {"recvpkts", "packets that came back in time"},
			{"lossPercent", "packets that did not, in percent"},
			{"icmp", "1 when it was measured by ICMP, 0 when by connecting to a port over TCP"},
		},
		Run: func(ctx context.Context, t *Task) (Values, error) {
			n, err := t.number("sendPkts", 5)
			if err != nil {
				return nil, err
			}
			ms, err := t.number("timeout", 2000)
			if err != nil {
				return nil, err
			}
			if n < 1 || n > mostPackets || ms < 1 {
				return nil, fmt.Errorf("sendPkts must be 1 to %d, and timeout at least 1, not %d and "+
					"%d", mostPackets, n, ms)
			}
			wait := time.Duration(ms) * time.Millisecond
			to, err := way(ctx, t.Host)
			if err != nil && unreachable(err) { // no packet would arrive
				return (&trips{sent: n}).values(true), err
			}
			if err != nil {
				return nil, err
			}
			found, err := echo(ctx, to, n, wait)
			if !errors.Is(err, errNoICMP) {
				return found.values(true), cmp.Or(err, found.lost(t.Host))
			}
			found, err = d.knock(ctx, to, ports, n, wait)
			return found.values(false), cmp.Or(err, found.lost(t.Host))
		},
	}
}

// way returns the address to which packets for a host are sent. It sends nothing.
func (d *Dialer) way(ctx context.Context, host string) (netip.Addr, error) {
	const discard = "9" // any port will do
	conn, err := d.DialContext(ctx, "udp", net.JoinHostPort(host, discard))
	if err != nil {
		return netip.Addr{}, err
	}
	defer conn.Close()
	at, err := netip.ParseAddrPort(conn.RemoteAddr().String())
	to := at.Addr().Unmap()
	if to.IsMulticast() || to == netip.AddrFrom4([4]byte{255, 255, 255, 255}) {
		return netip.Addr{}, fmt.Errorf("%s is not the address of a single device", to)
	}
	return to, err
}

// trips counts the packets of one check, and holds the round-trip times of the
// replies.
type trips struct {
	sent, back       int
	least, most, sum time.Duration
}

func (s *trips) add(took time.Duration) {
	if s.back == 0 || took < s.least {
		s.least = took
	}
	s.most = max(s.most, took)
	s.sum += took
	s.back++
}

// lost returns a failure if there was no reply.
func (s *trips) lost(host string) error {
	if s == nil || s.back > 0 {
		return nil
	}
	return &Failure{Text: fmt.Sprintf("%s responded to none of %d pings.", host, s.sent), Silent: true}
}

func (s *trips) values(icmp bool) Values {
	if s == nil {
		return nil
	}
	out := Values{"sentpkts": float64(s.sent), "recvpkts": float64(s.back),
		"lossPercent": float64(s.sent-s.back) / float64(s.sent) * 100, "icmp": truth(icmp)}
	if s.back > 0 {
		ms := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
		out["average"], out["min"], out["max"] = ms(s.sum/time.Duration(s.back)), ms(s.least), ms(s.most)
	}
	return out
}

// echo sends echo requests over a privileged or an unprivileged socket, whichever
// the system allows.
func echo(ctx context.Context, to netip.Addr, n int, wait time.Duration) (*trips, error) {
	ways := []bool{false, true}
	if runtime.GOOS == "windows" {
		ways = ways[1:] // on Windows a raw socket needs no privileges, and unprivileged ones do not exist
	}
	for _, raw := range ways {
		found, err := echoBy(ctx, to, n, wait, raw)
		if !errors.Is(err, errNoICMP) {
			return found, err
		}
	}
	return nil, errNoICMP
}

func echoBy(ctx context.Context, to netip.Addr, n int, wait time.Duration, raw bool) (*trips, error) {
	p := probing.New("")
	p.SetIPAddr(&net.IPAddr{IP: to.AsSlice(), Zone: to.Zone()})
	p.SetPrivileged(raw)
	p.SetLogger(probing.NoopLogger{})
	p.Count, p.Interval, p.RecordRtts, p.RecordTTLs = n, packetGap, false, false
	p.Timeout = time.Duration(n-1)*packetGap + wait
	found, ready := &trips{sent: n}, false
	sent := map[int]time.Time{} // times by the monotonic clock: the clock of the times in the packets may jump
	p.OnSetup = func() { ready = true }
	p.OnSend = func(packet *probing.Packet) { sent[packet.Seq] = time.Now() }
	p.OnRecv = func(packet *probing.Packet) {
		if took := time.Since(sent[packet.Seq]); took <= wait {
			found.add(took)
		}
	}
	err := p.RunWithContext(ctx)
	var unsent *net.OpError
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil && !ready, errors.Is(err, fs.ErrPermission):
		return nil, errNoICMP
	case exhausted(err):
		return nil, err
	case errors.As(err, &unsent) && unsent.Op == "write":
		return &trips{sent: n}, nil // no route to the host
	case err != nil:
		return nil, fmt.Errorf("ping: %w", err)
	}
	return found, nil
}

// knock measures how long it takes to connect to the port that responds first.
func (d *Dialer) knock(ctx context.Context, to netip.Addr, ports []string, n int, wait time.Duration) (*trips, error) {
	found := &trips{sent: n}
	gap := time.NewTicker(packetGap)
	defer gap.Stop()
	for i := range n {
		took, port, err := d.first(ctx, to, ports, wait)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if errors.Is(err, errRefused) || exhausted(err) {
			return nil, err
		}
		if err == nil {
			found.add(took)
			ports = []string{port}
		}
		if i == n-1 {
			break
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-gap.C:
		}
	}
	return found, nil
}

// first connects to all ports at once. A closed port that refuses the connection
// counts as a response. It returns errRefused if no port may be connected to.
func (d *Dialer) first(ctx context.Context, to netip.Addr, ports []string,
	wait time.Duration) (time.Duration, string, error) {
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	type response struct {
		port string
		took time.Duration
		err  error
	}
	responses, began := make(chan response, len(ports)), time.Now()
	var running service.Parts
	for _, port := range ports {
		running.Go(func() {
			a := response{port: port, err: errRefused} // in case of a panic
			defer func() { responses <- a }()
			conn, err := d.DialContext(ctx, "tcp", net.JoinHostPort(to.String(), port))
			a.took = time.Since(began)
			if err == nil {
				_ = conn.Close()
			}
			if isClosed(err) {
				err = nil
			}
			a.err = err
		})
	}
	best := response{err: errRefused}
	for range ports {
		switch a := <-responses; {
		case best.port != "" && best.err == nil:
		case a.err == nil:
			best = a
			cancel() // stop the others
		case !errors.Is(a.err, errRefused):
			best.err = a.err
		}
	}
	running.Wait()
	return best.took, best.port, best.err
}

// isClosed reports whether the device refused the connection.
func isClosed(err error) bool {
	const windows = syscall.Errno(10061) // WSAECONNREFUSED
	return errors.Is(err, syscall.ECONNREFUSED) || errors.Is(err, windows)
}
