package workspace

import (
	"context"
	"time"

	"spyglass/backend/fault"
	"spyglass/backend/resource"
)

// pastVariable is a variable that was deleted, or that is no longer secret. Its
// secret is no longer in the keyring, only in memory.
type pastVariable struct {
	variable Variable
	secret   string
}

// regainable is how long a deleted variable can be restored.
const regainable = 2 * time.Minute

// removeVariable deletes a variable with its secret, and keeps both in memory
// for a while.
func (w *Workspace) removeVariable(remove handle) handle {
	return func(ctx context.Context, c *resource.Call) (any, error) {
		w.writing.Lock()
		defer w.writing.Unlock()
		was := w.ownVariable(ctx, c)
		if was == nil {
			return remove(ctx, c) // it returns the error
		}
		gone := pastVariable{variable: *was}
		if was.Secret {
			var err error
			if gone.secret, err = w.Secret(was); err != nil && !fault.Is(err, fault.Unknown) {
				return nil, err
			}
		}
		out, err := remove(ctx, c)
		if err != nil {
			return out, err
		}
		w.deletedVariables.put(was.UserID, was.ID, gone)
		if was.Secret {
			err = w.secrets.Delete(was.key())
		}
		return out, err
	}
}

// regaining returns POST /variables/{id}/restore.
func (w *Workspace) regaining() resource.Endpoint {
	return resource.Endpoint{
		Method: "POST", Path: "/variables/{id}/restore",
		Summary: "Restore a deleted variable, or one that was secret, with its secret", Right: anyone,
		Params: idParam, Response: declared(struct{}{}),
		Doc: "Possible for two minutes.",
		Handle: func(ctx context.Context, c *resource.Call) (any, error) {
			id, err := c.ID("id")
			if err != nil {
				return nil, err
			}
			w.writing.Lock()
			defer w.writing.Unlock()
			gone, ok := w.deletedVariables.take(c.Access.UserID, id)
			if !ok {
				return nil, fault.New(fault.Unknown, "variable %d can no longer be restored", id)
			}
			err = w.db.Write(
				ctx, func(tx resource.Tx) error { return resource.Put(ctx, tx, variableRows, &gone.variable) })
			if err != nil {
				w.deletedVariables.put(c.Access.UserID, id, gone)
				return nil, err
			}
			if gone.secret != "" {
				w.keep(gone.variable.key(), gone.secret)
			}
			return resource.JSON("{}"), nil
		},
	}
}
