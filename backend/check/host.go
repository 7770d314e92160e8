package check

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"time"

	"github.com/shirou/gopsutil/v4/cpu"  // processors, on every system and without cgo
	"github.com/shirou/gopsutil/v4/disk" // the disk
	"github.com/shirou/gopsutil/v4/host" // boot time
	"github.com/shirou/gopsutil/v4/load" // load average
	"github.com/shirou/gopsutil/v4/mem"  // memory
)

// cpuWindow is the time over which processor usage is measured.
const cpuWindow = 500 * time.Millisecond

func hostCheck(d *Dialer) Check {
	return Check{
		Name: "host", Title: "This machine", Local: true,
		Needs: &Need{Property: "host.local", Host: "localhost",
			Example: "Processors, memory, disks and network of this machine"},
		Doc: "The machine that runs this program, regardless of the device's name.",
		Fields: []Setting{
			{"cpuPercent", "processors in use during one second, in percent of all"},
			{"load1", "load average of the last minute; not on Windows"},
			{"memoryTotal", "memory, in bytes"}, {"memoryUsed", "memory not available to programs, in bytes"},
			{"diskTotal", "size of the disk with the program's data, in bytes"},
			{"diskUsed", "of that in use, in bytes"},
			{"upTime", "since the machine started, in seconds"},
		},
		Run: func(ctx context.Context, _ *Task) (Values, error) {
			out, failed := Values{}, []error(nil)
			for _, measure := range []func(context.Context, Values) error{cpuUse, loadAverage, memoryUse,
				d.diskUse, upTime} {
				if err := measure(ctx, out); err != nil {
					failed = append(failed, err)
				}
			}
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			if len(out) == 0 {
				return nil, fmt.Errorf("this machine provides no data about itself: %w", errors.Join(failed...))
			}
			return out, nil
		},
	}
}

func cpuUse(ctx context.Context, out Values) error {
	used, err := cpu.PercentWithContext(ctx, cpuWindow, false)
	if err == nil && len(used) == 1 {
		out["cpuPercent"] = used[0]
	}
	return err
}

func loadAverage(ctx context.Context, out Values) error {
	if runtime.GOOS == "windows" { // Windows has no load average
		return nil
	}
	average, err := load.AvgWithContext(ctx)
	if err == nil {
		out["load1"] = average.Load1
	}
	return err
}

func memoryUse(ctx context.Context, out Values) error {
	memory, err := mem.VirtualMemoryWithContext(ctx)
	if err == nil {
		out["memoryTotal"], out["memoryUsed"] = float64(memory.Total), float64(memory.Total-memory.Available)
	}
	return err
}

func (d *Dialer) diskUse(ctx context.Context, out Values) error {
	folder := d.Folder
	if folder == "" {
		folder = "."
	}
	use, err := disk.UsageWithContext(ctx, folder)
	if err == nil {
		out["diskTotal"], out["diskUsed"] = float64(use.Total), float64(use.Used)
	}
	return err
}

func upTime(ctx context.Context, out Values) error {
	seconds, err := host.UptimeWithContext(ctx)
	if err == nil {
		out["upTime"] = float64(seconds)
	}
	return err
}
