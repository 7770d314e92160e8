package fleet

import (
	"context"
	"strconv"

	"spyglass/backend/portal/datasource"
	"spyglass/backend/portal/ground"
	"spyglass/backend/resource"
)

// DeviceDataSourceRows names the rows of DeviceDataSource.
const DeviceDataSourceRows resource.Name[*DeviceDataSource] = "deviceDatasource"

// DeviceDataSource is a data source on one of the devices it applies to. The row
// stores the fields that lists filter by; other fields are read from the data
// source and the device, so that changes there show at once.
type DeviceDataSource struct {
	ID           int64
	DeviceID     int64
	DataSourceID int64
	Name         string // name of the data source, for filters
	DisplayName  string
	Method       string // name of its check
	Multiple     bool
	Instances    int64 // number of instances
	Monitored    int64 // number of polled instances
	Stopped      bool  // there are instances, but none is polled
	CreatedOn    resource.Seconds
	AssignedOn   resource.Seconds
	UpdatedOn    resource.Seconds
	DiscoveredOn resource.Seconds // time of the last discovery; 0: none yet
	NextOn       resource.Seconds // time of the next discovery; 0: when the device changes
	LastError    string           // why the last discovery failed; empty if it succeeded
}

// DeviceDataSources declares /device/devices/{deviceId}/devicedatasources. Only
// Associate creates rows.
var DeviceDataSources = resource.Resource[*DeviceDataSource]{
	Name: DeviceDataSourceRows, Label: "device datasource", Sample: 1,
	Path: "/device/devices/{deviceId}/devicedatasources", Category: ground.CategoryDevices,
	Object: resource.DeviceGroup, Scope: []string{"deviceId"},
	Doc: "A data source on a device it applies to. The portal adds and removes them as the device and its data " +
		"sources change.",
	Parents: []resource.Parent{{Of: string(DeviceRows), Param: "deviceId", Field: "deviceId", Sample: 1}},
	Without: []resource.Verb{resource.OnCreate, resource.OnReplace, resource.OnPatch, resource.OnDelete},
	Fields: []resource.Field[*DeviceDataSource]{
		{Name: "id", At: func(d *DeviceDataSource) any { return &d.ID }, Doc: "Set by the portal", ReadOnly: true,
			Example: 1},
		{Name: "deviceId", At: func(d *DeviceDataSource) any { return &d.DeviceID }, Doc: "The device", ReadOnly: true,
			Refs: string(DeviceRows), Cascade: true, Example: 1},
		{Name: "dataSourceId", At: func(d *DeviceDataSource) any { return &d.DataSourceID }, Doc: "The data source",
			ReadOnly: true, Refs: string(datasource.DataSourceRows), Index: true, Example: 1},
		{Name: "dataSourceName", At: func(d *DeviceDataSource) any { return &d.Name },
			Doc:      "Unique name of the data source",
			ReadOnly: true, Example: "Ping"},
		{Name: "dataSourceDisplayName", At: func(d *DeviceDataSource) any { return &d.DisplayName },
			Doc: "Display name of the data source", ReadOnly: true, Example: "Ping"},
		{Name: "collectMethod", At: func(d *DeviceDataSource) any { return &d.Method }, Doc: "The check that polls it",
			ReadOnly: true, Example: "ping"},
		{Name: "isMultiple", At: func(d *DeviceDataSource) any { return &d.Multiple },
			Doc: "It can have several instances on a device, such as interfaces", ReadOnly: true},
		{Name: "instanceNumber", At: func(d *DeviceDataSource) any { return &d.Instances },
			Doc: "How many instances it has on the device", ReadOnly: true, Example: 8},
		{Name: "monitoringInstanceNumber", At: func(d *DeviceDataSource) any { return &d.Monitored },
			Doc: "How many of them are polled", ReadOnly: true, Example: 8},
		{Name: "stopMonitoring", At: func(d *DeviceDataSource) any { return &d.Stopped },
			Doc: "It has instances, and none of them is polled", ReadOnly: true},
		{Name: "createdOn", At: func(d *DeviceDataSource) any { return &d.CreatedOn },
			Doc: "When it first applied to the device", ReadOnly: true},
		{Name: "assignedOn", At: func(d *DeviceDataSource) any { return &d.AssignedOn },
			Doc: "When it was assigned to the device", ReadOnly: true},
		{Name: "updatedOn", At: func(d *DeviceDataSource) any { return &d.UpdatedOn },
			Doc: "When its instances or its names last changed", ReadOnly: true},
		{Name: "lastAutoDiscoveryOn", At: func(d *DeviceDataSource) any { return &d.DiscoveredOn },
			Doc: "When the last discovery ran; 0: never", ReadOnly: true},
		{Name: "nextAutoDiscoveryOn", At: func(d *DeviceDataSource) any { return &d.NextOn },
			Doc: "When the next discovery runs; 0: when the device changes", ReadOnly: true, Index: true},
		{Name: "lastAutoDiscoveryError", At: func(d *DeviceDataSource) any { return &d.LastError },
			Doc:      "Why the last discovery failed, as a sentence; empty if it succeeded",
			ReadOnly: true},
	},
	Unique: [][]string{{"deviceId", "dataSourceId"}},
	Hooks: []resource.Hook{
		resource.Follow(datasource.OnDataSourceChanged, followDataSource),
		resource.Follow(datasource.OnDataSourceRemoved, removeDataSource),
		resource.Supply(datasource.DevicesOfDataSource, countDevices),
	},
	Derived: []resource.Derived{
		{Name: "deviceName", Doc: "Host name or IP address of the device", Schema: resource.Text(""),
			Example: "10.10.1.11",
			From:    "deviceId",
			Of:      OfDevice(func(d *Device, _ *Tree) any { return d.Name })},
		{Name: "deviceDisplayName", Doc: "Display name of the device", Schema: resource.Text(""),
			Example: "core-sw-01.fra", From: "deviceId",
			Of: OfDevice(func(d *Device, _ *Tree) any { return d.DisplayName })},
		{Name: "alertStatus",
			Doc: "none, or the state of the worst active alert: acknowledged or not, severity, in maintenance or " +
				"not, such as confirmed-error-none", Schema: resource.Text(""), Example: NoAlerts, From: "deviceId",
			Of: AlertStatus.Or(NoAlerts)},
		{Name: "alertStatusPriority", Doc: "Orders alertStatus: 1 for the worst, 100 for none",
			Schema:  resource.Integer(""),
			Example: 100, From: "deviceId", Of: AlertStatusPriority.Or(LowestPriority)},
		{Name: "sdtStatus", Doc: "What is in maintenance now: a group, the device, the data source, such as " +
			"none-SDT-none",
			Schema: resource.Text(""), Example: "none-none-none", Of: MaintenanceStatus.Or("none-none-none")},
		{Name: "sdtAt", Doc: "Ids of the maintenance windows in effect, joined by commas", Schema: resource.Text(""),
			Example: "", Of: MaintenanceIDs.Or("")},
		{Name: "status", Doc: "1 while any instance is polled, 0 when none is", Schema: resource.Integer(""),
			Example: 1,
			From:    "monitoringInstanceNumber", Of: monitoringStatus},
		{Name: "alertDisableStatus",
			Doc: "Where alerting is disabled, at a group and at the device: none-none, group-none, none-device or " +
				"group-device",
			Schema: resource.Text(""), Example: "none-none", From: "deviceId",
			Of: OfDevice(func(d *Device, t *Tree) any { return alertsDisabled(d, t) })},
		{Name: "alertingDisabledOn", Doc: "The nearest group that has disabled alerting; null for none",
			Schema: resource.Nullable(resource.SchemaOf(TreeNode{})), Example: TreeNode{}, From: "deviceId",
			Of: OfDevice(func(d *Device, t *Tree) any { return DisablingGroup(d, t) })},
		{Name: "groupsDisabledThisSource", Doc: "Groups of the device for which the data source is turned off",
			Schema: resource.List(resource.SchemaOf(TreeNode{}), ""), Example: []TreeNode{}, From: "deviceId",
			Of: OfDevice(func(*Device, *Tree) any { return []TreeNode{} })},
		{Name: "dataSourceDescription", Doc: "What the data source measures", Schema: resource.Text(""),
			Example: "Traffic and errors of each interface", From: "dataSourceId",
			Of: OfSource(func(s *datasource.DataSource) any { return s.Description })},
		{Name: "dataSourceType", Doc: "DS for a data source", Schema: resource.Text(""), Example: "DS",
			From: "dataSourceId",
			Of:   OfSource(func(*datasource.DataSource) any { return "DS" })},
		{Name: "groupName", Doc: "The heading the data source is listed under", Schema: resource.Text(""),
			Example: "Network",
			From:    "dataSourceId",
			Of:      OfSource(func(s *datasource.DataSource) any { return s.Group })},
		{Name: "autoDiscovery", Doc: "The portal discovers its instances", Schema: resource.Boolean(""), Example: true,
			From: "dataSourceId",
			Of:   OfSource(func(s *datasource.DataSource) any { return s.EnableDiscovery })},
		{Name: "instanceAutoGroupEnabled", Doc: "Discovered instances are grouped by name",
			Schema: resource.Boolean(""), Example: false, From: "dataSourceId",
			Of: OfSource(func(s *datasource.DataSource) any {
				return s.Discovery != nil &&
					s.Discovery.GroupMethod == "regex"
			})},
		{Name: "graphs", Doc: "Graphs of one instance", Schema: resource.List(resource.SchemaOf(graphRef{}), ""),
			Example: []graphRef{}, From: "dataSourceId",
			Of: OfSource(func(s *datasource.DataSource) any { return graphRefs(s.Graphs) })},
		{Name: "overviewGraphs", Doc: "Graphs over all instances of the device",
			Schema: resource.List(resource.SchemaOf(graphRef{}), ""), Example: []graphRef{}, From: "dataSourceId",
			Of: OfSource(func(s *datasource.DataSource) any { return graphRefs(s.OverviewGraphs) })},
	},
}

