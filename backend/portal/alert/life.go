package alert

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"spyglass/backend/fault"
	"spyglass/backend/portal/collector"
	"spyglass/backend/portal/datasource"
	"spyglass/backend/portal/fleet"
	"spyglass/backend/portal/ground"
	"spyglass/backend/portal/maintenance"
	"spyglass/backend/portal/setting"
	"spyglass/backend/portal/threshold"
	"spyglass/backend/resource"
)

// Finding is the result of evaluating one data point of an instance, a condition
// of a collector, or a group's cluster alert. Exactly one of these is set.
type Finding struct {
	InstanceID  int64
	DataPointID int64
	CollectorID int64
	Condition   string // of the collector; ConditionHeartbeat when empty
	ClusterID   int64
	Note        string // of a cluster alert: "3 of 4 devices"
	Severity    int64  // for Raise
	Value       string
	Reason      string // for Raise: the explanation, in a sentence; the alert keeps it
	Threshold   string // what the value was held against, "> 60 80 90"
	At          resource.Seconds
}

// Raise opens an alert, or changes the severity of the active one of that data
// point, which keeps its id and its history. An alert that gets worse is no
// longer acknowledged. changed is false if it already had that severity.
//
// Raise returns nil if alerting is disabled for the instance, its device or a
// group above, or if one of them was deleted; an active alert there clears.
func Raise(ctx context.Context, tx resource.Tx, f *Finding) (a *Alert, changed bool, err error) {
	about, err := findingOf(ctx, tx, f)
	if err != nil {
		return nil, false, err
	}
	if a, err = activeAlert(ctx, tx, f); err != nil {
		return nil, false, err
	}
	if about == nil {
		if a == nil {
			return nil, false, nil
		}
		return nil, true, clearAlert(ctx, tx, a, f, "cleared, because alerting is disabled")
	}
	switch {
	case a == nil:
		if a, err = about.open(ctx, tx, f); err != nil {
			return nil, false, err
		}
	case a.Severity == f.Severity:
		return a, false, nil
	default:
		a.turn(f)
	}
	if err := a.route(ctx, tx, about.device, f.At); err != nil {
		return nil, false, err
	}
	return a, true, SaveAlert(ctx, tx, a)
}

// Clear ends the active alert of a data point; it returns nil if there is none.
func Clear(ctx context.Context, tx resource.Tx, f *Finding) (*Alert, error) {
	a, err := activeAlert(ctx, tx, f)
	if err != nil || a == nil {
		return nil, err
	}
	return a, clearAlert(ctx, tx, a, f, "cleared")
}

// ClearAlerts ends the active alerts that meet all conditions; why is the reason:
// "the device was deleted".
func ClearAlerts(ctx context.Context, tx resource.Tx, at resource.Seconds, why string, where ...resource.Where) error {
	alerts, err := resource.Find(ctx, tx, alertRows, append(slices.Clone(where), active)...)
	for i := range alerts {
		if err == nil {
			err = clearAlert(ctx, tx, &alerts[i], &Finding{At: at}, "cleared, because "+why)
		}
	}
	return err
}

// CoverAlerts updates which maintenance windows cover each active alert, or only
// those with these ids. It writes only changed alerts.
func CoverAlerts(ctx context.Context, tx resource.Tx, now time.Time, ids ...int64) error {
	where := []resource.Where{active}
	if len(ids) > 0 {
		where = append(where, resource.Where{Field: "id", Op: "in", Value: ids})
	}
	news, err := newlyCovered(ctx, tx, now, where)
	for i := range news {
		if err == nil {
			err = SaveAlert(ctx, tx, &news[i])
		}
	}
	return err
}

// AlertsToCover returns the ids of the alerts that CoverAlerts would write. It
// reads outside the write transaction.
func AlertsToCover(ctx context.Context, r resource.Reader, now time.Time) ([]int64, error) {
	news, err := newlyCovered(ctx, r, now, []resource.Where{active})
	ids := make([]int64, len(news))
	for i := range news {
		ids[i] = int64(news[i].ID)
	}
	return ids, err
}

