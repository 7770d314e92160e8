package report

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"spyglass/backend/portal/reporting"
	"spyglass/backend/report/layout"
	"spyglass/backend/resource"
)

// The longest interval between two checks of the schedules, and the delay after which
// a run counts as late.
const (
	patience = 15 * time.Second
	lateness = 2 * time.Minute
)

// schedule adds due runs, and returns how long to wait for the next one. It reads
// the reports each time, because the clock may have been set.
func (s *Service) schedule(ctx context.Context) (time.Duration, error) {
	planned, err := resource.Find(ctx, s.db, reporting.Reports.Name,
		resource.Where{Field: "schedule", Op: "!=", Value: ""})
	if err != nil {
		return patience, err
	}
	now, wait := s.o.Clock(), patience
	for i := range planned {
		if next := time.Unix(int64(planned[i].NextOn), 0); next.After(now) {
			wait = min(wait, next.Sub(now))
			continue
		}
		if err := s.fire(ctx, planned[i].ID, now); err != nil {
			return patience, err
		}
	}
	return wait, nil
}

// fire adds the run of a due report, and advances its next time in the same
// transaction. A report of an older version without such a time gets one.
func (s *Service) fire(ctx context.Context, id int64, now time.Time) error {
	return s.db.Write(ctx, func(tx resource.Tx) error {
		found, err := resource.Find(ctx, tx, reporting.Reports.Name, resource.Where{Field: "id", Op: "=", Value: id})
		if err != nil || len(found) == 0 {
			return err
		}
		report := &found[0]
		due := report.NextOn
		if due > resource.SecondsOf(now) {
			return nil // changed meanwhile
		}
		if report.NextOn = report.NextAfter(now, s.o.Zone()); report.NextOn == due {
			return nil
		}
		if err := resource.Put(ctx, tx, reporting.Reports.Name, report); err != nil || due == 0 {
			return err
		}
		waiting, err := resource.Find(ctx, tx, reporting.ReportTasks.Name,
			resource.Where{Field: "reportId", Op: "=", Value: id},
			resource.Where{Field: "state", Op: "=", Value: reporting.TaskWaiting},
			resource.Where{Field: "scheduled", Op: "=", Value: true})
		if err != nil || len(waiting) > 0 { // a pending run will show the same
			return err
		}
		task := reporting.ReportTask{
			ReportID: id, State: reporting.TaskWaiting, CreatedOn: resource.SecondsOf(now), Format: report.Format,
			UserID: cmp.Or(report.RunAsID, report.ModifiedID), User: cmp.Or(report.RunAs, report.ModifiedBy),
			Scheduled: true, DueOn: due, Note: s.late(report, due, now), Groups: []int64{},
		}
		if err := resource.Put(ctx, tx, reporting.ReportTasks.Name, &task); err != nil {
			return err
		}
		call := &resource.Call{At: now}
		return tx.Note(ctx, &resource.Change{Call: call, Action: "run", Object: string(reporting.Reports.Name),
			Label: reporting.Reports.Label, ID: id, Title: report.Name})
	})
}

// late returns the note of a late run, which also says whether it replaces others.
func (s *Service) late(report *reporting.Report, due resource.Seconds, now time.Time) string {
	at := time.Unix(int64(due), 0)
	if now.Sub(at) < lateness {
		return ""
	}
	zone := report.Zone(s.o.Zone())
	text := fmt.Sprintf("It was due at %s, while the portal was stopped", at.In(zone).Format(layout.Moment))
	missed := 1
	for next := at; missed < 1000; missed++ {
		if next = time.Unix(int64(report.NextAfter(next, s.o.Zone())), 0); next.After(now) || next.Unix() == 0 {
			break
		}
	}
	if missed > 1 {
		text += fmt.Sprintf("; it replaces %d missed runs", missed)
	}
	return text
}

// rezone recomputes the next runs of reports that use the portal's time zone.
func (s *Service) rezone(ctx context.Context) error {
	return s.db.Write(ctx, func(tx resource.Tx) error {
		planned, err := resource.Find(ctx, tx, reporting.Reports.Name,
			resource.Where{Field: "schedule", Op: "!=", Value: ""})
		now := s.o.Clock()
		for i := range planned {
			r := &planned[i]
			if err != nil || r.Timezone != "" || r.NextOn <= resource.SecondsOf(now) {
				continue
			}
			if next := r.NextAfter(now, s.o.Zone()); next != r.NextOn {
				r.NextOn = next
				err = resource.Put(ctx, tx, reporting.Reports.Name, r)
			}
		}
		return err
	})
}
