package poll_test

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"spyglass/backend/check"
	"spyglass/backend/clock"
	"spyglass/backend/poll"
	"spyglass/backend/service"
)

// fixture is a poller with a delay per device.
type fixture struct {
	*poll.Poller
	mu      sync.Mutex
	slow    map[int64]time.Duration // by device
	now     map[int64]int           // running checks by device
	most    map[int64]int
	got     []check.Result
	stuck   chan struct{} // blocks Deliver until closed; nil: does not block
	failing error
}

func newFixture(workers int) *fixture { return newFixtureOn(workers, nil) }

// newFixtureOn returns a fixture with a clock; nil is the machine's clock.
func newFixtureOn(workers int, on *clock.Clock) *fixture {
	l := &fixture{slow: map[int64]time.Duration{}, now: map[int64]int{}, most: map[int64]int{}}
	l.Poller = poll.New(poll.Options{
		Run: l.look, Workers: workers, Clock: on, Log: slog.New(slog.NewTextHandler(io.Discard, nil)),
		Instant: func(t *check.Task) bool { return t.Method == "instant" },
		Deliver: func(_ context.Context, results []check.Result) error {
			if l.stuck != nil {
				<-l.stuck
			}
			l.mu.Lock()
			defer l.mu.Unlock()
			l.got = append(l.got, results...)
			return nil
		},
	})
	return l
}

func (l *fixture) look(ctx context.Context, t *check.Task) (check.Values, error) {
	l.mu.Lock()
	slow, failing := l.slow[t.DeviceID], l.failing
	l.now[t.DeviceID]++
	l.most[t.DeviceID] = max(l.most[t.DeviceID], l.now[t.DeviceID])
	l.mu.Unlock()
	defer func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.now[t.DeviceID]--
	}()
	// Use a context rather than a timer's channel: many timer channels that are
	// due at once crash the race detector in a bubble, because the bubble's timers share
	// a context of the detector (runtime/time.go, unlockAndRun, Go 1.26).
	response, cancel := context.WithTimeout(ctx, slow)
	defer cancel()
	<-response.Done()
	if ctx.Err() != nil {
		return nil, errors.New("no response in time")
	}
	if failing != nil {
		return nil, failing
	}
	return check.Values{"id": float64(t.InstanceID)}, nil
}

// counts returns the number of deliveries of each instance.
func (l *fixture) counts() map[int64]int {
	l.mu.Lock()
	defer l.mu.Unlock()
	out := map[int64]int{}
	for _, r := range l.got {
		out[r.InstanceID]++
	}
	return out
}

func task(instance, device, interval int64) *check.Task {
	return &check.Task{InstanceID: instance, DeviceID: device, Interval: interval}
}

func TestInstanceIsPolledOncePerInterval(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newFixture(0)
		l.Put(task(1, 1, 60), task(2, 1, 60), task(3, 2, 10), &check.Task{InstanceID: 4, DeviceID: 3, Interval: 60,
			Method: "instant"})
		l.Start(context.Background())
		time.Sleep(10 * time.Minute)
		_ = l.Stop(t.Context())
		if got, want := fmt.Sprint(l.counts()), "map[1:10 2:10 3:60 4:10]"; got != want {
			t.Errorf("delivered %s, want %s", got, want)
		}
		at := map[int64]int64{}
		for _, r := range l.got {
			if last := at[r.InstanceID]; r.InstanceID != 3 && last > 0 && r.At-last != 60 {
				t.Errorf("instance %d was polled at %d and %d", r.InstanceID, last, r.At)
			}
			at[r.InstanceID] = r.At
		}
	})
}

func TestThousandInstancesAreSpreadOverTheMinute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newFixture(0)
		for i := range int64(1000) {
			l.Put(&check.Task{InstanceID: i + 1, DeviceID: i + 1, Interval: 60, Method: "instant"})
		}
		l.Start(context.Background())
		time.Sleep(time.Minute)
		_ = l.Stop(t.Context())
		perSecond := map[int64]int{}
		for _, r := range l.got {
			perSecond[r.At%60]++
		}
		if len(l.got) != 1000 || len(perSecond) != 60 {
			t.Fatalf("%d polls in %d of 60 seconds", len(l.got), len(perSecond))
		}
		for second, n := range perSecond {
			if n > 40 {
				t.Errorf("%d polls in second %d", n, second)
			}
		}
	})
}

