package clock_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"spyglass/backend/clock"
)

func TestClockIsAcceleratedPausedAndSet(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, began := clock.New(nil), time.Now()
		passed := func(want time.Duration) {
			t.Helper()
			if got := c.Now().Sub(began); got != want {
				t.Errorf("%v have passed, want %v", got, want)
			}
		}
		time.Sleep(time.Minute)
		passed(time.Minute)
		c.SetSpeed(60)
		time.Sleep(time.Minute)
		passed(61 * time.Minute)
		c.SetSpeed(0)
		time.Sleep(time.Hour)
		passed(61 * time.Minute)
		c.SetSpeed(1)
		time.Sleep(time.Minute)
		passed(62 * time.Minute)
		c.SetTime(began.Add(24 * time.Hour))
		time.Sleep(time.Minute)
		passed(24*time.Hour + time.Minute)
		c.Follow()
		passed(64 * time.Minute)
	})
}

func TestSleepFollowsTheSpeed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, began := clock.New(nil), time.Now()
		slept := make(chan time.Duration)
		sleep := func(ctx context.Context) {
			go func() {
				c.Sleep(ctx, time.Hour, nil)
				slept <- time.Since(began)
			}()
		}
		sleep(t.Context())
		time.Sleep(30 * time.Minute)
		c.SetSpeed(60)
		if took := <-slept; took != 30*time.Minute+30*time.Second {
			t.Errorf("an hour of which half was 60 times as fast took %v", took)
		}
		c.SetSpeed(0)
		began = time.Now()
		ctx, cancel := context.WithCancel(t.Context())
		sleep(ctx)
		time.Sleep(48 * time.Hour)
		cancel()
		if took := <-slept; took != 48*time.Hour {
			t.Errorf("a paused clock woke a sleeper after %v", took)
		}
	})
}
