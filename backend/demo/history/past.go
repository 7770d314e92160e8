package history

import (
	"context"

	"spyglass/backend/portal/incident"
	"spyglass/backend/resource"
)

// The time up to which samples exist is stored with the time of the demo, so that
// a start does not check the whole history. A portal that stops stores the time
// of the last samples; after a crash, the start checks the samples since the last
// stored time.

// readPast reads the time up to which the past is filled.
func (h *History) readPast(ctx context.Context) error {
	row, err := resource.Lookup(ctx, h.db, incident.DemoTimes.Name, incident.DemoTimeID)
	if row != nil {
		h.known = *row
	}
	return err
}

// keepPast stores that the existing instances have samples up to a time; polled
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
		row, err := incident.TimeOf(ctx, tx)
		if err != nil {
			return err
		}
		change(row)
		return resource.Put(ctx, tx, incident.DemoTimes.Name, row)
	})
}

// had returns the stored time up to which an instance had samples when this
// history was created; 0 for none.
func (h *History) had(instance int64) int64 {
	if instance > h.known.PastOf || !h.here[instance] {
		return 0
	}
	return min(int64(h.known.PastOn), h.made)
}
