package maintenance

import (
	"context"
	"time"

	"spyglass/backend/portal/collector"
	"spyglass/backend/portal/fleet"
	"spyglass/backend/portal/ground"
	"spyglass/backend/portal/setting"
	"spyglass/backend/resource"
)

// sdtHistoryRows names the rows of SDTHistory.
const sdtHistoryRows resource.Name[*SDTHistory] = "sdtHistory"

// SDTHistory is a window of a maintenance that has ended.
type SDTHistory struct {
	ID       resource.TextID
	SDTID    int64
	ItemID   int64 // the target: a device, group …
	Type     string
	Admin    string
	Comment  string
	Start    resource.Seconds
	End      resource.Seconds
	Duration int64 // minutes

	DeviceID, GroupID, DeviceDataSourceID, InstanceID, InstanceGroupID, CollectorID int64
}

// SDTHistories declares the lists of past maintenance. Rows are written by
// CloseWindows, and when a maintenance in effect is changed or deleted.
var SDTHistories = resource.Resource[*SDTHistory]{
	Name: sdtHistoryRows, Label: "past maintenance window", Sample: 1, Object: resource.DeviceGroup,
	Scope: []string{"deviceId", "deviceGroupId", "collectorId"},
	Doc:   "A maintenance window that has ended.",
	Without: []resource.Verb{resource.OnList, resource.OnGet, resource.OnCreate, resource.OnReplace, resource.OnPatch,
		resource.OnDelete},
	Fields: []resource.Field[*SDTHistory]{
		{Name: "id", At: func(h *SDTHistory) any { return &h.ID }, Doc: "Set by the portal", ReadOnly: true,
			Example: "1"},
		{Name: "itemId", At: func(h *SDTHistory) any { return &h.ItemID },
			Doc: "Id of the device, group or other object it was for; see type", ReadOnly: true, Example: 1},
		{Name: "type", At: func(h *SDTHistory) any { return &h.Type }, Doc: "Target of the maintenance", ReadOnly: true,
			Example: DeviceSDT},
		{Name: "admin", At: func(h *SDTHistory) any { return &h.Admin }, Doc: "Who added it", ReadOnly: true,
			Example: "operator"},
		{Name: "comment", At: func(h *SDTHistory) any { return &h.Comment },
			Doc: "What the maintenance was for", ReadOnly: true,
			Example: "Firmware of the core switches"},
		{Name: "approximateStartEpoch", At: func(h *SDTHistory) any { return &h.Start }, Doc: "When it began",
			ReadOnly: true,
			Index:    true, Example: 1790000000},
		{Name: "approximateEndEpoch", At: func(h *SDTHistory) any { return &h.End }, Doc: "When it ended",
			ReadOnly: true,
			Index:    true, Example: 1790005400},
		{Name: "duration", At: func(h *SDTHistory) any { return &h.Duration }, Doc: "Minutes that it lasted",
			ReadOnly: true,
			Example:  90},
		{Name: "sdtId", At: func(h *SDTHistory) any { return &h.SDTID }, Doc: "The maintenance window, which may " +
			"be gone",
			ReadOnly: true, WriteOnly: true},
		wasFor("deviceId", fleet.DeviceRows, func(h *SDTHistory) *int64 { return &h.DeviceID }),
		wasFor("deviceGroupId", fleet.GroupRows, func(h *SDTHistory) *int64 { return &h.GroupID }),
		wasFor("deviceDataSourceId", fleet.DeviceDataSourceRows,
			func(h *SDTHistory) *int64 { return &h.DeviceDataSourceID }),
		wasFor("dataSourceInstanceId", fleet.InstanceRows, func(h *SDTHistory) *int64 { return &h.InstanceID }),
		wasFor("deviceDataSourceInstanceGroupId", fleet.InstanceGroupRows,
			func(h *SDTHistory) *int64 { return &h.InstanceGroupID }),
		wasFor("collectorId", collector.CollectorRows, func(h *SDTHistory) *int64 { return &h.CollectorID }),
	},
	Lists: []resource.Listing{
		{Path: "/device/devices/{id}/historysdts", Category: ground.CategoryDevices,
			Summary: "List past maintenance windows of a device",
			Doc:     "Returns the maintenance windows of the device itself that have ended, one page at a time.",
			Of:      string(fleet.DeviceRows), Param: "id", Where: pastOf(DeviceSDT), Sample: 1},
		{Path: "/device/groups/{id}/historysdts", Category: ground.CategoryGroups,
			Summary: "List past maintenance windows of a group",
			Doc:     "Returns the maintenance windows of the device group itself that have ended, one page at a time.",
			Of:      string(fleet.GroupRows), Param: "id", Where: pastOf(GroupSDT), Sample: 8},
		{Path: "/device/devices/{deviceId}/devicedatasources/{id}/historysdts", Category: ground.CategoryDevices,
			Summary: "List past maintenance windows of a device datasource",
			Doc: "Returns the maintenance windows of the data source on the device that have ended, one page at " +
				"a time.",
			Of: string(fleet.DeviceDataSourceRows), Param: "id", Where: pastOf(DeviceDataSourceSDT), Sample: 1,
			Above: []resource.Parent{{Of: string(fleet.DeviceRows), Param: "deviceId", Sample: 1}}},
		{Path: "/device/devices/{deviceId}/devicedatasources/{hdsId}/instances/{id}/historysdts",
			Category: ground.CategoryDevices, Summary: "List past maintenance windows of an instance",
			Doc: "Returns the maintenance windows of the instance that have ended, one page at a time.",
			Of:  string(fleet.InstanceRows), Param: "id", Where: pastOf(InstanceSDT), Sample: 1,
			Above: []resource.Parent{{Of: string(fleet.DeviceRows), Param: "deviceId", Sample: 1},
				{Of: string(fleet.DeviceDataSourceRows), Param: "hdsId", Sample: 1}}},
	},
}

