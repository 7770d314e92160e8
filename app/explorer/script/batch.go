package script

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"spyglass/app/explorer/send"
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
		{Name: "batchId", At: func(b *batchRequest) any { return &b.BatchID }, Doc: "Comes back in progress events",
			MaxLen: 100},
		{Name: "ids", At: func(b *batchRequest) any { return &b.IDs }, Doc: "Of saved requests, in the order they " +
			"are sent",
			Required: true},
		{Name: "goOn", At: func(b *batchRequest) any { return &b.GoOn }, Doc: "Go on behind one that fails"},
	}}

// ran is the result of one request of a batch.
type ran struct {
	ID        int64  `json:"id"` // of the saved request
	Name      string `json:"name"`
	Method    string `json:"method"`
	Path      string `json:"path"`
	Status    int64  `json:"status"` // 0: no answer
	MS        int64  `json:"ms"`
	HistoryID int64  `json:"historyId"` // 0: it was not sent
	Problem   string `json:"problem"`   // one sentence; empty when the answer has a status from 200 to 299
}

// batch sends saved requests one after the other, each as it is then and as if
// it were sent alone. It ends with the caller, and returns the result of each
// request sent; one request with its response is in memory at a time.
func (s *Scripts) batch(ctx context.Context, c *resource.Call, in *batchRequest) (any, error) {
	if n := len(in.IDs); n == 0 || n > maxBatch {
		return nil, fault.At("ids", "choose 1 to %d requests; these are %d", maxBatch, n)
	}
	life, done, err := s.Life.Begin(ctx)
	if err != nil {
		return nil, err
	}
	defer done()
	results := []*ran{}
	for i, id := range in.IDs {
		if life.Err() != nil {
			break
		}
		one := s.runSaved(life, c, id)
		results = append(results, one)
		s.Hub.Tell(c.Access.UserID, fmt.Sprintf("batch %s %d", in.BatchID, i),
			resource.Event{Name: "batch", Data: map[string]any{
				"batchId": in.BatchID, "at": i, "result": one,
			}})
		if one.Problem != "" && !in.GoOn {
			break
		}
	}
	return map[string]any{"results": results}, nil
}

func (s *Scripts) runSaved(ctx context.Context, c *resource.Call, id int64) *ran {
	one := &ran{ID: id}
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
	got, err := x.Run(ctx)
	one.Status, one.MS, one.HistoryID = x.History.Status, x.History.MS, x.History.ID
	if err != nil {
		one.Problem = fault.Of(err).Message
		return one
	}
	r := got.(*send.Reply)
	document, _, _ := strings.Cut(r.Document, "-")
	s.Documents.Drop(document) // the history keeps what is shown again
	one.Problem = complaint(r)
	return one
}

// complaint describes what is wrong with a response; empty for a status of
// 200 to 299.
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
