package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

// The figures of alerts, on the portal that polls 10,000 devices. The time of a
// sample is when our own web server responds to a check with an error; the time
// of an alert is when the stream of events delivers it. In the storm all devices
// are beyond their threshold at once, so that within a minute each of them opens
// an alert, while a client requests the lists 50 times a second. That is repeated
// after the storm, with all its alerts open.
var (
	alertSoon = figure{
		name: "alert-soon", does: "sample to its alert on the event stream, median ms (other: limit)", goal: "≤ 1",
		beside: ofAlerts(func(t trouble) score { return score{ours: t.p50, other: 100} }),
	}
	alertLate = figure{
		name: "alert-late", does: "the same, p99 ms (other: limit)", goal: "≤ 1",
		beside: ofAlerts(func(t trouble) score { return score{ours: t.p99, other: 100} }),
	}
	stormKept = figure{
		name: "storm-kept", does: "10,000 alerts in a minute: on the stream and on the list (other: all)", goal: "1",
		beside: ofAlerts(func(t trouble) score { return score{ours: float64(t.kept), other: fleetDevices} }),
	}
	stormList = figure{
		name: "storm-list", does: "page of 50 devices or alerts meanwhile, p99 ms (other: when it is over)",
		goal:   "≤ 2",
		beside: ofAlerts(func(t trouble) score { return score{ours: t.during, other: t.after} }),
	}
)

// trouble holds the results for alerts; times in ms.
type trouble struct {
	p50, p99      float64
	kept          int
	during, after float64
}

func ofAlerts(what func(trouble) score) func(context.Context, *rivals) (score, error) {
	return func(ctx context.Context, r *rivals) (score, error) {
		f, err := r.watched(ctx)
		if err != nil {
			return score{}, err
		}
		t, err := f.trouble()
		return what(t), err
	}
}

const (
	pages     = 200 // that fail, one after the other
	pageAfter = 100 * time.Millisecond
	stormEnds = 90 * time.Second
)

func (f *fleet) alarm(ctx context.Context) (t trouble, err error) {
	s, err := f.listen(ctx)
	if err != nil {
		return t, err
	}
	defer s.close()
	if err := f.fail(ctx, s, &t); err != nil {
		return t, fmt.Errorf("alerts of pages: %w", err)
	}
	if err := f.storm(ctx, s, &t); err != nil {
		return t, fmt.Errorf("the storm: %w", err)
	}
	return t, nil
}

// stream receives alerts.
type stream struct {
	cancel context.CancelFunc
	ended  chan struct{}

	mu     sync.Mutex
	opened map[string]time.Time // when the alert of a device arrived, by the device's name
	err    error
}

func (f *fleet) listen(ctx context.Context) (*stream, error) {
	ctx, cancel := context.WithCancel(ctx)
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, f.Origin+"/api/events?kinds=alert", nil)
	if err != nil {
		cancel()
		return nil, err
	}
	r.Header.Set("Authorization", "Bearer "+f.Bearer)
	response, err := f.Client.Do(r)
	if err != nil {
		cancel()
		return nil, err
	}
	s := &stream{cancel: cancel, ended: make(chan struct{}), opened: map[string]time.Time{}}
	go func() {
		defer close(s.ended)
		defer response.Body.Close()
		for lines := bufio.NewReader(response.Body); ; {
			line, err := lines.ReadString('\n')
			if err == nil {
				err = s.hear(line)
			}
			if err != nil {
				s.mu.Lock()
				s.err = err
				s.mu.Unlock()
				return
			}
		}
	}()
	return s, nil
}

func (s *stream) hear(line string) error {
	data, ok := strings.CutPrefix(line, "data: ")
	if !ok {
		return nil
	}
	var a struct {
		MonitorObjectName string
		Cleared           bool
	}
	if err := json.Unmarshal([]byte(data), &a); err != nil || a.Cleared {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, known := s.opened[a.MonitorObjectName]; !known {
		s.opened[a.MonitorObjectName] = time.Now()
	}
	return nil
}

// of counts the devices whose names have a prefix and whose alerts have arrived.
func (s *stream) of(prefix string) (n int, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for name := range s.opened {
		if strings.HasPrefix(name, prefix) {
			n++
		}
	}
	return n, s.err
}

func (s *stream) close() {
	s.cancel()
	<-s.ended
}

// failing is a web server whose pages can be made to fail.
type failing struct {
	*http.Server
	origin string

	mu  sync.Mutex
	bad map[string]bool
	at  map[string]time.Time // of the first response that was an error
}

func newFailing() (*failing, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	w := &failing{origin: "http://" + l.Addr().String(), bad: map[string]bool{}, at: map[string]time.Time{}}
	w.Server = &http.Server{Handler: http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		w.mu.Lock()
		defer w.mu.Unlock()
		name := strings.TrimPrefix(r.URL.Path, "/")
		if !w.bad[name] {
			return
		}
		if w.at[name].IsZero() {
			w.at[name] = time.Now()
		}
		out.WriteHeader(http.StatusInternalServerError)
	})}
	go func() { _ = w.Serve(l) }() // ends when it is closed
	return w, nil
}

