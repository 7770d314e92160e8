package report

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"strings"
	"time"

	"spyglass/backend/fault"
	"spyglass/backend/portal/ground"
	"spyglass/backend/portal/reporting"
	"spyglass/backend/report/content"
	"spyglass/backend/resource"
)

// generate is the body of a request to run a report.
type generate struct {
	AdminID  int64  `json:"withAdminId,omitempty" doc:"the user whose permissions the run has; default: you; another user only if you can edit that user" refs:"admin"`
	ReportID int64  `json:"reportId,omitempty" doc:"ignored; the path has the id"`
	Mails    string `json:"receiveEmails,omitempty" doc:"comma-separated email addresses that receive the report when it is done"`
}

// generated is the response to that request, and to one for a finished run.
type generated struct {
	ReportID int64  `json:"reportId" doc:"the report"`
	TaskID   int64  `json:"taskId" doc:"the run"`
	Link     string `json:"resulturl" doc:"URL of the file when the run is done"`
}

const (
	reportPath = "/report/reports/{id}"
	taskPath   = reportPath + "/tasks/{taskId}"
)

// Endpoints returns the endpoints that run reports and return their results.
func (s *Service) Endpoints() []resource.Endpoint {
	body, response := resource.SchemaOf(generate{}), resource.SchemaOf(generated{})
	body.Name, response.Name = "GenerateReportRequest", "GenerateReportResult"
	file := resource.Schema{Type: "string", Format: "text/html", Doc: "The report; the media type depends on its " +
		"format"}
	id := func(name, doc string, example int64) resource.Param {
		return resource.Param{Name: name, In: "path", Required: true, Schema: resource.Integer(doc), Example: example}
	}
	report := []resource.Param{id("id", "Id of the report", 1)}
	task := append(report, id("taskId", "The run", 1))
	fails := func(more ...resource.Failure) []resource.Failure {
		return append([]resource.Failure{
			{Kind: fault.NoLogin, When: "no user is signed in, or the token is wrong"},
			{Kind: fault.Denied, When: "the user's role does not have the permission"},
			{Kind: fault.TooMany, When: "the rate limit is reached"},
		}, more...)
	}
	missing := resource.Failure{Kind: fault.Unknown, When: "there is no such report or run, or you cannot view it"}
	running := resource.Failure{Kind: fault.Running, When: "the run is waiting or running; errorDetail has the " +
		"progress in percent, and the number of rows written"}
	broken := resource.Failure{Kind: fault.Conflict, When: "the run has failed; the message has the reason"}
	read, write := resource.Right{Object: resource.Reports, Op: resource.Read}, resource.Right{Object: resource.Reports,
		Op: resource.Modify}
	all := []resource.Endpoint{
		{
			Method: "POST", Path: reportPath + "/executions", Summary: "Run a report", Right: write, Params: report,
			Body: &body, Response: &response,
			Doc: "Starts a run of the report with the caller's permissions: it omits what they cannot view. " +
				"The response has the id of the run; request it until it is done.",
			Errors: fails(resource.Failure{Kind: fault.Invalid, When: "a field of the body is wrong; errorDetail " +
				"names it"}, missing, resource.Failure{Kind: fault.TooMany, When: "100 runs are waiting already"}),
			Handle:  s.execute,
			Example: resource.Example{Path: "/report/reports/1/executions", Body: map[string]any{}},
		},
		{
			Method: "GET", Path: taskPath, Summary: "Get a run of a report", Right: read, Params: task,
			Response: &response,
			Noun:     resource.Regular("run"),
			Doc:      "Returns the URL of the file when the run is done. Until then, the status is 202.",
			Errors:   fails(running, missing, broken), Handle: s.task, Example: resource.Example{
				Path: "/report/reports/1/tasks/1"},
		},
		{
			Method: "GET", Path: taskPath + "/result", Summary: "Download a report", Right: read, Params: task,
			Response: &file, Files: []string{typeOf(reporting.FormatPDF), typeOf(reporting.FormatXLSX), "text/csv"},
			Doc: "Returns the file of a finished run: one HTML page, PDF, XLSX or CSV. Only for users who can " +
				"view all that is in it.",
			Errors: fails(running, missing, broken), Handle: s.result, Example: resource.Example{
				Path: "/report/reports/2/tasks/2/result"},
		},
		{
			Method: "DELETE", Path: taskPath, Summary: "Cancel or delete a run of a report", Right: write, Params: task,
			Noun:   resource.Regular("run"),
			Doc:    "Deletes a run and its file. A running one is canceled.",
			Errors: fails(missing), Handle: s.remove, Example: resource.Example{Path: "/report/reports/1/tasks/1"},
		},
	}
	types := resource.WholeList("/report/types", content.Types())
	types.Summary, types.Doc = "List the types of reports", "Returns what each type of report shows, its columns, and "+
		"the fields of a report that apply to it only."
	all = append(all, types, s.whenEndpoint(fails(resource.Failure{Kind: fault.Invalid,
		When: "the cron expression is " +
			"invalid, or there is no such time zone"})))
	for i := range all {
		all[i].Category = ground.CategoryReports
	}
	return all
}