func newlyCovered(ctx context.Context, r resource.Reader, now time.Time, where []resource.Where) (news []Alert,
	err error) {
	alerts, err := resource.Find(ctx, r, alertRows, where...)
	if err != nil {
		return nil, err
	}
	devices, err := byID(ctx, r, fleet.DeviceRows, alerts, func(a *Alert) int64 { return a.DeviceID },
		func(d *fleet.Device) int64 { return d.ID })
	if err != nil {
		return nil, err
	}
	instances, err := byID(ctx, r, fleet.InstanceRows, alerts, func(a *Alert) int64 { return a.InstanceID },
		func(i *fleet.Instance) int64 { return i.ID })
	if err != nil {
		return nil, err
	}
	for i := range alerts {
		a := &alerts[i]
		differs, err := a.cover(ctx, r, devices[a.DeviceID], instances[a.InstanceID], now)
		if err != nil {
			return nil, err
		}
		if differs {
			news = append(news, *a)
		}
	}
	return news, nil
}

// cover records which maintenance windows are in effect, and reports whether that
// has changed.
func (a *Alert) cover(ctx context.Context, r resource.Reader, d *fleet.Device, i *fleet.Instance,
	now time.Time) (news bool, err error) {
	of := maintenance.Watched{DeviceID: a.DeviceID, DataSourceID: a.DataSourceID,
		DeviceDataSourceID: a.DeviceDataSourceID,
		InstanceID:         a.InstanceID, CollectorID: a.CollectorID, GroupIDs: resource.IDs{}}
	if d != nil {
		of.GroupIDs = append(of.GroupIDs, d.GroupIDs...)
	}
	if a.GroupID > 0 {
		of.GroupIDs = resource.IDs{a.GroupID}
	}
	if i != nil {
		of.InstanceGroupID = i.GroupID
	}
	windows, err := maintenance.InMaintenance(ctx, r, of, now)
	if err != nil {
		return false, err
	}
	ids := make([]resource.TextID, len(windows))
	for k := range windows {
		ids[k] = windows[k].ID
	}
	joined, was := maintenance.JoinSDTs(ids), a.SDTed
	if joined == a.SDTIDs {
		return false, nil
	}
	a.SDTIDs, a.SDTed = joined, len(ids) > 0
	if a.SDTed {
		a.note(ground.SystemUser, resource.SecondsOf(now), "covered by maintenance "+joined)
	} else if was {
		a.note(ground.SystemUser, resource.SecondsOf(now), "no longer covered by maintenance")
	}
	return true, nil
}

// PruneAlerts deletes alerts that cleared before the retention period of the
// portal's settings, and notices of that age, a thousand at a time. It reports
// whether there may be more.
func PruneAlerts(ctx context.Context, tx resource.Tx, now time.Time) (more bool, err error) {
	const most = 1000
	s, err := resource.Get(ctx, tx, setting.SettingRows, setting.SettingID)
	if err != nil || s.AlertDays < 1 {
		return false, err
	}
	before := now.AddDate(0, 0, -int(s.AlertDays)).Unix()
	if err := resource.DeleteAll(ctx, tx, deliveryRows, resource.Where{Field: "createdOn", Op: "<", Value: before},
		resource.Limit(most)); err != nil {
		return false, err
	}
	old := resource.Where{Field: "endEpoch", Op: "<", Value: before}
	ended := resource.Where{Field: "endEpoch", Op: ">", Value: int64(0)}
	alerts, err := resource.Find(ctx, tx, alertRows, ended, old, resource.Limit(most))
	if err != nil || len(alerts) == 0 {
		return false, err
	}
	return len(alerts) == most, resource.DeleteAll(ctx, tx, alertRows, ended, old, resource.Limit(most))
}

var active = resource.Where{Field: "cleared", Op: "=", Value: false}

