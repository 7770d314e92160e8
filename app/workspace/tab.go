package workspace

import (
	"cmp"
	"context"
	"reflect"
	"slices"

	"spyglass/backend/fault"
	"spyglass/backend/resource"
)

// Tab is one open request.
type Tab struct {
	ID        int64
	UserID    int64
	PortalID  int64
	Position  int64
	Name      string
	Pinned    bool
	Draft     Draft
	Saved     *Draft
	HistoryID int64
	View      View
	RequestID int64           // the saved request it was opened from; 0 for none
	Version   int64           // counts changes of the tab's content, not of its view
	Closed    resource.Millis // 0 for an open tab
}

// View is the state of a tab's view: any object.
type View map[string]any

// Schema implements resource.Described: only the page knows the keys.
func (View) Schema() resource.Schema { return resource.Schema{Type: "any", Format: "view"} }

const tabRows resource.Name[*Tab] = "tab"

const (
	maxTabs    = 1000 // per user
	keptClosed = 25   // per user, to reopen
)

// Tabs declares /tabs.
var Tabs = resource.Resource[*Tab]{
	Name: tabRows, Label: "tab", Path: "/tabs", Object: resource.Anyone, Owner: "userId",
	Doc: "A request that is open in the Explorer.",
	Fields: []resource.Field[*Tab]{
		{Name: "id", At: func(t *Tab) any { return &t.ID }, Doc: "Set by the workspace", ReadOnly: true},
		{Name: "userId", At: func(t *Tab) any { return &t.UserID },
			Doc: "Id of its user", ReadOnly: true, WriteOnly: true,
			Index: true},
		{Name: "portalId", At: func(t *Tab) any { return &t.PortalID }, Doc: "The portal it is for; 0 is the " +
			"built-in one", ReadOnly: true, WriteOnly: true, Index: true},
		{Name: "position", At: func(t *Tab) any { return &t.Position }, Doc: "From left to right; ties by id"},
		{Name: "name", At: func(t *Tab) any { return &t.Name }, Doc: "Name; empty: method and path",
			MaxLen: 255},
		{Name: "pinned", At: func(t *Tab) any { return &t.Pinned }, Doc: "It stays open when other tabs are closed"},
		{Name: "draft", At: func(t *Tab) any { return &t.Draft }, Doc: "The request as it is now", Default: emptyDraft},
		{Name: "saved", At: func(t *Tab) any { return &t.Saved },
			Doc: "The saved state to compare the draft with; null for nothing"},
		{Name: "historyId", At: func(t *Tab) any { return &t.HistoryID }, Doc: "The last response; 0: none"},
		{Name: "view", At: func(t *Tab) any { return &t.View }, Doc: "View state of the page: scroll position, panes",
			Default: View{}},
		{Name: "requestId", At: func(t *Tab) any { return &t.RequestID }, Doc: "The saved request it was opened " +
			"from; 0 for none"},
		{Name: "version", At: func(t *Tab) any { return &t.Version }, Doc: "Grows with each change of name, draft or " +
			"saved request; a change that names an older one is refused"},
		{Name: "closed", At: func(t *Tab) any { return &t.Closed }, Doc: "When it was closed; 0: open. " +
			"The newest 25 closed tabs can be reopened"},
	},
	Within: here,
	Check: func(w *resource.Write, was, now *Tab) error {
		if was == nil {
			var err error
			if now.PortalID, err = settle(w, now.UserID); err != nil {
				return err
			}
			counts, err := w.Tx.CountBy(w.Context, string(tabRows), "userId")
			if err != nil {
				return err
			}
			if counts[now.UserID] >= maxTabs {
				return fault.New(fault.Conflict, "%d tabs are open; close some first", maxTabs)
			}
		}
		if err := now.count(w, was); err != nil {
			return err
		}
		if now.Closed != 0 && (was == nil || was.Closed == 0) {
			if err := forgetClosed(w, now); err != nil {
				return err
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

// count sets the version, and refuses a change if the tab was changed in the
// meantime.
func (t *Tab) count(w *resource.Write, was *Tab) error {
	if was == nil {
		t.Version = 1
		return nil
	}
	if w.Given("version") && t.Version != was.Version {
		return &fault.Error{Kind: fault.Conflict, Field: "version", Message: "this tab was changed in another window " +
			"meanwhile"}
	}
	t.Version = was.Version
	if was.Name != t.Name || was.RequestID != t.RequestID || !reflect.DeepEqual(was.Draft, t.Draft) ||
		!reflect.DeepEqual(was.Saved, t.Saved) {
		t.Version++
	}
	return nil
}

// forgetClosed makes room for one more closed tab.
func forgetClosed(w *resource.Write, now *Tab) error {
	closed, err := resource.Find(w.Context, w.Tx, tabRows, mine(now.UserID),
		resource.Where{Field: "closed", Op: ">", Value: int64(0)})
	if err != nil || len(closed) < keptClosed {
		return err
	}
	slices.SortStableFunc(closed, func(a, b Tab) int { return cmp.Compare(b.Closed, a.Closed) })
	for _, old := range closed[keptClosed-1:] {
		if old.ID == now.ID {
			continue
		}
		if err := resource.Delete(w.Context, w.Tx, tabRows, old.ID); err != nil {
			return err
		}
	}
	return nil
}

// TabsJSON returns the user's open tabs at a portal from left to right, as a JSON array.
func (w *Workspace) TabsJSON(ctx context.Context, userID, portalID int64) (resource.JSON, error) {
	tabs, err := resource.Find(ctx, w.db, tabRows, mine(userID),
		resource.Where{Field: "portalId", Op: "=", Value: portalID},
		resource.Where{Field: "closed", Op: "=", Value: int64(0)})
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(tabs, func(a, b Tab) int { return cmp.Compare(a.Position, b.Position) })
	return listJSON(&Tabs, tabs)
}
