package story

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"spyglass/backend/fault"
	"spyglass/backend/portal/alert"
	"spyglass/backend/portal/datasource"
	"spyglass/backend/portal/fleet"
	"spyglass/backend/portal/threshold"
	"spyglass/backend/resource"
)

// teller assembles one story.
type teller struct {
	*Service
	who     *resource.Access
	now     int64
	sources map[int64]*datasource.DataSource
	tree    *fleet.Tree
	story   *Story
	cause   *IncidentAlert
	devices map[int64]*fleet.Device
	order   []int64 // ids of devices, that of the cause first
}

// Tell returns the story of an alert for a user.
func (s *Service) Tell(ctx context.Context, who *resource.Access, at time.Time, id int64) (*Story, error) {
	t := &teller{Service: s, who: who, now: at.Unix(), devices: map[int64]*fleet.Device{}}
	t.story = &Story{ID: id, Now: t.now, Alerts: []IncidentAlert{}, Devices: []IncidentDevice{},
		Events: []IncidentEvent{}, Withheld: []IncidentWithheld{}}
	var err error
	if t.sources, err = datasource.ByID(ctx, s.o.DB); err != nil {
		return nil, err
	}
	if t.tree, err = fleet.TreeOf(ctx, s.o.DB); err != nil {
		return nil, err
	}
	found, err := t.findAlerts(ctx, resource.Where{Field: "id", Op: "=", Value: id})
	if err != nil {
		return nil, err
	}
	if len(found) == 0 {
		return nil, fault.New(fault.Unknown, "there is no alert %d", id)
	}
	for _, step := range []func(context.Context, *IncidentAlert) error{t.findCause, t.findDevices, t.findBelonging} {
		if err := step(ctx, &found[0]); err != nil {
			return nil, err
		}
	}
	for _, step := range []func(context.Context) error{t.findSilence, t.tellAlerts, t.findNotices, t.findMaintenance,
		t.findChanges, t.findOpsNotes, t.draw} {
		if err := step(ctx); err != nil {
			return nil, err
		}
	}
	t.finish()
	return t.story, nil
}

// find reads at most limit rows that the caller may view.
func find[T any](ctx context.Context, t *teller, name resource.Name[*T], limit int64,
	where ...resource.Where) ([]T, error) {
	return resource.Find(ctx, t.o.DB, name, append(slices.Clone(where), resource.SeenBy(t.who, resource.Read),
		resource.Limit(limit))...)
}

// findAlerts reads alerts, the first one first.
func (t *teller) findAlerts(ctx context.Context, where ...resource.Where) ([]IncidentAlert, error) {
	rows, err := find(ctx, t, alert.Alerts.Name, 5*mostAlerts, where...)
	all := make([]IncidentAlert, len(rows))
	for i := range rows {
		all[i] = t.alertOf(&rows[i])
	}
	slices.SortStableFunc(all, func(a, b IncidentAlert) int { return cmp.Compare(a.Start, b.Start) })
	return all, err
}

func (t *teller) alertOf(a *alert.Alert) IncidentAlert {
	out := IncidentAlert{
		ID: int64(a.ID), Relation: "related", Severity: a.Severity, DeviceID: a.DeviceID, Device: a.DeviceName,
		DataSource: a.DataSourceName, Instance: instanceOf(a.InstanceName, a.DataSourceName),
		DataPoint: a.DataPointName,
		Value:     a.Value, Threshold: a.Threshold, Reason: a.Reason, Start: int64(a.StartOn), End: int64(a.EndOn),
		Acked: a.Acked, AckedBy: a.AckedBy, AckedOn: int64(a.AckedOn), AckComment: a.AckComment, Maintenance: a.SDTed,
		Notified: a.Received, InstanceID: a.InstanceID, DeviceDataSourceID: a.DeviceDataSourceID,
		dataSource: a.DataSourceID, dataPoint: a.DataPointID, collector: a.CollectorID, group: a.GroupID,
		level: threshold.LevelWords[a.Severity], sdts: a.SDTIDs,
	}
	if source := t.sources[a.DataSourceID]; source != nil && a.Type == alert.DataSourceAlert {
		out.Unit = source.UnitOf(a.DataPointName)
	}
	for _, n := range a.Notes {
		out.notes = append(out.notes, note{n.By, int64(n.On), n.Text})
	}
	return out
}

// instanceOf returns the name of an instance without that of its data source.
func instanceOf(instance, source string) string {
	if instance == source {
		return ""
	}
	return strings.TrimPrefix(instance, source+"-")
}

// activeUntil returns the end of an alert, which is now while it is active.
func (t *teller) activeUntil(a *IncidentAlert) int64 {
	if a.End == 0 {
		return max(t.now, a.Start)
	}
	return a.End
}