// visible returns the report in the path, if the caller may do op on it.
func visible(ctx context.Context, r resource.Reader, c *resource.Call,
	op resource.Operation) (*reporting.Report, error) {
	id, err := c.ID("id")
	if err != nil {
		return nil, err
	}
	is := resource.Where{Field: "id", Op: "=", Value: id}
	found, err := resource.Find(ctx, r, reporting.Reports.Name, is, resource.SeenBy(c.Access, op))
	if err != nil || len(found) > 0 {
		return first(found), err
	}
	if found, err = resource.Find(ctx, r, reporting.Reports.Name, is,
		resource.SeenBy(c.Access, resource.Read)); err != nil {
		return nil, err
	}
	if len(found) > 0 {
		return nil, fault.New(fault.Denied, "your role can view this report, but cannot run or edit it")
	}
	return nil, fault.New(fault.Unknown, "there is no report %d", id)
}

func first[T any](rows []T) *T {
	if len(rows) == 0 {
		return nil
	}
	return &rows[0]
}

func (s *Service) execute(ctx context.Context, c *resource.Call) (any, error) {
	var in generate
	if err := c.Read(&in); err != nil {
		return nil, err
	}
	mails, err := reporting.ParseMails("receiveEmails", in.Mails)
	if err != nil {
		return nil, err
	}
	if in.AdminID == 0 {
		in.AdminID = c.Access.UserID
	}
	task := reporting.ReportTask{State: reporting.TaskWaiting, CreatedOn: resource.SecondsOf(c.At), UserID: in.AdminID,
		Mails: strings.Join(mails, ","), Groups: []int64{}}
	who, suspended := s.o.Access(ctx, in.AdminID)
	err = s.db.Write(ctx, func(tx resource.Tx) error {
		report, err := visible(ctx, tx, c, resource.Modify)
		if err != nil {
			return err
		}
		if err := reporting.MayActAs(&resource.Write{Context: ctx, Call: c, Tx: tx}, in.AdminID); err != nil {
			return err
		}
		if fault.Is(suspended, fault.NoLogin) {
			return fault.At("withAdminId", "withAdminId: this user is suspended")
		}
		if suspended != nil {
			return suspended
		}
		task.ReportID, task.User, task.Format = report.ID, who.User, report.Format
		return enqueue(ctx, tx, c, report, &task, who)
	})
	if err != nil {
		return nil, err
	}
	return response(c, &task), nil
}

// enqueue adds a run, unless it would fail or too many are waiting.
func enqueue(ctx context.Context, tx resource.Tx, c *resource.Call, report *reporting.Report,
	task *reporting.ReportTask, who *resource.Access) error {
	if right := content.RightOf(report.Type); !who.May(right) {
		return fault.New(fault.Denied, "a report of the type %s requires the permission %s, which %s does not have",
			report.Type, right, who.User)
	}
	waiting, err := resource.Find(ctx, tx, reporting.ReportTasks.Name,
		resource.Where{Field: "state", Op: "=", Value: reporting.TaskWaiting})
	if err != nil {
		return err
	}
	if len(waiting) >= mostQueued {
		return &fault.Error{Kind: fault.TooMany, Message: "too many reports are waiting; try again later",
			RetryAfter: time.Minute}
	}
	if err := resource.Put(ctx, tx, reporting.ReportTasks.Name, task); err != nil {
		return err
	}
	return tx.Note(ctx, &resource.Change{Call: c, Action: "run", Object: string(reporting.Reports.Name),
		Label: reporting.Reports.Label, ID: report.ID, Title: report.Name})
}

