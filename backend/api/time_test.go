package api

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"spyglass/backend/resource"
)

// pipes is a listener without a network, so that it runs in the bubble's time.
type pipes struct {
	conns chan net.Conn
	done  chan struct{}
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.done:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error   { close(p.done); return nil }
func (p *pipes) Addr() net.Addr { return &net.TCPAddr{} }

// inABubble connects to a handler that needs no sign-in and sends text to it.
func inABubble(t *testing.T, e resource.Endpoint, text string, do func(c net.Conn)) {
	synctest.Test(t, func(t *testing.T) {
		e.Right = resource.Right{Object: resource.Open}
		h, err := New(Options{Endpoints: []resource.Endpoint{e}, Hosts: []string{"h"},
			Log: slog.New(slog.DiscardHandler)})
		must(t, err)
		listener := &pipes{conns: make(chan net.Conn), done: make(chan struct{})}
		server := NewServer(h, slog.New(slog.DiscardHandler))
		go func() { _ = server.Serve(listener) }()
		client, remote := net.Pipe()
		listener.conns <- remote
		_, err = io.WriteString(client, text)
		must(t, err)
		do(client)
		must(t, client.Close())
		must(t, server.Close())
	})
}

func TestStalledBodyTimesOutAfterTenSeconds(t *testing.T) {
	e := echo("POST", "/a")
	const head = "POST /api/a HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\nContent-Length: 90\r\n\r\n{"
	inABubble(t, e, head, func(c net.Conn) {
		begun := time.Now()
		response, err := http.ReadResponse(bufio.NewReader(c), nil)
		must(t, err)
		text, err := io.ReadAll(response.Body)
		must(t, err)
		want := `{"errorMessage":"the body did not arrive within 10 seconds","errorCode":1400,"errorDetail":null}`
		if took := time.Since(begun); response.StatusCode != 400 || string(text) != want || took != bodyTime {
			t.Errorf("after %v: %d %s, want 503 %s", took, response.StatusCode, text, want)
		}
	})
}

func TestClientThatDoesNotReadIsDisconnectedAfterThirtySeconds(t *testing.T) {
	gone := make(chan time.Time, 1)
	e := resource.Endpoint{Method: "GET", Path: "/a", Handle: func(context.Context, *resource.Call) (any, error) {
		return resource.Response{Type: "text/csv", Stream: func(w io.Writer) error {
			_, err := io.WriteString(w, strings.Repeat("x", 1<<20))
			gone <- time.Now()
			return err
		}}, nil
	}}
	inABubble(t, e, "GET /api/a HTTP/1.1\r\nHost: h\r\n\r\n", func(net.Conn) {
		begun := time.Now()
		time.Sleep(time.Minute) // in the bubble's time
		select {
		case at := <-gone:
			if took := at.Sub(begun); took != stallTime {
				t.Errorf("the writer was held up for %v, want %v", took, stallTime)
			}
		default:
			t.Error("the writer is held up for longer than a minute")
		}
	})
}

func TestIdleEventStreamSendsAHeartbeatEveryFourSeconds(t *testing.T) {
	e := resource.Endpoint{Method: "GET", Path: "/a", Handle: func(ctx context.Context, _ *resource.Call) (any, error) {
		return resource.Response{Events: func(func(...resource.Event) error) error { <-ctx.Done(); return nil }}, nil
	}}
	inABubble(t, e, "GET /api/a HTTP/1.1\r\nHost: h\r\n\r\n", func(c net.Conn) {
		response, err := http.ReadResponse(bufio.NewReader(c), nil)
		must(t, err)
		var beats []string
		begun, lines := time.Now(), bufio.NewReader(response.Body)
		for len(beats) < 4 {
			line, err := lines.ReadString('\n')
			must(t, err)
			if line == ":\n" {
				beats = append(beats, time.Since(begun).String())
			}
		}
		if got, want := fmt.Sprint(beats), "[0s 4s 8s 12s]"; got != want {
			t.Errorf("it beats at %s, want %s", got, want)
		}
	})
}

func TestQueueTimeIsNotCountedAsServerTime(t *testing.T) {
	for _, tt := range []struct {
		after time.Duration // duration of the query itself, without the time it waits
		want  int
	}{{maxQuery - 1, 200}, {maxQuery + 1, 503}} {
		e := resource.Endpoint{Method: "GET", Path: "/a",
			Handle: func(ctx context.Context, _ *resource.Call) (any, error) {
				resume := resource.Pause(ctx)
				time.Sleep(5 * maxQuery)
				resume()
				select {
				case <-time.After(tt.after):
					return resource.JSON(`{}`), nil
				case <-ctx.Done():
					return nil, ctx.Err()
				}
			}}
		inABubble(t, e, "GET /api/a HTTP/1.1\r\nHost: h\r\n\r\n", func(c net.Conn) {
			response, err := http.ReadResponse(bufio.NewReader(c), nil)
			must(t, err)
			if response.StatusCode != tt.want {
				t.Errorf("after %v: %d, want %d", tt.after, response.StatusCode, tt.want)
			}
		})
	}
}
