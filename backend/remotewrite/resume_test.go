package remotewrite_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"spyglass/backend/portal/forward"
	"spyglass/backend/remotewrite"
	"spyglass/backend/resource"
	"spyglass/backend/series"
)

const fjord = "__name__:spyglass_Net_If_out{datasource=Net-If,device=fjord,group=Oslo,instance=eth0} "

// counts waits until the service reports these counts.
func (x *sender) counts(want remotewrite.Stats) {
	x.t.Helper()
	for deadline := time.Now().Add(20 * time.Second); x.s.Stats() != want; <-time.After(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			x.t.Fatalf("it counts %+v, want %+v", x.s.Stats(), want)
		}
	}
}

func (x *sender) mark() *forward.RemoteWriteMark {
	x.t.Helper()
	mark, err := resource.Get(x.t.Context(), x.db, forward.RemoteWriteMarks.Name, forward.RemoteWriteID)
	if err != nil {
		x.t.Fatal(err)
	}
	return mark
}

func TestQueueResumesAfterARestart(t *testing.T) {
	const at = int64(10) // seconds after base
	var now atomic.Int64
	now.Store(at)
	to := newReceiver(t)
	x := newSender(t, remotewrite.Options{Clock: func() time.Time { return time.Unix(base+now.Load(), 0) }})
	x.measure(sample(1, 2, -3600, 9)) // before forwarding was turned on
	x.set(func(r *forward.RemoteWrite) { r.URL = to.URL })
	comes := func(want ...string) {
		t.Helper()
		for i, w := range want {
			want[i] = fjord + w
		}
		if got := to.next(); !reflect.DeepEqual(got, want) {
			t.Fatalf("came %q, want %q", got, want)
		}
	}
	second := func(n int64) string { return time.Unix(base+n, 0).UTC().Format("05.000") }
	x.measure(sample(1, 2, at, 1))
	comes(second(at) + "=1")
	x.until(func(r *forward.RemoteWrite) bool { return r.Sent == 1 })
	crashed := x.mark()
	now.Store(at + 4) // the service resends the second in which it stopped, because more samples may follow in it
	_ = x.s.Stop(x.t.Context())

	x.s.Offer([]series.Sample{sample(1, 2, at+1, 7)}) // no service runs
	if err := x.series.Append(t.Context(), []series.Sample{sample(1, 2, at+1, 2), sample(1, 2, at+2, 3)}); err != nil {
		t.Fatal(err)
	}
	x.start()
	comes(second(at+1) + "=2 " + second(at+2) + "=3")
	x.measure(sample(1, 2, at+3, 4))
	comes(second(at+3) + "=4")
	x.counts(remotewrite.Stats{Sent: 3})
	_ = x.s.Stop(x.t.Context())

	put(x, &forward.RemoteWriteMarks, crashed) // the mark of the first run
	x.start()
	comes(second(at) + "=1 " + second(at+1) + "=2 " + second(at+2) + "=3 " + second(at+3) + "=4")

	x.set(func(r *forward.RemoteWrite) { r.Enabled = false })
	x.until(func(r *forward.RemoteWrite) bool { return r.State == forward.RemoteWriteOff })
	_ = x.s.Stop(x.t.Context())
	if err := x.series.Append(t.Context(), []series.Sample{sample(1, 2, at+4, 5)}); err != nil {
		t.Fatal(err)
	}
	x.start()
	x.set(func(*forward.RemoteWrite) {})
	x.measure(sample(1, 2, at+60, 6))
	comes(second(at+60) + "=6")
}

func TestLateSamplesAreSentAfterACrash(t *testing.T) {
	now := func() time.Time { return time.Unix(base+3600, 0) }
	to := newReceiver(t)
	x := newSender(t, remotewrite.Options{Clock: now})
	x.set(func(r *forward.RemoteWrite) { r.URL = to.URL })
	x.measure(sample(1, 2, 3600, 1))
	to.next()
	x.until(func(r *forward.RemoteWrite) bool { return r.Sent == 1 })
	stored := func(s series.Sample) { // and not offered: the program ends before that
		t.Helper()
		if _, err := x.s.Expect(t.Context(), []series.Sample{s}); err != nil {
			t.Fatal(err)
		}
		if at := int64(x.mark().At); at > s.At {
			t.Fatalf("the mark is %d s after the sample", at-s.At)
		}
		if err := x.series.Append(t.Context(), []series.Sample{s}); err != nil {
			t.Fatal(err)
		}
	}
	stored(sample(1, 2, 3500, 7))
	_ = x.s.Stop(t.Context())
	x.start()
	if got, want := to.next(), []string{fjord + "20.000=7 00.000=1"}; !reflect.DeepEqual(got, want) {
		t.Fatalf("came %q, want %q", got, want)
	}
	_ = x.s.Stop(t.Context())

	var err error
	if x.s, err = remotewrite.New(t.Context(), x.db, x.series, x.o); err != nil {
		t.Fatal(err)
	}
	stored(sample(1, 2, 3490, 6)) // before the service starts
	x.start()
	if got, want := to.next(), []string{fjord + "10.000=6 20.000=7 00.000=1"}; !reflect.DeepEqual(got, want) {
		t.Fatalf("came %q, want %q", got, want)
	}
}

