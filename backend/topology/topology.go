// Package topology draws the map of a fleet: where each device is, what it depends
// on, what depends on it, and how two devices are connected.
//
// # Places
//
// A device is drawn in the group that says where it is: the first of its groups
// with the property location, its own or that of a group above, and in there with
// the others of its first other group. A device without such a group is drawn in
// its first group. Boxes of groups contain the boxes of the groups inside. Places
// depend on groups, ids and rights only, so a map looks the same each time.
//
// # Dependencies
//
// A device depends on the one that its property parent.device names (monitor,
// "Dependencies"). The names of parents may lead in a circle, to the device itself
// or nowhere: a walk visits each device once, and ignores a parent that does not
// exist.
//
// # Units
//
// Places are whole numbers: the distance between two devices is 1. Times are epoch
// seconds.
//
// # Access
//
// A map has only the devices and groups that the caller may view. Dependents are
// found through all devices, and then only those that the caller may view are
// returned.
//
// # Concurrency
//
// A Service is safe for concurrent use. It keeps the devices of a map in memory from
// the first request on, reads those again that have changed since the last one, and
// draws the map again if one of them has another place or parent. Graphs and maps are
// immutable, and callers with the same rights share them.
package topology

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"spyglass/backend/fault"
	"spyglass/backend/portal/fleet"
	"spyglass/backend/portal/ground"
	"spyglass/backend/resource"
)

// Topology is the map of the devices that a caller can view.
type Topology struct {
	Layout  string          `json:"layout" doc:"identifies the groups, the devices and their places"`
	Width   int64           `json:"width"`
	Height  int64           `json:"height"`
	Groups  []TopologyGroup `json:"groups" doc:"parents first; empty if the layout is that of the request"`
	Devices TopologyDevices `json:"devices" doc:"columns of equal length; empty if the layout is that of the request"`
	States  string          `json:"states" doc:"a letter for each device: c critical, e error, w warn, s does not respond, u never had data, n normal; C, E or W if the alert is acknowledged or in maintenance"`
	Counts  []int64         `json:"counts" doc:"six numbers for each group: how many devices in it are critical, error, warn, not responding, without data, normal"`
}

// TopologyGroup is a box on the map. A group that has devices at several sites has
// a box in each.
type TopologyGroup struct {
	ID     int64  `json:"groupId" doc:"id of the device group"`
	Name   string `json:"name"`
	Parent int64  `json:"parent" doc:"index of the box around it; -1: none"`
	X      int64  `json:"x" doc:"left side"`
	Y      int64  `json:"y" doc:"top side"`
	Width  int64  `json:"width"`
	Height int64  `json:"height"`
	First  int64  `json:"first" doc:"index of its first device; those of the boxes inside follow"`
	Count  int64  `json:"count" doc:"how many devices are in it and in the boxes inside"`
}

// TopologyDevices has a value in each column for each device.
type TopologyDevices struct {
	IDs     []int64  `json:"ids"`
	Names   []string `json:"names" doc:"display names"`
	X       []int64  `json:"x" doc:"centre"`
	Y       []int64  `json:"y" doc:"centre"`
	Groups  []int64  `json:"groups" doc:"index of the box"`
	Parents []int64  `json:"parents" doc:"index of the device that it depends on; -1: none, or you cannot view it"`
}

// DeviceTopology is the part of a map around one device.
type DeviceTopology struct {
	ID          int64            `json:"deviceId"`
	Name        string           `json:"displayName"`
	State       string           `json:"state" doc:"a letter, as in states of the map"`
	DependsOn   []TopologyDevice `json:"dependsOn" doc:"the nearest first"`
	Cause       int64            `json:"causeId" doc:"the farthest device in dependsOn that does not respond, or has an alert of error or critical; 0: none"`
	Dependents  []int64          `json:"dependentIds" doc:"devices that depend on it, directly or through others, the nearest first"`
	Direct      int64            `json:"numOfDirect" doc:"how many of them depend on it directly"`
	Affected    int64            `json:"numOfAffected" doc:"how many of them do not respond, or have an active alert"`
	Alerts      []TopologyAlert  `json:"alerts" doc:"active alerts of the device, the worst first; up to 20"`
	AlertsTotal int64            `json:"numOfAlerts" doc:"how many active alerts there are; up to 1,000"`
	Path        []TopologyStep   `json:"path" doc:"from the device to the other one; empty without to"`
	Via         string           `json:"pathVia" enum:"none|dependencies|groups" doc:"groups: no dependencies connect the two"`
}

// TopologyDevice is a device on which another device depends.
type TopologyDevice struct {
	ID    int64  `json:"deviceId"`
	Name  string `json:"displayName"`
	State string `json:"state" doc:"a letter, as in states of the map"`
}

// TopologyAlert is an active alert.
type TopologyAlert struct {
	ID        int64  `json:"alertId"`
	Severity  int64  `json:"severity" doc:"2 warn, 3 error, 4 critical"`
	DataPoint string `json:"dataPointName"`
	Instance  string `json:"instanceName"`
	Start     int64  `json:"startEpoch" doc:"epoch seconds"`
	Handled   bool   `json:"handled" doc:"it is acknowledged, or in maintenance"`
}

// TopologyStep is a device or a group on the way from one device to another.
type TopologyStep struct {
	Kind  string `json:"kind" enum:"device|group"`
	ID    int64  `json:"id" doc:"id of the device or the group"`
	Name  string `json:"name"`
	Index int64  `json:"index" doc:"among the devices or the groups of the map"`
}

