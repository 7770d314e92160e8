package fleet

import (
	"context"

	"spyglass/backend/portal/datasource"
	"spyglass/backend/resource"
)

// followDataSource updates the rows on devices immediately if there are few
// enough for one transaction; otherwise the monitor updates them in the
// background.
func followDataSource(ctx context.Context, tx resource.Tx, c datasource.DataSourceChange) error {
	if on(c.Was) == on(c.Now) {
		return nil
	}
	rows, err := onDevices(ctx, tx, c.Now.ID)
	for i := range rows {
		s := step{row: &rows[i], source: c.Now}
		if err == nil {
			err = s.do(ctx, tx, c.Now.UpdatedOn)
		}
	}
	return err
}

// onDevice holds the fields of a data source that its rows on devices copy.
type onDevice struct {
	name, displayName, method string
	multiple                  bool
}

func on(d *datasource.DataSource) onDevice {
	return onDevice{d.Name, d.DisplayName, d.CollectMethod, d.HasMultiInstances}
}

// removeDataSource removes a deleted data source from the devices.
func removeDataSource(ctx context.Context, tx resource.Tx, c datasource.DataSourceChange) error {
	rows, err := onDevices(ctx, tx, c.Was.ID)
	for i := range rows {
		if err == nil {
			err = resource.Delete(ctx, tx, DeviceDataSourceRows, rows[i].ID)
		}
	}
	return err
}

// onDevices returns the device rows of a data source, or none if there are too
// many for one transaction.
func onDevices(ctx context.Context, r resource.Reader, dataSource int64) ([]DeviceDataSource, error) {
	rows, err := resource.Find(ctx, r, DeviceDataSourceRows,
		resource.Where{Field: "dataSourceId", Op: "=", Value: dataSource}, resource.Limit(placed+1))
	if len(rows) > placed {
		rows = nil
	}
	return rows, err
}

// countDevices returns the number of devices of each data source.
func countDevices(ctx context.Context, r resource.Reader, rows []resource.Row) ([][]byte, error) {
	counts, err := r.CountBy(ctx, string(DeviceDataSourceRows), "dataSourceId")
	return resource.Integers(rows, counts), err
}
