package alert

import (
	"spyglass/backend/fault"
	"spyglass/backend/portal/ground"
	"spyglass/backend/resource"
)

// deliveryRows names the rows of Delivery.
const deliveryRows resource.Name[*Delivery] = "delivery"

// States of a Delivery.
const (
	DeliveryWaiting   = "waiting"
	DeliverySent      = "sent"
	DeliveryFailed    = "failed"    // given up; a user may send it again
	DeliveryThrottled = "throttled" // the chain allowed no more notices at the time
	// DeliverySuperseded is a notice that was out of date before it was
	// delivered.
	DeliverySuperseded = "superseded"
)

// The events that cause a Delivery.
const (
	EventActive    = "active"
	EventEscalated = "escalated"
	EventAcked     = "acked"
	EventCleared   = "cleared"
	EventTest      = "test"   // of an integration; there is no alert
	EventReport    = "report" // a report is ready; there is no alert
)

// Delivery is one notification to one address. It stores the text, so that a
// notification shows the state at the time it was written.
type Delivery struct {
	ID        int64
	AlertID   int64 // 0 for a test and for a report
	ChainID   int64
	Chain     string
	Stage     int64
	Tells     string
	Recipient string // as a person reads it: "admin by email"
	Method    string // email, or the name of an integration
	Address   string
	Subject   string
	Body      string
	Payload   string // body for a web hook; empty for mail
	State     string
	Attempts  int64
	CreatedOn resource.Seconds
	NextOn    resource.Seconds // time of the next attempt while pending: in real time, like UntilOn
	UntilOn   resource.Seconds // time at which attempts stop; 0 before the first attempt
	SentOn    resource.Seconds
	Error     string
	TaskID    int64  // the run of the report to deliver; 0 for none
	Attached  bool   // the file of that run is attached
	Key       string // the same for every attempt, so that receivers can detect duplicates
	Digest    string // key of the message that contains it with others; empty if it is sent alone
	InDoubt   bool   // an attempt began and its outcome is unknown: it may have been delivered
}

