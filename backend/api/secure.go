package api

import (
	"bufio"
	"bytes"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"spyglass/backend/fault"
)

// SecureHosts holds the Host values that are served over TLS beside a portal that is not.
// They may change while it is served; at first there are none. It is safe for concurrent
// use.
type SecureHosts struct{ kept atomic.Pointer[secureSites] }

type secureSites struct {
	names []string
	sites map[string]*site
}

// Set replaces all hosts, "acme.example.test:8443".
func (s *SecureHosts) Set(hosts []string) {
	now := &secureSites{slices.Compact(slices.Sorted(slices.Values(hosts))), map[string]*site{}}
	for _, host := range now.names {
		now.sites[host] = newSite("https://" + host)
	}
	s.kept.Store(now)
}

// Names returns all hosts, in order.
func (s *SecureHosts) Names() []string {
	_, names := s.now()
	return names
}

func (s *SecureHosts) now() (map[string]*site, []string) {
	if s == nil {
		return nil, nil
	}
	now := s.kept.Load()
	if now == nil {
		return nil, nil
	}
	return now.sites, now.names
}

// NewTLSListener returns a listener whose connections are TLS. A client that speaks plain
// HTTP gets the https address instead: as a redirect for a page of one of the hosts, and
// as an error for everything else, because a client that sends a token in clear must be
// corrected.
func NewTLSListener(l net.Listener, c *tls.Config, hosts func() []string) net.Listener {
	return tls.NewListener(&explainedListener{l, hosts}, c)
}

type explainedListener struct {
	net.Listener
	hosts func() []string
}

// Accept waits for the next connection.
func (l *explainedListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &explainedConn{Conn: c, hosts: l.hosts}, nil
}

// explainedConn is the connection below TLS. It keeps the first bytes of one that does not
// begin a handshake. net/http then closes it, after a response that says nothing of the
// address, and only for some methods; explainedConn sends its own instead.
type explainedConn struct {
	net.Conn
	hosts func() []string
	begun bool
	plain []byte // first bytes of a request without TLS
}

const (
	recordHandshake = 22 // the type of the first record of a TLS connection
	explainTime     = time.Second
)

// Read reads what the client sends.
func (c *explainedConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	if !c.begun && n > 0 {
		c.begun = true
		if p[0] != recordHandshake {
			c.plain = bytes.Clone(p[:n])
		}
	}
	return n, err
}

// Write writes to a client that speaks TLS.
func (c *explainedConn) Write(p []byte) (int, error) {
	if c.plain != nil {
		return len(p), nil
	}
	return c.Conn.Write(p)
}

// Close closes the connection, after the response to a client without TLS. It reads the
// rest of the request: if bytes of it were left, the client might not get the response.
func (c *explainedConn) Close() error {
	if c.plain != nil && c.SetDeadline(time.Now().Add(explainTime)) == nil {
		if _, err := c.Conn.Write(explain(c.plain, c.hosts())); err == nil {
			_, _ = io.CopyN(io.Discard, c.Conn, maxBody)
		}
	}
	return c.Conn.Close()
}

// explain returns the response to the first bytes of a request without TLS. The bytes may
// end within the headers.
func explain(first []byte, hosts []string) []byte {
	line, rest, _ := bytes.Cut(first, []byte("\r\n"))
	words := strings.Split(string(line), " ")
	if len(words) != 3 || !strings.HasPrefix(words[2], "HTTP/1") {
		return nil // another protocol
	}
	host, origin := hostOf(rest), ""
	if len(hosts) > 0 {
		origin = "https://" + hosts[0]
	}
	if slices.Contains(hosts, host) {
		origin = "https://" + host
	}
	head := "HTTP/1.1 400 Bad Request\r\nContent-Type: application/json\r\n"
	f := fault.New(fault.Invalid, "this port is served over TLS; use %s", origin)
	body := failure(f)
	if words[0] == http.MethodGet && origin == "https://"+host && isPage(words[1]) {
		head = "HTTP/1.1 308 Permanent Redirect\r\nLocation: " + origin + words[1] + "\r\n"
		body = nil
	}
	return append([]byte(head+fmt.Sprintf("Content-Length: %d\r\nConnection: close\r\n\r\n", len(body))), body...)
}

// isPage reports whether a request target is below no mount: what a browser opens.
func isPage(target string) bool {
	for _, m := range []mount{native, lenient, explorer} {
		if strings.HasPrefix(target, m.prefix) {
			return false
		}
	}
	return strings.HasPrefix(target, "/") && !strings.HasPrefix(target, "//") &&
		!strings.HasPrefix(target, "/launch") // its token has been seen
}

// hostOf returns the Host header of the headers of a request.
func hostOf(headers []byte) string {
	lines := bufio.NewScanner(bytes.NewReader(headers))
	for lines.Scan() {
		name, value, ok := strings.Cut(lines.Text(), ":")
		if ok && strings.EqualFold(name, "host") {
			return strings.TrimSpace(value)
		}
	}
	return ""
}
