package demo

import (
	"time"

	"spyglass/backend/fault"
	"spyglass/backend/portal"
	"spyglass/backend/resource"
)

// remembered is how far the history of maintenance goes back.
const remembered = 45 // days

// maintenance is a window of each sort; the third is in effect. That of a
// device that comes again is of none that an incident picks by itself: nobody
// would be told.
func (f *filler) maintenance() []portal.SDT {
	at := func(from resource.Seconds) resource.Millis { return resource.Millis(f.now+from) * 1000 }
	const minutes, hours = 60, 3600
	return []portal.SDT{
		{ID: 1, Type: portal.GroupSDT, GroupID: linux, Comment: "Patch night", Timezone: "Europe/Berlin",
			Recurrence: portal.MonthlyByWeek, WeekDay: "Tuesday", WeekOfMonth: "Second", Hour: 2, EndHour: 4},
		{ID: 2, Type: portal.DeviceSDT, DeviceID: 2, Comment: "Firmware and restarts, one side at a time", Timezone: "Europe/Oslo",
			Recurrence: portal.Weekly, WeekDay: "Sunday", Hour: 22, EndHour: 0},
		{ID: 3, Type: portal.DeviceSDT, DeviceID: 5, Comment: "The power supply is being replaced", Timezone: "Europe/Berlin",
			Recurrence: portal.OneTime, Start: at(-40 * minutes), End: at(80 * minutes)},
		{ID: 4, Type: portal.DeviceDataSourceSDT, DeviceDataSourceID: 1, Comment: "Counters are read out for the books", Timezone: "Europe/Berlin",
			Recurrence: portal.Monthly, MonthDay: 1, Hour: 1, EndHour: 1, EndMinute: 30},
		{ID: 5, Type: portal.InstanceSDT, InstanceID: 1, Comment: "The carrier tests the line", Timezone: "Europe/Berlin",
			Recurrence: portal.Daily, Hour: 3, EndHour: 3, EndMinute: 20},
		{ID: 6, Type: portal.InstanceGroupSDT, InstanceGroupID: 1, Comment: "Backups fill the uplinks", Timezone: "Europe/Berlin",
			Recurrence: portal.Weekly, WeekDay: "Monday,Thursday", Hour: 23, EndHour: 5},
		{ID: 7, Type: portal.CollectorSDT, CollectorID: portal.BuiltInCollector, Comment: "The portal moves to another machine", Timezone: "Europe/Berlin",
			Recurrence: portal.OneTime, Start: at(5 * day), End: at(5*day + 2*hours)},
		{ID: 8, Type: portal.GroupSDT, GroupID: preProduction, Comment: "Nobody looks at it at night", Timezone: "America/Chicago",
			Recurrence: portal.Daily, Hour: 20, EndHour: 6},
		{ID: 9, Type: portal.DeviceSDT, DeviceID: 1, Comment: "New cables in the rack, over since", Timezone: "Europe/Berlin",
			Recurrence: portal.OneTime, Start: at(-31*day - 3*hours), End: at(-31 * day)},
	}
}

// sdts adds maintenance, and what of it has passed. A company that is too small
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
		if s.Recurrence != portal.OneTime {
			s.Start = resource.Millis(f.ago(2*remembered)) * 1000
			s.Duration = ((s.EndHour*60+s.EndMinute-s.Hour*60-s.Minute)%1440 + 1440) % 1440
		}
		if err := add(f, &portal.SDTs, &s, func(s *portal.SDT) { s.Admin = "operator" }); err != nil {
			return err
		}
		s.ClosedTo, s.DueOn = resource.Millis(f.ago(remembered))*1000, 1
		if err := resource.Put(ctx, tx, portal.SDTs.Name, &s); err != nil {
			return err
		}
	}
	for more := true; more; {
		var err error
		if more, err = portal.CloseWindows(ctx, tx, time.Unix(int64(f.now), 0)); err != nil {
			return err
		}
	}
	return nil
}

// there reports whether the company has what the maintenance is for.
func (f *filler) there(s *portal.SDT) (bool, error) {
	ctx, tx, err := f.write.Context, f.write.Tx, error(nil)
	switch s.Type {
	case portal.DeviceSDT:
		_, err = resource.Get(ctx, tx, portal.Devices.Name, s.DeviceID)
	case portal.DeviceDataSourceSDT:
		_, err = resource.Get(ctx, tx, portal.DeviceDataSources.Name, s.DeviceDataSourceID)
	case portal.InstanceSDT:
		_, err = resource.Get(ctx, tx, portal.Instances.Name, s.InstanceID)
	case portal.InstanceGroupSDT:
		_, err = resource.Get(ctx, tx, portal.InstanceGroups.Name, s.InstanceGroupID)
	}
	if fault.Is(err, fault.Unknown) {
		return false, nil
	}
	return err == nil, err
}
