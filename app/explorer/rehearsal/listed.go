package rehearsal

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"spyglass/app/workspace"
	"spyglass/backend/fault"
	"spyglass/backend/loopback"
	"spyglass/backend/resource"
)

// atPortal returns the same call about another portal.
func atPortal(c *resource.Call, id int64) *resource.Call {
	other := *c
	other.Query = url.Values{"portal": {strconv.FormatInt(id, 10)}}
	return &other
}

// row returns the copy in the caller's list of portals; nil if it is not there.
func (r *Rehearsals) row(ctx context.Context, c *resource.Call, w *work) (*workspace.Portal, error) {
	m, err := readMark(w.markPath())
	if err != nil || m.User != c.Access.UserID {
		return nil, nil
	}
	p, err := r.Workspace.PortalOf(ctx, c.Access.UserID, m.Copy)
	if fault.Is(err, fault.Unknown) {
		return nil, nil
	}
	return p, err
}

// list adds the running copy to the caller's list of portals, or updates its address and
// token there. It returns its id.
func (r *Rehearsals) list(ctx context.Context, c *resource.Call, w *work) (int64, error) {
	row, err := r.row(ctx, c, w)
	if err != nil {
		return 0, err
	}
	name := "Rehearsal of " + w.title()
	name = string([]rune(name)[:min(100, len([]rune(name)))])
	if row == nil { // an earlier rehearsal whose folder was deleted
		all, err := r.Workspace.PortalsOf(ctx, c.Access.UserID)
		if err != nil {
			return 0, err
		}
		if i := slices.IndexFunc(all, func(p workspace.Portal) bool { return p.Name == name && local(&p) }); i >= 0 {
			row = &all[i]
		}
	}
	copied := w.running()
	body := map[string]any{"baseUrl": copied.Target.URL, "auth": workspace.AuthToken, "secret": copied.Token}
	id := int64(0)
	if row != nil {
		id = row.ID
		err = r.write(ctx, c, "PATCH", "/portals/{id}", id, body, nil)
	} else {
		body["name"], body["environment"], body["readOnly"] = name, "test", false
		err = r.write(ctx, c, "POST", "/portals", 0, body, &id)
	}
	if err != nil {
		return 0, err
	}
	return id, w.writeMark(mark{User: c.Access.UserID, Portal: w.portal, Copy: id})
}

// local reports whether a portal is on this machine.
func local(p *workspace.Portal) bool {
	u, err := url.Parse(p.BaseURL)
	return err == nil && loopback.Host(u.Hostname())
}

// unlist removes the copy from the list, with its tabs and history.
func (r *Rehearsals) unlist(ctx context.Context, c *resource.Call, id int64) error {
	return r.write(ctx, c, "DELETE", "/portals/{id}", id, nil, nil)
}

// write calls an endpoint of the workspace as the page does, so that the token gets into
// the keyring and other windows see the change.
func (r *Rehearsals) write(ctx context.Context, c *resource.Call, method, path string, id int64, body any,
	created *int64) error {
	all := r.Workspace.Endpoints()
	i := slices.IndexFunc(all, func(e resource.Endpoint) bool { return e.Method == method && e.Path == path })
	if i < 0 {
		return fmt.Errorf("there is no endpoint %s %s", method, path)
	}
	call := *c
	call.Query, call.Body, call.Vars = nil, nil, nil
	if strings.Contains(path, "{id}") {
		call.Vars = map[string]string{"id": strconv.FormatInt(id, 10)}
	}
	var err error
	if body != nil {
		if call.Body, err = json.Marshal(body); err != nil {
			return err
		}
	}
	out, err := all[i].Handle(ctx, &call)
	if err != nil || created == nil {
		return err
	}
	response, ok := out.(*resource.Response)
	if !ok {
		return fmt.Errorf("a portal returned %T", out)
	}
	*created, err = strconv.ParseInt(string(resource.FindKey(response.Body.(resource.JSON), "id")), 10, 64)
	return err
}
