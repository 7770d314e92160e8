//go:build desktop

package notice

import (
	"context"
	"log/slog"
)

// Show shows notices until closing. clicked is called with the link of one that is
// clicked. ctx is that of the window. The notification service may hang, so nothing
// should wait for Show.
func Show(ctx context.Context, notices <-chan Notice, closing <-chan struct{}, clicked func(link string),
	log *slog.Logger) {
	var shows *notifier
	silent := false // log the first failure only
	for {
		select {
		case <-closing:
			if shows != nil {
				_ = shows.close() // no more notices will be shown
			}
			return
		case notice := <-notices:
			err := show(ctx, &shows, notice, clicked)
			if err != nil && !silent {
				log.Warn("the desktop shows no notices", "err", err)
			}
			silent = err != nil
		}
	}
}

// show shows one notice; the first one connects to the notification service.
func show(ctx context.Context, by **notifier, notice Notice, clicked func(link string)) (err error) {
	if *by == nil {
		if *by, err = newNotifier(ctx, clicked); err != nil {
			return err
		}
	}
	return (*by).show(ctx, notice)
}
