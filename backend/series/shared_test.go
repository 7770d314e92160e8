package series_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"spyglass/backend/fault"
	"spyglass/backend/series"
	"spyglass/backend/store/postgres/pgtest"
	"spyglass/backend/testkit"
)

// nodes are two processes with the same samples, of which the first one leads.
func nodes(t *testing.T) (leader, follower *series.DB, clock *testkit.Clock) {
	t.Helper()
	address, clock := pgtest.Database(t), testkit.NewClock(time.Unix(halfDay*40_000+1000, 0))
	open := func() *series.DB {
		db, err := series.Open(t.Context(), series.Options{Database: address, Shared: true, Clock: clock.Now})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := db.Close(); err != nil {
				t.Error(err)
			}
		})
		return db
	}
	leader, follower = open(), open()
	if err := leader.Lead(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	return leader, follower, clock
}

const halfDay = 12 * 60 * 60

// alike waits until both have the same samples of an instance, which are n.
func alike(t *testing.T, a, b *series.DB, instance int64, n int) {
	t.Helper()
	q := series.Query{Instance: instance, DataPoints: []int64{1, 2}, To: halfDay * 50_000}
	limit := time.Now().Add(20 * time.Second)
	for {
		one, err := a.Range(t.Context(), q)
		two, failed := b.Range(t.Context(), q)
		if err := errors.Join(err, failed); err != nil {
			t.Fatal(err)
		}
		if fmt.Sprint(one) == fmt.Sprint(two) && len(one.Times) == n {
			return
		}
		if time.Now().After(limit) {
			t.Fatalf("the leader has %d times and the follower %d, want %d", len(one.Times), len(two.Times), n)
		}
	}
}

func put(t *testing.T, db *series.DB, instance, dataPoint, from, n int64) {
	t.Helper()
	var all []series.Sample
	for i := range n {
		all = append(all, series.Sample{Instance: instance, DataPoint: dataPoint, At: from + 60*i,
			Value: rand.Float64()})
	}
	if err := db.Append(t.Context(), all); err != nil {
		t.Fatal(err)
	}
}

func TestAFollowerReadsWhatTheLeaderWrites(t *testing.T) {
	leader, follower, clock := nodes(t)
	now := clock.Now().Unix()
	put(t, leader, 1, 1, now, 3)
	alike(t, leader, follower, 1, 3)
	put(t, leader, 1, 1, now+3*60, 2) // the same series, from the end of the log
	put(t, leader, 1, 2, now, 7)      // a new one
	put(t, leader, 2, 1, now, 1)
	alike(t, leader, follower, 1, 7)
	alike(t, leader, follower, 2, 1)
	put(t, leader, 1, 1, now-halfDay, 4) // late: before the beginning of the log
	alike(t, leader, follower, 1, 11)
	clock.Pass(24 * time.Hour) // the half days end, and their chunks are written
	put(t, leader, 1, 1, clock.Now().Unix(), 1)
	alike(t, leader, follower, 1, 12)
	if leader.Stats().Held >= 12 {
		t.Fatalf("no chunks were written: %+v", leader.Stats())
	}
	for follower.Stats().Held != leader.Stats().Held { // the follower forgets what is in chunks
		alike(t, leader, follower, 1, 12)
	}
	if err := leader.Delete(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	alike(t, leader, follower, 1, 0)
	alike(t, leader, follower, 2, 1)
}

func TestALeaderThatWasReplacedWritesNothing(t *testing.T) {
	first, second, clock := nodes(t)
	now := clock.Now().Unix()
	put(t, first, 1, 1, now, 3)
	if err := second.Append(t.Context(), []series.Sample{{Instance: 1, DataPoint: 1, At: now, Value: 9}}); !fault.Is(
		err, fault.Offline) {
		t.Errorf("a follower appends: %v", err)
	}
	if err := second.Lead(t.Context(), 3); err != nil {
		t.Fatal(err)
	}
	put(t, second, 1, 1, now+3*60, 1) // it had not read the log before
	for range 2 {
		if err := first.Append(t.Context(), []series.Sample{{Instance: 1, DataPoint: 1, At: now, Value: 9}}); !fault.Is(
			err, fault.Offline) {
			t.Errorf("the old leader appends: %v", err)
		}
	}
	if err := first.Delete(t.Context(), 1); !fault.Is(err, fault.Offline) {
		t.Errorf("the old leader deletes: %v", err)
	}
	if err := first.Lead(t.Context(), 2); !fault.Is(err, fault.Offline) {
		t.Errorf("a lower epoch leads: %v", err)
	}
	alike(t, second, first, 1, 4)
	if err := second.Follow(context.Background()); err != nil {
		t.Fatal(err)
	}
	if err := first.Lead(t.Context(), 4); err != nil {
		t.Fatal(err)
	}
	put(t, first, 1, 1, now+4*60, 1)
	alike(t, first, second, 1, 5)
}
