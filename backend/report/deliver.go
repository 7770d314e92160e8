package report

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"time"

	"spyglass/backend/fault"
	"spyglass/backend/portal/alert"
	"spyglass/backend/portal/reporting"
	"spyglass/backend/report/layout"
	"spyglass/backend/resource"
)

// mostAttached is the maximum size of an attached file. Many servers accept ten
// megabytes, and encoding makes the attachment a third larger.
const mostAttached = 7 << 20

// mails queues the emails of a finished run, in the transaction that finishes it.
func (s *Service) mails(ctx context.Context, tx resource.Tx, t *reporting.ReportTask) error {
	if s.o.Deliver == nil {
		return nil
	}
	report, err := resource.Get(ctx, tx, reporting.Reports.Name, t.ReportID)
	if err != nil {
		return err
	}
	to := []alert.Recipient{}
	if t.Scheduled && report.MailsIt() {
		to = append(to, report.Recipients...)
	}
	for one := range strings.SplitSeq(t.Mails, ",") {
		if one != "" {
			to = append(to, alert.Recipient{Type: "ARBITRARY", Method: "email", Addr: one})
		}
	}
	if len(to) == 0 {
		return nil
	}
	mail := &reporting.ReportMail{TaskID: t.ID, Recipients: to, Subject: report.Name,
		Attach: t.State == reporting.TaskDone && t.Size <= mostAttached}
	mail.Body = s.letter(report, t, mail.Attach)
	if t.State == reporting.TaskFailed {
		mail.Subject = "Failed: " + report.Name
	}
	return s.o.Deliver(ctx, tx, mail)
}

// letter returns the text of the email.
func (s *Service) letter(report *reporting.Report, t *reporting.ReportTask, attached bool) string {
	link := ""
	if s.o.Origin != nil && s.o.Origin() != "" {
		link = s.o.Origin() + "/api" + t.Path()
	}
	var lines []string
	add := func(format string, args ...any) { lines = append(lines, fmt.Sprintf(format, args...)) }
	if report.Description != "" {
		add("%s\n", report.Description)
	}
	if t.State == reporting.TaskFailed {
		add("The report could not be created: %s.", t.Error)
		return strings.Join(lines, "\n")
	}
	zone := report.Zone(s.o.Zone())
	add("Created %s for %s, with that user's permissions: %d rows.", time.Unix(int64(t.EndedOn), 0).In(zone).Format(
		layout.Moment), t.User, t.Rows)
	if t.Note != "" {
		add("%s.", t.Note)
	}
	switch {
	case attached && link != "":
		add("\nIt is attached, and also available at\n%s\nfor signed-in users with the same permissions.", link)
	case attached:
		add("\nIt is attached.")
	case link != "":
		add("\nWith %.1f MB it is too large for an email. It is available at\n%s\nfor signed-in users with the same "+
			"permissions.",
			float64(t.Size)/(1<<20), link)
	default:
		add("\nWith %.1f MB it is too large for an email. Download it in the portal, from the runs of the report.",
			float64(t.Size)/(1<<20))
	}
	return strings.Join(lines, "\n")
}

// Made returns the file of a run, to attach it to an email.
func (s *Service) Made(ctx context.Context, taskID int64) (*reporting.ReportFile, error) {
	t, err := resource.Get(ctx, s.db, reporting.ReportTasks.Name, taskID)
	if err == nil && t.State != reporting.TaskDone {
		err = fault.New(fault.Unknown, "the report does not exist")
	}
	if err != nil {
		return nil, err
	}
	report, err := resource.Get(ctx, s.db, reporting.Reports.Name, t.ReportID)
	if err != nil {
		return nil, err
	}
	file, err := s.o.Files.Open(ctx, t.ID)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fault.New(fault.Unknown, "the file of the report no longer exists")
	}
	if err != nil {
		return nil, err
	}
	write := func(w io.Writer) (int64, error) {
		file, err := s.o.Files.Open(ctx, t.ID)
		if err != nil {
			return 0, err
		}
		defer file.Close()
		return io.Copy(w, file)
	}
	return &reporting.ReportFile{Write: write, Name: s.filename(report, t), Type: typeOf(t.Format)}, file.Close()
}
