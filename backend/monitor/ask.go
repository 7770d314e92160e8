package monitor

import (
	"context"
	"errors"
	"slices"
	"sync"

	"spyglass/backend/check"
	"spyglass/backend/portal/fleet"
	"spyglass/backend/resource"
)

// What remote collectors are asked.
const (
	// again is in how many seconds a search is due again that was handed to a
	// collector: should it be down by then, or another one poll the device, that
	// one is asked, or the portal asks itself.
	again = 300
	// mostSearches are told to a collector at a time.
	mostSearches = 100
)

// asked are the searches that remote collectors were handed and have not
// answered: the collector by the data source on the device. They need not
// outlive the program, because what is not answered is due again.
type asked struct {
	mu  sync.Mutex
	who map[int64]int64
}

// handOver has a collector look for the instances of a data source on a device.
func (m *Monitor) handOver(ctx context.Context, row *fleet.DeviceDataSource, collector int64) error {
	m.asked.mu.Lock()
	if m.asked.who == nil {
		m.asked.who = map[int64]int64{}
	}
	m.asked.who[row.ID] = collector
	m.asked.mu.Unlock()
	return m.db.Write(ctx, func(tx resource.Tx) error {
		row, err := resource.Lookup(ctx, tx, fleet.DeviceDataSources.Name, row.ID)
		if err != nil || row == nil {
			return err
		}
		row.NextOn = m.now() + again
		return resource.Put(ctx, tx, fleet.DeviceDataSources.Name, row)
	})
}

// answered ends a search, and says whether it was that collector's.
func (m *Monitor) answered(id, collector int64) bool {
	m.asked.mu.Lock()
	defer m.asked.mu.Unlock()
	if m.asked.who[id] != collector {
		return false
	}
	delete(m.asked.who, id)
	return true
}

// Searches are what a collector has to look for now.
func (m *Monitor) Searches(ctx context.Context, collector int64) ([]check.Search, error) {
	m.asked.mu.Lock()
	var ids []int64
	for id, who := range m.asked.who {
		if who == collector {
			ids = append(ids, id)
		}
	}
	m.asked.mu.Unlock()
	slices.Sort(ids)
	ids = ids[:min(len(ids), mostSearches)]
	rows, err := resource.Find(ctx, m.db, fleet.DeviceDataSources.Name, resource.Where{Field: "id", Op: "in", Value: ids})
	if err != nil {
		return nil, err
	}
	on := make([]int64, len(rows))
	for i := range rows {
		on[i] = rows[i].DeviceID
	}
	devices, err := resource.Find(ctx, m.db, fleet.Devices.Name,
		resource.Where{Field: "id", Op: "in", Value: on}, resource.Where{Field: "currentCollectorId", Op: "=", Value: collector})
	if err != nil {
		return nil, err
	}
	searches, err := m.searches(ctx, rows, devices)
	if err != nil {
		return nil, err
	}
	for _, id := range ids { // what went, or another one polls by now, makes room
		if !slices.ContainsFunc(searches, func(s check.Search) bool { return s.ID == id }) {
			m.answered(id, collector)
		}
	}
	return searches, nil
}

// TakeFinding keeps what a collector has found; what it was not asked for, or no
// longer is, is passed over, and taken is false.
func (m *Monitor) TakeFinding(ctx context.Context, collector int64, f *check.Finding) (taken bool, err error) {
	if !m.answered(f.ID, collector) {
		return false, nil
	}
	var why error
	if f.Error != "" {
		why = errors.New(f.Error)
	}
	return true, m.keep(ctx, f.ID, f.Found, why)
}
