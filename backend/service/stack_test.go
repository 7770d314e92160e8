package service_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"testing"
	"testing/synctest"
	"time"

	"spyglass/backend/service"
)

// log records the calls of services in order.
type log []string

func (l *log) note(format string, args ...any) { *l = append(*l, fmt.Sprintf(format, args...)) }

// floor is a service that records its start and stop.
func (l *log) floor(name string) service.Service {
	return service.Service{Name: name,
		Start: func(context.Context) { l.note("start %s", name) },
		Stop:  func(context.Context) error { l.note("stop %s", name); return nil }}
}

func (l *log) expect(t *testing.T, want ...string) {
	t.Helper()
	if !reflect.DeepEqual([]string(*l), want) {
		t.Errorf("got  %q\nwant %q", *l, want)
	}
}

func TestServicesStartInOrderAndStopOnceInReverse(t *testing.T) {
	var l log
	var s service.Stack
	s.Add(l.floor("database"), service.Service{Name: "nothing"}, l.floor("monitor"))
	s.Add(l.floor("HTTP"))
	if err := s.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := s.Stop(t.Context()); err != nil {
			t.Error(err)
		}
	}
	l.expect(t, "start database", "start monitor", "start HTTP", "stop HTTP", "stop monitor", "stop database")
}

func TestUnstartedServicesAreStopped(t *testing.T) {
	var l log
	var s service.Stack
	s.Add(l.floor("database"), l.floor("HTTP"))
	if err := s.Stop(t.Context()); err != nil {
		t.Error(err)
	}
	l.expect(t, "stop HTTP", "stop database")
}

func TestFailedStartStopsTheStartedServices(t *testing.T) {
	var l log
	r := &recorder{}
	s := service.Stack{Guard: r.guard()}
	broken := l.floor("HTTP")
	broken.Start = func(context.Context) { panic("no port") }
	s.Add(l.floor("database"), broken, l.floor("control"))
	const want = "start HTTP panicked: no port"
	if err := s.Start(t.Context()); err == nil || err.Error() != want {
		t.Errorf("Start returns %v, want %s", err, want)
	}
	l.expect(t, "start database", "stop control", "stop HTTP", "stop database")
	r.expect(t, 1, want)
}

func TestStoppingServicesShareOneDeadline(t *testing.T) {
	for _, tt := range []struct {
		within time.Duration // time limit of the context; 0: none
		want   []time.Duration
	}{
		{16 * time.Second, []time.Duration{8 * time.Second, 4 * time.Second, 2 * time.Second}},
		{0, []time.Duration{service.StopWithin / 2, service.StopWithin / 4, service.StopWithin / 8}},
	} {
		synctest.Test(t, func(t *testing.T) {
			ctx, end := context.WithCancel(t.Context())
			if tt.within > 0 {
				limited, cancel := context.WithTimeout(ctx, tt.within)
				defer cancel()
				ctx = limited
			}
			end() // the program stops for this reason
			release, had := make(chan struct{}), make(chan time.Duration, 3)
			defer close(release)
			hang := func(ctx context.Context) error {
				deadline, _ := ctx.Deadline()
				had <- time.Until(deadline)
				<-release
				return nil
			}
			var s service.Stack
			s.Add(service.Service{Name: "database", Stop: hang}, service.Service{Name: "monitor", Stop: hang},
				service.Service{Name: "HTTP", Stop: hang})
			err := s.Stop(ctx)
			const want = "HTTP did not stop in time\nmonitor did not stop in time\ndatabase did not stop in time"
			if err == nil || err.Error() != want {
				t.Errorf("Stop returns %v, want %s", err, want)
			}
			if got := []time.Duration{<-had, <-had, <-had}; !reflect.DeepEqual(got, tt.want) {
				t.Errorf("they had %v, want %v", got, tt.want)
			}
		})
	}
}

func TestFailedStopDoesNotPreventOtherStops(t *testing.T) {
	var l log
	r := &recorder{}
	s := service.Stack{Guard: r.guard()}
	s.Add(l.floor("database"),
		service.Service{Name: "reports", Stop: func(context.Context) error { panic("no rows") }},
		service.Service{Name: "notices", Stop: func(context.Context) error { return errors.New("two are lost") }})
	err := s.Stop(t.Context())
	if want := "two are lost\nstop reports panicked: no rows"; err == nil || err.Error() != want {
		t.Errorf("Stop returns %v, want %s", err, want)
	}
	l.expect(t, "stop database")
	r.expect(t, 1, "stop reports panicked: no rows")
}
