package rehearse

import (
	"context"
	"fmt"
	"net/http"
	"slices"
)

// readParts records the parts of the devices of the portal. It records each device when the device
// is complete, so that a later call continues with the next device.
func (c *copying) readParts(ctx context.Context) error {
	if _, done := c.Read[partsPath]; done {
		return nil
	}
	devices, err := c.kept(fileOf("remote", devicesPath))
	if err != nil {
		return err
	}
	read, counts, above := map[string]bool{}, map[string]int{}, []groupSource{}
	count := func(d *deviceParts) error {
		read[d.Device] = true
		above = append(above, d.Above...)
		for _, k := range c.parts.counted() {
			counts[k.path] += len(d.of(k))
		}
		return nil
	}
	if err := c.eachParts("remote", count); err != nil {
		return err
	}
	for i, device := range devices {
		c.progress(Progress{Step: "read", Noun: partsNoun, Done: i, Of: len(devices)})
		if read[device.id()] {
			continue
		}
		d, err := c.parts.read(ctx, c.remote, device.id())
		if lacks(err) {
			c.note(Note{Kind: devicesPath, Noun: "device", ID: device.id(), Name: device.name(), Field: partsNoun,
				Why: Unavailable, Text: err.Error()})
			continue
		}
		if err == nil {
			err = c.addParts("remote", d)
		}
		if err != nil {
			return err
		}
		_ = count(d)
	}
	if !read[groupsLine] {
		d, err := c.readGroupThresholds(ctx, "remote", c.remote, above)
		if err == nil {
			err = c.addParts("remote", d)
		}
		if err != nil {
			return err
		}
		_ = count(d)
	}
	c.Read[partsPath] = len(devices)
	for path, n := range counts {
		c.Read[path] = n
	}
	c.line(fmt.Sprintf("%d instances and %d thresholds read", counts[instancesPath], counts[thresholdsPath]))
	return c.save(c.state)
}

const partsNoun = "instances and thresholds"

// writeParts adds the parts of the devices to their copies, again device by device.
func (c *copying) writeParts(ctx context.Context) error {
	needed, err := c.referred()
	if err != nil {
		return err
	}
	sources, err := c.local.objects(ctx, sourcesPath)
	if err != nil {
		return err
	}
	w := &partWriting{copying: c, points: pointsOf(sources), needed: needed, names: map[string]string{}}
	devices, err := c.kept(fileOf("remote", devicesPath))
	if err != nil {
		return err
	}
	for _, o := range devices {
		w.names[o.id()] = o.name()
	}
	done := 0
	return c.eachParts("remote", func(d *deviceParts) error {
		c.progress(Progress{Step: "copy", Noun: partsNoun, Done: done, Of: len(devices)})
		done++
		if d.Device == groupsLine {
			return w.all(ctx, d, "", nil)
		}
		local := c.links.local[devicesPath][d.Device]
		if _, have := c.links.local[partsPath][d.Device]; have || local == "" {
			return nil
		}
		if err := w.device(ctx, d, local); err != nil {
			return err
		}
		return c.links.add(link{partsPath, d.Device, local})
	})
}

// referred returns the parts that maintenance windows refer to, as path and id.
func (c *copying) referred() (map[string]bool, error) {
	windows, err := c.kept(fileOf("remote", windowsPath))
	out := map[string]bool{}
	for _, o := range windows {
		for path, id := range partsIn(o) {
			out[path+"/"+id] = true
		}
	}
	return out, err
}

// partsIn returns the ids of the parts that a maintenance window refers to, by kind.
func partsIn(o object) map[string]string {
	out := map[string]string{}
	for field, path := range map[string]string{"deviceDataSourceId": onDevicePath,
		"dataSourceInstanceId": instancesPath, "deviceDataSourceInstanceGroupId": groupedPath} {
		if !isZero(o[field]) {
			out[path] = textOf(o[field])
		}
	}
	return out
}

