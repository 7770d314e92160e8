package content

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"spyglass/backend/portal/alert"
	"spyglass/backend/portal/datasource"
	"spyglass/backend/portal/fleet"
	"spyglass/backend/portal/reporting"
	"spyglass/backend/portal/threshold"
	"spyglass/backend/report/layout"
	"spyglass/backend/resource"
)

func alertsKind() kind {
	return kind{table: alerts, printed: []string{"Severity", "Device", "Instance", "DataPoint", "Value", "Threshold",
		"Began", "Ended", "Acked by"}, ReportTypeInfo: reporting.ReportTypeInfo{
		Name: reporting.ReportAlert, Title: "Alerts", Icon: "bell",
		About: "Each alert of a period: time, device, severity, acknowledgement",
		Right: seesDevices, Fields: []string{"dateRange", "groupFullPath", "deviceDisplayName", "level", "ackFilter",
			"sdtFilter", "activeOnly", "includePreexist", "summaryOnly"},
		Columns: []string{"Severity", "Began", "Ended", "Device", "DataSource", "Instance", "DataPoint", "Value",
			"Threshold", "Acked", "Acked by", "Acked on", "Ack comment", "In maintenance", "Rule", "Chain",
			"Alert ID"},
	}}
}

// alerts lists the alerts that opened in a time range, and counts them by
// severity.
func alerts(ctx context.Context, r *Run) (*layout.Table, error) {
	from, to, about, err := r.span()
	if err != nil {
		return nil, err
	}
	where, err := r.alertsWhere(ctx, from, to)
	if err != nil {
		return nil, err
	}
	keep, err := r.alertsKept(from)
	if err != nil {
		return nil, err
	}
	value, err := r.alertValue(ctx)
	if err != nil {
		return nil, err
	}
	s := &source[alert.Alert]{
		name: alert.Alerts.Name, where: where, keep: keep, columns: r.alertColumns(value),
		id: func(a *alert.Alert) int64 { return int64(a.ID) },
		counts: []layout.Count{{Label: "Critical", Tone: layout.Critical}, {Label: "Error", Tone: layout.Error},
			{Label: "Warning", Tone: layout.Warn}},
		counted: func(a *alert.Alert) int { return int(threshold.SeverityCritical - a.Severity) },
		tone:    func(a *alert.Alert) layout.Tone { _, tone := severity(a.Severity); return tone },
	}
	t, err := s.table(ctx, r, about)
	if err == nil && r.Report.SummaryOnly {
		t.Summarize("Severity", "Alerts")
	}
	return t, err
}

func severity(n int64) (string, layout.Tone) {
	switch n {
	case threshold.SeverityCritical:
		return "critical", layout.Critical
	case threshold.SeverityError:
		return "error", layout.Error
	}
	return "warning", layout.Warn
}

// alertsWhere returns the conditions that the store can evaluate.
func (r *Run) alertsWhere(ctx context.Context, from, to time.Time) ([]resource.Where, error) {
	var where []resource.Where
	is := func(field, op string, value any) {
		where = append(where, resource.Where{Field: field, Op: op, Value: value})
	}
	if !to.IsZero() {
		is("startEpoch", "<", to.Unix())
	}
	if !from.IsZero() && !r.Report.Preexist {
		is("startEpoch", ">=", from.Unix())
	}
	if r.Report.ActiveOnly || r.Report.ClearFilter == "nonclear" {
		is("cleared", "=", false)
	}
	if r.Report.ClearFilter == "clear" {
		is("cleared", "=", true)
	}
	if r.Report.AckFilter != "all" && r.Report.AckFilter != "" {
		is("acked", "=", r.Report.AckFilter == "acked")
	}
	if r.Report.SDTFilter != "all" && r.Report.SDTFilter != "" {
		is("sdted", "=", r.Report.SDTFilter == "sdt")
	}
	levels, err := r.Report.Levels()
	if err != nil {
		return nil, err
	}
	if levels != nil {
		is("severity", "in", levels)
	}
	groups, all, err := r.groups(ctx, r.Report.GroupPath)
	if err == nil && !all {
		where = append(where,
			resource.Of("monitorObjectId", resource.Where{Field: "hostGroupIds", Op: "has any", Value: groups}))
	}
	return where, err
}

