package monitor

import (
	"context"
	"errors"
	"slices"
	"time"

	"spyglass/backend/check"
	"spyglass/backend/fault"
	"spyglass/backend/portal/datasource"
	"spyglass/backend/portal/fleet"
	"spyglass/backend/portal/ground"
	"spyglass/backend/resource"
)

// errNoDiscovery is the error for a data source whose check discovers no
// instances.
var errNoDiscovery = errors.New("its check finds no instances")

// patience limits how long a device may take to list its instances.
const patience = 30 * time.Second

// due runs the discovery of one data source on one device if it is due.
func (w *worker) due(ctx context.Context, _ *fleet.Settling) (bool, error) {
	rows, err := resource.Find(ctx, w.m.db, fleet.DeviceDataSources.Name,
		resource.Where{Field: "nextAutoDiscoveryOn", Op: ">", Value: 0},
		resource.Where{Field: "nextAutoDiscoveryOn", Op: "<=", Value: int64(w.m.now())}, resource.Limit(1))
	if err != nil || len(rows) == 0 {
		return false, err
	}
	return true, w.m.discover(ctx, &rows[0])
}

// discover queries the device, or hands the search to the collector that polls
// it.
func (m *Monitor) discover(ctx context.Context, row *fleet.DeviceDataSource) error {
	by := m.discoverers[row.Method]
	if by == nil {
		return m.keep(ctx, row.ID, nil, errNoDiscovery)
	}
	device, err := resource.Lookup(ctx, m.db, fleet.Devices.Name, row.DeviceID)
	if err != nil || device == nil { // the device was deleted, and its row too
		return err
	}
	if device.CurrentCollector != ground.BuiltInCollector {
		return m.handOver(ctx, row, device.CurrentCollector)
	}
	searches, err := m.searches(ctx, []fleet.DeviceDataSource{*row}, []fleet.Device{*device})
	if err != nil || len(searches) == 0 {
		return err
	}
	within, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	found, err := by.Discover(within, searches[0])
	if err != nil && ctx.Err() != nil {
		return err
	}
	return m.keep(ctx, row.ID, found, err)
}

// searches returns the searches for rows of data sources on devices.
func (m *Monitor) searches(ctx context.Context, rows []fleet.DeviceDataSource,
	devices []fleet.Device) ([]check.Search, error) {
	tree, err := fleet.TreeOf(ctx, m.db)
	if err != nil {
		return nil, err
	}
	var ids []int64
	for i := range rows {
		ids = append(ids, rows[i].DataSourceID)
	}
	sources, err := resource.Find(ctx, m.db, datasource.DataSources.Name,
		resource.Where{Field: "id", Op: "in", Value: ids})
	if err != nil {
		return nil, err
	}
	var searches []check.Search
	for i := range rows {
		row := &rows[i]
		d := slices.IndexFunc(devices, func(d fleet.Device) bool { return d.ID == row.DeviceID })
		s := slices.IndexFunc(sources, func(s datasource.DataSource) bool { return s.ID == row.DataSourceID })
		if d < 0 || s < 0 {
			continue
		}
		search := check.Search{
			ID: row.ID, DeviceID: row.DeviceID, Host: devices[d].Name, DataSource: row.Name, Method: row.Method,
			Properties: tree.Properties(&devices[d]),
		}
		if how := sources[s].Discovery; how != nil {
			search.Attributes = how.Method
		}
		searches = append(searches, search)
	}
	return searches, nil
}

// keep stores the instances that a device listed, or the reason why it listed
// none. The query ran outside of any transaction: the row may have been deleted
// or changed since.
func (m *Monitor) keep(ctx context.Context, id int64, found []check.Found, why error) error {
	failed := ""
	if why != nil {
		failed = check.Sentence(why, "the device")
	}
	return m.db.Write(ctx, func(tx resource.Tx) error {
		row, err := resource.Lookup(ctx, tx, fleet.DeviceDataSources.Name, id)
		if err != nil || row == nil {
			return err
		}
		if why != nil {
			m.log.DebugContext(ctx, "discovery of instances failed", "device", row.DeviceID, "dataSource",
				row.Name, "err", why)
		}
		source, err := resource.Get(ctx, tx, datasource.DataSources.Name, row.DataSourceID)
		row.LastError = failed
		if err == nil && why == nil {
			return fleet.Discovered(ctx, tx, row, source, found, m.now())
		}
		if err != nil && !fault.Is(err, fault.Unknown) {
			return err
		}
		row.NextOn = 0
		if err == nil && source.Discovery != nil && source.Discovery.ScheduleInterval > 0 &&
			m.discoverers[source.CollectMethod] != nil {
			row.NextOn = m.now() + resource.Seconds(source.Discovery.ScheduleInterval*60)
		}
		return resource.Put(ctx, tx, fleet.DeviceDataSources.Name, row)
	})
}
