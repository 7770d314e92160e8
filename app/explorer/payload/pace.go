package payload

import "time"

// Pace keeps a series of requests below the portal's rate limit: while plenty of
// quota remains, it sends immediately; near the limit, it sends only as its own
// earlier requests leave the window. It belongs to one goroutine.
type Pace struct {
	sent []time.Time // within the window, oldest first
}

const maxPace = 10_000 // requests to remember

// After returns the delay before the next request, from the quota of the last one.
func (p *Pace) After(q *Quota, now time.Time) time.Duration {
	p.sent = append(p.sent, now)
	if q == nil || q.Limit <= 0 || q.Window <= 0 {
		p.sent = p.sent[:0]
		return 0
	}
	window := time.Duration(q.Window) * time.Second
	for len(p.sent) > 0 && (now.Sub(p.sent[0]) >= window || len(p.sent) > maxPace) {
		p.sent = p.sent[1:]
	}
	if q.Remaining > max(1, q.Limit/20) || len(p.sent) == 0 {
		return 0
	}
	return max(p.sent[0].Add(window).Sub(now), window/time.Duration(q.Limit))
}