// partWriting adds the parts of devices to their copies.
type partWriting struct {
	*copying
	points map[string]map[string]string // of data points in the rehearsal
	needed map[string]bool
	names  map[string]string // of devices, by their ids in the portal
}

// device adds the parts of one device.
func (w *partWriting) device(ctx context.Context, d *deviceParts, local string) error {
	if len(d.Grouped)+len(d.Instances)+len(d.Thresholds) == 0 {
		return nil
	}
	// the portal assigns data sources in the background, unless it is requested to do it now
	_, err := w.local.send(ctx, devicesPath, http.MethodPost, devicesPath+"/"+local+"/scheduleAutoDiscovery", nil)
	if err != nil && !lacks(err) {
		return err
	}
	have, err := w.parts.read(ctx, w.local, local)
	if err != nil {
		return err
	}
	w.parts.match(w.links, d, have)
	defer w.parts.forget(w.links, d, w.needed)
	w.unapplied(d)
	for _, k := range []*kind{w.parts.grouped, w.parts.instances} {
		of := &writing{copying: w.copying, kind: k}
		for _, o := range d.of(k) {
			if err := w.one(ctx, of, o, local, have); err != nil {
				return err
			}
		}
	}
	if err := w.all(ctx, d, local, have); err != nil {
		return err
	}
	for _, k := range []*kind{w.parts.onDevice, w.parts.grouped, w.parts.instances} {
		for _, o := range d.of(k) {
			if here := w.links.local[k.path][o.id()]; here != "" && w.needed[k.path+"/"+o.id()] {
				if err := w.links.add(link{k.path, o.id(), here}); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// unapplied notes the data sources that the copy of a device does not have.
func (w *partWriting) unapplied(d *deviceParts) {
	for _, source := range d.Sources {
		if w.links.local[onDevicePath][source.id()] != "" || !slices.ContainsFunc(d.Instances, func(o object) bool {
			return textOf(o["deviceDataSourceId"]) == source.id()
		}) {
			continue
		}
		w.note(Note{Kind: devicesPath, Noun: "device", ID: d.Device, Name: w.names[d.Device],
			Field: textOf(source["dataSourceName"]), Why: Unapplied, Text: "the data source does not apply to the " +
				"copy, so its instances and thresholds are left out; it may depend on a secret or on what discovery " +
				"found"})
	}
}

// one adds an instance or a group, or updates the existing object in the copy.
func (w *partWriting) one(ctx context.Context, of *writing, o object, local string, have *deviceParts) error {
	onDevice := w.links.local[onDevicePath][textOf(o["deviceDataSourceId"])]
	if onDevice == "" {
		return nil
	}
	body, err := of.bodyOf(ctx, of.kind.plain(o).named(o))
	if err != nil {
		return err
	}
	here := w.links.local[of.kind.path][o.id()]
	if here == "" {
		path := fill(of.kind.path, object{"deviceId": local, "deviceDataSourceId": onDevice})
		got, refused, err := of.try(ctx, o, http.MethodPost, path, body)
		if err != nil {
			return err
		}
		if refused != nil {
			of.noteOf(o, "", Refused, refused.Error())
			return nil
		}
		w.links.put(link{of.kind.path, o.id(), got.id()})
		return nil
	}
	seed := find(have.of(of.kind), here)
	differing := map[string]any{}
	for field, v := range body {
		if !covers(v, seed[field]) && !(isZero(v) && isZero(seed[field])) {
			differing[field] = v
		}
	}
	if len(differing) == 0 {
		return nil
	}
	_, refused, err := of.try(ctx, o, http.MethodPatch, of.kind.at(seed), differing)
	if refused != nil {
		of.noteOf(o, "", Refused, refused.Error())
	}
	return err
}

// named gives an object the id of another object, for notes.
func (o object) named(other object) object {
	o["id"] = other["id"]
	return o
}

// all sets the thresholds of the copy of a device, or of the copies of device groups.
func (w *partWriting) all(ctx context.Context, d *deviceParts, local string, have *deviceParts) error {
	for _, o := range d.Thresholds {
		if err := w.threshold(ctx, o, local, have); err != nil {
			return err
		}
	}
	return nil
}

// threshold sets a threshold of the copy. have is nil if it is that of a device group.
func (w *partWriting) threshold(ctx context.Context, o object, local string, have *deviceParts) error {
	at, of := placeOf(o), &writing{copying: w.copying, kind: w.parts.thresholds}
	to := place{level: at.level, device: local, onDevice: w.links.local[onDevicePath][at.onDevice],
		owner: w.links.local[ownerPath[at.level]][at.owner], point: at.point}
	source := ""
	if have != nil {
		source = textOf(find(have.Sources, to.onDevice)["dataSourceId"])
	} else {
		source = w.links.local[sourcesPath][at.source]
		to.source = source
	}
	if to.owner == "" || source == "" {
		return nil // its parent was not copied; the report says so
	}
	point := w.points[source][at.point]
	if point == "" {
		of.noteOf(o, "", Reference, "the data source of the rehearsal does not have the data point")
		return nil
	}
	here := w.parts.threshold(to, point, "", nil)
	body, err := of.bodyOf(ctx, of.kind.plain(o).named(o))
	if err != nil {
		return err
	}
	if at.level == ofDeviceGroup {
		body = inGroup(here, body)
	}
	_, refused, err := of.try(ctx, o, http.MethodPatch, of.kind.at(here), body)
	if refused != nil {
		of.noteOf(o, "", Refused, refused.Error())
	}
	return err
}

// ownerPath is the kind of what a threshold is set on, by level.
var ownerPath = map[string]string{ofInstance: instancesPath, ofGrouped: groupedPath, ofDevice: onDevicePath,
	ofDeviceGroup: groupsPath}

// baselineParts records what the rehearsal has, and counts what was copied.
func (c *copying) baselineParts(ctx context.Context) error {
	there, err := c.index("remote")
	if err != nil {
		return err
	}
	defer there.close()
	devices, err := c.kept(fileOf("local", devicesPath))
	if err != nil {
		return err
	}
	copied, above := map[string]int{}, []groupSource{}
	ofGroups, err := there.get(groupsLine)
	if err != nil {
		return err
	}
	err = c.keepParts("local", func(add func(*deviceParts) error) error {
		for i, device := range devices {
			c.progress(Progress{Step: "finish", Noun: partsNoun, Done: i, Of: len(devices)})
			here, err := c.parts.read(ctx, c.local, device.id())
			if err != nil {
				return err
			}
			above = append(above, here.Above...)
			was, err := there.get(c.links.remote[devicesPath][device.id()])
			if err != nil {
				return err
			}
			if was != nil {
				c.count(copied, was, here)
			}
			if err := add(here); err != nil {
				return err
			}
		}
		for _, at := range ofGroups.onGroups() {
			above = append(above, at.in(c.links.local))
		}
		here, err := c.readGroupThresholds(ctx, "local", c.local, above)
		if err != nil {
			return err
		}
		c.countOfGroups(copied, ofGroups, here)
		return add(here)
	})
	for path, n := range copied {
		c.Copied[path] = n
	}
	return err
}

// count adds the parts of a device that its copy has.
func (c *copying) count(copied map[string]int, there, here *deviceParts) {
	l := &links{local: map[string]map[string]string{sourcesPath: c.links.local[sourcesPath]},
		remote: map[string]map[string]string{sourcesPath: c.links.remote[sourcesPath]}}
	c.parts.match(l, there, here)
	copied[groupedPath] += len(l.local[groupedPath])
	copied[instancesPath] += len(l.local[instancesPath])
	for _, o := range there.Thresholds {
		at := placeOf(o)
		at.owner = l.local[ownerPath[at.level]][at.owner]
		if find(here.Thresholds, at.id()) != nil {
			copied[thresholdsPath]++
		}
	}
}
