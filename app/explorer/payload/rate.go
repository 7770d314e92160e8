package payload

import (
	"net/http"
	"slices"
	"strconv"
	"time"
)

// Quota is the portal's rate limit and the remaining requests.
type Quota struct {
	Limit     int64 `json:"limit"`
	Remaining int64 `json:"remaining"`
	Window    int64 `json:"window" doc:"seconds"`
}

// QuotaOf reads the quota from response headers; nil if they have none.
func QuotaOf(headers [][2]string) *Quota {
	q := &Quota{}
	for name, at := range map[string]*int64{"X-Rate-Limit-Limit": &q.Limit, "X-Rate-Limit-Remaining": &q.Remaining,
		"X-Rate-Limit-Window": &q.Window} {
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

// IsTemporary reports whether a portal refuses a request only temporarily: 429,
// or a 503 with a time to retry.
func IsTemporary(status int, h http.Header) bool {
	return status == http.StatusTooManyRequests || status == http.StatusServiceUnavailable && h.Get("Retry-After") != ""
}

// RetryAfter returns the delay that a Retry-After header requests.
func RetryAfter(h http.Header, now time.Time) time.Duration {
	text := h.Get("Retry-After")
	if seconds, err := strconv.ParseInt(text, 10, 32); err == nil && seconds >= 0 {
		return time.Duration(seconds) * time.Second
	}
	if at, err := http.ParseTime(text); err == nil {
		return max(at.Sub(now), 0)
	}
	return unsaidWait
}

// unsaidWait is the delay after a 429 without a time.
const unsaidWait = 5 * time.Second