// graphRef is a graph in the JSON of a device's data source.
type graphRef struct {
	ID          int64  `json:"id"`
	Name        string `json:"name"`
	Title       string `json:"title"`
	DisplayPrio int64  `json:"displayPrio"`
}

func graphRefs(graphs []datasource.Graph) []graphRef {
	refs := make([]graphRef, len(graphs))
	for i, g := range graphs {
		refs[i] = graphRef{g.ID, g.Name, g.Title, g.DisplayPrio}
	}
	return refs
}

// TreeNode is a device group in the short form of the published API.
type TreeNode struct {
	ID          int64  `json:"id"`
	DisplayName string `json:"displayName"`
	Type        string `json:"type"`
}

// DisablingGroup returns the nearest group that has alerting disabled; nil for none.
func DisablingGroup(d *Device, t *Tree) *TreeNode {
	for _, id := range d.GroupIDs {
		for up := t.Groups[id]; up != nil; up = t.Groups[up.ParentID] {
			if up.DisableAlerting {
				return &TreeNode{up.ID, up.FullPath, "deviceGroup"}
			}
		}
	}
	return nil
}

func alertsDisabled(d *Device, t *Tree) string {
	status := "none"
	if DisablingGroup(d, t) != nil {
		status = "group"
	}
	if d.DisableAlerting {
		return status + "-device"
	}
	return status + "-none"
}

