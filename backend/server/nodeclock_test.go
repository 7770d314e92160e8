package server

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"
)

func TestNodeTakesTheClockOfTheDatabaseIfItsOwnIsWrong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var wrong, delay time.Duration
		var failed error
		c := &nodeClock{machine: func() time.Time { return time.Now().Add(wrong) }, log: slog.New(slog.DiscardHandler)}
		database := func(context.Context) (time.Time, error) {
			time.Sleep(delay / 2)
			at := time.Now()
			time.Sleep(delay / 2)
			return at, failed
		}
		for _, step := range []struct {
			name         string
			wrong, delay time.Duration
			failed       error
			off          time.Duration // of the node afterwards
		}{
			{name: "right"},
			{name: "a little wrong", wrong: time.Second, off: time.Second},
			{name: "an hour ahead", wrong: time.Hour},
			{name: "drifting", wrong: time.Hour + time.Second, off: time.Second},
			{name: "drifted", wrong: time.Hour + 3*time.Second, delay: 100 * time.Millisecond},
			{name: "a database that is away", wrong: time.Hour, failed: errors.New("away"), off: -3 * time.Second},
			{name: "a database that is slow", wrong: time.Hour, delay: 4 * time.Second, off: -3 * time.Second},
			{name: "an hour behind", wrong: -time.Hour},
			{name: "right again"},
		} {
			wrong, delay, failed = step.wrong, step.delay, step.failed
			if err := c.compare(t.Context(), database); !errors.Is(err, step.failed) {
				t.Errorf("%s: %v", step.name, err)
			}
			if off := time.Until(c.now()); off != step.off {
				t.Errorf("%s: the clock is off by %v, want %v", step.name, off, step.off)
			}
		}
	})
}
