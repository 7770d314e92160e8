package story

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"spyglass/backend/portal/alert"
	"spyglass/backend/portal/audit"
	"spyglass/backend/portal/ground"
	"spyglass/backend/portal/maintenance"
	"spyglass/backend/portal/opsnote"
	"spyglass/backend/resource"
)

// tellAlerts adds the life of each alert: its state, and what people did about it.
func (t *teller) tellAlerts(context.Context) error {
	for i := range t.story.Alerts {
		a := &t.story.Alerts[i]
		of := IncidentEvent{AlertID: a.ID, DeviceID: a.DeviceID, Severity: a.Severity}
		name := a.Device + ": " + a.what()
		tell := func(at int64, kind, by, text string) {
			e := of
			e.At, e.Kind, e.By, e.Text = at, kind, by, text
			t.add(e)
		}
		tell(a.Start, "opened", "", a.opening())
		for k, n := range a.notes {
			byPortal := n.by == ground.SystemUser
			switch {
			case byPortal && k == 0, byPortal && a.End > 0 && k == len(a.notes)-1:
				// it opened, or cleared
			case byPortal:
				tell(n.on, "state", "", name+": "+n.text)
			case a.Acked && n.by == a.AckedBy && n.on == a.AckedOn:
				tell(n.on, "acked", n.by, name+": "+n.text)
			default:
				tell(n.on, "note", n.by, name+": "+n.text)
			}
		}
		if a.End > 0 {
			tell(a.End, "cleared", "", name+" cleared after "+span(a.End-a.Start))
		}
	}
	return nil
}

// opening says why the alert opened.
func (a *IncidentAlert) opening() string {
	text := a.Device + ": " + a.what() + " is " + a.level
	if a.Value != "" {
		text += ", value " + a.amount()
	}
	if a.Threshold != "" && a.Value != alert.NoData {
		text += ", threshold " + a.Threshold
	}
	if a.Reason != "" {
		text += ". " + a.Reason
	}
	return text
}

// may reports whether the caller may view an area of the settings. If not, the
// story says which part it lacks.
func (t *teller) may(area, title, part, what string) bool {
	if t.who == nil || t.who.May(resource.Right{Object: resource.Setting, Area: area, Op: resource.Read}) {
		return true
	}
	t.story.Withheld = append(t.story.Withheld, IncidentWithheld{part,
		fmt.Sprintf("You need View access to %s to see %s.", title, what)})
	return false
}

// findNotices adds the notifications. Those to one recipient in the same minute
// share an event.
func (t *teller) findNotices(ctx context.Context) error {
	if !t.may(ground.AreaAlerting, "Alerting", "notifications", "when each recipient was notified") {
		return nil
	}
	rows, err := find(ctx, t, alert.Deliveries.Name, mostNotices, in("alertId", t.alertIDs()))
	if err != nil {
		return err
	}
	type sent struct {
		at                           int64
		state, event, recipient, why string
	}
	many := map[sent]int64{}
	first := map[sent]*alert.Delivery{}
	for i := range rows {
		d := &rows[i]
		key := sent{int64(d.CreatedOn) / 60, d.State, d.Tells, cmp.Or(d.Recipient, d.Address), d.Error}
		switch d.State {
		case alert.DeliverySent:
			key.why = ""
			t.story.Total.Notified++
		case alert.DeliveryFailed:
			t.story.Total.Unnotified++
		}
		if many[key]++; first[key] == nil {
			first[key] = d
		}
	}
	for key, n := range many {
		d := first[key]
		e := IncidentEvent{At: int64(d.CreatedOn), Kind: "notified", AlertID: d.AlertID}
		text := key.recipient
		if n > 1 {
			text += fmt.Sprintf(", %d notifications", n)
		}
		switch d.State {
		case alert.DeliverySent:
			e.Text = "Notified " + text
		case alert.DeliveryFailed:
			e.Kind, e.Text = "failed", "Could not notify "+text
		case alert.DeliveryWaiting:
			e.Text = "Waiting to notify " + text
		default:
			e.Text = "Did not notify " + text + " (" + d.State + ")"
		}
		if d.Chain != "" {
			e.Text += fmt.Sprintf(", %s stage %d", d.Chain, d.Stage)
		}
		e.Text += ": " + d.Tells
		if key.why != "" {
			e.Text += ". " + strings.ToUpper(key.why[:1]) + key.why[1:]
		}
		t.add(e)
	}
	return nil
}

// findMaintenance adds the maintenance windows of the device of the cause and of
// its groups.
func (t *teller) findMaintenance(ctx context.Context) error {
	ids, groups := t.order, []int64{}
	if d := t.devices[t.cause.DeviceID]; d != nil {
		groups = t.groupsOf(d)
	}
	var where []resource.Where
	if len(ids) > 0 {
		where = append(where, in("deviceId", ids))
	}
	if len(groups) > 0 {
		where = append(where, in("deviceGroupId", groups))
	}
	if t.cause.collector > 0 {
		where = append(where, equal("collectorId", t.cause.collector))
	}
	if len(where) == 0 {
		return nil
	}
	from, to := t.story.Start-lookup, t.until()
	past, err := find(ctx, t, maintenance.SDTHistories.Name, mostEvents, resource.Either(where...),
		resource.Where{Field: "approximateStartEpoch", Op: "<=", Value: to},
		resource.Where{Field: "approximateEndEpoch", Op: ">=", Value: from})
	if err != nil {
		return err
	}
	for i := range past {
		h := &past[i]
		t.tellMaintenance(h.DeviceID, h.Admin, h.Comment, int64(h.Start), int64(h.End))
	}
	return t.findCovering(ctx)
}