// TopologyInstances lists the instances of some devices.
type TopologyInstances struct {
	Total    int64              `json:"total"`
	SearchID *string            `json:"searchId" doc:"always null"`
	Items    []TopologyInstance `json:"items" doc:"by device and name; up to 2,000"`
	Data     *string            `json:"data" doc:"always null"`
}

// TopologyInstance is one thing on a device that is measured, such as an
// interface.
type TopologyInstance struct {
	ID         int64  `json:"instanceId"`
	DeviceID   int64  `json:"deviceId"`
	Name       string `json:"displayName"`
	DataSource string `json:"dataSourceName"`
	State      string `json:"state" doc:"a letter, as in states of the map"`
}

// Limits.
const (
	mostAlerts    = 20
	mostRead      = 1000 // alerts
	mostDevices   = 100  // whose instances one request lists
	mostInstances = 2000
)

// Endpoints returns the routes of the service.
func (s *Service) Endpoints() []resource.Endpoint {
	whole, one, instances := resource.SchemaOf(Topology{}), resource.SchemaOf(DeviceTopology{}),
		resource.SchemaOf(TopologyInstances{})
	read := resource.Right{Object: resource.DeviceGroup, Op: resource.Read}
	return []resource.Endpoint{{
		Method: "GET", Path: "/device/topology", Category: ground.CategoryDevices, Summary: "Get the topology map",
		Doc: "Returns all devices that you can view, in the boxes of their groups, with their positions, their " +
			"states and the devices that they depend on. Positions stay the same. With the layout of an earlier " +
			"response that is still current, returns only states and counts.",
		Right: read, Tagged: true,
		Params: []resource.Param{{Name: "layout", In: "query",
			Schema: resource.Text("The layout that you already have")}},
		Response: &whole, Handle: s.whole,
	}, {
		Method: "GET", Path: "/device/topology/devices/{id}", Category: ground.CategoryDevices,
		Summary: "Get dependencies and path of a device", Noun: resource.Regular("device"),
		Doc: "Returns what a device depends on, everything that depends on it, its active alerts, and with to the " +
			"path to another device: along dependencies, or through groups if no dependencies connect the two.",
		Right: read,
		Params: []resource.Param{
			{Name: "id", In: "path", Required: true, Schema: resource.Integer("Id of the device"), Example: 1},
			{Name: "to", In: "query", Schema: resource.Schema{Type: "integer", Refs: string(fleet.DeviceRows),
				Doc: "Id of another device, for the path to it"}, Example: 2},
		},
		Response: &one, Example: resource.Example{Path: "/device/topology/devices/1", Query: [][2]string{{"to", "2"}}},
		Errors: []resource.Failure{
			{Kind: fault.Unknown, When: "there is no such device, or it is not yours to see"}},
		Handle: s.device,
	}, {
		Method: "GET", Path: "/device/topology/instances", Category: ground.CategoryDevices,
		Summary: "List instances for the topology map",
		Doc:     "Returns the instances of up to 100 devices, with their states.",
		Right:   read,
		Params: []resource.Param{{Name: "deviceIds", In: "query", Required: true, Example: "1,2",
			Schema: resource.Schema{Type: "string", Format: "comma-separated-ids", Doc: "Ids of the devices"}}},
		Response: &instances, Example: resource.Example{Query: [][2]string{{"deviceIds", "1,2"}}},
		Errors: []resource.Failure{
			{Kind: fault.Invalid, When: "deviceIds is not a list of up to 100 ids"}},
		Handle: s.instances,
	}}
}

func (s *Service) whole(ctx context.Context, c *resource.Call) (any, error) {
	d, err := s.drawing(ctx, c.Access)
	if err != nil {
		return nil, err
	}
	body, tag := d.body(c.Query.Get("layout"))
	return &resource.Response{Body: resource.JSON(body), ETag: tag}, nil
}

func (s *Service) device(ctx context.Context, c *resource.Call) (any, error) {
	id, err := c.ID("id")
	if err != nil {
		return nil, err
	}
	d, err := s.drawing(ctx, c.Access)
	if err != nil {
		return nil, err
	}
	from, err := d.find(id)
	if err != nil {
		return nil, err
	}
	out := d.around(from)
	if text := c.Query.Get("to"); text != "" {
		to, ok := resource.ParseID(text)
		if !ok {
			return nil, fault.At("to", "to must be the id of a device")
		}
		other, err := d.find(to)
		if err != nil {
			return nil, err
		}
		out.Path, out.Via = d.path(from, other)
	}
	return out, s.addAlerts(ctx, c.Access, out)
}

func (s *Service) instances(ctx context.Context, c *resource.Call) (any, error) {
	ids, err := resource.ParseIDs(c.Query.Get("deviceIds"))
	if err != nil || len(ids) == 0 || len(ids) > mostDevices {
		return nil, fault.At("deviceIds", "deviceIds must be 1 to %d ids, comma-separated", mostDevices)
	}
	d, err := s.drawing(ctx, c.Access)
	if err != nil {
		return nil, err
	}
	ids = slices.DeleteFunc(ids, func(id int64) bool { _, err := d.find(id); return err != nil })
	items, err := s.listInstances(ctx, c.Access, ids)
	if err != nil {
		return nil, err
	}
	return &TopologyInstances{Total: int64(len(items)), Items: items}, nil
}

// find returns the index of a device in the graph.
func (d *drawing) find(id int64) (int, error) {
	i, ok := d.graph.at[id]
	if !ok || d.place[i] < 0 {
		return 0, fault.New(fault.Unknown, "there is no device %s", strconv.FormatInt(id, 10))
	}
	return i, nil
}

// lower returns a letter of a state without what is done about it.
func lower(state byte) byte { return strings.ToLower(string(state))[0] }
