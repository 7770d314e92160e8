// Package fleet declares devices, their groups, and what data sources measure
// on them: which apply, their instances, and groups of these.
//
// Groups form a Tree, and expressions put devices into groups (Membership) and
// give them data sources (Applying); all three are kept until a row changes and
// are shared: read them only. Values of alerts and maintenance windows on devices
// and groups are supplied from above (hooks.go). Times are epoch seconds, that of
// a deletion epoch milliseconds.
package fleet

import (
	"context"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"

	"spyglass/backend/fault"
	"spyglass/backend/portal/ground"
	"spyglass/backend/resource"
)

// DeviceRows names the rows of Device.
const DeviceRows resource.Name[*Device] = "device"

// Device is a monitored device.
type Device struct {
	ID               int64
	Name             string // host name or IP address that checks connect to
	DisplayName      string
	Description      string
	DeviceType       int64
	HostStatus       string
	AlertStatus      string
	AlertPriority    int64
	GroupIDs         resource.IDs
	CollectorID      int64
	CurrentCollector int64
	DisableAlerting  bool
	Link             string
	EnableNetflow    bool
	RelatedDeviceID  int64
	CustomProperties []resource.Property
	SystemProperties []resource.Property
	AutoProperties   []resource.Property
	CreatedOn        resource.Seconds
	UpdatedOn        resource.Seconds
	LastDataTime     resource.Seconds
	LastRawdataTime  resource.Seconds
	UpTime           int64
	DeletedOn        resource.Millis
	Kept             resource.Foreign
}

// ParentProperty is the property, of a device or its groups, with the display
// name of the parent device.
const ParentProperty = "parent.device"

