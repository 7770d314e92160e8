package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"

	"spyglass/build/project"
	"spyglass/build/serving"
)

// document is the time from the last byte of a 50 MB response to its first rows
// in the page, in a real browser. The floor is the least work of a page that
// reads the response itself.
var document = figure{
	name: "document", does: "50 MB: last byte to first rows painted, ms (floor: JSON.parse)",
	goal: "≤ 0.25", measure: inBrowser(func(m browserTimes) (float64, float64) { return m.Paint, m.Parse }),
}

// indexed is the time until the page has the last rows of the response.
var indexed = figure{
	name: "indexed", does: "50 MB: last byte to its last rows, ms (floor: JSON.parse)",
	goal: "≤ 2", measure: inBrowser(func(m browserTimes) (float64, float64) { return m.Indexed, m.Parse }),
}

// findIn measures a search for text that occurs once, at the end.
var findIn = figure{
	name: "find", does: "50 MB: find and count what is at its end, ms (floor: JSON.parse)",
	goal: "≤ 1.5", measure: inBrowser(func(m browserTimes) (float64, float64) { return m.Find, m.Parse }),
}

// task is the longest task of the page meanwhile.
var task = figure{
	name: "task", does: "50 MB: longest task of the page, ms of CPU (other: limit)",
	goal: "≤ 1", measure: inBrowser(func(m browserTimes) (float64, float64) { return m.Task, 25 }),
}

// heap measures the growth of the page's heap.
var heap = figure{
	name: "heap", does: "50 MB: growth of the page's heap, MB (floor: 20)",
	goal: "≤ 1", measure: inBrowser(func(m browserTimes) (float64, float64) { return m.Heap, 20 }),
}

// browserTimes holds the output of frontend/e2e/bench-document.mjs, in
// milliseconds and megabytes.
type browserTimes struct {
	Bytes                                   int64
	Paint, Indexed, Find, Parse, Task, Heap float64
}

// catalogSearch measures a key typed into the search of a catalog of 500
// endpoints.
var catalogSearch = figure{
	name: "catalog", does: "500 endpoints: a key in their search, page laid out, ms (floor: 16, a frame)",
	goal: "≤ 1", measure: plain(func(ctx context.Context, p project.Project) (ours, floor float64, err error) {
		var m struct{ Median float64 }
		err = inPage(ctx, p, "bench-catalog.mjs", "1", func(*serving.Server) error { return nil }, &m)
		return m.Median, 16, err
	}),
}

// palette measures a key typed into the command palette of a portal with 100,000
// devices, until the last visible result of the portal is laid out.
var palette = figure{
	name: "palette", does: "100,000 devices: a key in the palette, results shown, ms (floor: 16, a frame)",
	goal: "≤ 1", measure: inPalette(func(m paletteTimes) float64 { return m.All }),
}

// paletteLocal is the time until the results of the page itself are laid out.
var paletteLocal = figure{
	name: "palette-local", does: "100,000 devices: the same, local results only, ms (floor: 16, a frame)",
	goal: "≤ 1", measure: inPalette(func(m paletteTimes) float64 { return m.Own }),
}

// paletteTimes holds the output of frontend/e2e/bench-palette.mjs, in milliseconds.
type paletteTimes struct {
	Devices  int
	Own, All float64
}

func inPalette(pick func(paletteTimes) float64) func(context.Context, project.Project) (score, error) {
	return plain(func(ctx context.Context, p project.Project) (ours, floor float64, err error) {
		var m paletteTimes
		err = inPage(ctx, p, "bench-palette.mjs", fmt.Sprint(rivalDevices),
			func(s *serving.Server) error { return settled(ctx, s) }, &m)
		if err == nil && m.Devices != rivalDevices {
			err = fmt.Errorf("the portal has %d devices only", m.Devices)
		}
		return pick(m), 16, err
	})
}

// They make a response of 50 MB: each device has this many properties of this
// length.
const (
	longDevices    = 1000
	longProperties = 2
	longValue      = 24_000
)

func inBrowser(pick func(browserTimes) (ours, floor float64)) func(context.Context, project.Project) (score, error) {
	return plain(func(ctx context.Context, p project.Project) (ours, floor float64, err error) {
		var m browserTimes
		if err := inPage(ctx, p, "bench-document.mjs", "1",
			func(s *serving.Server) error { return fillDocument(ctx, s) }, &m); err != nil {
			return 0, 0, err
		}
		if m.Bytes < 45_000_000 {
			return 0, 0, fmt.Errorf("the response has %d bytes only", m.Bytes)
		}
		ours, floor = pick(m)
		return ours, floor, nil
	})
}

// inPage runs a script of frontend/e2e in a browser, with a portal of that many
// demo devices that ready has prepared, and decodes its output into out.
func inPage(ctx context.Context, p project.Project, script, devices string, ready func(*serving.Server) error,
	out any) (err error) {
	if err := p.Install(ctx, project.ForPage); err != nil {
		return err
	}
	s, err := serving.Serve(ctx, p, "--demo-devices", devices)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	if err := ready(s); err != nil {
		return err
	}
	cmd := p.Command(ctx, "frontend", "node", "e2e/"+script, s.Origin, "admin")
	var output bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(s.Password), &output, os.Stderr
	if err := cmd.Run(); err != nil {
		return project.Named(err, script, nil)
	}
	return json.Unmarshal(output.Bytes(), out)
}

// fillDocument adds the devices that make the list long.
func fillDocument(ctx context.Context, s *serving.Server) error {
	type property struct {
		Name  string `json:"name"`
		Value string `json:"value"`
	}
	text := strings.Repeat("A line of a configuration, with \"quotes\" in it.\n", longValue)[:longValue]
	for i := range longDevices {
		properties := make([]property, longProperties)
		for n := range properties {
			properties[n] = property{fmt.Sprint("config.", n), text}
		}
		err := s.Post(ctx, "/api/device/devices", map[string]any{
			"name": fmt.Sprintf("10.9.%d.%d", i/250, i%250), "displayName": fmt.Sprint("long-", i),
			"hostGroupIds": "1", "customProperties": properties,
		}, &struct{}{})
		if err != nil {
			return err
		}
	}
	return nil
}