// activeAlert returns the active alert of a finding's data point, collector or
// group, or nil.
func activeAlert(ctx context.Context, r resource.Reader, f *Finding) (*Alert, error) {
	where := []resource.Where{active, {Field: "instanceId", Op: "=", Value: f.InstanceID},
		{Field: "dataPointId", Op: "=", Value: f.DataPointID}}
	switch {
	case f.CollectorID > 0:
		where = []resource.Where{active, {Field: "collectorId", Op: "=", Value: f.CollectorID},
			ofCondition(f.Condition)}
	case f.ClusterID > 0:
		where = []resource.Where{active, {Field: "clusterAlertConfId", Op: "=", Value: f.ClusterID}}
	}
	alerts, err := resource.Find(ctx, r, alertRows, where...)
	if err != nil || len(alerts) == 0 {
		return nil, err
	}
	return &alerts[0], nil
}

// foundAt holds the objects of a finding: its instance, collector or group.
type foundAt struct {
	device    *fleet.Device // nil for a collector or a group
	instance  *fleet.Instance
	source    *datasource.DataSource
	point     *datasource.DataPoint
	collector *collector.Collector
	group     *fleet.Group
}

// findingOf looks up the objects of a finding; it returns nil if no alert may
// open.
func findingOf(ctx context.Context, r resource.Reader, f *Finding) (*foundAt, error) {
	about, err := lookUp(ctx, r, f)
	if fault.Is(err, fault.Unknown) {
		return nil, nil
	}
	if err != nil || about.collector != nil {
		return about, err
	}
	if about.group != nil { // cluster alerts have their own switch
		return about, nil
	}
	tree, err := fleet.TreeOf(ctx, r)
	if err != nil || about.instance.DisableAlerting || about.device.DisableAlerting ||
		fleet.DisablingGroup(about.device,
			tree) != nil {
		return nil, err
	}
	return about, nil
}

func lookUp(ctx context.Context, r resource.Reader, f *Finding) (about *foundAt, err error) {
	about = &foundAt{}
	if f.CollectorID > 0 {
		about.collector, err = resource.Get(ctx, r, collector.CollectorRows, f.CollectorID)
		return about, err
	}
	if f.ClusterID > 0 {
		return about, about.lookUpGroup(ctx, r, f)
	}
	if about.instance, err = resource.Get(ctx, r, fleet.InstanceRows, f.InstanceID); err != nil {
		return nil, err
	}
	if about.device, err = resource.Get(ctx, r, fleet.DeviceRows, about.instance.DeviceID); err != nil {
		return nil, err
	}
	sources, err := datasource.ByID(ctx, r)
	if err != nil {
		return nil, err
	}
	if about.source = sources[about.instance.DataSourceID]; about.source == nil {
		return nil, fault.New(fault.Unknown, "there is no data source %d", about.instance.DataSourceID)
	}
	i := slices.IndexFunc(about.source.DataPoints, func(p datasource.DataPoint) bool { return p.ID == f.DataPointID })
	if i < 0 {
		return nil, fault.New(fault.Unknown, "there is no data point %d", f.DataPointID)
	}
	about.point = &about.source.DataPoints[i]
	return about, nil
}

// open returns a new alert of a finding.
func (at *foundAt) open(ctx context.Context, r resource.Reader, f *Finding) (*Alert, error) {
	a := &Alert{Type: DataSourceAlert, ObjectType: "device", Severity: f.Severity, StartOn: f.At, Value: f.Value,
		Reason: f.Reason, Threshold: f.Threshold}
	switch {
	case at.collector != nil:
		a.ofCollector(at.collector, f.Condition)
	case at.group != nil:
		a.Type, a.ObjectType, a.GroupID, a.DeviceName, a.ClusterID, a.InstanceNote = GroupAlert, "deviceGroup",
			at.group.ID, at.group.Path(), f.ClusterID, f.Note
		a.DataSourceID, a.DataSourceName = at.source.ID, at.source.Name
		a.DataPointID, a.DataPointName = at.point.ID, at.point.Name
	default:
		a.DeviceID, a.DeviceName = at.device.ID, at.device.DisplayName
		a.DataSourceID, a.DataSourceName, a.DeviceDataSourceID = at.source.ID, at.source.Name,
			at.instance.DeviceDataSourceID
		a.InstanceID, a.InstanceName, a.InstanceNote = at.instance.ID, at.instance.Name, at.instance.Description
		a.DataPointID, a.DataPointName = at.point.ID, at.point.Name
	}
	a.note(ground.SystemUser, f.At, because("opened as "+threshold.LevelWords[f.Severity], f.Reason))
	_, err := a.cover(ctx, r, at.device, at.instance, time.Unix(int64(f.At), 0))
	return a, err
}

