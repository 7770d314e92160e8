package report_test

import (
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"spyglass/backend/portal/alert"
	"spyglass/backend/portal/datasource"
	"spyglass/backend/portal/fleet"
	"spyglass/backend/portal/maintenance"
	"spyglass/backend/portal/override"
	"spyglass/backend/portal/reporting"
	"spyglass/backend/report/content"
	"spyglass/backend/resource"
	"spyglass/backend/series"
)

// measured returns a fixture with data sources, instances, maintenance and samples. Each
// device has a Ping, and fjord has no samples from 09:00 to 10:00.
func measured(t *testing.T) *fixture {
	t.Helper()
	h := open(t)
	h.addDevices()
	db, err := series.Open(t.Context(), series.Options{Path: filepath.Join(t.TempDir(), "series.db"),
		Clock: func() time.Time { return noon }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	h.series = db
	point := datasource.DataPoint{ID: 11, DataSourceID: 1, Name: "loss", AlertExpr: "> 60 80 90", AlertForNoData: 1,
		AlertTransition: 1, AlertClear: 1}
	put(h, datasource.DataSources.Name, datasource.DataSource{ID: 1, Name: "Ping", DisplayName: "Ping",
		CollectInterval: 60, DataPoints: []datasource.DataPoint{point}})
	var samples []series.Sample
	for id := int64(1); id <= 3; id++ {
		put(h, fleet.Instances.Name, fleet.Instance{ID: id, DeviceID: id, DataSourceID: 1, DeviceDataSourceID: id,
			Name: "Ping", DisplayName: "Ping", WildValue: "NULL"})
		for at := noon.Add(-24 * time.Hour); at.Before(noon); at = at.Add(time.Minute) {
			if id == 1 && at.Hour() == 9 {
				continue
			}
			samples = append(samples, series.Sample{Instance: id, DataPoint: 11, At: at.Unix(), Value: float64(id)*100 +
				float64(at.Minute())})
		}
	}
	if err := db.Append(t.Context(), samples); err != nil {
		t.Fatal(err)
	}
	return h
}

func TestAlertTrendCountsAGroupWithItsSubgroups(t *testing.T) {
	h := open(t)
	h.addDevices()
	put(h, fleet.Groups.Name, fleet.Group{ID: 4, Name: "Floor 2", FullPath: "Oslo/Floor 2", ParentID: 2})
	put(h, fleet.Devices.Name, fleet.Device{ID: 4, Name: "10.0.0.4", DisplayName: "attic", GroupIDs: resource.IDs{4}})
	put(h, alert.Alerts.Name, alert.Alert{ID: 4, Severity: 2, StartOn: seconds(noon) - 60, DeviceID: 4,
		DeviceName: "attic", DataSourceName: "Ping", DataPointName: "loss", Value: "70"})
	for group, want := range map[string][]string{
		"Oslo":         {"Group|Alerts", "Oslo|1", "Oslo|1", "Oslo/Floor 2|1"},
		"Oslo/Floor 2": {"Group|Alerts", "Oslo/Floor 2|1"},
		"Austin":       {"Group|Alerts", "Austin|1", "Austin|1"}, // with bridge, which is in Oslo, too
		"Floor 2":      {"Group|Alerts"},
	} {
		trend := h.lines(&reporting.Report{Type: reporting.ReportAlertTrends, DateRange: "Last 2 days",
			Columns: columns("Group", "Alerts"), Metrics: []reporting.ReportMetric{
				{ItemType: reporting.ItemGroup, ItemVal: group},
				{ItemType: reporting.ItemHost, ItemVal: "none"}}}, admin)
		if !reflect.DeepEqual(trend, want) {
			t.Errorf("the trend of %s is %q", group, trend)
		}
		alerts := h.lines(&reporting.Report{Type: reporting.ReportAlert, DateRange: "Last 2 days",
			Columns: columns("Device"), GroupPath: group}, admin)
		if len(alerts) != len(want) {
			t.Errorf("the list of %s has the alerts of %q", group, alerts)
		}
	}
}

func TestTrendsAvailabilityAndThresholdsAreCounted(t *testing.T) {
	h := measured(t)
	at := seconds(noon)
	put(h, maintenance.SDTHistories.Name, maintenance.SDTHistory{ID: 1, Type: maintenance.DeviceSDT, ItemID: 2,
		DeviceID: 2, Start: at - 7200, End: at - 5400},
		maintenance.SDTHistory{ID: 2, Type: maintenance.GroupSDT, ItemID: 2, GroupID: 2, Start: at - 43_200,
			End: at - 39_600})
	put(h, override.Overrides.Name,
		override.Override{GroupID: 3, DataSourceID: 1, DataPointID: 11, Expr: "> 250 500", NoData: -1, Transition: -1,
			ClearTransition: -1},
		override.Override{InstanceID: 1, DataSourceID: 1, DataPointID: 11, Disabled: true, NoData: 3, Transition: -1,
			ClearTransition: -1})
	day := func(r reporting.Report) reporting.Report {
		r.Type, r.AlertLevel, r.Columns = reporting.ReportAvailability, "warn",
			columns("Device", "Availability %", "Down", "Outages", "Longest outage", "Maintenance",
				"No data", "Counted")
		return r
	}
	const head = "Device|Availability %|Down|Outages|Longest outage|Maintenance|No data|Counted"
	ping := []reporting.ReportMetric{{DataSourceID: 1, DataPointName: "LOSS"}}
	few := columns("Device", "DataPoint", "Minimum", "Average", "Maximum", "95th percentile", "Last", "Samples")
	const headOfFew = "Device|DataPoint|Minimum|Average|Maximum|95th percentile|Last|Samples"
	for _, tt := range []struct {
		name string
		r    reporting.Report
		who  *resource.Access
		want []string
	}{
		{"alerts by day, group and data source", reporting.Report{Type: reporting.ReportAlertTrends,
			DateRange: "Last 2 days"}, admin,
			[]string{"Day|Group|DataSource|Critical|Error|Warning|Alerts", "2026-05-03|Oslo|Disk|0|1|0|1",
				"2026-05-04|Austin|Ping|1|0|0|1", "2026-05-04|Oslo|Ping|0|0|1|1"}},
		{"by the clock of the report's zone", reporting.Report{Type: reporting.ReportAlertTrends,
			DateRange: "Last 2 days", Timezone: "Pacific/Auckland", Columns: columns("Day", "Alerts")}, admin,
			[]string{"Day|Alerts", "2026-05-03|1", "2026-05-04|1", "2026-05-04|1"}},
		{"of a bound role", reporting.Report{Type: reporting.ReportAlertTrends, DateRange: "Last 2 days",
			Columns: columns("Group", "Alerts")}, neighbour, []string{"Group|Alerts", "Austin|1", "Austin|1"}},
		{"of some groups", reporting.Report{Type: reporting.ReportAlertTrends, DateRange: "Last 2 days",
			Columns: columns("Group", "Alerts"),
			Metrics: []reporting.ReportMetric{{ItemType: "group", ItemVal: "Aus*"}}}, admin,
			// bridge, which counts in Oslo otherwise, is in Austin, too
			[]string{"Group|Alerts", "Austin|1", "Austin|1"}},

		{"availability with maintenance", day(reporting.Report{Unmonitored: 2}), admin, []string{head,
			"bridge|0.000|1d 00:00:00|1|1d 00:00:00|||1d 00:00:00", "ranch|93.750|01:30:00|1|01:30:00|||1d 00:00:00",
			"fjord|95.833|01:00:00|1|01:00:00|||1d 00:00:00"}},
		{"availability without maintenance",
			day(reporting.Report{Unmonitored: 2, ExcludeSDT: true, HostsVal: "ranch,fjord"}), admin, []string{head,
				"fjord|95.652|01:00:00|1|01:00:00|01:00:00||23:00:00",
				"ranch|95.744|01:00:00|1|01:00:00|00:30:00||23:30:00"}},
		{"time without data is excluded",
			day(reporting.Report{Unmonitored: reporting.UnmonitoredLeftOut, HostsVal: "fjord"}), admin,
			[]string{head, "fjord|95.652|01:00:00|1|01:00:00||01:00:00|23:00:00"}},
		{"time without data is down", day(reporting.Report{Unmonitored: reporting.UnmonitoredDown, HostsVal: "fjord"}),
			admin, []string{head, "fjord|91.666|02:00:00|2|01:00:00||01:00:00|1d 00:00:00"}},
		{"time without data is up", day(reporting.Report{Unmonitored: reporting.UnmonitoredUp, HostsVal: "fjord"}),
			admin, []string{head, "fjord|95.833|01:00:00|1|01:00:00|||1d 00:00:00"}},
		{"severe alerts only, the worst first", reporting.Report{Type: reporting.ReportAvailability,
			AlertLevel: "critical", Unmonitored: 2,
			Columns: columns("Device", "Availability %")}, admin,
			[]string{"Device|Availability %", "ranch|93.750", "fjord|100", "bridge|100"}},
		{"availability for a bound role", reporting.Report{Type: reporting.ReportAvailability, Unmonitored: 2,
			Columns: columns("Device", "Groups")}, clerk, []string{"Device|Groups", "fjord|Oslo", "bridge|Oslo"}},

		{"thresholds that differ", reporting.Report{Type: reporting.ReportThreshold, ExcludeGlobal: true}, admin,
			[]string{"Device|DataSource|Instance|DataPoint|Threshold|Set at|Of the datasource|No data|Alerting",
				"fjord|Ping|Ping|loss|> 60 80 90|datasource|> 60 80 90|error|off at the instance",
				"ranch|Ping|Ping|loss|> 250 500|device group|> 60 80 90|none|on", "bridge|Ping|Ping|loss|> 250 " +
					"500|device group|> 60 80 90|none|on"}},
		{"all thresholds of a group", reporting.Report{Type: reporting.ReportThreshold, GroupPath: "Oslo",
			Columns: columns("Device", "Threshold")}, admin,
			[]string{"Device|Threshold", "fjord|> 60 80 90", "bridge|> 250 500"}},

		{"metrics", reporting.Report{Type: reporting.ReportMetrics, Metrics: ping, Columns: few}, admin,
			[]string{headOfFew,
				"bridge|loss|300|329.5|359|356|359|1440", "fjord|loss|100|129.5|159|156|159|1380",
				"ranch|loss|200|229.5|259|256|259|1440"}},
		{"metrics by value", reporting.Report{Type: reporting.ReportMetrics, Metrics: ping, Columns: columns("Device"),
			SortedBy: "average", SortDirection: "desc", DateRange: "Last 1 hour"}, clerk,
			[]string{"Device", "bridge", "fjord"}},
		{"metrics of a time without samples", reporting.Report{Type: reporting.ReportMetrics, Metrics: ping,
			Columns: columns("Device"), DateRange: "2020-01-01 TO 2020-01-02"}, admin, []string{"Device"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := *h
			h.T = t
			if got := h.lines(&tt.r, tt.who); !reflect.DeepEqual(got, tt.want) {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(tt.want, "\n"))
			}
		})
	}
}

func TestTopTenHasTheHighestAverages(t *testing.T) {
	h := measured(t)
	var samples []series.Sample
	for id := int64(4); id < 30; id++ {
		put(h, fleet.Devices.Name, fleet.Device{ID: id, Name: "x", DisplayName: string(rune('a' + id - 4)),
			HostStatus: "normal", GroupIDs: resource.IDs{2}})
		put(h, fleet.Instances.Name, fleet.Instance{ID: id, DeviceID: id, DataSourceID: 1, DeviceDataSourceID: id,
			Name: "Ping", DisplayName: "Ping", WildValue: "NULL"})
		samples = append(samples, series.Sample{Instance: id, DataPoint: 11, At: noon.Add(-time.Hour).Unix(),
			Value: 1000 - float64(id)})
	}
	if err := h.series.Append(t.Context(), samples); err != nil {
		t.Fatal(err)
	}
	r := reporting.Report{Type: reporting.ReportMetrics, Top10: true, Metrics: []reporting.ReportMetric{
		{DataSourceID: 1}}, Columns: columns("Device")}
	if got, want := strings.Join(h.lines(&r, admin), " "), "Device a b c d e f g h i j"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestCancelledRunStops(t *testing.T) {
	h := measured(t)
	for _, kind := range content.Types() {
		for _, format := range []string{reporting.FormatHTML, reporting.FormatPDF, reporting.FormatXLSX} {
			progress := 0
			r := reporting.Report{Type: kind.Name, Format: format, DateRange: "Last 2 days",
				Metrics: []reporting.ReportMetric{{DataSourceID: 1, ItemType: "group", ItemVal: "*"}}}
			run := content.Run{Report: &r, Access: admin, From: h.db, Series: h.series, Zone: time.UTC, At: noon,
				Progress: func(int64, int64) error { progress++; return errStop }}
			if _, _, err := run.Write(t.Context(), new(strings.Builder)); err != errStop || progress != 1 {
				t.Errorf("%s as %s goes on %d times after it was stopped: %v", kind.Name, format, progress, err)
			}
		}
	}
}
