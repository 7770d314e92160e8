package monitor

import (
	"context"
	"time"

	"spyglass/backend/portal"
	"spyglass/backend/resource"
)

// minutely is what is due each minute, a little of it in each transaction, as
// long as there is more.
var minutely = []func(ctx context.Context, tx resource.Tx, now time.Time) (more bool, err error){
	portal.CloseWindows,
	portal.PruneSDTHistory,
	watchCollectors,
	coverAlerts,
	portal.PruneAlerts,
}

// Tick does what is due each minute: it closes the maintenance windows that
// have ended, tells which ones cover alerts and which collectors are silent, and
// drops what is older than the portal keeps. It may be called late, or again.
func (m *Monitor) Tick(ctx context.Context) error {
	for _, do := range minutely {
		for more := true; more; {
			err := m.db.Write(ctx, func(tx resource.Tx) (err error) {
				more, err = do(ctx, tx, m.clock())
				return err
			})
			if err != nil {
				return err
			}
		}
	}
	return nil
}

func (m *Monitor) ticks(ctx context.Context) {
	each := time.NewTicker(round)
	defer each.Stop()
	for {
		if err := m.Tick(ctx); err != nil && ctx.Err() == nil {
			m.log.WarnContext(ctx, "the work of this minute failed; it is tried again in the next", "err", err)
		}
		select {
		case <-each.C:
		case <-ctx.Done():
			return
		}
	}
}
