// Package testkit holds what tests of several packages share: a measure of memory,
// and a clock that is set by hand. Only tests import it.
package testkit

import (
	"runtime"
	"sync"
	"time"
)

// Allocated returns the bytes that this process has allocated so far. What is
// allocated between two calls is more than was in use at any one time, and the same
// at each run.
func Allocated() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.TotalAlloc
}

// Clock shows a time that a test sets. It may be used by many goroutines.
type Clock struct {
	mu sync.Mutex
	at time.Time
}

// NewClock returns a clock that shows at.
func NewClock(at time.Time) *Clock { return &Clock{at: at} }

// Now returns the time that the clock shows.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

// Pass moves the clock forward.
func (c *Clock) Pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d)
}
