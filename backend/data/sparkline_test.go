package data_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"spyglass/backend/data"
	"spyglass/backend/portal/fleet"
	"spyglass/backend/resource"
	"spyglass/backend/series"
)

const sparklines = "POST /device/instances/sparklines "

func (h *fixture) sparklines(query, body string) data.Sparklines {
	h.Helper()
	got, err := h.send(sparklines+query, body)
	if err != nil {
		h.Fatal(err)
	}
	return got.(data.Sparklines)
}

func values(s data.Sparkline) string {
	words := make([]string, len(s.Values))
	for i, v := range s.Values {
		words[i] = "-"
		if v != nil {
			words[i] = fmt.Sprint(*v)
		}
	}
	return strings.Join(words, " ")
}

func TestSparklinesShowManySeriesInTheOrderOfTheRequest(t *testing.T) {
	h := open(t)
	h.measure(1, 48)
	h.measure(3, 96)
	end := fmt.Sprintf("?end=%d&period=0.79", began+48*60-1)
	got := h.sparklines(end, `{"series":[{"deviceId":2,"dataSourceName":"disks","dataPointName":"used"},`+
		`{"instanceId":1,"dataPointName":"SIZE"},{"instanceId":1,"dataPointName":"none"},`+
		`{"instanceId":9,"dataPointName":"used"},{"instanceId":2,"dataPointName":"used"}]}`)
	if got.Step != 60 || got.End != began+48*60-1 || len(got.Items) != 5 {
		t.Fatalf("got %+v, want five items in steps of 60 s", got)
	}
	text, err := json.Marshal(got.Items[0])
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"instanceId":3`, `"dataPointName":"used"`, `"unit":"blocks"`, `"max":47`,
		`"last":47`} {
		if !strings.Contains(string(text), want) {
			t.Errorf("the first item is %s, want %s", text, want)
		}
	}
	if v := values(got.Items[1]); got.Items[1].DataPoint != "size" || len(got.Items[1].Values) != 48 ||
		strings.Trim(v, "10 -") != "" {
		t.Errorf("the second item is %s, want 48 times 1000", v)
	}
	for i, instance := range []int64{0, 0, 2} {
		if item := got.Items[2+i]; item.Instance != instance || len(item.Values) != 0 || item.Min != nil {
			t.Errorf("item %d is %+v, want no data of instance %d", 2+i, item, instance)
		}
	}
}

func TestShortSparklineGapRepeatsThePreviousValue(t *testing.T) {
	h := open(t)
	var samples []series.Sample
	for _, minute := range []int64{10, 11, 14, 18, 47} {
		samples = append(samples, series.Sample{Instance: 1, DataPoint: 5001, At: began + minute*60,
			Value: float64(minute)})
	}
	if err := h.series.Append(t.Context(), samples); err != nil {
		t.Fatal(err)
	}
	item := h.sparklines(fmt.Sprintf("?end=%d&period=0.79972", began+48*60-1),
		`{"series":[{"instanceId":1,"dataPointName":"used"}]}`).Items[0]
	want := strings.Fields(strings.Repeat("- ", 10) + "10 11 11 11 14 - - - 18 " + strings.Repeat("- ", 28) + "47")
	if got := strings.Fields(values(item)); !slices.Equal(got, want) {
		t.Errorf("the values are %v, want %v", got, want)
	}
	if *item.Min != 10 || *item.Max != 47 || *item.Last != 47 {
		t.Errorf("min, max and last are %v, %v and %v", *item.Min, *item.Max, *item.Last)
	}
}

func TestHiddenSparklinesAreEmpty(t *testing.T) {
	h := open(t)
	h.measure(3, 10)
	h.measure(1, 10)
	h.access = oslo()
	got := h.sparklines("", `{"series":[{"instanceId":3,"dataPointName":"used"},`+
		`{"deviceId":2,"dataSourceName":"Disks","dataPointName":"used"},{"instanceId":1,"dataPointName":"used"}]}`)
	for i, instance := range []int64{0, 0, 1} {
		if got.Items[i].Instance != instance || (len(got.Items[i].Values) > 0) != (instance > 0) {
			t.Errorf("item %d is %+v", i, got.Items[i])
		}
	}
	if err := h.db.Write(t.Context(), func(tx resource.Tx) error {
		return resource.Delete(t.Context(), tx, fleet.DeviceRows, 1)
	}); err != nil {
		t.Fatal(err)
	}
	if got := h.sparklines("", `{"series":[{"instanceId":1,"dataPointName":"used"}]}`); got.Items[0].Instance != 0 {
		t.Errorf("the series of a deleted device is %+v", got.Items[0])
	}
}

func TestSparklinesAreLimited(t *testing.T) {
	h := open(t)
	many := `{"series":[` + strings.Repeat(`{"instanceId":1,"dataPointName":"used"},`, 200) +
		`{"instanceId":1,"dataPointName":"used"}]}`
	for _, tt := range []struct{ query, body, want string }{
		{"", many, "invalid series: series has at most 200 entries"},
		{"?period=745", `{"series":[]}`, "invalid period: period is at most 744 hours"},
		{"?period=0", `{"series":[]}`, "invalid period: period must be a number of hours, more than 0 and at most " +
			"878400"},
	} {
		if got := h.json(sparklines+tt.query, tt.body); got != tt.want {
			t.Errorf("%s: got %s, want %s", tt.query, got, tt.want)
		}
	}
	if got := h.sparklines("?period=744", `{"series":[]}`); got.Step != 744*3600/48+1 || len(got.Items) != 0 {
		t.Errorf("the longest period gives %+v", got)
	}
}
