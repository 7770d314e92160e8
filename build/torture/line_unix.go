//go:build unix

package main

import (
	"net"
	"sync"
	"time"
)

// line is the way of a node to a server of the database, which can be cut or slow. It takes
// TCP connections and passes them on to the server's socket.
type line struct {
	in net.Listener

	mu      sync.Mutex
	changed *sync.Cond
	to      string // path of the socket; empty if there is no server
	isCut   bool
	delay   time.Duration // of each message
	closed  bool
	open    map[net.Conn]bool
	done    sync.WaitGroup
}

func newLine(to string) (*line, error) {
	in, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	l := &line{in: in, to: to, open: map[net.Conn]bool{}}
	l.changed = sync.NewCond(&l.mu)
	l.done.Go(l.accept)
	return l, nil
}

func (l *line) address() string { return l.in.Addr().String() }

func (l *line) target() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.to
}

// lead passes new connections on to another socket.
func (l *line) lead(to string) { l.change(func() { l.to = to }) }

// cut keeps all messages, and connections stay open, as when a cable is pulled.
func (l *line) cut() { l.change(func() { l.isCut = true }) }

// slow delays each message.
func (l *line) slow(by time.Duration) { l.change(func() { l.delay = by }) }

// restore ends cut and slow.
func (l *line) restore() { l.change(func() { l.isCut, l.delay = false, 0 }) }

func (l *line) close() {
	l.change(func() { l.closed = true })
	_ = l.in.Close()
	l.mu.Lock()
	for c := range l.open {
		_ = c.Close()
	}
	l.mu.Unlock()
	l.done.Wait()
}

func (l *line) change(do func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	do()
	l.changed.Broadcast()
}

// accept passes connections on until the line is closed.
func (l *line) accept() {
	for {
		near, err := l.in.Accept()
		if err != nil {
			return
		}
		l.done.Go(func() { l.connect(near) })
	}
}

// connect passes on what one connection sends and receives, until either end closes it.
func (l *line) connect(near net.Conn) {
	far, err := net.Dial("unix", l.target())
	if err != nil { // no server
		_ = near.Close()
		return
	}
	l.change(func() { l.open[near], l.open[far] = true, true })
	var both sync.WaitGroup
	both.Go(func() { l.pass(near, far) })
	both.Go(func() { l.pass(far, near) })
	both.Wait()
	l.change(func() { delete(l.open, near); delete(l.open, far) })
}

// pass copies what one end sends to the other one.
func (l *line) pass(from, to net.Conn) {
	defer from.Close()
	defer to.Close()
	buffer := make([]byte, 64<<10)
	for {
		n, err := from.Read(buffer)
		if err != nil || !l.wait() {
			return
		}
		if _, err := to.Write(buffer[:n]); err != nil {
			return
		}
	}
}

// wait returns when the line passes the next message on. It returns false when the line is
// closed.
func (l *line) wait() bool {
	l.mu.Lock()
	delay := l.delay
	for l.isCut && !l.closed {
		l.changed.Wait()
	}
	closed := l.closed
	l.mu.Unlock()
	if closed || delay == 0 {
		return !closed
	}
	time.Sleep(delay / 2) // once for the request, and once for the response
	return true
}
