package main

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"time"

	"spyglass/build/desktop"
	"spyglass/build/project"
)

// The figures of an idle window, on the overview of the demo.
var (
	idleMemory = figure{
		name: "idle-memory", does: "idle on the overview: memory of all processes, MB (floor: an empty Wails window)",
		goal: "≤ 1.35",
		measure: plain(func(ctx context.Context, p project.Project) (ours, floor float64, err error) {
			err = idle(ctx, p, func(app, empty opening) error {
				if ours, err = idling(ctx, app, residents); err == nil {
					floor, err = idling(ctx, empty, residents)
				}
				return err
			})
			return ours, floor, err
		}),
	}
	idleCPU = figure{
		name: "idle-cpu", does: "idle on the overview: % of one core, all processes (other: limit)", goal: "≤ 1",
		measure: plain(func(ctx context.Context, p project.Project) (ours, limit float64, err error) {
			err = idle(ctx, p, func(app, _ opening) error {
				ours, err = idling(ctx, app, func(pids []int) (float64, error) {
					return spent(ctx, idleCounts, pids...)
				})
				return err
			})
			return ours, 0.5, err
		}),
	}
)

const (
	idleWarm   = time.Minute
	idleCounts = 2 * time.Minute
)

// idle runs measure on the program with a demo that has run before, and on the
// empty window.
func idle(ctx context.Context, p project.Project, measure func(app, empty opening) error) (err error) {
	s, err := overviewOf(ctx, p)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	app, empty, err := windows(ctx, p)
	if err != nil {
		return err
	}
	for _, program := range []string{app, empty} {
		if err := uncache(ctx, program); err != nil {
			return err
		}
	}
	return measure(opening{app, []string{"--data", s.Data()}, overviewDrawn}, opening{empty, nil, textDrawn})
}

// uncache drops a file from the kernel's cache, as after a restart of the machine: of a
// program that has just been written, the kernel maps 2 MB at once.
func uncache(ctx context.Context, path string) error {
	for _, args := range [][]string{{"sync", path}, {"dd", "if=" + path, "iflag=nocache", "count=0", "status=none"}} {
		if out, err := exec.CommandContext(ctx, args[0], args[1:]...).CombinedOutput(); err != nil {
			return fmt.Errorf("%s: %w\n%s", args[0], err, out)
		}
	}
	return nil
}

// idling measures the processes of a window that has been open for a while.
func idling(ctx context.Context, o opening, measure func(pids []int) (float64, error)) (figure float64, err error) {
	desk, err := desktop.Start(desktop.Options{Width: 1440, Height: 900, Bus: true})
	if err != nil {
		return 0, err
	}
	defer desk.Close()
	cmd, err := o.open(ctx, desk)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, shut(ctx, desk, cmd)) }()
	if err := wait(ctx, idleWarm); err != nil {
		return 0, err
	}
	return measure(desktop.Family(cmd.Process.Pid))
}

// residents returns the memory of several processes, in MB.
func residents(pids []int) (total float64, err error) {
	for _, pid := range pids {
		mb, err := resident(pid)
		if err != nil {
			return 0, err
		}
		total += mb
	}
	return total, nil
}
