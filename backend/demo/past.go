package demo

import (
	"context"

	"spyglass/backend/portal/incident"
	"spyglass/backend/resource"
)

// How far the past is filled is kept with the time of the demo, so that a start
// need not go through all of it. A portal that ends says until when there are
// samples; of one that is killed it is known since when they have to be looked at.

// readPast reads up to when the past is filled.
func (h *History) readPast(ctx context.Context) error {
	row, err := resource.Lookup(ctx, h.db, incident.DemoTimes.Name, incident.DemoTimeID)
	if row != nil {
		h.known = *row
	}
	return err
}

// keepPast writes that the instances found have samples until a moment; polled
// means that the monitor continues from there.
func (h *History) keepPast(ctx context.Context, until int64, polled bool) error {
	return h.writePast(ctx, func(row *incident.DemoTime) {
		row.PastOn, row.PastOf, row.Polled = resource.Seconds(until), 0, polled
		for i := range h.tracks {
			row.PastOf = max(row.PastOf, h.tracks[i].instance)
		}
	})
}

func (h *History) writePast(ctx context.Context, change func(row *incident.DemoTime)) error {
	return h.db.Write(resource.WithCall(ctx, nil), func(tx resource.Tx) error {
		row, err := demoTime(ctx, tx)
		if err != nil {
			return err
		}
		change(row)
		return resource.Put(ctx, tx, incident.DemoTimes.Name, row)
	})
}

// had is until when an instance had samples when this history was made, as far
// as that is known without looking; 0: it is not.
func (h *History) had(instance int64) int64 {
	if instance > h.known.PastOf || !h.here[instance] {
		return 0
	}
	return min(int64(h.known.PastOn), h.made)
}
