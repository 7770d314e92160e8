package explorer

import (
	"net/http"
	"slices"
	"strconv"
	"time"
)

// quota is the portal's rate limit and the requests that remain.
type quota struct {
	Limit     int64 `json:"limit"`
	Remaining int64 `json:"remaining"`
	Window    int64 `json:"window"` // seconds
}

// quotaOf reads the quota of response headers; nil when they name none.
func quotaOf(headers [][2]string) *quota {
	q := &quota{}
	for name, at := range map[string]*int64{"X-Rate-Limit-Limit": &q.Limit, "X-Rate-Limit-Remaining": &q.Remaining, "X-Rate-Limit-Window": &q.Window} {
		i := slices.IndexFunc(headers, func(h [2]string) bool { return h[0] == name })
		if i < 0 {
			return nil
		}
		n, err := strconv.ParseInt(headers[i][1], 10, 64)
		if err != nil {
			return nil
		}
		*at = n
	}
	return q
}

// asksToWait reports whether a portal refuses only for now: 429, or a 503 that
// says when to try again.
func asksToWait(status int, h http.Header) bool {
	return status == http.StatusTooManyRequests || status == http.StatusServiceUnavailable && h.Get("Retry-After") != ""
}

// retryAfter returns the delay that a Retry-After header requests.
func retryAfter(h http.Header, now time.Time) time.Duration {
	text := h.Get("Retry-After")
	if seconds, err := strconv.ParseInt(text, 10, 32); err == nil && seconds >= 0 {
		return time.Duration(seconds) * time.Second
	}
	if at, err := http.ParseTime(text); err == nil {
		return max(at.Sub(now), 0)
	}
	return unsaidWait
}

// unsaidWait is the delay after a 429 that names no time.
const unsaidWait = 5 * time.Second
