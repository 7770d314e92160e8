package reporting

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"

	"spyglass/backend/fault"
	"spyglass/backend/portal/alert"
	"spyglass/backend/portal/ground"
	"spyglass/backend/portal/people"
	"spyglass/backend/resource"
)

// reportTaskRows names the rows of ReportTask.
const reportTaskRows resource.Name[*ReportTask] = "reportTask"

// States of a ReportTask.
const (
	TaskWaiting = "waiting"
	TaskRunning = "running"
	TaskDone    = "done"
	TaskFailed  = "failed"
)

// KeptTasks is the number of runs of a report that are stored.
const KeptTasks = 20

// ReportTask is one run of a report. Its file is in the data folder.
type ReportTask struct {
	ID        int64
	ReportID  int64
	State     string
	Progress  int64 // percent
	CreatedOn resource.Seconds
	StartedOn resource.Seconds
	EndedOn   resource.Seconds
	Size      int64 // bytes
	Rows      int64
	Format    string
	Error     string
	UserID    int64 // the user whose permissions it has
	User      string
	Mails     string           // separated by commas
	Scheduled bool             // started by the schedule
	DueOn     resource.Seconds // not before this time; 0 for immediately
	Note      string           // note for users, for example that it is late
	Pages     int64            // for a PDF
	Starts    int64            // number of starts
	Link      string           // to the file; created when read

	// What its user could view: the right, and the device groups.
	Object string
	Area   string
	All    bool
	Groups []int64
}

// ReportTasks declares the runs. ReportTaskList lists them.
var ReportTasks = resource.Resource[*ReportTask]{
	Name: reportTaskRows, Label: "report task", Object: resource.Reports,
	Doc: "One run of a report.",
	Fields: append(slices.Clone(shownTask[:len(shownTask)-1]), []resource.Field[*ReportTask]{
		{Name: "object", At: func(t *ReportTask) any { return &t.Object }, Doc: "What its user read", ReadOnly: true},
		{Name: "area", At: func(t *ReportTask) any { return &t.Area }, Doc: "Area of the settings",
			ReadOnly: true},
		{Name: "seesAll", At: func(t *ReportTask) any { return &t.All }, Doc: "Its user could view all device groups",
			ReadOnly: true},
		{Name: "groups", At: func(t *ReportTask) any { return &t.Groups },
			Doc:      "The device groups that its user could view",
			ReadOnly: true, Default: []int64{}},
	}...),
}