func TestFirstResultIsDeliveredAtOnceAndTheRestInBatches(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newFixture(0)
		for i := range int64(21) {
			l.Put(&check.Task{InstanceID: i + 1, DeviceID: i + 1, Interval: 3600, Method: "instant"})
		}
		l.Start(context.Background())
		defer l.Stop(t.Context())
		delivered := func(after time.Duration) int {
			time.Sleep(after)
			synctest.Wait()
			l.mu.Lock()
			defer l.mu.Unlock()
			return len(l.got)
		}
		had := delivered(time.Second)
		l.Now(1)
		if got := delivered(0) - had; got != 1 {
			t.Errorf("of one look after a pause %d results are delivered at once", got)
		}
		for i := range int64(20) {
			l.Now(i + 2)
		}
		if got := delivered(0) - had; got != 1 {
			t.Errorf("of 20 looks right after it %d are delivered each by itself", got-1)
		}
		if got := delivered(50*time.Millisecond) - had; got != 21 {
			t.Errorf("of all 21 looks %d are delivered in time", got)
		}
	})
}

func TestPollsDueTogetherAreDeliveredTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const together, interval = time.Second, 60
		var looked, delivered []time.Time
		p := poll.New(poll.Options{
			Instant: func(*check.Task) bool { return true }, Together: together,
			Run: func(context.Context, *check.Task) (check.Values, error) {
				looked = append(looked, time.Now())
				return nil, nil
			},
			Deliver: func(context.Context, []check.Result) error {
				delivered = append(delivered, time.Now())
				return nil
			},
		})
		for id := range int64(1000) {
			p.Put(&check.Task{InstanceID: id + 1, DeviceID: id + 1, Interval: interval, Method: "instant"})
		}
		p.Start(context.Background())
		time.Sleep(10 * interval * time.Second)
		_ = p.Stop(t.Context())
		if n := len(looked); n < 9*1000 || n > 11*1000 {
			t.Errorf("%d looks in ten minutes at 1,000 instances that are polled each minute", n)
		}
		if late := p.Stats().Late; late > 0 {
			t.Errorf("a look began %v after it was due", late)
		}
		looked = slices.CompactFunc(looked, time.Time.Equal)
		if len(delivered) > len(looked) {
			t.Errorf("looks of %d moments were delivered in %d batches", len(looked), len(delivered))
		}
		for what, times := range map[string][]time.Time{"looks": looked, "batches": delivered} {
			for i := 1; i < len(times)-1; i++ { // Stop delivers the last batch early
				if between := times[i].Sub(times[i-1]); between < together {
					t.Fatalf("%s follow each other after %v", what, between)
				}
			}
		}
	})
}

func TestSlowDeviceDelaysOnlyItself(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newFixture(8)
		for i := range int64(20) {
			l.Put(task(100+i, 1, 60))
		}
		for i := range int64(20) {
			l.Put(task(i+1, i+2, 60))
		}
		l.slow[1] = 20 * time.Second
		l.Start(context.Background())
		time.Sleep(5 * time.Minute)
		_ = l.Stop(t.Context())
		counts := l.counts()
		for i := range int64(20) {
			if counts[i+1] != 5 {
				t.Errorf("instance %d of a quick device was polled %d times in 5 minutes", i+1, counts[i+1])
			}
		}
		if l.most[1] != 3 {
			t.Errorf("%d looks at the slow device at the same time, want 3", l.most[1])
		}
		if missed := l.Stats().Missed; missed == 0 {
			t.Error("no look at the slow device was missed")
		}
	})
}

func TestPollThatTimesOutIsNoData(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newFixture(0)
		l.slow[1] = time.Hour
		l.Put(task(1, 1, 10))
		l.Start(context.Background())
		time.Sleep(25 * time.Second)
		_ = l.Stop(t.Context())
		if len(l.got) != 2 { // the check has ended when it is due again
			t.Fatalf("got %+v, want two looks", l.got)
		}
		for _, r := range l.got {
			if r.Error != "no response in time" || r.Values != nil || r.Took != 9_000 {
				t.Errorf("got %+v", r)
			}
		}
	})
}

