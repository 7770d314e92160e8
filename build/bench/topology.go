package main

import (
	"context"
	"fmt"

	"spyglass/build/project"
	"spyglass/build/serving"
)

// mapDevices is the size of the fleet on the map.
const mapDevices = 20_000

// mapPan is the longest task of the page while the topology map is dragged, at
// several scales.
var mapPan = figure{
	name: "map", does: "map of 20,000 devices: longest task of the page while panning, ms of CPU (floor: 50)",
	goal: "≤ 1", measure: plain(func(ctx context.Context, p project.Project) (ours, floor float64, err error) {
		var m struct {
			Devices int
			Task    float64
		}
		err = inPage(ctx, p, "bench-map.mjs", fmt.Sprint(mapDevices), func(*serving.Server) error { return nil }, &m)
		if err == nil && m.Devices != mapDevices {
			err = fmt.Errorf("the map has %d devices only", m.Devices)
		}
		return m.Task, 50, err
	}),
}
