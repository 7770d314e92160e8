package fleet

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"spyglass/backend/fault"
	"spyglass/backend/portal/datasource"
	"spyglass/backend/portal/ground"
	"spyglass/backend/resource"
)

// InstanceRows names the rows of Instance.
const InstanceRows resource.Name[*Instance] = "deviceDatasourceInstance"

// Instance is one part of a device that a data source measures: a disk, an
// interface, or the device itself if it has only one instance.
type Instance struct {
	ID                 int64
	DeviceID           int64
	DeviceDataSourceID int64
	DataSourceID       int64
	Name               string // "SNMP_Interfaces-eth0": the data source's name and the alias
	DisplayName        string // the alias, "eth0"
	Description        string
	WildValue          string // identifies the instance for the check
	WildValue2         string
	GroupID            int64 // instance group; 0: none
	StopMonitoring     bool
	DisableAlerting    bool
	LockDescription    bool
	CustomProperties   []resource.Property
	SystemProperties   []resource.Property
	AutoProperties     []resource.Property
	CreatedOn          resource.Seconds
	UpdatedOn          resource.Seconds
}

// OnlyWildValue is the wild value of an instance of a data source with one
// instance per device.
const OnlyWildValue = "NULL"

// Instances declares /device/devices/{deviceId}/devicedatasources/{hdsId}/instances.
var Instances = resource.Resource[*Instance]{
	Name: InstanceRows, Label: "instance", Sample: 8,
	Path: "/device/devices/{deviceId}/devicedatasources/{hdsId}/instances", Category: ground.CategoryDevices,
	Object: resource.DeviceGroup, Scope: []string{"deviceId"}, OpTypes: true,
	Doc: "One thing on a device that a data source measures, such as an interface. If you delete an instance that " +
		"the portal has discovered, the next discovery adds it again.",
	Parents: []resource.Parent{
		{Of: string(DeviceRows), Param: "deviceId", Field: "deviceId", Sample: 1},
		{Of: string(DeviceDataSourceRows), Param: "hdsId", Field: "deviceDataSourceId", Sample: 1},
	},
	Lists: []resource.Listing{{
		Path: "/device/devices/{id}/instances", Summary: "List instances of a device",
		Doc: "Returns the instances of all data sources on the device, one page at a time.",
		Of:  string(DeviceRows), Param: "id", Field: "deviceId", Sample: 1,
	}},
	Fields: []resource.Field[*Instance]{
		{Name: "id", At: func(i *Instance) any { return &i.ID }, Doc: "Set by the portal", ReadOnly: true, Example: 1},
		{Name: "name", At: func(i *Instance) any { return &i.Name },
			Doc: "Name of the data source and display name, joined by a hyphen", ReadOnly: true,
			Example: "SNMP_Interfaces-lo7"},
		{Name: "displayName", At: func(i *Instance) any { return &i.DisplayName }, Doc: "Display name",
			Required: true, MaxLen: 255, Example: "lo7"},
		{Name: "description", At: func(i *Instance) any { return &i.Description }, Doc: "Its purpose", MaxLen: 4000,
			Example: "Loopback of the test bench"},
		{Name: "wildValue", At: func(i *Instance) any { return &i.WildValue },
			Doc:      "Value that the check uses to find it; unique among the instances of the device's data source",
			Required: true,
			MaxLen:   1024, Example: "9007"},
		{Name: "wildValue2", At: func(i *Instance) any { return &i.WildValue2 },
			Doc: "Second value that the check uses to find it, if one is not sufficient", MaxLen: 1024},
		{Name: "groupId", At: func(i *Instance) any { return &i.GroupID }, Doc: "Its instance group; 0 for none",
			Min: resource.Bound(0)},
		{Name: "stopMonitoring", At: func(i *Instance) any { return &i.StopMonitoring }, Doc: "Do not poll it"},
		{Name: "disableAlerting", At: func(i *Instance) any { return &i.DisableAlerting },
			Doc: "Poll it, but raise no alerts"},
		{Name: "lockDescription", At: func(i *Instance) any { return &i.LockDescription },
			Doc: "Keep the description when the instance is found again"},
		{Name: "customProperties", At: func(i *Instance) any { return &i.CustomProperties },
			Doc:     "Custom properties; secret-looking ones are write-only",
			Default: []resource.Property{}, Example: []resource.Property{{Name: "circuit", Value: "KF-0815"}}},
		{Name: "systemProperties", At: func(i *Instance) any { return &i.SystemProperties },
			Doc: "Properties that the portal sets", ReadOnly: true, Default: []resource.Property{}},
		{Name: "autoProperties", At: func(i *Instance) any { return &i.AutoProperties },
			Doc: "Properties that checks have found", ReadOnly: true, Default: []resource.Property{}},
		{Name: "deviceId", At: func(i *Instance) any { return &i.DeviceID }, Doc: "The device", ReadOnly: true,
			Refs: string(DeviceRows), Index: true, Example: 1},
		{Name: "deviceDataSourceId", At: func(i *Instance) any { return &i.DeviceDataSourceID },
			Doc: "The data source on the device", ReadOnly: true, Refs: string(DeviceDataSourceRows), Cascade: true,
			Example: 1},
		{Name: "dataSourceId", At: func(i *Instance) any { return &i.DataSourceID }, Doc: "The data source",
			ReadOnly: true,
			Example:  1},
		{Name: "createdOn", At: func(i *Instance) any { return &i.CreatedOn }, Doc: "When it was added or found",
			ReadOnly: true},
		{Name: "updatedOn", At: func(i *Instance) any { return &i.UpdatedOn }, Doc: "When it was last changed",
			ReadOnly: true},
	},
	Derived: []resource.Derived{
		{Name: "deviceDisplayName", Doc: "Display name of the device", Schema: resource.Text(""),
			Example: "core-sw-01.fra", From: "deviceId",
			Of: OfDevice(func(d *Device, _ *Tree) any { return d.DisplayName })},
		{Name: "collectorId", Doc: "The collector that polls it", Schema: resource.Integer(""), Example: 1,
			From: "deviceId",
			Of:   OfDevice(func(d *Device, _ *Tree) any { return d.CurrentCollector })},
		{Name: "groupName", Doc: "Name of its instance group; @default for none", Schema: resource.Text(""),
			Example: "@default", From: "groupId", Of: instanceGroupNames},
		{Name: "dataSourceType", Doc: "DS for a data source", Schema: resource.Text(""), Example: "DS",
			From: "dataSourceId",
			Of:   OfSource(func(*datasource.DataSource) any { return "DS" })},
		{Name: "isUNCInstance", Doc: "It was found on a share by its UNC path; always false",
			Schema:  resource.Boolean(""),
			Example: false, From: "dataSourceId",
			Of: OfSource(func(*datasource.DataSource) any { return false })},
		lastError(nil),
		lastData(nil),
	},
	Unique: [][]string{{"deviceDataSourceId", "wildValue"}},
	Check:  checkInstance,
	After: func(w *resource.Write, was, now *Instance) error {
		if was == nil {
			return count(w, now, 1, monitored(now))
		}
		return count(w, now, 0, monitored(now)-monitored(was))
	},
	Remove: func(w *resource.Write, i *Instance) error {
		on, err := resource.Get(w.Context, w.Tx, DeviceDataSourceRows, i.DeviceDataSourceID)
		if err == nil && !on.Multiple {
			err = fault.New(fault.Conflict,
				"%s has this one instance on the device; stopMonitoring=true keeps it from being polled", on.Name)
		}
		if err != nil {
			return err
		}
		at := resource.SecondsOf(w.Call.At)
		if err := removingInstance(w.Context, w.Tx, on, i.ID, at); err != nil {
			return err
		}
		return count(w, i, -1, -monitored(i))
	},
}

