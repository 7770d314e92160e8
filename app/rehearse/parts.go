package rehearse

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	"spyglass/app/explorer/catalog"
	"spyglass/backend/resource"
)

// Paths of the parts of a device. Each is also the id of its kind.
const (
	partsPath      = devicesPath + "/parts" // stands for all of them in the order of kinds
	onDevicePath   = devicesPath + "/{deviceId}/devicedatasources"
	groupedPath    = onDevicePath + "/{deviceDsId}/groups"
	instancesPath  = onDevicePath + "/{hdsId}/instances"
	thresholdsPath = instancesPath + "/{instanceId}/alertsettings"

	sourcesPath = "/setting/datasources"

	groupThresholdsPath = groupsPath + "/{deviceGroupId}/datasources/{dsId}/alertsettings"
)

// partRefs are the names by which bodies refer to parts.
var partRefs = map[string]string{
	"deviceDatasource": onDevicePath, "deviceDatasourceInstance": instancesPath,
	"deviceDatasourceInstanceGroup": groupedPath,
}

// Levels of thresholds, with the paths where they are set.
const (
	ofInstance    = "instance"
	ofGrouped     = "instance group"
	ofDevice      = "device"
	ofDeviceGroup = "device group"
)

var levelPaths = map[string]string{
	ofInstance: thresholdsPath + "/{dpId}",
	ofGrouped:  groupedPath + "/{dsigId}/datapoints/{dpId}/alertconfig",
	ofDevice:   onDevicePath + "/{hdsId}/alertsettings/{dpId}",

	ofDeviceGroup: groupThresholdsPath,
}

// partKinds are the kinds of the parts of devices. They are read device by device: a portal
// has no list of those of all devices.
type partKinds struct {
	onDevice   *kind // data sources on a device, which only a portal adds and removes
	grouped    *kind // groups of instances
	instances  *kind
	thresholds *kind
}

// partsOf returns the kinds of parts; nil if the portal does not declare them.
func partsOf(c *catalog.Catalog) *partKinds {
	if c.Match("GET", onDevicePath) == nil {
		return nil
	}
	one := func(path, method, at string, noun resource.Noun) *kind {
		k := &kind{path: path, noun: noun, create: c.Match("POST", path), patch: below(c, "PATCH", path),
			remove: below(c, "DELETE", path), part: true, schema: &resource.Schema{}}
		if e := c.Match(method, at); e != nil && e.Body != nil {
			schema := *e.Body
			schema.Properties = slices.Clone(schema.Properties)
			for i := range schema.Properties {
				if p := &schema.Properties[i]; path == instancesPath && p.Name == "groupId" {
					p.Schema.Refs = "deviceDatasourceInstanceGroup"
				}
			}
			k.schema = &schema
		}
		return k
	}
	return &partKinds{
		onDevice:  one(onDevicePath, "", "", resource.Regular("data source of a device")),
		grouped:   one(groupedPath, http.MethodPost, groupedPath, resource.Regular("instance group")),
		instances: one(instancesPath, http.MethodPost, instancesPath, resource.Regular("instance")),
		thresholds: one(thresholdsPath, http.MethodPatch, thresholdsPath+"/1",
			resource.Regular("threshold")),
	}
}

// counted returns the kinds whose objects are copied.
func (p *partKinds) counted() []*kind { return []*kind{p.grouped, p.instances, p.thresholds} }

// at returns the path of an object, which has the ids of its portal.
func (k *kind) at(o object) string {
	switch {
	case !k.part:
		return k.path + "/" + o.id()
	case k.path == thresholdsPath:
		return fill(levelPaths[textOf(o["level"])], o)
	}
	return fill(k.path, o) + "/" + o.id()
}

// fill replaces the parameters of a path by what an object says.
func fill(path string, o object) string {
	onDevice, owner := textOf(o["deviceDataSourceId"]), textOf(o["owner"])
	return strings.NewReplacer("{deviceId}", textOf(o["deviceId"]), "{hdsId}", onDevice, "{deviceDsId}", onDevice,
		"{instanceId}", owner, "{dsigId}", owner, "{dpId}", textOf(o["dataPointId"]), "{deviceGroupId}", owner,
		"{dsId}", textOf(o["dataSourceId"])).Replace(path)
}

// plain returns the fields of an object that a body may set, and its name.
func (k *kind) plain(o object) object {
	if !k.part {
		return o
	}
	out := object{}
	for i := range k.schema.Properties {
		if p := &k.schema.Properties[i]; !p.ReadOnly && !p.WriteOnly && o[p.Name] != nil {
			out[p.Name] = o[p.Name]
		}
	}
	return out
}

// kept returns the recorded fields of a part: the fields that a body may set, without
// secrets, and these.
func (k *kind) kept(o object, fields ...string) object {
	out := k.plain(o)
	for _, name := range append(fields, "id", "deviceId", "deviceDataSourceId") {
		if o[name] != nil {
			out[name] = o[name]
		}
	}
	return clean(k.path, out)
}

