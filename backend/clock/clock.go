// Package clock tells the time of a world that can be hurried and paused: that
// of the demo's devices, which no machine stands behind. What is real keeps
// real time.
//
// A clock that nobody has touched tells what its source tells.
//
// # Concurrency
//
// All methods are safe for concurrent use. The package starts no goroutine.
package clock

import (
	"context"
	"math"
	"sync"
	"time"
)

// Clock is one world's time.
type Clock struct {
	real func() time.Time

	mu      sync.Mutex
	at      time.Time // the moment here at which it was last set, and
	set     time.Time // the moment of the source then; zero: never set
	speed   float64
	changed chan struct{} // closed when it is set again
}

// New is a clock that goes as its source does; time.Now when nil.
func New(source func() time.Time) *Clock {
	if source == nil {
		source = time.Now
	}
	return &Clock{real: source, speed: 1, changed: make(chan struct{})}
}

// Now is the time there.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now()
}

func (c *Clock) now() time.Time {
	now := c.real()
	if c.set.IsZero() {
		return now
	}
	return c.at.Add(time.Duration(float64(now.Sub(c.set)) * c.speed))
}

// Apart reports whether it tells another time than its source, or will.
func (c *Clock) Apart() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return !c.set.IsZero()
}

// Speed is how many seconds pass there in one of the source; 0 while it is paused.
func (c *Clock) Speed() float64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.speed
}

// SetSpeed goes on from now at another speed, 0 for not at all.
func (c *Clock) SetSpeed(speed float64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at, c.set, c.speed = c.now(), c.real(), speed
	c.tell()
}

// SetTime goes on from another moment, at the same speed.
func (c *Clock) SetTime(at time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at, c.set = at, c.real()
	c.tell()
}

// Follow goes as the source does again.
func (c *Clock) Follow() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.set, c.speed = time.Time{}, 1
	c.tell()
}

func (c *Clock) tell() {
	close(c.changed)
	c.changed = make(chan struct{})
}

// standstill is after what time somebody who waits for a paused clock looks again.
const standstill = time.Hour

// Wait is how long d lasts for the source, as things are, and a channel that is
// closed when they change.
func (c *Clock) Wait(d time.Duration) (time.Duration, <-chan struct{}) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch c.speed {
	case 0:
		return standstill, c.changed
	case 1:
		return d, c.changed
	}
	return time.Duration(math.Ceil(float64(d) / c.speed)), c.changed
}

// Sleep waits until d has passed there, or it is woken; it is false when ctx is done.
func (c *Clock) Sleep(ctx context.Context, d time.Duration, wake <-chan struct{}) bool {
	for until := c.Now().Add(d); ; {
		left := until.Sub(c.Now())
		if left <= 0 {
			return ctx.Err() == nil
		}
		if left > d { // the clock was set back
			until, left = c.Now().Add(d), d
		}
		wait, changed := c.Wait(left)
		timer := time.NewTimer(wait)
		select {
		case <-timer.C:
		case <-changed:
		case <-wake:
			timer.Stop()
			return true
		case <-ctx.Done():
			timer.Stop()
			return false
		}
		timer.Stop()
	}
}
