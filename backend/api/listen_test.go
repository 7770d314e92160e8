package api

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"spyglass/backend/resource"
)

// from is a connection from a given address. It signals when it is closed.
type from struct {
	net.Conn
	address string
	closed  chan time.Time
}

func (f *from) RemoteAddr() net.Addr {
	return net.TCPAddrFromAddrPort(netip.MustParseAddrPort(f.address))
}

func (f *from) Close() error {
	select {
	case f.closed <- time.Now():
	default:
	}
	return f.Conn.Close()
}

func TestConnectionWithAnUnreadResponseIsClosedAfterThirtySeconds(t *testing.T) {
	small := echo("GET", "/a")
	small.Handle = func(context.Context, *resource.Call) (any, error) { return resource.JSON(`{}`), nil }
	slow := small
	slow.Path, slow.Handle = "/slow", func(context.Context, *resource.Call) (any, error) {
		time.Sleep(10 * time.Minute) // as when a slow portal reads
		return resource.JSON(`{}`), nil
	}
	for _, tt := range []struct {
		request string
		want    time.Duration
	}{
		{"GET /explorer/a", stallTime},
		{"GET /explorer/nothing", stallTime},
		{"GET /", stallTime},
		{"GET /explorer/slow", 10*time.Minute + stallTime},
	} {
		t.Run(tt.request, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				for _, e := range []*resource.Endpoint{&small, &slow} {
					e.Right = resource.Right{Object: resource.Open}
				}
				h, err := New(Options{Explorer: []resource.Endpoint{small, slow}, Hosts: []string{"h"},
					Log: slog.New(slog.DiscardHandler)})
				must(t, err)
				listener := &pipes{conns: make(chan net.Conn), done: make(chan struct{})}
				server := NewServer(h, slog.New(slog.DiscardHandler))
				go func() { _ = server.Serve(listener) }() // ends when the listener is closed
				client, remote := net.Pipe()
				held := &from{remote, "127.0.0.1:9", make(chan time.Time, 1)}
				listener.conns <- held
				begun := time.Now()
				_, err = io.WriteString(client, tt.request+" HTTP/1.1\r\nHost: h\r\n\r\n")
				must(t, err)
				select {
				case at := <-held.closed:
					if took := at.Sub(begun); took != tt.want {
						t.Errorf("it is closed after %v, want %v", took, tt.want)
					}
				case <-time.After(time.Hour): // in the bubble's time
					t.Error("it is held for an hour")
				}
				must(t, client.Close())
				must(t, server.Close())
			})
		})
	}
}

func TestSlowDownloadContinuesWhileItMakesProgress(t *testing.T) {
	whole := strings.Repeat("x", 1<<20)
	e := echo("GET", "/a")
	e.Handle = func(context.Context, *resource.Call) (any, error) { return resource.JSON(`"` + whole + `"`), nil }
	inABubble(t, e, "GET /api/a HTTP/1.1\r\nHost: h\r\n\r\n", func(c net.Conn) {
		response, err := http.ReadResponse(bufio.NewReader(c), nil)
		must(t, err)
		got, part := 0, make([]byte, 40<<10)
		for {
			n, err := io.ReadFull(response.Body, part)
			if got += n; errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
				break
			}
			must(t, err)
			time.Sleep(stallTime / 4) // in the bubble's time
		}
		if got != len(whole)+2 {
			t.Errorf("%d bytes came, want %d", got, len(whole)+2)
		}
	})
}

func TestConnectionsAreLimitedInTotalAndPerAddress(t *testing.T) {
	for _, tt := range []struct {
		what    string
		address func(i int) string
		want    int
	}{
		{"this machine", func(i int) string { return fmt.Sprintf("127.0.0.%d:9", 1+i%250) }, maxConnsLoopback},
		{"one address", func(i int) string { return fmt.Sprintf("192.0.2.1:%d", 1+i) }, maxConnsAddress},
		{"one network", func(i int) string { return fmt.Sprintf("[2001:db8::%x]:9", 1+i) }, maxConnsAddress},
		{"many addresses", func(i int) string { return fmt.Sprintf("10.0.%d.%d:9", i>>8, i&255) }, maxConns},
	} {
		t.Run(tt.what, func(t *testing.T) {
			listener := &pipes{conns: make(chan net.Conn), done: make(chan struct{})}
			l := CapConns(listener, slog.New(slog.DiscardHandler))
			admitted := make(chan net.Conn, 2*maxConns)
			go func() {
				defer close(admitted)
				for {
					c, err := l.Accept()
					if err != nil {
						return
					}
					admitted <- c
				}
			}()
			for i := range maxConns + 100 {
				_, remote := net.Pipe()
				listener.conns <- &from{remote, tt.address(i), make(chan time.Time, 1)}
			}
			must(t, listener.Close())
			var open []net.Conn
			for c := range admitted {
				open = append(open, c)
			}
			if len(open) != tt.want {
				t.Errorf("%d are open, want %d", len(open), tt.want)
			}
			for _, c := range open {
				must(t, c.Close())
				must(t, c.Close()) // counts only once
			}
			if left := l.(*cappedListener); left.all != 0 || len(left.by) != 0 {
				t.Errorf("when all are closed, %d count yet, of %d addresses", left.all, len(left.by))
			}
		})
	}
}