// deviceParts are the parts of one device.
type deviceParts struct {
	Device     string   `json:"device"`
	Sources    []object `json:"sources,omitempty"`
	Grouped    []object `json:"grouped,omitempty"`
	Instances  []object `json:"instances,omitempty"`
	Thresholds []object `json:"thresholds,omitempty"` // only those that say something
	// Above are the thresholds of device groups that apply to the device. Their values are
	// recorded once, under groupsLine.
	Above []groupSource `json:"above,omitempty"`
}

func (d *deviceParts) of(k *kind) []object {
	switch k.path {
	case onDevicePath:
		return d.Sources
	case groupedPath:
		return d.Grouped
	case instancesPath:
		return d.Instances
	}
	return d.Thresholds
}

// same reports whether nothing differs.
func (d *deviceParts) same(other *deviceParts) bool {
	return slices.EqualFunc([][]object{d.Sources, d.Grouped, d.Instances, d.Thresholds},
		[][]object{other.Sources, other.Grouped, other.Instances, other.Thresholds}, func(a, b []object) bool {
			return slices.EqualFunc(a, b, func(x, y object) bool { return same(map[string]any(x), map[string]any(y)) })
		})
}

// find returns the object with an id; nil if there is none.
func find(all []object, id string) object {
	i := slices.IndexFunc(all, func(o object) bool { return o.id() == id })
	if i < 0 {
		return nil
	}
	return all[i]
}

// unset are the fields of a threshold with their values where it says nothing.
var unset = map[string]any{
	"alertExpr": "", "alertExprNote": "", "disableAlerting": false, "alertForNoData": json.Number("-1"),
	"alertTransitionInterval": json.Number("-1"), "alertClearInterval": json.Number("-1"),
}

func says(o object) bool {
	for field, usual := range unset {
		if v := o[field]; !same(v, usual) && !isZero(v) {
			return true
		}
	}
	return false
}

// read returns the parts of a device, with three requests, one more for each data source with
// several instances, and one for each threshold that several of them share.
func (p *partKinds) read(ctx context.Context, s *side, device string) (*deviceParts, error) {
	r := &partReading{partKinds: p, side: s, base: devicesPath + "/" + device, out: &deviceParts{Device: device}}
	for _, step := range []func(context.Context) error{r.sources, r.parts, r.settings, r.groups} {
		if err := step(ctx); err != nil {
			return nil, err
		}
	}
	return r.out, nil
}

// partReading reads the parts of one device.
type partReading struct {
	*partKinds
	*side
	base    string // the device
	out     *deviceParts
	shared  []string    // data sources with thresholds for all their instances, or without instances
	grouped [][3]string // data source, instance group and data point with a threshold
}

func (r *partReading) sources(ctx context.Context) error {
	return r.each(ctx, onDevicePath, r.base+"/devicedatasources", object.id, func(o object) error {
		r.out.Sources = append(r.out.Sources, r.onDevice.kept(o, "dataSourceId", "dataSourceName", "isMultiple"))
		if isZero(o["instanceNumber"]) {
			r.shared = append(r.shared, o.id())
		}
		return nil
	})
}

func (r *partReading) parts(ctx context.Context) error {
	return r.each(ctx, instancesPath, r.base+"/instances", object.id, func(o object) error {
		r.out.Instances = append(r.out.Instances, r.instances.kept(o, "name"))
		return nil
	})
}

// settings reads the thresholds of instances, and finds out which others there are.
func (r *partReading) settings(ctx context.Context) error {
	key := func(o object) string { return textOf(o["dataSourceInstanceId"]) + "/" + textOf(o["dataPointId"]) }
	err := r.each(ctx, thresholdsPath, r.base+"/alertsettings", key, func(o object) error {
		instance := find(r.out.Instances, textOf(o["dataSourceInstanceId"]))
		if instance == nil {
			return nil
		}
		onDevice := textOf(instance["deviceDataSourceId"])
		if o["parentResourceDataSourceAlertExpr"] != nil && !slices.Contains(r.shared, onDevice) {
			r.shared = append(r.shared, onDevice)
		}
		r.above(find(r.out.Sources, onDevice), o["parentDeviceGroupAlertExprList"])
		if above, ok := o["parentInstanceGroupAlertExpr"].(map[string]any); ok {
			at := [3]string{onDevice, textOf(above["groupId"]), textOf(o["dataPointId"])}
			if !slices.Contains(r.grouped, at) {
				r.grouped = append(r.grouped, at)
			}
		}
		r.add(ofInstance, onDevice, instance.id(), instance.name(), o)
		return nil
	})
	for _, onDevice := range r.shared {
		source := find(r.out.Sources, onDevice)
		if err != nil || source == nil {
			continue
		}
		path := r.base + "/devicedatasources/" + onDevice + "/alertsettings"
		err = r.each(ctx, levelPaths[ofDevice], path, key, func(o object) error {
			r.add(ofDevice, onDevice, onDevice, textOf(source["dataSourceName"]), o)
			return nil
		})
	}
	return err
}

