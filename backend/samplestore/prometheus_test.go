package samplestore_test

import (
	"math"
	"reflect"
	"testing"
	"time"

	"spyglass/backend/samplestore/prometheustest"
	"spyglass/backend/series"
)

// startPrometheus starts a Prometheus for the test.
func startPrometheus(t *testing.T) *prometheustest.Server {
	t.Helper()
	if prometheustest.Missing() {
		t.Skip("Prometheus is not installed (Debian: prometheus)")
	}
	p, err := prometheustest.New(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Kill)
	return p
}

// sent waits until the store has accepted that many samples since its start.
func (f *fixture) sent(n int64) {
	f.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for f.store.Stats().Sent < n {
		select {
		case <-tick.C:
		case <-f.Context().Done():
			f.Fatal("the samples were not sent")
		}
	}
}

func TestPrometheusReturnsEverySampleExactly(t *testing.T) {
	p := startPrometheus(t)
	f := openAt(t, "http://"+p.Address)
	var all []series.Sample
	for i, value := range []float64{0.1, 1.0 / 3, 1e300, -0.25, math.MaxFloat64, math.SmallestNonzeroFloat64, 0,
		12345678.9, math.Inf(1)} {
		all = append(all, at(noon.Add(time.Duration(i)*time.Minute), value))
	}
	late := at(noon.Add(-6*time.Hour), 42) // within the window
	f.measure(all...)
	f.sent(int64(len(all)))
	p.Kill() // away for a while
	f.measure(late)
	missed := at(noon.Add(time.Hour), 7)
	f.measure(missed)
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	f.sent(int64(len(all)) + 2)
	f.now = noon.AddDate(0, 0, 3)
	f.measure(at(f.now, 1))
	f.sent(int64(len(all)) + 3)
	f.retain()
	if f.store.Floor() <= missed.At {
		t.Fatalf("the floor is %v", time.Unix(f.store.Floor(), 0))
	}
	want := []float64{late.Value}
	for _, s := range all {
		want = append(want, s.Value)
	}
	if got := f.values(noon.AddDate(0, 0, -1), f.now); !reflect.DeepEqual(got, append(want, missed.Value)) {
		t.Errorf("got %v, want %v", got, append(want, missed.Value))
	}
	if got := f.values(noon, noon.Add(time.Minute)); !reflect.DeepEqual(got, []float64{0.1}) { // both ends
		t.Errorf("got %v, want the first sample", got)
	}
	if stats := f.store.Stats(); stats.Refused > 0 {
		t.Errorf("%d samples were refused", stats.Refused)
	}
}
