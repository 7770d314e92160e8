package agent_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"spyglass/backend/agent"
	"spyglass/backend/check"
)

// giver is a portal that assigns a given number of devices to a collector,
// without using the network.
type giver struct {
	mu      sync.Mutex
	devices int
	fetched time.Time // time of the collector's last fetch of a changed number
	tag     string
}

func (g *giver) RoundTrip(r *http.Request) (*http.Response, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	w := httptest.NewRecorder()
	switch {
	case strings.HasSuffix(r.URL.Path, "/register"):
		_, _ = io.WriteString(w, `{"collectorId":3,"token":"col_3_own","heartbeat":15}`)
	case strings.HasSuffix(r.URL.Path, "/heartbeat"):
		fmt.Fprintf(w, `{"nowMillis":%d,"heartbeat":15,"devices":%d}`, time.Now().UnixMilli(), g.devices)
	case strings.HasSuffix(r.URL.Path, "/assignments"):
		var items []string
		for i := range g.devices {
			items = append(items,
				fmt.Sprintf(`{"instanceId":%d,"deviceId":%d,"method":"count","interval":60}`, i+1, i+1))
		}
		if tag := fmt.Sprintf(`"%d"`, g.devices); tag != g.tag {
			g.tag, g.fetched = tag, time.Now()
		}
		w.Header().Set("ETag", g.tag)
		fmt.Fprintf(w, `{"items":[%s]}`, strings.Join(items, ","))
	default:
		_, _ = io.WriteString(w, `{"items":[]}`)
	}
	return w.Result(), nil
}

func TestReconnectedCollectorFetchesItsDevicesAtOnce(t *testing.T) {
	folder := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		g := &giver{devices: 1}
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		began := time.Now()
		go func() {
			ended <- agent.Run(ctx, agent.Options{
				Folder: folder, Portal: "https://portal.example", Token: "col_3_install",
				Client: &http.Client{Transport: g},
				Log:    slog.New(slog.NewTextHandler(io.Discard, nil)),
				Checks: []check.Check{
					{Name: "count", Run: func(context.Context, *check.Task) (check.Values, error) {
						return check.Values{}, nil
					}}},
			})
		}()
		within := func(when string, from time.Time, limit time.Duration) {
			t.Helper()
			time.Sleep(limit + time.Second)
			synctest.Wait()
			g.mu.Lock()
			defer g.mu.Unlock()
			if took := g.fetched.Sub(from); took < 0 || took > limit {
				t.Errorf("%s: devices are fetched after %v, want at most %v", when, took, limit)
			}
		}
		within("at the start", began, 0)
		for n := range 5 { // at varying times between two heartbeats
			time.Sleep(time.Duration(20+3*n) * time.Second)
			g.mu.Lock()
			g.devices++
			g.mu.Unlock()
			within("while it runs", time.Now(), 15*time.Second)
		}
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}