// groups reads the instance groups, also those without instances, and their thresholds.
func (r *partReading) groups(ctx context.Context) error {
	for _, source := range r.out.Sources {
		if source["isMultiple"] != true {
			continue // one instance, which is in no group
		}
		path := r.base + "/devicedatasources/" + source.id() + "/groups"
		err := r.each(ctx, groupedPath, path, object.id, func(o object) error {
			r.out.Grouped = append(r.out.Grouped, r.partKinds.grouped.kept(o))
			return nil
		})
		if err != nil {
			return err
		}
	}
	for _, at := range r.grouped {
		group := find(r.out.Grouped, at[1])
		if group == nil {
			continue
		}
		path := r.base + "/devicedatasources/" + at[0] + "/groups/" + at[1] + "/datapoints/" + at[2] + "/alertconfig"
		text, err := r.send(ctx, levelPaths[ofGrouped], http.MethodGet, path, nil)
		if err != nil {
			return err
		}
		o, err := readObject(text)
		if err != nil {
			return err
		}
		r.add(ofGrouped, at[0], at[1], group.name(), o)
	}
	return nil
}

// add records a threshold, unless it says nothing.
func (r *partReading) add(level, onDevice, owner, of string, o object) {
	if says(o) {
		r.out.Thresholds = append(r.out.Thresholds, r.threshold(place{level: level, device: r.out.Device,
			onDevice: onDevice, owner: owner, point: textOf(o["dataPointName"])}, textOf(o["dataPointId"]), of, o))
	}
}

// place says where a threshold is set. Its ids are those of one portal.
type place struct {
	level            string
	device, onDevice string // empty: it is that of a device group
	owner            string
	point            string // name of the data point
	source           string // data source of a device group's threshold; empty for others
}

func (p place) id() string {
	if p.source != "" {
		return p.level + "/" + p.owner + "/" + p.source + "/" + p.point
	}
	return p.level + "/" + p.owner + "/" + p.point
}

// threshold returns a threshold as it is recorded. Values are taken from o, which may be
// nil.
func (p *partKinds) threshold(at place, point, of string, o object) object {
	out := object{}
	for field, usual := range unset {
		if out[field] = o[field]; out[field] == nil {
			out[field] = usual
		}
	}
	out["id"], out["level"], out["owner"], out["name"] = at.id(), at.level, at.owner, at.point+" of "+of
	out["deviceId"], out["deviceDataSourceId"], out["dataSourceId"] = at.device, at.onDevice, at.source
	out["dataPointId"], out["dataPointName"] = point, at.point
	return clean(p.thresholds.path, out)
}

func placeOf(o object) place {
	return place{textOf(o["level"]), textOf(o["deviceId"]), textOf(o["deviceDataSourceId"]), textOf(o["owner"]),
		textOf(o["dataPointName"]), textOf(o["dataSourceId"])}
}

// match records which parts of a device in the portal belong to which of its copy: by data
// source, by the name of a group, and by the value that identifies an instance. It keeps
// earlier records.
func (p *partKinds) match(l *links, there, here *deviceParts) {
	pair := func(k *kind, alike func(a, b object) bool) {
		for _, a := range there.of(k) {
			if l.local[k.path][a.id()] != "" {
				continue
			}
			i := slices.IndexFunc(here.of(k), func(b object) bool {
				return l.remote[k.path][b.id()] == "" && alike(a, b)
			})
			if i >= 0 {
				l.put(link{k.path, a.id(), here.of(k)[i].id()})
			}
		}
	}
	onSame := func(a, b object) bool {
		id := l.local[onDevicePath][textOf(a["deviceDataSourceId"])]
		return id != "" && id == textOf(b["deviceDataSourceId"])
	}
	pair(p.onDevice, func(a, b object) bool {
		return l.local[sourcesPath][textOf(a["dataSourceId"])] == textOf(b["dataSourceId"])
	})
	pair(p.grouped, func(a, b object) bool {
		return onSame(a, b) && strings.EqualFold(textOf(a["name"]), textOf(b["name"]))
	})
	pair(p.instances, func(a, b object) bool {
		return onSame(a, b) && same(a["wildValue"], b["wildValue"])
	})
}

// forget drops what match recorded of a device, but for what others refer to.
func (p *partKinds) forget(l *links, there *deviceParts, needed map[string]bool) {
	for _, k := range []*kind{p.onDevice, p.grouped, p.instances} {
		for _, o := range there.of(k) {
			if local := l.local[k.path][o.id()]; !needed[k.path+"/"+o.id()] {
				delete(l.local[k.path], o.id())
				delete(l.remote[k.path], local)
			}
		}
	}
}

// pointsOf returns the ids of data points by the id of their data source and their name.
func pointsOf(sources []object) map[string]map[string]string {
	out := map[string]map[string]string{}
	for _, s := range sources {
		points := map[string]string{}
		all, _ := s["dataPoints"].([]any)
		for _, one := range all {
			if point, ok := one.(map[string]any); ok {
				points[textOf(point["name"])] = textOf(point["id"])
			}
		}
		out[s.id()] = points
	}
	return out
}
