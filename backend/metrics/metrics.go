// Package metrics exports the portal's own metrics to Prometheus: GET /metrics.
//
// It is an endpoint like any other, but below no prefix, without a rate limit
// and not in OpenAPI, because its response is not JSON but Prometheus' text
// format. Callers with View access to the portal's settings may read it, with an API
// token:
//
//	scrape_configs:
//	  - job_name: spyglass
//	    authorization: { type: Bearer, credentials: <API token> }
//	    static_configs: [{ targets: ["127.0.0.1:8443"] }]
//
// # Names and units
//
// Names begin with spyglass_ and end in their unit; seconds and bytes. Counters
// begin at 0 with the process. Numbers read from the database (open alerts,
// pending notices) are gauges. The metrics of every Go program, go_ and
// process_, are exported, too.
//
// # Concurrency
//
// Everything is safe for concurrent use. Metrics are read on each scrape,
// except requests, which are counted with their responses.
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

// Options configures Metrics.
type Options struct {
	Version string // of this program
	DB      resource.Reader
	Files   map[string]string // the databases: path by content
	Series  func() series.Stats
	Polls   func() (real, simulated poll.Stats)
	Notices func() notify.Stats
	Remote  func() remotewrite.Stats
	Store   func() remotewrite.Stats // of the sample store; nil for a portal that has its samples itself
	Nodes   func() Nodes             // nil for a portal in files
}

// Nodes is the state of the portal's nodes, as one of them sees it.
type Nodes struct {
	Leases map[string]bool // whether it has the lease
	Alive  int             // nodes that report
	Lag    time.Duration   // age of the oldest report of these
	// The connections of readers to the database; Waited counts queries that had to wait.
	Used, Open, Most int
	Waited           int64
}

// Metrics collects the metrics of one portal.
type Metrics struct {
	o         Options
	registry  *prometheus.Registry
	responses map[string][]prometheus.Observer // by method, and class of the status from 1xx
	limited   prometheus.Counter
	listeners atomic.Int64
}

// methods lists the methods with their own metrics; all others are counted
// together.
var methods = []string{"GET", "POST", "PUT", "PATCH", "DELETE", otherMethod}

const otherMethod = "other"

var classes = []string{"1xx", "2xx", "3xx", "4xx", "5xx"}

// New returns the metrics; it starts no goroutine.
func New(o Options) *Metrics {
	m := &Metrics{o: o, registry: prometheus.NewRegistry(), responses: map[string][]prometheus.Observer{}}
	took := prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name:    "spyglass_http_request_duration_seconds",
		Help:    "From a request until its response begins, by method and class of the status.",
		Buckets: []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 10},
	}, []string{"method", "class"})
	for _, method := range methods {
		for _, class := range classes {
			m.responses[method] = append(m.responses[method], took.WithLabelValues(method, class))
		}
	}
	m.limited = prometheus.NewCounter(prometheus.CounterOpts{Name: "spyglass_http_rate_limited_total",
		Help: "Requests that were refused because too many came."})
	build := prometheus.NewGauge(prometheus.GaugeOpts{
		Name: "spyglass_build_info", Help: "Always 1; the labels say which program runs.",
		ConstLabels: prometheus.Labels{"version": o.Version, "goversion": runtime.Version()},
	})
	build.Set(1)
	m.registry.MustRegister(took, m.limited, build, figures{m},
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

// Responded counts a response.
func (m *Metrics) Responded(method string, status int, took time.Duration) {
	if !slices.Contains(methods, method) {
		method = otherMethod
	}
	m.responses[method][min(max(status/100, 1), len(classes))-1].Observe(took.Seconds())
	if status == http.StatusTooManyRequests {
		m.limited.Inc()
	}
}

// Listens adds to the number of event listeners.
func (m *Metrics) Listens(more int) { m.listeners.Add(int64(more)) }

// textFormat is the default format for Prometheus.
var textFormat = expfmt.NewFormat(expfmt.TypeTextPlain)

// Endpoints returns GET /metrics.
func (m *Metrics) Endpoints() []resource.Endpoint {
	return []resource.Endpoint{{
		Method: http.MethodGet, Path: "/metrics", Summary: "Get the metrics of the portal for Prometheus",
		Right: resource.Right{Object: resource.Setting, Area: ground.AreaPortal, Op: resource.Read},
		Handle: func(context.Context, *resource.Call) (any, error) {
			families, err := m.registry.Gather()
			if err != nil {
				return nil, &fault.Error{Kind: fault.Internal, Message: "the metrics cannot be gathered", Err: err}
			}
			return resource.Response{Type: string(textFormat), Stream: func(w io.Writer) error {
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

// sizeOf returns the size of a database in bytes, with its files -wal and -shm.
func sizeOf(path string) (bytes float64) {
	for _, file := range []string{path, path + "-wal", path + "-shm"} {
		if info, err := os.Stat(file); err == nil { // a missing file counts as 0
			bytes += float64(info.Size())
		}
	}
	return bytes
}
