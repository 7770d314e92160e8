package report_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"spyglass/backend/fault"
	"spyglass/backend/portal/people"
	"spyglass/backend/portal/reporting"
	"spyglass/backend/report"
	"spyglass/backend/resource"
)

// service runs a report service until the test ends.
func (h *fixture) service(access func(context.Context, int64) (*resource.Access, error)) *report.Service {
	h.Helper()
	if access == nil {
		access = func(_ context.Context, id int64) (*resource.Access, error) { return h.access[id], nil }
	}
	s := report.New(h.db, report.Options{
		Files: h.files(), Access: access, Zone: func() *time.Location { return time.UTC }, Clock: func() time.Time {
			return noon
		}, Log: slog.New(slog.DiscardHandler),
	})
	h.Cleanup(func() { _ = s.Stop(context.Background()) })
	return s
}

// send sends a request to the report service.
func (h *fixture) send(s *report.Service, who *resource.Access, id string, report, task int64, body string) (any,
	error) {
	h.Helper()
	for _, e := range s.Endpoints() {
		if e.ID() == id {
			c := &resource.Call{Access: who, At: noon, Base: "http://here/api", Body: []byte(body),
				Vars: map[string]string{"id": fmt.Sprint(report), "taskId": fmt.Sprint(task)}}
			return e.Handle(resource.WithCall(h.Context(), c), c)
		}
	}
	h.Fatal("no endpoint", id)
	return nil, nil
}

const (
	runIt    = "POST /report/reports/{id}/executions"
	getIt    = "GET /report/reports/{id}/tasks/{taskId}"
	fetchIt  = getIt + "/result"
	removeIt = "DELETE /report/reports/{id}/tasks/{taskId}"
)

// until waits until a run reaches a state.
func (h *fixture) until(task int64, state string) *reporting.ReportTask {
	h.Helper()
	changed, stop := h.db.Watch(string(reporting.ReportTasks.Name))
	defer stop()
	limit := time.After(20 * time.Second)
	for {
		t, err := resource.Get(h.Context(), h.db, reporting.ReportTasks.Name, task)
		if err != nil {
			h.Fatal(err)
		}
		if t.State == state {
			return t
		}
		select {
		case <-changed:
		case <-limit:
			h.Fatalf("the run is %s (%s), want %s", t.State, t.Error, state)
		}
	}
}

// text returns the file that a response streams.
func (h *fixture) text(out any, err error) (string, string) {
	h.Helper()
	if err != nil {
		h.Fatal(err)
	}
	a := out.(resource.Response)
	var b bytes.Buffer
	if err := a.Stream(&b); err != nil {
		h.Fatal(err)
	}
	return b.String(), a.Filename
}

func (h *fixture) inventory() {
	put(h, reporting.Reports.Name, reporting.Report{ID: 1, Name: `../Büro "x"`, Type: reporting.ReportInventory,
		Format: reporting.FormatCSV, Columns: columns("Device"), SortDirection: "asc"})
}

func message(err error) string {
	if err == nil {
		return ""
	}
	f := fault.Of(err)
	return string(f.Kind) + ": " + f.Message
}