// Devices declares /device/devices.
var Devices = resource.Resource[*Device]{
	Name: DeviceRows, Label: "device", Sample: 150, Path: "/device/devices", Category: ground.CategoryDevices,
	Object: resource.DeviceGroup, Scope: []string{"hostGroupIds"},
	Doc:     "A host, appliance or service that checks run against.",
	OpTypes: true, SoftBy: "deletedTimeInMs", Bin: "/device/recyclebin", Recycles: "/recyclebin/recycles", Deleted: 153,
	Batch: true,
	Flags: []resource.Flag{{Name: "deleteHard", Doc: "Remove for good, instead of keeping the device recoverable"}},
	Absent: "autoPropsAssignedOn autoPropsUpdatedOn awsState azureState collectorDescription gcpState " +
		"logCollectorDescription logCollectorGroupId logCollectorGroupName " +
		"netflowCollectorDescription netflowCollectorGroupId netflowCollectorGroupName " +
		"preferredCollectorGroupId preferredCollectorGroupName scanConfigId toDeleteTimeInMs " +
		"userPermission",
	Fields: []resource.Field[*Device]{
		{Name: "id", At: func(d *Device) any { return &d.ID }, Doc: "Set by the portal", ReadOnly: true, Example: 7},
		{Name: "name", At: func(d *Device) any { return &d.Name },
			Doc:      "Host name or IP address that checks connect to",
			Required: true, MaxLen: 255, Index: true, Example: "web-42.example.net"},
		{Name: "displayName", At: func(d *Device) any { return &d.DisplayName },
			Doc: "Display name, unique; default: the name", MaxLen: 255, Index: true, Example: "web-42"},
		{Name: "description", At: func(d *Device) any { return &d.Description }, Doc: "Its purpose", MaxLen: 4000,
			Example: "Shop front end"},
		{Name: "deviceType", At: func(d *Device) any { return &d.DeviceType }, Doc: "0 for an ordinary device",
			Min: resource.Bound(0), Max: resource.Bound(20)},
		{Name: "hostStatus", At: func(d *Device) any { return &d.HostStatus }, Doc: "normal, dead or dead-collector",
			ReadOnly: true, Index: true, Example: "normal"},
		{Name: "alertStatus", At: func(d *Device) any { return &d.AlertStatus },
			Doc: "none, or the state of the worst alert: acknowledged or not, severity, in maintenance or not, such " +
				"as confirmed-error-none",
			ReadOnly: true, Example: "none"},
		{Name: "alertStatusPriority", At: func(d *Device) any { return &d.AlertPriority },
			Doc:      "Orders devices by alertStatus: 1 for the worst, 100 for none",
			ReadOnly: true, Index: true, Default: LowestPriority, Example: LowestPriority},
		{Name: "hostGroupIds", At: func(d *Device) any { return &d.GroupIDs },
			Doc: "Ids of its groups, comma-separated: first the static groups, or the root group, then the dynamic " +
				"groups that match it", Refs: "deviceGroup", Example: "1"},
		{Name: "preferredCollectorId", At: func(d *Device) any { return &d.CollectorID },
			Doc: "The collector that monitors it", Default: 1, Min: resource.Bound(1), Refs: "collector",
			Index:   true,
			Example: 1},
		{Name: "currentCollectorId", At: func(d *Device) any { return &d.CurrentCollector },
			Doc: "The collector that currently monitors it; another one after a failover, or in an auto-balanced " +
				"collector group",
			ReadOnly: true, Index: true, Example: 1},
		{Name: "disableAlerting", At: func(d *Device) any { return &d.DisableAlerting },
			Doc: "Monitor it, but raise no alerts"},
		{Name: "link", At: func(d *Device) any { return &d.Link }, Doc: "URL of a web page about it, http or https",
			MaxLen: 2048},
		{Name: "enableNetflow", At: func(d *Device) any { return &d.EnableNetflow },
			Doc: "Kept for clients of the published API"},
		{Name: "relatedDeviceId", At: func(d *Device) any { return &d.RelatedDeviceID },
			Doc: "Kept for clients of the published API", Default: -1},
		{Name: "customProperties", At: func(d *Device) any { return &d.CustomProperties },
			Doc: "Custom properties; secret-looking ones are write-only",
			Example: []resource.Property{{Name: "location", Value: "Frankfurt FR5, rack 12"},
				{Name: "snmp.community", Value: "example"}}},
		{Name: "systemProperties", At: func(d *Device) any { return &d.SystemProperties },
			Doc:      "Properties that the portal sets",
			ReadOnly: true},
		{Name: "autoProperties", At: func(d *Device) any { return &d.AutoProperties },
			Doc:      "Properties that checks have found",
			ReadOnly: true},
		{Name: "createdOn", At: func(d *Device) any { return &d.CreatedOn }, Doc: "When it was added", ReadOnly: true,
			Index: true},
		{Name: "updatedOn", At: func(d *Device) any { return &d.UpdatedOn }, Doc: "When it was last changed",
			ReadOnly: true,
			Index:    true},
		{Name: "lastDataTime", At: func(d *Device) any { return &d.LastDataTime },
			Doc: "When it last returned data; 0: never", ReadOnly: true, Index: true},
		{Name: "lastRawdataTime", At: func(d *Device) any { return &d.LastRawdataTime },
			Doc:      "When any check on it last ran",
			ReadOnly: true},
		{Name: "upTimeInSeconds", At: func(d *Device) any { return &d.UpTime }, Doc: "Uptime that the device reports",
			ReadOnly: true},
		{Name: "deletedTimeInMs", At: func(d *Device) any { return &d.DeletedOn },
			Doc: "When it was deleted; 0: not deleted", ReadOnly: true},
		resource.KeptField(func(row *Device) *resource.Foreign { return &row.Kept },
			resource.Keeping("integer", "autoBalancedCollectorGroupId currentLogCollectorId logCollectorId "+
				"netflowCollectorId"),
			resource.Keeping("boolean", "containsMultiValue isPreferredLogCollectorConfigured"),
			resource.Keeping("string", "op type"),
			resource.Keeping("[]integer", "syntheticsCollectorIds"),
			resource.Keeping("[]any", "resourceIds")),
	},
	Derived: []resource.Derived{{
		Name: "inheritedProperties", Doc: "Custom properties of its groups and the groups above; the nearest wins",
		Schema: resource.Properties(""), Example: []resource.Property{}, From: "hostGroupIds", Pairs: true,
		Of: inherited,
	}},
	Unique: [][]string{{"displayName"}}, Counted: []string{"hostGroupIds", "alertStatus", "hostStatus"},
	Props: &resource.Props{
		Param: "deviceId", Field: "customProperties", Sample: "location",
		Others: []resource.OtherPairs{{Field: "autoProperties", Type: "auto"},
			{Field: "systemProperties", Type: "system"}},
		From: "hostGroupIds", Inherited: inheritedPairs,
	},
	Lists: []resource.Listing{{
		Path: "/device/groups/{id}/devices", Category: ground.CategoryGroups, Summary: "List devices of a group",
		Doc: "Returns the devices that are in the group itself, not in the groups below it, one page at a time.",
		Of:  string(GroupRows), Param: "id", Field: "hostGroupIds", Sample: 8,
	}},
	Check: func(w *resource.Write, was, now *Device) error {
		if was == nil || was.Name != now.Name { // do not check stored names again
			name, err := HostName(now.Name)
			if err != nil {
				return err
			}
			now.Name = name
		}
		if now.DisplayName = strings.TrimSpace(now.DisplayName); now.DisplayName == "" {
			now.DisplayName = now.Name
		}
		if !ground.IsWebLink(now.Link) {
			return fault.At("link", "link must be a web address that begins with http:// or https://")
		}
		if len(now.GroupIDs) == 0 {
			now.GroupIDs = resource.IDs{ground.RootGroup}
		}
		if err := keepDynamic(w, was, now); err != nil {
			return err
		}
		now.UpdatedOn = resource.SecondsOf(w.Call.At)
		if was == nil {
			now.CreatedOn, now.HostStatus = now.UpdatedOn, "normal"
			now.SetAlertStatus(NoAlerts)
		}
		if was == nil || was.CollectorID != now.CollectorID {
			now.CurrentCollector = now.CollectorID
		}
		now.SystemProperties = systemProperties(now)
		return nil
	},
	Settle: func(w *resource.Write, _, now *Device) error {
		m, err := MembershipOf(w.Context, w.Tx)
		if err == nil {
			m.Place(now)
		}
		return err
	},
	After:  unsettle,
	Remove: removing,
	Mend: func(d *Device) error { // older versions stored no priority
		d.AlertPriority = PriorityOf(d.AlertStatus)
		return nil
	},
	Actions: []resource.Action[*Device]{{
		Name: "scheduleAutoDiscovery", Summary: "Discover instances on a device",
		Doc: "Determines which data sources apply to the device, and discovers their instances: at once if that is " +
			"possible without the device, otherwise at the next connection to it.",
		Do: func(w *resource.Write, d *Device) error {
			return DiscoverNow(w.Context, w.Tx, d, resource.SecondsOf(w.Call.At))
		},
	}},
}

