package demo

import (
	"time"

	"spyglass/backend/portal/reporting"
	"spyglass/backend/report"
	"spyglass/backend/report/content"
	"spyglass/backend/resource"
)

// The groups of the reports.
const (
	capacityReports   int64 = 2
	operationsReports int64 = 3
)

// metricReport is the report that needs measurements. These begin after the
// company is created, so its first run waits for them.
const (
	metricReport int64            = 10
	pastTakes    resource.Seconds = 40
)

// reports adds one report of each type, and one for examples.
func (f *filler) reports() error {
	trends, err := f.trended()
	if err != nil {
		return err
	}
	for _, r := range []reporting.Report{
		{ID: 1, Name: "Alerts of the week", Description: "For the meeting on Monday", Type: reporting.ReportAlert,
			GroupID: operationsReports, Schedule: "0 7 * * 1",
			DateRange: "Last 7 days", SortedBy: "Began", SortDirection: "desc", Preexist: true},
		{ID: 2, Name: "Servers and their owners", Description: "Location, owner and patch window of each server",
			Type: reporting.ReportInventory, GroupID: capacityReports, Format: reporting.FormatCSV,
			Schedule: "30 6 1 * *", HostsValType: "group", HostsVal: "Servers*", SortedBy: "Device",
			Properties: []string{"location", "owner", "contact", "patch.window"}},
		{ID: 3, Name: "User accounts", Description: "Every quarter, for the auditors", Type: reporting.ReportUser,
			GroupID: operationsReports, Schedule: "0 8 1 1,4,7,10 *"},
		{ID: 4, Name: "Roles and their users", Type: reporting.ReportRole, GroupID: operationsReports},
		{ID: 5, Name: "Changes of the month", Type: reporting.ReportAuditLog, GroupID: operationsReports,
			Format: reporting.FormatCSV, DateRange: "Last calendar month"},
		{ID: 6, Name: "Austin hardware", Description: "For the move of the Austin racks, which is done",
			Type: reporting.ReportInventory, GroupID: capacityReports,
			HostsVal: "*.aus", Properties: []string{"location"}},
		{ID: 7, Name: "Alert trends", Description: "For the operations review", Type: reporting.ReportAlertTrends,
			GroupID: operationsReports, Schedule: "15 7 * * 1", DateRange: "Last 30 days"},
		{ID: 8, Name: "Availability of the servers", Description: "As agreed with the shipping department: 99.9 % a " +
			"month", Type: reporting.ReportAvailability, GroupID: operationsReports, Format: reporting.FormatPDF,
			Schedule: "0 6 1 * *", Timezone: "Europe/Berlin", DateRange: "Last 30 days", HostsValType: "group",
			HostsVal: "Servers*", AlertLevel: "error", SortedBy: "Availability %"},
		{ID: 9, Name: "Custom thresholds", Description: "Thresholds that differ from the data source, or are " +
			"off", Type: reporting.ReportThreshold, GroupID: operationsReports, Format: reporting.FormatXLSX},
		{ID: metricReport, Name: "CPU and round-trip times", Description: "Before the next order of servers",
			Type: reporting.ReportMetrics, GroupID: capacityReports, Schedule: "30 7 * * 1",
			DateRange: "Last 7 days", HostsValType: "group", HostsVal: "Servers*", Top10: true, Metrics: trends},
	} {
		row, err := reporting.Reports.Defaults()
		if err != nil {
			return err
		}
		fillReport(row, &r)
		if err := add(f, &reporting.Reports, row, func(r *reporting.Report) {
			r.ModifiedID, r.ModifiedBy = 1,
				"admin"
		}); err != nil {
			return err
		}
	}
	return nil
}

// fillReport sets the company's values in a report over the defaults.
func fillReport(to, r *reporting.Report) {
	to.ID, to.Name, to.Description, to.Type, to.GroupID, to.Schedule = r.ID, r.Name, r.Description, r.Type,
		r.GroupID, r.Schedule
	to.SortedBy, to.Preexist = r.SortedBy, r.Preexist
	for _, text := range []struct{ to, from *string }{
		{&to.Format, &r.Format}, {&to.DateRange, &r.DateRange}, {&to.SortDirection, &r.SortDirection},
		{&to.HostsVal, &r.HostsVal}, {&to.HostsValType, &r.HostsValType},
		{&to.AlertLevel, &r.AlertLevel}, {&to.Timezone, &r.Timezone},
	} {
		if *text.from != "" {
			*text.to = *text.from
		}
	}
	if r.Properties != nil {
		to.Properties = r.Properties
	}
	if r.Metrics != nil {
		to.Metrics, to.Top10 = r.Metrics, r.Top10
	}
}

// trended returns the metrics of the metric trend: CPU usage of the Linux
// servers, and ping times.
func (f *filler) trended() (out []reporting.ReportMetric, err error) {
	for _, of := range []struct {
		source string
		nth    int
	}{{"Linux_Host", 1}, {"Ping", 0}} {
		p, err := f.dataPoint(of.source, of.nth)
		if err != nil {
			return nil, err
		}
		out = append(out, reporting.ReportMetric{DataSourceID: p.DataSourceID, DataPointID: p.ID,
			DataPointName: p.Name})
	}
	return out, nil
}

// runs runs each report except the sixth once, for the administrator. The metric
// trend waits until there is a past to measure, and in a large company all reports
// wait, because most of them read all devices. If Fill fails, its files belong to no
// report, and the portal deletes them when it starts.
func (f *filler) runs(in func(tx resource.Tx) report.Files) error {
	if in == nil {
		return nil
	}
	ctx, tx := f.write.Context, f.write.Tx
	files := in(tx)
	reports, err := resource.Find(ctx, tx, reporting.Reports.Name,
		resource.Where{Field: "id", Op: "<=", Value: metricReport}, resource.Where{Field: "id", Op: "!=", Value: 6})
	if err != nil {
		return err
	}
	for i, r := range reports {
		at := f.now - resource.Seconds(3600*(len(reports)-i))
		task := reporting.ReportTask{ID: r.ID, ReportID: r.ID, State: reporting.TaskDone, Progress: 100, CreatedOn: at,
			StartedOn: at, EndedOn: at + 1, UserID: 1, User: "admin"}
		if r.ID == metricReport || f.count > associated {
			task.State, task.Progress, task.CreatedOn, task.StartedOn, task.EndedOn, task.DueOn = reporting.TaskWaiting,
				0, f.now, 0, 0, f.now+pastTakes
			task.Format, task.Groups = r.Format, []int64{}
			if err := resource.Put(ctx, tx, reporting.ReportTasks.Name, &task); err != nil {
				return err
			}
			continue
		}
		run := content.Run{Report: &reports[i], Access: &resource.Access{UserID: 1, User: "admin", Admin: true},
			From: tx, Zone: f.write.Call.At.Location(), At: time.Unix(int64(at), 0)}
		if err := report.File(ctx, files, &task, &run); err != nil {
			return err
		}
		if err := resource.Put(ctx, tx, reporting.ReportTasks.Name, &task); err != nil {
			return err
		}
	}
	return nil
}
