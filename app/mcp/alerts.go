package mcp

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"spyglass/backend/fault"
	"spyglass/backend/portal/threshold"
)

// Limits of lists of alerts.
const (
	usualAlerts = 20
	mostAlerts  = 100
)

// severities maps the words for severities to their numbers.
var severities = map[string]int64{"warn": threshold.SeverityWarn, "error": threshold.SeverityError,
	"critical": threshold.SeverityCritical}

// addAlerts adds the tools about alerts.
func (s *Server) addAlerts(to *tools) {
	add(to, tool{
		name: "list_alerts", title: "List alerts",
		about: "List alerts, the worst and newest first: active ones, or also cleared ones with include_cleared. All " +
			"filters are optional and combined.",
		enums: map[string][]any{"min_severity": {"warn", "error", "critical"},
			"state": {"unacknowledged", "acknowledged", "in_maintenance"}},
		bounds: map[string][2]float64{"limit": {1, mostAlerts}},
	}, listAlerts)
	add(to, tool{
		name: "explain_alert", title: "Explain an alert",
		about: "Explain one alert: what is wrong, which related alert came first, what depends on the device, its " +
			"threshold, who was notified and why not, acknowledgement, maintenance nearby, and recent values.",
	}, explainAlert)
}

// alertFields are the fields of an alert that the tools read.
const alertFields = "id,type,severity,startEpoch,endEpoch,cleared,acked,ackedBy,ackedEpoch,ackComment," +
	"monitorObjectId,monitorObjectName,monitorObjectType,resourceId,resourceTemplateName,instanceId,instanceName," +
	"dataPointName,dataPointUnit,alertValue,reason,threshold,sdted,SDT,rule,chain,nextRecipient,receivedList," +
	"suppressor,suppressDesc,notes,monitorObjectGroups,detailMessage"

// alert is an alert as the portal returns it.
type alert struct {
	ID                   string
	Type                 string
	Severity             int64
	StartEpoch, EndEpoch int64
	Cleared, Acked       bool
	AckedBy, AckComment  string
	AckedEpoch           int64
	MonitorObjectID      int64
	MonitorObjectName    string
	MonitorObjectType    string
	ResourceID           int64
	ResourceTemplateName string
	InstanceID           int64
	InstanceName         string
	DataPointName        string
	DataPointUnit        string
	AlertValue           string
	Reason               string
	Threshold            string
	SDTed                bool
	SDT                  *struct {
		Comment     string
		Admin       string
		EndDateTime int64
	}
	Rule, Chain              string
	NextRecipient            int64
	ReceivedList             string
	Suppressor, SuppressDesc string
	Notes                    []struct {
		By, Text string
		On       int64
	}
	MonitorObjectGroups []struct {
		ID       int64
		FullPath string
	}
	DetailMessage *struct{ Body string }
}

// shownAlert is an alert in a result.
type shownAlert struct {
	ID             string `json:"alert_id"`
	Severity       string `json:"severity"`
	Object         string `json:"object"`
	DeviceID       int64  `json:"device_id,omitempty"`
	DataSource     string `json:"datasource,omitempty"`
	Instance       string `json:"instance,omitempty"`
	DataPoint      string `json:"datapoint,omitempty"`
	Value          string `json:"value,omitempty"`
	Threshold      string `json:"threshold,omitempty"`
	Reason         string `json:"reason,omitempty"`
	Opened         string `json:"opened"`
	Cleared        string `json:"cleared,omitempty"`
	AcknowledgedBy string `json:"acknowledged_by,omitempty"`
	InMaintenance  bool   `json:"in_maintenance,omitempty"`
	Suppressed     string `json:"suppressed,omitempty"`
	Relation       string `json:"relation,omitempty"`
}

