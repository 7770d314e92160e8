package session

import (
	"context"
	"math"
	"sync"
	"time"

	"spyglass/backend/fault"
)

// The limit on failed sign-ins: this number within failWindow locks for
// firstLock, twice as long each time up to longestLock. After forgetAfter without
// failures, the count is reset.
const (
	maxFails    = 10
	failWindow  = 5 * time.Minute
	firstLock   = time.Minute
	longestLock = time.Hour
	forgetAfter = 2 * time.Hour
	maxTracked  = 10_000
)

// throttle counts failed sign-ins by key. An attempt counts as failed while it is
// in progress, so that sending many at once has no advantage.
type throttle struct {
	clock func() time.Time
	mu    sync.Mutex
	all   map[digest]*attempts
	ended chan struct{} // closed and replaced when an attempt ends
}

type attempts struct {
	underWay int
	failed   int
	locks    int // consecutive locks
	first    time.Time
	last     time.Time
	until    time.Time // end of the lock; zero if not locked
}

func newThrottle(clock func() time.Time) *throttle {
	return &throttle{clock: clock, all: map[digest]*attempts{}, ended: make(chan struct{})}
}

// begin admits an attempt; failed, succeeded or abandon must end it. It returns
// fault.TooMany for a locked key. If attempts in progress may reach the limit, it
// waits for them until ctx ends.
func (t *throttle) begin(ctx context.Context, keys []digest) error {
	for {
		ended, err := t.admit(keys)
		if ended == nil || err != nil {
			return err
		}
		select {
		case <-ended:
		case <-ctx.Done():
			return errBusy()
		}
	}
}

// admit counts the attempt as in progress, or returns a channel to wait for.
func (t *throttle) admit(keys []digest) (<-chan struct{}, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := t.clock()
	var lock time.Duration
	crowded := false
	for _, key := range keys {
		a := t.all[key]
		if a == nil {
			continue
		}
		a.age(now)
		lock = max(lock, a.until.Sub(now))
		crowded = crowded || a.failed+a.underWay >= maxFails
	}
	switch {
	case lock > 0:
		seconds := math.Ceil(lock.Seconds())
		return nil, &fault.Error{
			Kind: fault.TooMany, RetryAfter: time.Duration(seconds) * time.Second,
			Message: "too many failed sign-ins; wait before you try again",
		}
	case crowded:
		return t.ended, nil
	}
	for _, key := range keys {
		a := t.all[key]
		if a == nil {
			t.makeRoom(now)
			a = &attempts{}
			t.all[key] = a
		}
		a.underWay++
		a.last = now
	}
	return nil, nil
}

// age drops expired attempts.
func (a *attempts) age(now time.Time) {
	if !a.until.IsZero() && !now.Before(a.until) {
		a.until, a.failed = time.Time{}, 0
	}
	if a.until.IsZero() && now.Sub(a.first) > failWindow {
		a.failed = 0
	}
	if a.until.IsZero() && now.Sub(a.last) > forgetAfter {
		a.locks = 0
	}
}

func (t *throttle) failed(keys []digest) {
	t.finish(keys, func(_ digest, a *attempts) { a.fail(t.clock()) })
}

// fail counts a failure.
func (a *attempts) fail(now time.Time) {
	if a.failed == 0 {
		a.first = now
	}
	a.failed++
	a.last = now
	if a.failed >= maxFails && a.until.IsZero() {
		a.until = now.Add(min(firstLock<<a.locks, longestLock))
		a.locks = min(a.locks+1, 10)
	}
}

// set replaces the failures of a key by those of all nodes.
func (t *throttle) set(key digest, counts attempts) {
	t.mu.Lock()
	defer t.mu.Unlock()
	a := t.all[key]
	switch {
	case a != nil:
		counts.underWay = a.underWay
		*a = counts
	case counts.failed > 0 || counts.locks > 0:
		t.makeRoom(t.clock())
		t.all[key] = &counts
	}
}

// succeeded resets the failures of one key, but not of the address: knowing one
// password must not help to guess others.
func (t *throttle) succeeded(keys []digest, forgiven digest) {
	t.finish(keys, func(key digest, a *attempts) {
		if key == forgiven {
			a.failed, a.locks = 0, 0
		}
	})
}

// forgive unlocks a key and deletes its failures.
func (t *throttle) forgive(key digest) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if a := t.all[key]; a != nil {
		a.failed, a.locks, a.until = 0, 0, time.Time{}
	}
}

func (t *throttle) abandon(keys []digest) { t.finish(keys, func(digest, *attempts) {}) }

func (t *throttle) finish(keys []digest, each func(digest, *attempts)) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, key := range keys {
		a := t.all[key]
		a.underWay--
		each(key, a)
		if a.underWay == 0 && a.failed == 0 && a.locks == 0 {
			delete(t.all, key)
		}
	}
	close(t.ended)
	t.ended = make(chan struct{})
}

// makeRoom limits the memory: it removes expired entries first, then the key with
// the fewest failures.
func (t *throttle) makeRoom(now time.Time) {
	if len(t.all) < maxTracked {
		return
	}
	var least digest
	found := false
	for key, a := range t.all {
		a.age(now)
		switch {
		case a.underWay > 0:
		case a.failed == 0 && a.locks == 0:
			delete(t.all, key)
		case !found || a.locks*maxFails+a.failed < t.all[least].locks*maxFails+t.all[least].failed:
			least, found = key, true
		}
	}
	if len(t.all) >= maxTracked && found {
		delete(t.all, least)
	}
}
