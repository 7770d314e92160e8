package main

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"net/http"
	"os"
	"slices"
	"syscall"
	"time"

	"spyglass/build/desktop"
)

// paint is from the start of the program to the first text in its window. Both
// programs are seen from outside in the same way: text is drawn with soft
// edges, so it is there when the screen has more than a few colours. No window
// manager runs, which would draw a title.
var paint = figure{
	name: "paint", does: "start to first paint, ms (floor: an empty Wails window)",
	goal: "≤ 1.6", measure: plain(func(ctx context.Context, p project) (ours, floor float64, err error) {
		data, err := os.MkdirTemp("", "spyglass-bench-")
		if err != nil {
			return 0, 0, err
		}
		defer func() { err = errors.Join(err, os.RemoveAll(data)) }()
		return measurePaint(ctx, p, data)
	}),
}

// paintTabs is the same with requests that were left open.
var paintTabs = figure{
	name: "paint-tabs", does: "the same with 30 tabs to restore, ms (floor: an empty Wails window)",
	goal: "≤ 1.6", measure: plain(func(ctx context.Context, p project) (ours, floor float64, err error) {
		s, err := p.serve(ctx, "--demo-devices", "1")
		if err != nil {
			return 0, 0, err
		}
		defer func() { err = errors.Join(err, s.close()) }()
		if err := s.leaveOpen(ctx, 30); err != nil {
			return 0, 0, err
		}
		s.stop()
		return measurePaint(ctx, p, s.data())
	}),
}

// leaveOpen opens requests, as the page does.
func (s *served) leaveOpen(ctx context.Context, tabs int) error {
	if err := s.send(ctx, http.MethodPatch, "/explorer/settings", map[string]any{"view": "api"}, &struct{}{}); err != nil {
		return err
	}
	for i := range tabs {
		draft := map[string]any{"method": "GET", "path": fmt.Sprint("/device/devices/", i), "template": "/device/devices/{id}"}
		if err := s.post(ctx, "/explorer/tabs", map[string]any{"position": i, "draft": draft}, &struct{}{}); err != nil {
			return err
		}
	}
	return nil
}

// paints is how often each program is started; odd, for the median.
const paints = 7

// fewColours are the root window's, the window's and the page's grounds.
const fewColours = 12

func measurePaint(ctx context.Context, p project, data string) (ours, floor float64, err error) {
	if err := p.install(ctx, slices.Concat(forWindow, forScreen)); err != nil {
		return 0, 0, err
	}
	app, err := p.binary(ctx)
	if err != nil {
		return 0, 0, err
	}
	empty, err := p.compile(ctx, "emptywindow", desktopTags, "./app/shell/emptywindow")
	if err != nil {
		return 0, 0, err
	}
	desk, err := desktop.Start(desktop.Options{Width: 1440, Height: 900, Bus: true})
	if err != nil {
		return 0, 0, err
	}
	defer desk.Close()
	var our, least []float64
	for i := range paints + 1 {
		a, err := firstPaint(ctx, desk, app, "--data", data)
		if err != nil {
			return 0, 0, err
		}
		b, err := firstPaint(ctx, desk, empty)
		if err != nil {
			return 0, 0, err
		}
		if i > 0 { // the first start reads everything from disk and makes the data folder
			our, least = append(our, a), append(least, b)
		}
	}
	return median(our), median(least), nil
}

// firstPaint is in milliseconds.
func firstPaint(ctx context.Context, desk *desktop.Desktop, name string, args ...string) (float64, error) {
	cmd := desk.Command(name, args...)
	started := time.Now()
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	defer func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		_ = cmd.Wait() // ended by us
		_ = untilScreen(ctx, desk, func(colours int) bool { return colours <= 2 })
	}()
	err := untilScreen(ctx, desk, func(colours int) bool { return colours > fewColours })
	if err != nil {
		return 0, fmt.Errorf("%s: %w", name, err)
	}
	return milliseconds(time.Since(started)), nil
}

// untilScreen looks at the screen every 5 ms until it is as wanted.
func untilScreen(ctx context.Context, desk *desktop.Desktop, wanted func(colours int) bool) error {
	dump, err := os.Open(desk.Framebuffer())
	if err != nil {
		return err
	}
	defer dump.Close()
	info, err := dump.Stat()
	if err != nil {
		return err
	}
	screen := make([]byte, info.Size())
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(30 * time.Second); time.Now().Before(end); {
		if _, err := dump.ReadAt(screen, 0); err != nil {
			return err
		}
		if wanted(colours(screen, fewColours+1)) {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
	}
	return errors.New("the screen did not change as it should have within 30 s")
}

// colours counts the colours of an X window dump of 32 bits a pixel, up to
// limit.
func colours(dump []byte, limit int) int {
	const headerSize, colourCount, colourSize = 0, 19 * 4, 12
	pixels := dump[binary.BigEndian.Uint32(dump[headerSize:])+colourSize*binary.BigEndian.Uint32(dump[colourCount:]):]
	var seen []uint32
	last := ^uint32(0)
	for i := 0; i+4 <= len(pixels); i += 4 {
		pixel := binary.NativeEndian.Uint32(pixels[i:])
		if pixel == last {
			continue
		}
		last = pixel
		if !slices.Contains(seen, pixel) {
			if seen = append(seen, pixel); len(seen) >= limit {
				break
			}
		}
	}
	return len(seen)
}