func (a *alert) shown() shownAlert {
	out := shownAlert{ID: a.ID, Severity: threshold.SeverityWord(a.Severity), Object: a.MonitorObjectName,
		DeviceID: a.MonitorObjectID, DataSource: a.ResourceTemplateName, DataPoint: a.DataPointName,
		Value: strings.TrimSpace(a.AlertValue + " " + a.DataPointUnit), Threshold: a.Threshold, Reason: a.Reason,
		Opened: moment(a.StartEpoch), InMaintenance: a.SDTed, Suppressed: cmp.Or(a.SuppressDesc, a.Suppressor)}
	if a.InstanceName != a.ResourceTemplateName {
		out.Instance = a.InstanceName
	}
	if a.AlertValue == "" {
		out.Value = ""
	}
	if a.Cleared {
		out.Cleared = moment(a.EndEpoch)
	}
	if a.Acked {
		out.AcknowledgedBy = a.AckedBy
	}
	return out
}

// moment returns epoch seconds as RFC 3339 in UTC; "" for none.
func moment(epoch int64) string {
	if epoch <= 0 {
		return ""
	}
	return time.Unix(epoch, 0).UTC().Format(time.RFC3339)
}

type alertsIn struct {
	MinSeverity string  `json:"min_severity,omitempty" jsonschema:"only alerts that are at least this severe"`
	Device      string  `json:"device,omitempty" jsonschema:"part of the display name of the device or collector, or of the path of the group"`
	Group       string  `json:"group,omitempty" jsonschema:"full path of a device group, such as Servers/Linux; alerts in it and below"`
	DataSource  string  `json:"datasource,omitempty" jsonschema:"part of the name of the data source, such as Ping"`
	Text        string  `json:"text,omitempty" jsonschema:"words anywhere in the alert"`
	State       string  `json:"state,omitempty" jsonschema:"only alerts in this state"`
	SinceHours  float64 `json:"since_hours,omitempty" jsonschema:"only alerts that opened within so many hours"`
	Cleared     bool    `json:"include_cleared,omitempty" jsonschema:"also return cleared alerts"`
	Limit       int     `json:"limit,omitempty" jsonschema:"how many to return, 20 by default"`
}

func listAlerts(ctx context.Context, c *toolCall, in *alertsIn) (*result, error) {
	path := "/alert/alerts"
	if in.Group != "" {
		id, err := c.groupID(ctx, in.Group)
		if err != nil {
			return nil, err
		}
		path = "/device/groups/" + number(id) + "/alerts"
	}
	limit := min(cmp.Or(in.Limit, usualAlerts), mostAlerts)
	q := query("fields", alertFields, "size", strconv.Itoa(limit), "sort", "-severity,-startEpoch")
	if filter := in.filter(time.Now()); filter != "" {
		q.Set("filter", filter)
	}
	found, total, err := page[alert](ctx, c, path, q)
	if err != nil {
		return nil, err
	}
	out := []shownAlert{}
	for i := range found {
		out = append(out, found[i].shown())
	}
	kind := "active alert"
	if in.Cleared {
		kind = "alert"
	}
	text := amount(int(total), kind) + "."
	if total > int64(len(out)) {
		text = fmt.Sprintf("%s, the worst %d returned; narrow the filters or raise limit for more.",
			amount(int(total), kind), len(out))
	}
	return &result{text: text, data: map[string]any{"alerts": out, "total": total}}, nil
}

// filter returns the filter of a list of alerts.
func (in *alertsIn) filter(now time.Time) string {
	var all []string
	if n := severities[in.MinSeverity]; n > threshold.SeverityWarn {
		all = append(all, "severity>:"+number(n))
	}
	for _, part := range []struct{ field, text string }{
		{"monitorObjectName", in.Device}, {"resourceTemplateName", in.DataSource}, {"_all", in.Text},
	} {
		if part.text != "" {
			all = append(all, part.field+"~"+quote(part.text))
		}
	}
	switch in.State {
	case "acknowledged":
		all = append(all, "acked:true")
	case "unacknowledged":
		all = append(all, "acked:false")
	case "in_maintenance":
		all = append(all, "sdted:true")
	}
	if in.SinceHours > 0 {
		all = append(all, "startEpoch>:"+number(now.Unix()-int64(in.SinceHours*3600)))
	}
	if in.Cleared {
		all = append(all, `cleared:"*"`)
	}
	return strings.Join(all, ",")
}