// turn changes the severity of an active alert.
func (a *Alert) turn(f *Finding) {
	worse := f.Severity > a.Severity
	text := fmt.Sprintf("%s became %s", threshold.LevelWords[a.Severity], threshold.LevelWords[f.Severity])
	a.Severity, a.Value, a.Reason, a.Threshold = f.Severity, f.Value, f.Reason, f.Threshold
	if f.ClusterID > 0 {
		a.InstanceNote = f.Note
	}
	if worse && a.Acked {
		a.unacknowledge()
		text += ", and is no longer acknowledged"
	}
	a.note(ground.SystemUser, f.At, because(text, f.Reason))
}

// because appends a reason, if there is one, to the description of an event.
func because(text, reason string) string {
	if reason == "" {
		return text
	}
	return text + ": " + reason
}

func clearAlert(ctx context.Context, tx resource.Tx, a *Alert, f *Finding, text string) error {
	a.Cleared, a.EndOn, a.ClearValue, a.ClearExpr = true, max(f.At, a.StartOn), f.Value, f.Threshold
	a.note(ground.SystemUser, f.At, text)
	return SaveAlert(ctx, tx, a)
}

// SaveAlert writes an alert, and updates its device.
func SaveAlert(ctx context.Context, tx resource.Tx, a *Alert) error {
	if err := resource.Put(ctx, tx, alertRows, a); err != nil {
		return err
	}
	return keepStatus(ctx, tx, a.DeviceID)
}

// keepStatus updates a device's fleet.AlertStatus from its active alerts.
func keepStatus(ctx context.Context, tx resource.Tx, device int64) error {
	if device == 0 {
		return nil
	}
	d, err := resource.Lookup(ctx, tx, fleet.DeviceRows, device)
	if err != nil || d == nil { // a deleted device has no status
		return err
	}
	alerts, err := resource.Find(ctx, tx, alertRows, active,
		resource.Where{Field: "monitorObjectId", Op: "=", Value: device})
	if err != nil {
		return err
	}
	status := AlertStatus(alerts)
	if d.AlertStatus == status {
		return nil
	}
	d.SetAlertStatus(status)
	return resource.Put(ctx, tx, fleet.DeviceRows, d)
}

// AlertStatus summarizes the active alerts by the worst of them: confirmed if all
// of these are acknowledged, sdt if maintenance covers all of them.
func AlertStatus(alerts []Alert) string {
	worst, acked, covered := int64(0), true, true
	for _, a := range alerts {
		if a.Cleared || a.Severity < worst {
			continue
		}
		if a.Severity > worst {
			worst, acked, covered = a.Severity, true, true
		}
		acked, covered = acked && a.Acked, covered && a.SDTed
	}
	if worst == 0 {
		return fleet.NoAlerts
	}
	status := []string{"unconfirmed", threshold.LevelWords[worst], "none"}
	if acked {
		status[0] = "confirmed"
	}
	if covered {
		status[2] = "sdt"
	}
	return strings.Join(status, "-")
}

// clearRemoved clears the alerts of objects that are about to be deleted.
func clearRemoved(ctx context.Context, tx resource.Tx, gone fleet.Removed) error {
	where := []resource.Where{{Field: "monitorObjectId", Op: "=", Value: gone.DeviceID}}
	if gone.DeviceDataSourceID > 0 {
		where = append(where, resource.Where{Field: "resourceId", Op: "=", Value: gone.DeviceDataSourceID})
	}
	if gone.InstanceID > 0 {
		where = append(where, resource.Where{Field: "instanceId", Op: "=", Value: gone.InstanceID})
	}
	return ClearAlerts(ctx, tx, gone.At, gone.Why, where...)
}

func integer(n int64) string { return strconv.FormatInt(n, 10) }
