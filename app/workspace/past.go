package workspace

import (
	"context"
	"iter"
	"slices"

	"spyglass/backend/resource"
)

// Past is a request of the history with its response, nil if none was stored.
type Past struct {
	History
	Reply *Reply
}

// pastAtOnce is the number of requests read from the database at once.
const pastAtOnce = 50

// EachPast reads the user's requests to a portal with those ids and their
// responses, oldest first; without ids, all requests. It holds few in memory at a
// time.
func (w *Workspace) EachPast(ctx context.Context, userID, portalID int64, ids []int64) iter.Seq2[*Past, error] {
	return func(yield func(*Past, error) bool) {
		for last := int64(0); ; {
			where := []resource.Where{mine(userID), {Field: "portalId", Op: "=", Value: portalID},
				{Field: "id", Op: ">", Value: last}, resource.Limit(pastAtOnce)}
			if len(ids) > 0 {
				where = slices.Insert(where, 1, resource.Where{Field: "id", Op: "in", Value: ids})
			}
			rows, err := resource.Find(ctx, w.db, historyRows, where...)
			if err != nil {
				yield(nil, err)
				return
			}
			for _, h := range rows {
				last = h.ID
				p := &Past{History: h}
				if h.Kept {
					p.Reply, err = resource.Get(ctx, w.db, replyRows, h.ID)
				}
				if !yield(p, err) || err != nil {
					return
				}
			}
			if len(rows) < pastAtOnce {
				return
			}
		}
	}
}
