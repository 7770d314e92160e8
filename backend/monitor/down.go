package monitor

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"spyglass/backend/portal/alert"
	"spyglass/backend/portal/collector"
	"spyglass/backend/portal/fleet"
	"spyglass/backend/portal/ground"
	"spyglass/backend/portal/threshold"
	"spyglass/backend/resource"
)

// patience reports whether silent collectors get more time. They could not reach
// this portal while it did not run or the machine slept, so their silence counts
// only from then on. limit is the longest time between two heartbeats of a collector.
func (m *Monitor) patience(now time.Time, limit time.Duration) bool {
	if !m.began.IsZero() && now.Sub(m.looked) > limit && !m.looked.IsZero() {
		m.began = now
	}
	m.looked = now
	return !m.began.IsZero() && now.Sub(m.began) < limit-watchEvery
}

// watchCollectors marks collectors that have been silent for limit, and opens and
// clears their alerts. It skips the built-in collector, which is part of this
// process.
func watchCollectors(ctx context.Context, tx resource.Tx, now time.Time, limit time.Duration, patient bool) error {
	heardBefore := resource.SecondsOf(now.Add(watchEvery - limit))
	collectors, err := resource.Find(ctx, tx, collector.Collectors.Name,
		resource.Where{Field: "id", Op: ">", Value: ground.BuiltInCollector})
	for i := range collectors {
		if err == nil {
			c := &collectors[i]
			err = watchCollector(ctx, tx, c, c.LastHeartbeatOn < heardBefore && !patient, limit,
				resource.SecondsOf(now))
		}
	}
	return err
}

func watchCollector(ctx context.Context, tx resource.Tx, c *collector.Collector, silent bool, limit time.Duration,
	now resource.Seconds) error {
	if c.LastHeartbeatOn == 0 { // it never ran
		return nil
	}
	f := &alert.Finding{CollectorID: c.ID, Severity: threshold.SeverityCritical, Value: "no heartbeat",
		Threshold: fmt.Sprintf("%d seconds without a heartbeat", limit/time.Second), At: now}
	switch {
	case silent && !c.IsDown:
		c.IsDown = true
		if err := resource.Put(ctx, tx, collector.Collectors.Name, c); err != nil {
			return err
		}
		if _, _, err := alert.Raise(ctx, tx, f); err != nil {
			return err
		}
	case !c.IsDown:
		f.Value = "heartbeat"
		if _, err := alert.Clear(ctx, tx, f); err != nil {
			return err
		}
	}
	if err := watchClock(ctx, tx, c, now); err != nil {
		return err
	}
	if c.ReplacedOn > 0 && now >= c.ReplacedOn+replacedFor {
		c.ReplacedOn = 0
		if err := resource.Put(ctx, tx, collector.Collectors.Name, c); err != nil {
			return err
		}
		if _,
			err := alert.Clear(ctx, tx, &alert.Finding{CollectorID: c.ID, Condition: alert.ConditionCredential,
			At: now}); err != nil {
			return err
		}
	}
	return markDevices(ctx, tx, c)
}

const (
	clockLimit  = 180     // seconds by which a collector's clock may differ
	replacedFor = 60 * 60 // seconds for which the alert of a replaced credential stays open
)

// watchClock opens an alert of a collector whose clock differs from the portal's,
// and clears it. The portal cannot know which of the two is wrong.
func watchClock(ctx context.Context, tx resource.Tx, c *collector.Collector, now resource.Seconds) error {
	ahead, side := c.ClockOffset, "ahead of"
	if ahead < 0 {
		ahead, side = -ahead, "behind"
	}
	f := &alert.Finding{CollectorID: c.ID, Condition: alert.ConditionClock, Severity: threshold.SeverityError,
		Value: fmt.Sprintf("%d s", c.ClockOffset), At: now}
	if ahead <= clockLimit {
		_, err := alert.Clear(ctx, tx, f)
		return err
	}
	f.Threshold = fmt.Sprintf("%d seconds off", clockLimit)
	f.Reason = fmt.Sprintf("The clock of this collector is %d seconds %s the portal's. Set the clock that is wrong.",
		ahead, side)
	_, _, err := alert.Raise(ctx, tx, f)
	return err
}

// markDevices sets the host status of a collector's devices: dead-collector while
// it is down. When the collector is back, its devices are normal until their
// checks find otherwise.
func markDevices(ctx context.Context, tx resource.Tx, c *collector.Collector) error {
	is, want := "!=", hostDeadCollector
	if !c.IsDown {
		is, want = "=", hostNormal
	}
	devices, err := resource.Find(ctx, tx, fleet.Devices.Name, resource.Where{Field: "currentCollectorId", Op: "=",
		Value: c.ID},
		resource.Where{Field: "hostStatus", Op: is, Value: hostDeadCollector})
	for i := range devices {
		d := &devices[i]
		if err != nil || simulatedItself(d) && !c.Simulated() {
			continue
		}
		d.HostStatus = want
		err = resource.Put(ctx, tx, fleet.Devices.Name, d)
	}
	return err
}

// simulatedItself reports whether a device's own properties mark it as simulated.
func simulatedItself(d *fleet.Device) bool {
	return slices.ContainsFunc(d.CustomProperties, func(p resource.Property) bool {
		return strings.EqualFold(p.Name, categories) && fleet.IsSimulated(p.Value)
	})
}

// coverAlerts updates which maintenance windows cover alerts.
func coverAlerts(ctx context.Context, db resource.LiveDB, now time.Time) error {
	ids, err := alert.AlertsToCover(ctx, db, now)
	if err != nil || len(ids) == 0 {
		return err
	}
	return db.Write(ctx, func(tx resource.Tx) error { return alert.CoverAlerts(ctx, tx, now, ids...) })
}

// judgeAllClusters applies changes that do not come with poll results: those of
// declarations, groups and maintenance.
func judgeAllClusters(ctx context.Context, db resource.LiveDB, now time.Time) error {
	sizes, err := alert.SizeClusters(ctx, db, now)
	if err != nil {
		return err
	}
	return db.Write(ctx, func(tx resource.Tx) error {
		if err := alert.EndLostClusters(ctx, tx, now); err != nil {
			return err
		}
		return alert.JudgeClusters(ctx, tx, sizes, now)
	})
}