func checkInstance(w *resource.Write, was, now *Instance) error {
	now.DisplayName, now.WildValue = strings.TrimSpace(now.DisplayName), strings.TrimSpace(now.WildValue)
	on, err := resource.Get(w.Context, w.Tx, DeviceDataSourceRows, now.DeviceDataSourceID)
	if err != nil {
		return err
	}
	switch {
	case !on.Multiple && was == nil:
		return fault.New(fault.Invalid, "%s has only one instance on each device; you cannot add another", on.Name)
	case !on.Multiple && was.WildValue != now.WildValue:
		return fault.At("wildValue",
			"wildValue must stay %s: %s has only one instance on each device", was.WildValue, on.Name)
	}
	now.UpdatedOn = resource.SecondsOf(w.Call.At)
	if was == nil {
		now.CreatedOn, now.DataSourceID = now.UpdatedOn, on.DataSourceID
	}
	now.Name = instanceName(on, now.DisplayName)
	if now.GroupID == 0 || was != nil && was.GroupID == now.GroupID {
		return nil
	}
	group, err := resource.Lookup(w.Context, w.Tx, InstanceGroupRows, now.GroupID)
	if err != nil {
		return err
	}
	if group == nil || group.DeviceDataSourceID != now.DeviceDataSourceID {
		return fault.At("groupId", "groupId: there is no instance group %d of %s on this device", now.GroupID, on.Name)
	}
	return nil
}

