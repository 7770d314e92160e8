package fleet

import (
	"strings"

	"spyglass/backend/portal/ground"
	"spyglass/backend/resource"
)

// InstanceGroupRows names the rows of InstanceGroup.
const InstanceGroupRows resource.Name[*InstanceGroup] = "deviceDatasourceInstanceGroup"

// InstanceGroup combines instances of one data source on one device: the uplinks
// of a switch.
type InstanceGroup struct {
	ID                 int64
	DeviceID           int64
	DeviceDataSourceID int64
	Name               string
	Description        string
	CreatedOn          resource.Seconds
}

// InstanceGroups declares /device/devices/{deviceId}/devicedatasources/{deviceDsId}/groups.
var InstanceGroups = resource.Resource[*InstanceGroup]{
	Name: InstanceGroupRows, Label: "instance group", Sample: 4,
	Path: "/device/devices/{deviceId}/devicedatasources/{deviceDsId}/groups", Category: ground.CategoryDevices,
	Object: resource.DeviceGroup, Scope: []string{"deviceId"},
	Doc: "Instances of one data source on one device that belong together, such as the uplinks of a switch.",
	Parents: []resource.Parent{
		{Of: string(DeviceRows), Param: "deviceId", Field: "deviceId", Sample: 1},
		{Of: string(DeviceDataSourceRows), Param: "deviceDsId", Field: "deviceDataSourceId", Sample: 1},
	},
	Fields: []resource.Field[*InstanceGroup]{
		{Name: "id", At: func(g *InstanceGroup) any { return &g.ID }, Doc: "Set by the portal", ReadOnly: true,
			Example: 1},
		{Name: "name", At: func(g *InstanceGroup) any { return &g.Name },
			Doc: "Unique among the groups of the device's data source", Required: true, MaxLen: 255,
			Example: "Access ports"},
		{Name: "description", At: func(g *InstanceGroup) any { return &g.Description },
			Doc: "What the instances have in common", MaxLen: 4000, Example: "Ports that people plug into"},
		{Name: "deviceId", At: func(g *InstanceGroup) any { return &g.DeviceID }, Doc: "The device", ReadOnly: true,
			Refs: string(DeviceRows), Example: 1},
		{Name: "deviceDataSourceId", At: func(g *InstanceGroup) any { return &g.DeviceDataSourceID },
			Doc: "The data source on the device", ReadOnly: true, Refs: string(DeviceDataSourceRows), Cascade: true,
			Example: 1},
		{Name: "createOn", At: func(g *InstanceGroup) any { return &g.CreatedOn }, Doc: "When it was added",
			ReadOnly: true},
	},
	Derived: []resource.Derived{{
		Name: "deviceDisplayName", Doc: "Display name of the device", Schema: resource.Text(""),
		Example: "core-sw-01.fra", From: "deviceId",
		Of: OfDevice(func(d *Device, _ *Tree) any { return d.DisplayName }),
	}},
	Unique: [][]string{{"deviceDataSourceId", "name"}},
	Check: func(w *resource.Write, was, now *InstanceGroup) error {
		now.Name = strings.TrimSpace(now.Name)
		if was == nil {
			now.CreatedOn = resource.SecondsOf(w.Call.At)
		}
		return nil
	},
	Remove: func(w *resource.Write, g *InstanceGroup) error {
		inside, err := resource.Find(w.Context, w.Tx, InstanceRows,
			resource.Where{Field: "deviceDataSourceId", Op: "=", Value: g.DeviceDataSourceID},
			resource.Where{Field: "groupId",
				Op: "=", Value: g.ID})
		for i := range inside {
			inside[i].GroupID = 0
			if err == nil {
				err = resource.Put(w.Context, w.Tx, InstanceRows, &inside[i])
			}
		}
		return err
	},
}
