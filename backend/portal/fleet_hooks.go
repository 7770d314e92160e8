package portal

import (
	"context"

	"spyglass/backend/resource"
)

// onRemoved fires when a device, a data source on it or one of its instances is
// about to be removed: its alerts end.
const onRemoved resource.Trigger[Removed] = "device.removed"

// Removed names what goes. Ids that are 0 are those of everything below.
type Removed struct {
	DeviceID           int64
	DeviceDataSourceID int64
	InstanceID         int64
	At                 resource.Seconds
	Why                string // "the device was deleted"
}

// Values that alerts and maintenance windows supply.
const (
	activeAlerts        resource.Value = "deviceGroup.activeAlerts"
	alertStatus         resource.Value = "deviceDatasource.alertStatus"
	alertStatusPriority resource.Value = "deviceDatasource.alertStatusPriority"
	maintenanceStatus   resource.Value = "deviceDatasource.sdtStatus"
	maintenanceIDs      resource.Value = "deviceDatasource.sdtAt"
)

// noAlerts is the alertStatus of a device without active alerts, and
// lowestPriority its place among the others.
const (
	noAlerts       = "none"
	lowestPriority = 100
)

// tally counts active alerts by their severity.
type tally struct {
	Warn     int64 `json:"warn" doc:"alerts of severity 2"`
	Error    int64 `json:"error" doc:"alerts of severity 3"`
	Critical int64 `json:"critical" doc:"alerts of severity 4"`
}

func (t *tally) add(severity int64) {
	switch severity {
	case SeverityWarn:
		t.Warn++
	case SeverityError:
		t.Error++
	case SeverityCritical:
		t.Critical++
	}
}

// removing tells of a device that is about to be deleted.
func removing(w *resource.Write, d *Device) error {
	d.AlertStatus = noAlerts
	return onRemoved.Fire(w.Context, w.Tx, Removed{DeviceID: d.ID, At: resource.SecondsOf(w.Call.At), Why: "the device was deleted"})
}

// removingInstance tells of an instance that is about to be removed.
func removingInstance(ctx context.Context, tx resource.Tx, row *DeviceDataSource, id int64, at resource.Seconds) error {
	return onRemoved.Fire(ctx, tx, Removed{DeviceID: row.DeviceID, DeviceDataSourceID: row.ID, InstanceID: id, At: at, Why: "the instance was removed"})
}
