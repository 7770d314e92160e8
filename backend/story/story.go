// Package story reconstructs what happened around an alert: what broke first, what
// depends on it, who was notified, what people did, and what was changed shortly
// before.
//
// One call assembles a Story in a fixed number of queries, each with a limit. The
// same Story is the JSON of the endpoint, and the content of its Markdown and PDF
// files, so that all three say the same.
//
// # The cause
//
// If a device depends on others (monitor, "Dependencies"), the cause of its alert
// is the alert of the farthest of them that was active at that time. Otherwise it
// is the first alert of the device itself that was still active when the alert
// opened. Alerts of the cause's device and of all devices that depend on it belong
// to the story if they opened from half an hour before the cause until a quarter
// of an hour after it cleared.
//
// # Units and shapes
//
// Times are epoch seconds of the portal's clock. Sentences contain durations but no
// times of day, so that a screen can show times in its own time zone.
//
// # Access
//
// A story has only what the caller may view. Parts that require a permission that
// the caller lacks are listed in Withheld.
//
// # Concurrency
//
// A Service is immutable and can be shared.
//
// # Errors
//
// fault.Unknown for an alert that does not exist or that the caller cannot view,
// fault.Invalid for an unknown format.
package story

import (
	"context"
	"time"

	"spyglass/backend/fault"
	"spyglass/backend/portal/ground"
	"spyglass/backend/resource"
	"spyglass/backend/series"
)

// Options configures a Service.
type Options struct {
	DB     resource.DB
	Series *series.DB
	Zone   func() *time.Location // of the portal; UTC when nil
	// Dependencies returns the ids of the devices that a device depends on, the
	// nearest first, and of those that depend on it. May be nil.
	Dependencies func(device int64) (above, below []int64)
}

// Service assembles stories.
type Service struct{ o Options }

// New returns a Service.
func New(o Options) *Service {
	if o.Zone == nil {
		o.Zone = func() *time.Location { return time.UTC }
	}
	if o.Dependencies == nil {
		o.Dependencies = func(int64) ([]int64, []int64) { return nil, nil }
	}
	return &Service{o}
}

// Limits of a story.
const (
	mostDevices = 500 // dependents
	mostAlerts  = 200
	mostNotices = 500
	mostChanges = 200
	mostEvents  = 1000
	mostCharts  = 4

	before = 30 * 60     // seconds before the cause in which an alert still belongs to the story
	after  = 15 * 60     // the same after the cause has cleared
	lookup = 2 * 60 * 60 // seconds before the cause in which changes are listed
)

// Story is an alert with everything around it.
type Story struct {
	ID    int64  `json:"alertId" doc:"id of the requested alert"`
	Title string `json:"title" doc:"the cause in a few words"`
	Now   int64  `json:"now" doc:"the portal's time, in epoch seconds"`
	Start int64  `json:"startEpoch" doc:"when it began, in epoch seconds"`
	End   int64  `json:"endEpoch" doc:"when the last of its alerts cleared; 0 while it is ongoing"`

	Summary []string         `json:"summary" doc:"what happened, in a few sentences"`
	Cause   IncidentAlert    `json:"cause" doc:"the alert that explains the others"`
	Alerts  []IncidentAlert  `json:"alerts" doc:"all alerts of the story, the first one first"`
	Devices []IncidentDevice `json:"devices" doc:"the device of the cause, and those that depend on it"`
	Events  []IncidentEvent  `json:"events" doc:"what happened when, the oldest first"`
	Charts  IncidentCharts   `json:"charts" doc:"related data points over the same time"`

	Total    IncidentTotals     `json:"total" doc:"total numbers; the lists may be shorter"`
	Withheld []IncidentWithheld `json:"withheld" doc:"parts of the story that the caller's role cannot view"`
}

// IncidentAlert is an alert of a story.
type IncidentAlert struct {
	ID                 int64  `json:"id"`
	Relation           string `json:"relation" enum:"cause|same|dependent|related" doc:"same: on the device of the cause; dependent: on a device that depends on it; related: of the same collector or group"`
	Severity           int64  `json:"severity" doc:"2 warn, 3 error, 4 critical"`
	DeviceID           int64  `json:"deviceId" doc:"0 for a collector or a group"`
	Device             string `json:"deviceName" doc:"name of the device, the collector or the group"`
	DataSource         string `json:"dataSourceName"`
	Instance           string `json:"instanceName"`
	DataPoint          string `json:"dataPointName"`
	Value              string `json:"value" doc:"value that opened it"`
	Unit               string `json:"unit"`
	Threshold          string `json:"threshold" doc:"threshold that the value reached"`
	Reason             string `json:"reason" doc:"an explanation, if a number does not say enough"`
	Start              int64  `json:"startEpoch" doc:"epoch seconds"`
	End                int64  `json:"endEpoch" doc:"epoch seconds; 0 while it is active"`
	Acked              bool   `json:"acked"`
	AckedBy            string `json:"ackedBy"`
	AckedOn            int64  `json:"ackedEpoch"`
	AckComment         string `json:"ackComment"`
	Maintenance        bool   `json:"sdted" doc:"maintenance covers it"`
	Notified           string `json:"receivedList" doc:"recipients notified so far, comma-separated"`
	InstanceID         int64  `json:"instanceId"`
	DeviceDataSourceID int64  `json:"deviceDataSourceId"`

	dataSource, dataPoint, collector, group int64
	level                                   string
	sdts                                    string
	notes                                   []note
}

type note struct {
	by   string
	on   int64
	text string
}