var shownTask = []resource.Field[*ReportTask]{
	{Name: "id", At: func(t *ReportTask) any { return &t.ID }, Doc: "The taskId", ReadOnly: true, Example: 1},
	{Name: "reportId", At: func(t *ReportTask) any { return &t.ReportID }, Doc: "The report", ReadOnly: true,
		Refs: string(ReportRows), Cascade: true, Index: true, Example: 1},
	{Name: "state", At: func(t *ReportTask) any { return &t.State }, Doc: "waiting, running, done or failed",
		ReadOnly: true, Index: true, Example: TaskDone},
	{Name: "progress", At: func(t *ReportTask) any { return &t.Progress }, Doc: "Progress in percent",
		ReadOnly: true, Example: 100},
	{Name: "createdOn", At: func(t *ReportTask) any { return &t.CreatedOn }, Doc: "When it was requested",
		ReadOnly: true,
		Example:  1790000000},
	{Name: "startedOn", At: func(t *ReportTask) any { return &t.StartedOn },
		Doc:      "When it started; 0 while it is waiting",
		ReadOnly: true, Example: 1790000000},
	{Name: "endedOn", At: func(t *ReportTask) any { return &t.EndedOn }, Doc: "When it ended; 0: not yet",
		ReadOnly: true, Example: 1790000001},
	{Name: "size", At: func(t *ReportTask) any { return &t.Size }, Doc: "Bytes of the file", ReadOnly: true,
		Example: 5120},
	{Name: "rows", At: func(t *ReportTask) any { return &t.Rows },
		Doc: "Number of rows written so far", ReadOnly: true, Example: 40},
	{Name: "format", At: func(t *ReportTask) any { return &t.Format }, Doc: "Of the file: HTML, PDF, XLSX or CSV",
		ReadOnly: true, Example: FormatHTML},
	{Name: "error", At: func(t *ReportTask) any { return &t.Error }, Doc: "Why it failed", ReadOnly: true, Example: ""},
	{Name: "userId", At: func(t *ReportTask) any { return &t.UserID }, Doc: "The user whose permissions it has",
		ReadOnly: true,
		Example:  1},
	{Name: "userName", At: func(t *ReportTask) any { return &t.User }, Doc: "The name of that user", ReadOnly: true,
		Example: "admin"},
	{Name: "receiveEmails", At: func(t *ReportTask) any { return &t.Mails }, Doc: "Additional recipients by email",
		ReadOnly: true, MaxLen: 64_000, Example: ""},
	{Name: "scheduled", At: func(t *ReportTask) any { return &t.Scheduled },
		Doc: "Started by the schedule of the report", ReadOnly: true},
	{Name: "dueOn", At: func(t *ReportTask) any { return &t.DueOn },
		Doc: "It does not start before this time; 0: immediately", ReadOnly: true},
	{Name: "note", At: func(t *ReportTask) any { return &t.Note },
		Doc: "A note, for example that it replaces missed runs", ReadOnly: true,
		Example: ""},
	{Name: "pages", At: func(t *ReportTask) any { return &t.Pages }, Doc: "Pages of a PDF; 0 for other formats",
		ReadOnly: true},
	{Name: "starts", At: func(t *ReportTask) any { return &t.Starts },
		Doc:      "Number of starts: a scheduled run that a restart interrupted starts once more",
		ReadOnly: true, Example: 1},
	{Name: "resulturl", At: func(t *ReportTask) any { return &t.Link },
		Doc:      "URL of the file; empty until it is done",
		ReadOnly: true, Example: ""},
}

// ReportMail is a finished run that is being sent to its recipients.
type ReportMail struct {
	TaskID     int64
	Recipients []alert.Recipient
	Subject    string
	Body       string
	Attach     bool // the file is attached
}

// ReportFile is the file of a run.
type ReportFile struct {
	Write func(w io.Writer) (int64, error) // writes its content
	Name  string                           // name when saved
	Type  string                           // media type
}

// ReportTaskList declares GET /report/reports/{reportId}/tasks.
var ReportTaskList = resource.View[*ReportTask]{
	Resource: resource.Resource[*ReportTask]{
		Name: "reportTask", Label: "report task", Path: "/report/reports/{reportId}/tasks",
		Category: ground.CategoryReports,
		Object:   resource.Reports, Sample: 1,
		Doc:     "One run of a report. The newest 20 of each report are kept.",
		Parents: []resource.Parent{{Of: string(ReportRows), Param: "reportId", Field: "reportId", Sample: 1}},
		Without: []resource.Verb{resource.OnGet},
		Fields:  shownTask,
	},
	Rows: resource.Each(func(ctx context.Context, r resource.Reader, c *resource.Call) ([]ReportTask, error) {
		id, err := c.ID("reportId")
		if err != nil {
			return nil, err
		}
		tasks, err := TasksOf(ctx, r, c.Access, id)
		for i := range tasks {
			if tasks[i].State == TaskDone {
				tasks[i].Link = c.Base + tasks[i].Path()
			}
		}
		return tasks, err
	}),
}

// Path returns the path of the file below the mount.
func (t *ReportTask) Path() string {
	return fmt.Sprintf("/report/reports/%d/tasks/%d/result", t.ReportID, t.ID)
}

