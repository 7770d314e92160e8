package pages

import (
	"context"

	"spyglass/app/explorer/client"
	"spyglass/app/explorer/send"
	"spyglass/app/workspace"
	"spyglass/backend/resource"
)

// recall opens a response of the history as a new document.
func (p *Pager) recall(ctx context.Context, c *resource.Call) (*send.Reply, error) {
	id, err := c.ID("id")
	if err != nil {
		return nil, err
	}
	h, kept, err := p.Workspace.Recall(ctx, c.Access.UserID, id)
	if err != nil {
		return nil, err
	}
	w := p.Documents.Create(send.ContentType(kept.Headers))
	defer w.Abort()
	if err := workspace.Unzip(kept.Zipped, w); err != nil {
		return nil, err
	}
	doc, err := w.Finish()
	if err != nil {
		return nil, err
	}
	r, err := p.Reply(h, doc, kept.Headers, client.Timing{})
	if err == nil && kept.Masked && r.Reading == "" {
		r.Reading = "Secrets of this response were masked when it was stored in the history"
	}
	if err == nil && h.Error != "" && r.Items != nil {
		r.Run = &send.RunReport{Items: *r.Items, Total: r.Total, Partial: h.Error, Notes: []string{},
			Resume: goesOn(h, *r.Items)}
		if r.Run.Resume {
			p.runs.leave(r.Document, &progressed{past: h})
		}
	}
	return r, err
}
