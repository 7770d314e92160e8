package stage

import (
	"context"
	"slices"

	"spyglass/backend/demo/history"
	"spyglass/backend/monitor"
	"spyglass/backend/portal/fleet"
	"spyglass/backend/portal/incident"
	"spyglass/backend/resource"
)

// coreSwitchDown silences a switch and the devices that depend on it, or a share
// of them, always the same ones.
var coreSwitchDown = effect{
	kind: incident.CoreSwitchDown,
	pick: aDevice("core-sw-01."),
	cast: func(ctx context.Context, r resource.Reader, i *incident.Incident) (map[int64]bool, error) {
		devices, err := resource.Find(ctx, r, fleet.Devices.Name, resource.Limit(history.MostDevices))
		if err != nil {
			return nil, err
		}
		parent, err := parents(ctx, r, devices)
		if err != nil {
			return nil, err
		}
		cast := map[int64]bool{i.DeviceID: true}
		for k := range devices {
			if id := devices[k].ID; slices.Contains(way(parent, id), i.DeviceID) &&
				lot(uint64(i.ID), uint64(id)) < i.Strength {
				cast[id] = true
			}
		}
		return cast, nil
	},
	reach: func(*scene, int64, int64) monitor.Reach { return monitor.Silent },
	every: 60, most: 180,
}

// way returns the devices through which a device is reached, the nearest first,
// without duplicates.
func way(parent map[int64]int64, id int64) []int64 {
	var over []int64
	for up := parent[id]; up != 0 && up != id && !slices.Contains(over, up); up = parent[up] {
		over = append(over, up)
	}
	return over
}
