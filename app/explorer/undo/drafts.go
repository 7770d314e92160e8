package undo

import (
	"context"

	"spyglass/app/explorer/effect"
	"spyglass/app/explorer/outgoing"
	"spyglass/app/explorer/send"
	"spyglass/backend/fault"
	"spyglass/backend/resource"
)

// changes compares the body of a PUT or PATCH with the current object.
func (w *Writes) changes(ctx context.Context, c *resource.Call, in *send.OfDraft) (*effect.Differences, error) {
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
func (w *Writes) goes(ctx context.Context, c *resource.Call, in *send.OfDraft) (*effect.Gone, error) {
	if in.Draft.Method != "DELETE" {
		return nil, fault.At("draft.method", "only DELETE requests delete objects")
	}
	t, _, out, err := w.Outgoing(ctx, c, &in.Draft, outgoing.Strict)
	if err != nil {
		return nil, err
	}
	return effect.Fetch(w.FetchSmall).Goes(ctx, t, out), nil
}
