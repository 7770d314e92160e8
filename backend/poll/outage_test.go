package poll_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"spyglass/backend/check"
	"spyglass/backend/poll"
)

// network simulates devices 1, 2 …, which respond immediately, or not within
// timeOut.
type network struct {
	*poll.Poller
	mu     sync.Mutex
	down   bool
	silent map[int64]bool // devices that do not respond
	got    []arrival
}

// arrival is a result with the time of its delivery.
type arrival struct {
	check.Result
	on time.Time
}

const timeOut = 5 * time.Second

func newNetwork(interval int64, hosts ...string) *network {
	n := &network{silent: map[int64]bool{}}
	n.Poller = poll.New(poll.Options{
		Log: slog.New(slog.NewTextHandler(io.Discard, nil)), Name: "The portal", Run: n.look,
		Deliver: func(_ context.Context, results []check.Result) error {
			n.mu.Lock()
			defer n.mu.Unlock()
			for _, r := range results {
				n.got = append(n.got, arrival{r, time.Now()})
			}
			return nil
		},
	})
	for i, host := range hosts {
		id := int64(i + 1)
		n.Put(&check.Task{InstanceID: id, DeviceID: id, DataSourceID: 1, Method: "tcp", Host: host, Interval: interval})
	}
	n.Start(context.Background())
	return n
}

func (n *network) look(ctx context.Context, t *check.Task) (check.Values, error) {
	n.mu.Lock()
	silent := n.down && !strings.HasPrefix(t.Host, "127.") || n.silent[t.DeviceID]
	n.mu.Unlock()
	if silent {
		late, cancel := context.WithTimeout(ctx, timeOut)
		defer cancel()
		<-late.Done()
		return check.Values{"status": 0}, &check.Failure{Text: "no response", Silent: true}
	}
	return check.Values{"status": 1}, nil
}

func (n *network) set(down bool, silent ...int64) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.down = down
	for _, id := range silent {
		n.silent[id] = true
	}
}

// since returns the deliveries since the last call, one letter per result
// of each device: r for a response, R for the first response after an outage, s for
// silence, and o for an outage.
func (n *network) since() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	of := map[int64]string{}
	for _, a := range n.got {
		letter := "s"
		switch {
		case a.Local == check.LocalUplink && a.Values == nil:
			letter = "o"
		case a.Reached:
			letter = "R"
		case *a.Responded:
			letter = "r"
		}
		of[a.InstanceID] += letter
	}
	n.got = nil
	return fmt.Sprint(of)
}

func hosts(n int) (all []string) {
	for i := range n {
		all = append(all, fmt.Sprintf("d%d.example", i+1))
	}
	return all
}

func TestSilenceOfAllDevicesIsALocalOutage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNetwork(60, append(hosts(5), "127.0.0.1")...)
		defer n.Stop(t.Context())
		n.set(false, 5)
		step := func(when, want string) {
			t.Helper()
			if got := n.since(); got != want {
				t.Errorf("%s: got %s, want %s", when, got, want)
			}
		}
		time.Sleep(time.Minute + timeOut)
		synctest.Wait()
		if got := n.since(); !strings.HasPrefix(got, "map[1:r") || strings.Count(got, "o") != 0 ||
			!strings.Contains(got, "5:s") {
			t.Errorf("at first: got %s", got)
		}
		n.set(true)
		time.Sleep(4 * time.Minute)
		synctest.Wait()
		n.mu.Lock()
		for _, a := range n.got {
			const want = "The portal has had no response from any of its 4 devices since 00:01 UTC. Check its " +
				"network connection."
			if a.Local != "" && a.Error != want {
				t.Errorf("it says %q, want %q", a.Error, want)
			}
		}
		n.mu.Unlock()
		got := n.since()
		for _, want := range []string{"1:oooo", "2:oooo", "3:oooo", "4:oooo", "6:rrrr"} {
			if !strings.Contains(got, want) {
				t.Errorf("in the outage: got %s, want %s in it", got, want)
			}
		}
		if strings.Count(got, "s") > 1 {
			t.Errorf("in the outage: got %s, want no silence but of device 5, once", got)
		}
		n.set(false)
		time.Sleep(time.Minute + timeOut)
		synctest.Wait()
		got = n.since()
		if strings.Count(got, "R") != 1 || strings.Contains(got, "s ") && strings.Count(got, "s") > 2 {
			t.Errorf("when it is over: got %s", got)
		}
		time.Sleep(2 * time.Minute)
		step("later", "map[1:rr 2:rr 3:rr 4:rr 5:ss 6:rr]")
	})
}

