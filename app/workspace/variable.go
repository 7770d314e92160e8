package workspace

import (
	"bytes"
	"context"
	"fmt"
	"regexp"
	"slices"
	"strconv"

	"spyglass/backend/fault"
	"spyglass/backend/resource"
)

// Variable is a value that drafts use by name.
type Variable struct {
	ID       int64
	UserID   int64
	PortalID int64 // Everywhere for a global variable
	Name     string
	Value    string // resource.Mask if secret
	Secret   bool
	Scope    string // "environment" overrides "portal", and "portal" overrides "global"

	EnvironmentID int64 // 0 for the other scopes

	ChangedOn resource.Millis // by a user or an extractor; 0 if written by an earlier version
}

const variableRows resource.Name[*Variable] = "variable"

var variableName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_.-]*$`)

// Variables declares /variables.
var Variables = resource.Resource[*Variable]{
	Name: variableRows, Label: "variable", Path: "/variables", Object: resource.Anyone, Owner: "userId",
	Doc: "A value that requests use as {{name}}.",
	Fields: []resource.Field[*Variable]{
		{Name: "id", At: func(v *Variable) any { return &v.ID }, Doc: "Set by the workspace", ReadOnly: true},
		{Name: "userId", At: func(v *Variable) any { return &v.UserID }, Doc: "Id of its user", ReadOnly: true,
			WriteOnly: true, Index: true},
		{Name: "portalId", At: func(v *Variable) any { return &v.PortalID }, Doc: "The portal it is for; 0 is the " +
			"built-in one, -1 all of them", ReadOnly: true, WriteOnly: true, Index: true},
		{Name: "name", At: func(v *Variable) any { return &v.Name }, Doc: "Letters, digits, dot, dash and underscore",
			Required: true, MaxLen: 100},
		{Name: "value", At: func(v *Variable) any { return &v.Value }, Doc: "Shown as stars when secret; sending the " +
			"stars keeps it", MaxLen: 65_536},
		{Name: "secret", At: func(v *Variable) any { return &v.Secret },
			Doc: "Stored in the system keyring and never shown"},
		{Name: "scope", At: func(v *Variable) any { return &v.Scope }, Doc: "The active environment takes precedence " +
			"over portal, and portal over global",
			Default: ScopePortal, OneOf: []any{ScopeEnvironment, ScopePortal, ScopeGlobal}},
		{Name: "environmentId", At: func(v *Variable) any { return &v.EnvironmentID },
			Doc: "The environment it belongs to, for that scope; 0 for others", Index: true},
		{Name: "changedOn", At: func(v *Variable) any { return &v.ChangedOn }, Doc: "When it was last changed",
			ReadOnly: true},
	},
	Unique: [][]string{{"userId", "portalId", "scope", "environmentId", "name"}},
	Within: hereOrGlobal,
	Check: func(w *resource.Write, was, now *Variable) error {
		if !variableName.MatchString(now.Name) {
			return fault.At("name",
				"a variable's name must begin with a letter, and contain only letters, digits, dots, dashes and "+
					"underscores")
		}
		now.ChangedOn = resource.MillisOf(w.Call.At)
		if err := now.place(w, was); err != nil {
			return err
		}
		switch {
		case now.Secret && now.Value != "":
			now.Value = resource.Mask
		case was != nil && was.Secret && (!w.Given("value") || now.Value == resource.Mask):
			now.Value = "" // responses never contain a secret
		}
		return nil
	},
}

// Scopes of variables.
const (
	ScopeEnvironment = "environment"
	ScopePortal      = "portal"
	ScopeGlobal      = "global"
)

// place sets the portal of a variable by its scope.
func (v *Variable) place(w *resource.Write, was *Variable) (err error) {
	if v.Scope != ScopeEnvironment {
		v.EnvironmentID = 0
	}
	switch {
	case v.Scope == ScopeEnvironment:
		e, err := resource.Get(w.Context, w.Tx, environmentRows, v.EnvironmentID)
		if fault.Is(err, fault.Unknown) || err == nil && e.UserID != v.UserID {
			return fault.At("environmentId", "this environment no longer exists")
		}
		if err != nil {
			return err
		}
		v.PortalID = e.PortalID
	case v.Scope == ScopeGlobal:
		v.PortalID = everywhere
	case was == nil || was.PortalID == everywhere:
		v.PortalID, err = settle(w, v.UserID)
	}
	return err
}

// VariablesJSON returns VariablesAt as a JSON array.
func (w *Workspace) VariablesJSON(ctx context.Context, userID, portalID int64) (resource.JSON, error) {
	list, err := w.VariablesAt(ctx, userID, portalID)
	if err != nil {
		return nil, err
	}
	return listJSON(&Variables, list)
}

// VariablesAt returns the user's variables for a portal by id, including global
// ones and those of all its environments, with masked secrets.
func (w *Workspace) VariablesAt(ctx context.Context, userID, portalID int64) ([]Variable, error) {
	list, err := w.VariablesOf(ctx, userID)
	return slices.DeleteFunc(list, func(v Variable) bool { return v.PortalID != portalID && v.PortalID != everywhere }),
		err
}

// spread makes global variables of earlier versions apply to all portals.
func (w *Workspace) spread(ctx context.Context) error {
	return w.db.Write(ctx, func(tx resource.Tx) error {
		rows, err := resource.Find(ctx, tx, variableRows, resource.Where{Field: "scope", Op: "=", Value: "global"},
			resource.Where{Field: "portalId", Op: "=", Value: BuiltIn})
		for i := range rows {
			if err == nil {
				rows[i].PortalID = everywhere
				err = resource.Put(ctx, tx, variableRows, &rows[i])
			}
		}
		return err
	})
}

// VariablesOf returns the user's variables by id, with masked secrets.
func (w *Workspace) VariablesOf(ctx context.Context, userID int64) ([]Variable, error) {
	return known(ctx, w.db, variableRows, userID)
}

// Secret returns the value of a secret variable. It returns fault.Unknown if it
// has none, or if the keyring that stores it does not respond.
func (w *Workspace) Secret(v *Variable) (string, error) {
	if v.Value == "" {
		return "", nil
	}
	return w.secrets.Get(v.key())
}

// missingEndpoint returns GET /variables/missing. It reads every secret from the
// keyring.
func (w *Workspace) missingEndpoint() resource.Endpoint {
	return resource.Endpoint{
		Method: "GET", Path: "/variables/missing", Summary: "List secret variables without values", Right: anyone,
		Response: declared(missing{}),
		Doc:      "Without a system keyring, secrets are lost when the program ends.",
		Handle: func(ctx context.Context, c *resource.Call) (any, error) {
			list, err := w.VariablesAt(ctx, c.Access.UserID, PortalID(c))
			ids := []int64{}
			for i := range list {
				if err == nil && list[i].Secret {
					if _, none := w.Secret(&list[i]); fault.Is(none, fault.Unknown) {
						ids = append(ids, list[i].ID)
					}
				}
			}
			return &missing{ids}, err
		},
	}
}

type missing struct {
	IDs []int64 `json:"ids"`
}

// key returns the name of the variable's secret in the keyring.
func (v *Variable) key() string { return fmt.Sprintf("variable-%d-%d", v.UserID, v.ID) }

// secretly returns the wrappers that take the secret out of the body of every
// write of a variable.
func (w *Workspace) secretly() map[resource.Verb]resource.Extra {
	return map[resource.Verb]resource.Extra{
		resource.OnCreate:  wrapped(w.writeVariable("POST")),
		resource.OnReplace: wrapped(w.writeVariable("PUT")),
		resource.OnPatch:   wrapped(w.writeVariable("PATCH")),
		resource.OnDelete:  wrapped(w.removeVariable),
		resource.OnClear:   wrapped(w.clearVariables),
	}
}

func (w *Workspace) writeVariable(method string) func(write handle) handle {
	return func(write handle) handle {
		return func(ctx context.Context, c *resource.Call) (any, error) {
			w.writing.Lock()
			defer w.writing.Unlock()
			was := w.ownVariable(ctx, c)
			now, given := asWritten(method, was, c)
			out, err := write(ctx, c)
			if err != nil || now == nil {
				return out, err
			}
			response, ok := out.(*resource.Response)
			if !ok {
				return nil, fmt.Errorf("a variable returned %T", out)
			}
			id, err := strconv.ParseInt(string(resource.FindKey(response.Body.(resource.JSON), "id")), 10, 64)
			if err != nil {
				return nil, err
			}
			now.ID, now.UserID = id, c.Access.UserID
			wasSecret := was != nil && was.Secret
			switch {
			case !now.Secret && wasSecret:
				if secret, err := w.Secret(was); err == nil && secret != "" {
					w.deletedVariables.put(ctx, was.UserID, was.ID, pastVariable{Variable: *was, Secret: secret})
				}
				return out, w.secrets.Delete(now.key())
			case now.Secret && now.Value == "":
				return out, w.secrets.Delete(now.key())
			case now.Secret && wasSecret && (!given || now.Value == resource.Mask):
			case now.Secret:
				w.keep(now.key(), now.Value)
			}
			return out, nil
		}
	}
}

func (w *Workspace) keep(key, value string) {
	if w.secrets.Set(key, value) {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.lost = true
}

// ownVariable returns the row of the path, or nil if the user has no such
// variable.
func (w *Workspace) ownVariable(ctx context.Context, c *resource.Call) *Variable {
	id, err := c.ID("id")
	if err != nil {
		return nil
	}
	v, err := resource.Get(ctx, w.db, variableRows, id)
	if err != nil || v.UserID != c.Access.UserID {
		return nil
	}
	return v
}

// asWritten returns the variable with the changes of the body, before it is
// masked; nil if the body will be refused.
func asWritten(method string, was *Variable, c *resource.Call) (now *Variable, given bool) {
	body, err := Variables.Read(bytes.Clone(c.Body), c.Lenient)
	if err != nil {
		return nil, false
	}
	if now, err = Variables.Defaults(); err != nil {
		return nil, false
	}
	if method == "PATCH" {
		if was == nil {
			return nil, false
		}
		*now = *was
	}
	if err := Variables.Apply(body, now, method != "PATCH"); err != nil {
		return nil, false
	}
	return now, body.Given("value") || method == "PUT"
}

func (w *Workspace) clearVariables(clear handle) handle {
	return func(ctx context.Context, c *resource.Call) (any, error) {
		w.writing.Lock()
		defer w.writing.Unlock()
		list, err := w.VariablesAt(ctx, c.Access.UserID, PortalID(c))
		if err != nil {
			return nil, err
		}
		out, err := clear(ctx, c)
		for i := range list {
			if err == nil && list[i].Secret {
				err = w.secrets.Delete(list[i].key())
			}
		}
		return out, err
	}
}