// instanceName returns the name of an instance in alerts and reports.
func instanceName(on *DeviceDataSource, displayName string) string {
	if !on.Multiple {
		return on.Name
	}
	return on.Name + "-" + displayName
}

func monitored(i *Instance) int64 {
	if i.StopMonitoring {
		return 0
	}
	return 1
}

// count updates the numbers in the row of the device's data source.
func count(w *resource.Write, i *Instance, more, polled int64) error {
	if more == 0 && polled == 0 {
		return nil
	}
	on, err := resource.Get(w.Context, w.Tx, DeviceDataSourceRows, i.DeviceDataSourceID)
	if err != nil {
		return err
	}
	on.counts(on.Instances+more, on.Monitored+polled)
	on.UpdatedOn = resource.SecondsOf(w.Call.At)
	return resource.Put(w.Context, w.Tx, DeviceDataSourceRows, on)
}

func (d *DeviceDataSource) counts(instances, monitored int64) {
	d.Instances, d.Monitored, d.Stopped = instances, monitored, instances > 0 && monitored == 0
}

func instanceGroupNames(ctx context.Context, r resource.Reader, rows []resource.Row) ([][]byte, error) {
	groups := map[int64]*InstanceGroup{}
	if ids := resource.NamedIDs(rows); len(ids) > 1 || len(ids) == 1 && ids[0] != 0 {
		found, err := resource.Find(ctx, r, InstanceGroupRows, resource.Where{Field: "id", Op: "in", Value: ids})
		if err != nil {
			return nil, err
		}
		for i := range found {
			groups[found[i].ID] = &found[i]
		}
	}
	return resource.EachNamed(rows, groups, func(g *InstanceGroup) any {
		if g.ID == 0 {
			return "@default"
		}
		return g.Name
	})
}

// Latest returns the time of the last value of any of these data points of an
// instance, in epoch seconds; 0 for none.
type Latest func(ctx context.Context, instance int64, dataPoints []int64) (int64, error)

// LastError returns why the last poll of an instance failed; "" if it succeeded.
type LastError func(instance int64) string

// InstancesWith returns Instances for a portal that polls: lastDataOn and
// lastError are looked up when read, so that polls do not write rows.
func InstancesWith(latest Latest, failed LastError) *resource.Resource[*Instance] {
	with := Instances
	with.Derived = slices.Clone(with.Derived)
	with.Derived[len(with.Derived)-1], with.Derived[len(with.Derived)-2] = lastData(latest), lastError(failed)
	return &with
}

func lastError(failed LastError) resource.Derived {
	return resource.Derived{
		Name: "lastError",
		Doc: "Why its last poll failed, in a sentence; empty when it did not, or there was none since the portal " +
			"started",
		Schema: resource.Text(""), Example: "",
		Of: func(_ context.Context, _ resource.Reader, rows []resource.Row) ([][]byte, error) {
			return resource.EachRow(rows, func(row resource.Row) any {
				if failed == nil {
					return ""
				}
				return failed(row.ID)
			})
		},
	}
}

func lastData(latest Latest) resource.Derived {
	return resource.Derived{
		Name: "lastDataOn", Doc: "When it last returned data; 0: never",
		Schema: resource.Schema{Type: "integer", Format: "epoch-seconds"}, Example: 1790000000, From: "dataSourceId",
		Of: func(ctx context.Context, r resource.Reader, rows []resource.Row) ([][]byte, error) {
			sources, err := datasource.ByID(ctx, r)
			if err != nil {
				return nil, err
			}
			out := make([][]byte, len(rows))
			for i, row := range rows {
				at := int64(0)
				id, _ := strconv.ParseInt(row.From, 10, 64)
				if source := sources[id]; source != nil && latest != nil {
					if at, err = latest(ctx, row.ID, source.DataPointIDs()); err != nil {
						return nil, err
					}
				}
				out[i] = strconv.AppendInt(nil, at, 10)
			}
			return out, nil
		},
	}
}