func TestRunHasOnlyWhatItsUserAndRecipientsMayView(t *testing.T) {
	h := open(t)
	h.addDevices()
	h.inventory()
	s := h.service(nil)
	s.Start(context.Background())
	made, err := h.send(s, clerk, runIt, 1, 0, `{}`)
	if want := `{1 1 http://here/api/report/reports/1/tasks/1/result}`; err != nil || fmt.Sprint(made) != want {
		t.Fatalf("got %v %v, want %s", made, err, want)
	}
	task := h.until(1, reporting.TaskDone)
	want := reporting.ReportTask{ID: 1, ReportID: 1, State: reporting.TaskDone, Progress: 100, CreatedOn: seconds(noon),
		StartedOn: seconds(noon), EndedOn: seconds(noon), Size: 26, Rows: 2,
		Format: reporting.FormatCSV, UserID: 2, User: "clerk", Starts: 1, Object: "deviceGroup", Groups: []int64{2}}
	if !reflect.DeepEqual(*task, want) {
		t.Errorf("got %+v\nwant %+v", *task, want)
	}
	for _, who := range []*resource.Access{admin, clerk} {
		text, name := h.text(h.send(s, who, fetchIt, 1, 1, ""))
		if text != "\ufeffDevice\r\nfjord\r\nbridge\r\n" || name != "Büro -x 2026-05-04.csv" {
			t.Errorf("%s gets %q as %q", who.User, text, name)
		}
	}
	for _, id := range []string{getIt, fetchIt} {
		if _, err := h.send(s, neighbour, id, 1, 1, ""); message(err) != "unknown: there is no report task 1" {
			t.Errorf("the neighbour requests %s and gets %v", id, err)
		}
	}
	if _, err := h.send(s, neighbour, runIt, 1, 0, ""); message(err) != "denied: your role can view this report, but "+
		"cannot run or edit it" {
		t.Errorf("the neighbour runs it and gets %v", err)
	}
	if info, err := os.Stat(filepath.Join(h.folder, "1")); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file is %v (%v), want mode 0600", info, err)
	}
	if _, err := h.send(s, admin, removeIt, 1, 1, ""); err != nil {
		t.Fatal(err)
	}
	if files, _ := os.ReadDir(h.folder); len(files) > 0 {
		t.Errorf("files stay behind: %v", files)
	}
	if _, err := h.send(s, admin, getIt, 1, 1, ""); message(err) != "unknown: there is no report task 1" {
		t.Errorf("after it was removed: %v", err)
	}
}

func TestRunningAsAUserNeedsEditAccessToThatUser(t *testing.T) {
	h := open(t)
	h.inventory()
	put(h, people.Users.Name, people.User{ID: 2, Username: "clerk"})
	put(h, reporting.Reports.Name, reporting.Report{ID: 2, Name: "Users", Type: reporting.ReportUser,
		SortDirection: "asc"})
	s := h.service(nil)
	for _, tt := range []struct {
		who    *resource.Access
		report int64
		body   string
		want   string
	}{
		{clerk, 1, `{"withAdminId":1}`, "denied: your role cannot run reports as another user; omit withAdminId"},
		{clerk, 1, `{"withAdminId":2}`, ""},
		{admin, 1, `{"withAdminId":2,"receiveEmails":"a@example.net, b@example.net"}`, ""},
		{admin, 1, `{"receiveEmails":"nobody"}`, `invalid: receiveEmails: "nobody" is not a valid email address`},
		{clerk, 2, ``,
			"denied: a report of the type User requires the permission read on settings: useraccess, which clerk " +
				"does not have"},
		{admin, 2, `{"withAdminId":2}`, "denied: a report of the type User requires the permission read on settings: " +
			"useraccess, which clerk does not have"},
		{admin, 9, ``, "unknown: there is no report 9"},
	} {
		if _, err := h.send(s, tt.who, runIt, tt.report, 0, tt.body); message(err) != tt.want {
			t.Errorf("%s, report %d, %s: got %q, want %q", tt.who.User, tt.report, tt.body, message(err), tt.want)
		}
	}
	tasks, err := resource.Find(t.Context(), h.db, reporting.ReportTasks.Name)
	if err != nil || len(tasks) != 2 || tasks[1].UserID != 2 || tasks[1].Mails != "a@example.net,b@example.net" {
		t.Errorf("got %+v %v", tasks, err)
	}
}

func TestDeletingARunCancelsIt(t *testing.T) {
	h := open(t)
	h.inventory()
	began, ended := make(chan bool), make(chan error, 1)
	s := h.service(func(ctx context.Context, id int64) (*resource.Access, error) {
		if resource.CallOf(ctx) != nil { // called by the request
			return admin, nil
		}
		began <- true
		<-ctx.Done()
		ended <- context.Cause(ctx)
		return nil, ctx.Err()
	})
	s.Start(context.Background())
	if _, err := h.send(s, admin, runIt, 1, 0, ""); err != nil {
		t.Fatal(err)
	}
	<-began
	_, err := h.send(s, admin, getIt, 1, 1, "")
	if f := fault.Of(err); f.Kind != fault.Running ||
		!reflect.DeepEqual(f.Detail, map[string]any{"state": "running", "progress": int64(0), "rows": int64(0)}) {
		t.Errorf("while it runs: %v %v", err, f.Detail)
	}
	if _, err := h.send(s, admin, removeIt, 1, 1, ""); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; err == nil || err.Error() != "the run was removed" {
		t.Errorf("the run ended with %v", err)
	}
	if err := s.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	if tasks, err := resource.Find(t.Context(), h.db, reporting.ReportTasks.Name); len(tasks) > 0 || err != nil {
		t.Errorf("rows stay behind: %v %v", tasks, err)
	}
}

