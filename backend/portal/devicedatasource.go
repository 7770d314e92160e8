package portal

import "spyglass/backend/resource"

const deviceDataSourceRows resource.Name[DeviceDataSource] = "deviceDatasource"

// DeviceDataSource is a data source on one of the devices it applies to.
type DeviceDataSource struct {
	ID           int64
	DeviceID     int64
	DataSourceID int64
	Name         string // the data source's, kept here because lists are filtered by it
	DisplayName  string
	Description  string
	Group        string
	Method       string // its check
	Multiple     bool
	CreatedOn    resource.Seconds
	AssignedOn   resource.Seconds
	UpdatedOn    resource.Seconds
	DiscoveredOn resource.Seconds // when its instances were last looked for; 0: not yet
	NextOn       resource.Seconds // when they are looked for again; 0: when the device changes
}
