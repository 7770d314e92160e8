package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"runtime"
	"time"

	kept "spyglass/app/document"
	"spyglass/build/project"
)

// The figures of a response of 500 MB, which no page could hold: the requests
// that the page makes while it shows one, sent to the package that stores it.
var (
	huge = figure{
		name: "huge", does: "500 MB: last byte to first rows, ms (floor: 16, a frame)", goal: "≤ 1",
		measure: plain(func(ctx context.Context, _ project.Project) (ours, floor float64, err error) {
			large, err := measureKept(ctx, 10*documentBytes)
			return large.opened, 16, err
		}),
	}
	hugeScroll = figure{
		name: "huge-scroll", does: "500 MB: a screen of rows anywhere in it, ms (floor: 16, a frame)", goal: "≤ 1",
		measure: plain(func(ctx context.Context, _ project.Project) (ours, floor float64, err error) {
			large, err := measureKept(ctx, 10*documentBytes)
			return large.screen, 16, err
		}),
	}
	hugeMemory = figure{
		name: "huge-memory", does: "500 MB: what the process holds of it, MB (floor: its size)", goal: "≤ 0.2",
		measure: plain(func(ctx context.Context, _ project.Project) (ours, floor float64, err error) {
			large, err := measureKept(ctx, 10*documentBytes)
			return large.held, 10 * documentBytes / 1e6, err
		}),
	}
)

const documentBytes = 50_000_000

// keeping is the cost of a stored response, in milliseconds and megabytes.
type keeping struct{ opened, screen, held float64 }

func measureKept(ctx context.Context, bytes int) (k keeping, err error) {
	folder, err := os.MkdirTemp("", "spyglass-bench-")
	if err != nil {
		return k, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	store, err := kept.NewStore(folder, kept.Limits{})
	if err != nil {
		return k, err
	}
	defer store.Close()
	before := heapInUse()
	w := store.Create("application/json")
	if err := writeItems(ctx, w, bytes); err != nil {
		w.Abort()
		return k, err
	}
	ended := time.Now()
	doc, err := w.Finish()
	if err != nil {
		return k, err
	}
	const screen = 50
	if rows, _, err := doc.Rows(0, screen); err != nil || len(rows) != screen {
		return k, fmt.Errorf("the first rows are %d: %w", len(rows), err)
	}
	k.opened = milliseconds(time.Since(ended))
	_, total, err := doc.Rows(0, 1)
	if err != nil {
		return k, err
	}
	if total <= screen {
		return k, fmt.Errorf("there are %d rows only", total)
	}
	source := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // the same places each time
	times := make([]float64, 301)
	for i := range times {
		from := source.IntN(total - screen)
		begun := time.Now()
		if rows, _, err := doc.Rows(from, screen); err != nil || len(rows) != screen {
			return k, fmt.Errorf("the rows at %d are %d: %w", from, len(rows), err)
		}
		times[i] = milliseconds(time.Since(begun))
	}
	k.screen, k.held = median(times), (heapInUse()-before)/1e6
	return k, nil
}

// writeItems writes a list of devices of at least the given size in bytes.
func writeItems(ctx context.Context, w io.Writer, bytes int) error {
	written := 0
	put := func(format string, args ...any) error {
		n, err := fmt.Fprintf(w, format, args...)
		written += n
		return err
	}
	if err := put(`{"total":1,"items":[`); err != nil {
		return err
	}
	for i := 0; written < bytes; i++ {
		comma := ","
		if i == 0 {
			comma = ""
		}
		if err := put(`%s{"id":%d,"displayName":"core-sw-%06d.fra","hostStatus":"normal","updatedOn":1795187052000,`+
			`"customProperties":[{"name":"location","value":"Frankfurt, rack %d"}]}`, comma, i, i, i%97); err != nil {
			return err
		}
		if i%4096 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return put(`]}`)
}

func heapInUse() float64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return float64(m.HeapInuse)
}