// fail makes one page after the other fail, and measures the time until the
// stream receives its alert.
func (f *fleet) fail(ctx context.Context, s *stream, t *trouble) (err error) {
	web, err := newFailing()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, web.Close()) }()
	err = f.Post(ctx, "/api/setting/datasources", map[string]any{
		"name": "Bench_Page", "appliesTo": `displayName =~ "page-*"`, "collectMethod": "http", "collectInterval": 1,
		"collectorAttribute": map[string]any{"url": "##bench.url##"},
		"dataPoints":         []point{{Name: "status", Raw: "status", AlertExpr: ">= 400"}},
	}, &struct{}{})
	if err != nil {
		return err
	}
	for i := range pages {
		name := fmt.Sprintf("page-%03d", i)
		if err := f.Post(ctx, "/api/device/devices", map[string]any{"name": "127.0.0.1", "displayName": name,
			"customProperties": []map[string]string{{"name": "bench.url", "value": web.origin + "/" + name}}},
			&struct{}{}); err != nil {
			return err
		}
	}
	err = f.until(ctx, time.Minute, func() (bool, error) {
		now, err := f.figures(ctx)
		return now[`spyglass_polled_instances{devices="real"}`] == pages, err
	})
	if err != nil {
		return fmt.Errorf("they are not all polled: %w", err)
	}
	for i := range pages {
		web.mu.Lock()
		web.bad[fmt.Sprintf("page-%03d", i)] = true
		web.mu.Unlock()
		if err := wait(ctx, pageAfter); err != nil {
			return err
		}
	}
	err = f.until(ctx, 30*time.Second, func() (bool, error) {
		n, err := s.of("page-")
		return n == pages, err
	})
	if err != nil {
		return fmt.Errorf("not all are announced: %w", err)
	}
	var took []float64
	s.mu.Lock()
	defer s.mu.Unlock()
	web.mu.Lock()
	defer web.mu.Unlock()
	for name, at := range web.at {
		took = append(took, milliseconds(s.opened[name].Sub(at)))
	}
	slices.Sort(took)
	t.p50, t.p99 = took[len(took)/2], took[len(took)*99/100]
	return nil
}

// until polls done every tenth of a second.
func (f *fleet) until(ctx context.Context, limit time.Duration, done func() (bool, error)) error {
	for end := time.Now().Add(limit); ; {
		ok, err := done()
		if ok || err != nil {
			return err
		}
		if time.Now().After(end) {
			return fmt.Errorf("it took longer than %v", limit)
		}
		if err := wait(ctx, time.Second/10); err != nil {
			return err
		}
	}
}

func (f *fleet) storm(ctx context.Context, s *stream, t *trouble) error {
	begun := time.Now()
	if err := f.Send(ctx, http.MethodPatch, fmt.Sprint("/api/setting/datasources/", f.source),
		map[string]any{"dataPoints": fleetPoints("> -1")}, &struct{}{}); err != nil {
		return err
	}
	during, err := f.look(ctx, begun.Add(fleetEvery*time.Second))
	if err != nil {
		return err
	}
	err = f.until(ctx, stormEnds-time.Since(begun), func() (bool, error) {
		n, err := s.of("fleet-")
		t.kept = n
		return n == fleetDevices, err
	})
	if err != nil && ctx.Err() != nil {
		return err
	}
	var page struct{ Total int }
	if err := f.get(ctx, `/api/alert/alerts?size=1&filter=resourceTemplateName:"Fleet"`, &page); err != nil {
		return err
	}
	t.kept = min(t.kept, page.Total)
	after, err := f.look(ctx, time.Now().Add(fleetEvery*time.Second))
	if err != nil {
		return err
	}
	t.during, t.after = milliseconds(during[len(during)*99/100]), milliseconds(after[len(after)*99/100])
	return nil
}

// look requests pages of the lists 50 times a second, and returns the durations,
// the shortest first.
func (f *fleet) look(ctx context.Context, end time.Time) (took []time.Duration, err error) {
	each := time.NewTicker(20 * time.Millisecond)
	defer each.Stop()
	for n := 0; time.Now().Before(end); n++ {
		begun := time.Now()
		path := []string{"/api/device/devices?size=50", "/api/alert/alerts?size=50&sort=-startEpoch"}[n%2]
		if err := f.get(ctx, path, &struct{}{}); err != nil {
			return nil, err
		}
		took = append(took, time.Since(begun))
		<-each.C
	}
	slices.Sort(took)
	return took, nil
}

func (f *fleet) get(ctx context.Context, path string, out any) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, f.Origin+strings.ReplaceAll(path, `"`, "%22"), nil)
	if err != nil {
		return err
	}
	r.Header.Set("Authorization", "Bearer "+f.Bearer)
	response, err := f.Client.Do(r)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("GET %s returned %s: %s", path, response.Status, text)
	}
	return json.Unmarshal(text, out)
}