// wasFor returns a hidden field that only links the row to its target.
func wasFor[T any](name string, to resource.Name[*T], at func(*SDTHistory) *int64) resource.Field[*SDTHistory] {
	return resource.Field[*SDTHistory]{Name: name, At: func(h *SDTHistory) any { return at(h) }, Doc: "Target of the " +
		"maintenance",
		ReadOnly: true, WriteOnly: true, Refs: string(to), Cascade: true, Index: true}
}

func pastOf(kind string) func(context.Context, resource.Reader, int64) ([]resource.Where, error) {
	return func(_ context.Context, _ resource.Reader, id int64) ([]resource.Where, error) {
		field := map[string]string{DeviceSDT: "deviceId", GroupSDT: "deviceGroupId",
			DeviceDataSourceSDT: "deviceDataSourceId", InstanceSDT: "dataSourceInstanceId"}[kind]
		return []resource.Where{{Field: field, Op: "=", Value: id}, {Field: "type", Op: "=", Value: kind}}, nil
	}
}

// Limits of one transaction: the maintenance windows, and the past windows of
// each. Other writes need not wait for long.
const closedAtOnce, pastAtOnce = 50, 100

// CloseWindows adds windows that have ended to the history, each once, however
// late it is called. more means that there are further windows for another
// transaction.
func CloseWindows(ctx context.Context, tx resource.Tx, now time.Time) (more bool, err error) {
	at := resource.MillisOf(now)
	due, err := resource.Find(ctx, tx, SDTRows, resource.Where{Field: "dueOn", Op: ">", Value: 0},
		resource.Where{Field: "dueOn", Op: "<=", Value: int64(at)}, resource.Limit(closedAtOnce))
	if err != nil {
		return false, err
	}
	home := setting.ZoneOf(ctx, tx)
	for i := range due {
		s := &due[i]
		if err := closeSDT(ctx, tx, s, at, false); err != nil {
			return false, err
		}
		s.DueOn = s.dueAfter(home)
		more = more || s.DueOn > 0 && s.DueOn <= at
		if err := resource.Put(ctx, tx, SDTRows, s); err != nil {
			return false, err
		}
	}
	return more || len(due) == closedAtOnce, nil
}

// closeSDT writes the windows of s that have ended since ClosedTo, and updates
// ClosedTo. If cut is set, the one in effect ends now.
func closeSDT(ctx context.Context, tx resource.Tx, s *SDT, now resource.Millis, cut bool) error {
	schedule, from := s.Schedule(setting.ZoneOf(ctx, tx)), time.UnixMilli(int64(s.ClosedTo))
	end := time.UnixMilli(int64(now))
	w, ok := schedule.At(from)
	if !ok {
		w, ok = schedule.Next(from)
	}
	for n := 0; ok && (cut || n < pastAtOnce) && w.Begin.Before(end) && (cut || !w.End.After(end)); n++ {
		if w.Begin.Before(from) {
			w.Begin = from
		}
		until := w.End
		if until.After(end) {
			until = end
		}
		if err := s.remember(ctx, tx, w.Begin, until); err != nil {
			return err
		}
		s.ClosedTo = resource.MillisOf(until)
		w, ok = schedule.Next(until.Add(-time.Millisecond))
	}
	return nil
}

// dueAfter returns the end of the first window that is not in the history yet; 0
// for none.
func (s *SDT) dueAfter(home *time.Location) resource.Millis {
	schedule, from := s.Schedule(home), time.UnixMilli(int64(s.ClosedTo))
	if w, ok := schedule.At(from); ok {
		return resource.MillisOf(w.End)
	}
	if w, ok := schedule.Next(from); ok {
		return resource.MillisOf(w.End)
	}
	return 0
}

// remember adds one window to the history, unless it lasted less than a second.
func (s *SDT) remember(ctx context.Context, tx resource.Tx, begin, end time.Time) error {
	h := SDTHistory{
		SDTID: int64(s.ID), ItemID: s.itemID(), Type: s.Type, Admin: s.Admin, Comment: s.Comment,
		Start: resource.SecondsOf(begin), End: resource.SecondsOf(end), Duration: int64(end.Sub(begin) / time.Minute),
		DeviceID: s.DeviceID, GroupID: s.GroupID, DeviceDataSourceID: s.DeviceDataSourceID, InstanceID: s.InstanceID,
		InstanceGroupID: s.InstanceGroupID, CollectorID: s.CollectorID,
	}
	if h.Start == h.End {
		return nil
	}
	return resource.Put(ctx, tx, sdtHistoryRows, &h)
}

// PruneSDTHistory deletes the oldest past maintenance windows that ended before
// the retention period of alerts, and reports whether there may be more.
func PruneSDTHistory(ctx context.Context, tx resource.Tx, now time.Time) (more bool, err error) {
	s, err := resource.Lookup(ctx, tx, setting.SettingRows, setting.SettingID)
	if err != nil || s == nil { // a portal that is being created keeps everything
		return false, err
	}
	old := resource.Where{Field: "approximateEndEpoch", Op: "<", Value: now.AddDate(0, 0, -int(s.AlertDays)).Unix()}
	found, err := resource.Find(ctx, tx, sdtHistoryRows, old, resource.Limit(pastAtOnce))
	for i := range found {
		if err == nil {
			err = resource.Delete(ctx, tx, sdtHistoryRows, int64(found[i].ID))
		}
	}
	return len(found) == pastAtOnce, err
}
