package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"spyglass/app"
	"spyglass/backend/resource"
	"spyglass/backend/server"
)

const (
	// memoryLimit is the memory limit set for the program, and growth the most
	// that its peak may be above its peak after the start. A request of 100 KB
	// may take 64 MB, four run at a time.
	memoryLimit = 512 << 20
	growth      = 4*64<<20 + 128<<20
	patience    = 5 * time.Second // a response to a wrong request takes at most 2 s on an idle machine
	attackers   = 4
)

// target is one endpoint below its mount.
type target struct {
	mount string
	resource.Endpoint
}

// targets lists every endpoint of a portal and of the Explorer beside it.
func targets(ctx context.Context, folder string) (_ []target, err error) {
	a, err := app.Open(ctx, server.Options{Data: folder, Listen: "127.0.0.1:0", Demo: true, NoHistory: true,
		Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		return nil, err
	}
	var all []target
	for _, e := range a.Endpoints() {
		all = append(all, target{"/api", e}, target{"/santaba/rest", e})
	}
	for _, e := range a.ExplorerEndpoints() {
		all = append(all, target{"/explorer", e})
	}
	all = slices.DeleteFunc(all, func(t target) bool { return t.spared() })
	over, end := context.WithCancel(ctx)
	end()
	return all, a.Wait(over)
}

// spared reports whether an endpoint would end the trial: it ends the session
// or the program, or takes rights from the administrator who sends the
// requests.
func (t *target) spared() bool {
	return strings.HasPrefix(t.Path, "/native/") || strings.HasPrefix(t.Path, "/data/restore") ||
		strings.HasSuffix(t.Path, "/events") ||
		t.Path == "/session" || t.Path == "/demo/time/reset" || t.Method != http.MethodGet &&
		(strings.HasPrefix(t.Path, "/setting/admins") || strings.HasPrefix(t.Path, "/setting/roles"))
}

// copies reports whether an endpoint copies the data folder: that takes as long
// as there is data, and the page shows its progress.
func (t *target) copies() bool { return t.Path == "/data/backup" }

// hostileRequests sends every class of hostile request to every endpoint, under
// a memory limit. None may get a 5xx response, end the program, take long, or
// take more memory than a request may.
func hostileRequests(ctx context.Context, o options, r *result) error {
	return inFolder(func(folder string) error {
		all, err := targets(ctx, folder+"-catalog")
		if err != nil {
			return err
		}
		p, err := startProgram(o.program, folder, []string{fmt.Sprintf("GOMEMLIMIT=%d", memoryLimit)}, "--demo",
			"--rate-limit", "off")
		if err != nil {
			return err
		}
		defer p.stop()
		if err := p.authorize(ctx); err != nil {
			return err
		}
		ctx, cancel := context.WithTimeout(ctx, o.long)
		defer cancel()
		before := p.peak()
		// each endpoint meets each class before any meets it again
		pairs := rand.New(rand.NewPCG(o.seed, 4)).Perm(len(all) * len(classes))
		var next atomic.Int64
		var wait sync.WaitGroup
		for n := range attackers {
			wait.Go(func() {
				a := &attacker{program: p, r: r, random: rand.New(rand.NewPCG(o.seed, uint64(10+n)))}
				for ctx.Err() == nil && p.running() {
					pair := pairs[int(next.Add(1))%len(pairs)]
					a.attack(ctx, &all[pair/len(classes)], classes[pair%len(classes)])
				}
			})
		}
		wait.Wait()
		if !p.running() {
			r.isWrong("the program ended: %s", p.tail())
			return nil
		}
		if peak := p.peak(); peak > 0 {
			r.used(peak)
			if peak-before > growth {
				r.isWrong("hostile requests took %d MB beside the %d of the start", (peak-before)>>20, before>>20)
			}
		}
		return nil
	})
}

// attacker sends hostile requests one after the other.
type attacker struct {
	*program
	r      *result
	random *rand.Rand
}

// class is one way in which a request can be hostile. It changes a request that
// is otherwise right.
type class struct {
	name string
	do   func(a *attacker, t *target, q *request)
	cut  bool // net/http may refuse it by itself, in its own words
}

// request is a request that an attacker sends.
type request struct {
	path, query string
	header      http.Header
	host        string
	body        []byte
}

func (a *attacker) attack(ctx context.Context, t *target, c class) {
	q := &request{path: a.path(t), header: http.Header{}}
	q.header.Set("Authorization", "Bearer "+a.bearer)
	if t.Body != nil {
		q.header.Set("Content-Type", "application/json")
		q.body = asJSON(t.Example.Body)
	}
	c.do(a, t, q)
	what := fmt.Sprintf("%s: %s %s%.120s?%.120s %.120q", c.name, t.Method, t.mount, q.path, q.query, q.body)
	hr, err := http.NewRequestWithContext(context.WithoutCancel(ctx), t.Method, a.origin,
		strings.NewReader(string(q.body)))
	if err != nil {
		return
	}
	hr.URL = &url.URL{Scheme: "http", Host: strings.TrimPrefix(a.origin, "http://"), Opaque: "//" +
		strings.TrimPrefix(a.origin, "http://") + t.mount + q.path, RawQuery: q.query}
	hr.Header, hr.Host = q.header, q.host
	began := time.Now()
	response, err := a.http.Do(hr)
	if err != nil {
		if a.running() && !c.cut {
			a.r.isWrong("%s gives no response: %v", what, err)
		}
		return
	}
	reply, err := io.ReadAll(io.LimitReader(response.Body, 32<<20))
	_ = response.Body.Close()
	took := time.Since(began)
	a.r.tried(took)
	status := response.StatusCode
	switch {
	case status >= 500 && status != http.StatusServiceUnavailable && status != http.StatusBadGateway:
		a.r.isWrong("%s returned %d %.300s", what, status, reply)
	case err != nil && !c.cut:
		a.r.isWrong("%s breaks off: %v", what, err)
	case status >= 400 && !c.cut && !isError(reply):
		a.r.isWrong("%s returned %d %.200q, which is no error of the API", what, status, reply)
	case !t.copies():
		a.r.isSlow(took, patience, what)
	}
}

// isError reports whether a body is an error as the API documents it.
func isError(reply []byte) bool {
	var e struct {
		ErrorMessage string
		ErrorCode    int
	}
	return json.Unmarshal(reply, &e) == nil && e.ErrorMessage != "" && e.ErrorCode > 1000
}

// path returns the path of the endpoint's example, or one with small ids; a
// DELETE names objects that are unlikely to exist.
func (a *attacker) path(t *target) string {
	path := t.Path
	if t.Example.Path != "" && t.Method == http.MethodGet {
		path = t.Example.Path
	}
	segments := strings.Split(path, "/")
	for i, s := range segments {
		if strings.HasPrefix(s, "{") {
			id := 1 + a.random.IntN(20)
			if t.Method == http.MethodDelete {
				id += 1_000_000
			}
			segments[i] = fmt.Sprint(id)
		}
	}
	return strings.Join(segments, "/")
}

func asJSON(v any) []byte {
	if v == nil {
		return []byte("{}")
	}
	text, err := json.Marshal(v)
	if err != nil {
		return []byte("{}")
	}
	return text
}
