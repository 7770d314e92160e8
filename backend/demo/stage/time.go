package stage

import (
	"context"
	"time"

	"spyglass/backend/fault"
	"spyglass/backend/portal/ground"
	"spyglass/backend/portal/incident"
	"spyglass/backend/resource"
)

// timing is the response of /demo/time.
type timing struct {
	Now    int64 `json:"now" doc:"demo time in epoch seconds, used for devices, samples, alerts and maintenance"`
	World  int64 `json:"world" doc:"real time in epoch seconds, used for sessions, tokens, notices, remote collectors and real devices"`
	Speed  int64 `json:"speed" doc:"seconds of the demo clock per second"`
	Paused bool  `json:"paused" doc:"the demo clock is paused"`
	// Filling is computed from the row that a history writes when it starts and
	// ends.
	Filling bool `json:"filling" doc:"samples of the past are being generated; charts may have gaps until then"`
}

// timingChange is the body of a change.
type timingChange struct {
	Speed  *int64 `json:"speed,omitempty" doc:"1 to 60"`
	Paused *bool  `json:"paused,omitempty" doc:"true pauses, false resumes"`
}

// resetOrder is the body of a reset.
type resetOrder struct {
	Confirm string `json:"confirm" doc:"reset; everything but users, roles, tokens, settings and audit log is recreated"`
}

const maxSpeed = 60

// Endpoints returns the endpoints for the demo's time.
func (s *Stage) Endpoints() []resource.Endpoint {
	response, change, order := resource.SchemaOf(timing{}), resource.SchemaOf(timingChange{}),
		resource.SchemaOf(resetOrder{})
	right := resource.Right{Object: resource.Setting, Area: ground.AreaPortal, Op: resource.Modify}
	read := right
	read.Op = resource.Read
	return []resource.Endpoint{
		{
			Method: "GET", Path: "/demo/time", Category: ground.CategorySettings, Right: read, Response: &response,
			Steady:  true,
			Summary: "Get the demo clock", Doc: "Returns the time and the speed of the demo clock.",
			Handle: func(context.Context, *resource.Call) (any, error) { return s.timing(), nil },
		},
		{
			Method: "PATCH", Path: "/demo/time", Category: ground.CategorySettings, Right: right, Body: &change,
			Steady:   true,
			Response: &response,
			Summary:  "Pause or speed up the demo",
			Doc: "Pauses, resumes or speeds up the demo clock, up to 60 times. Real devices are polled in real time. " +
				"After a restart of the portal, the demo clock runs at normal speed, from the present if it was " +
				"behind.",
			Errors:  []resource.Failure{{Kind: fault.Invalid, When: "the speed is outside of 1 to 60"}},
			Example: resource.Example{Body: map[string]any{"speed": 10, "paused": false}}, Handle: s.change,
		},
		{
			Method: "POST", Path: "/demo/time/reset", Category: ground.CategorySettings, Right: right, Body: &order,
			Steady:   true,
			Response: &response,
			Summary:  "Reset the demo", Doc: "Recreates the demo at the present time: devices, alerts, reports and " +
				"everything else except users, roles, tokens, settings and the access log. Users stay signed in. It " +
				"takes some seconds.",
			Errors: []resource.Failure{{Kind: fault.Invalid, When: "confirm is not the word reset"},
				{Kind: fault.Conflict, When: "a reset is already running"}},
			Example: resource.Example{Body: map[string]any{"confirm": "reset"}}, Handle: s.reset,
		},
	}
}

func (s *Stage) timing() timing {
	speed := s.o.Clock.Speed()
	t := timing{Now: s.o.Clock.Now().Unix(), World: time.Now().Unix(), Speed: int64(speed), Paused: speed == 0,
		Filling: s.o.Filling != nil && s.o.Filling()}
	if t.Paused {
		t.Speed = s.speed.Load()
	}
	return t
}

func (s *Stage) change(ctx context.Context, c *resource.Call) (any, error) {
	var in timingChange
	if err := c.Read(&in); err != nil {
		return nil, err
	}
	s.timed.Lock()
	defer s.timed.Unlock()
	now := s.timing()
	if in.Speed != nil {
		if *in.Speed < 1 || *in.Speed > maxSpeed {
			return nil, fault.At("speed", "speed must be a whole number from 1 to %d", maxSpeed)
		}
		now.Speed = *in.Speed
	}
	if in.Paused != nil {
		now.Paused = *in.Paused
	}
	speed := float64(now.Speed)
	if now.Paused {
		speed = 0
	}
	s.speed.Store(now.Speed)
	s.o.Clock.SetSpeed(speed)
	return s.timing(), s.keepTime(ctx)
}

func (s *Stage) reset(ctx context.Context, c *resource.Call) (any, error) {
	var in resetOrder
	if err := c.Read(&in); err != nil {
		return nil, err
	}
	if in.Confirm != "reset" {
		return nil, fault.At("confirm", "confirm must be reset: it deletes all devices, alerts and reports, and "+
			"creates them again")
	}
	if err := s.o.Reset(ctx); err != nil {
		return nil, err
	}
	s.speed.Store(1)
	return s.timing(), s.Load(ctx)
}

// keepTime stores the state of the demo clock, unless it shows real time.
func (s *Stage) keepTime(ctx context.Context) error {
	return s.o.DB.Write(resource.WithCall(ctx, nil), func(tx resource.Tx) error {
		row, err := incident.TimeOf(ctx, tx)
		if err != nil {
			return err
		}
		row.Paused, row.At = s.o.Clock.Speed() == 0, resource.MillisOf(s.o.Clock.Now())
		return resource.Put(ctx, tx, incident.DemoTimes.Name, row)
	})
}

// Resume sets the clock when a portal starts: the demo resumes at its stored
// time, or at the current time if that is later. A paused clock stays paused.
func (s *Stage) Resume(ctx context.Context) error {
	row, err := resource.Lookup(ctx, s.o.DB, incident.DemoTimes.Name, incident.DemoTimeID)
	if err != nil || row == nil || row.At == 0 {
		return err
	}
	if at := time.UnixMilli(int64(row.At)); row.Paused || at.After(s.o.Clock.Now()) {
		s.o.Clock.SetTime(at)
	}
	if row.Paused {
		s.o.Clock.SetSpeed(0)
	}
	return s.Load(ctx)
}
