package monitor

import (
	"context"
	"errors"
	"time"

	"spyglass/backend/clock"
	"spyglass/backend/portal/alert"
	"spyglass/backend/portal/maintenance"
	"spyglass/backend/resource"
)

// chore is a job that runs each minute.
type chore func(ctx context.Context, db resource.LiveDB, now time.Time) error

var minutely = []chore{bitByBit(maintenance.CloseWindows), bitByBit(maintenance.PruneSDTHistory), coverAlerts,
	judgeAllClusters, bitByBit(alert.PruneAlerts)}

// bitByBit runs do in small transactions until there is nothing more to do.
func bitByBit(do func(ctx context.Context, tx resource.Tx, now time.Time) (more bool, err error)) chore {
	return func(ctx context.Context, db resource.LiveDB, now time.Time) error {
		for more := true; more; {
			err := db.Write(ctx, func(tx resource.Tx) (err error) {
				more, err = do(ctx, tx, now)
				return err
			})
			if err != nil {
				return err
			}
		}
		return nil
	}
}

// Tick does the work of each minute: it closes the maintenance windows that have
// ended, updates which ones cover alerts, judges clusters, marks silent
// collectors, reassigns their devices, and deletes data that is older than the
// portal keeps. It may be called late, or again.
func (m *Monitor) Tick(ctx context.Context) error {
	if err := m.tendCollectors(ctx); err != nil {
		return err
	}
	return m.do(ctx, minutely, m.pace.Now())
}

func (m *Monitor) do(ctx context.Context, chores []chore, now time.Time) error {
	for _, do := range chores {
		var err error
		_ = m.running.Guard.Run("work of each minute", func() { err = do(ctx, m.db, now) }) // the others continue
		if err != nil {
			return err
		}
	}
	return nil
}

// ticks runs chores every minute of a clock.
func (m *Monitor) ticks(ctx context.Context, chores []chore, by *clock.Clock) {
	for {
		if err := m.do(ctx, chores, by.Now()); err != nil && ctx.Err() == nil {
			m.log.WarnContext(ctx, "the work of this minute failed; trying again in the next", "err", err)
		}
		if !by.Sleep(ctx, round, nil) {
			return
		}
	}
}

// followMaintenance updates which maintenance windows cover alerts as soon as a
// window begins, ends or changes, instead of at the next minute.
func (m *Monitor) followMaintenance(ctx context.Context) {
	changed, stop := m.db.Watch(string(maintenance.SDTs.Name))
	defer stop()
	for {
		now := m.pace.Now()
		err := coverAlerts(ctx, m.db, now)
		next, wrong := maintenance.NextMaintenance(ctx, m.db, now)
		if err = errors.Join(err, wrong); err != nil && ctx.Err() == nil {
			m.log.WarnContext(ctx, "applying maintenance to alerts failed; trying again", "err", err)
		}
		wait := round
		if !next.IsZero() {
			wait = min(wait, next.Sub(now))
		}
		// changes within a second are processed together
		if !m.pace.Sleep(ctx, wait, changed) || !pause(ctx, time.Second, nil) {
			return
		}
	}
}
