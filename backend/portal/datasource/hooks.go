package datasource

import "spyglass/backend/resource"

// Points at which the rows on devices follow their data source.
const (
	// OnDataSourceChanged fires when a data source has been changed.
	OnDataSourceChanged resource.Trigger[DataSourceChange] = "dataSource.changed"
	// OnDataSourceRemoved fires when a data source is about to be removed.
	OnDataSourceRemoved resource.Trigger[DataSourceChange] = "dataSource.removed"
	// DevicesOfDataSource counts the devices that a data source is on.
	DevicesOfDataSource resource.Value = "dataSource.numOfHosts"
)

// DataSourceChange is a data source before and after a write; Now is nil for a
// removal.
type DataSourceChange struct {
	Was, Now *DataSource
}
