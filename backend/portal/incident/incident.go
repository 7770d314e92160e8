// Package incident declares the incidents of the demo environment, and the speed of
// its clock.
//
// Only a demo portal has their endpoints.
package incident

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"spyglass/backend/fault"
	"spyglass/backend/portal/collector"
	"spyglass/backend/portal/fleet"
	"spyglass/backend/portal/ground"
	"spyglass/backend/resource"
)

// incidentRows names the rows of Incident.
const incidentRows resource.Name[*Incident] = "demoIncident"

// Incident is an event in the demo with a duration. Package demo simulates its
// effects on devices.
type Incident struct {
	ID          int64
	Kind        string
	DeviceID    int64
	GroupID     int64
	CollectorID int64
	Strength    int64
	Duration    int64 // seconds
	State       string
	StartOn     resource.Seconds
	EndOn       resource.Seconds // when it will end, or has ended
	StartedBy   string
}

// IncidentKind is a type of incident.
type IncidentKind struct {
	Name     string
	Doc      string // what happens, to what, and the meaning of the strength
	Target   string // the field that may name the target; empty: everything
	Duration int64  // default, in seconds
	Strength int64  // default
	Real     bool   // it runs in real time, not on the clock of the demo's devices
}

// Kinds of incidents.
const (
	CoreSwitchDown      = "coreSwitchDown"
	DiskFilling         = "diskFilling"
	CPUStorm            = "cpuStorm"
	FlappingLink        = "flappingLink"
	CertificateExpiring = "certificateExpiring"
	CollectorDown       = "collectorDown"
	AlertStorm          = "alertStorm"
	SlowResponses       = "slowAnswers"
	TooManyRequests     = "tooManyRequests"
	FailingResponses    = "failingAnswers"
	ExpiredSession      = "expiredSession"
)

// IncidentKinds lists all kinds of incidents.
var IncidentKinds = []IncidentKind{
	{Name: CoreSwitchDown, Target: "deviceId", Duration: 1800, Strength: 100,
		Doc: "a core switch and the devices that depend on it do not respond; strength: the share of these, in " +
			"percent"},
	{Name: DiskFilling, Target: "deviceId", Duration: 3600, Strength: 100,
		Doc: "the disks of a device fill steadily; strength: how full they get, in percent"},
	{Name: CPUStorm, Target: "groupId", Duration: 1800, Strength: 95,
		Doc: "the processors of a group's devices are busy; strength: how busy, in percent"},
	{Name: FlappingLink, Target: "deviceId", Duration: 3600, Strength: 50,
		Doc: "the first interface of a device flaps; strength: how much of the time it is down, in percent"},
	{Name: CertificateExpiring, Target: "deviceId", Duration: 3600, Strength: 100,
		Doc: "the last days of a certificate pass; strength: how many of a hundred"},
	{Name: CollectorDown, Target: "collectorId", Duration: 900, Strength: 100, Real: true,
		Doc: "a simulated collector falls silent"},
	{Name: AlertStorm, Target: "groupId", Duration: 600, Strength: 100,
		Doc: "everything that has a threshold goes beyond it, polled every ten seconds; strength: the share of " +
			"that, in " +
			"percent"},
	{Name: SlowResponses, Duration: 300, Strength: 20, Real: true,
		Doc: "the API takes its time; strength: tenths of a second"},
	{Name: TooManyRequests, Duration: 120, Strength: 50, Real: true,
		Doc: "the API responds with 429; strength: to how many of a hundred requests"},
	{Name: FailingResponses, Duration: 120, Strength: 30, Real: true,
		Doc: "the API responds with 500; strength: to how many of a hundred requests"},
	{Name: ExpiredSession, Duration: 60, Strength: 100, Real: true,
		Doc: "the API responds with 401; strength: to how many of a hundred requests"},
}

// KindOf returns the kind of an incident; nil if this version does not have it.
func (i *Incident) KindOf() *IncidentKind {
	at := slices.IndexFunc(IncidentKinds, func(k IncidentKind) bool { return k.Name == i.Kind })
	if at < 0 {
		return nil
	}
	return &IncidentKinds[at]
}

