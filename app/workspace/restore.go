package workspace

import (
	"context"

	"spyglass/backend/fault"
	"spyglass/backend/resource"
)

// gone is a request that was deleted and can still come back.
type gone struct {
	history History
	reply   *Reply
}

// mostGone deleted requests of all users can come back, until the process ends.
const mostGone = 16

// removeHistory deletes one request, and keeps it in memory for a while.
func (w *Workspace) removeHistory(remove handle) handle {
	return func(ctx context.Context, c *resource.Call) (any, error) {
		id, err := c.ID("id")
		if err != nil {
			return nil, err
		}
		h, r, err := w.Recall(ctx, c.Access.UserID, id)
		if err != nil && h == nil {
			return remove(ctx, c) // it says what is wrong
		}
		out, err := remove(ctx, c)
		if err != nil {
			return nil, err
		}
		w.mu.Lock()
		defer w.mu.Unlock()
		w.gone = append(w.gone, gone{*h, r})
		w.gone = w.gone[max(0, len(w.gone)-mostGone):]
		return out, nil
	}
}

// restoring is POST /history/{id}/restore.
func (w *Workspace) restoring() resource.Endpoint {
	return resource.Endpoint{
		Method: "POST", Path: "/history/{id}/restore", Summary: "Bring a deleted request back", Right: anyone,
		Doc: "As long as it is among the last that were deleted.",
		Handle: func(ctx context.Context, c *resource.Call) (any, error) {
			id, err := c.ID("id")
			if err != nil {
				return nil, err
			}
			g, ok := w.takeGone(c.Access.UserID, id)
			if !ok {
				return nil, fault.New(fault.Unknown, "request %d can no longer be brought back", id)
			}
			err = w.db.Write(ctx, func(tx resource.Tx) error {
				if err := learnAll(ctx, tx); err != nil {
					return err
				}
				if err := resource.Put(ctx, tx, historyRows, &g.history); err != nil {
					return err
				}
				if g.reply != nil {
					if err := resource.Put(ctx, tx, replyRows, g.reply); err != nil {
						return err
					}
				}
				return learn(ctx, tx, &g.history)
			})
			w.recount(c.Access.UserID)
			return resource.JSON("{}"), err
		},
	}
}

func (w *Workspace) takeGone(userID, id int64) (gone, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for i, g := range w.gone {
		if g.history.ID == id && g.history.UserID == userID {
			w.gone = append(w.gone[:i:i], w.gone[i+1:]...)
			return g, true
		}
	}
	return gone{}, false
}
