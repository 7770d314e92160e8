package monitor

import (
	"context"
	"time"

	"spyglass/backend/check"
	"spyglass/backend/fault"
	"spyglass/backend/portal"
	"spyglass/backend/resource"
)

// patience is how long a device may take to tell its instances.
const patience = 30 * time.Second

// due looks for the instances of one data source on one device whose time has come.
func (w *worker) due(ctx context.Context, _ *portal.Settling) (bool, error) {
	rows, err := resource.Find(ctx, w.m.db, portal.DeviceDataSources.Name,
		resource.Where{Field: "nextAutoDiscoveryOn", Op: ">", Value: 0}, resource.Where{Field: "nextAutoDiscoveryOn", Op: "<=", Value: int64(w.m.now())}, resource.Limit(1))
	if err != nil || len(rows) == 0 {
		return false, err
	}
	return true, w.m.discover(ctx, &rows[0])
}

// discover asks the device outside of any transaction, so it may be that the
// row has gone or changed once there is an answer.
func (m *Monitor) discover(ctx context.Context, row *portal.DeviceDataSource) error {
	found, known, err := m.ask(ctx, row)
	if err != nil && ctx.Err() != nil {
		return err
	}
	if err != nil {
		m.log.DebugContext(ctx, "a device did not tell its instances", "device", row.DeviceID, "dataSource", row.Name, "err", err)
	}
	return m.db.Write(ctx, func(tx resource.Tx) error {
		row, err := resource.Lookup(ctx, tx, portal.DeviceDataSources.Name, row.ID)
		if err != nil || row == nil {
			return err
		}
		source, err := resource.Get(ctx, tx, portal.DataSources.Name, row.DataSourceID)
		if err == nil && known {
			return portal.Discovered(ctx, tx, row, source, found, m.now())
		}
		if err != nil && !fault.Is(err, fault.Unknown) {
			return err
		}
		row.NextOn = 0
		if err == nil && source.Discovery != nil && source.Discovery.ScheduleInterval > 0 && m.discoverers[source.CollectMethod] != nil {
			row.NextOn = m.now() + resource.Seconds(source.Discovery.ScheduleInterval*60)
		}
		return resource.Put(ctx, tx, portal.DeviceDataSources.Name, row)
	})
}

// ask finds the instances; known is false where nobody can ask.
func (m *Monitor) ask(ctx context.Context, row *portal.DeviceDataSource) (found []check.Found, known bool, err error) {
	by := m.discoverers[row.Method]
	if by == nil {
		return nil, false, nil
	}
	device, err := resource.Get(ctx, m.db, portal.Devices.Name, row.DeviceID)
	if err != nil {
		return nil, false, err
	}
	source, err := resource.Get(ctx, m.db, portal.DataSources.Name, row.DataSourceID)
	if err != nil {
		return nil, false, err
	}
	property, err := portal.PropertiesOf(ctx, m.db, device)
	if err != nil {
		return nil, false, err
	}
	s := check.Search{DeviceID: device.ID, Host: device.Name, DataSource: source.Name, Property: property}
	if source.Discovery != nil {
		s.Method = source.Discovery.Method
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	found, err = by.Discover(ctx, s)
	return found, err == nil, err
}
