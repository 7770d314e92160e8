package agent

import (
	"testing"
	"time"

	"spyglass/backend/check"
)

func TestResultTimesAreInPortalTime(t *testing.T) {
	noon := time.Now() // has a monotonic clock reading
	for _, tt := range []struct {
		what   string
		ours   time.Duration // our clock minus the portal's
		took   time.Duration // duration of the request
		later  time.Duration // elapsed time on our clock
		set    time.Duration // the step by which our clock is then set
		offset int64
	}{
		{"in step", 0, 20 * time.Millisecond, time.Second, 0, 0},
		{"the way is no offset", 0, 2 * time.Second, time.Second, 0, 0},
		{"slow", -240 * time.Second, 20 * time.Millisecond, time.Second, 0, -240},
		{"fast, over a slow line", 360 * time.Second, 4 * time.Second, time.Second, 0, 360},
		{"set back between two heartbeats", 0, 20 * time.Millisecond, 5 * time.Second, -time.Hour, -3600},
		{"set right between two heartbeats", 360 * time.Second, 20 * time.Millisecond, 5 * time.Second,
			-360 * time.Second, 0},
	} {
		sent := noon.Add(tt.ours)
		got := sent.Add(tt.took)
		now := got.Add(tt.later)
		k := &portalClock{now: func() time.Time { return now }}
		if k.offset() != nil {
			t.Errorf("%s: an offset is known before the portal has responded", tt.what)
		}
		k.learn(sent, got, noon.Add(tt.took/2).Round(0))
		// Setting a clock changes the wall time but not the monotonic time.
		k.here = k.here.Add(tt.set)
		now = now.Add(tt.set)
		portal := noon.Add(tt.took + tt.later)
		results := []check.Result{{At: now.Unix()}}
		k.correct(results)
		if offset := k.offset(); *offset != tt.offset {
			t.Errorf("%s: the offset is %d s, want %d s", tt.what, *offset, tt.offset)
		}
		if off := results[0].At - portal.Unix(); off < -1 || off > 1 {
			t.Errorf("%s: a result of %d is dated %d", tt.what, portal.Unix(), results[0].At)
		}
	}
}

func TestSlowResponseIsNotUsedForTheClockOffset(t *testing.T) {
	now := time.Now()
	k := &portalClock{now: func() time.Time { return now }}
	k.learn(now.Add(-time.Second), now, now.Add(-10*time.Second))
	k.learn(now.Add(-time.Minute), now, now)
	if offset := k.offset(); *offset != 10 {
		t.Errorf("the offset is %d s, want 10 s", *offset)
	}
}
