package monitor

import (
	"cmp"
	"context"
	"log/slog"
	"slices"
	"time"

	"spyglass/backend/portal/fleet"
	"spyglass/backend/portal/setting"
	"spyglass/backend/resource"
	"spyglass/backend/series"
	"spyglass/backend/service"
)

// Keep deletes samples that are no longer needed: those of deleted instances at
// once, and once a day those older than the portal's settings allow. The settings
// also determine how long hourly values stay. The next process continues
// unfinished work.
//
// One owner calls New, Start and Stop, as for Monitor.
type Keep struct {
	db     resource.LiveDB
	series *series.DB
	log    *slog.Logger

	running service.Group
}

// NewKeep returns a Keep that is not started yet. It uses only the options DB,
// Log and Guard.
func NewKeep(o Options, samples *series.DB) *Keep {
	return &Keep{db: o.DB, series: samples, log: cmp.Or(o.Log, slog.Default()), running: service.Group{Guard: o.Guard}}
}

// Start starts the work, without blocking. It may be called again after Stop.
func (k *Keep) Start(ctx context.Context) {
	k.running.Begin(ctx)
	feed := k.db.Follow(string(fleet.Instances.Name))
	k.running.Keep("samples of removed instances", func(ctx context.Context) {
		if feed == nil { // after a panic
			feed = k.db.Follow(string(fleet.Instances.Name))
		}
		first := feed
		feed = nil
		k.follow(ctx, first)
	})
	k.running.Keep("samples that are too old", k.daily)
}

// Stop ends the work and waits for it, no longer than until ctx is done. It may
// be called twice, and on a keep never started.
func (k *Keep) Stop(ctx context.Context) error { return k.running.Stop(ctx) }

func (k *Keep) follow(ctx context.Context, feed resource.Feed) {
	defer feed.Close()
	for {
		rows, lost, err := feed.Next(ctx)
		if err != nil {
			return
		}
		if lost {
			err = k.Sweep(ctx)
		} else {
			ids := make([]int64, len(rows))
			for i, row := range rows {
				ids[i] = row.ID
			}
			err = k.drop(ctx, ids)
		}
		if err != nil && ctx.Err() == nil {
			k.log.WarnContext(ctx, "samples of deleted instances could not be deleted; trying again within a day",
				"err", err)
		}
	}
}

func (k *Keep) daily(ctx context.Context) {
	each := time.NewTicker(24 * time.Hour)
	defer each.Stop()
	for {
		err := k.Sweep(ctx)
		if err == nil {
			err = k.retain(ctx)
		}
		if err != nil && ctx.Err() == nil {
			k.log.WarnContext(ctx, "old samples could not be deleted; trying again in a day", "err", err)
		}
		select {
		case <-each.C:
		case <-ctx.Done():
			return
		}
	}
}

// Sweep removes the samples of all instances that no longer exist.
func (k *Keep) Sweep(ctx context.Context) error { return k.drop(ctx, k.series.Instances()) }

// drop removes the samples of the given instances that no longer exist.
func (k *Keep) drop(ctx context.Context, ids []int64) error {
	for some := range slices.Chunk(ids, 1000) {
		found, err := k.db.IDs(ctx, string(fleet.Instances.Name), resource.Where{Field: "id", Op: "in", Value: some})
		if err != nil {
			return err
		}
		gone := without(some, found)
		if len(gone) == 0 {
			continue
		}
		if err := k.series.Delete(ctx, gone...); err != nil {
			return err
		}
	}
	return nil
}

// without returns the ids that are not among those found, which ascend.
func without(ids, found []int64) []int64 {
	return slices.DeleteFunc(slices.Clone(ids), func(id int64) bool {
		_, here := slices.BinarySearch(found, id)
		return here
	})
}

func (k *Keep) retain(ctx context.Context) error {
	settings, err := resource.Get(ctx, k.db, setting.Settings.Name, setting.SettingID)
	if err != nil {
		return err
	}
	return k.series.Retain(ctx, series.Keep{Samples: int(settings.DataDays), Hours: int(settings.HourDays)})
}
