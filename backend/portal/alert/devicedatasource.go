package alert

import (
	"context"

	"spyglass/backend/resource"
)

// alertStatusOf derives something from the status of the active alerts of each
// device's data source.
func alertStatusOf(value func(status string) any) func(context.Context, resource.Reader, []resource.Row) ([][]byte,
	error) {
	return func(ctx context.Context, r resource.Reader, rows []resource.Row) ([][]byte, error) {
		alerts, err := resource.Find(ctx, r, alertRows, active,
			resource.Where{Field: "monitorObjectId", Op: "in", Value: resource.NamedIDs(rows)})
		if err != nil {
			return nil, err
		}
		of := map[int64][]Alert{}
		for _, a := range alerts {
			of[a.DeviceDataSourceID] = append(of[a.DeviceDataSourceID], a)
		}
		out := make([][]byte, len(rows))
		for i, row := range rows {
			if out[i], err = resource.Encode(value(AlertStatus(of[row.ID]))); err != nil {
				return nil, err
			}
		}
		return out, nil
	}
}
