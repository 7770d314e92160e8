package main

import (
	"context"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

// slowCount is the number of bad connections open at a time.
const slowCount = 1000

// slowKinds are connections that want nothing but to be held.
var slowKinds = []struct {
	name string
	send func(host string) string // at first; then a byte a second
}{
	{"silent", func(string) string { return "" }},
	{"half a header", func(host string) string {
		return "GET /api/device/devices HTTP/1.1\r\nHost: " + host +
			"\r\nX-Slow: "
	}},
	{"a slow signed body", func(host string) string {
		return "POST /api/device/devices HTTP/1.1\r\nHost: " + host + "\r\nAuthorization: LMv1 x:y:1\r\n" +
			"Content-Type: application/json\r\nContent-Length: 4000000\r\n\r\n{"
	}},
	{"a reader that reads nothing", func(host string) string {
		return strings.Repeat("GET / HTTP/1.1\r\nHost: "+host+"\r\n\r\n", 200)
	}},
}

// slowConnections holds slowCount connections of each kind in turn, and sends
// requests beside them. The slowest twentieth may take ten times as long as
// without them.
func slowConnections(ctx context.Context, o options, r *result) error {
	return inFolder(func(folder string) error {
		p, err := startProgram(o.program, folder, nil, "--demo", "--rate-limit", "off")
		if err != nil {
			return err
		}
		defer p.stop()
		if err := p.authorize(ctx); err != nil {
			return err
		}
		ctx, cancel := context.WithTimeout(ctx, o.long)
		defer cancel()
		before := p.slowest(ctx, r, "before any slow connection")
		for round := 0; round < len(slowKinds) || ctx.Err() == nil; round++ {
			kind := slowKinds[round%len(slowKinds)]
			beside := p.hold(ctx, r, kind.name, kind.send)
			r.isSlow(beside, 10*before+50*time.Millisecond, "beside 1,000 times "+kind.name+" a list")
		}
		p.slowest(ctx, r, "after all slow connections")
		r.used(p.peak())
		return nil
	})
}

// hold opens the connections, measures beside them and closes them.
func (p *program) hold(ctx context.Context, r *result, name string, first func(host string) string) time.Duration {
	host := strings.TrimPrefix(p.origin, "http://")
	var wait sync.WaitGroup
	defer wait.Wait()
	held, release := context.WithCancel(context.WithoutCancel(ctx))
	defer release()
	for range slowCount {
		line, err := net.DialTimeout("tcp", host, 5*time.Second)
		if err != nil {
			continue // a refusal is a response, too
		}
		wait.Go(func() {
			defer line.Close()
			_ = line.SetWriteDeadline(time.Now().Add(2 * time.Second))
			if _, err := io.WriteString(line, first(host)); err != nil {
				return
			}
			for {
				select {
				case <-held.Done():
					return
				case <-time.After(time.Second):
				}
				_ = line.SetWriteDeadline(time.Now().Add(time.Second))
				if _, err := io.WriteString(line, "x"); err != nil {
					return
				}
			}
		})
	}
	return p.slowest(ctx, r, "beside 1,000 times "+name)
}

// slowest sends 200 requests and returns the shortest time of the slowest
// twentieth.
func (p *program) slowest(ctx context.Context, r *result, when string) time.Duration {
	var took []time.Duration
	for range 200 {
		began := time.Now()
		status, response, err := p.request(context.WithoutCancel(ctx), http.MethodGet, "/api/device/devices?size=50",
			"")
		took = append(took, time.Since(began))
		r.tried(took[len(took)-1])
		if err != nil || status != http.StatusOK {
			r.isWrong("%s a list returned %d %.100s %v", when, status, response, err)
			if !p.running() {
				r.isWrong("the program ended: %s", p.tail())
				break
			}
		}
	}
	slices.Sort(took)
	return took[len(took)*19/20]
}
