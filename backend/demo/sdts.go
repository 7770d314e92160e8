package demo

import (
	"time"

	"spyglass/backend/fault"
	"spyglass/backend/portal/fleet"
	"spyglass/backend/portal/ground"
	"spyglass/backend/portal/maintenance"
	"spyglass/backend/resource"
)

// remembered is the length of the history of maintenance.
const remembered = 45 // days

// maintenance adds a window of each type; the third is in effect. The recurring
// window of a device is on a device that incidents do not choose automatically,
// because nobody would be notified.
func (f *filler) maintenance() []maintenance.SDT {
	at := func(from resource.Seconds) resource.Millis { return resource.Millis(f.now+from) * 1000 }
	const minutes, hours = 60, 3600
	return []maintenance.SDT{
		{ID: 1, Type: maintenance.GroupSDT, GroupID: linux, Comment: "Patch night", Timezone: "Europe/Berlin",
			Recurrence: maintenance.MonthlyByWeek, WeekDay: "Tuesday", WeekOfMonth: "Second", Hour: 2, EndHour: 4},
		{ID: 2, Type: maintenance.DeviceSDT, DeviceID: 2, Comment: "Firmware and restarts, one side at a time",
			Timezone:   "Europe/Oslo",
			Recurrence: maintenance.Weekly, WeekDay: "Sunday", Hour: 22, EndHour: 0},
		{ID: 3, Type: maintenance.DeviceSDT, DeviceID: 5, Comment: "The power supply is being replaced",
			Timezone:   "Europe/Berlin",
			Recurrence: maintenance.OneTime, Start: at(-40 * minutes), End: at(80 * minutes)},
		{ID: 4, Type: maintenance.DeviceDataSourceSDT, DeviceDataSourceID: 1, Comment: "Page counters are read " +
			"for billing", Timezone: "Europe/Berlin",
			Recurrence: maintenance.Monthly, MonthDay: 1, Hour: 1, EndHour: 1, EndMinute: 30},
		{ID: 5, Type: maintenance.InstanceSDT, InstanceID: 1, Comment: "The carrier tests the line",
			Timezone:   "Europe/Berlin",
			Recurrence: maintenance.Daily, Hour: 3, EndHour: 3, EndMinute: 20},
		{ID: 6, Type: maintenance.InstanceGroupSDT, InstanceGroupID: 1, Comment: "Backups fill the uplinks",
			Timezone:   "Europe/Berlin",
			Recurrence: maintenance.Weekly, WeekDay: "Monday,Thursday", Hour: 23, EndHour: 5},
		{ID: 7, Type: maintenance.CollectorSDT, CollectorID: ground.BuiltInCollector,
			Comment: "The portal moves to another machine", Timezone: "Europe/Berlin",
			Recurrence: maintenance.OneTime, Start: at(5 * day), End: at(5*day + 2*hours)},
		{ID: 8, Type: maintenance.GroupSDT, GroupID: preProduction, Comment: "Not monitored at night",
			Timezone:   "America/Chicago",
			Recurrence: maintenance.Daily, Hour: 20, EndHour: 6},
		{ID: 9, Type: maintenance.DeviceSDT, DeviceID: 1, Comment: "New cables in the rack",
			Timezone:   "Europe/Berlin",
			Recurrence: maintenance.OneTime, Start: at(-31*day - 3*hours), End: at(-31 * day)},
	}
}

// sdts adds maintenance windows and their history. A company that is too small
// for one of them has the others.
func (f *filler) sdts() error {
	ctx, tx := f.write.Context, f.write.Tx
	for _, s := range f.maintenance() {
		there, err := f.there(&s)
		if err != nil {
			return err
		}
		if !there {
			continue
		}
		if s.Recurrence != maintenance.OneTime {
			s.Start = resource.Millis(f.ago(2*remembered)) * 1000
			s.Duration = ((s.EndHour*60+s.EndMinute-s.Hour*60-s.Minute)%1440 + 1440) % 1440
		}
		if err := add(f, &maintenance.SDTs, &s, func(s *maintenance.SDT) { s.Admin = "operator" }); err != nil {
			return err
		}
		s.ClosedTo, s.DueOn = resource.Millis(f.ago(remembered))*1000, 1
		if err := resource.Put(ctx, tx, maintenance.SDTs.Name, &s); err != nil {
			return err
		}
	}
	for more := true; more; {
		var err error
		if more, err = maintenance.CloseWindows(ctx, tx, time.Unix(int64(f.now), 0)); err != nil {
			return err
		}
	}
	return nil
}

// there reports whether the target of the maintenance exists.
func (f *filler) there(s *maintenance.SDT) (bool, error) {
	ctx, tx, err := f.write.Context, f.write.Tx, error(nil)
	switch s.Type {
	case maintenance.DeviceSDT:
		_, err = resource.Get(ctx, tx, fleet.Devices.Name, s.DeviceID)
	case maintenance.DeviceDataSourceSDT:
		_, err = resource.Get(ctx, tx, fleet.DeviceDataSources.Name, s.DeviceDataSourceID)
	case maintenance.InstanceSDT:
		_, err = resource.Get(ctx, tx, fleet.Instances.Name, s.InstanceID)
	case maintenance.InstanceGroupSDT:
		_, err = resource.Get(ctx, tx, fleet.InstanceGroups.Name, s.InstanceGroupID)
	}
	if fault.Is(err, fault.Unknown) {
		return false, nil
	}
	return err == nil, err
}
