package api

import (
	"fmt"
	"sync"
	"time"
)

// Limit is the number of requests that an endpoint accepts in any period of the
// length Window.
type Limit struct {
	Requests int
	Window   time.Duration
}

// DefaultLimit returns the limit of a portal without its own setting.
func DefaultLimit(method string) Limit {
	requests := map[string]int{"GET": 500, "POST": 200, "PUT": 200, "PATCH": 250, "DELETE": 300}[method]
	if requests == 0 {
		requests = 200
	}
	return Limit{Requests: requests, Window: time.Minute}
}

func (l Limit) seconds() int { return seconds(l.Window) }

// seconds rounds up, so that a client that waits that long does not retry too
// early.
func seconds(d time.Duration) int { return int((d + time.Second - 1) / time.Second) }

// inWords formats a waiting time like the page, rounded up: "90 s", "12 min 5 s",
// "1 h 5 min". Up to two minutes it is in seconds.
func inWords(d time.Duration) string {
	all, large, small := seconds(d), "min", "s"
	switch {
	case all <= 120:
		return fmt.Sprintf("%d s", all)
	case all >= 3600:
		all, large, small = (all+59)/60, "h", "min"
	}
	text := fmt.Sprintf("%d %s", all/60, large)
	if rest := all % 60; rest > 0 {
		text += fmt.Sprintf(" %d %s", rest, small)
	}
	return text
}

// bucket holds the exact times of the requests in one window, in a ring that
// grows with use up to the limit.
type bucket struct {
	mu    sync.Mutex
	times []time.Duration // since the handler was created
	first int             // the oldest
	n     int
}

// take counts one request, or returns how long to wait for the next one.
func (b *bucket) take(now time.Duration, l Limit) (left int, wait time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.forget(now - l.Window)
	if b.n >= l.Requests {
		if l.Requests < 1 {
			return 0, l.Window
		}
		last := (b.first + b.n - l.Requests) % len(b.times) // the last request that has to expire
		return 0, b.times[last] + l.Window - now
	}
	if b.n == len(b.times) {
		b.grow(l.Requests)
	}
	b.times[(b.first+b.n)%len(b.times)] = now
	b.n++
	return l.Requests - b.n, 0
}

// idle reports whether the bucket has no requests after until.
func (b *bucket) idle(until time.Duration) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.forget(until)
	return b.n == 0
}

func (b *bucket) forget(until time.Duration) {
	for b.n > 0 && b.times[b.first] <= until {
		b.first = (b.first + 1) % len(b.times)
		b.n--
	}
}

func (b *bucket) grow(limit int) {
	times := make([]time.Duration, min(max(16, 2*b.n), limit))
	for i := range b.n {
		times[i] = b.times[(b.first+i)%len(b.times)]
	}
	b.times, b.first = times, 0
}
