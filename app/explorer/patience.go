package explorer

import (
	"context"
	"time"

	"spyglass/backend/resource"
)

// patience is how long a request of the caller may take that does not say so
// itself: what the settings tell, else Options.Timeout.
func (e *Explorer) patience(ctx context.Context, c *resource.Call) (time.Duration, error) {
	own, err := e.o.Workspace.Timeout(ctx, c.Access.UserID)
	if err != nil || own > 0 {
		return own, err
	}
	return e.o.Timeout, nil
}
