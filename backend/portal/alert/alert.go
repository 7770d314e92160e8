// Package alert declares alerts and their notification: rules, escalation chains,
// recipients, integrations, deliveries, and cluster alerts of groups.
//
// Raise and Clear open and end alerts inside the caller's transaction, and keep
// the alert status of the device. Package monitor says when, package notify sends.
// Alerts follow devices and users through hooks (hooks.go), and reports follow
// recipients the same way. Times are epoch seconds.
package alert

import (
	"cmp"
	"strings"
	"unicode/utf8"

	"spyglass/backend/fault"
	"spyglass/backend/portal/collector"
	"spyglass/backend/portal/fleet"
	"spyglass/backend/portal/ground"
	"spyglass/backend/resource"
)

// alertRows names the rows of Alert.
const alertRows resource.Name[*Alert] = "alert"

// NoData is the value of an alert that opened because a data point had no data.
const NoData = "no data"

// Types of an alert.
const (
	DataSourceAlert = "dataSourceAlert"  // a data point is beyond its threshold
	AgentDownAlert  = "agentDownAlert"   // a collector does not respond
	GroupAlert      = "hostClusterAlert" // several devices of a group have an alert (ClusterAlert)
)

// Alert is a data point that is, or was, beyond its threshold on one instance. It
// keeps the names from when it opened, because it becomes history when it clears.
type Alert struct {
	ID                 resource.TextID
	Type               string // DataSourceAlert, AgentDownAlert of a collector, or GroupAlert
	Severity           int64
	StartOn            resource.Seconds
	EndOn              resource.Seconds // 0 while active
	Cleared            bool
	Acked              bool
	AckedBy            string
	AckedOn            resource.Seconds
	AckComment         string
	DeviceID           int64 // 0 for a group's alert, and for a collector's, which requires access to all devices
	DeviceName         string
	ObjectType         string // device, collector or deviceGroup
	DataSourceID       int64
	DataSourceName     string
	DeviceDataSourceID int64
	InstanceID         int64
	InstanceName       string
	InstanceNote       string
	DataPointID        int64
	DataPointName      string
	CollectorID        int64
	Condition          string // of a collector's alert, ConditionHeartbeat
	GroupID            int64  // of a GroupAlert
	ClusterID          int64  // the ClusterAlert that opened it
	Value              string
	Reason             string // an explanation, if a number does not say enough
	Threshold          string // "> 60 80 90"
	ClearValue         string
	ClearExpr          string
	SDTed              bool
	SDTIDs             string // joined by commas, "R_12"
	RuleID             int64
	Rule               string
	ChainID            int64
	Chain              string
	SubChainID         int64  // the applicable destination of the chain, from 1
	NextRecipient      int64  // its stage in the chain: 1 for the first, 0 without a chain
	Received           string // names of the notified users
	Suppressor         string
	SuppressNote       string
	UpdatedOn          resource.Seconds
	Notes              []AlertNote
	// when the next notification is due; 1: immediately, 0: not until something changes
	NoticeOn   resource.Seconds
	LastNotice LastNotice
}

// LastNotice is the last notification that was sent about an alert.
type LastNotice struct {
	Stage    int64            `json:"stage"` // of the chain; 0: no one has been notified
	Severity int64            `json:"severity"`
	On       resource.Seconds `json:"on"`
	Acked    bool             `json:"acked"`
}

// AlertNote is a note on an alert: a user's comment, or an event in its life.
type AlertNote struct {
	By   string           `json:"by" doc:"a user, or system for the portal itself"`
	On   resource.Seconds `json:"on" doc:"epoch seconds"`
	Text string           `json:"text" doc:"the note, or what happened"`
}

