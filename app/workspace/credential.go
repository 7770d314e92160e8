package workspace

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"spyglass/backend/fault"
	"spyglass/backend/resource"
)

// The keyring entries of a portal.
const (
	secretKept  = "secret" // token or access key
	proxyKept   = "proxy"
	sessionKept = "session"
)

// PortalSession is a session at a remote portal.
type PortalSession struct {
	Cookie string `json:"cookie"` // "name=value"
	CSRF   string `json:"csrf"`
	User   string `json:"user"`
	Role   string `json:"role"`
	Origin string `json:"origin"` // where it began; it is sent nowhere else
}

// PortalSecret returns a portal's token or access key; empty if it has none, or
// if the keyring that stores it does not respond.
func (w *Workspace) PortalSecret(p *Portal) (string, error) {
	return w.held(p, p.Secret, secretKept)
}

// ProxySecret returns the password of a portal's proxy; empty if it has none.
func (w *Workspace) ProxySecret(p *Portal) (string, error) {
	return w.held(p, p.ProxyPassword, proxyKept)
}

func (w *Workspace) held(p *Portal, shown, what string) (string, error) {
	if shown == "" {
		return "", nil
	}
	secret, err := w.secrets.Get(p.key(what))
	if fault.Is(err, fault.Unknown) {
		return "", nil
	}
	return secret, err
}

// SessionAt returns the user's session at a portal, or nil.
func (w *Workspace) SessionAt(p *Portal) (*PortalSession, error) {
	text, err := w.secrets.Get(p.key(sessionKept))
	if fault.Is(err, fault.Unknown) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	s := &PortalSession{}
	if json.Unmarshal([]byte(text), s) != nil || s.Origin != origin(p.BaseURL) {
		return nil, nil
	}
	return s, nil
}

// KeepSession stores the session at a portal, or deletes it if s is nil. The user
// name remains the portal's account, as the default for the next sign-in.
func (w *Workspace) KeepSession(ctx context.Context, p *Portal, s *PortalSession) error {
	if s == nil {
		return w.secrets.Delete(p.key(sessionKept))
	}
	s.Origin = origin(p.BaseURL)
	text, err := json.Marshal(s)
	if err != nil {
		return err
	}
	w.keep(p.key(sessionKept), string(text))
	return w.db.Write(ctx, func(tx resource.Tx) error {
		row, err := resource.Get(ctx, tx, portalRows, p.ID)
		if err != nil {
			return err // deleted meanwhile
		}
		row.Account, p.Account = s.User, s.User
		return resource.Put(ctx, tx, portalRows, row)
	})
}

// guarded returns the wrappers that take the secrets out of the body of every
// write of a portal.
func (w *Workspace) guarded() map[resource.Verb]resource.Extra {
	write := wrapped(w.writePortal)
	return map[resource.Verb]resource.Extra{
		resource.OnCreate: write, resource.OnReplace: write, resource.OnPatch: write,
		resource.OnDelete: wrapped(w.removePortal),
	}
}

func (w *Workspace) writePortal(write handle) handle {
	return func(ctx context.Context, c *resource.Call) (any, error) {
		w.writing.Lock()
		defer w.writing.Unlock()
		typed, err := typedSecrets(c)
		if err != nil {
			return nil, err
		}
		var was *Portal
		if id, err := c.ID("id"); err == nil {
			if was, err = w.PortalOf(ctx, c.Access.UserID, id); err != nil {
				return nil, err
			}
		}
		out, err := write(ctx, c)
		if err != nil {
			return out, err
		}
		response, ok := out.(*resource.Response)
		if !ok {
			return nil, fmt.Errorf("a portal returned %T", out)
		}
		id, err := strconv.ParseInt(string(resource.FindKey(response.Body.(resource.JSON), "id")), 10, 64)
		if err != nil {
			return nil, err
		}
		now, err := w.PortalOf(ctx, c.Access.UserID, id)
		if err != nil {
			return nil, err
		}
		err = errors.Join(w.settleSecret(now.key(secretKept), now.Secret, typed.Secret),
			w.settleSecret(now.key(proxyKept), now.ProxyPassword, typed.ProxyPassword))
		if moved(was, now) {
			err = errors.Join(err, w.KeepSession(ctx, now, nil))
		}
		return out, err
	}
}

// settleSecret updates the keyring to match a row's secret.
func (w *Workspace) settleSecret(key, shown, typed string) error {
	switch {
	case shown == "":
		return w.secrets.Delete(key)
	case typed != "" && typed != resource.Mask:
		w.keep(key, typed)
	}
	return nil
}

// typedSecrets returns the secrets of a body, before they are masked.
func typedSecrets(c *resource.Call) (*Portal, error) {
	body, err := Portals.Read(bytes.Clone(c.Body), c.Lenient)
	if err != nil {
		return nil, err
	}
	typed := &Portal{}
	return typed, Portals.Apply(body, typed, false)
}

// removePortal deletes a portal and all its keyring entries.
func (w *Workspace) removePortal(remove handle) handle {
	return func(ctx context.Context, c *resource.Call) (any, error) {
		id, err := c.ID("id")
		if err != nil {
			return nil, err
		}
		p, err := w.PortalOf(ctx, c.Access.UserID, id)
		if err != nil {
			return nil, err
		}
		w.writing.Lock()
		defer w.writing.Unlock()
		variables, err := w.VariablesAt(ctx, c.Access.UserID, id)
		if err != nil {
			return nil, err
		}
		out, err := remove(ctx, c)
		if err != nil {
			return out, err
		}
		w.recount(c.Access.UserID)
		for _, what := range []string{secretKept, proxyKept, sessionKept} {
			err = errors.Join(err, w.secrets.Delete(p.key(what)))
		}
		for i := range variables {
			if variables[i].PortalID == id && variables[i].Secret {
				err = errors.Join(err, w.secrets.Delete(variables[i].key()))
			}
		}
		return out, err
	}
}

// Try returns the portal that a body describes, without storing it. Its secrets
// are those of the body, or else those of the portal that the call names.
func (w *Workspace) Try(ctx context.Context, c *resource.Call) (p *Portal, secret, proxyPassword string, err error) {
	body, err := Portals.Read(bytes.Clone(c.Body), false)
	if err != nil {
		return nil, "", "", err
	}
	if p, err = Portals.Defaults(); err != nil {
		return nil, "", "", err
	}
	var was *Portal
	if id := PortalID(c); id != BuiltIn {
		if was, err = w.PortalOf(ctx, c.Access.UserID, id); err != nil {
			return nil, "", "", err
		}
		*p = *was
	}
	p.Secret, p.ProxyPassword = "", ""
	if err = Portals.Apply(body, p, was == nil); err != nil {
		return nil, "", "", err
	}
	secret, proxyPassword = p.Secret, p.ProxyPassword
	if err = settled(p); err != nil {
		return nil, "", "", err
	}
	if was != nil && !moved(was, p) {
		if !body.Given("secret") || secret == resource.Mask {
			secret, err = w.PortalSecret(was)
		}
		if err == nil && (!body.Given("proxyPassword") || proxyPassword == resource.Mask) {
			proxyPassword, err = w.ProxySecret(was)
		}
	}
	return p, secret, proxyPassword, err
}