// TasksOf returns the runs of a report that who can view, the newest first.
func TasksOf(ctx context.Context, r resource.Reader, who *resource.Access, report int64) ([]ReportTask, error) {
	tasks, err := resource.Find(ctx, r, reportTaskRows, resource.Where{Field: "reportId", Op: "=", Value: report})
	tasks = slices.DeleteFunc(tasks, func(t ReportTask) bool { return !t.SeenBy(who) })
	slices.Reverse(tasks)
	return tasks, err
}

// SeenBy reports whether who can view everything that the run's user could view, so
// that a result never shows more than that.
func (t *ReportTask) SeenBy(who *resource.Access) bool {
	if who == nil || t.State != TaskDone {
		return true // there is no content
	}
	if !who.May(resource.Right{Object: resource.Object(t.Object), Area: t.Area, Op: resource.Read}) {
		return false
	}
	if resource.Object(t.Object) != resource.DeviceGroup {
		return true
	}
	all, groups := who.Groups(resource.Read)
	return all || !t.All && !slices.ContainsFunc(t.Groups, func(id int64) bool { return !slices.Contains(groups, id) })
}

// Saw records what the run's user can view with the right that the type of the
// report requires.
func (t *ReportTask) Saw(right resource.Right, who *resource.Access) {
	t.Object, t.Area, t.Groups = string(right.Object), right.Area, []int64{}
	if right.Object == resource.DeviceGroup {
		all, groups := who.Groups(resource.Read)
		t.All, t.Groups = all, append(t.Groups, groups...)
	}
}

// MayActAs returns fault.Denied unless the caller may change that user, and so
// could act with their permissions anyway.
func MayActAs(w *resource.Write, userID int64) error {
	who := w.Call.Access
	if who == nil || who.UserID == userID {
		return nil
	}
	if right := (resource.Right{Object: resource.Setting, Area: ground.AreaUserAccess,
		Op: resource.Modify}); !who.May(right) {
		return fault.New(fault.Denied, "your role cannot run reports as another user; omit withAdminId")
	}
	user, err := resource.Lookup(w.Context, w.Tx, people.UserRows, userID)
	if err != nil {
		return err
	}
	if user == nil {
		return fault.At("withAdminId", "withAdminId: there is no user %d", userID)
	}
	if err := people.MayManage(w, user); err != nil {
		return fault.New(fault.Denied,
			"you cannot run reports as %s, who has permissions that you do not have", user.Username)
	}
	return nil
}

// runsOf returns the finished runs of each report that the caller can view, the newest first.
func runsOf(ctx context.Context, r resource.Reader, rows []resource.Row) (map[int64][]ReportTask, error) {
	var who *resource.Access
	if c := resource.CallOf(ctx); c != nil {
		who = c.Access
	}
	done, err := resource.Find(ctx, r, reportTaskRows,
		resource.Where{Field: "reportId", Op: "in", Value: resource.RowIDs(rows)},
		resource.Where{Field: "state", Op: "=",
			Value: TaskDone})
	out := map[int64][]ReportTask{}
	for _, t := range slices.Backward(done) {
		if t.SeenBy(who) {
			out[t.ReportID] = append(out[t.ReportID], t)
		}
	}
	return out, err
}

// lastRun derives a number from the newest run; 0 if there is none.
func lastRun(of func(*ReportTask) int64) func(context.Context, resource.Reader, []resource.Row) ([][]byte, error) {
	return func(ctx context.Context, r resource.Reader, rows []resource.Row) ([][]byte, error) {
		runs, err := runsOf(ctx, r, rows)
		out := make([][]byte, len(rows))
		for i, row := range rows {
			n := int64(0)
			if list := runs[row.ID]; len(list) > 0 {
				n = of(&list[0])
			}
			out[i] = strconv.AppendInt(nil, n, 10)
		}
		return out, err
	}
}

func keptRuns(ctx context.Context, r resource.Reader, rows []resource.Row) ([][]byte, error) {
	runs, err := runsOf(ctx, r, rows)
	out := make([][]byte, len(rows))
	for i, row := range rows {
		out[i] = strconv.AppendInt(nil, int64(len(runs[row.ID])), 10)
	}
	return out, err
}
