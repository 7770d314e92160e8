package alert

import (
	"context"

	"spyglass/backend/portal/fleet"
	"spyglass/backend/resource"
)

// alertsWithin returns the active alerts of a group and its subgroups, and of the
// devices in them. It counts them once for all groups, until an alert, a device or a
// group changes.
func alertsWithin(ctx context.Context, r resource.Reader, rows []resource.Row) ([][]byte, error) {
	value, err := r.Memo("alertsWithin", []string{string(alertRows), string(fleet.DeviceRows), string(fleet.GroupRows)},
		func() (any, error) {
			return talliesOf(ctx, r)
		})
	if err != nil {
		return nil, err
	}
	tallies := value.(map[int64]*fleet.Tally)
	return resource.EachRow(rows, func(row resource.Row) any {
		if t := tallies[row.ID]; t != nil {
			return t
		}
		return fleet.Tally{}
	})
}

func talliesOf(ctx context.Context, r resource.Reader) (map[int64]*fleet.Tally, error) {
	tree, err := fleet.TreeOf(ctx, r)
	if err != nil {
		return nil, err
	}
	alerts, err := resource.Find(ctx, r, alertRows, active)
	if err != nil {
		return nil, err
	}
	tallies := map[int64]*fleet.Tally{}
	add := func(groups resource.IDs, severities ...int64) {
		for _, g := range tree.Above(groups) {
			t := tallies[g.ID]
			if t == nil {
				t = &fleet.Tally{}
				tallies[g.ID] = t
			}
			for _, severity := range severities {
				t.Add(severity)
			}
		}
	}
	var ids []int64
	ofDevice := map[int64][]int64{} // severities
	for i := range alerts {
		a := &alerts[i]
		if a.GroupID != 0 {
			add(resource.IDs{a.GroupID}, a.Severity)
			continue
		}
		if a.DeviceID != 0 && ofDevice[a.DeviceID] == nil {
			ids = append(ids, a.DeviceID)
		}
		ofDevice[a.DeviceID] = append(ofDevice[a.DeviceID], a.Severity)
	}
	devices, err := resource.Find(ctx, r, fleet.DeviceRows, resource.Where{Field: "id", Op: "in", Value: ids})
	for i := range devices {
		add(devices[i].GroupIDs, ofDevice[devices[i].ID]...)
	}
	return tallies, err
}