// States of an incident.
const (
	IncidentRuns  = "running"
	IncidentEnded = "ended"
)

const maxIncident, maxRunning = 24 * 3600, 20

// Incidents declares /demo/incidents, which only a demo has.
var Incidents = resource.Resource[*Incident]{
	Name: incidentRows, Label: "incident", Sample: 1, Path: "/demo/incidents", Category: ground.CategorySettings,
	Object: resource.Setting, Area: ground.AreaPortal, Steady: true, // they end by it
	Doc: "A simulated incident of the demo that ends by itself. It affects devices, which raises alerts, or the API. " +
		"API incidents do not affect these endpoints, endpoints below /demo, or sign-in.",
	Without: []resource.Verb{resource.OnReplace, resource.OnPatch},
	Fields: []resource.Field[*Incident]{
		{Name: "id", At: func(i *Incident) any { return &i.ID }, Doc: "Set by the portal", ReadOnly: true, Example: 1},
		{Name: "kind", At: func(i *Incident) any { return &i.Kind }, Doc: incidentDoc(), Required: true,
			OneOf: incidentNames(), Index: true, Example: CPUStorm},
		{Name: "deviceId", At: func(i *Incident) any { return &i.DeviceID },
			Doc: "The affected device; 0: selected automatically", Min: resource.Bound(0),
			Refs: string(fleet.DeviceRows)},
		{Name: "groupId", At: func(i *Incident) any { return &i.GroupID },
			Doc: "The affected device group, including groups below; 0: selected automatically", Min: resource.Bound(0),
			Refs: string(fleet.GroupRows)},
		{Name: "collectorId", At: func(i *Incident) any { return &i.CollectorID },
			Doc: "The affected simulated collector; 0: the first", Min: resource.Bound(0),
			Refs: string(collector.CollectorRows)},
		{Name: "strength", At: func(i *Incident) any { return &i.Strength },
			Doc: "Its strength, see kind; 0: default",
			Min: resource.Bound(0), Max: resource.Bound(100)},
		{Name: "duration", At: func(i *Incident) any { return &i.Duration },
			Doc: "Duration in seconds; 0: default. Incidents of the API and of collectors run in real time, all " +
				"others in demo time", Min: resource.Bound(0),
			Max: resource.Bound(maxIncident)},
		{Name: "state", At: func(i *Incident) any { return &i.State }, Doc: "running or ended", ReadOnly: true,
			Index:   true,
			Example: IncidentRuns},
		{Name: "startOn", At: func(i *Incident) any { return &i.StartOn }, Doc: "When it began", ReadOnly: true,
			Index: true},
		{Name: "endOn", At: func(i *Incident) any { return &i.EndOn }, Doc: "When it ends, or has ended",
			ReadOnly: true},
		{Name: "startedBy", At: func(i *Incident) any { return &i.StartedBy }, Doc: "Who started it", ReadOnly: true},
	},
	Check: func(w *resource.Write, was, now *Incident) error {
		if was != nil {
			return nil
		}
		running, err := resource.Find(w.Context, w.Tx, incidentRows,
			resource.Where{Field: "state", Op: "=", Value: IncidentRuns}, resource.Limit(maxRunning))
		if err == nil && len(running) == maxRunning {
			err = fault.New(fault.Conflict, "%d incidents are already running; stop one of them first", maxRunning)
		}
		if err != nil {
			return err
		}
		if now.CollectorID > 0 {
			if c, err := resource.Get(w.Context, w.Tx, collector.CollectorRows, now.CollectorID); err == nil &&
				!c.Simulated() {
				return fault.At("collectorId",
					"collectorId: collector %d is not a simulated collector of the demo", c.ID)
			}
		}
		return now.begin(w.Call)
	},
	Actions: []resource.Action[*Incident]{{
		Name: "stop", Summary: "Stop an incident", Doc: "Ends the incident now. An ended incident does not change.",
		Do: func(w *resource.Write, i *Incident) error {
			i.End(resource.SecondsOf(i.time(w.Call)))
			return nil
		},
	}},
}