// HostName returns a name that checks can connect to, without surrounding spaces
// or the brackets of IPv6. It refuses characters that host names and addresses
// cannot contain, because names become part of commands, URLs and logs.
func HostName(text string) (string, error) {
	text = strings.TrimSpace(text)
	if inner, ok := strings.CutPrefix(text, "["); ok {
		inner, _ = strings.CutSuffix(inner, "]")
		if addr, err := netip.ParseAddr(inner); err == nil && addr.Is6() && text == "["+inner+"]" {
			text = inner
		}
	}
	if !isHost(text) {
		return "", fault.At("name",
			"name is a host name or an IP address: letters, digits and . _ : %% -, not beginning with -")
	}
	return text, nil
}

// isHost reports whether a text has only letters and digits of any script, and
// the separators of host names and addresses.
func isHost(text string) bool {
	return text != "" && text[0] != '-' && !strings.ContainsFunc(text, func(r rune) bool {
		return !unicode.In(r, unicode.L, unicode.M, unicode.N) && !strings.ContainsRune("._:%-", r)
	})
}

// Prospective returns a device as it would be after adding it, without writing a
// row.
func Prospective(name string, groups resource.IDs, properties []resource.Property) *Device {
	d := &Device{Name: name, DisplayName: name, GroupIDs: groups, CustomProperties: properties,
		CollectorID: ground.BuiltInCollector, CurrentCollector: ground.BuiltInCollector}
	d.SystemProperties = systemProperties(d)
	return d
}