// Deliveries declares /alert/deliveries. The rows are written by notify.
var Deliveries = resource.Resource[*Delivery]{
	Name: deliveryRows, Label: "delivery", Sample: 1, Path: "/alert/deliveries", Category: ground.CategoryAlerts,
	Object: resource.Setting, Area: ground.AreaAlerting, Scope: []string{"alertId"},
	Doc: "A notice of an alert, or a report, to one recipient: waiting, sent, failed, throttled, or superseded by a " +
		"later one before it was delivered.",
	Without: []resource.Verb{resource.OnCreate, resource.OnReplace, resource.OnPatch, resource.OnDelete},
	Extra: map[resource.Verb]resource.Extra{resource.OnList: {Alias: resource.Alias{
		Path: "/setting/integrations/auditlogs", Summary: "List the log of integrations"}}},
	Fields: []resource.Field[*Delivery]{
		{Name: "id", At: func(d *Delivery) any { return &d.ID }, Doc: "Set by the portal", ReadOnly: true, Example: 1},
		{Name: "alertId", At: func(d *Delivery) any { return &d.AlertID }, Doc: "The alert; 0 for a test or a report",
			ReadOnly: true, Refs: string(alertRows), Cascade: true, Index: true, Example: 12},
		{Name: "chainId", At: func(d *Delivery) any { return &d.ChainID }, Doc: "The escalation chain; 0 for a test",
			ReadOnly: true, Index: true, Example: 1},
		{Name: "chain", At: func(d *Delivery) any { return &d.Chain }, Doc: "Name of the escalation chain at the time",
			ReadOnly: true, Example: "Web team"},
		{Name: "stage", At: func(d *Delivery) any { return &d.Stage }, Doc: "Which stage of the chain, from 1",
			ReadOnly: true, Example: 1},
		{Name: "tells", At: func(d *Delivery) any { return &d.Tells },
			Doc: "active, escalated, acked or cleared; test, of an integration; report, for a finished " +
				"report", ReadOnly: true,
			Example: EventActive},
		{Name: "recipient", At: func(d *Delivery) any { return &d.Recipient }, Doc: "The recipient", ReadOnly: true,
			Example: "admin by email"},
		{Name: "method", At: func(d *Delivery) any { return &d.Method }, Doc: "email, or the name of an integration",
			ReadOnly: true, Index: true, Example: ByEmail},
		{Name: "address", At: func(d *Delivery) any { return &d.Address }, Doc: "Address of the " +
			"recipient", ReadOnly: true,
			Example: "admin@example.net"},
		{Name: "subject", At: func(d *Delivery) any { return &d.Subject }, Doc: "Subject of the notice", ReadOnly: true,
			Example: "error: web-42 Ping PingLossPercent"},
		{Name: "text", At: func(d *Delivery) any { return &d.Body }, Doc: "Text of the notice", ReadOnly: true,
			MaxLen: maxMessage,
			Example: "PingLossPercent of Ping on web-42 is 83 %; it should be at most 60 % (error above 80 %). Error " +
				"since " +
				"2026-05-04 14:00:00 CEST."},
		{Name: "payload", At: func(d *Delivery) any { return &d.Payload }, Doc: "The body sent to a webhook",
			ReadOnly: true,
			MaxLen:   4 * maxMessage},
		{Name: "state", At: func(d *Delivery) any { return &d.State }, Doc: "waiting, sent, failed, throttled or " +
			"superseded",
			ReadOnly: true, Index: true, Example: DeliverySent},
		{Name: "attempts", At: func(d *Delivery) any { return &d.Attempts }, Doc: "Number of attempts",
			ReadOnly: true,
			Example:  1},
		{Name: "createdOn", At: func(d *Delivery) any { return &d.CreatedOn }, Doc: "When it was written",
			ReadOnly: true,
			Index:    true, Example: 1790000000},
		{Name: "nextOn", At: func(d *Delivery) any { return &d.NextOn },
			Doc:      "When the next attempt is due, while it is pending",
			ReadOnly: true, Index: true},
		{Name: "untilOn", At: func(d *Delivery) any { return &d.UntilOn }, Doc: "When attempts end", ReadOnly: true,
			WriteOnly: true},
		{Name: "sentOn", At: func(d *Delivery) any { return &d.SentOn }, Doc: "When the receiver accepted it; 0: not " +
			"yet",
			ReadOnly: true, Example: 1790000001},
		{Name: "error", At: func(d *Delivery) any { return &d.Error }, Doc: "Why the last attempt failed",
			ReadOnly: true},
		{Name: "reportTaskId", At: func(d *Delivery) any { return &d.TaskID },
			Doc: "The report run that it delivers; 0 for none", ReadOnly: true},
		{Name: "attached", At: func(d *Delivery) any { return &d.Attached },
			Doc: "The report is attached to the email; otherwise the text has a link to it", ReadOnly: true},
		{Name: "key", At: func(d *Delivery) any { return &d.Key },
			Doc:      "The same in every attempt: the Message-ID of an email, the Idempotency-Key of a webhook",
			ReadOnly: true,
			Example:  "5f2c8d0e-1a3b-4c5d-8e9f-001122334455"},
		{Name: "digest", At: func(d *Delivery) any { return &d.Digest },
			Doc:      "The key of the message that combines it with others; empty for a separate message",
			ReadOnly: true,
			Index:    true},
		{Name: "inDoubt", At: func(d *Delivery) any { return &d.InDoubt },
			Doc: "An attempt ended before the server responded, so it may have been delivered", ReadOnly: true},
	},
	Actions: []resource.Action[*Delivery]{{
		Name: "retry", Summary: "Send a notice again",
		Doc: "Retries a failed or throttled notice as if it were new.",
		Do: func(_ *resource.Write, d *Delivery) error {
			if d.State != DeliveryFailed && d.State != DeliveryThrottled {
				return fault.New(fault.Conflict,
					"the notice %d is %s; only failed and throttled ones can be retried", d.ID,
					d.State)
			}
			d.State, d.Attempts, d.NextOn, d.UntilOn, d.Error, d.Digest = DeliveryWaiting, 0, 0, 0, "", ""
			return nil
		},
	}},
}
