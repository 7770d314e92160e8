//go:build unix

package monitor_test

import (
	"fmt"
	"os"
	"testing"

	"spyglass/backend/check"
	"spyglass/backend/portal/ground"
)

// away moves files away, so that their databases fail; back restores them.
func (b *bench) away(files ...string) (back func()) {
	b.Helper()
	move := func(from, to string) {
		for _, file := range files {
			if err := os.Rename(file+from, file+to); err != nil {
				b.Fatal(err)
			}
		}
	}
	move("", "-away")
	return func() { b.Helper(); move("-away", "") }
}

// tryTake sends the engine a result, and reports whether the engine stored it.
func (b *bench) tryTake() (kept bool) {
	b.at.Add(60)
	r := check.Result{InstanceID: b.instance(realDevice), At: b.at.Load(), Values: check.Values{"level": 5}}
	return b.Take(b.Context(), ground.BuiltInCollector, []check.Result{r}) == nil
}

func TestFailedSampleWritesAreOnePortalAlert(t *testing.T) {
	b := newBench(t)
	file := b.seriesPath
	b.take(check.Values{"level": 5}, nil)
	cause := file + " was deleted or replaced while Spyglass is running; nothing was written. Stop Spyglass, put " +
		"the data folder back, and start it again"
	alone := "sampleslocalhost %v: The portal cannot store samples: " + cause +
		". New samples are lost."
	later := "\nsampleslocalhost %v: The portal could not store 2 samples from 2026-09-21 14:19:20 to 2026-09-21 " +
		"14:20:20 UTC: " + cause + "."

	back := b.away(file)
	for range 3 {
		if b.tryTake() {
			t.Error("samples without a file are kept")
		}
	}
	if got, want := b.reasons(), fmt.Sprintf(alone, false); got != want {
		t.Errorf("lost:\n got %s\nwant %s", got, want)
	}
	back()
	b.take(check.Values{"level": 5}, nil)
	if got, want := b.reasons(), fmt.Sprintf(alone, true); got != want {
		t.Errorf("kept again:\n got %s\nwant %s", got, want)
	}

	back = b.away(file, b.path) // the engine cannot write the alert either
	b.tryTake()
	b.tryTake()
	back()
	b.take(check.Values{"level": 5}, nil)
	if got, want := b.reasons(), fmt.Sprintf(alone+later, true, false); got != want {
		t.Errorf("room again:\n got %s\nwant %s", got, want)
	}
	b.take(check.Values{"level": 5}, nil)
	if got, want := b.reasons(), fmt.Sprintf(alone+later, true, true); got != want {
		t.Errorf("in the end:\n got %s\nwant %s", got, want)
	}
}
