package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// The servers are loaded in turn by the same clients, so that other load on the
// machine affects both. The clients do as little as possible, because they share
// the processors with the servers.
const (
	connections = 16
	rounds      = 3
	round       = 2 * time.Second
)

// request returns the next request of a client; n counts those of all rounds.
type request func(n int64) (method, path string, body []byte)

// side is one of the servers under load.
type side struct {
	origin string   // "http://127.0.0.1:8080"
	others []string // more origins, over which the connections are spread
	bearer string
	next   request
	sent   atomic.Int64
	used   func() (time.Duration, error) // processor time of the server so far; nil: it is not measured
}

// pace is the speed of a server's responses.
type pace struct {
	perSecond float64
	p99       time.Duration // 99 of 100 responses took no longer
	used      time.Duration // processor time of the server for a response, if it is measured
}

// load sends requests as fast as possible for one round.
func (s *side) load(ctx context.Context) (pace, error) {
	times := make([][]time.Duration, connections)
	failed := make([]error, connections)
	before, err := s.usedSoFar()
	if err != nil {
		return pace{}, err
	}
	origins := append([]string{s.origin}, s.others...)
	var wait sync.WaitGroup
	begun := time.Now()
	for i := range connections {
		wait.Go(func() { times[i], failed[i] = s.send(ctx, origins[i%len(origins)], begun.Add(round)) })
	}
	wait.Wait()
	took := time.Since(begun).Seconds()
	after, err := s.usedSoFar()
	if err != nil {
		return pace{}, err
	}
	for _, err := range failed {
		if err != nil {
			return pace{}, err
		}
	}
	all := slices.Concat(times...)
	if len(all) == 0 {
		return pace{}, fmt.Errorf("%s returned nothing", s.origin)
	}
	slices.Sort(all)
	return pace{float64(len(all)) / took, all[len(all)*99/100], (after - before) / time.Duration(len(all))}, nil
}

func (s *side) usedSoFar() (time.Duration, error) {
	if s.used == nil {
		return 0, nil
	}
	return s.used()
}

// send sends one request after the other over one connection until the given time.
func (s *side) send(ctx context.Context, origin string, end time.Time) (times []time.Duration, err error) {
	host := strings.TrimPrefix(origin, "http://")
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", host)
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	defer context.AfterFunc(ctx, func() { _ = conn.Close() })()
	in := bufio.NewReaderSize(conn, 64<<10)
	for ctx.Err() == nil {
		begun := time.Now()
		if begun.After(end) {
			break
		}
		method, path, body := s.next(s.sent.Add(1))
		if err := s.exchange(conn, in, host, method, path, body); err != nil {
			return nil, err
		}
		times = append(times, time.Since(begun))
	}
	return times, ctx.Err()
}

func (s *side) exchange(out io.Writer, in *bufio.Reader, host, method, path string, body []byte) error {
	head := fmt.Appendf(nil, "%s %s HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\n", method, path, host, s.bearer)
	if body != nil {
		head = fmt.Appendf(head, "Content-Type: application/json\r\nContent-Length: %d\r\n", len(body))
	}
	if _, err := out.Write(append(append(head, "\r\n"...), body...)); err != nil {
		return err
	}
	response, err := http.ReadResponse(in, nil)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode > 299 {
		body, _ := io.ReadAll(io.LimitReader(response.Body, 1000))
		return fmt.Errorf("%s %s returned %s: %s", method, path, response.Status, bytes.TrimSpace(body))
	}
	_, err = io.Copy(io.Discard, response.Body)
	return err
}

// inTurn loads ours and the other, one after the other, several times.
func inTurn(ctx context.Context, ours, other *side) (score, error) {
	var our, least, ourLate, otherLate, ourUsed, otherUsed []float64
	for range rounds {
		a, err := ours.load(ctx)
		if err != nil {
			return score{}, err
		}
		b, err := other.load(ctx)
		if err != nil {
			return score{}, fmt.Errorf("the other: %w", err)
		}
		our, least = append(our, a.perSecond), append(least, b.perSecond)
		ourLate, otherLate = append(ourLate, milliseconds(a.p99)), append(otherLate, milliseconds(b.p99))
		ourUsed, otherUsed = append(ourUsed, milliseconds(a.used)), append(otherUsed, milliseconds(b.used))
	}
	s := score{ours: median(our), other: median(least), late: &[2]float64{median(ourLate), median(otherLate)}}
	if ours.used != nil && other.used != nil {
		s.used = &[2]float64{median(ourUsed), median(otherUsed)}
	}
	return s, nil
}

// get returns a client that requests one page again and again.
func get(path string) request {
	return func(int64) (string, string, []byte) { return http.MethodGet, path, nil }
}
