package stage

import (
	"context"
	"slices"
	"strings"

	"spyglass/backend/demo/history"
	"spyglass/backend/portal/fleet"
	"spyglass/backend/portal/incident"
	"spyglass/backend/resource"
)

// aDevice returns a function that selects a device: the first healthy one whose
// display name begins with prefix.
func aDevice(prefix string) func(context.Context, resource.Reader, *incident.Incident) error {
	return func(ctx context.Context, r resource.Reader, i *incident.Incident) error {
		devices, err := resource.Find(ctx, r, fleet.Devices.Name, resource.Limit(history.MostDevices))
		i.DeviceID = suiting(devices, prefix)
		return err
	}
}

// aGroup returns a function that selects a group.
func aGroup(id int64) func(context.Context, resource.Reader, *incident.Incident) error {
	return func(_ context.Context, _ resource.Reader, i *incident.Incident) error {
		i.GroupID = id
		return nil
	}
}

// theDevice returns the device that the incident names.
func theDevice(_ context.Context, _ resource.Reader, i *incident.Incident) (map[int64]bool, error) {
	return map[int64]bool{i.DeviceID: true}, nil
}

// suiting returns the first device of a name that has no scripted alerts, or else
// the first that has ever responded; 0 for none.
func suiting(devices []fleet.Device, prefix string) int64 {
	var second int64
	for i := range devices {
		d := &devices[i]
		switch {
		case !strings.HasPrefix(d.DisplayName, prefix) || d.HostStatus == "dead" && d.LastDataTime < d.CreatedOn+1:
		case d.AlertStatus == "none" && d.HostStatus == "normal":
			return d.ID
		case second == 0:
			second = d.ID
		}
	}
	return second
}

// theGroup returns the devices of the group that the incident names, and of its
// subgroups.
func theGroup(ctx context.Context, r resource.Reader, i *incident.Incident) (map[int64]bool, error) {
	tree, err := fleet.TreeOf(ctx, r)
	if err != nil {
		return nil, err
	}
	devices, err := resource.Find(ctx, r, fleet.Devices.Name, resource.Where{Field: "hostGroupIds", Op: "has any",
		Value: tree.Below([]int64{i.GroupID})[i.GroupID]})
	cast := make(map[int64]bool, len(devices))
	for k := range devices {
		cast[devices[k].ID] = true
	}
	return cast, err
}

// parents maps the id of a device to the id of its parent device.
func parents(ctx context.Context, r resource.Reader, devices []fleet.Device) (map[int64]int64, error) {
	tree, err := fleet.TreeOf(ctx, r)
	if err != nil {
		return nil, err
	}
	named := make(map[string]int64, len(devices))
	for i := range devices {
		named[strings.ToLower(devices[i].DisplayName)] = devices[i].ID
	}
	of := make(map[int64]int64, len(devices))
	for i := range devices {
		for _, p := range slices.Concat(devices[i].CustomProperties, tree.Inherited(devices[i].GroupIDs)) {
			if strings.EqualFold(p.Name, fleet.ParentProperty) {
				if id := named[strings.ToLower(p.Value)]; id != devices[i].ID {
					of[devices[i].ID] = id
				}
				break
			}
		}
	}
	return of, nil
}

// lot returns a number from 0 to 99 that is the same for the same names.
func lot(names ...uint64) int64 {
	h := uint64(0x5079676c617373)
	for _, n := range names {
		h = (h ^ n) * 0x9e3779b97f4a7c15
		h ^= h >> 29
	}
	return int64(h % 100)
}

// drawn returns a pseudo-random number computed from a text, for lot.
func drawn(text string) uint64 {
	h := uint64(14695981039346656037)
	for i := range len(text) {
		h = (h ^ uint64(text[i])) * 1099511628211
	}
	return h
}
