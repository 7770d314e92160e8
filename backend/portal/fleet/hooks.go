package fleet

import (
	"context"
	"strings"

	"spyglass/backend/portal/threshold"
	"spyglass/backend/resource"
)

// OnRemoved fires before a device, a data source on it or one of its instances is
// deleted: its alerts end.
const OnRemoved resource.Trigger[Removed] = "device.removed"

// Removed identifies the deleted object. An id of 0 means all at that level.
type Removed struct {
	DeviceID           int64
	DeviceDataSourceID int64
	InstanceID         int64
	At                 resource.Seconds
	Why                string // "the device was deleted"
}

// Values that alerts and maintenance windows supply.
const (
	ActiveAlerts        resource.Value = "deviceGroup.activeAlerts"
	AlertStatus         resource.Value = "deviceDatasource.alertStatus"
	AlertStatusPriority resource.Value = "deviceDatasource.alertStatusPriority"
	MaintenanceStatus   resource.Value = "deviceDatasource.sdtStatus"
	MaintenanceIDs      resource.Value = "deviceDatasource.sdtAt"
)

// NoAlerts is the AlertStatus of a device without active alerts; LowestPriority
// is its sort order.
const (
	NoAlerts       = "none"
	LowestPriority = 100
)

// PriorityOf orders statuses, the worst first: from 1 for critical,
// unacknowledged and not in maintenance, to LowestPriority.
func PriorityOf(status string) int64 {
	parts := strings.Split(status, "-")
	if len(parts) < 3 {
		return LowestPriority
	}
	priority := map[string]int64{threshold.LevelWords[threshold.SeverityCritical]: 1,
		threshold.LevelWords[threshold.SeverityError]: 5, threshold.LevelWords[threshold.SeverityWarn]: 9}[parts[1]]
	if parts[0] == "confirmed" {
		priority++
	}
	if parts[2] == "sdt" {
		priority += 2
	}
	return priority
}

// SetAlertStatus sets the status, and its priority.
func (d *Device) SetAlertStatus(status string) {
	d.AlertStatus, d.AlertPriority = status, PriorityOf(status)
}

// Tally counts active alerts by severity.
type Tally struct {
	Warn     int64 `json:"warn" doc:"alerts of severity 2"`
	Error    int64 `json:"error" doc:"alerts of severity 3"`
	Critical int64 `json:"critical" doc:"alerts of severity 4"`
}

// Add counts an alert of that severity.
func (t *Tally) Add(severity int64) {
	switch severity {
	case threshold.SeverityWarn:
		t.Warn++
	case threshold.SeverityError:
		t.Error++
	case threshold.SeverityCritical:
		t.Critical++
	}
}

// removing calls the hooks for a device that is about to be deleted.
func removing(w *resource.Write, d *Device) error {
	d.SetAlertStatus(NoAlerts)
	return OnRemoved.Fire(w.Context, w.Tx,
		Removed{DeviceID: d.ID, At: resource.SecondsOf(w.Call.At), Why: "the device was deleted"})
}

// removingInstance calls the hooks for an instance that is about to be removed.
func removingInstance(ctx context.Context, tx resource.Tx, row *DeviceDataSource, id int64, at resource.Seconds) error {
	return OnRemoved.Fire(ctx, tx,
		Removed{DeviceID: row.DeviceID, DeviceDataSourceID: row.ID, InstanceID: id, At: at,
			Why: "the instance was removed"})
}
