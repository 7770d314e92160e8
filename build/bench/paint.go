package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"spyglass/build/desktop"
	"spyglass/build/project"
	"spyglass/build/serving"
)

// paint measures the time from the start of the program to the first text in its
// window. Both programs are observed from outside in the same way: text is
// antialiased, so the screen shows text when it has more than a few colours. No
// window manager runs, because it would draw a title.
var paint = figure{
	name: "paint", does: "start to first paint, ms (floor: an empty Wails window)",
	goal: "≤ 1.2", measure: plain(func(ctx context.Context, p project.Project) (ours, floor float64, err error) {
		data, err := os.MkdirTemp("", "spyglass-bench-")
		if err != nil {
			return 0, 0, err
		}
		defer func() { err = errors.Join(err, os.RemoveAll(data)) }()
		return measureStarts(ctx, p, data, textDrawn)
	}),
}

// paintTabs measures the same with requests that were left open.
var paintTabs = figure{
	name: "paint-tabs", does: "the same with 30 tabs to restore, ms (floor: an empty Wails window)",
	goal: "≤ 1.6", measure: plain(func(ctx context.Context, p project.Project) (ours, floor float64, err error) {
		s, err := serving.Serve(ctx, p, "--demo-devices", "1")
		if err != nil {
			return 0, 0, err
		}
		defer func() { err = errors.Join(err, s.Close()) }()
		if err := leaveOpen(ctx, s, 30); err != nil {
			return 0, 0, err
		}
		s.Stop()
		return measureStarts(ctx, p, s.Data(), textDrawn)
	}),
}

// leaveOpen opens requests, as the page does.
func leaveOpen(ctx context.Context, s *serving.Server, tabs int) error {
	if err := s.Send(ctx, http.MethodPatch, "/explorer/settings", map[string]any{"view": "api"},
		&struct{}{}); err != nil {
		return err
	}
	for i := range tabs {
		draft := map[string]any{"method": "GET", "path": fmt.Sprint("/device/devices/", i),
			"template": "/device/devices/{id}"}
		if err := s.Post(ctx, "/explorer/tabs", map[string]any{"position": i, "draft": draft},
			&struct{}{}); err != nil {
			return err
		}
	}
	return nil
}

// paints is the number of starts of each program; odd, for the median.
const paints = 7

// fewColours limits the background colours of the root window, the window and the
// page.
const fewColours = 12

// textDrawn reports whether there is text on the screen.
func textDrawn(s screen) bool { return s.coloured(image.Rect(0, 0, s.width, s.height)) }

// nothingDrawn reports whether the screen is empty.
func nothingDrawn(s screen) bool { return s.colours(image.Rect(0, 0, s.width, s.height), 3) <= 2 }

// measureStarts starts our window on a data folder until drawn reports true, and
// the empty one until it has drawn its text, in turn.
func measureStarts(ctx context.Context, p project.Project, data string,
	drawn func(screen) bool) (ours, floor float64, err error) {
	app, empty, err := windows(ctx, p)
	if err != nil {
		return 0, 0, err
	}
	return startInTurn(ctx,
		opening{name: app, args: []string{"--data", data}, drawn: drawn},
		opening{name: empty, drawn: textDrawn})
}

// windows builds the program and the empty window.
func windows(ctx context.Context, p project.Project) (app, empty string, err error) {
	if err := p.Install(ctx, slices.Concat(project.ForWindow, project.ForScreen)); err != nil {
		return "", "", err
	}
	if app, err = p.Binary(ctx); err != nil {
		return "", "", err
	}
	empty, err = p.Compile(ctx, "emptywindow", project.DesktopTags, "./app/shell/emptywindow")
	return app, empty, err
}

// opening is a program that opens a window, with the drawing to wait for.
type opening struct {
	name  string
	args  []string
	drawn func(screen) bool
}