// groupID finds a device group by its path or name.
func (c *toolCall) groupID(ctx context.Context, name string) (int64, error) {
	type group struct {
		ID             int64
		Name, FullPath string
	}
	found, total, err := page[group](ctx, c, "/device/groups", query("filter", "fullPath~"+quote(name), "fields",
		"id,name,fullPath", "size", "50"))
	if err != nil {
		return 0, err
	}
	for _, exact := range []func(g group) string{
		func(g group) string { return g.FullPath }, func(g group) string { return g.Name },
	} {
		var same []group
		for _, g := range found {
			if strings.EqualFold(exact(g), name) {
				same = append(same, g)
			}
		}
		if len(same) == 1 {
			return same[0].ID, nil
		}
	}
	if len(found) == 1 {
		return found[0].ID, nil
	}
	if len(found) == 0 {
		return 0, fault.At("group", "no device group has %s in its path", fault.Quote(name))
	}
	var paths []any
	for _, g := range found[:min(10, len(found))] {
		paths = append(paths, g.FullPath)
	}
	return 0, &fault.Error{Kind: fault.Invalid, Field: "group", Allowed: paths,
		Message: fmt.Sprintf("%d device groups match %s; give the full path of one", total, fault.Quote(name))}
}

type explainIn struct {
	AlertID any `json:"alert_id" jsonschema:"id of the alert, as list_alerts returns it"`
}

// explanation is the result of explain_alert.
type explanation struct {
	Alert       shownAlert    `json:"alert"`
	Message     string        `json:"message,omitempty"`
	Groups      []string      `json:"groups,omitempty"`
	First       *shownAlert   `json:"first,omitempty"`
	Why         string        `json:"why"`
	Related     []shownAlert  `json:"related"`
	DependsOn   []string      `json:"depends_on,omitempty"`
	Silent      int           `json:"silent_dependents_total,omitempty"`
	Dependents  []string      `json:"silent_dependents,omitempty"`
	Threshold   []string      `json:"threshold_means,omitempty"`
	Notified    notified      `json:"notifications"`
	Acked       *acked        `json:"acknowledged,omitempty"`
	Maintenance []maintenance `json:"maintenance_nearby"`
	Values      *recent       `json:"recent_values,omitempty"`
	History     []string      `json:"history"`
	Story       []string      `json:"story,omitempty"`
	Unavailable []string      `json:"unavailable,omitempty"`
}

type notified struct {
	Rule        string   `json:"rule,omitempty"`
	Chain       string   `json:"escalation_chain,omitempty"`
	Stage       int64    `json:"stage,omitempty"`
	Recipients  []string `json:"recipients"`
	Waiting     []string `json:"waiting,omitempty"`
	Undelivered []string `json:"not_delivered,omitempty"`
	Why         string   `json:"why,omitempty"`
}

type acked struct {
	By      string `json:"by"`
	At      string `json:"at"`
	Comment string `json:"comment"`
}

// maintenance is a maintenance window near an alert.
type maintenance struct {
	Type    string `json:"type"`
	Comment string `json:"comment,omitempty"`
	By      string `json:"by,omitempty"`
	Start   string `json:"start"`
	End     string `json:"end"`
	When    string `json:"when"`
}

// Limits of an explanation.
const (
	mostRelated    = 12
	mostAncestors  = 5
	mostHistory    = 20
	mostDependents = 50

	before = 30 * 60   // seconds before the alert in which related alerts open
	after  = 10 * 60   // and after it
	nearby = 24 * 3600 // seconds from the alert to maintenance nearby
)

// explaining is an explanation in progress. What cannot be read, for example without the
// permission, is listed as unavailable.
type explaining struct {
	*toolCall
	it  *alert
	out *explanation
	// display names of the devices that it depends on, the nearest first, and those of them
	// that do not respond
	above, dead []string
	// silent devices that depend on the device of the alert
	below []string
	// the log of deliveries cannot be read
	unconfirmed bool
}

