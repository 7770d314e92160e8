package workspace

import (
	"context"
	"time"

	"spyglass/backend/fault"
	"spyglass/backend/resource"
)

// pastVariable is a variable that was deleted, or that is no longer secret. Its
// secret is no longer in the keyring, only in a bin.
type pastVariable struct {
	Variable Variable
	Secret   string
}

// regainable is the time within which a deleted variable can be restored.
const regainable = 2 * time.Minute

// removeVariable deletes a variable with its secret, and keeps both in a bin for a
// while.
func (w *Workspace) removeVariable(remove handle) handle {
	return func(ctx context.Context, c *resource.Call) (any, error) {
		w.writing.Lock()
		defer w.writing.Unlock()
		was := w.ownVariable(ctx, c)
		if was == nil {
			return remove(ctx, c) // it returns the error
		}
		gone, err := w.withSecret(*was)
		if err != nil {
			return nil, err
		}
		out, err := remove(ctx, c)
		if err != nil {
			return out, err
		}
		w.deletedVariables.put(ctx, was.UserID, was.ID, gone)
		if was.Secret {
			err = w.secrets.Delete(was.key())
		}
		return out, err
	}
}

// withSecret returns a variable with its secret, if it has one.
func (w *Workspace) withSecret(v Variable) (pastVariable, error) {
	if !v.Secret {
		return pastVariable{Variable: v}, nil
	}
	secret, err := w.Secret(&v)
	if fault.Is(err, fault.Unknown) {
		err = nil
	}
	return pastVariable{v, secret}, err
}

// regaining returns POST /variables/{id}/restore.
func (w *Workspace) regaining() resource.Endpoint {
	return regain(w, &w.deletedVariables, regained[pastVariable]{
		path: "/variables", label: "variable",
		summary: "Restore a deleted variable, or one that was secret, with its secret",
		putBack: func(ctx context.Context, tx resource.Tx, gone pastVariable) error {
			return resource.Put(ctx, tx, variableRows, &gone.Variable)
		},
		variables: func(gone pastVariable) []pastVariable { return []pastVariable{gone} },
	})
}

// regained declares how deleted objects of one kind are restored.
type regained[P any] struct {
	path, label, summary string
	putBack              func(ctx context.Context, tx resource.Tx, gone P) error
	variables            func(gone P) []pastVariable // whose secrets come back
}

// regain returns POST {path}/{id}/restore, which restores a deleted row that is still in its bin.
func regain[P any](w *Workspace, kept *bin[P], of regained[P]) resource.Endpoint {
	return resource.Endpoint{
		Method: "POST", Path: of.path + "/{id}/restore", Summary: of.summary, Right: anyone,
		Params: idParam, Response: declared(struct{}{}),
		Doc: "Possible for two minutes.",
		Handle: func(ctx context.Context, c *resource.Call) (any, error) {
			id, err := c.ID("id")
			if err != nil {
				return nil, err
			}
			w.writing.Lock()
			defer w.writing.Unlock()
			gone, ok, err := kept.take(ctx, c.Access.UserID, id)
			if err != nil {
				return nil, err
			}
			if !ok {
				return nil, fault.New(fault.Unknown, "%s %d can no longer be restored", of.label, id)
			}
			if err := w.db.Write(ctx, func(tx resource.Tx) error { return of.putBack(ctx, tx, gone) }); err != nil {
				kept.put(ctx, c.Access.UserID, id, gone)
				return nil, err
			}
			for _, past := range of.variables(gone) {
				if past.Secret != "" {
					w.keep(past.Variable.key(), past.Secret)
				}
			}
			return resource.JSON("{}"), nil
		},
	}
}
