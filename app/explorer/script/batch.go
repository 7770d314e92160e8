package script

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"spyglass/app/explorer/send"
	"spyglass/app/explorer/stream"
	"spyglass/backend/fault"
	"spyglass/backend/resource"
)

// batchRequest is the body of /batch.
type batchRequest struct {
	BatchID string
	IDs     []int64
	GoOn    bool
}

// maxBatch limits the requests of one batch.
const maxBatch = 500

var batchRequests = resource.Resource[*batchRequest]{Name: "batch", Label: "batch",
	Fields: []resource.Field[*batchRequest]{
		{Name: "batchId", At: func(b *batchRequest) any { return &b.BatchID }, Doc: "Id in progress events",
			MaxLen: 100},
		{Name: "ids", At: func(b *batchRequest) any { return &b.IDs }, Doc: "Of saved requests, in the order they " +
			"are sent",
			Required: true},
		{Name: "goOn", At: func(b *batchRequest) any { return &b.GoOn }, Doc: "Continue after a failed one"},
	}}

type batchResults struct {
	Results []stream.Ran `json:"results"`
}

// batch sends saved requests one after the other, each as if it were sent alone.
// It ends with the caller, and returns the result of each request sent; one
// request with its response is in memory at a time.
func (s *Scripts) batch(ctx context.Context, c *resource.Call, in *batchRequest) (*batchResults, error) {
	if n := len(in.IDs); n == 0 || n > maxBatch {
		return nil, fault.At("ids", "select 1 to %d requests, not %d", maxBatch, n)
	}
	life, done, err := s.Life.Begin(ctx)
	if err != nil {
		return nil, err
	}
	defer done()
	results := []stream.Ran{}
	for i, id := range in.IDs {
		if life.Err() != nil {
			break
		}
		one := s.runSaved(life, c, id)
		results = append(results, *one)
		s.Hub.Notify(c.Access.UserID, fmt.Sprintf("batch %s %d", in.BatchID, i),
			stream.BatchEvent{At: i, BatchID: in.BatchID, Result: *one})
		if one.Problem != "" && !in.GoOn {
			break
		}
	}
	return &batchResults{results}, nil
}

func (s *Scripts) runSaved(ctx context.Context, c *resource.Call, id int64) *stream.Ran {
	one := &stream.Ran{ID: id}
	saved, err := s.Workspace.SavedRequests(ctx, c.Access.UserID, []int64{id})
	if err != nil {
		one.Problem = fault.Of(err).Message
		return one
	}
	draft := saved[0].Draft
	one.Name, one.Method, one.Path = saved[0].Name, draft.Method, draft.Path
	now := *c
	now.At = time.Now()
	x, err := s.Exchange(ctx, &now, &send.Request{Draft: draft})
	if err != nil {
		one.Problem = fault.Of(err).Message
		return one
	}
	r, err := x.Run(ctx)
	one.Status, one.MS, one.HistoryID = x.History.Status, x.History.MS, x.History.ID
	if err != nil {
		one.Problem = fault.Of(err).Message
		return one
	}
	document, _, _ := strings.Cut(r.Document, "-")
	s.Documents.Drop(document) // the history has it to show it again
	one.Problem = complaint(r)
	return one
}

// complaint describes the error in a response; "" for a status of 200 to 299.
func complaint(r *send.Reply) string {
	if r.Status/100 == 2 {
		return ""
	}
	said := strings.TrimSpace(fmt.Sprint(r.Status, " ", r.StatusText))
	if r.Error != nil {
		return cmp.Or(r.Error.Message, said)
	}
	return said
}
