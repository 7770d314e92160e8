package agent

import (
	"sync"
	"time"

	"spyglass/backend/check"
)

// portalClock is the portal's clock, as the answers to heartbeats tell it. It
// goes on by the time that passes here, so that a clock of this machine that is
// set does not matter.
//
// All methods are safe for concurrent use.
type portalClock struct {
	now func() time.Time // of this machine

	mu      sync.Mutex
	known   bool
	here    time.Time // a moment by the clock of this machine
	there   time.Time // the same moment by the portal's
	applied time.Duration
}

const (
	clockWarning = 30 * time.Second
	// steady is how much the offset has to change for another one to be applied:
	// what is less may be the way, and would only make samples unevenly spaced.
	steady = 2 * time.Second
	// slowest is how long an answer may take for the time in it to be of use.
	slowest = 10 * time.Second
)

// learn takes in what time the portal had between two moments of this machine.
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

// apply brings the applied correction up to date.
func (k *portalClock) apply() {
	now := k.now()
	correction := k.there.Add(now.Sub(k.here)).Sub(now.Round(0)) // Round: by the wall clock
	if (correction - k.applied).Abs() >= steady {
		k.applied = correction.Round(time.Second)
	}
}

// offset is how many seconds the clock of this machine is ahead of the portal's;
// nil while that is not known.
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

// correct makes the moments of results those of the portal.
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
