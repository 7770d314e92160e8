package server

import (
	"context"
	"errors"
	"fmt"
	"time"

	"spyglass/backend/service"
)

// stopWithin limits how long Stop takes when its context has no deadline.
const stopWithin = 10 * time.Second

// shutdown is one Stop. Its steps share one deadline: each may take half of what
// is left, so that one that hangs leaves time for the others.
type shutdown struct {
	ctx   context.Context
	group service.Group
	errs  []error
}

// newShutdown takes over the deadline of ctx, and not its end: a context that
// was cancelled is often why the server stops.
func newShutdown(ctx context.Context, guard *service.Guard) (d *shutdown, cancel context.CancelFunc) {
	deadline, ok := ctx.Deadline()
	if !ok {
		deadline = time.Now().Add(stopWithin)
	}
	ctx, cancel = context.WithDeadline(context.WithoutCancel(ctx), deadline)
	return &shutdown{ctx: ctx, group: service.Group{Guard: guard}}, cancel
}

// step stops one part; false when it did not stop in time or failed. A part that
// hangs is left behind.
func (d *shutdown) step(part string, stop func(ctx context.Context) error) bool {
	deadline, _ := d.ctx.Deadline()
	ctx, cancel := context.WithTimeout(d.ctx, time.Until(deadline)/2)
	defer cancel()
	stopped := make(chan error, 1)
	d.group.Go("stop "+part, func() { stopped <- stop(ctx) })
	select {
	case err := <-stopped:
		d.errs = append(d.errs, err)
		return err == nil
	case <-ctx.Done():
		d.errs = append(d.errs, fmt.Errorf("%s did not stop in time", part))
		return false
	}
}

// quietly runs the step of a part whose stop function takes no context and
// returns no error.
func (d *shutdown) quietly(part string, stop func()) bool {
	return d.step(part, func(context.Context) error { stop(); return nil })
}

func (d *shutdown) err() error { return errors.Join(d.errs...) }
