package check

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/shirou/gopsutil/v4/disk" // mounted file systems and their usage, on every system
)

// images lists the read-only file systems that are always full.
var images = []string{"squashfs", "iso9660", "udf", "erofs", "cramfs"}

func diskCheck() Check {
	return Check{
		Name: "disk", Title: "Disks of this machine", Local: true,
		Doc: "A disk of the machine that runs this program, regardless of the device's name. " +
			"An instance is a mount point.",
		Fields: []Setting{{"diskTotal", "its size, in bytes"}, {"diskUsed", "of that in use, in bytes"},
			{"diskFree", "of that free for programs, in bytes"}},
		Run: func(ctx context.Context, t *Task) (Values, error) {
			use, err := disk.UsageWithContext(ctx, t.Wild)
			if err != nil {
				return nil, fmt.Errorf("the disk at %s cannot be read: %w", t.Wild, err)
			}
			return Values{"diskTotal": float64(use.Total), "diskUsed": float64(use.Used),
				"diskFree": float64(use.Free)}, nil
		},
		Find: func(ctx context.Context, _ Search) ([]Found, error) { return mounted(ctx) },
	}
}

// mounted returns the disks that have a size, each by the shortest path where it
// is mounted. In a container, which has no disk of its own, it returns the root.
func mounted(ctx context.Context) ([]Found, error) {
	all, err := disk.PartitionsWithContext(ctx, false)
	if err != nil && len(all) == 0 {
		return nil, fmt.Errorf("this machine does not list its disks: %w", err)
	}
	slices.SortStableFunc(all, func(a, b disk.PartitionStat) int { return len(a.Mountpoint) - len(b.Mountpoint) })
	var found []Found
	devices := map[string]bool{}
	for _, p := range all {
		if devices[p.Device] || slices.Contains(images, strings.ToLower(p.Fstype)) || !hasSize(ctx, p.Mountpoint) {
			continue
		}
		devices[p.Device] = true
		found = append(found, Found{WildValue: p.Mountpoint, DisplayName: p.Mountpoint, Description: p.Device +
			", " + p.Fstype})
	}
	if root := "/"; len(found) == 0 && hasSize(ctx, root) {
		found = append(found, Found{WildValue: root, DisplayName: root})
	}
	return found, ctx.Err()
}

// hasSize returns false for an empty drive, for a file that is a mount point, and
// for folders that this user may not read.
func hasSize(ctx context.Context, folder string) bool {
	if at, err := os.Stat(folder); err != nil || !at.IsDir() {
		return false
	}
	use, err := disk.UsageWithContext(ctx, folder)
	return err == nil && use.Total > 0
}
