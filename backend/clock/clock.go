// Package clock provides the time of simulated devices in the demo, which can
// run faster and be paused. Real devices keep real time.
//
// A clock that was never set shows the time of its source.
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

// Clock is a clock that can be set, sped up and paused.
type Clock struct {
	real func() time.Time

	mu      sync.Mutex
	at      time.Time // its time when it was last set, and
	set     time.Time // the source's time then; zero: never set
	speed   float64
	changed chan struct{} // closed when it is set again
}

// New returns a clock that follows source; time.Now when nil.
func New(source func() time.Time) *Clock {
	if source == nil {
		source = time.Now
	}
	return &Clock{real: source, speed: 1, changed: make(chan struct{})}
}

// Now returns the clock's time.
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

// Apart reports whether the clock was set or its speed changed, so that it no
// longer follows its source.
func (c *Clock) Apart() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return !c.set.IsZero()
}

// Speed returns how many seconds of the clock pass in one of the source; 0 while
// it is paused.
func (c *Clock) Speed() float64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.speed
}

// SetSpeed changes the speed from now on; 0 pauses the clock.
func (c *Clock) SetSpeed(speed float64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at, c.set, c.speed = c.now(), c.real(), speed
	c.notify()
}

// SetTime sets the clock to another time, at the same speed.
func (c *Clock) SetTime(at time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at, c.set = at, c.real()
	c.notify()
}

// Follow makes the clock follow its source again.
func (c *Clock) Follow() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.set, c.speed = time.Time{}, 1
	c.notify()
}

func (c *Clock) notify() {
	close(c.changed)
	c.changed = make(chan struct{})
}

// standstill is the interval at which a waiter checks a paused clock.
const standstill = time.Hour

// Wait returns how long d lasts on the source at the current speed, and a channel
// that is closed when the clock is set or its speed changes.
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

// Sleep waits until d has passed on the clock, or wake receives. It returns false
// if ctx has ended.
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
