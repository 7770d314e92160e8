package send

import (
	"cmp"
	"context"
	"strings"
	"time"

	"spyglass/app/explorer/outgoing"
	"spyglass/app/workspace"
	"spyglass/backend/resource"
)

// Target returns the portal that the call names, the built-in one when it names none.
func (e *Sender) Target(ctx context.Context, c *resource.Call) (*outgoing.Target, error) {
	if id := workspace.PortalID(c); id != workspace.BuiltIn {
		return e.Remote(ctx, c, id)
	}
	own, err := e.Workspace.Preferences(ctx, c.Access.UserID)
	if err != nil {
		return nil, err
	}
	t := &outgoing.Target{
		Name: e.PortalName(), URL: strings.TrimSuffix(e.BaseURL(), "/"), Version: e.Version,
		Catalog: e.Catalog, Client: e.Client, Timeout: cmp.Or(own.Timeout, e.Timeout), ReadOnly: own.ReadOnly,
		Sign: func(out *outgoing.Request) [][2]string { return outgoing.Session(out, c.Session, e.Cookie) },
	}
	t.Place()
	return t, nil
}

// Outgoing builds a draft for the portal that the call is about, with the
// caller's variables.
func (e *Sender) Outgoing(ctx context.Context, c *resource.Call, d *workspace.Draft, m outgoing.Manner) (*outgoing.Target, *outgoing.Values, *outgoing.Request, error) {
	if err := d.Check("draft"); err != nil {
		return nil, nil, nil, err
	}
	t, err := e.Target(ctx, c)
	if err != nil {
		return nil, nil, nil, err
	}
	if d.Timeout > 0 {
		patient := *t
		patient.Timeout = time.Duration(d.Timeout) * time.Second
		t = &patient
	}
	v, err := outgoing.NewValues(ctx, c, e.Workspace)
	if err != nil {
		return nil, nil, nil, err
	}
	out, err := t.Build(v.Filler(m, d), d)
	return t, v, out, err
}
