package api

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"
)

// witness is an Observer that remembers.
type witness struct {
	mu   sync.Mutex
	seen []string
	told chan string
}

func (w *witness) Answered(method string, status int, took time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if took <= 0 {
		method = "at once: " + method
	}
	w.seen = append(w.seen, fmt.Sprintf("%s %d", method, status))
}

func (w *witness) Listens(more int) { w.told <- fmt.Sprint(more) }

func TestEveryAnswerAndEveryListenerIsSeen(t *testing.T) {
	w := &witness{told: make(chan string, 2)}
	p := newPortal(t, func(o *Options) { o.Observer = w })
	for _, request := range []string{"GET /", "GET /api/nothing", "GET /api/device/devices",
		"DELETE /api/device/devices"} {
		p.ask(request, "admin", "")
	}
	_, body := p.listen("admin")
	if more := <-w.told; more != "1" {
		t.Errorf("a stream began with %s", more)
	}
	must(t, body.Close())
	if more := <-w.told; more != "-1" {
		t.Errorf("a stream ended with %s", more)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if want := []string{"GET 200", "GET 404", "GET 200", "DELETE 405", "GET 200"}; !slices.Equal(w.seen, want) {
		t.Errorf("it saw %q, want %q", w.seen, want)
	}
}