func response(c *resource.Call, t *reporting.ReportTask) generated {
	return generated{ReportID: t.ReportID, TaskID: t.ID, Link: c.Base + t.Path()}
}

// known returns the run in the path, if the caller may do op on the report and
// may view the contents of the run.
func known(ctx context.Context, r resource.Reader, c *resource.Call,
	op resource.Operation) (*reporting.Report, *reporting.ReportTask, error) {
	report, err := visible(ctx, r, c, op)
	if err != nil {
		return nil, nil, err
	}
	id, err := c.ID("taskId")
	if err != nil {
		return nil, nil, err
	}
	t, err := resource.Get(ctx, r, reporting.ReportTasks.Name, id)
	if err == nil && (t.ReportID != report.ID || !t.SeenBy(c.Access)) {
		err = fault.New(fault.Unknown, "there is no report task %d", id)
	}
	return report, t, err
}

// done returns the run if its file exists.
func done(ctx context.Context, r resource.Reader, c *resource.Call) (*reporting.Report, *reporting.ReportTask, error) {
	report, t, err := known(ctx, r, c, resource.Read)
	if err != nil {
		return nil, nil, err
	}
	switch t.State {
	case reporting.TaskDone:
		return report, t, nil
	case reporting.TaskFailed:
		return nil, nil, fault.New(fault.Conflict, "the report could not be created: %s", t.Error)
	}
	return nil, nil, &fault.Error{Kind: fault.Running, Message: "the report is running; try again soon",
		Detail: map[string]any{"state": t.State, "progress": t.Progress, "rows": t.Rows}}
}

func (s *Service) task(ctx context.Context, c *resource.Call) (any, error) {
	_, t, err := done(ctx, s.db, c)
	if err != nil {
		return nil, err
	}
	return response(c, t), nil
}

func (s *Service) result(ctx context.Context, c *resource.Call) (any, error) {
	report, t, err := done(ctx, s.db, c)
	if err != nil {
		return nil, err
	}
	if lasts := report.LinkLasts(); lasts > 0 && !s.o.Clock().Before(time.Unix(int64(t.EndedOn), 0).Add(lasts)) {
		return nil, fault.New(fault.Conflict, "the link to this run expired after %s, as the report specifies; run "+
			"the report again", report.LinkExpire)
	}
	file, err := s.o.Files.Open(ctx, t.ID)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fault.New(fault.Conflict, "the file of this run no longer exists; run the report again")
	}
	if err != nil {
		return nil, err
	}
	return resource.Response{
		Type: typeOf(t.Format), Filename: s.filename(report, t),
		Stream: func(w io.Writer) error {
			defer file.Close()
			_, err := io.Copy(w, file)
			return err
		},
	}, nil
}

func (s *Service) filename(report *reporting.Report, t *reporting.ReportTask) string {
	return filename(report.Name, t, time.Unix(int64(t.EndedOn), 0).In(s.o.Zone()).Format(time.DateOnly))
}

func (s *Service) remove(ctx context.Context, c *resource.Call) (any, error) {
	var id int64
	err := s.db.Write(ctx, func(tx resource.Tx) error {
		report, t, err := known(ctx, tx, c, resource.Modify)
		if err != nil {
			return err
		}
		id = t.ID
		if err := resource.Delete(ctx, tx, reporting.ReportTasks.Name, id); err != nil {
			return err
		}
		return tx.Note(ctx, &resource.Change{Call: c, Action: "remove run", Object: string(reporting.Reports.Name),
			Label: reporting.Reports.Label, ID: report.ID, Title: report.Name})
	})
	if err != nil {
		return nil, err
	}
	s.cancel(id)
	return nil, nil
}
