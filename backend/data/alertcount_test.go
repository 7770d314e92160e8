package data_test

import (
	"fmt"
	"strings"
	"testing"

	"spyglass/backend/data"
	"spyglass/backend/portal/datasource"
	"spyglass/backend/resource"
	"spyglass/backend/series"
)

const counts = "GET /device/devices/{deviceId}/devicedatasources/{hdsId}/instances/{id}/alertcounts " +
	"deviceId=1 hdsId=1 id=1 "

// polled appends values of the data point used, one for each poll, a minute apart;
// - is a missed poll.
func (h *fixture) polled(every int64, values string) {
	h.Helper()
	var samples []series.Sample
	for i, word := range strings.Fields(values) {
		var v float64
		if n, err := fmt.Sscan(word, &v); n == 1 && err == nil {
			samples = append(samples, series.Sample{Instance: 1, DataPoint: 5001, At: began + int64(i)*every, Value: v})
		}
	}
	if err := h.series.Append(h.Context(), samples); err != nil {
		h.Fatal(err)
	}
}

// rule sets the threshold of used: two polls to trigger, three to clear.
func (h *fixture) rule(expr string) {
	h.Helper()
	source, err := resource.Get(h.Context(), h.db, datasource.DataSources.Name, 5)
	if err != nil {
		h.Fatal(err)
	}
	p := &source.DataPoints[0]
	p.AlertExpr, p.AlertTransition, p.AlertClear = expr, 2, 3
	put(h, &datasource.DataSources, *source)
}

func (h *fixture) counted(query string) data.ThresholdCount {
	h.Helper()
	got, err := h.send(counts+query, "")
	if err != nil {
		h.Fatal(err)
	}
	return got.(data.ThresholdCount)
}

func TestThresholdPreviewCountsAlertsLikeItsDataPoint(t *testing.T) {
	for _, tt := range []struct {
		name, values, want string
	}{
		{"one poll is too short", "1 90 1 90 1 1 1", "0 0 0 0 0s"},
		{"two polls open it, three clear it", "1 90 90 1 1 1 1", "1 0 0 1 180s"},
		{"two better polls do not clear it", "1 90 90 1 1 90 1 1 1", "1 0 0 1 360s"},
		{"it becomes worse", "90 90 120 120 150 150 1 1 1", "1 1 0 0 420s"},
		{"its first severity is the least of its polls", "150 120 1 1 1 1", "1 0 1 0 180s"},
		{"two alerts", "90 90 1 1 1 90 90 1 1 1", "2 0 0 2 360s"},
		{"missed polls count for nothing", "90 - - - - - - - - - 90 1 1 1", "1 0 0 1 180s"},
		{"one that goes on lasts until now", "90 90", "1 0 0 1 7140s"},
	} {
		h := open(t)
		h.rule("> 80 100 140")
		h.polled(60, tt.values)
		got := h.counted("?datapoint=used")
		text := fmt.Sprintf("%d %d %d %d %ds", got.Total, got.Critical, got.Error, got.Warn, got.Seconds)
		if text != tt.want || got.Now != got.Total || got.Sparse != 0 {
			t.Errorf("%s: got %s, want %s (%+v)", tt.name, text, tt.want, got)
		}
	}
}

func TestThresholdPreviewComparesWithTheCurrentThreshold(t *testing.T) {
	h := open(t)
	h.rule("> 80")
	h.polled(60, "90 90 1 1 1 50 50 1 1 1")
	got := h.counted("?datapoint=used&alertExpr=%3E+40")
	if got.Total != 2 || got.Now != 1 || got.Expr != "> 40" || got.Effective != "> 80" || got.Samples != 10 ||
		got.Opens != 2 || got.Clears != 3 || got.Interval != 60 || got.To-got.From != 14*86400 {
		t.Errorf("got %+v", got)
	}
	want := []data.CountedAlert{{Start: began + 360, End: began + 540, Severity: 2},
		{Start: began + 60, End: began + 240, Severity: 2}}
	if fmt.Sprint(got.Items) != fmt.Sprint(want) {
		t.Errorf("the alerts are %v, want %v", got.Items, want)
	}
	if got := h.counted("?datapoint=used&alertExpr=%3E+400&days=1"); got.Total != 0 || got.Now != 1 ||
		got.To-got.From != 86400 {
		t.Errorf("got %+v", got)
	}
}

func TestThresholdPreviewReportsTheSampleInterval(t *testing.T) {
	h := open(t)
	h.rule("> 80")
	h.polled(600, "1 90 1 1 1 1")
	got := h.counted("?datapoint=used")
	if got.Sparse != 600 || got.SparseTo != began+5*600 || got.Total != 1 || got.Seconds != 600 {
		t.Errorf("got %+v, want one alert of samples 600 s apart", got)
	}
}

func TestThresholdPreviewRefusesInvalidRequests(t *testing.T) {
	h := open(t)
	for query, want := range map[string]string{
		"":                        "invalid datapoint: datapoint is required",
		"?datapoint=usedd":        `invalid datapoint: datapoint: Disks has no data point "usedd"; did you mean used?`,
		"?datapoint=used&days=32": "invalid days: days must be a whole number from 1 to 31",
		"?datapoint=used&alertExpr=80": `invalid alertExpr: alertExpr: a threshold begins with >, >=, <, <=, = or ` +
			`!=, and its numbers follow: "> 60 80 90"`,
	} {
		if got := h.json(counts+query, ""); !strings.HasPrefix(got, want) && got != want {
			t.Errorf("%s: got %s, want %s", query, got, want)
		}
	}
	h.access = oslo()
	if got := h.json(strings.Replace(counts, "id=1 ", "id=3 ", 1)+"?datapoint=used", ""); !strings.HasPrefix(got,
		"unknown") {
		t.Errorf("an instance of another group: %s", got)
	}
}
