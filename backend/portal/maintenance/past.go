package maintenance

import (
	"context"
	"time"

	"spyglass/backend/resource"
)

// PastMaintenance is the maintenance in effect during a period.
type PastMaintenance struct {
	plan *plan
	by   map[string]map[int64][]pastWindow // by type and id
}

type pastWindow struct {
	Window
	dataSource int64 // for maintenance of one data source in a group; 0: all
}

// MaintenanceBetween reads the maintenance in effect between two times: from the
// history, and windows that are not in the history yet.
func MaintenanceBetween(ctx context.Context, r resource.Reader, from, to time.Time) (*PastMaintenance, error) {
	plan, err := planOf(ctx, r)
	if err != nil {
		return nil, err
	}
	m := &PastMaintenance{plan: plan, by: map[string]map[int64][]pastWindow{}}
	aim := map[int64]int64{}
	for _, items := range plan.by {
		for _, list := range items {
			for _, p := range list {
				aim[int64(p.sdt.ID)] = p.sdt.DataSourceID
				m.addOpen(p, from, to)
			}
		}
	}
	past, err := resource.Find(ctx, r, sdtHistoryRows,
		resource.Where{Field: "approximateStartEpoch", Op: "<",
			Value: to.Unix()}, resource.Where{Field: "approximateEndEpoch", Op: ">", Value: from.Unix()})
	for i := range past {
		h := &past[i]
		m.add(h.Type, h.ItemID, pastWindow{Window{time.Unix(int64(h.Start), 0), time.Unix(int64(h.End), 0)},
			aim[h.SDTID]})
	}
	return m, err
}

// addOpen adds the windows that the history does not have yet.
func (m *PastMaintenance) addOpen(p *planned, from, to time.Time) {
	since := time.UnixMilli(int64(p.sdt.ClosedTo))
	w, ok := p.schedule.At(since)
	if !ok {
		w, ok = p.schedule.Next(since)
	}
	for n := 0; ok && n < pastAtOnce && w.Begin.Before(to); n++ {
		if w.End.After(from) {
			m.add(p.sdt.Type, p.sdt.itemID(), pastWindow{w, p.sdt.DataSourceID})
		}
		w, ok = p.schedule.Next(w.End.Add(-time.Millisecond))
	}
}

func (m *PastMaintenance) add(kind string, id int64, w pastWindow) {
	if m.by[kind] == nil {
		m.by[kind] = map[int64][]pastWindow{}
	}
	m.by[kind][id] = append(m.by[kind][id], w)
}

// Of returns the windows that covered an object, in any order; they may overlap.
// It uses GroupIDs as given: nil means no group.
func (m *PastMaintenance) Of(w Watched) (out []Window) {
	add := func(list []pastWindow) {
		for _, one := range list {
			if one.dataSource == 0 || one.dataSource == w.DataSourceID {
				out = append(out, one.Window)
			}
		}
	}
	for _, id := range m.plan.above(w.GroupIDs) {
		add(m.by[GroupSDT][id])
	}
	for kind, id := range map[string]int64{
		DeviceSDT: w.DeviceID, DeviceDataSourceSDT: w.DeviceDataSourceID, InstanceSDT: w.InstanceID,
		InstanceGroupSDT: w.InstanceGroupID, CollectorSDT: w.CollectorID,
	} {
		if id > 0 {
			add(m.by[kind][id])
		}
	}
	return out
}