// Alerts declares /alert/alerts. Raise, Clear and other functions (life.go) write
// the rows; callers acknowledge, comment and escalate.
var Alerts = resource.Resource[*Alert]{
	Name: alertRows, Label: "alert", Sample: 1, Path: "/alert/alerts", Category: ground.CategoryAlerts,
	Object: resource.DeviceGroup, Scope: []string{"monitorObjectId", "deviceGroupId"},
	Doc: "A data point that is, or was, beyond its threshold. Lists show active alerts unless the filter names " +
		"cleared: cleared:\"*\" shows both.",
	Without: []resource.Verb{resource.OnCreate, resource.OnReplace, resource.OnPatch, resource.OnDelete},
	Usual:   &resource.Where{Field: "cleared", Op: "=", Value: false},
	Query:   alertParams,
	Absent: "adAlert adAlertDesc alertGroupEntityValue alertQuery anomaly enableAnomalyAlertGeneration " +
		"enableAnomalyAlertSuppression logMetaData logPartition sessionId",
	Fields: []resource.Field[*Alert]{
		{Name: "id", At: func(a *Alert) any { return &a.ID }, Doc: "Set by the portal", ReadOnly: true, Example: "12"},
		{Name: "type", At: func(a *Alert) any { return &a.Type },
			Doc: "dataSourceAlert, agentDownAlert of a collector that does not report, or hostClusterAlert of a " +
				"device group",
			ReadOnly: true, Example: DataSourceAlert},
		{Name: "severity", At: func(a *Alert) any { return &a.Severity }, Doc: "2 warn, 3 error, 4 critical",
			ReadOnly: true,
			Index:    true, Example: 3},
		{Name: "startEpoch", At: func(a *Alert) any { return &a.StartOn }, Doc: "When it opened", ReadOnly: true,
			Index:   true,
			Example: 1790000000},
		{Name: "endEpoch", At: func(a *Alert) any { return &a.EndOn }, Doc: "When it cleared; 0 while it is active",
			ReadOnly: true, Index: true},
		{Name: "cleared", At: func(a *Alert) any { return &a.Cleared },
			Doc: "The alert has cleared", ReadOnly: true, Index: true},
		{Name: "acked", At: func(a *Alert) any { return &a.Acked }, Doc: "The alert is acknowledged", ReadOnly: true,
			Index: true},
		{Name: "ackedBy", At: func(a *Alert) any { return &a.AckedBy },
			Doc: "User who last acknowledged it", ReadOnly: true,
			Example: "operator"},
		{Name: "ackedEpoch", At: func(a *Alert) any { return &a.AckedOn }, Doc: "When it was last acknowledged; 0: " +
			"never",
			ReadOnly: true},
		{Name: "ackComment", At: func(a *Alert) any { return &a.AckComment },
			Doc: "Comment of the acknowledgment", ReadOnly: true},
		{Name: "monitorObjectId", At: func(a *Alert) any { return &a.DeviceID },
			Doc: "The device; 0 for an alert of a collector or a group", ReadOnly: true, Refs: string(fleet.DeviceRows),
			Cascade: true, Index: true, Example: 7},
		{Name: "monitorObjectName", At: func(a *Alert) any { return &a.DeviceName },
			Doc: "Display name of the device, host name of the collector, or full path of the group, when it " +
				"opened",
			ReadOnly: true, Index: true, Example: "web-42"},
		{Name: "monitorObjectType", At: func(a *Alert) any { return &a.ObjectType },
			Doc:      "device, collector or deviceGroup",
			ReadOnly: true, Example: "device"},
		{Name: "collectorId", At: func(a *Alert) any { return &a.CollectorID },
			Doc: "The collector of the alert, 1 for the portal itself; 0 for an alert of a device", ReadOnly: true,
			Refs: string(collector.CollectorRows), Cascade: true, Index: true},
		{Name: "condition", At: func(a *Alert) any { return &a.Condition },
			Doc: "What is wrong with the collector: heartbeat, network, descriptors, clock, samples, database, " +
				"panic, credential; empty for an alert of a device or a group", ReadOnly: true},
		{Name: "deviceGroupId", At: func(a *Alert) any { return &a.GroupID },
			Doc: "The group of a cluster alert; 0 for an alert of a device or a collector", ReadOnly: true,
			Refs: string(fleet.GroupRows), Cascade: true, Index: true},
		{Name: "clusterAlertConfId", At: func(a *Alert) any { return &a.ClusterID },
			Doc: "The cluster alert of that group; 0 for none", ReadOnly: true, Index: true},
		{Name: "resourceTemplateId", At: func(a *Alert) any { return &a.DataSourceID }, Doc: "The data source",
			ReadOnly: true, Index: true, Example: 3},
		{Name: "resourceTemplateName", At: func(a *Alert) any { return &a.DataSourceName },
			Doc: "Unique name of the data source", ReadOnly: true, Example: "Ping"},
		{Name: "resourceId", At: func(a *Alert) any { return &a.DeviceDataSourceID },
			Doc:      "The data source on the device",
			ReadOnly: true, Example: 31},
		{Name: "instanceId", At: func(a *Alert) any { return &a.InstanceID }, Doc: "The instance", ReadOnly: true,
			Index: true, Example: 52},
		{Name: "instanceName", At: func(a *Alert) any { return &a.InstanceName }, Doc: "Full name of the instance",
			ReadOnly: true, Example: "Ping"},
		{Name: "instanceDescription", At: func(a *Alert) any { return &a.InstanceNote },
			Doc:      "Description of the instance",
			ReadOnly: true},
		{Name: "dataPointId", At: func(a *Alert) any { return &a.DataPointID }, Doc: "The data point", ReadOnly: true,
			Example: 3001},
		{Name: "dataPointName", At: func(a *Alert) any { return &a.DataPointName }, Doc: "Name of the data point",
			ReadOnly: true, Example: "PingLossPercent"},
		{Name: "alertValue", At: func(a *Alert) any { return &a.Value },
			Doc: "The value that opened it, or that changed its severity last", ReadOnly: true, Example: "83"},
		{Name: "reason", At: func(a *Alert) any { return &a.Reason },
			Doc: "Reason, as a sentence: why the check failed, or what is wrong with the collector; empty if the " +
				"value is reason enough", ReadOnly: true},
		{Name: "threshold", At: func(a *Alert) any { return &a.Threshold }, Doc: "Threshold that the value reached",
			ReadOnly: true, Example: "> 60 80 90"},
		{Name: "clearValue", At: func(a *Alert) any { return &a.ClearValue }, Doc: "The value that cleared it",
			ReadOnly: true},
		{Name: "clearExpr", At: func(a *Alert) any { return &a.ClearExpr }, Doc: "Threshold when it cleared",
			ReadOnly: true},
		{Name: "sdted", At: func(a *Alert) any { return &a.SDTed }, Doc: "In maintenance: nobody is notified",
			ReadOnly: true, Index: true},
		{Name: "sdtIds", At: func(a *Alert) any { return &a.SDTIDs },
			Doc: "Ids of the maintenance windows that cover it, joined by commas", ReadOnly: true},
		{Name: "ruleId", At: func(a *Alert) any { return &a.RuleID }, Doc: "The alert rule that matches it; 0: none",
			ReadOnly: true, Example: 2},
		{Name: "rule", At: func(a *Alert) any { return &a.Rule }, Doc: "Name of the alert rule", ReadOnly: true,
			Example: "Web servers"},
		{Name: "chainId", At: func(a *Alert) any { return &a.ChainID }, Doc: "Its escalation chain; 0 for none",
			ReadOnly: true, Index: true, Example: 1},
		{Name: "chain", At: func(a *Alert) any { return &a.Chain }, Doc: "Name of the escalation chain", ReadOnly: true,
			Example: "Web team"},
		{Name: "subChainId", At: func(a *Alert) any { return &a.SubChainID },
			Doc: "The destination of the chain that applies, from 1; 0: no chain", ReadOnly: true, Example: 1},
		{Name: "nextRecipient", At: func(a *Alert) any { return &a.NextRecipient },
			Doc: "The current stage of its escalation chain, from 1; 0 without a chain", ReadOnly: true, Example: 1},
		{Name: "receivedList", At: func(a *Alert) any { return &a.Received },
			Doc:      "Recipients notified so far, comma-separated",
			ReadOnly: true},
		{Name: "suppressor", At: func(a *Alert) any { return &a.Suppressor },
			Doc: "Why notifications are suppressed; empty if they are not", ReadOnly: true},
		{Name: "suppressDesc", At: func(a *Alert) any { return &a.SuppressNote },
			Doc: "Reason for the suppression", ReadOnly: true},
		{Name: "lastUpdatedOnEpoch", At: func(a *Alert) any { return &a.UpdatedOn },
			Doc:      "When it last changed",
			ReadOnly: true, Index: true},
		{Name: "notes", At: func(a *Alert) any { return &a.Notes },
			Doc: "Its history and notes, oldest first; the newest 200", ReadOnly: true,
			Example: []AlertNote{{By: ground.SystemUser, On: 1790000000, Text: "opened as error"}}},
		{Name: "noticeOn", At: func(a *Alert) any { return &a.NoticeOn },
			Doc:      "When the next notification is due",
			ReadOnly: true, WriteOnly: true, Index: true},
		{Name: "told", At: func(a *Alert) any { return &a.LastNotice }, Doc: "The last notification", ReadOnly: true,
			WriteOnly: true},
	},
	Derived: alertDerived,
	Lists: []resource.Listing{
		{Path: "/device/devices/{id}/alerts", Category: ground.CategoryDevices, Summary: "List alerts of a device",
			Doc: "Returns the alerts of one device, one page at a time: active ones unless the filter names cleared.",
			Of:  string(fleet.DeviceRows), Param: "id", Where: alertsOfDevice, Query: alertTimes, Sample: 2},
		{Path: "/device/groups/{id}/alerts", Category: ground.CategoryGroups, Summary: "List alerts of a group",
			Doc: "Returns the alerts of a group and all groups below it, and of the devices in them, one page at a " +
				"time: " +
				"active ones unless the filter names cleared.",
			Of: string(fleet.GroupRows), Param: "id", Where: alertsOfGroup, Sample: 16},
	},
	After: func(w *resource.Write, _, now *Alert) error { return keepStatus(w.Context, w.Tx, now.DeviceID) },
	Hooks: []resource.Hook{
		resource.Follow(fleet.OnRemoved, clearRemoved),
		resource.Supply(fleet.ActiveAlerts, alertsWithin),
		resource.Supply(fleet.AlertStatus, alertStatusOf(func(status string) any { return status })),
		resource.Supply(fleet.AlertStatusPriority,
			alertStatusOf(func(status string) any { return fleet.PriorityOf(status) })),
	},
	Actions: []resource.Action[*Alert]{
		{Name: "ack", Summary: "Acknowledge an alert",
			Doc: "Acknowledges an active alert, with a comment. This stops its escalation chain. The last " +
				"acknowledgement counts.",
			Op: resource.Ack, Many: "alertIds", Takes: alertComment{},
			Example: alertComment{Comment: "On it: the uplink is being replaced"}, Do: ackAlert},
		{Name: "unack", Summary: "Remove the acknowledgement of an alert",
			Doc: "Makes an acknowledged active alert unacknowledged. Its escalation continues.",
			Op:  resource.Ack, Many: "alertIds", Do: unackAlert},
		{Name: "note", Summary: "Add a note to an alert",
			Doc: "Adds a comment to an alert, active or cleared, without acknowledging it.",
			Op:  resource.Ack, Many: "alertIds", Takes: alertComment{},
			Example: alertComment{Comment: "The carrier expects it back within the hour"}, Do: noteAlert},
		{Name: "escalate", Summary: "Escalate an alert",
			Doc: "Passes an active alert on to the next stage of its escalation chain.", Op: resource.Ack,
			Do: escalateAlert},
	},
}

