package monitor_test

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"spyglass/backend/check"
	"spyglass/backend/monitor"
	"spyglass/backend/portal/alert"
	"spyglass/backend/resource"
)

// open returns the active alerts of real devices, sorted.
func (b *bench) open() string {
	b.Helper()
	found, err := resource.Find(b.Context(), b.db, alert.Alerts.Name,
		resource.Where{Field: "cleared", Op: "=", Value: false})
	if err != nil {
		b.Fatal(err)
	}
	var all []string
	for i := range found {
		a := &found[i]
		if a.CollectorID > 0 {
			all = append(all, a.Condition+" of "+a.DeviceName)
			continue
		}
		all = append(all, a.DeviceName)
	}
	slices.Sort(all)
	return strings.Join(all, ", ")
}

// counts counts the checks of each device.
type counts struct {
	mu sync.Mutex
	of map[string]int
}

func (c *counts) add(host string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.of[host]++
}

// more reports for each host whether n more checks have run.
func (c *counts) more(n int, hosts ...string) func() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	want := map[string]int{}
	for _, host := range hosts {
		want[host] = c.of[host] + n
	}
	return func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		for host, n := range want {
			if c.of[host] < n {
				return false
			}
		}
		return true
	}
}

func TestUplinkOutageIsOnePortalAlertThatClearsByItself(t *testing.T) {
	b := newBench(t)
	b.at.Store(time.Now().Unix())
	var mu sync.Mutex
	looks, silent, down := counts{of: map[string]int{}}, map[string]bool{"d4.example": true}, false
	set := func(is bool, hosts ...string) {
		mu.Lock()
		defer mu.Unlock()
		down = is
		for _, host := range hosts {
			silent[host] = true
		}
	}
	b.responds = func(t *check.Task) (check.Values, error) {
		mu.Lock()
		defer mu.Unlock()
		defer looks.add(t.Host)
		if down || silent[t.Host] {
			return check.Values{"level": 40}, &check.Failure{Text: t.Host + " did not respond within 5 s.",
				Silent: true}
		}
		return check.Values{"level": 5}, nil
	}
	b.fixture.start() // associates data sources with new devices
	for i := range 4 {
		b.do("POST /device/devices", "", fmt.Sprintf(`{"name":"d%d.example"}`, i+1))
	}
	b.until("the new devices are polled", func() bool { return b.Polled() == 21 || b.Polled() == 17 })
	b.polls = b.Polled()
	b.fixture.stop()
	b.do("PATCH /setting/datasources/{id}", fmt.Sprint("id=", b.sourceID("Gauge")), `{"collectInterval":1,"dataPoints":[
		{"name":"level","rawDataFieldName":"level","alertExpr":"> 10 20 30","alertTransitionInterval":1,"alertClearTransitionInterval":1}]}`)
	hosts := []string{"d1.example", "d2.example", "d3.example", "d4.example"}
	b.until("a device that is silent alone has its alert", func() bool { return b.open() == "d4.example" })
	b.until("all were looked at", looks.more(1, hosts...))
	if err := b.SaveHosts(t.Context()); err != nil {
		t.Fatal(err)
	}

	set(true)
	const outage = "d4.example, network of localhost"
	b.until("the portal has its alert", func() bool { return strings.Contains(b.open(), "network") })
	b.until("all were looked at twice more", looks.more(2, hosts...))
	if got := b.open(); got != outage {
		t.Errorf("in the outage: %s, want %s", got, outage)
	}
	if text := b.reasons(); !strings.Contains(text, "The portal has had no response from any of its ") ||
		!strings.Contains(text, " UTC. Check its network connection. Until then, devices") {
		t.Errorf("the alerts say\n%s", text)
	}
	_ = b.Engine.Stop(b.Context())
	b.run()
	b.until("all were looked at after a start", looks.more(3, hosts...))
	if got := b.open(); got != outage {
		t.Errorf("after a start: %s, want %s", got, outage)
	}

	set(false)
	b.until("the outage is over", func() bool { return b.open() == "d4.example" })
	b.until("all were looked at twice more", looks.more(2, hosts...))
	if got := b.open(); got != "d4.example" {
		t.Errorf("after the outage: %s, want d4.example", got)
	}
	if all := strings.Count(b.reasons(), "\n") + 1; all != 2 {
		t.Errorf("there were %d alerts, want one of the portal and one of d4:\n%s", all, b.reasons())
	}
	set(false, "d1.example")
	b.until("one that falls silent has its own", func() bool { return b.open() == "d1.example, d4.example" })
}

// These real listeners accept connections and do not respond, as does a firewall in
// front of an uplink that is down.
func TestSimultaneousTimeoutsAreAPortalOutage(t *testing.T) {
	b := newBench(t)
	_ = b.Engine.Stop(b.Context())
	b.at.Store(time.Now().Unix())
	var hang atomic.Bool
	done := make(chan struct{})
	defer close(done)
	served := counts{of: map[string]int{}}
	var pages, hosts []string
	for i := range 4 {
		on, err := net.Listen("tcp", fmt.Sprintf("127.0.0.%d:0", i+1))
		if err != nil {
			t.Skip("this system has no other loopback addresses")
		}
		s := httptest.NewUnstartedServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			served.add(r.Host)
			if hang.Load() {
				select {
				case <-r.Context().Done():
				case <-done:
				}
			}
		}))
		s.Listener = on
		s.Start()
		t.Cleanup(s.Close)
		pages, hosts = append(pages, s.URL), append(hosts, on.Addr().String())
	}
	b.fixture.start()
	b.do(
		"POST /setting/datasources",
		"", `{"name":"Page","appliesTo":"system.displayname =~ \"page\"","collectMethod":"http","collectInterval":1,
		"collectorAttribute":{"name":"webpage","url":"##page##","timeout":"300"},
		"dataPoints":[{"name":"status","rawDataFieldName":"status","alertForNoData":4,"alertTransitionInterval":1}]}`)
	for i, page := range pages {
		b.do("POST /device/devices", "", fmt.Sprintf(`{"name":"page%d","displayName":"page%d",`+
			`"customProperties":[{"name":"page","value":%q}]}`, i+1, i+1, page))
	}
	b.Engine = monitor.NewEngine(monitor.EngineOptions{
		DB: b.db, Series: b.series, Checks: check.All(&check.Dialer{}), Remote: func(t *check.Task) bool {
			return t.Method == "http"
		},
	})
	b.Engine.Start(context.Background())
	t.Cleanup(func() { _ = b.Engine.Stop(context.Background()) })
	b.until("all pages have responded", served.more(2, hosts...))
	b.fixture.stop()
	hang.Store(true)
	b.until("the portal has its alert", func() bool { return b.open() != "" })
	if got := b.open(); got != "network of localhost" {
		t.Errorf("in the outage: %s", got)
	}
	hang.Store(false)
	b.until("it is over", func() bool { return b.open() == "" })
	if text := b.reasons(); strings.Contains(text, "\n") || !strings.Contains(text, "any of its 4 devices") {
		t.Errorf("the alerts were\n%s", text)
	}
}
