package main

import (
	"context"
	"errors"
	"image"
	"net/http"

	"spyglass/build/project"
	"spyglass/build/serving"
)

// overview measures the time from the start of the program until the Monitor's
// overview shows the portal's data.
var overview = figure{
	name: "overview", does: "start to the overview with live data, ms (floor: first paint of an empty Wails window)",
	goal: "≤ 2.5", measure: plain(func(ctx context.Context, p project.Project) (ours, floor float64, err error) {
		s, err := overviewOf(ctx, p)
		if err != nil {
			return 0, 0, err
		}
		defer func() { err = errors.Join(err, s.Close()) }()
		return measureStarts(ctx, p, s.Data(), overviewDrawn)
	}),
}

// overviewLarge measures the same with many devices.
var overviewLarge = figure{
	name: "overview-large", does: "start to the overview of 100,000 devices, ms (other: of 150)",
	goal: "≤ 1.5", measure: plain(func(ctx context.Context, p project.Project) (ours, other float64, err error) {
		large, err := overviewOf(ctx, p, "--demo-devices", "100000")
		if err != nil {
			return 0, 0, err
		}
		defer func() { err = errors.Join(err, large.Close()) }()
		small, err := overviewOf(ctx, p)
		if err != nil {
			return 0, 0, err
		}
		defer func() { err = errors.Join(err, small.Close()) }()
		app, _, err := windows(ctx, p)
		if err != nil {
			return 0, 0, err
		}
		return startInTurn(ctx,
			opening{name: app, args: []string{"--data", large.Data()}, drawn: overviewDrawn},
			opening{name: app, args: []string{"--data", small.Data()}, drawn: overviewDrawn})
	}),
}

// overviewOf returns a stopped demo with its history, whose user was last at the
// overview.
func overviewOf(ctx context.Context, p project.Project, args ...string) (*serving.Server, error) {
	s, err := serving.Serve(ctx, p, args...)
	if err != nil {
		return nil, err
	}
	err = s.Send(ctx, http.MethodPatch, "/explorer/settings", map[string]any{"view": "monitor"}, &struct{}{})
	if err == nil {
		err = waitForSamples(ctx, s)
	}
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	s.Stop()
	return s, nil
}

// overviewDrawn reports whether each part of the overview shows something: the
// counts, the alerts of the last hours, the active alerts, the devices, and the
// chart of the worst alert.
func overviewDrawn(s screen) bool {
	for _, area := range []image.Rectangle{
		image.Rect(8, 112, 500, 152), image.Rect(560, 160, 1420, 204), image.Rect(20, 280, 900, 860),
		image.Rect(990, 250, 1420, 500),
		image.Rect(1050, 690, 1420, 820),
	} {
		if !s.coloured(area) {
			return false
		}
	}
	return true
}
