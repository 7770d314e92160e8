package app

import (
	"context"
	"errors"
	"fmt"

	"spyglass/app/shell"
	"spyglass/backend/fault"
	"spyglass/backend/server"
	"spyglass/backend/service"
)

// Browse opens the portal of a data folder in the default browser instead of a
// window, and serves it until ctx ends. If a Spyglass that was started by Browse or
// Window has the folder open already, Browse opens the browser on it instead. It opens args,
// which are spyglass:// links. opened is called once, with the portal's address.
func Browse(ctx context.Context, o server.Options, args []string, opened func(origin string)) error {
	if err := awaitPredecessor(); err != nil {
		return err
	}
	show := make(chan struct{}, 1)
	o.Raise = func([]string) {
		select {
		case show <- struct{}{}:
		default: // the browser is opening already
		}
	}
	a, err := open(ctx, o, &desk{})
	if fault.Is(err, fault.Conflict) {
		if _, failed := server.Send(ctx, o, server.Command{Do: server.DoRaise, Args: args}); failed == nil {
			return nil
		}
	}
	if ctx.Err() != nil && errors.Is(err, context.Canceled) {
		return nil
	}
	if err != nil {
		return err
	}
	a.OpenLinks(args)
	opened(a.Origin())
	o.Raise(nil)
	ctx, stop := context.WithCancel(ctx)
	tasks := service.Group{Guard: &service.Guard{Log: a.log}}
	tasks.Go("opening the browser", func() { a.browse(ctx, o.Data, show) })
	err = a.Wait(ctx)
	stop()
	tasks.Wait()
	return err
}

// browse opens the default browser each time show receives a value, until ctx ends.
func (a *App) browse(ctx context.Context, folder string, show <-chan struct{}) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-show:
		}
		address, err := a.Launch(ctx)
		if err == nil {
			var remove func()
			if remove, err = (&shell.Native{}).OpenPrivately(folder, address); remove != nil {
				defer remove()
			}
		}
		if err != nil {
			a.log.WarnContext(ctx, fmt.Sprintf("cannot open a browser; open %s yourself", a.Origin()), "err", err)
		}
	}
}
