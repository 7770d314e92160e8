package run

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"spyglass/app/explorer/serve"
	"spyglass/app/explorer/stream"
	"spyglass/app/workspace"
	"spyglass/backend/fault"
	"spyglass/backend/resource"
)

// Endpoint returns the endpoint that runs saved requests.
func (r *Runner) Endpoint() resource.Endpoint {
	return serve.Post("/batch", "Run saved requests", &batchRequests, r.batch)
}

// ReportEndpoints returns the endpoints of reports.
func (r *Runner) ReportEndpoints() []resource.Endpoint {
	return []resource.Endpoint{
		serve.Get("/batch/reports", "List the formats of reports", formats),
		serve.File("/batch/report", "Download the report of the last run", mediaTypes(), r.report,
			serve.Query("batchId", resource.Text("Id of the run")),
			serve.Query("format", resource.Text("The id of a format"))),
	}
}

// batchRequest is the body of /batch.
type batchRequest struct {
	BatchID  string
	Title    string
	IDs      []int64
	GoOn     bool
	Parallel int64
	Data     string
}

var batchRequests = resource.Resource[*batchRequest]{Name: "batch", Label: "batch",
	Fields: []resource.Field[*batchRequest]{
		{Name: "batchId", At: func(b *batchRequest) any { return &b.BatchID }, Doc: "Id in progress events",
			MaxLen: 100},
		{Name: "title", At: func(b *batchRequest) any { return &b.Title }, Doc: "Of its report", MaxLen: 255},
		{Name: "ids", At: func(b *batchRequest) any { return &b.IDs }, Doc: "Of saved requests, in the order they " +
			"are sent",
			Required: true},
		{Name: "goOn", At: func(b *batchRequest) any { return &b.GoOn }, Doc: "Continue after a failed one"},
		{Name: "parallel", At: func(b *batchRequest) any { return &b.Parallel }, Doc: "How many run at a time; 1: in " +
			"order", Default: int64(1)},
		{Name: "data", At: func(b *batchRequest) any { return &b.Data }, Doc: "A CSV or JSON file; the requests run " +
			"once for each row, with its values as variables", MaxLen: MaxData},
	}}

type batchResults struct {
	Results []stream.Ran `json:"results" doc:"results of the sent requests, in the order of the plan"`
}

// batch runs saved requests, each as if it were sent alone. It ends with the caller, and
// returns the result of each request sent.
func (r *Runner) batch(ctx context.Context, c *resource.Call, in *batchRequest) (*batchResults, error) {
	if n := len(in.IDs); n == 0 || n > maxPicked {
		return nil, fault.At("ids", "select 1 to %d requests, not %d", maxPicked, n)
	}
	plan := &Plan{Title: in.Title, GoOn: in.GoOn, Parallel: int(in.Parallel)}
	for _, id := range in.IDs {
		plan.Steps = append(plan.Steps, Step{ID: id, Draft: r.saved(c.Access.UserID, id)})
	}
	if strings.TrimSpace(in.Data) != "" {
		var err error
		if plan.Rows, err = ReadData([]byte(in.Data)); err != nil {
			return nil, err
		}
	}
	life, done, err := r.Life.Begin(ctx)
	if err != nil {
		return nil, err
	}
	defer done()
	ran, err := r.Do(life, c, plan, func(one stream.Ran) {
		r.Hub.Notify(c.Access.UserID, fmt.Sprintf("batch %s %d", in.BatchID, one.At),
			stream.BatchEvent{BatchID: in.BatchID, Of: len(plan.Steps) * max(len(plan.Rows), 1), Result: one})
	})
	if err != nil {
		return nil, err
	}
	r.keep(c.Access.UserID, in.BatchID, ran)
	return &batchResults{ran.Results}, nil
}

// saved returns the saved request of a step.
func (r *Runner) saved(userID, id int64) func(context.Context) (string, workspace.Draft, error) {
	return func(ctx context.Context) (string, workspace.Draft, error) {
		saved, err := r.Workspace.SavedRequests(ctx, userID, []int64{id})
		if err != nil {
			return "", workspace.Draft{}, err
		}
		return saved[0].Name, saved[0].Draft, nil
	}
}

// mostKept limits the users whose last run is kept.
const mostKept = 8

// kept is the last run of a user.
type kept struct {
	userID  int64
	batchID string
	run     *Run
}

// keep keeps a run for its report.
func (r *Runner) keep(userID int64, batchID string, run *Run) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.last = slices.DeleteFunc(r.last, func(k kept) bool { return k.userID == userID })
	r.last = append(r.last, kept{userID, batchID, run})
	r.last = slices.Delete(r.last, 0, max(0, len(r.last)-mostKept))
}

func (r *Runner) runOf(userID int64, batchID string) *Run {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, k := range r.last {
		if k.userID == userID && k.batchID == batchID {
			return k.run
		}
	}
	return nil
}

// formatTable is the response of /batch/reports.
type formatTable struct {
	Formats []ShownFormat `json:"formats" doc:"in the order to show them"`
}

func formats(context.Context, *resource.Call) (*formatTable, error) {
	return &formatTable{Shown(Formats)}, nil
}

// report returns the report of the caller's last run.
func (r *Runner) report(_ context.Context, c *resource.Call) (any, error) {
	format, err := FormatOf(c.Query.Get("format"))
	if err != nil {
		return nil, err
	}
	run := r.runOf(c.Access.UserID, c.Query.Get("batchId"))
	if run == nil {
		return nil, fault.New(fault.Unknown, "this run is no longer kept; run the requests again")
	}
	return &resource.Response{Type: format.Type, Filename: "report." + format.Ext, Stream: func(w io.Writer) error {
		return format.Write(w, run)
	}}, nil
}
