package metrics_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil/promlint"
	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"spyglass/backend/metrics"
	"spyglass/backend/notify"
	"spyglass/backend/poll"
	"spyglass/backend/portal/alert"
	"spyglass/backend/remotewrite"
	"spyglass/backend/resource"
	"spyglass/backend/series"
	"spyglass/backend/store"
	"spyglass/backend/store/storetest"
)

// fixture is a portal with alerts, deliveries and counters that the tests set.
type fixture struct {
	*testing.T
	db *store.DB
	m  *metrics.Metrics
}

func open(t *testing.T) *fixture {
	t.Helper()
	folder := t.TempDir()
	path := filepath.Join(folder, "portal.db")
	db := storetest.Open(t, store.Options{Path: path})
	h := &fixture{T: t, db: db}
	storetest.Add(h, h.db, &alert.Alerts)
	storetest.Add(h, h.db, &alert.Deliveries)
	samples := filepath.Join(folder, "series.db")
	for name, size := range map[string]int{samples: 1000, samples + "-wal": 200, samples + "-shm": 30} {
		if err := os.WriteFile(name, make([]byte, size), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	h.m = metrics.New(metrics.Options{
		Version: "1.2.3", DB: db, Files: map[string]string{"series": samples, "nothing": filepath.Join(folder, "none")},
		Series: func() series.Stats { return series.Stats{Appended: 12, Series: 3, Held: 2} },
		Polls: func() (real, simulated poll.Stats) {
			return poll.Stats{Done: 10, Failed: 4, Missed: 1, Late: 1500 * time.Millisecond, Tasks: 7,
					Running: 2, Waiting: 5},
				poll.Stats{Done: 100}
		},
		Notices: func() notify.Stats { return notify.Stats{Sent: 8, Failed: 1, Retried: 6} },
		Remote: func() remotewrite.Stats {
			return remotewrite.Stats{Sent: 40, Refused: 2, Expired: 3, Retries: 9, Waiting: 11, Behind: time.Minute}
		},
		Store: func() remotewrite.Stats { return remotewrite.Stats{Sent: 50, Behind: 2 * time.Second} },
	})
	return h
}

func put[T any](h *fixture, r *resource.Resource[*T], rows ...T) {
	h.Helper()
	storetest.Put(h, h.db, r.Name, rows...)
}

// scrape returns the text of the metrics.
func (h *fixture) scrape() string {
	h.Helper()
	response, err := h.m.Endpoints()[0].Handle(h.Context(), &resource.Call{})
	if err != nil {
		h.Fatal(err)
	}
	var text bytes.Buffer
	if err := response.(resource.Response).Stream(&text); err != nil {
		h.Fatal(err)
	}
	return text.String()
}

func (h *fixture) families() map[string]*dto.MetricFamily {
	h.Helper()
	parser := expfmt.NewTextParser(model.LegacyValidation)
	families, err := parser.TextToMetricFamilies(strings.NewReader(h.scrape()))
	if err != nil {
		h.Fatal(err)
	}
	return families
}

// has checks that the metrics contain these lines.
func (h *fixture) has(wanted ...string) {
	h.Helper()
	text := h.scrape()
	for _, line := range wanted {
		if !strings.Contains(text, "\n"+line+"\n") {
			name, _, _ := strings.Cut(line, "{")
			name, _, _ = strings.Cut(name, " ")
			h.Errorf("there is no line %s; those of it are\n%s", line, lines(text, name))
		}
	}
}

func lines(text, name string) string {
	var of []string
	for line := range strings.SplitSeq(text, "\n") {
		if strings.HasPrefix(line, name) {
			of = append(of, line)
		}
	}
	return strings.Join(of, "\n")
}

func TestEachCountBecomesAMetricInItsUnit(t *testing.T) {
	open(t).has(
		`spyglass_polls_total{devices="real",result="done"} 6`,
		`spyglass_polls_total{devices="real",result="failed"} 4`,
		`spyglass_polls_total{devices="simulated",result="done"} 100`,
		`spyglass_polls_missed_total{devices="real"} 1`,
		`spyglass_poll_delay_max_seconds{devices="real"} 1.5`,
		`spyglass_polled_instances{devices="real"} 7`,
		`spyglass_polls_running{devices="real"} 2`,
		`spyglass_polls_queued{devices="real"} 5`,
		`spyglass_samples_appended_total 12`, `spyglass_series 3`, `spyglass_samples_in_memory 2`,
		`spyglass_notifications_total{result="sent"} 8`, `spyglass_notifications_total{result="failed"} 1`,
		`spyglass_notifications_total{result="retried"} 6`,
		`spyglass_remote_write_samples_total{result="sent"} 40`,
		`spyglass_remote_write_samples_total{result="refused"} 2`,
		`spyglass_remote_write_samples_total{result="dropped"} 3`, `spyglass_remote_write_retries_total 9`,
		`spyglass_remote_write_samples_waiting 11`, `spyglass_remote_write_behind_seconds 60`,
		`spyglass_sample_store_samples_total{result="sent"} 50`, `spyglass_sample_store_behind_seconds 2`,
		`spyglass_database_size_bytes{database="series"} 1230`, `spyglass_database_size_bytes{database="nothing"} 0`,
		`spyglass_figures_unreadable 0`,
	)
}

func TestActiveAlertsAndPendingNoticesAreCounted(t *testing.T) {
	h := open(t)
	h.has(`spyglass_alerts_open{severity="warn"} 0`, `spyglass_notifications_waiting 0`)
	put(h, &alert.Alerts, alert.Alert{Severity: 2}, alert.Alert{Severity: 4}, alert.Alert{Severity: 4},
		alert.Alert{Severity: 3, Cleared: true})
	put(h, &alert.Deliveries, alert.Delivery{State: alert.DeliveryWaiting}, alert.Delivery{State: "sent"})
	h.has(`spyglass_alerts_open{severity="warn"} 1`, `spyglass_alerts_open{severity="error"} 0`,
		`spyglass_alerts_open{severity="critical"} 2`, `spyglass_notifications_waiting 1`)
}

func TestUnreadableDatabaseIsAMetricNotAnError(t *testing.T) {
	h := open(t)
	if err := h.db.Close(); err != nil {
		t.Fatal(err)
	}
	h.has(`spyglass_figures_unreadable 1`, `spyglass_samples_appended_total 12`)
}

func TestResponsesAreCountedByMethodAndClass(t *testing.T) {
	h := open(t)
	h.m.Responded("GET", 200, 3*time.Millisecond)
	h.m.Responded("GET", 204, 3*time.Second)
	h.m.Responded("POST", 429, time.Millisecond)
	h.m.Responded("PROPFIND", 405, time.Millisecond)
	h.m.Responded("GET", 999, time.Millisecond) // out of range; must not panic
	h.m.Listens(3)
	h.m.Listens(-1)
	const took = `spyglass_http_request_duration_seconds`
	h.has(took+`_count{class="2xx",method="GET"} 2`, took+`_bucket{class="2xx",method="GET",le="0.005"} 1`,
		took+`_sum{class="2xx",method="GET"} 3.003`, took+`_count{class="4xx",method="POST"} 1`,
		took+`_count{class="4xx",method="other"} 1`, took+`_count{class="5xx",method="GET"} 1`,
		`spyglass_http_rate_limited_total 1`, `spyglass_event_stream_listeners 2`)
}

func TestNamesAndUnitsFollowPrometheus(t *testing.T) {
	h := open(t)
	var families []*dto.MetricFamily
	for name, f := range h.families() {
		if strings.HasPrefix(name, "spyglass_") {
			families = append(families, f)
		}
	}
	problems, err := promlint.NewWithMetricFamilies(families).Lint()
	if err != nil || len(problems) > 0 || len(families) < 20 {
		t.Errorf("of %d metrics, %v are wrong (%v)", len(families), problems, err)
	}
}