func TestStoppedServiceDoesNotRaiseTheMarkOfAnotherNode(t *testing.T) {
	to := newReceiver(t)
	x := newSender(t, remotewrite.Options{Clock: func() time.Time { return time.Unix(base+3600, 0) }})
	x.set(func(r *forward.RemoteWrite) { r.URL = to.URL })
	x.measure(sample(1, 2, 3600, 1))
	to.next()
	x.until(func(r *forward.RemoteWrite) bool { return r.Sent == 1 })
	_ = x.s.Stop(t.Context())
	other := forward.RemoteWriteMark{ID: forward.RemoteWriteID, At: resource.Seconds(base + 100)}
	if err := x.db.Write(t.Context(), func(tx resource.Tx) error {
		return resource.Put(t.Context(), tx, forward.RemoteWriteMarks.Name, &other)
	}); err != nil {
		t.Fatal(err)
	}
	for at, want := range map[int64]int64{3500: base + 100, 50: base + 50} {
		end, err := x.s.Expect(t.Context(), []series.Sample{sample(1, 2, at, 7)})
		if err != nil {
			t.Fatal(err)
		}
		end()
		if got := int64(x.mark().At); got > want {
			t.Errorf("the mark is %d s later than %d", got-want, want)
		}
	}
}

func TestQueueOverflowsToDisk(t *testing.T) {
	second := make(chan struct{})
	to := newReceiver(t, answer{status: 429, retryAfter: "600"}, answer{status: 204}, answer{status: 204, hold: second})
	x := newSender(t, remotewrite.Options{})
	x.set(func(r *forward.RemoteWrite) { r.URL, r.Batch = to.URL, 20_000 })
	const each, rounds = 15_000, 5
	first := base - each*rounds
	some := func(round int64) (out []series.Sample) {
		for i := range int64(each) {
			for k := range int64(4) {
				out = append(out, series.Sample{Instance: 1 + k/2, DataPoint: 1 + k%2, At: first + round*each +
					i, Value: 1})
			}
		}
		return out
	}
	x.measure(some(0)[:8]...)
	x.until(func(r *forward.RemoteWrite) bool {
		return r.State == forward.RemoteWriteRetrying && int64(r.Since) == first
	})
	x.measure(some(0)[8:]...)
	for round := range int64(rounds - 1) {
		x.measure(some(round + 1)...)
	}
	if got := x.s.Stats(); got.Expired != 0 || got.Waiting != 0 || got.Behind < each*rounds*time.Second/2 {
		t.Errorf("it counts %+v, want no more in memory and none lost", got)
	}
	x.set(func(r *forward.RemoteWrite) { r.URL = to.URL + "/" })
	x.until(func(r *forward.RemoteWrite) bool { return r.State == forward.RemoteWriteBehind && r.Since != 0 })
	close(second)
	const all = 4 * each * rounds
	next := map[string]time.Time{}
	for n := 0; n < all; {
		for _, one := range to.next() {
			name, samples, _ := strings.Cut(one, "} ")
			for text := range strings.FieldsSeq(samples) {
				want := next[name]
				if want.IsZero() {
					want = time.Unix(first, 0).UTC()
				}
				if got := want.Format("05.000") + "=1"; got != text {
					t.Fatalf("%s: came %s, want %s", name, text, got)
				}
				next[name] = want.Add(time.Second)
				n++
			}
		}
	}
	x.counts(remotewrite.Stats{Sent: all, Retries: 1})
}

