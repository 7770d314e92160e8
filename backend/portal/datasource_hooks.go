package portal

import "spyglass/backend/resource"

// Points at which the rows on devices follow their data source.
const (
	// onDataSourceChanged fires when a data source has been changed.
	onDataSourceChanged resource.Trigger[DataSourceChange] = "dataSource.changed"
	// onDataSourceRemoved fires when a data source is about to be removed.
	onDataSourceRemoved resource.Trigger[DataSourceChange] = "dataSource.removed"
	// devicesOfDataSource counts the devices that a data source is on.
	devicesOfDataSource resource.Value = "dataSource.numOfHosts"
)

// DataSourceChange is a data source before and after a write; Now is nil for a
// removal.
type DataSourceChange struct {
	Was, Now *DataSource
}
