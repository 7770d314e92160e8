package explorer

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"spyglass/app/explorer/folder"
	"spyglass/app/explorer/remote"
	"spyglass/app/workspace"
	"spyglass/backend/resource"
)

func (e *Explorer) showCatalog(ctx context.Context, c *resource.Call) (any, error) {
	t, err := e.sender.Target(ctx, c)
	if err != nil {
		return nil, err
	}
	answer, err := t.Catalog.Page()
	return &answer, err
}

// rights returns the permissions that endpoints of the built-in portal require
// and the caller has, in the catalog's words, so that the page offers no other.
func (e *Explorer) rights(who *resource.Access) []string {
	held := []string{}
	for i := range e.sender.Catalog.Endpoints {
		if right := e.sender.Catalog.Endpoints[i].Right; who.May(right) && !slices.Contains(held, right.String()) {
			held = append(held, right.String())
		}
	}
	if who.May(remote.Right) {
		held = append(held, remote.Right.String())
	}
	return held
}

// start returns everything that the page needs before its first paint.
func (e *Explorer) start(ctx context.Context, c *resource.Call) (any, error) {
	if err := e.portals.Choose(ctx, c); err != nil {
		return nil, err
	}
	at := workspace.PortalID(c)
	tabs, err := e.o.Workspace.TabsJSON(ctx, c.Access.UserID, at)
	if err != nil {
		return nil, err
	}
	variables, err := e.o.Workspace.VariablesJSON(ctx, c.Access.UserID, at)
	if err != nil {
		return nil, err
	}
	settings, err := e.o.Workspace.SettingsJSON(ctx, c.Access.UserID)
	if err != nil {
		return nil, err
	}
	portals, err := e.portals.All(ctx, c)
	if err != nil {
		return nil, err
	}
	return map[string]any{
		"portal":  portals[slices.IndexFunc(portals, func(p remote.Shown) bool { return p.ID == at })],
		"portals": portals,
		"version": e.o.Version, "dataFolder": folder.Homely(e.o.Folder), "notice": e.notice(c.Access.UserID),
		"desktop": e.o.Desktop && c.Session.Window, "tray": e.o.Tray,
		"keyring": e.o.Keyring == nil || e.o.Keyring(),
		"user": map[string]any{"id": c.Access.UserID, "name": c.Access.User, "role": c.Access.Role,
			"rights": e.rights(c.Access), "csrfToken": c.Session.CSRF},
		"settings": json.RawMessage(settings), "tabs": json.RawMessage(tabs), "variables": json.RawMessage(variables),
	}, nil
}

// notice returns the notices to show to the user, or nil.
func (e *Explorer) notice(userID int64) any {
	sentences := []string{}
	if e.o.Notice != nil {
		sentences = append(sentences, e.o.Notice())
	}
	text := strings.TrimSpace(strings.Join(append(sentences, e.o.Workspace.Notice(userID)), "\n"))
	if text == "" {
		return nil
	}
	return text
}