func TestExpiredSamplesAreDroppedAndCounted(t *testing.T) {
	to, x := newReceiver(t), newSender(t, remotewrite.Options{})
	x.set(func(r *forward.RemoteWrite) { r.URL, r.Keep, r.Batch = to.URL, 1, 10 })
	_ = x.s.Stop(x.t.Context())
	put(x, &forward.RemoteWriteMarks, &forward.RemoteWriteMark{ID: forward.RemoteWriteID,
		At: resource.Seconds(base - 5*3600)})
	var old []series.Sample
	for i := range int64(15) {
		old = append(old, sample(1, 2, -4*3600+i, 1))
	}
	if err := x.series.Append(t.Context(), append(old, sample(99, 2, -4*3600, 1), sample(1, 2, -1800, 2))); err != nil {
		t.Fatal(err)
	}
	x.start()
	if got, want := to.next(), []string{fjord + "00.000=2"}; !reflect.DeepEqual(got, want) {
		t.Errorf("came %q, want %q", got, want)
	}
	row := x.until(func(r *forward.RemoteWrite) bool { return r.Sent == 1 })
	if row.Dropped != 15 || row.State != forward.RemoteWriteBehind {
		t.Errorf("the row is %+v, want 15 that were dropped", row)
	}
}

func TestTurningOffDropsTheQueue(t *testing.T) {
	to := newReceiver(t, answer{status: 429, retryAfter: "600"})
	x := newSender(t, remotewrite.Options{})
	x.set(func(r *forward.RemoteWrite) { r.URL, r.Batch = to.URL, 2 })
	x.measure(sample(1, 2, 0, 1), sample(1, 2, 1, 1))
	x.until(func(r *forward.RemoteWrite) bool { return r.State == forward.RemoteWriteRetrying })
	x.measure(sample(1, 2, 2, 1))
	x.set(func(r *forward.RemoteWrite) { r.Enabled = false })
	x.until(func(r *forward.RemoteWrite) bool { return r.State == forward.RemoteWriteOff })
	if got, want := x.s.Stats(), (remotewrite.Stats{Expired: 3, Retries: 1}); got != want {
		t.Errorf("it counts %+v, want %+v", got, want)
	}
}

func TestRefusalIsLoggedOnce(t *testing.T) {
	to := newReceiver(t, answer{status: 400}, answer{status: 400}, answer{status: 204}, answer{status: 400},
		answer{status: 400})
	var log text
	x := newSender(t, remotewrite.Options{Log: slog.New(slog.NewTextHandler(&log, nil))})
	x.set(func(r *forward.RemoteWrite) { r.URL, r.Batch = to.URL, 1 })
	for i := range int64(5) {
		x.measure(sample(1, 2, i, 1))
	}
	x.counts(remotewrite.Stats{Sent: 1, Refused: 4})
	if n := strings.Count(log.String(), "rejects samples"); n != 2 { // the second warning follows a success
		t.Errorf("it is logged %d times:\n%s", n, log.String())
	}
}

// text is a log for concurrent reads and writes.
type text struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (t *text) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.b.Write(p)
}

func (t *text) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.b.String()
}

// An hour passes instantly in the bubble, because pipes connect to the receiver.
func TestUnreachableReceiverIsRetriedOnceAMinute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		base := time.Now().Unix()
		var tried []time.Duration
		began := time.Now()
		o := remotewrite.Options{Dial: func(context.Context, string, string) (net.Conn, error) {
			tried = append(tried, time.Since(began))
			return nil, errors.New("nobody there")
		}}
		x := newSender(t, o)
		x.set(func(r *forward.RemoteWrite) { r.URL = "http://away.example.net/write" })
		began = time.Now()
		for i := range int64(60) {
			x.measure(series.Sample{Instance: 1, DataPoint: 2, At: base + i*60, Value: 1})
			time.Sleep(time.Minute)
		}
		synctest.Wait()
		var pauses []string
		for i := range tried[1:min(10, len(tried))] {
			pauses = append(pauses, fmt.Sprint(tried[i+1]-tried[i]))
		}
		if want := []string{"1s", "2s", "4s", "8s", "16s", "32s", "1m0s", "1m0s", "1m0s"}; !slices.Equal(pauses,
			want) || len(tried) > 67 {
			t.Errorf("%d attempts after %v, want %v", len(tried), pauses, want)
		}
		row := x.row()
		if row.State != forward.RemoteWriteRetrying || int64(row.Since) != base || row.Dropped != 0 {
			t.Errorf("the row is %+v", row)
		}
		_ = x.s.Stop(x.t.Context())
		_ = x.series.Close()
		_ = x.db.Close()
	})
}
