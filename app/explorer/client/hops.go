package client

import (
	"context"
	"net/url"
	"slices"
	"strings"
	"sync"
)

// Hop is a redirect that was followed.
type Hop struct {
	Status   int    `json:"status"`
	Location string `json:"location"`
}

// Trail collects the redirects of one request. The client follows them on its own
// goroutine.
type Trail struct {
	mu   sync.Mutex
	hops []Hop
}

type trailKey struct{}

// Watch returns a context for the request to follow.
func (t *Trail) Watch(ctx context.Context) context.Context {
	return context.WithValue(ctx, trailKey{}, t)
}

func (t *Trail) add(status int, to *url.URL) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.hops = append(t.hops, Hop{status, to.RequestURI()})
}

// Taken returns the redirects so far, with secrets masked.
func (t *Trail) Taken(secret func(string) bool) []Hop {
	t.mu.Lock()
	defer t.mu.Unlock()
	out := slices.Clone(t.hops)
	for i := range out {
		if path, _, found := strings.Cut(out[i].Location, "?"); found && secret(out[i].Location) {
			out[i].Location = path + "?…"
		}
	}
	if out == nil {
		out = []Hop{}
	}
	return out
}
