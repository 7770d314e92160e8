package monitor

import (
	"context"
	"slices"
	"time"

	"spyglass/backend/portal/collector"
	"spyglass/backend/portal/fleet"
	"spyglass/backend/portal/ground"
	"spyglass/backend/series"
)

// lateAfter is the maximum age at which a collector's results still change
// alerts. It is longer than a restart of the portal takes. Results for a device
// that another collector polls by now are always late.
const lateAfter = 3 * time.Minute

// lateBefore returns the time before which the results of a collector are late,
// in epoch seconds. Results of the built-in collector are never late. Those of a
// collector with a slow clock are, unless it corrects them by the portal's clock
// (package agent), and the alert about its clock says so.
func (e *Engine) lateBefore(collector int64) int64 {
	if collector == ground.BuiltInCollector {
		return 0
	}
	return e.o.Clock().Add(-lateAfter).Unix()
}

// mayHavePolled reports whether a device is assigned to a collector, or was while
// other collectors were down (place): the collector is the device's preferred
// one, that one's backup, or in a group with it.
func mayHavePolled(collectorID int64, d *fleet.Device, all []collector.Collector) bool {
	if d.CurrentCollector == collectorID || d.CollectorID == collectorID {
		return true
	}
	named := func(id int64) *collector.Collector {
		i := slices.IndexFunc(all, func(c collector.Collector) bool { return c.ID == id })
		if i < 0 {
			return &collector.Collector{}
		}
		return &all[i]
	}
	preferred, one := named(d.CollectorID), named(collectorID)
	return preferred.BackupID == collectorID || one.GroupID > 0 && preferred.GroupID == one.GroupID
}

// parted splits readings into current and late readings.
func parted(all []reading) (now, late []reading) {
	for _, r := range all {
		if r.late {
			late = append(late, r)
		} else {
			now = append(now, r)
		}
	}
	return now, late
}

// gaps returns the late readings that fall into a gap: without a sample of the
// instance within ¾ of the poll interval. A closer sample comes from another
// collector, whose measurement has precedence.
func (e *Engine) gaps(ctx context.Context, late []reading) ([]reading, error) {
	of := map[int64][]reading{}
	for _, r := range late {
		of[r.of.instance] = append(of[r.of.instance], r)
	}
	var kept []reading
	for instance, readings := range of {
		f := readings[0].formula
		q := series.Query{Instance: instance, From: readings[0].at, To: readings[0].at}
		for i := range f.points {
			q.DataPoints = append(q.DataPoints, f.points[i].id)
		}
		for _, r := range readings {
			q.From, q.To = min(q.From, r.at), max(q.To, r.at)
		}
		every := f.source.CollectInterval
		q.From, q.To = q.From-every, q.To+every
		have, err := e.o.Series.Range(ctx, q)
		if err != nil {
			return nil, err
		}
		for _, r := range readings {
			next, exact := slices.BinarySearch(have.Times, r.at)
			near := exact || next < len(have.Times) && 4*(have.Times[next]-r.at) < 3*every || next > 0 &&
				4*(r.at-have.Times[next-1]) < 3*every
			if !near {
				kept = append(kept, r)
			}
		}
	}
	return kept, nil
}
