package fleet

import (
	"context"
	"slices"

	"spyglass/backend/portal/datasource"
	"spyglass/backend/portal/ground"
	"spyglass/backend/resource"
)

// DataSourceDevice is a device to which a data source applies.
type DataSourceDevice struct {
	ID          int64
	Name        string
	DisplayName string
	Description string
	Active      bool
	More        int64
	Instances   []DataSourceInstance
}

// DataSourceInstance is an instance of the data source on the device.
type DataSourceInstance struct {
	ID    int64  `json:"id" doc:"id of the instance"`
	Name  string `json:"name" doc:"name of the data source and alias"`
	Alias string `json:"alias" doc:"display name"`
}

// shownInstances is the number of instances per device in a response; others are
// only counted.
const shownInstances = 10

// DataSourceDevices declares /setting/datasources/{id}/devices.
var DataSourceDevices = resource.View[*DataSourceDevice]{
	Resource: resource.Resource[*DataSourceDevice]{
		Name: "deviceDataSourceAssociated", Label: "device", Whose: "of a data source", Sample: 1,
		Path: "/setting/datasources/{id}/devices", Category: ground.CategoryDataSources, Object: resource.Setting,
		Area:    ground.AreaDataSources,
		Doc:     "A device with the data source, if the caller can view it.",
		Parents: []resource.Parent{{Of: string(datasource.DataSourceRows), Param: "id", Sample: 1}},
		Without: []resource.Verb{resource.OnGet},
		Fields: []resource.Field[*DataSourceDevice]{
			{Name: "id", At: func(d *DataSourceDevice) any { return &d.ID }, Doc: "Of the device", ReadOnly: true,
				Example: 7},
			{Name: "name", At: func(d *DataSourceDevice) any { return &d.Name }, Doc: "Host name or IP address",
				ReadOnly: true,
				Example:  "10.10.8.11"},
			{Name: "displayName", At: func(d *DataSourceDevice) any { return &d.DisplayName },
				Doc:      "Display name",
				ReadOnly: true, Example: "web-prod-01.fra"},
			{Name: "description", At: func(d *DataSourceDevice) any { return &d.Description }, Doc: "What it is",
				ReadOnly: true},
			{Name: "hasActiveInstance", At: func(d *DataSourceDevice) any { return &d.Active },
				Doc:      "Some instance is polled",
				ReadOnly: true},
			{Name: "hasMore", At: func(d *DataSourceDevice) any { return &d.More },
				Doc: "How many instances there are besides those shown", ReadOnly: true},
			{Name: "instance", At: func(d *DataSourceDevice) any { return &d.Instances }, Doc: "The first 10 instances",
				ReadOnly: true},
		},
	},
	Rows: resource.Each(dataSourceDevices),
}

func dataSourceDevices(ctx context.Context, r resource.Reader, c *resource.Call) ([]DataSourceDevice, error) {
	id, err := c.ID("id")
	if err != nil {
		return nil, err
	}
	on, err := resource.Find(ctx, r, DeviceDataSourceRows, resource.Where{Field: "dataSourceId", Op: "=", Value: id},
		resource.SeenBy(c.Access, resource.Read))
	if err != nil {
		return nil, err
	}
	byDevice := make(map[int64]*DeviceDataSource, len(on))
	ids := make([]int64, len(on))
	for i := range on {
		ids[i], byDevice[on[i].DeviceID] = on[i].DeviceID, &on[i]
	}
	devices, err := resource.Find(ctx, r, DeviceRows, resource.Where{Field: "id", Op: "in", Value: ids})
	if err != nil {
		return nil, err
	}
	rows := make([]DataSourceDevice, len(devices))
	for i, d := range devices {
		has := byDevice[d.ID]
		rows[i] = DataSourceDevice{
			ID: d.ID, Name: d.Name, DisplayName: d.DisplayName, Description: d.Description,
			Active: has.Monitored > 0, More: has.Instances, Instances: []DataSourceInstance{},
		}
	}
	return rows, fillInstances(ctx, r, page(c, rows), byDevice)
}

// page returns the rows of the requested page of a list without filter and order:
// only these need their instances. Otherwise it returns all rows.
func page(c *resource.Call, rows []DataSourceDevice) []DataSourceDevice {
	q, err := resource.ParseQuery(c.Query, c.Lenient)
	if err != nil || q.Filter != "" || len(q.Sort) > 0 {
		return rows
	}
	return resource.PageOf(q, rows)
}

func fillInstances(ctx context.Context, r resource.Reader, rows []DataSourceDevice,
	byDevice map[int64]*DeviceDataSource) error {
	for some := range slices.Chunk(rows, placed) {
		at := make(map[int64]*DataSourceDevice, len(some)) // by the id of the device's data source
		ids := make([]int64, len(some))
		for i := range some {
			ids[i] = byDevice[some[i].ID].ID
			at[ids[i]] = &some[i]
		}
		instances, err := resource.Find(ctx, r, InstanceRows,
			resource.Where{Field: "deviceDataSourceId", Op: "in", Value: ids})
		if err != nil {
			return err
		}
		for _, i := range instances {
			if row := at[i.DeviceDataSourceID]; len(row.Instances) < shownInstances {
				row.Instances = append(row.Instances, DataSourceInstance{i.ID, i.Name, i.DisplayName})
				row.More--
			}
		}
	}
	return nil
}