func explainAlert(ctx context.Context, c *toolCall, in *explainIn) (*result, error) {
	id, err := textOf("alert_id", in.AlertID)
	if err != nil {
		return nil, err
	}
	var it alert
	if err := c.get(ctx, "/alert/alerts/"+url.PathEscape(id), query("needMessage", "true"), &it); err != nil {
		return nil, err
	}
	x := &explaining{toolCall: c, it: &it, out: &explanation{Alert: it.shown(), Related: []shownAlert{},
		Maintenance: []maintenance{}, History: []string{}}}
	x.own()
	for _, part := range []struct {
		name string
		read func(ctx context.Context) error
	}{
		{"dependencies", x.dependencies}, {"related alerts", x.related}, {"maintenance", x.maintenance},
		{"recent values", x.values}, {"delivery of notifications", x.deliveries},
	} {
		if err := part.read(ctx); err != nil {
			if ctx.Err() != nil {
				return nil, err
			}
			x.out.Unavailable = append(x.out.Unavailable, part.name+": "+fault.Of(err).Message)
		}
	}
	return &result{text: x.summary(), data: x.out}, nil
}

// own fills in what the alert itself says.
func (x *explaining) own() {
	a, out := x.it, x.out
	if a.DetailMessage != nil {
		out.Message = a.DetailMessage.Body
	}
	for _, g := range a.MonitorObjectGroups {
		out.Groups = append(out.Groups, cmp.Or(g.FullPath, "all devices"))
	}
	if expr, err := threshold.ParseAlertExpr(a.Threshold); err == nil {
		for i, level := range expr.Levels {
			out.Threshold = append(out.Threshold, fmt.Sprintf("%s when the value is %s %s",
				threshold.SeverityWord(threshold.SeverityWarn+int64(i)), expr.Op,
				strings.TrimSpace(strconv.FormatFloat(level, 'f', -1, 64)+" "+a.DataPointUnit)))
		}
	}
	out.Notified = notified{Rule: a.Rule, Chain: a.Chain, Stage: a.NextRecipient, Recipients: []string{}}
	for name := range strings.SplitSeq(a.ReceivedList, ",") {
		if name = strings.TrimSpace(name); name != "" {
			out.Notified.Recipients = append(out.Notified.Recipients, name)
		}
	}
	switch {
	case a.Suppressor != "":
		out.Notified.Why = "suppressed: " + cmp.Or(a.SuppressDesc, a.Suppressor)
	case a.SDTed:
		out.Notified.Why = "in maintenance, so nobody is notified"
	case a.Rule == "":
		out.Notified.Why = "no alert rule matches it, so nobody is notified"
	case a.Chain == "":
		out.Notified.Why = "its alert rule has no escalation chain, so nobody is notified"
	case a.Acked && !a.Cleared:
		out.Notified.Why = "acknowledged, so it does not escalate"
	}
	if a.Acked {
		out.Acked = &acked{a.AckedBy, moment(a.AckedEpoch), a.AckComment}
	}
	for _, n := range a.Notes[max(0, len(a.Notes)-mostHistory):] {
		out.History = append(out.History, moment(n.On)+" "+n.By+": "+n.Text)
	}
}

// The states of a delivery that are not final failures.
const deliverySent, deliveryWaiting = "sent", "waiting"

// delivery is one notification to one recipient.
type delivery struct{ Recipient, Address, State, Error string }

// deliveries corrects the recipients: the alert lists those whom the portal tried to notify.
func (x *explaining) deliveries(ctx context.Context) error {
	if len(x.out.Notified.Recipients) == 0 {
		return nil
	}
	found, _, err := page[delivery](ctx, x.toolCall, "/alert/deliveries", query("filter", "alertId:"+x.it.ID,
		"fields", "recipient,address,state,error", "sort", "-id", "size", "1000"))
	x.unconfirmed = err != nil
	if err == nil {
		x.out.Notified.correct(found)
	}
	return err
}

