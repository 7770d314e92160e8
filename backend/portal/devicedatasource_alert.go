package portal

import (
	"context"
	"strconv"
	"strings"

	"spyglass/backend/resource"
)

// alertStatusOf derives something from the status of the active alerts of each
// device's data source.
func alertStatusOf(value func(status string) any) func(context.Context, resource.Reader, []resource.Row) ([][]byte, error) {
	return func(ctx context.Context, r resource.Reader, rows []resource.Row) ([][]byte, error) {
		alerts, err := resource.Find(ctx, r, alertRows, active, resource.Where{Field: "monitorObjectId", Op: "in", Value: named(rows)})
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

// alertPriority orders statuses, the worst first: 1 for one that is critical,
// unknown to anybody and not covered by maintenance, up to 100 for no alert.
func alertPriority(status string) any {
	parts := strings.Split(status, "-")
	if len(parts) < 3 {
		return 100
	}
	priority := map[string]int{levels[SeverityCritical]: 1, levels[SeverityError]: 5, levels[SeverityWarn]: 9}[parts[1]]
	if parts[0] == "confirmed" {
		priority++
	}
	if parts[2] == "sdt" {
		priority += 2
	}
	return priority
}

// monitoringStatus is 1 while any instance is polled, 0 when none is.
func monitoringStatus(_ context.Context, _ resource.Reader, rows []resource.Row) ([][]byte, error) {
	return eachRow(rows, func(row resource.Row) any {
		n, _ := strconv.Atoi(row.From)
		return min(n, 1)
	})
}

// clearAlertsOn ends the active alerts of one of a device's data sources that
// meet all conditions.
func clearAlertsOn(ctx context.Context, tx resource.Tx, row *DeviceDataSource, at resource.Seconds, why string, where ...resource.Where) error {
	where = append(where, resource.Where{Field: "monitorObjectId", Op: "=", Value: row.DeviceID}, resource.Where{Field: "resourceId", Op: "=", Value: row.ID})
	return ClearAlerts(ctx, tx, at, why, where...)
}

// dropInstance removes an instance that is found no more, or that nobody wants.
func dropInstance(ctx context.Context, tx resource.Tx, row *DeviceDataSource, id int64, at resource.Seconds) error {
	if err := clearAlertsOn(ctx, tx, row, at, "the instance was removed", resource.Where{Field: "instanceId", Op: "=", Value: id}); err != nil {
		return err
	}
	return resource.Delete(ctx, tx, instanceRows, id)
}
