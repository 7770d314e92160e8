package fleet

import (
	"context"

	"spyglass/backend/portal/audit"
	"spyglass/backend/portal/ground"
	"spyglass/backend/resource"
)

// Recycle is a deleted device in the published recycle bin.
type Recycle struct {
	ID           resource.TextID
	ResourceType string
	ResourceID   int64
	ResourceName string
	DeletedOn    resource.Seconds
	DeletedBy    string
	Description  string
}

// Recycles declares /recyclebin/recycles. Its rows are those of
// /device/recyclebin; the same path restores or deletes several.
var Recycles = resource.View[*Recycle]{
	Resource: resource.Resource[*Recycle]{
		Name: "recycle", Label: "deleted resource", Sample: Devices.Deleted, Path: Devices.Recycles,
		Category: ground.CategoryDevices, Object: resource.DeviceGroup,
		Doc: "A deleted device that can be restored, under the path and with the fields of published clients.",
		Fields: []resource.Field[*Recycle]{
			{Name: "id", At: func(r *Recycle) any { return &r.ID },
				Doc: "Id of the deleted resource, for batchrestore and batchdelete", ReadOnly: true, Example: "153"},
			{Name: "resourceType", At: func(r *Recycle) any { return &r.ResourceType }, Doc: "device", ReadOnly: true,
				Example: "device"},
			{Name: "resourceId", At: func(r *Recycle) any { return &r.ResourceID }, Doc: "Id of the device",
				ReadOnly: true,
				Example:  153},
			{Name: "resourceName", At: func(r *Recycle) any { return &r.ResourceName },
				Doc:      "Display name of the device",
				ReadOnly: true, Example: "web-42"},
			{Name: "deletedOn", At: func(r *Recycle) any { return &r.DeletedOn }, Doc: "When it was deleted",
				ReadOnly: true,
				Example:  1790000000},
			{Name: "deletedBy", At: func(r *Recycle) any { return &r.DeletedBy },
				Doc: "Who deleted it; empty if the audit log no longer has the " +
					"entry", ReadOnly: true, Example: "admin"},
			{Name: "description", At: func(r *Recycle) any { return &r.Description }, Doc: "Description of the device",
				ReadOnly: true},
		},
	},
	Rows: resource.Each(deletedDevices),
}

func deletedDevices(ctx context.Context, r resource.Reader, c *resource.Call) ([]Recycle, error) {
	devices, err := resource.Find(ctx, r, DeviceRows, resource.Deleted(), resource.SeenBy(c.Access, resource.Read))
	if err != nil {
		return nil, err
	}
	by, err := whoDeleted(ctx, r, devices)
	rows := make([]Recycle, len(devices))
	for i := range devices {
		d := &devices[i]
		rows[i] = Recycle{
			ID: resource.TextID(d.ID), ResourceType: "device", ResourceID: d.ID, ResourceName: d.DisplayName,
			Description: d.Description,
			DeletedOn:   resource.Seconds(int64(d.DeletedOn) / 1000), DeletedBy: by[d.ID],
		}
	}
	return rows, err
}

// whoDeleted finds the users in the audit log, by the seconds in which the
// devices were deleted.
func whoDeleted(ctx context.Context, r resource.Reader, devices []Device) (map[int64]string, error) {
	when := make([]int64, len(devices))
	on := make(map[int64]int64, len(devices))
	for i := range devices {
		when[i] = int64(devices[i].DeletedOn) / 1000
		on[devices[i].ID] = when[i]
	}
	entries, err := resource.Find(ctx, r, audit.AuditLogRows,
		resource.Where{Field: "happenedOn", Op: "in", Value: when}, resource.Where{Field: "object", Op: "=",
			Value: string(DeviceRows)}, resource.Where{Field: "action", Op: "=", Value: "delete"})
	by := map[int64]string{}
	for i := range entries {
		if e := &entries[i]; on[e.ObjectID] == int64(e.HappenedOn) {
			by[e.ObjectID] = e.Username
		}
	}
	return by, err
}
