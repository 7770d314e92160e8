package api

import (
	"net/netip"
	"sync"
	"time"

	"spyglass/backend/fault"
)

// Limits of requests outside of the portal's endpoints. The Explorer's page sends
// a request for every row that it scrolls to and for every key typed, and a batch
// sends 500 requests; none of that comes near the limit, which applies to each
// user separately.
var (
	explorerLimit = Limit{Requests: 12_000, Window: time.Minute}
	ownLimit      = Limit{Requests: 1_200, Window: time.Minute} // of /metrics, from each address
)

// caller identifies the bucket for requests outside the portal's endpoints: a
// user or, if the caller is not signed in, an address.
type caller struct {
	kind    string
	method  string
	user    int64
	address netip.Addr
}

const (
	kindRefused  = "refused"
	kindExplorer = "explorer"
	kindOwn      = "own"
)

// maxCallers limits the number of buckets; further callers share one.
const maxCallers = 4096

// quotas are the buckets of callers.
type quotas struct {
	mu     sync.Mutex
	by     map[caller]*bucket
	shared bucket
	swept  time.Duration
}

// of returns the caller's bucket. If there are too many, it drops idle ones.
func (q *quotas) of(c caller, now, window time.Duration) *bucket {
	q.mu.Lock()
	defer q.mu.Unlock()
	if b := q.by[c]; b != nil {
		return b
	}
	if len(q.by) >= maxCallers && now-q.swept >= time.Second {
		q.swept = now
		for other, b := range q.by {
			if b.idle(now - window) {
				delete(q.by, other)
			}
		}
	}
	if len(q.by) >= maxCallers {
		return &q.shared
	}
	b := &bucket{}
	q.by[c] = b
	return b
}

// charge counts the request against the limit of its endpoint or, outside the
// portal's API, of its caller.
func (x *exchange) charge() error {
	if x.Limits == nil {
		return nil
	}
	if x.mount.portal {
		return x.take(x.route.bucket, x.Limits(x.method), x.method+" "+x.route.Path+" accepts")
	}
	if x.mount == x.own {
		return x.take(x.bucketOf(kindOwn, "", ownLimit), ownLimit, x.route.Path+" accepts")
	}
	return x.take(x.bucketOf(kindExplorer, "", explorerLimit), explorerLimit, "Spyglass accepts")
}

// chargeRefusal counts a refused request that was not counted yet, and returns
// the error to send: err or, when too many were refused, the rate limit's.
func (x *exchange) chargeRefusal(err error) error {
	if x.Limits == nil || x.charged {
		return err
	}
	limit := x.Limits(x.method)
	if over := x.take(x.bucketOf(kindRefused, x.method, limit), limit, "too many requests were refused: the portal "+
		"accepts"); over != nil {
		return over
	}
	return err
}

func (x *exchange) bucketOf(kind, method string, limit Limit) *bucket {
	c := caller{kind: kind, method: method}
	if x.access != nil && x.access.UserID > 0 {
		c.user = x.access.UserID
	} else {
		c.address = networkOf(x.r.RemoteAddr)
	}
	return x.quotas.of(c, time.Since(x.started), limit.Window)
}

// take counts one request or refuses it; what names the limit in the error.
func (x *exchange) take(b *bucket, limit Limit, what string) error {
	left, wait := b.take(time.Since(x.started), limit)
	x.charged, x.limit, x.left = true, limit, left
	if wait <= 0 {
		return nil
	}
	f := fault.New(fault.TooMany, "%s %d requests in %s; try again in %s", what, limit.Requests,
		inWords(limit.Window), inWords(wait))
	f.RetryAfter = wait
	return f
}
