package agent

import (
	"sync"
	"time"

	"spyglass/backend/check"
)

// portalClock is an estimate of the portal's clock, from the responses to
// heartbeats. Between them it advances by this machine's monotonic clock, so that
// setting the machine's clock has no effect.
//
// All methods are safe for concurrent use.
type portalClock struct {
	now func() time.Time // of this machine

	mu      sync.Mutex
	known   bool
	here    time.Time // a time by the clock of this machine
	there   time.Time // the same time by the portal's
	applied time.Duration
}

const (
	clockWarning = 30 * time.Second
	// steady is the minimum change of the offset to apply: a smaller one may be
	// network delay, and would only make samples unevenly spaced.
	steady = 2 * time.Second
	// slowest is the longest response time for which the time in the response is
	// used.
	slowest = 10 * time.Second
)

// learn sets the clock from a portal time that lies between two times of this
// machine.
func (k *portalClock) learn(sent, got, portal time.Time) {
	took := got.Sub(sent)
	k.mu.Lock()
	defer k.mu.Unlock()
	if took < 0 || took > slowest && k.known {
		return
	}
	k.known, k.here, k.there = true, got, portal.Add(took/2)
	k.apply()
}

// apply updates the applied correction.
func (k *portalClock) apply() {
	now := k.now()
	correction := k.there.Add(now.Sub(k.here)).Sub(now.Round(0)) // Round: use the wall clock
	if (correction - k.applied).Abs() >= steady {
		k.applied = correction.Round(time.Second)
	}
}

// offset returns how many seconds the clock of this machine is ahead of the
// portal's; nil if unknown.
func (k *portalClock) offset() *int64 {
	k.mu.Lock()
	defer k.mu.Unlock()
	if !k.known {
		return nil
	}
	k.apply()
	seconds := -int64(k.applied / time.Second)
	return &seconds
}

// correct converts the times of results to the portal's clock.
func (k *portalClock) correct(results []check.Result) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if !k.known {
		return
	}
	k.apply()
	for i := range results {
		results[i].At += int64(k.applied / time.Second)
	}
}
