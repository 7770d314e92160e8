package metrics

import (
	"context"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"spyglass/backend/poll"
	"spyglass/backend/portal/alert"
	"spyglass/backend/portal/threshold"
	"spyglass/backend/remotewrite"
	"spyglass/backend/resource"
)

// figure is a metric whose value is read on each scrape.
type figure struct {
	*prometheus.Desc
	kind prometheus.ValueType
}

func counter(name, help string, labels ...string) figure {
	return figure{prometheus.NewDesc("spyglass_"+name, help, labels, nil), prometheus.CounterValue}
}

func gauge(name, help string, labels ...string) figure {
	return figure{prometheus.NewDesc("spyglass_"+name, help, labels, nil), prometheus.GaugeValue}
}

var (
	pollsDone = counter("polls_total", "Finished checks of instances, by result: done or failed.",
		"devices", "result")
	pollsMissed = counter("polls_missed_total",
		"Checks that were due while the previous one was still running or waiting.", "devices")
	pollLatest = gauge("poll_delay_max_seconds",
		"Maximum delay of a check since the start.", "devices")
	pollsRunning = gauge("polls_running", "Running checks.", "devices")
	pollsQueued  = gauge("polls_queued", "Checks that are due and wait for a worker.", "devices")
	instances    = gauge("polled_instances", "Instances that the portal polls itself.", "devices")

	samplesTaken  = counter("samples_appended_total", "Samples that were stored.")
	samplesHeld   = gauge("samples_in_memory", "Samples in memory that are not yet written to chunks.")
	seriesKept    = gauge("series", "Time series.")
	databaseBytes = gauge("database_size_bytes", "Bytes of a database on disk.", "database")

	alertsOpen  = gauge("alerts_open", "Active alerts, by severity.", "severity")
	noticesSent = counter("notifications_total", "Notices, by result: sent, failed permanently, or to be "+
		"retried.", "result")
	noticesWait = gauge("notifications_waiting", "Pending notices.")
	remoteWrite = sendingOf("remote_write")
	sampleStore = sendingOf("sample_store")
	listeners   = gauge("event_stream_listeners", "Open event streams.")
	leasesHere  = gauge("lease_held", "1 if this node has the lease, otherwise 0.", "lease")
	nodesAlive  = gauge("nodes_alive", "Nodes of the portal that report.")
	nodesLag    = gauge("nodes_report_age_max_seconds", "Age of the oldest last report of these nodes.")
	poolUsed    = gauge("database_connections_used", "Connections of readers to the database that are in use.")
	poolOpen    = gauge("database_connections_open", "Connections of readers to the database.")
	poolMost    = gauge("database_connections_max", "Maximum of connections of readers to the database.")
	poolWaits   = counter("database_connections_waited_total", "Queries that had to wait for a connection.")
	unreadable  = gauge("figures_unreadable", "1 if alerts and notices could not be read from the database.")
)

// sending is the figures of one receiver of samples.
type sending struct{ samples, retries, waiting, behind figure }

func sendingOf(receiver string) sending {
	of := strings.ReplaceAll(receiver, "_", " ")
	return sending{
		counter(receiver+"_samples_total", "Samples of "+of+", by result: sent, refused by the receiver, or "+
			"dropped because they were too old or sending was turned off.", "result"),
		counter(receiver+"_retries_total", "Retried batches of "+of+"."),
		gauge(receiver+"_samples_waiting", "Samples in memory that are pending for "+of+"."),
		gauge(receiver+"_behind_seconds", "Age of the oldest sample on disk that is pending for "+of+
			"; 0 if there is none."),
	}
}

// figures implements prometheus.Collector.
type figures struct{ *Metrics }

// Describe implements prometheus.Collector.
func (f figures) Describe(to chan<- *prometheus.Desc) {
	for _, one := range []figure{
		pollsDone, pollsMissed, pollLatest, pollsRunning, pollsQueued, instances, samplesTaken, samplesHeld, seriesKept,
		databaseBytes, alertsOpen, noticesSent, noticesWait,
		remoteWrite.samples, remoteWrite.retries, remoteWrite.waiting, remoteWrite.behind,
		sampleStore.samples, sampleStore.retries, sampleStore.waiting, sampleStore.behind,
		listeners, leasesHere, nodesAlive, nodesLag, poolUsed, poolOpen, poolMost, poolWaits, unreadable,
	} {
		to <- one.Desc
	}
}

