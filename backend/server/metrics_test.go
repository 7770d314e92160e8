package server_test

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
)

// scrape requests the metrics as Prometheus does and parses them with Prometheus's
// parser.
func (w *fixture) scrape(bearer string) (status int, text string, families map[string]*dto.MetricFamily) {
	w.t.Helper()
	request, err := http.NewRequestWithContext(w.t.Context(), "GET", w.s.Origin()+"/metrics", nil)
	if err != nil {
		w.t.Fatal(err)
	}
	if bearer != "" {
		request.Header.Set("Authorization", "Bearer "+bearer)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		w.t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		w.t.Fatal(err)
	}
	if response.StatusCode != http.StatusOK {
		return response.StatusCode, string(body), nil
	}
	if kind := response.Header.Get("Content-Type"); !strings.HasPrefix(kind, "text/plain; version=0.0.4") {
		w.t.Errorf("the metrics are %s", kind)
	}
	if got := response.Header.Get("X-Rate-Limit-Limit"); got != "1200" {
		w.t.Errorf("the metrics take %q requests in a minute, want 1200 of their own", got)
	}
	parser := expfmt.NewTextParser(model.LegacyValidation)
	if families, err = parser.TextToMetricFamilies(strings.NewReader(string(body))); err != nil {
		w.t.Fatalf("Prometheus cannot read it: %v\n%s", err, body)
	}
	return response.StatusCode, string(body), families
}

// figure returns the value of a metric; the labels are "name=value".
func figure(families map[string]*dto.MetricFamily, name string, labels ...string) float64 {
	for _, m := range families[name].GetMetric() {
		var have []string
		for _, l := range m.GetLabel() {
			have = append(have, l.GetName()+"="+l.GetValue())
		}
		missing := func(l string) bool { return !slices.Contains(have, l) }
		if slices.ContainsFunc(labels, missing) {
			continue
		}
		return m.GetCounter().GetValue() + m.GetGauge().GetValue() + float64(m.GetHistogram().GetSampleCount())
	}
	return -1
}

func TestPrometheusReadsTheMetrics(t *testing.T) {
	o := options(t)
	o.NoHistory = false
	w := &fixture{t: t, s: start(t, o), bearers: map[string]string{"admin": token(t, o, "admin")}}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, port, _ := net.SplitHostPort(l.Addr().String())
	taken := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.WriteHeader(http.StatusNoContent)
	}))
	defer taken.Close()
	if status, response := w.request("admin", "PATCH /setting/remotewrite", fmt.Sprintf(`{"enabled":true,"url":%q,`+
		`"interval":1}`, taken.URL)); status != 200 {
		t.Fatal(response)
	}
	const requests = "spyglass_http_request_duration_seconds"
	_, _, before := w.scrape(w.bearers["admin"])
	w.must("POST /setting/datasources", `{"name":"Open","appliesTo":"hasProperty(\"knock.port\")",`+
		`"collectMethod":"tcp","collectInterval":1,"collectorAttribute":{"port":"##knock.port##"},`+
		`"dataPoints":[{"name":"open","rawDataFieldName":"status","alertExpr":"= 1 1 1"}]}`)
	w.must("POST /device/devices", fmt.Sprintf(`{"name":"127.0.0.1","displayName":"here",`+
		`"customProperties":[{"name":"knock.port","value":%q}]}`, port))
	if status, _ := w.request("admin", "GET /nothing", ""); status != 404 {
		t.Fatal(status)
	}
	w.until("admin", "GET /alert/alerts?fields=severity", `{"severity":4}`)
	w.until("admin", "GET /setting/remotewrite?fields=state", `{"state":"sending"}`)
	_, text, after := w.scrape(w.bearers["admin"])
	for _, tt := range []struct {
		name   string
		labels []string
		more   float64 // minimum increase
	}{
		{requests, []string{"method=POST", "class=2xx"}, 2},
		{requests, []string{"method=GET", "class=4xx"}, 1},
		{requests, []string{"method=GET", "class=2xx"}, 2},
		{"spyglass_polls_total", []string{"devices=real", "result=done"}, 1},
		{"spyglass_polled_instances", []string{"devices=real"}, 1},
		{"spyglass_samples_appended_total", nil, 1},
		{"spyglass_series", nil, 1},
		{"spyglass_alerts_open", []string{"severity=critical"}, 1},
		{"spyglass_database_size_bytes", []string{"database=portal"}, 0},
		{"spyglass_database_size_bytes", []string{"database=series"}, 0},
		{"spyglass_polls_missed_total", []string{"devices=real"}, 0},
		{"spyglass_notifications_waiting", nil, 0},
		{"spyglass_notifications_total", []string{"result=sent"}, 0},
		{"spyglass_http_rate_limited_total", nil, 0},
		{"spyglass_remote_write_samples_total", []string{"result=sent"}, 1},
		{"go_goroutines", nil, -1000},
		{"spyglass_build_info", []string{"version=" + "test"}, -1000},
	} {
		was, is := figure(before, tt.name, tt.labels...), figure(after, tt.name, tt.labels...)
		if is < 0 || is < was+tt.more {
			t.Errorf("%s %v was %v and is %v, want %v more", tt.name, tt.labels, was, is, tt.more)
		}
	}
	if n := figure(after, "spyglass_database_size_bytes", "database=portal"); n < 4096 {
		t.Errorf("the database is %v bytes", n)
	}
	if t.Failed() {
		t.Log(text)
	}
}

func TestMetricsNeedViewAccessToTheSettings(t *testing.T) {
	w := newFixture(t)
	const noRight = "your role does not have the permission read on settings: portal"
	for _, tt := range []struct {
		bearer string
		status int
		want   string
	}{
		{"", 401, "you are not signed in; sign in, or send an API token"},
		{"nonsense", 401, "the API token is not valid"},
		{w.bearers["reader"], 403, noRight},
		{w.bearers["clerk"], 403, noRight},
		{w.bearers["boss"], 200, "spyglass_build_info"},
	} {
		if status, text, _ := w.scrape(tt.bearer); status != tt.status || !strings.Contains(text, tt.want) {
			t.Errorf("%.8q: got %d %s, want %d %s", tt.bearer, status, text, tt.status, tt.want)
		}
	}
	for _, tt := range []struct{ method, host, want string }{
		{"GET", "evil.example", "403"},
		{"POST", w.s.Address(), "405"},
	} {
		request, _ := http.NewRequestWithContext(t.Context(), tt.method, w.s.Origin()+"/metrics", nil)
		request.Host = tt.host
		request.Header.Set("Authorization", "Bearer "+w.bearers["boss"])
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		_ = response.Body.Close()
		if !strings.HasPrefix(response.Status, tt.want) {
			t.Errorf("%s at %s returns %s, want %s", tt.method, tt.host, response.Status, tt.want)
		}
	}
}

func TestRateLimitedRequestsAreCounted(t *testing.T) {
	w := newFixture(t)
	if status, response := w.request("admin", "PATCH /setting/portal", `{"rateLimitGet":10}`); status != 200 {
		t.Fatal(response)
	}
	for range 12 {
		w.request("admin", "GET /setting/version", "")
	}
	for range 20 { // the metrics endpoint has no limit
		if status, text, families := w.scrape(w.bearers["boss"]); status != 200 ||
			figure(families, "spyglass_http_rate_limited_total") != 2 {
			t.Fatalf("%d, %s", status, text)
		}
	}
}
