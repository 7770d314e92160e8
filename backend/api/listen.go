package api

import (
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"sync"
	"time"
)

// The limits on open connections. This machine itself has no limit of its own,
// because agents, scripts, browsers and tests run on it; it still leaves room for
// others.
const (
	maxConns         = 4096
	maxConnsLoopback = 3072
	maxConnsAddress  = 512 // of any other address
)

// NewServer returns the server of a handler, with deadlines so that slow and
// silent connections do not hold resources for long. Every response extends the
// write deadline while it makes progress.
func NewServer(handler http.Handler, log *slog.Logger) *http.Server {
	return &http.Server{
		Handler: handler, MaxHeaderBytes: 64 << 10,
		ReadHeaderTimeout: 5 * time.Second, WriteTimeout: stallTime, IdleTimeout: 2 * time.Minute,
		DisableGeneralOptionsHandler: true, // it would respond to any Host
		ErrorLog:                     slog.NewLogLogger(log.Handler(), slog.LevelDebug),
	}
}

// CapConns returns a listener that immediately closes connections over the
// limits, in total and per address.
func CapConns(l net.Listener, log *slog.Logger) net.Listener {
	return &cappedListener{Listener: l, log: log, by: map[netip.Addr]int{}}
}

type cappedListener struct {
	net.Listener
	log    *slog.Logger
	mu     sync.Mutex
	all    int
	by     map[netip.Addr]int // only addresses with a connection
	warned time.Time
}

// Accept waits for the next connection within the limits.
func (l *cappedListener) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		address := networkOf(c.RemoteAddr().String())
		if l.admit(address) {
			return &cappedConn{Conn: c, free: sync.OnceFunc(func() { l.release(address) })}, nil
		}
		_ = c.Close()
		l.warn(address)
	}
}

func (l *cappedListener) admit(address netip.Addr) bool {
	most := maxConnsAddress
	if address.IsLoopback() {
		most = maxConnsLoopback
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.all >= maxConns || l.by[address] >= most {
		return false
	}
	l.all++
	l.by[address]++
	return true
}

func (l *cappedListener) release(address netip.Addr) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all--
	if l.by[address]--; l.by[address] == 0 {
		delete(l.by, address)
	}
}

// warn logs a refused connection, at most once a minute. Only Accept calls it.
func (l *cappedListener) warn(address netip.Addr) {
	if now := time.Now(); now.Sub(l.warned) >= time.Minute {
		l.warned = now
		l.log.Warn("a connection was refused: too many are open", "address", address)
	}
}

// cappedConn frees its place when it is closed.
type cappedConn struct {
	net.Conn
	free func()
}

// Close closes the connection.
func (c *cappedConn) Close() error {
	c.free()
	return c.Conn.Close()
}

// networkOf returns the network of a remote address: an IPv4 address, all
// loopback addresses as one, or the /64 network of an IPv6 address, which belongs
// to one subscriber. It ignores the port.
func networkOf(remote string) netip.Addr {
	address, err := netip.ParseAddr(remote)
	if err != nil {
		port, err := netip.ParseAddrPort(remote)
		if err != nil {
			return netip.Addr{}
		}
		address = port.Addr()
	}
	switch address = address.Unmap().WithZone(""); {
	case address.IsLoopback():
		return netip.AddrFrom4([4]byte{127, 0, 0, 1})
	case address.Is6():
		network, _ := address.Prefix(64) // 64 is never too long for an IPv6 address
		return network.Addr()
	}
	return address
}
