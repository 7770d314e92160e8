package portal

import "spyglass/backend/resource"

const instanceRows resource.Name[Instance] = "deviceDatasourceInstance"

// Instance is one thing on a device that a data source measures: a disk, an
// interface, or the device itself where there is but one.
type Instance struct {
	ID                 int64
	DeviceID           int64
	DeviceDataSourceID int64
	DataSourceID       int64
	Name               string // "SNMP_Interfaces-eth0": the data source's name and the alias
	DisplayName        string // the alias, "eth0"
	Description        string
	WildValue          string // what the check asks for
	WildValue2         string
	GroupID            int64 // of instances; 0: none
	StopMonitoring     bool
	DisableAlerting    bool
	LockDescription    bool
	CustomProperties   []resource.Property
	SystemProperties   []resource.Property
	AutoProperties     []resource.Property
	CreatedOn          resource.Seconds
	UpdatedOn          resource.Seconds
	LastDataOn         resource.Seconds
}
