package main

import (
	"net"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
)

// counter passes connections on to a PostgreSQL server, and counts round trips: a
// client's message after a response, or the first one.
type counter struct {
	in     net.Listener
	folder string
	to     string // path of the server's socket
	trips  atomic.Int64
	done   sync.WaitGroup

	mu   sync.Mutex
	open map[net.Conn]bool // nil once it is closed
}

// newCounter listens in a new folder.
func newCounter(to, folder string) (*counter, error) {
	if err := os.Mkdir(folder, 0o700); err != nil {
		return nil, err
	}
	in, err := net.Listen("unix", filepath.Join(folder, filepath.Base(to)))
	if err != nil {
		return nil, err
	}
	c := &counter{in: in, folder: folder, to: to, open: map[net.Conn]bool{}}
	c.done.Go(c.accept)
	return c, nil
}

// address returns the address of the database by way of the counter.
func (c *counter) address() string {
	return "postgres://postgres@/postgres?" + url.Values{"host": {c.folder}}.Encode()
}

func (c *counter) close() {
	_ = c.in.Close()
	c.mu.Lock()
	for conn := range c.open {
		_ = conn.Close()
	}
	c.open = nil
	c.mu.Unlock()
	c.done.Wait()
}

func (c *counter) accept() {
	for {
		near, err := c.in.Accept()
		if err != nil {
			return
		}
		far, err := net.Dial("unix", c.to)
		if err != nil || !c.keep(near, far) {
			_ = near.Close()
			continue
		}
		var requested atomic.Bool
		c.done.Go(func() {
			c.pass(near, far, func() {
				if !requested.Swap(true) {
					c.trips.Add(1)
				}
			})
		})
		c.done.Go(func() { c.pass(far, near, func() { requested.Store(false) }) })
	}
}

// keep remembers open connections. It returns false if the counter is closed.
func (c *counter) keep(conns ...net.Conn) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, conn := range conns {
		if c.open == nil {
			_ = conn.Close()
			continue
		}
		c.open[conn] = true
	}
	return c.open != nil
}

// pass copies what one end sends to the other one, and calls each before each part.
func (c *counter) pass(from, to net.Conn, each func()) {
	defer from.Close()
	defer to.Close()
	part := make([]byte, 64<<10)
	for {
		n, err := from.Read(part)
		if err != nil {
			return
		}
		each()
		if _, err := to.Write(part[:n]); err != nil {
			return
		}
	}
}