func TestRestartFailsRunningAndResumesPendingRuns(t *testing.T) {
	h := open(t)
	h.inventory()
	put(h, reporting.ReportTasks.Name, reporting.ReportTask{ID: 1, ReportID: 1, State: reporting.TaskRunning, UserID: 1,
		Groups: []int64{}}, reporting.ReportTask{ID: 2, ReportID: 1, State: reporting.TaskWaiting, UserID: 1,
		Groups: []int64{}})
	if err := os.MkdirAll(h.folder, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"1.part", "77", "notes.txt"} {
		if err := os.WriteFile(filepath.Join(h.folder, name), []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s := h.service(nil)
	s.Start(context.Background())
	h.until(2, reporting.TaskDone)
	_, err := h.send(s, admin, getIt, 1, 1, "")
	if want := "conflict: the report could not be created: the portal stopped during the run; run the report " +
		"again"; message(err) != want {
		t.Errorf("got %q, want %q", message(err), want)
	}
	var names []string
	files, err := os.ReadDir(h.folder)
	for _, f := range files {
		names = append(names, f.Name())
	}
	if want := []string{"2", "notes.txt"}; err != nil || !reflect.DeepEqual(names, want) {
		t.Errorf("files are %v (%v), want %v", names, err, want)
	}
}

func TestOnlyTheNewestRunsAreKept(t *testing.T) {
	h := open(t)
	h.inventory()
	s := h.service(nil)
	s.Start(context.Background())
	for i := range int64(reporting.KeptTasks + 2) {
		if _, err := h.send(s, admin, runIt, 1, 0, ""); err != nil {
			t.Fatal(err)
		}
		h.until(i+1, reporting.TaskDone)
	}
	if err := s.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	tasks, err := resource.Find(t.Context(), h.db, reporting.ReportTasks.Name)
	files, _ := os.ReadDir(h.folder)
	if err != nil || len(tasks) != reporting.KeptTasks || tasks[0].ID != 3 || len(files) != reporting.KeptTasks {
		t.Errorf("%d rows from %d on and %d files are kept (%v)", len(tasks), tasks[0].ID, len(files), err)
	}
}

func TestRunLinkExpiresAsConfigured(t *testing.T) {
	h := open(t)
	h.inventory()
	s := h.service(nil)
	s.Start(context.Background())
	if _, err := h.send(s, admin, runIt, 1, 0, ""); err != nil {
		t.Fatal(err)
	}
	row, err := resource.Get(t.Context(), h.db, reporting.Reports.Name, 1)
	if err != nil {
		t.Fatal(err)
	}
	made := h.until(1, reporting.TaskDone)
	for _, tt := range []struct {
		expire string
		age    time.Duration
		ended  bool
	}{
		{"", 1000 * time.Hour, false},
		{"7 days", 167 * time.Hour, false},
		{"7 days", 168 * time.Hour, true},
		{"1 Hour", time.Hour, true},
		{"0 hours", time.Hour, false},
		{"High Flexibility", 1000 * time.Hour, false},
	} {
		row.LinkExpire = tt.expire
		put(h, reporting.Reports.Name, *row)
		made.EndedOn = resource.SecondsOf(noon.Add(-tt.age))
		put(h, reporting.ReportTasks.Name, *made)
		if _, err := h.send(s, admin, fetchIt, 1, 1, ""); fault.Is(err, fault.Conflict) != tt.ended || err != nil &&
			!tt.ended {
			t.Errorf("%q after %v: %v", tt.expire, tt.age, err)
		}
	}
}

func TestPanicFailsOnlyTheRun(t *testing.T) {
	h := open(t)
	h.inventory()
	s := h.service(func(ctx context.Context, _ int64) (*resource.Access, error) {
		if resource.CallOf(ctx) == nil {
			panic("boom")
		}
		return admin, nil
	})
	s.Start(context.Background())
	if _, err := h.send(s, admin, runIt, 1, 0, ""); err != nil {
		t.Fatal(err)
	}
	if got, want := h.until(1, reporting.TaskFailed).Error,
		"the portal failed with an internal error; see its log"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