// begin completes a new incident.
func (i *Incident) begin(c *resource.Call) error {
	kind := i.KindOf()
	for name, id := range map[string]int64{"deviceId": i.DeviceID, "groupId": i.GroupID, "collectorId": i.CollectorID} {
		if id != 0 && name != kind.Target {
			return fault.At(name, "%s: %s has no %s", name, i.Kind, strings.TrimSuffix(name, "Id"))
		}
	}
	i.Strength, i.Duration = cmp.Or(i.Strength, kind.Strength), cmp.Or(i.Duration, kind.Duration)
	i.State, i.StartedBy = IncidentRuns, ground.SystemUser
	if c.Access != nil {
		i.StartedBy = c.Access.User
	}
	i.StartOn = resource.SecondsOf(i.time(c))
	i.EndOn = i.StartOn + resource.Seconds(i.Duration)
	return nil
}

// time returns the current time of the clock by which the incident runs.
func (i *Incident) time(c *resource.Call) time.Time {
	if kind := i.KindOf(); kind != nil && kind.Real {
		return time.Now()
	}
	return c.At
}

// End returns the end of a running incident.
func (i *Incident) End(at resource.Seconds) {
	if i.State == IncidentRuns {
		i.State, i.EndOn = IncidentEnded, max(i.StartOn, min(at, i.EndOn))
	}
}

func incidentNames() []any {
	names := make([]any, len(IncidentKinds))
	for i := range IncidentKinds {
		names[i] = IncidentKinds[i].Name
	}
	return names
}

// incidentDoc describes each kind of incident.
func incidentDoc() string {
	var b strings.Builder
	b.WriteString("What happens.")
	for _, k := range IncidentKinds {
		fmt.Fprintf(&b, " %s: %s.", k.Name, k.Doc)
	}
	return b.String()
}

// demoTimeRows names the rows of DemoTime.
const demoTimeRows resource.Name[*DemoTime] = "demoTime"

// DemoTime is one row, id 1: how the demo was created, and the state of its
// clock.
type DemoTime struct {
	ID      int64
	Devices int64           // number of devices it was created with; 0 for the standard company
	Paused  bool            // its clock is paused
	At      resource.Millis // the time of the demo when the row was written; 0: real time

	PastOn resource.Seconds // the instances of the demo have samples until then; 0: unknown
	PastOf int64            // the last of these instances
	Polled bool             // polled since PastOn, until an unknown time
}

// DemoTimeID is the id of the only row.
const DemoTimeID int64 = 1

// TimeOf returns the row, or a new one.
func TimeOf(ctx context.Context, r resource.Reader) (*DemoTime, error) {
	row, err := resource.Lookup(ctx, r, demoTimeRows, DemoTimeID)
	if row == nil {
		row = &DemoTime{ID: DemoTimeID}
	}
	return row, err
}

// DemoTimes declares the row; /demo/time shows it.
var DemoTimes = resource.Resource[*DemoTime]{
	Name: demoTimeRows, Label: "time of the demo", Sample: DemoTimeID,
	Doc:    "How a demo was created, and its clock.",
	Object: resource.Setting, Area: ground.AreaPortal,
	Fields: []resource.Field[*DemoTime]{
		{Name: "id", At: func(d *DemoTime) any { return &d.ID }, Doc: "Always 1", ReadOnly: true},
		{Name: "devices", At: func(d *DemoTime) any { return &d.Devices },
			Doc: "How many devices it was created with; 0 for the standard company", ReadOnly: true},
		{Name: "paused", At: func(d *DemoTime) any { return &d.Paused }, Doc: "Its clock is paused", ReadOnly: true},
		{Name: "at", At: func(d *DemoTime) any { return &d.At },
			Doc: "Its time when the row was written; 0: that of the world", ReadOnly: true},
		{Name: "pastOn", At: func(d *DemoTime) any { return &d.PastOn }, Doc: "Until then its instances have samples",
			ReadOnly: true},
		{Name: "pastOf", At: func(d *DemoTime) any { return &d.PastOf }, Doc: "The last of these instances",
			ReadOnly: true},
		{Name: "polled", At: func(d *DemoTime) any { return &d.Polled }, Doc: "They have been polled since",
			ReadOnly: true},
	},
}