// correct moves the recipients that received nothing out of Recipients. Its argument has the
// newest deliveries first. Recipients without a delivery stay: a portal deletes old ones.
func (n *notified) correct(all []delivery) {
	rank := []string{deliverySent, deliveryWaiting}
	best := map[string]delivery{}
	for _, d := range all {
		name := cmp.Or(d.Recipient, d.Address)
		was, known := best[name]
		if !known || position(rank, d.State) < position(rank, was.State) {
			best[name] = d
		}
	}
	n.Recipients = slices.DeleteFunc(n.Recipients, func(name string) bool {
		d, known := best[name]
		switch {
		case !known || d.State == deliverySent:
			return false
		case d.State == deliveryWaiting:
			n.Waiting = append(n.Waiting, name)
		default:
			n.Undelivered = append(n.Undelivered, name+" ("+cmp.Or(d.Error, d.State)+")")
		}
		return true
	})
}

// position returns the index of a value; a value that is not in the list comes after all others.
func position(list []string, value string) int {
	if at := slices.Index(list, value); at >= 0 {
		return at
	}
	return len(list)
}

// parentProperty is the property that names the device on which a device depends.
const parentProperty = "parent.device"

type property struct{ Name, Value string }

// device is a device as far as dependencies need it.
type device struct {
	ID                                    int64
	DisplayName                           string
	HostStatus                            string
	CustomProperties, InheritedProperties []property
}

// parent returns the display name of the device that d depends on. A property of its own
// overrides an inherited one; no device depends on itself.
func (d *device) parent() string {
	for _, p := range slices.Concat(d.CustomProperties, d.InheritedProperties) {
		if p.Name == parentProperty {
			if p.Value == d.DisplayName {
				return ""
			}
			return p.Value
		}
	}
	return ""
}

const deviceFields = "id,displayName,hostStatus,customProperties,inheritedProperties"

// dependencies finds the devices that the device of the alert depends on, and the silent
// ones that depend on it.
func (x *explaining) dependencies(ctx context.Context) error {
	if x.it.MonitorObjectID == 0 {
		return nil
	}
	var d device
	if err := x.get(ctx, "/device/devices/"+number(x.it.MonitorObjectID), query("fields", deviceFields),
		&d); err != nil {
		return err
	}
	for name := d.parent(); name != "" && name != d.DisplayName && len(x.above) < mostAncestors; {
		if slices.Contains(x.above, name) {
			break
		}
		x.above = append(x.above, name)
		found, _, err := page[device](ctx, x.toolCall, "/device/devices", query("filter",
			"displayName:"+quote(name), "fields", deviceFields, "size", "1"))
		if err != nil {
			return err
		}
		status := "unknown"
		next := ""
		if len(found) > 0 {
			status, next = found[0].HostStatus, found[0].parent()
		}
		if strings.HasPrefix(status, "dead") {
			x.dead = append(x.dead, name)
		}
		x.out.DependsOn = append(x.out.DependsOn, fmt.Sprintf("%s (host status: %s)", name, status))
		name = next
	}
	silent, _, err := page[device](ctx, x.toolCall, "/device/devices", query("filter",
		`hostStatus:"dead"|"dead-collector"`, "fields", deviceFields, "size", "1000"))
	if err != nil {
		return err
	}
	for i := range silent {
		if silent[i].parent() == d.DisplayName {
			x.below = append(x.below, silent[i].DisplayName)
		}
	}
	x.out.Silent, x.out.Dependents = len(x.below), x.below[:min(len(x.below), mostDependents)]
	return nil
}

