package datasource

import "spyglass/backend/resource"

// Points at which the rows on devices follow their data source.
const (
	// OnDataSourceChanged fires after a data source has changed.
	OnDataSourceChanged resource.Trigger[DataSourceChange] = "dataSource.changed"
	// OnDataSourceRemoved fires before a data source is deleted.
	OnDataSourceRemoved resource.Trigger[DataSourceChange] = "dataSource.removed"
	// DevicesOfDataSource is the number of devices of a data source.
	DevicesOfDataSource resource.Value = "dataSource.numOfHosts"
)

// DataSourceChange is a data source before and after a write; Now is nil for a
// deletion.
type DataSourceChange struct {
	Was, Now *DataSource
}
