package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"spyglass/backend/agent"
	"spyglass/backend/check"
)

// portal implements the API that collectors use.
type portal struct {
	mu     sync.Mutex
	away   bool
	taken  []check.Result
	posts  chan struct{}
	beats  int
	secret string
}

func (p *portal) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	response := func(status int, body string) {
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
	switch {
	case p.away:
		response(503, "gone fishing")
	case strings.HasSuffix(r.URL.Path, "/register"):
		p.secret = "col_3_own"
		response(200, `{"collectorId":3,"token":"col_3_own","heartbeat":30}`)
	case r.Header.Get("Authorization") != "Bearer "+p.secret:
		response(401, `{"errorMessage":"the API token is not valid","errorCode":1401}`)
	case r.URL.Path == "/api/setting/collectors/3/heartbeat":
		p.beats++
		response(200, `{"now":1,"heartbeat":30}`)
	case r.URL.Path == "/api/setting/collectors/3/assignments":
		w.Header().Set("ETag", `"1"`)
		response(200, `{"total":1,"items":[{"instanceId":7,"deviceId":1,"method":"count","interval":1}]}`)
	case r.URL.Path == "/api/setting/collectors/3/samples":
		var in struct{ Results []check.Result }
		if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
			response(400, err.Error())
			return
		}
		p.taken = append(p.taken, in.Results...)
		response(200, `{"taken":1}`)
		select {
		case p.posts <- struct{}{}:
		default:
		}
	default:
		response(404, `{"errorMessage":"there is no endpoint at this path","errorCode":1404}`)
	}
}

func (p *portal) goAway(away bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.away = away
}

func newPortal(t *testing.T) (*portal, string) {
	t.Helper()
	p := &portal{posts: make(chan struct{}, 1)}
	s := httptest.NewServer(p)
	t.Cleanup(s.Close)
	return p, s.URL
}

var counting = []check.Check{
	{Name: "count", Run: func(context.Context, *check.Task) (check.Values, error) {
		return check.Values{"n": 1}, nil
	}}}

func options(folder, url, token string) agent.Options {
	return agent.Options{Folder: folder, Portal: url, Token: token, Version: "1", Checks: counting,
		Log: slog.New(slog.NewTextHandler(io.Discard, nil))}
}

func run(t *testing.T, o agent.Options) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancelCause(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- agent.Run(ctx, o) }()
	return func() {
		cancel(errors.New("terminated signal received")) // as signal.NotifyContext does
		if err := <-ended; err != nil {
			t.Errorf("the collector ends with %v", err)
		}
	}
}

func (p *portal) next(t *testing.T) {
	t.Helper()
	select {
	case <-p.posts:
	case <-time.After(30 * time.Second):
		t.Fatal("nothing was posted")
	}
}

func TestNothingIsLostDuringAnOutageOrARestart(t *testing.T) {
	p, url := newPortal(t)
	folder := t.TempDir()
	stop := run(t, options(folder, url, "col_3_once"))
	p.next(t)
	p.goAway(true)
	waiting := filepath.Join(folder, "waiting")
	deadline := time.Now().Add(30 * time.Second)
	for n := 0; n < 2; {
		files, err := os.ReadDir(waiting)
		if err != nil || time.Now().After(deadline) {
			t.Fatalf("%d batches wait (%v)", len(files), err)
		}
		n = len(files)
		time.Sleep(50 * time.Millisecond)
	}
	stop()
	before := len(p.taken)
	p.goAway(false)
	stop = run(t, options(folder, "", "")) // with its stored registration
	p.next(t)
	p.next(t)
	stop()
	if len(p.taken) < before+2 {
		t.Errorf("%d results were posted after %d", len(p.taken), before)
	}
	seen := map[int64]bool{}
	for i, r := range p.taken {
		if r.InstanceID != 7 || r.Values["n"] != 1 || seen[r.At] || i > 0 && r.At < p.taken[i-1].At {
			t.Errorf("result %d is %+v", i, r)
		}
		seen[r.At] = true
	}
}

func TestCollectorReportsWhyItCannotStart(t *testing.T) {
	_, url := newPortal(t)
	damaged := t.TempDir()
	if err := os.WriteFile(filepath.Join(damaged, "collector.json"), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	untrusted := httptest.NewTLSServer(http.NotFoundHandler())
	t.Cleanup(untrusted.Close)
	registered := t.TempDir()
	o := options(registered, url, "col_3_once")
	o.Once = true
	if err := agent.Run(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		o    agent.Options
		want string
	}{
		{options(t.TempDir(), "", ""), "no collector is registered in"},
		{options(damaged, "", ""), "collector.json is damaged"},
		{options(t.TempDir(), url, "secret"), "this is not an installation token"},
		{options(t.TempDir(), "ftp://x", "col_3_once"), "--portal must be the address of the portal"},
		{options(t.TempDir(), "http://portal.example:8443", "col_3_once"), "would receive secrets unencrypted"},
		{options(registered, "http://127.0.0.1:1", ""), "this collector is registered with " + url + "/api"},
		{options(t.TempDir(), "http://127.0.0.1:1", "col_3_once"), "the portal does not respond: 127.0.0.1:1 refused " +
			"the connection"},
		{options(t.TempDir(), untrusted.URL, "col_3_once"), "the portal does not respond: The certificate is"},
	} {
		if err := agent.Run(t.Context(), tt.o); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("it ends with %v, want %q in it", err, tt.want)
		}
	}
}
