// Package report runs reports, renders them and stores their files.
//
// # Shapes
//
// Each type of report is one file, and one line in kinds: it turns rows of the portal
// into a Table: a title, columns, counts and charts for the top, and rows. A Table
// becomes a file of one format: CSV, XLSX, PDF, or one self-contained HTML page. Times
// are in the report's time zone, or else in the portal's.
//
// CSV is RFC 4180 in UTF-8 with a byte order mark, because spreadsheet programs
// otherwise assume another encoding. A cell that begins with = + - @ a tab or a line
// break gets a leading apostrophe, so that it stays text there.
//
// Charts (Chart) are drawn on a canvas, which is SVG or PDF. A PDF is landscape A4 in
// the Go fonts, with Latin, Greek and Cyrillic letters; others are shown as a box. It
// ends after mostPDF rows with a note, because it is built in memory.
//
// # Schedules
//
// Report.NextOn is the time of the next run. A due run is added in the transaction
// that advances NextOn, so that a restart neither repeats nor loses it; several missed
// runs become one, with a note. It runs as the user who last changed the report. The
// transaction that finishes a run also queues its emails, which notify sends.
//
// # Rights
//
// A run has the permissions of its user: what they cannot view is neither in its rows
// nor in its counts. reporting.ReportTask.SeenBy decides who may download the file:
// users who can view at least as much.
//
// # Memory
//
// A first pass over the rows keeps their ids and sort keys; a second one reads and
// writes them a page at a time. 100,000 devices take a few megabytes, regardless of
// the size of the file. Trends and thresholds are computed instead, and their rows
// (at most mostRows) are in memory.
//
// # Concurrency
//
// At most Options.Workers runs run at once; the others wait in the order of their
// requests, also across a restart. A run that the end of the process interrupts fails;
// a scheduled run starts once more. Close cancels running ones and waits for them;
// close the HTTP server first, and the database afterwards.
//
// # Errors
//
// The error of a run is a sentence in its row (ReportTask.Error); internal errors are
// logged, too.
package report

import (
	"context"
	"fmt"
	"io"
	"slices"
	"time"

	"spyglass/backend/fault"
	"spyglass/backend/portal/ground"
	"spyglass/backend/portal/reporting"
	"spyglass/backend/resource"
	"spyglass/backend/series"
)

// Table is the content of a report.
type Table struct {
	Title   string
	About   []string // what it covers, a line each
	Columns []string
	Numbers []bool  // of each column: its cells are numbers; nil where none are
	Counts  []Count // for the top, in this order
	Charts  []Chart // below the counts
	Total   int64   // rows, as counted before they are read

	// Rows gives each row in order, until yield or reading fails.
	Rows func(yield func(Row) error) error
}

// Row is one line of a Table: a text for each column.
type Row struct {
	Cells []string
	Tone  Tone
}

// Count is the number of rows of one kind.
type Count struct {
	Label string
	Tone  Tone
	N     int64
}

// Tone is the severity of a row or a count, which determines its color.
type Tone string

// The tones.
const (
	Plain    Tone = ""
	Critical Tone = "critical"
	Error    Tone = "error"
	Warn     Tone = "warn"
	OK       Tone = "ok"
)

// Run is one making of a report.
type Run struct {
	Report *reporting.Report
	Access *resource.Access // who it acts for
	From   resource.Reader
	Series *series.DB // of metric trends and of time without data; nil: nothing was measured
	Zone   *time.Location
	At     time.Time // what is now for it

	// Progress is called now and then with the percentage done and how many rows
	// are written; an error of it ends the run. May be nil.
	Progress func(percent, rows int64) error

	ready int64 // percent that were done before the first row
	pages int64 // of the PDF
}

// kind is one type of report.
type kind struct {
	reporting.ReportTypeInfo
	table func(context.Context, *Run) (*Table, error)
}

// kinds are the types of reports, in the order they are shown.
func kinds() []kind {
	return []kind{alertsKind(), alertTrendsKind(), availabilityKind(), metricTrendsKind(), inventoryKind(),
		thresholdsKind(), usersKind(), rolesKind(), auditLogKind()}
}

// Types returns the types of reports, in the order they are shown.
func Types() []reporting.ReportTypeInfo {
	var types []reporting.ReportTypeInfo
	for _, k := range kinds() {
		types = append(types, k.ReportTypeInfo)
	}
	return types
}

// kindOf returns the type of that name; nil if there is none.
func kindOf(name string) *kind {
	all := kinds()
	if i := slices.IndexFunc(all, func(k kind) bool { return k.Name == name }); i >= 0 {
		return &all[i]
	}
	return nil
}

var (
	seesDevices = resource.Right{Object: resource.DeviceGroup, Op: resource.Read}
	seesUsers   = resource.Right{Object: resource.Setting, Area: ground.AreaUserAccess, Op: resource.Read}
)

// Write renders the report in its format and returns how many rows it has.
func (r *Run) Write(ctx context.Context, w io.Writer) (rows int64, err error) {
	kind := kindOf(r.Report.Type)
	if kind == nil {
		return 0, fault.New(fault.Invalid, "this portal does not support reports of the type %s", r.Report.Type)
	}
	if r.Access != nil && !r.Access.May(kind.Right) {
		return 0, fault.New(fault.Denied, "a report of the type %s requires the permission %s, which %s does not have",
			kind.Name, kind.Right, r.Access.User)
	}
	if zone, err := time.LoadLocation(r.Report.Timezone); err == nil && r.Report.Timezone != "" {
		r.Zone = zone
	}
	r.At = r.At.In(r.Zone)
	t, err := kind.table(ctx, r)
	if err != nil {
		return 0, err
	}
	each := t.Rows
	t.Rows = func(yield func(Row) error) error {
		return each(func(row Row) error {
			if rows++; rows%100 == 0 {
				if err := r.told(ctx, r.ready+rows*(100-r.ready)/max(t.Total, rows), rows); err != nil {
					return err
				}
			}
			return yield(row)
		})
	}
	switch r.Report.Format {
	case reporting.FormatCSV:
		err = t.writeCSV(w)
	case reporting.FormatXLSX:
		err = t.writeXLSX(w, r)
	case reporting.FormatPDF:
		err = t.writePDF(w, r)
	default:
		err = t.writeHTML(w, r)
	}
	return rows, err
}

// told reports the progress, and returns an error if the run was canceled.
func (r *Run) told(ctx context.Context, percent, rows int64) error {
	if err := context.Cause(ctx); err != nil {
		return err
	}
	if r.Progress == nil {
		return nil
	}
	return r.Progress(percent, rows)
}

// made returns the time and the user of the run as text.
func (r *Run) made() string {
	who := "system"
	if r.Access != nil {
		who = r.Access.User
	}
	return r.At.Format(momentLayout) + " for " + who
}

// moment formats a time in a report; 0 is empty.
func (r *Run) moment(s resource.Seconds) string {
	if s == 0 {
		return ""
	}
	return time.Unix(int64(s), 0).In(r.Zone).Format(momentLayout)
}

const momentLayout = "2006-01-02 15:04:05 MST"

// span returns the report's time range, and its text.
func (r *Run) span() (from, to time.Time, about string, err error) {
	from, to, err = reporting.ParseRange(r.Report.DateRange, r.At)
	if from.IsZero() && to.IsZero() {
		return from, to, "Any time", err
	}
	return from, to, fmt.Sprintf("%s to %s", from.Format(momentLayout), to.Format(momentLayout)), err
}