// IncidentDevice is a device of a story.
type IncidentDevice struct {
	ID       int64  `json:"deviceId"`
	Name     string `json:"displayName"`
	Role     string `json:"role" enum:"cause|dependent|related"`
	Status   string `json:"hostStatus" doc:"now: normal, dead or dead-collector"`
	Alerts   int64  `json:"alerts" doc:"number of alerts of the story on this device"`
	SilentOn int64  `json:"silentOn" doc:"when it stopped responding, by its samples, in epoch seconds; 0: it did not"`
	BackOn   int64  `json:"backOn" doc:"when it responded again; 0: not yet, or it never stopped"`
}

// IncidentEvent is one line of the timeline.
type IncidentEvent struct {
	At       int64  `json:"at" doc:"epoch seconds"`
	Kind     string `json:"kind" enum:"silent|opened|state|cleared|back|acked|note|notified|failed|maintenance|change|opsNote"`
	Text     string `json:"text" doc:"what happened, in a sentence"`
	By       string `json:"by" doc:"the user; empty for the portal itself"`
	Severity int64  `json:"severity" doc:"severity of the alert; 0 for others"`
	AlertID  int64  `json:"alertId" doc:"0 for others"`
	DeviceID int64  `json:"deviceId" doc:"0 for others"`
	Near     bool   `json:"near" doc:"for a change: true if it was made to an object of the story"`
}

// IncidentCharts are data points over the same time.
type IncidentCharts struct {
	Start int64           `json:"startTime" doc:"start in epoch seconds"`
	End   int64           `json:"endTime" doc:"end in epoch seconds"`
	Step  int64           `json:"step" doc:"seconds of a step"`
	Lines []IncidentChart `json:"lines" doc:"the data point of the cause first"`
}

// IncidentChart is one data point.
type IncidentChart struct {
	AlertID    int64      `json:"alertId"`
	DeviceID   int64      `json:"deviceId"`
	Device     string     `json:"deviceName"`
	DataSource string     `json:"dataSourceName"`
	Instance   string     `json:"instanceName"`
	DataPoint  string     `json:"dataPointName"`
	Unit       string     `json:"unit"`
	Threshold  string     `json:"threshold"`
	InstanceID int64      `json:"instanceId"`
	OnDevice   int64      `json:"deviceDataSourceId" doc:"the data source on the device"`
	Values     []*float64 `json:"values" doc:"the average of each step; null: no data for three polls"`
}

// IncidentTotals counts what a story has, beyond the limits of its lists.
type IncidentTotals struct {
	Alerts     int64 `json:"alerts"`
	Dependents int64 `json:"dependents" doc:"devices that depend on the device of the cause"`
	Silent     int64 `json:"silent" doc:"dependents that stopped responding"`
	Suppressed int64 `json:"suppressed" doc:"silent dependents without an alert of their own"`
	Notified   int64 `json:"notified" doc:"notifications that were sent"`
	Unnotified int64 `json:"notNotified" doc:"notifications that failed"`
	Changes    int64 `json:"changes" doc:"configuration changes from two hours before the story until its end"`
}

// IncidentWithheld is a part of the story that the caller cannot view.
type IncidentWithheld struct {
	Part string `json:"part" enum:"notifications|changes|opsNotes"`
	Text string `json:"text" doc:"the permission that it requires"`
}

// Formats of a story.
const (
	formatJSON     = "json"
	formatMarkdown = "markdown"
	formatPDF      = "pdf"

	typeMarkdown = "text/markdown; charset=utf-8"
	typePDF      = "application/pdf"
)

// Endpoints returns the route of the service.
func (s *Service) Endpoints() []resource.Endpoint {
	body := resource.SchemaOf(Story{})
	return []resource.Endpoint{{
		Method: "GET", Path: "/alert/alerts/{id}/story", Category: ground.CategoryAlerts,
		Summary: "Get the story of an alert",
		Doc: "Returns what broke first, the devices that depend on it, their alerts, who was notified, " +
			"acknowledgements, notes, maintenance, configuration changes shortly before, and related charts. With " +
			"format=markdown or pdf, returns the same as a file for a post-mortem. Parts that your role cannot view " +
			"are listed in withheld.",
		Right: resource.Right{Object: resource.DeviceGroup, Op: resource.Read}, Noun: resource.Regular("alert"),
		Params: []resource.Param{
			{Name: "id", In: "path", Required: true, Schema: resource.Integer("Id of the alert"), Example: 1},
			{Name: "format", In: "query", Schema: resource.Schema{Type: "string", Default: formatJSON,
				Enum: []any{formatJSON, formatMarkdown, formatPDF}, Doc: "json, or markdown or pdf for a file"}},
		},
		Response: &body, Files: []string{typeMarkdown, typePDF},
		Errors: []resource.Failure{
			{Kind: fault.Unknown, When: "there is no such alert, or it is not yours to see"},
			{Kind: fault.Invalid, When: "the format is unknown"},
		},
		Example: resource.Example{Path: "/alert/alerts/1/story"},
		Handle:  s.handle,
	}}
}

func (s *Service) handle(ctx context.Context, c *resource.Call) (any, error) {
	id, err := c.ID("id")
	if err != nil {
		return nil, err
	}
	format := c.Query.Get("format")
	switch format {
	case "", formatJSON, formatMarkdown, formatPDF:
	default:
		return nil, &fault.Error{Kind: fault.Invalid, Field: "format", Message: "format must be json, markdown or pdf",
			Allowed: []any{formatJSON, formatMarkdown, formatPDF}}
	}
	story, err := s.Tell(ctx, c.Access, c.At, id)
	if err != nil {
		return nil, err
	}
	if format == "" || format == formatJSON {
		return story, nil
	}
	return s.file(story, c, format), nil
}
