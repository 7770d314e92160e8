package alert

import (
	"cmp"

	"spyglass/backend/portal/collector"
	"spyglass/backend/portal/ground"
	"spyglass/backend/resource"
)

// A condition is something that can be wrong with a collector, or, on the
// built-in one (BuiltInCollector), with this portal and the machine it runs on.
// Each condition of a collector has an alert of its own: it opens, changes
// severity and clears without regard to the others.
//
// To report one, call Raise in a transaction with a Finding that names the
// collector, the condition, a severity, and a Reason; to end it, call Clear with
// the same collector and condition:
//
//	f := &alert.Finding{
//		CollectorID: ground.BuiltInCollector, Condition: alert.ConditionNetwork,
//		Severity: threshold.SeverityCritical,
//		Value: "no network", Reason: "This machine has no network. No device behind it can be checked.", At: now,
//	}
//	_, _, err := alert.Raise(ctx, tx, f)
//
// Both may be repeated: Raise changes nothing while the alert is open with that
// severity, and Clear changes nothing when there is none. The Reason is one or
// two plain sentences; it is the text of the alert on screen, and the body of its
// notices. Rules, escalation, maintenance of the collector, acknowledgement and
// notices work as for every alert. A rule meets such alerts by the data source
// "Collector" and the condition as data point.
//
// A new condition is a constant here and its words in conditions.
const (
	ConditionHeartbeat   = "heartbeat"   // the collector does not report; a Finding without a condition means this one
	ConditionNetwork     = "network"     // its machine has no network
	ConditionDescriptors = "descriptors" // its machine has no file descriptors, ports, or memory left
	ConditionClock       = "clock"       // its clock differs from the portal's
	ConditionSamples     = "samples"     // samples cannot be stored
	ConditionDatabase    = "database"    // the database cannot be written
	ConditionPanic       = "panic"       // a background task panicked and was stopped
	ConditionCredential  = "credential"  // it was registered again while it was running
	ConditionExpressions = "expressions" // some need too much work and are not evaluated
)

// conditions maps conditions to the words in a subject, after the name of the
// collector.
var conditions = map[string]string{
	ConditionHeartbeat: "is down", ConditionNetwork: "has no network",
	ConditionDescriptors: "is out of system resources",
	ConditionClock:       "has a wrong clock", ConditionSamples: "cannot store samples",
	ConditionDatabase: "cannot write its database",
	ConditionPanic:    "had a crashed task", ConditionCredential: "was registered again while it ran",
	ConditionExpressions: "has expressions that take too much work",
}

// CollectorSource is the data source name in alerts about conditions of a
// collector.
const CollectorSource = "Collector"

// The texts of notifications about a condition other than a missing heartbeat.
const (
	conditionSubject = "##LEVEL##: ##COLLECTOR## ##CONDITION##"
	conditionBody    = "##REASON## ##SEVERITY## since ##START##."
	conditionOver    = "##REASON## ##SEVERITY## from ##START## to ##END##."
)

// alertOf fills in an alert about a condition of the collector. Published clients
// know agentDownAlert for a collector that does not report; other conditions are
// alerts of a data source, which is how they represent the health of a collector.
func (a *Alert) ofCollector(c *collector.Collector, condition string) {
	a.ObjectType, a.CollectorID, a.DeviceName, a.Condition = "collector", c.ID, c.Hostname, cmp.Or(condition,
		ConditionHeartbeat)
	if a.Condition == ConditionHeartbeat {
		a.Type = AgentDownAlert
		return
	}
	a.DataSourceName, a.DataPointName, a.InstanceName = CollectorSource, a.Condition, CollectorSource
}

// ofCondition returns the condition for alerts of a collector with a condition. A
// heartbeat alert of an earlier version names none.
func ofCondition(condition string) resource.Where {
	names := []string{cmp.Or(condition, ConditionHeartbeat)}
	if names[0] == ConditionHeartbeat {
		names = append(names, "")
	}
	return resource.Where{Field: "condition", Op: "in", Value: names}
}

// collector names the collector of an alert in a sentence.
func (s *alertSubject) collector() string {
	if s.alert.CollectorID == ground.BuiltInCollector {
		return "the portal"
	}
	return "the collector " + s.alert.DeviceName
}
