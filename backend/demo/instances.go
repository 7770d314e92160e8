package demo

import (
	"slices"
	"strings"

	"spyglass/backend/portal/datasource"
	"spyglass/backend/portal/fleet"
	"spyglass/backend/resource"
)

// associated is the size of a company up to which Fill assigns data sources to
// all devices. In a larger company, Fill assigns them only to the devices with
// alerts, among the first associated devices; the monitor assigns the others over
// time.
const (
	associated = 1000
	withAlerts = 5000
)

// uplinks and further are instance groups of the sample device data source.
var instanceGroups = []fleet.InstanceGroup{
	{ID: 1, Name: "Uplinks", Description: "Ports that lead out of the site"},
	{ID: 2, Name: "Servers", Description: "Ports of the server racks"},
	{ID: 3, Name: "Storage", Description: "Ports of the storage network"},
	{ID: 4, Name: "Spare", Description: "Ports that nobody uses yet"},
}

// storied returns the devices that can have demo alerts: all of a small company,
// and always the first one.
func (f *filler) storied() ([]fleet.Device, error) {
	devices, err := resource.Find(f.write.Context, f.write.Tx, fleet.Devices.Name, resource.Limit(withAlerts))
	if err != nil || f.count <= associated {
		return devices, err
	}
	named := map[int64]bool{fleet.Devices.Sample: true}
	for _, in := range f.incidents(devices) {
		named[in.device.ID] = true
	}
	return slices.DeleteFunc(devices, func(d fleet.Device) bool { return !named[d.ID] }), nil
}

// instances assigns data sources to devices. The first row is the interfaces of the
// first device, so that its id and those of its instances do not depend on other data
// sources.
func (f *filler) instances() error {
	ctx, tx := f.write.Context, f.write.Tx
	devices, err := f.storied()
	if err != nil || len(devices) == 0 {
		return err
	}
	if err := f.sampleInstances(&devices[0]); err != nil {
		return err
	}
	if _, err := fleet.Associate(ctx, tx, devices, f.now); err != nil || f.count > associated {
		return err
	}
	applying, err := fleet.ApplyingOf(ctx, tx)
	if err != nil {
		return err
	}
	settled := fleet.Settling{ID: fleet.SettlingID, LastID: devices[len(devices)-1].ID, Print: applying.Print}
	return resource.Put(ctx, tx, fleet.SettlingRow.Name, &settled)
}

// sampleInstances writes device datasource 1 with its instances and groups.
func (f *filler) sampleInstances(d *fleet.Device) error {
	ctx, tx := f.write.Context, f.write.Tx
	applying, err := fleet.ApplyingOf(ctx, tx)
	if err != nil {
		return err
	}
	sources := applying.To(d)
	i := slices.IndexFunc(sources, func(s *datasource.DataSource) bool {
		return s.HasMultiInstances && strings.Contains(strings.ToLower(s.Name), "interface")
	})
	if i < 0 {
		return nil
	}
	if err := fleet.AssociateOne(ctx, tx, d, sources[i], f.now); err != nil {
		return err
	}
	for _, g := range instanceGroups {
		g.DeviceID, g.DeviceDataSourceID, g.CreatedOn = d.ID, 1, f.ago(20)
		if err := resource.Put(ctx, tx, fleet.InstanceGroups.Name, &g); err != nil {
			return err
		}
	}
	ports, err := resource.Find(ctx, tx, fleet.Instances.Name, resource.Where{Field: "deviceDataSourceId", Op: "=",
		Value: int64(1)})
	if err != nil {
		return err
	}
	for k := range ports[:min(len(ports), 6)] { // two per group; the last group stays empty
		ports[k].GroupID = int64(k/2) + 1
		if err := resource.Put(ctx, tx, fleet.Instances.Name, &ports[k]); err != nil {
			return err
		}
	}
	return nil
}