func TestSingleSilentDeviceIsReportedWithoutDelay(t *testing.T) {
	for _, interval := range []int64{10, 60, 300} {
		synctest.Test(t, func(t *testing.T) {
			const half = 10
			n := newNetwork(interval, hosts(2*half)...)
			defer n.Stop(t.Context())
			every := time.Duration(interval) * time.Second
			time.Sleep(every + time.Second)
			synctest.Wait()
			n.since()
			var ids []int64
			for i := range int64(half) {
				ids = append(ids, 2*i+1)
			}
			n.set(false, ids...)
			time.Sleep(every + timeOut + time.Second)
			synctest.Wait()
			n.mu.Lock()
			defer n.mu.Unlock()
			var silent []int64
			for _, a := range n.got {
				if a.Local != "" {
					t.Errorf("device %d: %s", a.InstanceID, a.Error)
				}
				if *a.Responded || slices.Contains(silent, a.InstanceID) {
					continue
				}
				silent = append(silent, a.InstanceID)
				if late := a.on.Sub(time.Unix(a.At, 0)) - timeOut; late > 2*time.Second { // At is in whole seconds
					t.Errorf("every %d s: the silence of device %d is delivered %v late", interval, a.InstanceID, late)
				}
			}
			slices.Sort(silent)
			if !slices.Equal(silent, ids) {
				t.Errorf("every %d s: %v are silent, want %v", interval, silent, ids)
			}
		})
	}
}

func TestOutageIsDetectedWithinAMinuteAtAnyInterval(t *testing.T) {
	for _, tt := range []struct {
		interval int64
		within   time.Duration // after the first silence
	}{{5, 6 * time.Second}, {60, 6 * time.Second}, {3600, 6 * time.Second}} {
		synctest.Test(t, func(t *testing.T) {
			n := newNetwork(tt.interval, hosts(6)...)
			defer n.Stop(t.Context())
			every := time.Duration(tt.interval) * time.Second
			time.Sleep(every + time.Second)
			synctest.Wait()
			n.since()
			n.set(true)
			time.Sleep(every + timeOut + tt.within)
			synctest.Wait()
			if got := n.since(); strings.Contains(got, "s") || !strings.Contains(got, "6:o") {
				t.Errorf("every %d s: got %s", tt.interval, got)
			}
		})
	}
}

func TestOneOrTwoDevicesAreNoOutage(t *testing.T) {
	for _, tt := range []struct {
		hosts []string
		want  string
	}{
		{hosts(1), "map[1:s]"},
		{hosts(2), "map[1:s 2:s]"},
		{append(hosts(2), "127.0.0.1", "localhost"), "map[1:s 2:s 3:s 4:s]"},
	} {
		synctest.Test(t, func(t *testing.T) {
			n := newNetwork(60, tt.hosts...)
			defer n.Stop(t.Context())
			time.Sleep(time.Minute)
			synctest.Wait()
			n.since()
			n.set(true, 1, 2, 3, 4)
			time.Sleep(time.Minute + timeOut)
			synctest.Wait()
			if got := n.since(); got != tt.want {
				t.Errorf("%v: got %s, want %s", tt.hosts, got, tt.want)
			}
		})
	}
}

func TestPollRunningAtTheEndOfAnOutageIsIgnored(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNetwork(10, hosts(8)...)
		defer n.Stop(t.Context())
		time.Sleep(10 * time.Second)
		for range 20 { // stops at a random moment of a check
			n.set(true)
			time.Sleep(33 * time.Second)
			n.set(false)
			time.Sleep(21*time.Second + 300*time.Millisecond)
		}
		synctest.Wait()
		if got := n.since(); strings.Contains(got, "s") || strings.Count(got, "R") != 20 {
			t.Errorf("got %s, want 20 outages and no silence of a device", got)
		}
	})
}

func TestFailureWithAResponseIsNotHeld(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newFixture(0)
		for i, host := range hosts(4) {
			id := int64(i + 1)
			l.Put(&check.Task{InstanceID: id, DeviceID: id, Host: host, Interval: 60})
		}
		l.Start(context.Background())
		time.Sleep(time.Minute)
		l.mu.Lock()
		l.got, l.failing = nil, errors.New("the port is not a number")
		l.mu.Unlock()
		time.Sleep(time.Minute)
		_ = l.Stop(t.Context())
		if got, want := fmt.Sprint(l.counts()), "map[1:1 2:1 3:1 4:1]"; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	})
}
