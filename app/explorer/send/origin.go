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
func (s *Sender) Target(ctx context.Context, c *resource.Call) (*outgoing.Target, error) {
	if id := workspace.PortalID(c); id != workspace.BuiltIn {
		return s.Remote(ctx, c, id)
	}
	own, err := s.Workspace.Preferences(ctx, c.Access.UserID)
	if err != nil {
		return nil, err
	}
	t := &outgoing.Target{
		Name: s.PortalName(), URL: strings.TrimSuffix(s.BaseURL(), "/"), Version: s.Version,
		Catalog: s.Catalog, Client: s.Client, Timeout: cmp.Or(own.Timeout, s.Timeout), ReadOnly: own.ReadOnly,
		Sign: func(out *outgoing.Request) [][2]string { return outgoing.Session(out, c.Session, s.Cookie) },
	}
	t.Place()
	return t, nil
}

// ForPrograms returns a portal at its address for programs, which may differ from the address of
// the page.
func (s *Sender) ForPrograms(t *outgoing.Target) *outgoing.Target {
	if t.Remote != nil || s.ClientOrigin == nil {
		return t
	}
	other := *t
	other.URL = s.ClientOrigin() + strings.TrimPrefix(t.URL, t.Origin)
	other.Place()
	return &other
}

// Program builds a draft, as it is shown, for programs that send it to the portal that
// the call is about.
func (s *Sender) Program(ctx context.Context, c *resource.Call, d *workspace.Draft) (*outgoing.Target,
	*outgoing.Values, *outgoing.Request, error) {
	t, v, _, err := s.Outgoing(ctx, c, d, outgoing.Shown)
	if err != nil {
		return nil, nil, nil, err
	}
	t = s.ForPrograms(t)
	out, err := t.Build(v.Filler(outgoing.Shown, d), d)
	return t, v, out, err
}

// Outgoing builds a draft for the portal that the call is about, with the
// caller's variables.
func (s *Sender) Outgoing(ctx context.Context, c *resource.Call, d *workspace.Draft,
	m outgoing.Manner) (*outgoing.Target, *outgoing.Values, *outgoing.Request, error) {
	return s.outgoing(ctx, c, &Request{Draft: *d}, m)
}

// outgoing is Outgoing with the variables and the environment of a request.
func (s *Sender) outgoing(ctx context.Context, c *resource.Call, in *Request,
	m outgoing.Manner) (*outgoing.Target, *outgoing.Values, *outgoing.Request, error) {
	d := &in.Draft
	if err := d.Check("draft"); err != nil {
		return nil, nil, nil, err
	}
	t, err := s.Target(ctx, c)
	if err != nil {
		return nil, nil, nil, err
	}
	if d.Timeout > 0 {
		patient := *t
		patient.Timeout = time.Duration(d.Timeout) * time.Second
		t = &patient
	}
	v, err := outgoing.NewValuesIn(ctx, c, s.Workspace, in.Environment)
	if err != nil {
		return nil, nil, nil, err
	}
	v.Given = in.Given
	out, err := t.Build(v.Filler(m, d), d)
	return t, v, out, err
}