// alertComment is the body of requests that acknowledge or comment on an alert.
type alertComment struct {
	Comment string `json:"ackComment,omitempty" doc:"comment, 1 to 4,000 characters; required unless note is set"`
	Note    string `json:"note,omitempty" doc:"comment, an alternative to ackComment"`
}

func readComment(c *resource.Call) (string, error) {
	var in alertComment
	if err := c.Read(&in); err != nil {
		return "", err
	}
	text := strings.TrimSpace(cmp.Or(in.Comment, in.Note))
	if text == "" {
		return "", fault.At("ackComment", "ackComment is required")
	}
	if utf8.RuneCountInString(text) > 4000 || strings.ContainsRune(text, 0) {
		return "", fault.At("ackComment", "ackComment must be a text of at most 4,000 characters")
	}
	return text, nil
}

func ackAlert(w *resource.Write, a *Alert) error {
	comment, err := readComment(w.Call)
	if err != nil {
		return err
	}
	if a.Cleared {
		return fault.New(fault.Conflict, "the alert %d has cleared and cannot be acknowledged", a.ID)
	}
	a.Acknowledge(callerOf(w.Call), resource.SecondsOf(w.Call.At), comment)
	return nil
}

// Acknowledge marks the alert as acknowledged; SaveAlert stores it.
func (a *Alert) Acknowledge(by string, at resource.Seconds, comment string) {
	a.Acked, a.AckedBy, a.AckedOn, a.AckComment = true, by, at, comment
	a.note(by, at, "acknowledged: "+comment)
}

