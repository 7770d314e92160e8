// Package content computes the contents of a report.
//
// Each type of report is one file, and one line in kinds: it turns rows of the portal
// into a layout.Table: a title, columns, counts and charts for the top, and rows. Times
// are in the report's time zone, or else in the portal's.
//
// # Rights
//
// A run has the permissions of its user: what they cannot view is neither in its rows
// nor in its counts.
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
// A Run belongs to one goroutine; several may run at once.
package content

import (
	"context"
	"fmt"
	"io"
	"slices"
	"time"

	"spyglass/backend/fault"
	"spyglass/backend/portal/ground"
	"spyglass/backend/portal/reporting"
	"spyglass/backend/report/layout"
	"spyglass/backend/resource"
	"spyglass/backend/series"
)

// Run is one run of a report.
type Run struct {
	Report *reporting.Report
	Access *resource.Access // the user's permissions
	From   resource.Reader
	Series *series.DB // for metric trends and time without data; nil: nothing was measured
	Zone   *time.Location
	At     time.Time // the current time of the run

	// Progress is called regularly with the percentage done and the number of
	// rows written; an error ends the run. May be nil.
	Progress func(percent, rows int64) error

	ready int64 // percent done before the first row
}

// kind is one type of report.
type kind struct {
	reporting.ReportTypeInfo
	table func(context.Context, *Run) (*layout.Table, error)
	// printed names the columns of a PDF of which none were chosen; nil: all of
	// them
	printed []string
	// sorted names the column that sorts the rows of a report that names none; "":
	// by id
	sorted string
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

// RightOf returns the right that a report of that type requires.
func RightOf(name string) resource.Right { return kindOf(name).Right }

// Write renders the report in its format and returns how many rows it has, and how
// many pages if it is a PDF.
func (r *Run) Write(ctx context.Context, w io.Writer) (rows, pages int64, err error) {
	kind := kindOf(r.Report.Type)
	if kind == nil {
		return 0, 0, fault.New(fault.Invalid, "this portal does not support reports of the type %s", r.Report.Type)
	}
	if r.Access != nil && !r.Access.May(kind.Right) {
		return 0, 0, fault.New(fault.Denied, "a report of the type %s requires the permission %s, which %s does not "+
			"have", kind.Name, kind.Right, r.Access.User)
	}
	if zone, err := time.LoadLocation(r.Report.Timezone); err == nil && r.Report.Timezone != "" {
		r.Zone = zone
	}
	r.At = r.At.In(r.Zone)
	t, err := kind.table(ctx, r)
	if err != nil {
		return 0, 0, err
	}
	t.Type, t.Note, t.Made, t.At = kind.Title, r.Report.Description, r.made(), r.At
	each := t.Rows
	t.Rows = func(yield func(layout.Row) error) error {
		return each(func(row layout.Row) error {
			if rows++; rows%100 == 0 {
				if err := r.progress(ctx, r.ready+rows*(100-r.ready)/max(t.Total, rows), rows); err != nil {
					return err
				}
			}
			return yield(row)
		})
	}
	pages, err = t.Write(w, r.Report.Format)
	return rows, pages, err
}

// progress reports the progress, and returns an error if the run was canceled.
func (r *Run) progress(ctx context.Context, percent, rows int64) error {
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
	return r.At.Format(layout.Moment) + " for " + who
}

// moment formats a time in a report; 0 is empty. In a PDF it is short, as the
// zone is at its top.
func (r *Run) moment(s resource.Seconds) string {
	if s == 0 {
		return ""
	}
	format := layout.Moment
	if r.Report.Format == reporting.FormatPDF {
		format = layout.ShortMoment
	}
	return time.Unix(int64(s), 0).In(r.Zone).Format(format)
}

// span returns the report's time range, and its text.
func (r *Run) span() (from, to time.Time, about string, err error) {
	from, to, err = reporting.ParseRange(r.Report.DateRange, r.At)
	if from.IsZero() && to.IsZero() {
		return from, to, "Any time", err
	}
	return from, to, fmt.Sprintf("%s to %s", from.Format(layout.Moment), to.Format(layout.Moment)), err
}
