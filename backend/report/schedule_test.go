package report_test

import (
	"context"
	"fmt"
	"log/slog"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"spyglass/backend/portal/reporting"
	"spyglass/backend/report"
	"spyglass/backend/report/content"
	"spyglass/backend/resource"
)

// scheduled adds a scheduled report that runs as the clerk. The rules of the resource
// compute its next run.
func (h *fixture) scheduled(cron, zone string) {
	h.Helper()
	err := h.db.Write(h.Context(), func(tx resource.Tx) error {
		r := &reporting.Report{ID: 1, Name: "Devices", Type: reporting.ReportInventory, Format: reporting.FormatCSV,
			Delivery: "none", Columns: columns("Device"), SortDirection: "asc", Properties: []string{"site"},
			Schedule: cron, Timezone: zone}
		w := &resource.Write{Context: h.Context(), Tx: tx, Call: &resource.Call{At: time.Now(), Access: clerk},
			Given: func(string) bool { return true }}
		if err := reporting.ReportsOf(content.Types()).Check(w, nil, r); err != nil {
			return err
		}
		return resource.Put(h.Context(), tx, reporting.Reports.Name, r)
	})
	if err != nil {
		h.Fatal(err)
	}
}

// process runs the report service of a portal process in the bubble's time.
func (h *fixture) process(access func(context.Context, int64) (*resource.Access, error)) (stop func()) {
	h.Helper()
	if access == nil {
		access = func(_ context.Context, id int64) (*resource.Access, error) { return h.access[id], nil }
	}
	s := report.New(h.db,
		report.Options{Files: h.files(), Access: access, Zone: func() *time.Location { return time.UTC },
			Log: slog.New(slog.DiscardHandler)})
	s.Start(context.Background())
	return func() {
		if err := s.Stop(context.Background()); err != nil {
			h.Error(err)
		}
	}
}

// runs returns the due time and the start time of each run, in hours and minutes of UTC.
func (h *fixture) runs() (out []string) {
	h.Helper()
	tasks, err := resource.Find(h.Context(), h.db, reporting.ReportTasks.Name)
	if err != nil {
		h.Fatal(err)
	}
	at := func(s resource.Seconds) string { return time.Unix(int64(s), 0).UTC().Format("15:04") }
	for _, t := range tasks {
		line := fmt.Sprintf("%s %s %s for %s, %d rows", at(t.DueOn), at(t.StartedOn), t.State, t.User, t.Rows)
		if t.Note != "" {
			line += ": " + t.Note
		}
		out = append(out, line)
	}
	return out
}

func (h *fixture) want(lines ...string) {
	h.Helper()
	if got := h.runs(); !reflect.DeepEqual(got, lines) {
		h.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(lines, "\n"))
	}
}

// The bubble's clock starts at 2000-01-01 00:00 UTC.

func TestScheduleRunsAReportInItsTimeZone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := open(t)
		h.addDevices()
		h.scheduled("30 2 * * *", "Europe/Oslo") // 01:30 UTC
		stop := h.process(nil)
		time.Sleep(89 * time.Minute)
		h.want()
		time.Sleep(2 * time.Minute)
		h.want("01:30 01:30 done for clerk, 2 rows")
		r, err := resource.Get(t.Context(), h.db, reporting.Reports.Name, 1)
		if want := time.Date(2000, 1, 2, 1, 30, 0, 0, time.UTC); err != nil || int64(r.NextOn) != want.Unix() {
			t.Errorf("it comes next at %d (%v), want %d", r.NextOn, err, want.Unix())
		}
		stop()
		_ = h.db.Close()
	})
}

func TestRestartNeitherRepeatsNorLosesARun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := open(t)
		h.addDevices()
		h.scheduled("0 * * * *", "")
		stop := h.process(nil)
		time.Sleep(61 * time.Minute)
		stop()
		time.Sleep(5 * time.Minute)
		stop = h.process(nil) // no run was missed
		time.Sleep(time.Minute)
		h.want("01:00 01:00 done for clerk, 2 rows")
		stop()
		time.Sleep(3 * time.Hour) // 02:00, 03:00 and 04:00 pass
		stop = h.process(nil)
		time.Sleep(time.Minute)
		late := "02:00 04:07 done for clerk, 2 rows: It was due at 2000-01-01 02:00:00 UTC, while the portal was " +
			"stopped; it replaces 3 missed runs"
		h.want("01:00 01:00 done for clerk, 2 rows", late)
		time.Sleep(time.Hour)
		h.want("01:00 01:00 done for clerk, 2 rows", late, "05:00 05:00 done for clerk, 2 rows")
		stop()
		_ = h.db.Close()
	})
}

func TestScheduledRunInterruptedByARestartRunsAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := open(t)
		h.addDevices()
		h.scheduled("0 1 * * *", "")
		hang := func(ctx context.Context, _ int64) (*resource.Access, error) { <-ctx.Done(); return nil, ctx.Err() }
		stop := h.process(hang)
		time.Sleep(61 * time.Minute)
		h.want("01:00 01:00 running for clerk, 0 rows")
		stop()
		stop = h.process(nil)
		time.Sleep(time.Minute)
		h.want("01:00 01:01 done for clerk, 2 rows: The portal stopped during the run, and started it again")
		stop()
		_ = h.db.Close()
	})
}

func TestInvalidScheduleOrTimeZoneMarksItsField(t *testing.T) {
	h := open(t)
	for _, tt := range []struct{ cron, zone, want string }{
		{"61 * * * *", "", "invalid schedule"},
		{"0 7 * *", "", "invalid schedule"},
		{"0 7 30 2 *", "", "invalid schedule"},
		{"0 7 * * *", "Mars/Olympus", "invalid scheduleTimezone"},
		{"0 7 * * *", "Local", "invalid scheduleTimezone"},
		{"0 7 * * *", "Asia/Kathmandu", " "},
	} {
		r := &reporting.Report{Name: "x", Type: reporting.ReportAlert, Schedule: tt.cron, Timezone: tt.zone}
		err := h.db.Write(t.Context(), func(tx resource.Tx) error {
			return reporting.ReportsOf(content.Types()).Check(
				&resource.Write{Context: t.Context(), Tx: tx, Call: &resource.Call{At: noon, Access: admin}}, nil, r)
		})
		if got := place(err); got != tt.want {
			t.Errorf("%s in %s: got %q (%v), want %q", tt.cron, tt.zone, got, err, tt.want)
		}
	}
}

func TestScheduledRunOfADeletedUserFailsWithAnInstruction(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := open(t)
		h.scheduled("0 1 * * *", "")
		stop := h.process(func(context.Context, int64) (*resource.Access, error) { return nil, errGone })
		time.Sleep(61 * time.Minute)
		task, err := resource.Get(t.Context(), h.db, reporting.ReportTasks.Name, 1)
		want := "clerk, who runs the report, is suspended or deleted; edit the report, and it runs as you"
		if err != nil || task.State != reporting.TaskFailed || task.Error != want {
			t.Errorf("got %+v %v, want %s", task, err, want)
		}
		stop()
		_ = h.db.Close()
	})
}