func TestTasksCanChangeDuringAPoll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newFixture(0)
		l.Put(task(1, 1, 60), task(2, 1, 60))
		l.Start(context.Background())
		time.Sleep(2 * time.Minute)
		l.Drop(1, 99)
		l.Put(task(2, 1, 10))
		time.Sleep(time.Minute)
		l.Put(task(2, 1, 10)) // unchanged, so its times stay
		l.Now(2)
		time.Sleep(time.Millisecond)
		_ = l.Stop(t.Context())
		if got, want := fmt.Sprint(l.counts()), "map[1:2 2:9]"; got != want {
			t.Errorf("delivered %s, want %s", got, want)
		}
		if l.Len() != 1 {
			t.Errorf("%d tasks are left", l.Len())
		}
	})
}

func TestResultsWaitForTheConsumer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newFixture(4)
		l.stuck = make(chan struct{})
		for i := range int64(6000) {
			method := "instant"
			if i%10 == 0 {
				method = ""
			}
			l.Put(&check.Task{InstanceID: i + 1, DeviceID: i + 1, Interval: 10, Method: method})
		}
		l.Start(context.Background())
		time.Sleep(time.Minute)
		looks := l.Stats().Checks
		if looks > 6000 {
			t.Errorf("%d looks while nobody takes results", looks)
		}
		close(l.stuck)
		time.Sleep(time.Second)
		_ = l.Stop(t.Context())
		if got := int64(len(l.got)); got < looks-4 {
			t.Errorf("%d results of %d looks", got, looks)
		}
	})
}

func TestStopCancelsPollsAndLosesNoResult(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newFixture(0)
		l.slow[2] = time.Hour
		l.Put(task(1, 1, 10), task(2, 2, 600))
		l.Start(context.Background())
		time.Sleep(10*time.Minute + time.Second)
		before := time.Now()
		_ = l.Stop(t.Context())
		_ = l.Stop(t.Context())
		if time.Since(before) > time.Second {
			t.Errorf("stopping took %v", time.Since(before))
		}
		if counts := l.counts(); counts[1] < 60 || counts[2] > 1 {
			t.Errorf("delivered %v", counts)
		}
		if slices.ContainsFunc(l.got, func(r check.Result) bool { return r.InstanceID == 1 && r.Error != "" }) {
			t.Error("a look was delivered as failed")
		}
	})
	_ = poll.New(poll.Options{}).Stop(t.Context()) // never started
}

func TestFailedPollHasAReason(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newFixture(0)
		l.failing = errors.New("10.0.0.1 refuses the connection")
		l.Put(task(1, 1, 1))
		l.Start(context.Background())
		time.Sleep(1001 * time.Millisecond)
		_ = l.Stop(t.Context())
		if len(l.got) != 1 || l.got[0].Error != "10.0.0.1 refuses the connection" {
			t.Errorf("got %+v", l.got)
		}
	})
}

func TestScheduleIsKeptWhenTheClockIsSet(t *testing.T) {
	for _, by := range []time.Duration{-24 * time.Hour, -90 * time.Second, 3 * time.Hour} {
		t.Run(by.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var off atomic.Int64
				l := newFixtureOn(0, clock.New(func() time.Time { return time.Now().Add(time.Duration(off.Load())) }))
				l.Put(task(1, 1, 60), task(2, 2, 60), task(3, 3, 86400))
				l.Start(context.Background())
				time.Sleep(10 * time.Minute)
				before := l.counts()
				off.Store(int64(by))
				time.Sleep(10 * time.Minute)
				_ = l.Stop(t.Context())
				for _, id := range []int64{1, 2} {
					if n := l.counts()[id] - before[id]; before[id] != 10 || n < 9 || n > 11 {
						t.Errorf("instance %d: %d polls in ten minutes before the clock was set, and %d after", id,
							before[id], n)
					}
				}
			})
		})
	}
}

func TestOverduePollsAreSpreadAfterSleep(t *testing.T) {
	for _, tt := range []struct {
		interval int64 // of the tasks, in seconds
		within   int64 // seconds within which the poller polls each task
	}{{60, 60}, {10, 10}, {300, 60}, {86400, 60}} {
		t.Run(fmt.Sprint(tt.interval), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				const tasks, night = 1000, 30 * time.Hour
				var off atomic.Int64
				l := newFixtureOn(0, clock.New(func() time.Time { return time.Now().Add(time.Duration(off.Load())) }))
				for i := range int64(tasks) {
					l.Put(task(i+1, i+1, tt.interval))
				}
				l.Start(context.Background())
				time.Sleep(5*time.Minute + time.Second/2)
				off.Store(int64(night))
				woken := time.Now().Add(night).Unix()
				time.Sleep(2*time.Minute + time.Second/2)
				_ = l.Stop(t.Context())
				first, second := map[int64]int64{}, map[int64]int{}
				begins := int64(0) // when the poller has noticed the jump in time
				for _, r := range l.got {
					if r.At >= woken && first[r.InstanceID] == 0 {
						begins = cmp.Or(begins, r.At)
						first[r.InstanceID] = r.At
						second[r.At]++
					}
				}
				if len(first) != tasks || begins-woken > 60 {
					t.Errorf("%d of %d are polled, from the second %d on", len(first), tasks, begins-woken)
				}
				for at, n := range second {
					if at-begins > tt.within || int64(n) > 3*tasks/tt.within {
						t.Errorf("%d are polled in the second %d", n, at-begins)
					}
				}
			})
		})
	}
}

func TestTasksAreDueByTheInjectedClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, c := newFixture(0), clock.New(nil)
		l.Poller = poll.New(poll.Options{
			Run: l.look, Clock: c, Log: slog.New(slog.NewTextHandler(io.Discard, nil)),
			Instant: func(*check.Task) bool { return true },
			Deliver: func(_ context.Context, results []check.Result) error {
				l.got = append(l.got, results...)
				return nil
			},
		})
		l.Put(task(1, 1, 60))
		l.Start(context.Background())
		time.Sleep(10 * time.Minute)
		c.SetSpeed(60)
		time.Sleep(time.Minute)
		c.SetSpeed(0)
		time.Sleep(24 * time.Hour)
		c.SetSpeed(1)
		time.Sleep(5 * time.Minute)
		_ = l.Stop(t.Context())
		if got := l.counts()[1]; got != 10+60+5 {
			t.Errorf("%d polls in 10 minutes, another 60 in one, none in a day, and 5 minutes", got)
		}
		for i, r := range l.got[1:] {
			if r.At-l.got[i].At != 60 {
				t.Errorf("polled at %d and %d", l.got[i].At, r.At)
			}
		}
	})
}

func TestPanickingPollFailsAndOthersContinue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		got, reported := map[int64][]string{}, []string{}
		var log bytes.Buffer
		p := poll.New(poll.Options{
			Log: slog.New(slog.DiscardHandler),
			Guard: &service.Guard{
				Log: slog.New(slog.NewTextHandler(&log, nil)),
				Panicked: func(p *service.Panic) {
					mu.Lock()
					defer mu.Unlock()
					reported = append(reported, p.Error())
				},
			},
			Instant: func(t *check.Task) bool { return t.Method == "instant" },
			Run: func(_ context.Context, t *check.Task) (check.Values, error) {
				if t.DeviceID == 1 {
					panic("no such field")
				}
				return check.Values{"id": 1}, nil
			},
			Deliver: func(_ context.Context, results []check.Result) error {
				mu.Lock()
				defer mu.Unlock()
				for _, r := range results {
					got[r.InstanceID] = append(got[r.InstanceID], r.Error)
				}
				return nil
			},
		})
		instant := task(3, 1, 10)
		instant.Method = "instant"
		p.Put(task(1, 1, 10), task(2, 2, 10), instant)
		p.Start(context.Background())
		time.Sleep(20*time.Second + time.Millisecond)
		_ = p.Stop(t.Context())
		broke := "the check failed with an internal error; see the collector's log"
		if want := map[int64][]string{1: {broke, broke}, 2: {"", ""}, 3: {broke, broke}}; !reflect.DeepEqual(
			got, want) {
			t.Errorf("delivered %v, want %v", got, want)
		}
		if lines := strings.Count(log.String(), "\n"); lines != 4 || len(reported) != 4 {
			t.Errorf("%d lines in the log and %q, want four of each", lines, reported)
		}
	})
}

func TestPanickingDeliverLosesOnlyItsResults(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		calls := 0
		p := poll.New(poll.Options{
			Log: slog.New(slog.DiscardHandler), Guard: &service.Guard{Log: slog.New(slog.DiscardHandler)},
			Run: func(context.Context, *check.Task) (check.Values, error) { return nil, nil },
			Deliver: func(context.Context, []check.Result) error {
				if calls++; calls == 1 {
					panic("a result that nobody expects")
				}
				return nil
			},
		})
		p.Put(task(1, 1, 10))
		p.Start(context.Background())
		time.Sleep(30*time.Second + time.Millisecond)
		_ = p.Stop(t.Context())
		if calls != 3 {
			t.Errorf("%d deliveries, want 3", calls)
		}
	})
}
