package service_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"spyglass/backend/service"
)

// recorder keeps the log lines and reports of a guard.
type recorder struct {
	mu     sync.Mutex
	log    bytes.Buffer
	events []string
}

func (r *recorder) Write(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.log.Write(p)
}

func (r *recorder) note(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.events = append(r.events, fmt.Sprintf(format, args...))
}

func (r *recorder) guard() *service.Guard {
	return &service.Guard{
		Log:       slog.New(slog.NewTextHandler(r, nil)),
		Panicked:  func(p *service.Panic) { r.note("%v", p) },
		Recovered: func(task string) { r.note("%s recovered", task) },
	}
}

func (r *recorder) expect(t *testing.T, lines int, events ...string) {
	t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	if got := strings.Count(r.log.String(), "\n"); got != lines {
		t.Errorf("%d lines in the log, want %d:\n%s", got, lines, r.log.String())
	}
	if got, want := fmt.Sprint(r.events), fmt.Sprint(events); got != want {
		t.Errorf("reported %s, want %s", got, want)
	}
}

func TestPanicEndsOnlyItsTaskWithOneLogLineAndOneReport(t *testing.T) {
	r := &recorder{}
	g := service.Group{Guard: r.guard()}
	goOn, done := make(chan struct{}), false
	g.Go("other", func() { <-goOn; done = true })
	broken := make(chan struct{})
	g.Go("broken", func() { defer close(broken); panic("index out of range") })
	<-broken
	close(goOn)
	g.Wait()
	if !done {
		t.Error("the other task did not run to its end")
	}
	r.expect(t, 1, "broken panicked: index out of range")
	for _, want := range []string{"task=broken", `panic="index out of range"`, "service_test.go"} {
		if !strings.Contains(r.log.String(), want) {
			t.Errorf("the log line lacks %q:\n%s", want, r.log.String())
		}
	}
}

func TestTaskRecoversAfterTenMinutesWithoutAPanic(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &recorder{}
		g := service.Group{Guard: r.guard()}
		run := func(do func()) { g.Go("report", do); g.Wait() }
		well, ill := func() {}, func() { panic("no rows") }
		run(ill)
		run(well)
		time.Sleep(9 * time.Minute)
		run(ill)
		time.Sleep(time.Hour) // it did not run in the meantime
		r.expect(t, 2, "report panicked: no rows", "report panicked: no rows")
		run(well)
		run(well)
		r.expect(t, 2, "report panicked: no rows", "report panicked: no rows", "report recovered")
		run(ill)
		run(well)
		time.Sleep(service.Steady)
		synctest.Wait()
		r.expect(t, 3, "report panicked: no rows", "report panicked: no rows", "report recovered",
			"report panicked: no rows", "report recovered")
	})
}

func TestPanicOfAPartPropagatesToItsCaller(t *testing.T) {
	var parts service.Parts
	ended := false
	parts.Go(func() { panic("no such row") })
	parts.Go(func() { ended = true })
	defer func() {
		value := fmt.Sprint(recover())
		if !ended || !strings.HasPrefix(value, "no such row\n") || !strings.Contains(value, "service_test.go") {
			t.Errorf("the other part ended: %v; the caller's panic is\n%s", ended, value)
		}
	}()
	parts.Wait()
	t.Error("Wait returned")
}

func TestPersistentTaskRestartsWithBackoff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &recorder{}
		g := service.Group{Guard: r.guard()}
		began, starts := time.Now(), []time.Duration{}
		g.Keep("loop", func(ctx context.Context) {
			starts = append(starts, time.Since(began))
			if len(starts) < 9 {
				panic(len(starts))
			}
			<-ctx.Done()
		})
		time.Sleep(5*time.Minute + service.Steady)
		if err := g.Stop(t.Context()); err != nil {
			t.Error(err)
		}
		want := "[0s 1s 3s 7s 15s 31s 1m3s 2m3s 3m3s]"
		if got := fmt.Sprint(starts); got != want {
			t.Errorf("started after %s, want %s", got, want)
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		if last := r.events[len(r.events)-1]; len(r.events) != 9 || last != "loop recovered" {
			t.Errorf("reported %q, want eight panics and the recovery", r.events)
		}
	})
}

func TestFinishedOrStoppedTaskDoesNotRestart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		g, starts := service.Group{Guard: (&recorder{}).guard(), Parent: ctx}, 0
		g.Keep("loop", func(context.Context) { starts++ })
		g.Wait()
		g.Keep("other", func(context.Context) { starts++; cancel(); panic("while it stops") })
		g.Wait()
		g.Keep("late", func(context.Context) { starts++ })
		g.Wait()
		if starts != 2 {
			t.Errorf("%d starts, want 2", starts)
		}
	})
}

func TestStopNamesRunningTasks(t *testing.T) {
	g, end := service.Group{}, make(chan struct{})
	for _, name := range []string{"reports", "notices", "reports"} {
		g.Go(name, func() { <-end })
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("10 seconds are over"))
	err := g.Stop(ctx)
	if want := "still running: notices, reports: 10 seconds are over"; err == nil || err.Error() != want {
		t.Errorf("Stop: %v, want %s", err, want)
	}
	close(end)
	g.Wait()
	if err := g.Stop(ctx); err != nil {
		t.Errorf("Stop with nothing under way: %v", err)
	}
}