// Collect implements prometheus.Collector.
func (f figures) Collect(to chan<- prometheus.Metric) {
	write := func(one figure, value float64, labels ...string) {
		to <- prometheus.MustNewConstMetric(one.Desc, one.kind, value, labels...)
	}
	real, simulated := f.o.Polls()
	for devices, s := range map[string]poll.Stats{"real": real, "simulated": simulated} {
		write(pollsDone, float64(s.Done-s.Failed), devices, "done")
		write(pollsDone, float64(s.Failed), devices, "failed")
		write(pollsMissed, float64(s.Missed), devices)
		write(pollLatest, s.Late.Seconds(), devices)
		write(pollsRunning, float64(s.Running), devices)
		write(pollsQueued, float64(s.Waiting), devices)
		write(instances, float64(s.Tasks), devices)
	}
	kept := f.o.Series()
	write(samplesTaken, float64(kept.Appended))
	write(samplesHeld, float64(kept.Held))
	write(seriesKept, float64(kept.Series))
	for name, path := range f.o.Files {
		write(databaseBytes, sizeOf(path), name)
	}
	sent := f.o.Notices()
	write(noticesSent, float64(sent.Sent), "sent")
	write(noticesSent, float64(sent.Failed), "failed")
	write(noticesSent, float64(sent.Retried), "retried")
	remoteWrite.write(write, f.o.Remote())
	if f.o.Store != nil {
		sampleStore.write(write, f.o.Store())
	}
	write(listeners, float64(f.listeners.Load()))
	if f.o.Nodes != nil {
		f.writeNodes(write)
	}
	f.writeRows(write)
}

func (s sending) write(write func(figure, float64, ...string), now remotewrite.Stats) {
	write(s.samples, float64(now.Sent), "sent")
	write(s.samples, float64(now.Refused), "refused")
	write(s.samples, float64(now.Expired), "dropped")
	write(s.retries, float64(now.Retries))
	write(s.waiting, float64(now.Waiting))
	write(s.behind, now.Behind.Seconds())
}

func (f figures) writeNodes(write func(figure, float64, ...string)) {
	now := f.o.Nodes()
	for lease, here := range now.Leases {
		write(leasesHere, map[bool]float64{true: 1}[here], lease)
	}
	write(nodesAlive, float64(now.Alive))
	write(nodesLag, now.Lag.Seconds())
	write(poolUsed, float64(now.Used))
	write(poolOpen, float64(now.Open))
	write(poolMost, float64(now.Most))
	write(poolWaits, float64(now.Waited))
}

// patience is the time limit for database queries.
const patience = 5 * time.Second

// writeRows collects the metrics that are read from the database.
func (f figures) writeRows(write func(figure, float64, ...string)) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	open, err := f.openAlerts(ctx)
	if err != nil {
		write(unreadable, 1)
		return
	}
	waiting, err := f.waiting(ctx)
	if err != nil {
		write(unreadable, 1)
		return
	}
	write(unreadable, 0)
	for severity, n := range open {
		write(alertsOpen, float64(n), severity)
	}
	write(noticesWait, float64(waiting))
}

var severities = map[int64]string{threshold.SeverityWarn: "warn", threshold.SeverityError: "error",
	threshold.SeverityCritical: "critical"}

func (f figures) openAlerts(ctx context.Context) (map[string]int, error) {
	value, err := f.o.DB.Memo("metrics.alerts", []string{string(alert.Alerts.Name)}, func() (any, error) {
		active, err := resource.Find(ctx, f.o.DB, alert.Alerts.Name,
			resource.Where{Field: "cleared", Op: "=", Value: false})
		open := map[string]int{}
		for _, name := range severities {
			open[name] = 0
		}
		for i := range active {
			open[severities[active[i].Severity]]++
		}
		return open, err
	})
	if err != nil {
		return nil, err
	}
	return value.(map[string]int), nil
}

func (f figures) waiting(ctx context.Context) (int, error) {
	value, err := f.o.DB.Memo("metrics.deliveries", []string{string(alert.Deliveries.Name)}, func() (any, error) {
		rows, err := resource.Find(ctx, f.o.DB, alert.Deliveries.Name,
			resource.Where{Field: "state", Op: "=", Value: alert.DeliveryWaiting})
		return len(rows), err
	})
	if err != nil {
		return 0, err
	}
	return value.(int), nil
}
