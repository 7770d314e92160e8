package explorer

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"spyglass/app/exchange"
	"spyglass/app/explorer/catalog"
	"spyglass/app/explorer/folder"
	"spyglass/app/explorer/remote"
	"spyglass/app/explorer/transfer"
	"spyglass/app/snippet"
	"spyglass/app/workspace"
	"spyglass/backend/resource"
)

func (e *Explorer) catalogEndpoint() resource.Endpoint {
	return resource.Endpoint{Method: "GET", Path: "/catalog", Summary: "Every endpoint of the portal",
		Response: catalog.Schema(), Tagged: true, Handle: e.showCatalog}
}

func (e *Explorer) showCatalog(ctx context.Context, c *resource.Call) (any, error) {
	t, err := e.sender.Target(ctx, c)
	if err != nil {
		return nil, err
	}
	response, err := t.Catalog.Page()
	return &response, err
}

// rights returns the permissions that endpoints of the built-in portal require
// and the caller has, in the catalog's words, so that the page can hide other
// actions.
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

// start is everything that the page needs before its first paint.
type start struct {
	DataFolder string             `json:"dataFolder"`
	Desktop    bool               `json:"desktop" doc:"the page is in the desktop's window"`
	Folders    bool               `json:"folders" doc:"whether the user may keep collections in folders"`
	Formats    []transfer.Format  `json:"formats" doc:"formats of request files, in display order"`
	Keyring    bool               `json:"keyring" doc:"whether secrets outlive the program"`
	Languages  []snippet.Language `json:"languages" doc:"languages of snippets and scripts, in display order"`
	Notice     *string            `json:"notice" doc:"notices for the user"`
	Portal     remote.Shown       `json:"portal" doc:"the one whose tabs and variables these are"`
	Portals    []remote.Shown     `json:"portals"`
	Rehearsals bool               `json:"rehearsals" doc:"whether the user may rehearse changes of remote portals"`
	Settings   json.RawMessage    `json:"settings"`
	Tabs       json.RawMessage    `json:"tabs"`
	Tray       bool               `json:"tray" doc:"the window has an icon in the desktop's tray"`
	User       user               `json:"user"`
	Variables  json.RawMessage    `json:"variables"`
	Version    string             `json:"version"`

	Environments json.RawMessage `json:"environments"`
}

// Schema implements resource.Described: the workspace knows what is in the raw JSON.
func (s start) Schema() resource.Schema {
	type plain start
	schema := resource.SchemaOf(plain(s))
	schema.Name = "Start"
	for i := range schema.Properties {
		switch k := &schema.Properties[i]; k.Name {
		case "tabs":
			k.Schema = resource.List(workspace.Tabs.Schema(), "Those that are open, from left to right")
		case "settings":
			k.Schema = workspace.SettingsSchema("Of the page")
		case "variables":
			k.Schema = resource.List(workspace.Variables.Schema(),
				"Those of the portal and its environments, and global ones")
		case "environments":
			k.Schema = resource.List(workspace.Environments.Schema(), "Those of the portal")
		}
	}
	return schema
}

type user struct {
	CSRF   string   `json:"csrfToken"`
	ID     int64    `json:"id"`
	Name   string   `json:"name"`
	Rights []string `json:"rights" doc:"permissions of the user on the built-in portal, as in the catalog"`
	Role   string   `json:"role"`
}

// start returns everything that the page needs before its first paint.
func (e *Explorer) start(ctx context.Context, c *resource.Call) (*start, error) {
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
	environments, err := e.o.Workspace.EnvironmentsJSON(ctx, c.Access.UserID, at)
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
	return &start{
		Portal:  portals[slices.IndexFunc(portals, func(p remote.Shown) bool { return p.ID == at })],
		Portals: portals,
		Version: e.o.Version, DataFolder: folder.Homely(e.o.Folder), Notice: e.notice(c.Access.UserID),
		Desktop: e.o.Desktop && c.Session.Window, Tray: e.o.Tray,
		Folders: e.keeper.May(c), Rehearsals: e.copies.May(c), Formats: transfer.Shown(exchange.Formats),
		Languages: snippet.Languages,
		Keyring:   e.o.Keyring == nil || e.o.Keyring(),
		User: user{ID: c.Access.UserID, Name: c.Access.User, Role: c.Access.Role,
			Rights: e.rights(c.Access), CSRF: c.Session.CSRF},
		Settings: json.RawMessage(settings), Tabs: json.RawMessage(tabs), Variables: json.RawMessage(variables),
		Environments: json.RawMessage(environments),
	}, nil
}

// notice returns the notices to show to the user, or nil.
func (e *Explorer) notice(userID int64) *string {
	sentences := []string{}
	if e.o.Notice != nil {
		sentences = append(sentences, e.o.Notice())
	}
	text := strings.TrimSpace(strings.Join(append(sentences, e.o.Workspace.Notice(userID)), "\n"))
	if text == "" {
		return nil
	}
	return &text
}