// systemProperties returns the properties that the portal itself sets on a
// device, with the names of the published API.
func systemProperties(d *Device) []resource.Property {
	props := []resource.Property{
		{Name: "system.hostname", Value: d.Name},
		{Name: "system.displayname", Value: d.DisplayName},
		{Name: "system.collectorid", Value: strconv.FormatInt(d.CollectorID, 10)},
		{Name: "system.devicetype", Value: strconv.FormatInt(d.DeviceType, 10)},
	}
	for _, p := range d.CustomProperties {
		if p.Name == "system.categories" {
			props = append(props, p)
		}
	}
	return props
}

// inherited returns the properties that devices inherit from their groups.
// Devices in the same groups share one value, which is cached until a group
// changes.
func inherited(ctx context.Context, r resource.Reader, rows []resource.Row) ([][]byte, error) {
	value, err := r.Memo("inherited", []string{string(GroupRows)}, func() (any, error) {
		tree, err := TreeOf(ctx, r)
		return &inheritance{tree: tree}, err
	})
	if err != nil {
		return nil, err
	}
	all := value.(*inheritance)
	all.mu.Lock()
	defer all.mu.Unlock()
	out := make([][]byte, len(rows))
	for i, row := range rows {
		if out[i], err = all.of(row.From); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// inheritance caches the JSON of inherited properties by the ids of groups, for one state of
// the groups.
type inheritance struct {
	tree *Tree
	mu   sync.Mutex
	json map[string][]byte
}

// mostInherited limits the number of cached values.
const mostInherited = 1000

// of returns the properties that these groups hand down. The caller holds mu.
func (h *inheritance) of(groups string) ([]byte, error) {
	if json, ok := h.json[groups]; ok {
		return json, nil
	}
	ids, err := resource.ParseIDs(groups)
	if err != nil {
		return nil, err
	}
	if h.json == nil || len(h.json) >= mostInherited {
		h.json = map[string][]byte{}
	}
	json := resource.AppendProperties(nil, resource.Masked(h.tree.Inherited(ids)))
	h.json[groups] = json
	return json, nil
}

// inheritedPairs returns the properties of the groups in from and of their
// parents, the nearest first, which is the order of precedence.
func inheritedPairs(ctx context.Context, r resource.Reader, from string) ([]resource.InheritedPair, error) {
	tree, err := TreeOf(ctx, r)
	if err != nil {
		return nil, err
	}
	ids, err := resource.ParseIDs(strings.TrimPrefix(from, "0")) // the root is in group 0, which does not exist
	var pairs []resource.InheritedPair
	seen := map[int64]bool{}
	for _, id := range ids {
		for up := tree.Groups[id]; up != nil && !seen[up.ID]; up = tree.Groups[up.ParentID] {
			seen[up.ID] = true
			for _, p := range up.CustomProperties {
				pairs = append(pairs, resource.InheritedPair{Property: p, ID: up.ID, FullPath: up.FullPath})
			}
		}
	}
	return pairs, err
}

// Inherited merges the properties of groups and their parents: the nearest group
// overrides its parents, and the first of several groups overrides the others.
func (t *Tree) Inherited(groups resource.IDs) []resource.Property {
	var props []resource.Property
	for _, id := range groups {
		for up := t.Groups[id]; up != nil; up = t.Groups[up.ParentID] {
			for _, p := range up.CustomProperties {
				if !slices.ContainsFunc(props, func(have resource.Property) bool {
					return strings.EqualFold(have.Name, p.Name)
				}) {
					props = append(props, p)
				}
			}
		}
	}
	slices.SortFunc(props, func(a, b resource.Property) int { return strings.Compare(a.Name, b.Name) })
	return props
}

// Properties returns all properties that apply to a device, by name in lower
// case, with secrets in clear text. Its own override those of its groups, and
// these override the portal's.
func (t *Tree) Properties(d *Device) map[string]string {
	return t.properties(d, func(p resource.Property) string { return p.Value })
}

// ShownProperties returns the same with secrets masked.
func (t *Tree) ShownProperties(d *Device) map[string]string {
	return t.properties(d, resource.Property.Shown)
}

func (t *Tree) properties(d *Device, value func(resource.Property) string) map[string]string {
	out := map[string]string{}
	for _, list := range [][]resource.Property{d.SystemProperties, d.AutoProperties, t.Inherited(d.GroupIDs),
		d.CustomProperties} {
		for _, p := range list {
			out[strings.ToLower(p.Name)] = value(p)
		}
	}
	return out
}
