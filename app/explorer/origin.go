package explorer

import (
	"cmp"
	"context"
	"strings"
	"time"

	"spyglass/app/workspace"
	"spyglass/backend/resource"
)

// target returns the portal that the call names, the built-in one when it names none.
func (e *Sender) target(ctx context.Context, c *resource.Call) (*target, error) {
	if id := workspace.PortalID(c); id != workspace.BuiltIn {
		return e.Remote(ctx, c, id)
	}
	own, err := e.Workspace.Preferences(ctx, c.Access.UserID)
	if err != nil {
		return nil, err
	}
	t := &target{
		name: e.PortalName(), url: strings.TrimSuffix(e.BaseURL(), "/"), version: e.Version,
		catalog: e.Catalog, client: e.Client, timeout: cmp.Or(own.Timeout, e.Timeout), readOnly: own.ReadOnly,
		sign: func(out *outgoing) [][2]string { return session(out, c.Session, e.Cookie) },
	}
	t.place()
	return t, nil
}

// outgoing builds a draft for the portal that the call is about, with the
// caller's variables.
func (e *Sender) outgoing(ctx context.Context, c *resource.Call, d *workspace.Draft, m manner) (*target, *values, *outgoing, error) {
	if err := d.Check("draft"); err != nil {
		return nil, nil, nil, err
	}
	t, err := e.target(ctx, c)
	if err != nil {
		return nil, nil, nil, err
	}
	if d.Timeout > 0 {
		patient := *t
		patient.timeout = time.Duration(d.Timeout) * time.Second
		t = &patient
	}
	v, err := newValues(ctx, c, e.Workspace)
	if err != nil {
		return nil, nil, nil, err
	}
	out, err := t.build(v.filler(m, d), d)
	return t, v, out, err
}
