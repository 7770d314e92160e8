package api

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"spyglass/backend/fault"
	"spyglass/backend/resource"
)

// witness is an Observer that records its calls.
type witness struct {
	mu     sync.Mutex
	seen   []string
	counts chan string
}

func (w *witness) Responded(method string, status int, took time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if took <= 0 {
		method = "at once: " + method
	}
	w.seen = append(w.seen, fmt.Sprintf("%s %d", method, status))
}

func (w *witness) Listens(more int) { w.counts <- fmt.Sprint(more) }

func TestAPIIncidentsDoNotAffectSignInAndTheCatalog(t *testing.T) {
	p := newPortal(t, func(o *Options) {
		o.Trouble = func(_ context.Context, e *resource.Endpoint) error {
			if e.Steady {
				return nil
			}
			return fault.New(fault.TooMany, "trouble")
		}
	})
	for request, want := range map[string]int{"GET /api/openapi.json": 200, "GET /api/session": 200,
		"GET /explorer/echo": 200, "GET /api/device/devices": 429, "GET /santaba/rest/device/devices": 429} {
		if response, text := p.request(request, "admin", ""); response.StatusCode != want {
			t.Errorf("%s returns %d %.200s, want %d", request, response.StatusCode, text, want)
		}
	}
}

func TestMetricsCountEveryResponseAndListener(t *testing.T) {
	w := &witness{counts: make(chan string, 2)}
	p := newPortal(t, func(o *Options) { o.Observer = w })
	for _, request := range []string{"GET /", "GET /api/nothing", "GET /api/device/devices",
		"DELETE /api/device/devices"} {
		p.request(request, "admin", "")
	}
	_, body := p.listen("admin")
	if more := <-w.counts; more != "1" {
		t.Errorf("a stream began with %s", more)
	}
	must(t, body.Close())
	if more := <-w.counts; more != "-1" {
		t.Errorf("a stream ended with %s", more)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if want := []string{"GET 200", "GET 404", "GET 200", "DELETE 405", "GET 200"}; !slices.Equal(w.seen, want) {
		t.Errorf("it saw %q, want %q", w.seen, want)
	}
}