// relation returns how another alert relates to the alert; "" if it does not.
func (x *explaining) relation(other *alert) string {
	switch {
	case other.ID == x.it.ID:
		return ""
	case slices.Contains(x.above, other.MonitorObjectName):
		return "on a device that it depends on"
	case other.MonitorObjectID != 0 && other.MonitorObjectID == x.it.MonitorObjectID:
		return "on the same device"
	case slices.Contains(x.below, other.MonitorObjectName):
		return "on a device that depends on it"
	case other.MonitorObjectType == "collector":
		return "of a collector"
	}
	for _, g := range other.MonitorObjectGroups {
		for _, own := range x.it.MonitorObjectGroups {
			if g.ID == own.ID && g.FullPath != "" {
				return "in the same group " + g.FullPath
			}
		}
	}
	return ""
}

// related finds the alerts that opened at about the same time, and which came first. It uses the
// story from the portal, or its own rules if the portal has no stories.
func (x *explaining) related(ctx context.Context) error {
	if found, err := x.story(ctx); found || err != nil {
		return err
	}
	window := fmt.Sprintf(`cleared:"*",startEpoch>:%d,startEpoch<:%d`, x.it.StartEpoch-before, x.it.StartEpoch+after)
	found, _, err := page[alert](ctx, x.toolCall, "/alert/alerts", query("filter", window, "fields", alertFields,
		"sort", "startEpoch", "size", "250"))
	if err != nil {
		return err
	}
	for _, name := range x.above { // opened earlier, and still active
		more, _, err := page[alert](ctx, x.toolCall, "/alert/alerts", query("filter", "monitorObjectName:"+quote(name),
			"fields", alertFields, "sort", "startEpoch", "size", "5"))
		if err != nil {
			return err
		}
		found = append(found, more...)
	}
	slices.SortStableFunc(found, func(a, b alert) int { return cmp.Compare(a.StartEpoch, b.StartEpoch) })
	found = slices.CompactFunc(found, func(a, b alert) bool { return a.ID == b.ID })
	var first *alert
	rank := func(a *alert) int { // the farthest device above comes first
		return slices.Index(x.above, a.MonitorObjectName)
	}
	for i := range found {
		other := &found[i]
		relation := x.relation(other)
		if relation == "" {
			continue
		}
		shown := other.shown()
		shown.Relation = relation
		x.out.Related = append(x.out.Related, shown)
		if x.early(other) && (first == nil || rank(other) > rank(first)) {
			first = other
		}
	}
	x.out.Why = cameFirst
	if first != nil {
		shown := first.shown()
		shown.Relation = x.relation(first)
		x.first(&shown)
	}
	x.out.Related = x.out.Related[:min(len(x.out.Related), mostRelated)]
	return nil
}

// early reports whether another alert opened before the alert and may be its cause: shortly
// before, or at any time if its device has not responded since.
func (x *explaining) early(other *alert) bool {
	if other.StartEpoch > x.it.StartEpoch || other.Cleared && other.EndEpoch < x.it.StartEpoch {
		return false
	}
	return other.StartEpoch >= x.it.StartEpoch-before || slices.Contains(x.dead, other.MonitorObjectName)
}

