package workspace

import (
	"context"
	"slices"
	"strings"

	"spyglass/backend/fault"
	"spyglass/backend/resource"
)

// Environment is a named set of variables of one portal: staging, customer A. While it is
// active, its variables go before those of the portal with the same names.
type Environment struct {
	ID       int64
	UserID   int64
	PortalID int64
	Name     string
	Active   bool // at most one of each portal
}

const environmentRows resource.Name[*Environment] = "environment"

const maxEnvironments = 500 // per user

// Environments declares /environments.
var Environments = resource.Resource[*Environment]{
	Name: environmentRows, Label: "environment", Path: "/environments", Object: resource.Anyone, Owner: "userId",
	Without: []resource.Verb{resource.OnClear, resource.OnReplace},
	Doc:     "A named set of variables, which go before those of the portal while it is active.",
	Fields: []resource.Field[*Environment]{
		{Name: "id", At: func(e *Environment) any { return &e.ID }, Doc: "Set by the workspace", ReadOnly: true},
		{Name: "userId", At: func(e *Environment) any { return &e.UserID }, Doc: "Id of its user", ReadOnly: true,
			WriteOnly: true, Index: true},
		{Name: "portalId", At: func(e *Environment) any { return &e.PortalID }, Doc: "The portal it is for; 0 is the " +
			"built-in one", ReadOnly: true, WriteOnly: true, Index: true},
		{Name: "name", At: func(e *Environment) any { return &e.Name }, Doc: "Any text", Required: true, MaxLen: 100},
		{Name: "active", At: func(e *Environment) any { return &e.Active }, Doc: "Its variables are used; true ends " +
			"that of the portal's other environments"},
	},
	Unique: [][]string{{"userId", "portalId", "name"}},
	Within: here,
	Check: func(w *resource.Write, was, now *Environment) (err error) {
		now.Name = strings.TrimSpace(now.Name)
		if was == nil {
			if err := room(w, string(environmentRows), now.UserID, maxEnvironments, "environments"); err != nil {
				return err
			}
			if now.PortalID, err = settle(w, now.UserID); err != nil {
				return err
			}
		}
		if !now.Active {
			return nil
		}
		beside, err := environmentsAt(w.Context, w.Tx, now.UserID, now.PortalID)
		for i := range beside {
			if e := &beside[i]; err == nil && e.Active && e.ID != now.ID {
				e.Active = false
				err = resource.Put(w.Context, w.Tx, environmentRows, e)
			}
		}
		return err
	},
	Remove: func(w *resource.Write, e *Environment) error {
		return resource.DeleteAll(w.Context, w.Tx, variableRows, inEnvironment(e)...)
	},
}

// inEnvironment returns the condition that a variable belongs to an environment.
func inEnvironment(e *Environment) []resource.Where {
	return []resource.Where{mine(e.UserID), {Field: "environmentId", Op: "=", Value: e.ID}}
}

func environmentsAt(ctx context.Context, from resource.Reader, userID, portalID int64) ([]Environment, error) {
	all, err := known(ctx, from, environmentRows, userID)
	return slices.DeleteFunc(all, func(e Environment) bool { return e.PortalID != portalID }), err
}

// EnvironmentsAt returns the user's environments of a portal by id.
func (w *Workspace) EnvironmentsAt(ctx context.Context, userID, portalID int64) ([]Environment, error) {
	return environmentsAt(ctx, w.db, userID, portalID)
}

// EnvironmentsJSON returns EnvironmentsAt as a JSON array.
func (w *Workspace) EnvironmentsJSON(ctx context.Context, userID, portalID int64) (resource.JSON, error) {
	list, err := w.EnvironmentsAt(ctx, userID, portalID)
	if err != nil {
		return nil, err
	}
	return listJSON(&Environments, list)
}

// pastEnvironment is an environment that was deleted, with its variables.
type pastEnvironment struct {
	Environment Environment
	Variables   []pastVariable
}

// removeEnvironment deletes an environment with its variables and their secrets, and keeps
// all in a bin for a while.
func (w *Workspace) removeEnvironment(remove handle) handle {
	return func(ctx context.Context, c *resource.Call) (any, error) {
		w.writing.Lock()
		defer w.writing.Unlock()
		gone, err := w.pastEnvironment(ctx, c)
		if err != nil {
			return nil, err
		}
		out, err := remove(ctx, c)
		if err != nil || gone == nil {
			return out, err
		}
		w.deletedEnvironments.put(ctx, gone.Environment.UserID, gone.Environment.ID, *gone)
		for i := range gone.Variables {
			if v := &gone.Variables[i].Variable; err == nil && v.Secret {
				err = w.secrets.Delete(v.key())
			}
		}
		return out, err
	}
}

// pastEnvironment reads the environment of the path with its variables; nil if the user has
// no such environment.
func (w *Workspace) pastEnvironment(ctx context.Context, c *resource.Call) (*pastEnvironment, error) {
	id, err := c.ID("id")
	if err != nil {
		return nil, nil // remove returns the error
	}
	e, err := resource.Get(ctx, w.db, environmentRows, id)
	if fault.Is(err, fault.Unknown) || err == nil && e.UserID != c.Access.UserID {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	gone := &pastEnvironment{Environment: *e}
	rows, err := resource.Find(ctx, w.db, variableRows, inEnvironment(e)...)
	if err != nil {
		return nil, err
	}
	for _, v := range rows {
		past, err := w.withSecret(v)
		if err != nil {
			return nil, err
		}
		gone.Variables = append(gone.Variables, past)
	}
	return gone, nil
}

// regainingEnvironment returns POST /environments/{id}/restore.
func (w *Workspace) regainingEnvironment() resource.Endpoint {
	return regain(w, &w.deletedEnvironments, regained[pastEnvironment]{
		path: "/environments", label: "environment",
		summary: "Restore a deleted environment with its variables",
		putBack: func(ctx context.Context, tx resource.Tx, gone pastEnvironment) error {
			return gone.putBack(ctx, tx)
		},
		variables: func(gone pastEnvironment) []pastVariable { return gone.Variables },
	})
}

// putBack writes the environment and its variables again. It is active as it was, unless
// another one is now.
func (p *pastEnvironment) putBack(ctx context.Context, tx resource.Tx) error {
	e := p.Environment
	beside, err := environmentsAt(ctx, tx, e.UserID, e.PortalID)
	if err != nil {
		return err
	}
	e.Active = e.Active && !slices.ContainsFunc(beside, func(other Environment) bool { return other.Active })
	if err := resource.Put(ctx, tx, environmentRows, &e); err != nil {
		return err
	}
	for i := range p.Variables {
		v := p.Variables[i].Variable
		if err := resource.Put(ctx, tx, variableRows, &v); err != nil {
			return err
		}
	}
	return nil
}