// during returns the conditions for alerts that were active at some time in a
// period.
func during(from, to int64) []resource.Where {
	return []resource.Where{
		{Field: "startEpoch", Op: "<=", Value: to},
		resource.Either(resource.Where{Field: "cleared", Op: "=", Value: false},
			resource.Where{Field: "endEpoch", Op: ">=", Value: from}),
	}
}

func in(field string, ids []int64) resource.Where {
	return resource.Where{Field: field, Op: "in", Value: ids}
}

func equal(field string, value any) resource.Where {
	return resource.Where{Field: field, Op: "=", Value: value}
}

// findCause finds the alert that explains the requested one.
func (t *teller) findCause(ctx context.Context, subject *IncidentAlert) error {
	t.cause = subject
	from, to := subject.Start-before, subject.Start+before
	if subject.ofGroup() {
		all, err := t.findAlerts(ctx, append(during(from, to), t.inGroup(subject)...)...)
		if len(all) > 0 {
			t.cause = &all[0]
		}
		return err
	}
	if subject.DeviceID == 0 {
		return nil
	}
	above, _ := t.o.Dependencies(subject.DeviceID)
	all, err := t.findAlerts(ctx, append(during(from, to), in("monitorObjectId", append(slices.Clone(above),
		subject.DeviceID)))...)
	if err != nil {
		return err
	}
	far := -1 // how far above the requested device that of the cause is
	for i := range all {
		a := &all[i]
		at := slices.Index(above, a.DeviceID)
		switch {
		case at >= 0 && (a.Severity < threshold.SeverityError || t.activeUntil(a) < subject.Start):
		case at > far, at == far && far < 0 && a.Start < t.cause.Start && t.activeUntil(a) >= subject.Start &&
			a.Start >= from:
			t.cause, far = a, at
		}
	}
	for i := range all { // of the alerts of one outage, the most severe one
		if a := &all[i]; a.DeviceID == t.cause.DeviceID && a.Severity > t.cause.Severity &&
			a.Start >= t.cause.Start && a.Start <= t.cause.Start+60 && t.activeUntil(a) >= subject.Start {
			t.cause = a
		}
	}
	return nil
}

// ofGroup reports whether it is the alert of a device group.
func (a *IncidentAlert) ofGroup() bool { return a.group > 0 && a.DeviceID == 0 }

// inGroup returns the conditions for the alerts that the alert of a group counts.
func (t *teller) inGroup(a *IncidentAlert) []resource.Where {
	return []resource.Where{equal("dataPointId", a.dataPoint), resource.Of("monitorObjectId",
		resource.Where{Field: "hostGroupIds", Op: "has any", Value: t.tree.Inside(a.group)})}
}

// findDevices finds the device of the cause and those that depend on it.
func (t *teller) findDevices(ctx context.Context, subject *IncidentAlert) error {
	where := []resource.Where{}
	role := "dependent"
	switch {
	case t.cause.DeviceID > 0:
		_, below := t.o.Dependencies(t.cause.DeviceID)
		t.story.Total.Dependents = int64(len(below))
		t.order = append([]int64{t.cause.DeviceID}, below[:min(len(below), mostDevices)]...)
		if !slices.Contains(t.order, subject.DeviceID) && subject.DeviceID > 0 {
			t.order = append(t.order, subject.DeviceID)
		}
		where = append(where, in("id", t.order))
	case t.cause.collector > 0:
		where, role = append(where, equal("currentCollectorId", t.cause.collector)), "related"
	default:
		return nil
	}
	rows, err := find(ctx, t, fleet.Devices.Name, mostDevices+2, where...)
	if err != nil {
		return err
	}
	for i := range rows {
		t.devices[rows[i].ID] = &rows[i]
		if t.cause.DeviceID == 0 {
			t.order = append(t.order, rows[i].ID)
		}
	}
	t.order = slices.DeleteFunc(t.order, func(id int64) bool { return t.devices[id] == nil })
	for _, id := range t.order {
		d := IncidentDevice{ID: id, Name: t.devices[id].DisplayName, Role: role, Status: t.devices[id].HostStatus}
		if id == t.cause.DeviceID {
			d.Role = "cause"
		}
		t.story.Devices = append(t.story.Devices, d)
	}
	if t.story.Total.Dependents <= mostDevices { // only those that the caller can view
		t.story.Total.Dependents = 0
		for i := range t.story.Devices {
			if t.story.Devices[i].Role == "dependent" {
				t.story.Total.Dependents++
			}
		}
	}
	return nil
}