// maintenance finds maintenance windows and past maintenance within a day of the alert.
func (x *explaining) maintenance(ctx context.Context) error {
	if s := x.it.SDT; s != nil {
		x.out.Maintenance = append(x.out.Maintenance, maintenance{Type: "in effect", Comment: s.Comment, By: s.Admin,
			End: moment(s.EndDateTime / 1000), When: "covers the alert"})
	}
	if x.it.MonitorObjectID == 0 {
		return nil
	}
	type window struct {
		Type, SDTType, Comment, Admin string
		StartDateTime, EndDateTime    int64
		IsEffective                   bool
	}
	base := "/device/devices/" + number(x.it.MonitorObjectID)
	windows, _, err := page[window](ctx, x.toolCall, base+"/sdts", query("size", "50"))
	if err != nil {
		return err
	}
	at, end := x.it.StartEpoch, cmp.Or(x.it.EndEpoch, x.it.StartEpoch)
	add := func(m maintenance, from, to int64) {
		if from > end+nearby || to < at-nearby || len(x.out.Maintenance) >= 10 {
			return
		}
		m.Start, m.End, m.When = moment(from), moment(to), "after it opened"
		switch {
		case from <= at && at <= to:
			m.When = "when it opened"
		case to < at:
			m.When = "before it opened"
		}
		x.out.Maintenance = append(x.out.Maintenance, m)
	}
	for _, w := range windows {
		if w.EndDateTime > 0 {
			add(maintenance{Type: w.Type, Comment: w.Comment, By: w.Admin}, w.StartDateTime/1000, w.EndDateTime/1000)
		} else if w.IsEffective {
			x.out.Maintenance = append(x.out.Maintenance, maintenance{Type: w.Type, Comment: w.Comment, By: w.Admin,
				When: "now, " + w.SDTType})
		}
	}
	type past struct {
		Type, Comment, Admin                       string
		ApproximateStartEpoch, ApproximateEndEpoch int64
	}
	history, _, err := page[past](ctx, x.toolCall, base+"/historysdts", query("size", "20",
		"sort", "-approximateStartEpoch"))
	if err != nil {
		return err
	}
	for _, p := range history {
		add(maintenance{Type: p.Type, Comment: p.Comment, By: p.Admin}, p.ApproximateStartEpoch, p.ApproximateEndEpoch)
	}
	return nil
}

// values reads the data point of the alert: the last hour, or around a cleared alert.
func (x *explaining) values(ctx context.Context) error {
	a := x.it
	if a.InstanceID == 0 || a.MonitorObjectID == 0 || a.DataPointName == "" {
		return nil
	}
	q := query("datapoints", a.DataPointName, "period", "1")
	if a.Cleared {
		from := a.StartEpoch - before
		to := min(a.EndEpoch+after, from+6*3600)
		q = query("datapoints", a.DataPointName, "start", number(from), "end", number(to))
	}
	set, err := x.samples(ctx, instance{a.MonitorObjectID, a.ResourceID, a.InstanceID}, q)
	if err != nil {
		return err
	}
	x.out.Values = set.recent(0, a.DataPointUnit)
	return nil
}

// summary returns the explanation in a few sentences.
func (x *explaining) summary() string {
	a, out := x.it, x.out
	var b strings.Builder
	fmt.Fprintf(&b, "%s alert %s on %s, opened %s", threshold.SeverityWord(a.Severity), a.ID, a.MonitorObjectName,
		moment(a.StartEpoch))
	if a.Cleared {
		fmt.Fprintf(&b, ", cleared %s", moment(a.EndEpoch))
	}
	b.WriteString(". ")
	if what := cmp.Or(out.Message, a.Reason); what != "" {
		b.WriteString(strings.TrimSuffix(shorten(strings.ReplaceAll(what, "\n", " "), 400), ".") + ". ")
	}
	b.WriteString(out.Why)
	if n := out.Silent; n > 0 {
		fmt.Fprintf(&b, " %s that depend on it do not respond: %s.", amount(n, "device"),
			someOf(out.Dependents, n))
	}
	if out.Notified.Why != "" {
		b.WriteString(" Notifications: " + out.Notified.Why + ".")
	} else {
		b.WriteString(x.receivers())
	}
	if out.Acked != nil {
		fmt.Fprintf(&b, " Acknowledged by %s.", out.Acked.By)
	}
	if v := out.Values; v != nil && v.Samples > 0 {
		b.WriteString(" " + v.sentence(a.DataPointName))
	}
	return b.String()
}

// receivers returns a sentence for each group of recipients: notified, waiting, and not
// reached.
func (x *explaining) receivers() string {
	n := &x.out.Notified
	var b strings.Builder
	for _, part := range []struct {
		what  string
		names []string
	}{{"Notified", n.Recipients}, {"Waiting to notify", n.Waiting}, {"Could not notify", n.Undelivered}} {
		what := part.what
		if x.unconfirmed && what == "Notified" {
			what = "Recipients, delivery unknown"
		}
		if len(part.names) > 0 {
			b.WriteString(" " + what + ": " + shorten(words(part.names), 300) + ".")
		}
	}
	return b.String()
}
