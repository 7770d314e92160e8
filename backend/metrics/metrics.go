// Package metrics tells Prometheus how the portal itself is doing: GET /metrics.
//
// It is an endpoint like any other, but below no prefix, without a rate limit
// and not in OpenAPI, because what it answers is not JSON but Prometheus' text
// format. Whoever may read the portal's settings may read it, with an API token:
//
//	scrape_configs:
//	  - job_name: spyglass
//	    authorization: { type: Bearer, credentials: <API token> }
//	    static_configs: [{ targets: ["127.0.0.1:8443"] }]
//
// # Names and units
//
// Names begin with spyglass_ and end in their unit; seconds and bytes. Counters
// begin at 0 with the process. What stands in the database (open alerts, notices
// that wait) is a gauge. Beside these there is what every Go program has, go_ and
// process_.
//
// # Concurrency
//
// Everything is safe for concurrent use. Figures are read when somebody asks,
// except requests, which are counted as they are answered.
package metrics

import (
	"context"
	"io"
	"net/http"
	"os"
	"runtime"
	"slices"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/common/expfmt"

	"spyglass/backend/fault"
	"spyglass/backend/notify"
	"spyglass/backend/poll"
	"spyglass/backend/portal/ground"
	"spyglass/backend/remotewrite"
	"spyglass/backend/resource"
	"spyglass/backend/series"
)

// Options say what is told of.
type Options struct {
	Version string // of this program
	DB      resource.Reader
	Files   map[string]string // the databases: what they hold, and where they lie
	Series  func() series.Stats
	Polls   func() (real, simulated poll.Stats)
	Notices func() notify.Stats
	Remote  func() remotewrite.Stats
}

// Metrics are the figures of one portal.
type Metrics struct {
	o         Options
	registry  *prometheus.Registry
	answers   map[string][]prometheus.Observer // by method, and class of the status from 1xx
	limited   prometheus.Counter
	listeners atomic.Int64
}

// methods that have figures of their own; those of others are counted together.
var methods = []string{"GET", "POST", "PUT", "PATCH", "DELETE", otherMethod}

const otherMethod = "other"

var classes = []string{"1xx", "2xx", "3xx", "4xx", "5xx"}

// New makes the figures; nothing runs.
func New(o Options) *Metrics {
	m := &Metrics{o: o, registry: prometheus.NewRegistry(), answers: map[string][]prometheus.Observer{}}
	took := prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name: "spyglass_http_request_duration_seconds", Help: "From a request until its answer begins, by method and class of the status.",
		Buckets: []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 10},
	}, []string{"method", "class"})
	for _, method := range methods {
		for _, class := range classes {
			m.answers[method] = append(m.answers[method], took.WithLabelValues(method, class))
		}
	}
	m.limited = prometheus.NewCounter(prometheus.CounterOpts{Name: "spyglass_http_rate_limited_total", Help: "Requests that were refused because too many came."})
	build := prometheus.NewGauge(prometheus.GaugeOpts{
		Name: "spyglass_build_info", Help: "Always 1; the labels say which program runs.",
		ConstLabels: prometheus.Labels{"version": o.Version, "goversion": runtime.Version()},
	})
	build.Set(1)
	m.registry.MustRegister(took, m.limited, build, figures{m},
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

// Answered counts an answer.
func (m *Metrics) Answered(method string, status int, took time.Duration) {
	if !slices.Contains(methods, method) {
		method = otherMethod
	}
	m.answers[method][min(max(status/100, 1), len(classes))-1].Observe(took.Seconds())
	if status == http.StatusTooManyRequests {
		m.limited.Inc()
	}
}

// Listens counts who listens to events.
func (m *Metrics) Listens(more int) { m.listeners.Add(int64(more)) }

// textFormat is what Prometheus reads when it asks for nothing else.
var textFormat = expfmt.NewFormat(expfmt.TypeTextPlain)

// Endpoints answer GET /metrics.
func (m *Metrics) Endpoints() []resource.Endpoint {
	return []resource.Endpoint{{
		Method: http.MethodGet, Path: "/metrics", Summary: "Tell Prometheus how the portal is doing",
		Right: resource.Right{Object: resource.Setting, Area: ground.AreaPortal, Op: resource.Read},
		Handle: func(context.Context, *resource.Call) (any, error) {
			families, err := m.registry.Gather()
			if err != nil {
				return nil, &fault.Error{Kind: fault.Internal, Message: "the metrics cannot be gathered", Err: err}
			}
			return resource.Answer{Type: string(textFormat), Stream: func(w io.Writer) error {
				to := expfmt.NewEncoder(w, textFormat)
				for _, family := range families {
					if err := to.Encode(family); err != nil {
						return err
					}
				}
				return nil
			}}, nil
		},
	}}
}

// sizeOf is how many bytes a database takes with what waits beside it.
func sizeOf(path string) (bytes float64) {
	for _, file := range []string{path, path + "-wal", path + "-shm"} {
		if info, err := os.Stat(file); err == nil { // what is not there takes none
			bytes += float64(info.Size())
		}
	}
	return bytes
}