// alertsKept returns a filter for the other conditions: names, and alerts that
// were active when the range began.
func (r *Run) alertsKept(from time.Time) (func(*alert.Alert) bool, error) {
	device, source, instance := newGlobs(r.Report.DeviceName), newGlobs(r.Report.DataSource),
		newGlobs(r.Report.Instance)
	point, rule, chain := newGlobs(r.Report.DataPoint), newGlobs(r.Report.Rule), newGlobs(r.Report.Chain)
	return func(a *alert.Alert) bool {
		if r.Report.Preexist && a.Cleared && int64(a.EndOn) < from.Unix() {
			return false
		}
		return device.match(a.DeviceName) && source.match(a.DataSourceName) && instance.match(a.InstanceName) &&
			point.match(a.DataPointName) && rule.match(a.Rule) && chain.match(a.Chain)
	}, nil
}

// alertValue returns the text of an alert's value: for people, rounded and with its unit; in
// CSV and XLSX, whose cells programs read, as it is.
func (r *Run) alertValue(ctx context.Context) (func(*alert.Alert) string, error) {
	if r.Report.Format != reporting.FormatHTML && r.Report.Format != reporting.FormatPDF {
		return func(a *alert.Alert) string { return a.Value }, nil
	}
	sources, err := resource.Find(ctx, r.From, datasource.DataSources.Name)
	byID := map[int64]*datasource.DataSource{0: {}} // of alerts whose data source was deleted, too
	for i := range sources {
		byID[sources[i].ID] = &sources[i]
	}
	return func(a *alert.Alert) string {
		text := alert.Reading(a, cmp.Or(byID[a.DataSourceID], byID[0]))
		return strings.ReplaceAll(text, " ", "\u00a0")
	}, err
}

func (r *Run) alertColumns(value func(*alert.Alert) string) []column[alert.Alert] {
	type raised = alert.Alert
	columns := plain(reporting.ReportAlert,
		func(a *raised) string { text, _ := severity(a.Severity); return text },
		func(a *raised) string { return r.moment(a.StartOn) },
		func(a *raised) string { return r.moment(a.EndOn) },
		func(a *raised) string { return a.DeviceName },
		func(a *raised) string { return a.DataSourceName },
		func(a *raised) string { return a.InstanceName },
		func(a *raised) string { return a.DataPointName },
		value,
		func(a *raised) string { return a.Threshold },
		func(a *raised) string { return yesNo(a.Acked) },
		func(a *raised) string { return a.AckedBy },
		func(a *raised) string { return r.moment(a.AckedOn) },
		func(a *raised) string { return a.AckComment },
		func(a *raised) string { return yesNo(a.SDTed) },
		func(a *raised) string { return a.Rule },
		func(a *raised) string { return a.Chain },
		func(a *raised) string { return strconv.FormatInt(int64(a.ID), 10) },
	)
	columns[0].key = func(a *raised) string { return number(a.Severity) }
	columns[1].key = func(a *raised) string { return number(int64(a.StartOn)) }
	columns[2].key = func(a *raised) string { return number(int64(a.EndOn)) }
	columns[11].key = func(a *raised) string { return number(int64(a.AckedOn)) }
	columns[16].key = func(a *raised) string { return number(int64(a.ID)) }
	return columns
}

// groups returns the ids of the device groups whose full path a pattern matches, and
// of those inside them: devices are mostly in groups further down.
func (r *Run) groups(ctx context.Context, patterns string) (ids []int64, all bool, err error) {
	globs := newGlobs(patterns)
	if globs.all() {
		return nil, true, nil
	}
	tree, err := fleet.TreeOf(ctx, r.From)
	if err != nil {
		return nil, false, err
	}
	ids = []int64{}
	for id, g := range tree.Groups {
		if globs.match(g.FullPath) {
			ids = append(ids, tree.Inside(id)...)
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids), false, nil
}
