package workspace

import (
	"context"

	"spyglass/backend/resource"
)

// Way stores how to undo a write in the history. The Explorer defines the text,
// which contains no secrets.
type Way struct {
	ID       int64 // of the history row
	UserID   int64
	PortalID int64
	Text     string
}

const wayRows resource.Name[*Way] = "way"

// MaxWays limits the undo records of a user; MaxWay limits the bytes of one.
const (
	MaxWays = 200
	MaxWay  = 256 << 10
)

// ways is a table without endpoints.
var ways = resource.Resource[*Way]{
	Name: wayRows, Label: "way back", Owner: "userId",
	Fields: []resource.Field[*Way]{
		{Name: "id", At: func(w *Way) any { return &w.ID }, ReadOnly: true},
		{Name: "userId", At: func(w *Way) any { return &w.UserID }, ReadOnly: true, WriteOnly: true, Index: true},
		{Name: "portalId", At: func(w *Way) any { return &w.PortalID }, ReadOnly: true, WriteOnly: true},
		{Name: "text", At: func(w *Way) any { return &w.Text }, ReadOnly: true, WriteOnly: true, MaxLen: MaxWay},
	},
}

// KeepWay stores an undo record as long as its request is in the history and it
// is one of the newest of its user.
func (w *Workspace) KeepWay(ctx context.Context, way *Way) error {
	return w.db.Write(ctx, func(tx resource.Tx) error {
		if _, err := resource.Get(ctx, tx, historyRows, way.ID); err != nil {
			return err
		}
		if err := resource.Put(ctx, tx, wayRows, way); err != nil {
			return err
		}
		counts, err := tx.CountBy(ctx, string(wayRows), "userId")
		if err != nil || counts[way.UserID] <= MaxWays {
			return err
		}
		old, err := resource.Find(ctx, tx, wayRows, mine(way.UserID), resource.Limit(counts[way.UserID]-MaxWays))
		for i := range old {
			if err == nil {
				err = resource.Delete(ctx, tx, wayRows, old[i].ID)
			}
		}
		return err
	})
}

// Ways returns the undo records of a user's writes to a portal, oldest first.
func (w *Workspace) Ways(ctx context.Context, userID, portalID int64) ([]Way, error) {
	return resource.Find(ctx, w.db, wayRows, mine(userID), resource.Where{Field: "portalId", Op: "=", Value: portalID})
}

// DeleteWay deletes the undo record of a request, if there is one.
func (w *Workspace) DeleteWay(ctx context.Context, id int64) error {
	return w.db.Write(ctx, func(tx resource.Tx) error { return deleteWays(ctx, tx, id) })
}

func deleteWays(ctx context.Context, tx resource.Tx, ids ...int64) error {
	return resource.DeleteAll(ctx, tx, wayRows, resource.Where{Field: "id", Op: "in", Value: ids})
}
