package explorer

import (
	"context"
	"net/url"
	"slices"
	"strings"
	"sync"
)

// hop is a redirect that was followed.
type hop struct {
	Status   int    `json:"status"`
	Location string `json:"location"`
}

// trail collects the redirects of one request. The client follows them on a
// goroutine of its own.
type trail struct {
	mu   sync.Mutex
	hops []hop
}

type trailKey struct{}

// watch returns a context for the request to follow.
func (t *trail) watch(ctx context.Context) context.Context {
	return context.WithValue(ctx, trailKey{}, t)
}

func (t *trail) add(status int, to *url.URL) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.hops = append(t.hops, hop{status, to.RequestURI()})
}

// taken are the hops so far, without what must not be shown.
func (t *trail) taken(secret func(string) bool) []hop {
	t.mu.Lock()
	defer t.mu.Unlock()
	out := slices.Clone(t.hops)
	for i := range out {
		if path, _, found := strings.Cut(out[i].Location, "?"); found && secret(out[i].Location) {
			out[i].Location = path + "?…"
		}
	}
	if out == nil {
		out = []hop{}
	}
	return out
}