// findBelonging finds all alerts of the story.
func (t *teller) findBelonging(ctx context.Context, subject *IncidentAlert) error {
	opened := []resource.Where{{Field: "startEpoch", Op: ">=", Value: t.cause.Start - before},
		{Field: "startEpoch", Op: "<=", Value: t.activeUntil(t.cause) + after}}
	var all []IncidentAlert
	var err error
	switch {
	case subject.ofGroup():
		all, err = t.findAlerts(ctx, append(opened, t.inGroup(subject)...)...)
	case len(t.order) > 0:
		all, err = t.findAlerts(ctx, append(opened, in("monitorObjectId", t.order))...)
	}
	if err != nil {
		return err
	}
	for _, one := range []*IncidentAlert{t.cause, subject} {
		if !slices.ContainsFunc(all, func(a IncidentAlert) bool { return a.ID == one.ID }) {
			all = append(all, *one)
		}
	}
	slices.SortStableFunc(all, func(a, b IncidentAlert) int { return cmp.Compare(a.Start, b.Start) })
	t.story.Total.Alerts = int64(len(all))
	if len(all) > mostAlerts { // the cause and the requested alert are among those that are left
		keep := func(a IncidentAlert) bool { return a.ID == t.cause.ID || a.ID == subject.ID }
		rest := slices.DeleteFunc(slices.Clone(all[mostAlerts-2:]), func(a IncidentAlert) bool { return !keep(a) })
		all = append(all[:mostAlerts-2], rest...)
	}
	t.story.Start, t.story.End = t.cause.Start, t.cause.Start
	for i := range all {
		a := &all[i]
		switch {
		case a.ID == t.cause.ID:
			a.Relation = "cause"
		case a.DeviceID > 0 && a.DeviceID == t.cause.DeviceID:
			a.Relation = "same"
		default:
			if d := t.device(a.DeviceID); d != nil {
				a.Relation = d.Role
			}
		}
		t.story.Start = min(t.story.Start, a.Start)
		t.story.End = max(t.story.End, a.End)
	}
	if slices.ContainsFunc(all, func(a IncidentAlert) bool { return a.End == 0 }) {
		t.story.End = 0
	}
	t.story.Alerts = all
	for i := range all {
		if d := t.device(all[i].DeviceID); d != nil {
			d.Alerts++
		}
		if all[i].ID == t.cause.ID {
			t.cause = &all[i]
		}
	}
	return nil
}

// device returns the device of the story with an id, or nil.
func (t *teller) device(id int64) *IncidentDevice {
	i := slices.IndexFunc(t.story.Devices, func(d IncidentDevice) bool { return d.ID == id })
	if i < 0 {
		return nil
	}
	return &t.story.Devices[i]
}

// until returns the end of the story, which is now while it goes on.
func (t *teller) until() int64 {
	if t.story.End == 0 {
		return max(t.now, t.story.Start)
	}
	return t.story.End
}

// alertIDs returns the ids of the alerts of the story.
func (t *teller) alertIDs() []int64 {
	ids := make([]int64, len(t.story.Alerts))
	for i := range t.story.Alerts {
		ids[i] = t.story.Alerts[i].ID
	}
	return ids
}

// groupsOf returns the groups of a device and all groups above.
func (t *teller) groupsOf(d *fleet.Device) (ids []int64) {
	for _, g := range t.tree.Above(d.GroupIDs) {
		ids = append(ids, g.ID)
	}
	return ids
}

// what names the data point of an alert.
func (a *IncidentAlert) what() string {
	switch {
	case a.DataPoint == "" && a.collector > 0:
		return "collector"
	case a.Instance != "":
		return a.DataSource + " " + a.Instance + " " + a.DataPoint
	}
	return strings.TrimSpace(a.DataSource + " " + a.DataPoint)
}

func (a *IncidentAlert) amount() string {
	if a.Unit == "" || a.Value == "" || a.Value == alert.NoData {
		return a.Value
	}
	return a.Value + " " + a.Unit
}

// span formats seconds in their two largest units: "1 h 12 min".
func span(seconds int64) string {
	s := max(0, seconds)
	units := []struct {
		name string
		of   int64
	}{{"d", 86400}, {"h", 3600}, {"min", 60}, {"s", 1}}
	for i, u := range units {
		if s < u.of {
			continue
		}
		text := strconv.FormatInt(s/u.of, 10) + " " + u.name
		if i+1 < len(units)-1 && s/u.of < 10 {
			if rest := s % u.of / units[i+1].of; rest > 0 {
				text += " " + strconv.FormatInt(rest, 10) + " " + units[i+1].name
			}
		}
		return text
	}
	return "0 s"
}

// count formats a number with its noun, which has a regular plural.
func count(n int64, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.FormatInt(n, 10) + " " + noun + "s"
}
