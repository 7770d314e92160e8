package undo

import (
	"context"

	"spyglass/app/explorer/effect"
	"spyglass/app/explorer/outgoing"
	"spyglass/app/workspace"
	"spyglass/backend/fault"
	"spyglass/backend/resource"
)

// draftRequest is the body of requests about a draft.
type draftRequest struct{ Draft workspace.Draft }

var draftRequests = resource.Resource[*draftRequest]{Name: "write", Label: "draft",
	Fields: []resource.Field[*draftRequest]{
		{Name: "draft", At: func(d *draftRequest) any { return &d.Draft }, Doc: "The write",
			Required: true},
	}}

// changes compares the body of a PUT or PATCH with the current object.
func (w *Writes) changes(ctx context.Context, c *resource.Call, in *draftRequest) (*effect.Differences, error) {
	if in.Draft.Method != "PUT" && in.Draft.Method != "PATCH" {
		return nil, fault.At("draft.method", "only PUT and PATCH requests can be compared")
	}
	t, _, out, err := w.Outgoing(ctx, c, &in.Draft, outgoing.Strict)
	if err != nil {
		return nil, err
	}
	return effect.Fetch(w.FetchSmall).Changes(ctx, t, out)
}

// goes returns what a DELETE would remove.
func (w *Writes) goes(ctx context.Context, c *resource.Call, in *draftRequest) (*effect.Gone, error) {
	if in.Draft.Method != "DELETE" {
		return nil, fault.At("draft.method", "only DELETE requests delete objects")
	}
	t, _, out, err := w.Outgoing(ctx, c, &in.Draft, outgoing.Strict)
	if err != nil {
		return nil, err
	}
	return effect.Fetch(w.FetchSmall).Goes(ctx, t, out), nil
}
