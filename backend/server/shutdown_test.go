package server_test

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"spyglass/backend/fault"
	"spyglass/backend/portal/setting"
	"spyglass/backend/resource"
	"spyglass/backend/server"
)

// TestStopEndsByItsDeadlineDuringABlockedWrite blocks a write. Stop must return without
// it, and the folder must remain locked.
func TestStopEndsByItsDeadlineDuringABlockedWrite(t *testing.T) {
	o := options(t)
	s, err := server.New(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Start(nil); err != nil {
		t.Fatal(err)
	}
	writing, release, written := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	go func() {
		written <- s.DB().Write(context.WithoutCancel(t.Context()), func(resource.Tx) error {
			close(writing)
			<-release
			return nil
		})
	}()
	<-writing

	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	stopped := make(chan error, 1)
	go func() { stopped <- s.Stop(ctx) }()
	select {
	case err := <-stopped:
		if err == nil || !strings.Contains(err.Error(), "portal.db did not stop in time") {
			t.Errorf("it stopped with %v, want a word on portal.db", err)
		}
	case <-time.After(30 * time.Second):
		t.Error("it has not stopped long after its deadline")
	}
	if _, err := server.New(t.Context(), o); !fault.Is(err, fault.Conflict) {
		t.Errorf("while a write is under way the folder is opened again: %v", err)
	}
	close(release)
	<-written
}

func TestRenamedPortalUsesItsNewName(t *testing.T) {
	s := start(t, options(t))
	ctx := resource.WithCall(t.Context(), nil)
	err := s.DB().Write(ctx, func(tx resource.Tx) error {
		settings, err := resource.Get(ctx, tx, setting.Settings.Name, setting.SettingID)
		if err != nil {
			return err
		}
		settings.Name = "Harbour"
		return resource.Put(ctx, tx, setting.Settings.Name, settings)
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := s.PortalName(); got != "Harbour" {
		t.Errorf("the portal is called %q, want Harbour", got)
	}
}

func TestOpenRequestsEndWhenThePortalStops(t *testing.T) {
	tests := []struct {
		name   string
		within time.Duration
		wait   func(ctx context.Context, draining <-chan struct{}) error
		status int
		body   string
	}{
		{"in time", time.Minute, func(_ context.Context, draining <-chan struct{}) error {
			<-draining
			return nil
		}, http.StatusOK, `"done":true`},
		{"too late", time.Millisecond, func(ctx context.Context, _ <-chan struct{}) error {
			<-ctx.Done()
			return ctx.Err()
		}, http.StatusServiceUnavailable, "Spyglass is stopping"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			o := options(t)
			s, err := server.New(t.Context(), o)
			if err != nil {
				t.Fatal(err)
			}
			s.DrainWithin(test.within)
			begun, draining := make(chan struct{}), make(chan struct{})
			slow := resource.Endpoint{Method: http.MethodGet, Path: "/slow", Summary: "Wait",
				Right: resource.Right{Object: resource.Open},
				Handle: func(ctx context.Context, _ *resource.Call) (any, error) {
					close(begun)
					return map[string]bool{"done": true}, test.wait(ctx, draining)
				}}
			if err := s.Start([]resource.Endpoint{slow}); err != nil {
				t.Fatal(err)
			}
			s.OnDrain(func() { close(draining) })
			ended := make(chan error, 1)
			go func() {
				<-begun
				ended <- s.Stop(context.WithoutCancel(t.Context()))
			}()
			response, err := do(t, http.DefaultClient, "GET", s.Origin()+"/explorer/slow", "")
			if r := whole(t, response, err); r.StatusCode != test.status || !strings.Contains(r.text, test.body) {
				t.Fatalf("got %d %s, want %d and %s", r.StatusCode, r.text, test.status, test.body)
			}
			if err := <-ended; err != nil {
				t.Error(err)
			}
		})
	}
}

// TestStoppingPortalServesUntilTheLoadBalancerHasHeardOfIt reads /readyz as a load balancer
// does, and sends requests while the portal announces that it stops. One of them is open
// until /readyz was read during the drain.
func TestStoppingPortalServesUntilTheLoadBalancerHasHeardOfIt(t *testing.T) {
	o := options(t)
	s, err := server.New(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	begun, draining, seen := make(chan struct{}), make(chan struct{}), make(chan struct{})
	slow := resource.Endpoint{Method: http.MethodGet, Path: "/slow", Summary: "Wait",
		Right: resource.Right{Object: resource.Open},
		Handle: func(ctx context.Context, _ *resource.Call) (any, error) {
			close(begun)
			select {
			case <-seen:
				return map[string]bool{"done": true}, nil
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		}}
	if err := s.Start([]resource.Endpoint{slow}); err != nil {
		t.Fatal(err)
	}
	s.OnDrain(func() { close(draining) })
	bearer := token(t, o, "admin")
	read := func(path string) (status int, closes bool) {
		response, err := do(t, http.DefaultClient, "GET", s.Origin()+path, "", "Authorization", "Bearer "+bearer)
		r := whole(t, response, err)
		return r.StatusCode, r.Close
	}
	if status, closes := read("/readyz"); status != http.StatusOK || closes {
		t.Fatalf("/readyz returns %d, and closes: %t", status, closes)
	}
	opened := make(chan int, 1)
	go func() {
		defer close(opened)
		status, _ := read("/explorer/slow")
		opened <- status
	}()
	<-begun
	ended := make(chan error, 1)
	go func() { ended <- s.Stop(context.WithoutCancel(t.Context())) }()
	for {
		if status, _ := read("/readyz"); status == http.StatusNotFound {
			break
		}
	}
	for _, path := range []string{"/api/setting/version", "/api/device/devices"} {
		if status, closes := read(path); status != http.StatusOK || !closes {
			t.Errorf("%s returns %d while the portal stops, want 200; closes the connection: %t, want true", path,
				status, closes)
		}
	}
	<-draining
	if status, _ := read("/readyz"); status != http.StatusNotFound {
		t.Errorf("/readyz returns %d while a request is open, want 404", status)
	}
	close(seen)
	if status := <-opened; status != http.StatusOK {
		t.Errorf("the open request got %d, want 200", status)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
