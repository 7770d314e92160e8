package maintenance

import (
	"context"
	"strings"
	"time"

	"spyglass/backend/portal/fleet"
	"spyglass/backend/resource"
)

// maintenanceOf derives a value from the maintenance windows in effect for each
// device's data source.
func maintenanceOf(value func([]SDT) any) func(context.Context, resource.Reader, []resource.Row) ([][]byte, error) {
	return func(ctx context.Context, r resource.Reader, rows []resource.Row) ([][]byte, error) {
		all, err := planOf(ctx, r)
		if err != nil {
			return nil, err
		}
		if all.empty {
			return resource.EachRow(rows, func(resource.Row) any { return value(nil) })
		}
		now := time.Now()
		if c := resource.CallOf(ctx); c != nil {
			now = c.At
		}
		found, err := resource.Find(ctx, r, fleet.DeviceDataSourceRows,
			resource.Where{Field: "id", Op: "in", Value: resource.RowIDs(rows)})
		if err != nil {
			return nil, err
		}
		of := map[int64]Watched{}
		for _, d := range found {
			of[d.ID] = Watched{DeviceID: d.DeviceID, DataSourceID: d.DataSourceID, DeviceDataSourceID: d.ID}
		}
		out := make([][]byte, len(rows))
		for i, row := range rows {
			windows, err := InMaintenance(ctx, r, of[row.ID], now)
			if err != nil {
				return nil, err
			}
			if out[i], err = resource.Encode(value(windows)); err != nil {
				return nil, err
			}
		}
		return out, nil
	}
}

// sdtStatus returns which of group, device and data source are in maintenance.
func sdtStatus(windows []SDT) any {
	status := [3]string{"none", "none", "none"}
	for _, s := range windows {
		switch s.Type {
		case GroupSDT:
			status[0] = "SDT"
		case DeviceSDT:
			status[1] = "SDT"
		default:
			status[2] = "SDT"
		}
	}
	return strings.Join(status[:], "-")
}

// sdtsInEffect returns the ids of windows.
func sdtsInEffect(windows []SDT) any {
	ids := make([]resource.TextID, len(windows))
	for i, s := range windows {
		ids[i] = s.ID
	}
	return JoinSDTs(ids)
}
