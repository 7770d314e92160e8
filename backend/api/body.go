package api

import (
	"errors"
	"io"
	"net/http"
	"os"
	"slices"
	"time"

	"golang.org/x/sync/semaphore"

	"spyglass/backend/fault"
)

// The limits of bodies. maxSigned applies to signed bodies, which have to be read
// before their sender is authenticated. DefaultBodyBudget has room for several of
// the largest imports at once.
const (
	maxSigned         = 4 << 20
	DefaultBodyBudget = 256 << 20
	firstPiece        = 64 << 10
)

var errCrowded = &fault.Error{
	Kind: fault.Busy, RetryAfter: time.Second,
	Message: "the portal is receiving too much data at the moment; send the request again in a second",
}

// bodyBudget limits the bytes of bodies in memory at once, from their first byte
// until the response to their request begins. Unauthenticated senders share an
// eighth of it, so that they cannot starve the others.
type bodyBudget struct{ all, unproven *semaphore.Weighted }

func newBodyBudget(bytes int64) *bodyBudget {
	return &bodyBudget{semaphore.NewWeighted(bytes), semaphore.NewWeighted(bytes / 8)}
}

// of returns the part of the budget for the request.
func (b *bodyBudget) of(x *exchange) *semaphore.Weighted {
	if x.access == nil {
		return b.unproven
	}
	return b.all
}

// bodyLimit returns the maximum body size of the endpoint.
func (x *exchange) bodyLimit() int64 {
	if x.route.Limit != 0 {
		return x.route.Limit
	}
	return maxBody
}

// readBody reads the body, once, up to most bytes or the endpoint's own limit.
func (x *exchange) readBody(most int64) error {
	if x.taken || x.r.ContentLength == 0 {
		return nil
	}
	limit := min(most, x.bodyLimit())
	tooLarge := fault.New(fault.TooLarge, "the body is larger than %d bytes", limit)
	if x.r.ContentLength > limit {
		return tooLarge
	}
	err := x.receive(limit)
	var over *http.MaxBytesError
	switch {
	case err == error(errCrowded):
		return err
	case errors.As(err, &over):
		return tooLarge
	case errors.Is(err, os.ErrDeadlineExceeded):
		return fault.New(fault.Invalid, "the body did not arrive within %d seconds", seconds(bodyTime))
	case err != nil:
		return fault.New(fault.Invalid, "the body is incomplete")
	}
	_ = http.NewResponseController(x.w).SetReadDeadline(time.Time{})
	x.taken = true
	return nil
}

// receive reads the body into memory that grows as it arrives, and takes each
// growth from the budget.
func (x *exchange) receive(limit int64) error {
	from := http.MaxBytesReader(x.w, x.r.Body, limit)
	x.purse = x.bodies.of(x)
	whole := limit + 1 // one byte more than the body, to reach its end
	if x.r.ContentLength > 0 {
		whole = x.r.ContentLength + 1
	}
	for {
		if len(x.body) == cap(x.body) {
			more := min(max(int64(cap(x.body)), firstPiece), max(whole-int64(cap(x.body)), 512))
			if !x.purse.TryAcquire(more) {
				return errCrowded
			}
			x.held += more
			x.body = slices.Grow(x.body, int(more))
		}
		n, err := from.Read(x.body[len(x.body):cap(x.body)])
		x.body = x.body[:len(x.body)+n]
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// releaseBody returns the body's bytes to the budget.
func (x *exchange) releaseBody() {
	if x.held > 0 {
		x.purse.Release(x.held)
	}
}
