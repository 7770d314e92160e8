package workspace

import (
	"cmp"
	"context"
	"slices"

	"spyglass/backend/fault"
	"spyglass/backend/resource"
)

// Tab is one open request.
type Tab struct {
	ID        int64
	UserID    int64
	Position  int64
	Name      string
	Pinned    bool
	Draft     Draft
	Saved     *Draft
	HistoryID int64
	View      map[string]any
}

const (
	tabRows resource.Name[Tab] = "tab"
	maxTabs                    = 1000 // of a user
)

// Tabs declares /tabs.
var Tabs = resource.Resource[Tab]{
	Name: tabRows, Label: "tab", Path: "/tabs", Object: resource.Anyone, Owner: "userId",
	Doc: "A request that is open in the Explorer.",
	Fields: []resource.Field[Tab]{
		{Name: "id", At: func(t *Tab) any { return &t.ID }, Doc: "Set by the workspace", ReadOnly: true},
		{Name: "userId", At: func(t *Tab) any { return &t.UserID }, Doc: "Whose it is", ReadOnly: true, WriteOnly: true, Index: true},
		{Name: "position", At: func(t *Tab) any { return &t.Position }, Doc: "From left to right; ties by id"},
		{Name: "name", At: func(t *Tab) any { return &t.Name }, Doc: "Given by hand; empty follows method and path", MaxLen: 255},
		{Name: "pinned", At: func(t *Tab) any { return &t.Pinned }, Doc: "It stays when others are closed"},
		{Name: "draft", At: func(t *Tab) any { return &t.Draft }, Doc: "The request as it is now", Default: emptyDraft},
		{Name: "saved", At: func(t *Tab) any { return &t.Saved }, Doc: "What the draft is measured against; null for nothing"},
		{Name: "historyId", At: func(t *Tab) any { return &t.HistoryID }, Doc: "The last answer; 0 for none"},
		{Name: "view", At: func(t *Tab) any { return &t.View }, Doc: "What the page remembers of it: scroll, panes", Default: map[string]any{}},
	},
	Check: func(w *resource.Write, was, now *Tab) error {
		if was == nil {
			counts, err := w.Tx.CountBy(w.Context, string(tabRows), "userId")
			if err != nil {
				return err
			}
			if counts[now.UserID] >= maxTabs {
				return fault.New(fault.Conflict, "%d tabs are open; close some first", maxTabs)
			}
		}
		if now.Saved != nil {
			if err := now.Saved.Check("saved"); err != nil {
				return err
			}
		}
		return now.Draft.Check("draft")
	},
}

// TabsJSON is the user's tabs from left to right, as a JSON array.
func (w *Workspace) TabsJSON(ctx context.Context, userID int64) (resource.JSON, error) {
	tabs, err := resource.Find(ctx, w.db, tabRows, mine(userID))
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(tabs, func(a, b Tab) int { return cmp.Compare(a.Position, b.Position) })
	return listJSON(&Tabs, tabs)
}
