package workspace

import (
	"context"
	"slices"
	"time"

	"spyglass/backend/fault"
	"spyglass/backend/resource"
)

// dropped is a variable that was deleted and can still come back. Its secret
// has left the keyring and is in memory only: nothing of it outlasts the process.
type dropped struct {
	variable Variable
	secret   string
}

// regainable is how long a deleted variable can come back.
const regainable = 2 * time.Minute

// removeVariable deletes a variable with its secret, and keeps both in memory
// for a while.
func (w *Workspace) removeVariable(remove handle) handle {
	return func(ctx context.Context, c *resource.Call) (any, error) {
		w.writing.Lock()
		defer w.writing.Unlock()
		was := w.ownVariable(ctx, c)
		if was == nil {
			return remove(ctx, c) // it says what is wrong
		}
		d := &dropped{variable: *was}
		if was.Secret {
			var err error
			if d.secret, err = w.Secret(was); err != nil && !fault.Is(err, fault.Unknown) {
				return nil, err
			}
		}
		out, err := remove(ctx, c)
		if err != nil {
			return out, err
		}
		w.mu.Lock()
		w.dropped = append(w.dropped, d)
		w.mu.Unlock()
		time.AfterFunc(regainable, func() { w.takeDropped(d.variable.UserID, d.variable.ID) })
		if was.Secret {
			err = w.secrets.Delete(was.key())
		}
		return out, err
	}
}

// regaining is POST /variables/{id}/restore.
func (w *Workspace) regaining() resource.Endpoint {
	return resource.Endpoint{
		Method: "POST", Path: "/variables/{id}/restore", Summary: "Bring a deleted variable back, with its secret", Right: anyone,
		Doc: "For two minutes after it was deleted.",
		Handle: func(ctx context.Context, c *resource.Call) (any, error) {
			id, err := c.ID("id")
			if err != nil {
				return nil, err
			}
			w.writing.Lock()
			defer w.writing.Unlock()
			d := w.takeDropped(c.Access.UserID, id)
			if d == nil {
				return nil, fault.New(fault.Unknown, "variable %d can no longer be brought back", id)
			}
			err = w.db.Write(ctx, func(tx resource.Tx) error { return resource.Put(ctx, tx, variableRows, &d.variable) })
			if err != nil {
				w.mu.Lock()
				w.dropped = append(w.dropped, d)
				w.mu.Unlock()
				return nil, err
			}
			if d.secret != "" {
				w.keep(d.variable.key(), d.secret)
			}
			return resource.JSON("{}"), nil
		},
	}
}

func (w *Workspace) takeDropped(userID, id int64) *dropped {
	w.mu.Lock()
	defer w.mu.Unlock()
	i := slices.IndexFunc(w.dropped, func(d *dropped) bool { return d.variable.ID == id && d.variable.UserID == userID })
	if i < 0 {
		return nil
	}
	d := w.dropped[i]
	w.dropped = slices.Delete(w.dropped, i, i+1)
	return d
}