func (t *teller) tellMaintenance(device int64, by, comment string, from, to int64) {
	of := ""
	if d := t.device(device); d != nil {
		of = " of " + d.Name
	}
	if comment != "" {
		comment = ": " + comment
	}
	e := IncidentEvent{At: from, Kind: "maintenance", By: by, DeviceID: device}
	e.Text = "Maintenance" + of + " began" + comment
	t.add(e)
	if to > 0 {
		e.At, e.Text = to, "Maintenance"+of+" ended"+comment
		t.add(e)
	}
}

// findCovering adds the windows that cover alerts of the story and have not ended.
// Those of recurring maintenance are in the notes of the alerts.
func (t *teller) findCovering(ctx context.Context) error {
	ids := []int64{}
	for i := range t.story.Alerts {
		some, err := resource.ParseIDs(strings.ReplaceAll(t.story.Alerts[i].sdts, maintenance.SDTPrefix, ""))
		if err == nil {
			ids = append(ids, some...)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	slices.Sort(ids)
	windows, err := find(ctx, t, maintenance.SDTRows, mostEvents, in("id", slices.Compact(ids)))
	for i := range windows {
		w := &windows[i]
		if w.Recurrence == maintenance.OneTime && int64(w.End)/1000 > t.now {
			t.tellMaintenance(w.DeviceID, w.Admin, w.Comment, int64(w.Start)/1000, 0)
		}
	}
	return err
}

// unlike lists the objects whose changes are not configuration: the story reports
// user actions on its alerts separately, and a demo incident is the cause to find.
var unlike = []string{string(alert.Alerts.Name), string(alert.Deliveries.Name), "demoIncident", "demoTime",
	string(opsnote.OpsNotes.Name), "reportTask", "report"}

// findChanges adds the configuration changes from two hours before.
func (t *teller) findChanges(ctx context.Context) error {
	if !t.may(ground.AreaAudit, "Audit log", "changes", "configuration changes") {
		return nil
	}
	rows, err := find(ctx, t, audit.AuditLogRows, 5*mostChanges,
		resource.Where{Field: "happenedOn", Op: ">=", Value: t.story.Start - lookup},
		resource.Where{Field: "happenedOn", Op: "<=", Value: t.until()})
	if err != nil {
		return err
	}
	for i := range rows {
		a := &rows[i]
		if a.Object == "" || slices.Contains(unlike, a.Object) || strings.HasPrefix(a.Action, "sign-") {
			continue
		}
		if t.story.Total.Changes++; t.story.Total.Changes > mostChanges {
			continue
		}
		t.add(IncidentEvent{At: int64(a.HappenedOn), Kind: "change", By: a.Username, Text: a.Description,
			Near: t.concerns(a)})
	}
	return nil
}

// concerns reports whether a change was made to an object of the story.
func (t *teller) concerns(a *audit.AuditLog) bool {
	switch a.Object {
	case "device":
		return t.devices[a.ObjectID] != nil
	case "deviceGroup":
		for _, d := range t.devices {
			if slices.Contains(d.GroupIDs, a.ObjectID) {
				return true
			}
		}
	case "dataSource":
		return slices.ContainsFunc(t.story.Alerts, func(of IncidentAlert) bool { return of.dataSource == a.ObjectID })
	case "deviceDatasourceInstance":
		return slices.ContainsFunc(t.story.Alerts, func(of IncidentAlert) bool { return of.InstanceID == a.ObjectID })
	case "collector":
		for _, d := range t.devices {
			if d.CurrentCollector == a.ObjectID {
				return true
			}
		}
	}
	return false
}

// findOpsNotes adds the ops notes about the devices of the story, and about
// everything.
func (t *teller) findOpsNotes(ctx context.Context) error {
	if !t.may(ground.AreaOpsNotes, "Ops notes", "opsNotes", "ops notes") {
		return nil
	}
	rows, err := find(ctx, t, opsnote.OpsNotes.Name, mostChanges,
		resource.Where{Field: "happenOnInSec", Op: ">=", Value: t.story.Start - lookup},
		resource.Where{Field: "happenOnInSec", Op: "<=", Value: t.until()})
	for i := range rows {
		n := &rows[i]
		if slices.ContainsFunc(n.Scopes, t.covers) {
			t.add(IncidentEvent{At: int64(n.HappenedOn), Kind: "opsNote", By: n.CreatedBy, Text: n.Note})
		}
	}
	return err
}

func (t *teller) covers(s opsnote.NoteScope) bool {
	switch {
	case s.DeviceID > 0:
		return t.devices[s.DeviceID] != nil
	case s.GroupID > 0:
		d := t.devices[t.cause.DeviceID]
		return d != nil && slices.Contains(t.groupsOf(d), s.GroupID)
	}
	return true
}
