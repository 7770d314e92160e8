package across

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"spyglass/app/explorer/payload"
	"spyglass/app/explorer/run"
	"spyglass/app/explorer/send"
	"spyglass/app/explorer/stream"
	"spyglass/app/workspace"
	"spyglass/backend/fault"
	"spyglass/backend/resource"
)

// createRequest is the body of /lists/create.
type createRequest struct {
	BatchID string
	Path    string
	Objects []Created
}

// Created is an object to create.
type Created struct {
	Key   string `json:"key"`
	Body  string `json:"body" doc:"as it is sent: without variables"`
	Needs []Need `json:"needs" doc:"fields that get the ids of others of these objects, which are created first"`
}

var createRequests = resource.Resource[*createRequest]{Name: "listCreation", Label: "creation",
	Fields: []resource.Field[*createRequest]{
		{Name: "batchId", At: func(r *createRequest) any { return &r.BatchID }, Doc: "Id in batch events", MaxLen: 100},
		{Name: "path", At: func(r *createRequest) any { return &r.Path }, Doc: "Of the POST", Required: true},
		{Name: "objects", At: func(r *createRequest) any { return &r.Objects }, Doc: "What to create", Required: true},
	}}

// creation is the response to /lists/create.
type creation struct {
	Results []stream.Ran `json:"results" doc:"results of the sent requests, in the order they were sent"`
}

// create creates objects one after the other, also after a failure, and ends with the
// caller. Each is a write like any other: it is in the history, and can be undone.
func (l *Lists) create(ctx context.Context, c *resource.Call, in *createRequest) (*creation, error) {
	if n := len(in.Objects); n == 0 || n > maxCreate {
		return nil, fault.At("objects", "select 1 to %d objects, not %d", maxCreate, n)
	}
	t, err := l.Target(ctx, c)
	if err != nil {
		return nil, err
	}
	endpoint := t.Catalog.Match("POST", in.Path)
	if endpoint == nil || strings.Contains(endpoint.Path, "{") {
		return nil, fault.At("path", "%s has no POST %s to create objects", t.Name, in.Path)
	}
	if _, err := t.Ready(t.Plain("POST", in.Path, "")); err != nil {
		return nil, err // it is read-only
	}
	life, done, err := l.Life.Begin(ctx)
	if err != nil {
		return nil, err
	}
	defer done()
	objects := inOrder(in.Objects)
	ids := map[string]json.RawMessage{} // of created objects, by key
	plan := &run.Plan{Parallel: 1, GoOn: true, Sent: func(one *stream.Ran, reply *send.Reply) {
		if reply.Status/100 == 2 {
			ids[objects[one.At].Key] = l.idIn(reply)
		}
	}}
	for _, one := range objects {
		plan.Steps = append(plan.Steps, run.Step{Name: one.Key,
			Draft: func(context.Context) (string, workspace.Draft, error) {
				body, err := one.complete(ids)
				return one.Key, workspace.Draft{Method: "POST", Path: in.Path, Template: endpoint.Path, Mode: "raw",
					Body: verbatim(body)}, err
			}})
	}
	ran, err := l.Runner.Do(life, c, plan, func(one stream.Ran) {
		l.Hub.Notify(c.Access.UserID, fmt.Sprintf("batch %s %d", in.BatchID, one.At),
			stream.BatchEvent{BatchID: in.BatchID, Of: len(objects), Result: one})
	})
	if err != nil {
		return nil, err
	}
	return &creation{ran.Results}, nil
}

// inOrder returns objects with those that others need before these.
func inOrder(all []Created) []Created {
	var out []Created
	placed := map[string]bool{}
	var place func(one Created)
	place = func(one Created) {
		if placed[one.Key] {
			return
		}
		placed[one.Key] = true
		for _, need := range one.Needs {
			if i := slices.IndexFunc(all, func(o Created) bool { return o.Key == need.Key }); i >= 0 {
				place(all[i])
			}
		}
		out = append(out, one)
	}
	for _, one := range all {
		place(one)
	}
	return out
}

// complete returns the body with the ids of the objects that it needs.
func (o *Created) complete(ids map[string]json.RawMessage) (string, error) {
	fields, _ := decoded(json.RawMessage(o.Body)).(map[string]any)
	if fields == nil {
		return "", fault.At("objects", "the body is not a JSON object")
	}
	for _, need := range o.Needs {
		id := ids[need.Key]
		if id == nil {
			return "", fault.New(fault.Conflict, "not sent, because %s needs “%s”, which was not created", need.Field,
				need.Key)
		}
		fields[need.Field] = id
	}
	return encoded(fields), nil
}

// idIn returns the id of the object that a portal created; nil if the response has none.
func (l *Lists) idIn(reply *send.Reply) json.RawMessage {
	doc, err := l.Documents.Get(reply.Document)
	var body bytes.Buffer
	if err != nil || doc.WriteText(&body) != nil {
		return nil
	}
	o, ok := payload.ReadObject(body.Bytes())
	if !ok {
		return nil
	}
	return o.Values["id"]
}

// verbatim escapes what would be a variable. Braces stand together in texts only.
func verbatim(body string) string { return strings.ReplaceAll(body, "{{", `\u007b\u007b`) }
