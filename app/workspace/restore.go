package workspace

import (
	"context"

	"spyglass/backend/fault"
	"spyglass/backend/resource"
)

// pastRequest is a deleted request with its response.
type pastRequest struct {
	History History
	Reply   *Reply
}

// mostRestored limits the deleted requests of all users that can be restored.
const mostRestored = 16

// removeHistory deletes one request, and keeps it in a bin for a while.
func (w *Workspace) removeHistory(remove handle) handle {
	return func(ctx context.Context, c *resource.Call) (any, error) {
		id, err := c.ID("id")
		if err != nil {
			return nil, err
		}
		h, r, err := w.Recall(ctx, c.Access.UserID, id)
		if err != nil && h == nil {
			return remove(ctx, c) // it returns the error
		}
		out, err := remove(ctx, c)
		if err != nil {
			return nil, err
		}
		w.deletedHistory.put(ctx, c.Access.UserID, h.ID, pastRequest{*h, r})
		return out, nil
	}
}

// restoring returns POST /history/{id}/restore.
func (w *Workspace) restoring() resource.Endpoint {
	return resource.Endpoint{
		Method: "POST", Path: "/history/{id}/restore", Summary: "Restore a deleted request", Right: anyone,
		Params: idParam, Response: declared(struct{}{}),
		Doc: "Possible for the most recently deleted requests.",
		Handle: func(ctx context.Context, c *resource.Call) (any, error) {
			id, err := c.ID("id")
			if err != nil {
				return nil, err
			}
			was, ok, err := w.deletedHistory.take(ctx, c.Access.UserID, id)
			if err != nil {
				return nil, err
			}
			if !ok {
				return nil, fault.New(fault.Unknown, "request %d can no longer be restored", id)
			}
			err = w.db.Write(ctx, func(tx resource.Tx) error {
				if err := learnAll(ctx, tx); err != nil {
					return err
				}
				if err := resource.Put(ctx, tx, historyRows, &was.History); err != nil {
					return err
				}
				if was.Reply != nil {
					if err := resource.Put(ctx, tx, replyRows, was.Reply); err != nil {
						return err
					}
				}
				return learn(ctx, tx, &was.History)
			})
			if err != nil {
				w.deletedHistory.put(ctx, c.Access.UserID, id, was)
				return nil, err
			}
			w.recount(c.Access.UserID)
			return resource.JSON("{}"), nil
		},
	}
}