func unackAlert(w *resource.Write, a *Alert) error {
	switch {
	case a.Cleared:
		return fault.New(fault.Conflict, "the alert %d has cleared", a.ID)
	case !a.Acked:
		return fault.New(fault.Conflict, "the alert %d is not acknowledged", a.ID)
	}
	a.unacknowledge()
	a.note(callerOf(w.Call), resource.SecondsOf(w.Call.At), "acknowledgement removed")
	return nil
}

func (a *Alert) unacknowledge() {
	a.Acked, a.AckedBy, a.AckedOn, a.AckComment = false, "", 0, ""
}

func noteAlert(w *resource.Write, a *Alert) error {
	comment, err := readComment(w.Call)
	if err == nil {
		a.note(callerOf(w.Call), resource.SecondsOf(w.Call.At), comment)
	}
	return err
}

func callerOf(c *resource.Call) string {
	if c == nil || c.Access == nil {
		return ground.SystemUser
	}
	return c.Access.User
}

// maxNotes limits the notes of an alert, because a flapping alert gets many.
const maxNotes = 200

// note adds an event to the alert's notes.
func (a *Alert) note(by string, on resource.Seconds, text string) {
	a.Notes = append(a.Notes, AlertNote{By: by, On: on, Text: text})
	if over := len(a.Notes) - maxNotes; over > 0 {
		a.Notes = a.Notes[over:]
	}
	a.UpdatedOn = on
	a.NoticeOn = 1
}
