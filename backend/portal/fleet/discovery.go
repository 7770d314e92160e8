package fleet

import (
	"context"
	"slices"
	"strings"

	"spyglass/backend/check"
	"spyglass/backend/portal/datasource"
	"spyglass/backend/resource"
)

// Discovered updates the instances of a data source on a device from a discovery,
// and writes the row, which may be new. It adds new instances, in the groups that
// the data source defines. It updates the name and, unless it is locked, the
// description of existing ones. If the data source says so, it deletes instances
// that were not found or do not pass its filters. Instances with the same wild
// value are the same.
func Discovered(ctx context.Context, tx resource.Tx, row *DeviceDataSource, source *datasource.DataSource,
	found []check.Found, now resource.Seconds) error {
	next := resource.Seconds(0)
	if rules := source.Discovery; rules != nil && rules.ScheduleInterval > 0 {
		next = now + resource.Seconds(rules.ScheduleInterval*60)
	}
	return discovered(ctx, tx, row, source, found, now, next)
}

func discovered(ctx context.Context, tx resource.Tx, row *DeviceDataSource, source *datasource.DataSource,
	found []check.Found, now, next resource.Seconds) error {
	rules := datasource.Discovery{}
	if source.Discovery != nil {
		rules = *source.Discovery
	}
	have, err := instancesOf(ctx, tx, row)
	if err != nil {
		return err
	}
	found = eachOnce(rules.Admitted(found))
	groups, err := autoGroupsOf(ctx, tx, row, &rules)
	if err != nil {
		return err
	}
	here := make(map[string]bool, len(found))
	for _, f := range found {
		here[strings.ToLower(f.WildValue)] = true
	}
	var gone []Instance
	have = slices.DeleteFunc(have, func(i Instance) bool {
		lost := (i.WildValue == OnlyWildValue || rules.DeleteInactive && !rules.Persistent) &&
			!here[strings.ToLower(i.WildValue)]
		if lost {
			gone = append(gone, i)
		}
		return lost
	})
	at := make(map[string]int, len(have))
	for k := range have {
		at[strings.ToLower(have[k].WildValue)] = k
	}
	for _, f := range found {
		k, ok := at[strings.ToLower(f.WildValue)]
		if !ok {
			one := newInstance(row, now)
			one.WildValue, one.StopMonitoring = f.WildValue, rules.DisableInstance
			have, k = append(have, *one), len(have)
		}
		have[k].learn(row, f, now)
		if have[k].GroupID == 0 {
			if have[k].GroupID, err = groups.of(ctx, tx, row, f.DisplayName, now); err != nil {
				return err
			}
			if have[k].GroupID > 0 {
				have[k].UpdatedOn = now
			}
		}
	}
	row.DiscoveredOn, row.NextOn = now, next
	return keepInstances(ctx, tx, row, have, gone)
}

// learn updates the instance from a discovery; updatedOn changes only if a field
// changes.
func (i *Instance) learn(on *DeviceDataSource, f check.Found, now resource.Seconds) {
	description := f.Description
	if i.LockDescription {
		description = i.Description
	}
	name := instanceName(on, f.DisplayName)
	if i.ID > 0 && i.DisplayName == f.DisplayName && i.Description == description && i.Name == name {
		return
	}
	i.Name, i.DisplayName, i.Description, i.UpdatedOn = name, f.DisplayName, description, now
}

// keepInstances writes the row, and instances that are new or changed; it does
// not write deleted instances again.
func keepInstances(ctx context.Context, tx resource.Tx, row *DeviceDataSource, all, gone []Instance) error {
	polled := int64(0)
	for i := range all {
		polled += monitored(&all[i])
	}
	row.counts(int64(len(all)), polled)
	if err := resource.Put(ctx, tx, DeviceDataSourceRows, row); err != nil {
		return err
	}
	for i := range gone {
		if err := dropInstance(ctx, tx, row, gone[i].ID, row.DiscoveredOn); err != nil {
			return err
		}
	}
	for i := range all {
		one := &all[i]
		if one.ID > 0 && one.UpdatedOn != row.DiscoveredOn {
			continue
		}
		one.DeviceDataSourceID = row.ID
		if err := resource.Put(ctx, tx, InstanceRows, one); err != nil {
			return err
		}
	}
	return nil
}

// isSimulated reports whether a device is simulated: its property
// system.categories contains simulated.
func isSimulated(s *subject) bool {
	categories, _ := s.Property("system.categories")
	return IsSimulated(categories)
}

// IsSimulated reports whether comma-separated categories contain the category of
// simulated devices.
func IsSimulated(categories string) bool {
	for category := range strings.SplitSeq(categories, ",") {
		if strings.EqualFold(strings.TrimSpace(category), "simulated") {
			return true
		}
	}
	return false
}

// DiscoverNow associates a device with its data sources, and discovers the
// instances of multi-instance ones: immediately if that needs no request to the
// device, otherwise by marking them as due for a collector that can reach it.
func DiscoverNow(ctx context.Context, tx resource.Tx, d *Device, now resource.Seconds) error {
	if _, err := Associate(ctx, tx, []Device{*d}, now); err != nil {
		return err
	}
	a, err := ApplyingOf(ctx, tx)
	if err != nil {
		return err
	}
	sources, err := datasource.ByID(ctx, tx)
	if err != nil {
		return err
	}
	rows, err := resource.Find(ctx, tx, DeviceDataSourceRows, resource.Where{Field: "deviceId", Op: "=", Value: d.ID})
	if err != nil {
		return err
	}
	finds := isSimulated(a.subject(d))
	for i := range rows {
		row, source := &rows[i], sources[rows[i].DataSourceID]
		switch {
		case !row.Multiple || !source.EnableDiscovery:
		case finds:
			err = discovered(ctx, tx, row, source, check.Simulated(source.Name, d.ID), now, 0)
		default:
			row.NextOn = now
			err = resource.Put(ctx, tx, DeviceDataSourceRows, row)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// dropInstance removes an instance that is no longer found, or that a user
// deletes.
func dropInstance(ctx context.Context, tx resource.Tx, row *DeviceDataSource, id int64, at resource.Seconds) error {
	if err := removingInstance(ctx, tx, row, id, at); err != nil {
		return err
	}
	return resource.Delete(ctx, tx, InstanceRows, id)
}