// startInTurn returns the milliseconds that each takes.
func startInTurn(ctx context.Context, a, b opening) (ours, other float64, err error) {
	desk, err := desktop.Start(desktop.Options{Width: 1440, Height: 900, Bus: true})
	if err != nil {
		return 0, 0, err
	}
	defer desk.Close()
	var our, least []float64
	for i := range paints + 1 {
		x, err := a.until(ctx, desk)
		if err != nil {
			return 0, 0, err
		}
		y, err := b.until(ctx, desk)
		if err != nil {
			return 0, 0, err
		}
		if i > 0 { // the first start fills the disk cache and creates the data folder
			our, least = append(our, x), append(least, y)
		}
	}
	return median(our), median(least), nil
}

// until starts the program, waits for its drawing, ends it, and returns the
// milliseconds.
func (o opening) until(ctx context.Context, desk *desktop.Desktop) (float64, error) {
	begun := time.Now()
	cmd, err := o.open(ctx, desk)
	took := milliseconds(time.Since(begun))
	if err == nil {
		err = shut(ctx, desk, cmd)
	}
	return took, err
}

// open starts the program and returns when it has drawn.
func (o opening) open(ctx context.Context, desk *desktop.Desktop) (*exec.Cmd, error) {
	cmd := desk.Command(o.name, o.args...)
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	if err := untilScreen(ctx, desk, o.drawn); err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", filepath.Base(o.name), err), shut(ctx, desk, cmd))
	}
	return cmd, nil
}

// shut ends a program, and returns when its window has closed.
func shut(ctx context.Context, desk *desktop.Desktop, cmd *exec.Cmd) error {
	_ = cmd.Process.Signal(syscall.SIGTERM)
	_ = cmd.Wait() // ended by us
	return untilScreen(ctx, desk, nothingDrawn)
}

// untilScreen checks the screen every 5 ms until wanted reports true.
func untilScreen(ctx context.Context, desk *desktop.Desktop, wanted func(screen) bool) error {
	dump, err := os.Open(desk.Framebuffer())
	if err != nil {
		return err
	}
	defer dump.Close()
	info, err := dump.Stat()
	if err != nil {
		return err
	}
	seen := make([]byte, info.Size())
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(60 * time.Second); time.Now().Before(end); {
		if _, err := dump.ReadAt(seen, 0); err != nil {
			return err
		}
		if wanted(screenOf(seen)) {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
	}
	return errors.New("the screen did not change as it should have within a minute")
}

// screen is the image in an X window dump of 32 bits a pixel.
type screen struct {
	width, height int
	line          int // length in bytes
	pixels        []byte
}

// screenOf reads the dump's header (X11/XWDFile.h).
func screenOf(dump []byte) screen {
	field := func(n int) int { return int(binary.BigEndian.Uint32(dump[4*n:])) }
	const headerSize, width, height, line, colourCount, colourSize = 0, 4, 5, 12, 19, 12
	return screen{field(width), field(height), field(line), dump[field(headerSize)+colourSize*field(colourCount):]}
}

// coloured reports whether an area has more than a few colours, as text has.
func (s screen) coloured(area image.Rectangle) bool {
	return s.colours(area, fewColours+1) > fewColours
}

// colours counts the colours of an area, up to limit.
func (s screen) colours(area image.Rectangle, limit int) int {
	var seen []uint32
	last := ^uint32(0)
	var above []byte
	for y := area.Min.Y; y < area.Max.Y; y++ {
		row := s.pixels[y*s.line+4*area.Min.X : y*s.line+4*area.Max.X]
		if bytes.Equal(row, above) { // counting it again would distort the measurement
			continue
		}
		above = row
		for x := area.Min.X; x < area.Max.X; x++ {
			pixel := binary.NativeEndian.Uint32(s.pixels[y*s.line+4*x:])
			if pixel == last {
				continue
			}
			last = pixel
			if !slices.Contains(seen, pixel) {
				if seen = append(seen, pixel); len(seen) >= limit {
					return limit
				}
			}
		}
	}
	return len(seen)
}