// OfDevice derives a value from the device whose id the rows hold. For a deleted
// device it uses an empty one.
func OfDevice(value func(*Device, *Tree) any) func(context.Context, resource.Reader, []resource.Row) ([][]byte, error) {
	return func(ctx context.Context, r resource.Reader, rows []resource.Row) ([][]byte, error) {
		tree, err := TreeOf(ctx, r)
		if err != nil {
			return nil, err
		}
		found, err := resource.Find(ctx, r, DeviceRows,
			resource.Where{Field: "id", Op: "in", Value: resource.NamedIDs(rows)})
		if err != nil {
			return nil, err
		}
		devices := make(map[int64]*Device, len(found))
		for i := range found {
			devices[found[i].ID] = &found[i]
		}
		return resource.EachNamed(rows, devices, func(d *Device) any { return value(d, tree) })
	}
}

// OfSource derives a value from the data source whose id the rows hold. For a
// deleted one it uses an empty one.
func OfSource(value func(*datasource.DataSource) any) func(context.Context, resource.Reader, []resource.Row) ([][]byte,
	error) {
	return func(ctx context.Context, r resource.Reader, rows []resource.Row) ([][]byte, error) {
		sources, err := datasource.ByID(ctx, r)
		if err != nil {
			return nil, err
		}
		return resource.EachNamed(rows, sources, value)
	}
}

// monitoringStatus returns 1 if any instance is polled, and 0 otherwise.
func monitoringStatus(_ context.Context, _ resource.Reader, rows []resource.Row) ([][]byte, error) {
	return resource.EachRow(rows, func(row resource.Row) any {
		n, _ := strconv.Atoi(row.From)
		return min(n, 1)
	})
}
