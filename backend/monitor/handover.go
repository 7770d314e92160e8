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

// Limits of the searches that are sent to remote collectors.
const (
	// again is the delay in seconds until a search sent to a collector is due
	// again. If that collector is down by then, or another one polls the device,
	// the other collector runs the search, or the portal runs it itself.
	again = 300
	// mostSearches limits the searches that are sent to a collector at a time.
	mostSearches = 100
)

// handedOver holds the searches that were sent to remote collectors and have no result
// yet: the collector by the id of the data source on the device. They are in
// memory only, because a search without a result is due again.
type handedOver struct {
	mu         sync.Mutex
	collectors map[int64]int64
}

// handOver requests a collector to discover the instances of a data source on a
// device.
func (m *Monitor) handOver(ctx context.Context, row *fleet.DeviceDataSource, collector int64) error {
	m.handedOver.mu.Lock()
	if m.handedOver.collectors == nil {
		m.handedOver.collectors = map[int64]int64{}
	}
	m.handedOver.collectors[row.ID] = collector
	m.handedOver.mu.Unlock()
	return m.db.Write(ctx, func(tx resource.Tx) error {
		row, err := resource.Lookup(ctx, tx, fleet.DeviceDataSources.Name, row.ID)
		if err != nil || row == nil {
			return err
		}
		row.NextOn = m.now() + again
		return resource.Put(ctx, tx, fleet.DeviceDataSources.Name, row)
	})
}

// finish ends a search, and reports whether it was sent to that collector.
func (m *Monitor) finish(id, collector int64) bool {
	m.handedOver.mu.Lock()
	defer m.handedOver.mu.Unlock()
	if m.handedOver.collectors[id] != collector {
		return false
	}
	delete(m.handedOver.collectors, id)
	return true
}

// Searches returns the discovery searches that a collector has to run now.
func (m *Monitor) Searches(ctx context.Context, collector int64) ([]check.Search, error) {
	m.handedOver.mu.Lock()
	var ids []int64
	for id, collectors := range m.handedOver.collectors {
		if collectors == collector {
			ids = append(ids, id)
		}
	}
	m.handedOver.mu.Unlock()
	slices.Sort(ids)
	ids = ids[:min(len(ids), mostSearches)]
	rows, err := resource.Find(ctx, m.db, fleet.DeviceDataSources.Name,
		resource.Where{Field: "id", Op: "in", Value: ids})
	if err != nil {
		return nil, err
	}
	on := make([]int64, len(rows))
	for i := range rows {
		on[i] = rows[i].DeviceID
	}
	devices, err := resource.Find(ctx, m.db, fleet.Devices.Name,
		resource.Where{Field: "id", Op: "in", Value: on}, resource.Where{Field: "currentCollectorId", Op: "=",
			Value: collector})
	if err != nil {
		return nil, err
	}
	searches, err := m.searches(ctx, rows, devices)
	if err != nil {
		return nil, err
	}
	for _, id := range ids { // removes searches of deleted rows, and of devices that another collector polls now
		if !slices.ContainsFunc(searches, func(s check.Search) bool { return s.ID == id }) {
			m.finish(id, collector)
		}
	}
	return searches, nil
}

// TakeFinding stores the instances that a collector has found. It ignores a
// finding that was not requested or is no longer needed, and then returns false
// for taken.
func (m *Monitor) TakeFinding(ctx context.Context, collector int64, f *check.Finding) (taken bool, err error) {
	if !m.finish(f.ID, collector) {
		return false, nil
	}
	var why error
	if f.Error != "" {
		why = errors.New(f.Error)
	}
	return true, m.keep(ctx, f.ID, f.Found, why)
}
