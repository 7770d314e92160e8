package notify

import (
	"context"
	"crypto/rand"
	"strings"

	"spyglass/backend/fault"
	"spyglass/backend/portal/alert"
	"spyglass/backend/portal/ground"
	"spyglass/backend/portal/people"
	"spyglass/backend/portal/threshold"
	"spyglass/backend/resource"
)

// testRequest is the body of a test.
type testRequest struct {
	Addr string `json:"addr,omitempty" doc:"smtp: the recipient's address; default: the caller's address"`
}

// Endpoints returns the endpoints for notices that are not declared by a
// resource.
func (s *Service) Endpoints() []resource.Endpoint {
	right := resource.Right{Object: resource.Setting, Area: ground.AreaAlerting, Op: resource.Modify}
	body, response := resource.SchemaOf(testRequest{}), alert.Deliveries.Schema()
	return []resource.Endpoint{{
		Method: "POST", Path: "/setting/integrations/{id}/test", Category: ground.CategorySettings, Right: right,
		Summary: "Test an integration",
		Doc: "Sends a test notification immediately, and returns the result: sent, or failed, with the server's " +
			"message.",
		Params: []resource.Param{
			{Name: "id", In: "path", Required: true, Schema: resource.Schema{Type: "integer", Doc: "The integration"},
				Example: 3}},
		Body: &body, Response: &response, Handle: s.test,
		Errors: []resource.Failure{
			{Kind: fault.Invalid, When: "addr is not a valid email address"},
			{Kind: fault.Unknown, When: "there is no such integration"},
		},
		Example: resource.Example{Path: "/setting/integrations/3/test", Body: map[string]any{}},
	}}
}

// test sends a test notice, and stores its outcome like that of any other notice.
func (s *Service) test(ctx context.Context, c *resource.Call) (any, error) {
	id, err := c.ID("id")
	if err != nil {
		return nil, err
	}
	var in testRequest
	if err := c.Read(&in); err != nil {
		return nil, err
	}
	i, err := resource.Get(ctx, s.db, alert.Integrations.Name, id)
	if err != nil {
		return nil, err
	}
	d := &alert.Delivery{
		Tells: alert.EventTest, Recipient: i.Name, Method: i.Name, Address: strings.TrimSpace(in.Addr),
		Key:       rand.Text(),
		CreatedOn: resource.SecondsOf(c.At),
		State:     alert.DeliveryFailed, Error: "the test was cut off",
		Subject: "Test of " + i.Name, Body: "This is a test of the integration " + i.Name + " by " + c.Access.User +
			". If you can read it, it works.",
	}
	if i.Type == alert.IntegrationSMTP && d.Address == "" {
		user, err := resource.Get(ctx, s.db, people.Users.Name, c.Access.UserID)
		if err != nil {
			return nil, err
		}
		d.Address = user.Email
	}
	if i.Type == alert.IntegrationHTTP {
		sample := &alert.Alert{Severity: threshold.SeverityWarn, DeviceName: "test", DataPointName: "test", Value: "1",
			Threshold: "> 0", StartOn: d.CreatedOn}
		wording, err := alert.WordingOf(ctx, s.db, sample)
		if err != nil {
			return nil, err
		}
		d.Payload = payload(i, sample, d, wording, s.o.Origin())
	}
	keep := func() error {
		return s.db.Write(context.WithoutCancel(ctx),
			func(tx resource.Tx) error { return resource.Put(ctx, tx, alert.Deliveries.Name, d) })
	}
	if err := keep(); err != nil { // first, so that the log contains each outgoing notice
		return nil, err
	}
	s.settle(d, s.try(ctx, i, d))
	d.NextOn = 0 // the user sees the response: no second attempt
	if err := keep(); err != nil {
		return nil, err
	}
	text, err := alert.Deliveries.AppendJSON(nil, d)
	return resource.JSON(text), err
}
