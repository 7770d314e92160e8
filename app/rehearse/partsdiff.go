package rehearse

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
)

// partsDiff compares the parts of devices. Reading those of all devices of the portal again
// would take long: it reads those of devices whose copies have changed.
type partsDiff struct {
	*comparing
	local, remote *side // remote is nil: the portal is not read again
	devices       *compared
	groups        *compared // device groups
	sources       *compared // data sources
	was, there    *partsIndex
	above         []groupSource                // of the rehearsal
	points        map[string]map[string]string // of data points in the portal
	sourceOf      map[string]string            // data sources by their ids on devices, in the portal
	out           map[string]*compared
}

// partsCompared returns the parts of the devices whose copies have changed, by kind.
func (c *comparing) partsCompared(ctx context.Context, f files, local, remote *side,
	all []*compared) ([]*compared, error) {
	p := &partsDiff{comparing: c, local: local, remote: remote, sourceOf: map[string]string{},
		out: map[string]*compared{}}
	var out []*compared
	for _, k := range c.parts.counted() {
		one := &compared{kind: k, was: map[string]object{}, now: map[string]object{}, there: map[string]object{}}
		if remote != nil {
			one.present = map[string]object{}
		}
		p.out[k.path] = one
		out = append(out, one)
	}
	var windows *compared
	for _, one := range all {
		switch one.path {
		case devicesPath:
			p.devices = one
		case groupsPath:
			p.groups = one
		case windowsPath:
			windows = one
		case sourcesPath:
			p.sources = one
			sources := one.present
			if sources == nil {
				sources = one.there
			}
			p.points = pointsOf(slices.Collect(maps.Values(sources)))
		}
	}
	var err error
	if p.was, err = f.index("local"); err != nil {
		return nil, err
	}
	defer p.was.close()
	if p.there, err = f.index("remote"); err != nil {
		return nil, err
	}
	defer p.there.close()
	needed := newlyReferred(windows)
	for _, id := range p.devices.order {
		if err := p.device(ctx, id, needed[id]); err != nil {
			return nil, err
		}
	}
	defer p.linkAdded(p.sources)()
	defer p.linkAdded(p.groups)()
	if err := p.ofGroups(ctx); err != nil {
		return nil, err
	}
	c.name(p.out[groupedPath])
	c.name(p.out[instancesPath])
	p.thresholds()
	c.name(p.out[thresholdsPath])
	return out, nil
}

// newlyReferred returns the devices of the rehearsal to whose parts a maintenance window
// refers that is new or was changed.
func newlyReferred(windows *compared) map[string]bool {
	out := map[string]bool{}
	if windows == nil {
		return out
	}
	for id, o := range windows.now {
		if len(partsIn(o)) > 0 && !same(map[string]any(windows.was[id]), map[string]any(o)) {
			out[textOf(o["deviceId"])] = true
		}
	}
	return out
}

// device compares the parts of a device of the rehearsal.
func (p *partsDiff) device(ctx context.Context, id string, needed bool) error {
	was, err := p.was.get(id)
	if err != nil {
		return err
	}
	if was == nil && p.devices.was[id] != nil {
		return nil // the copy was made by a version that left them out
	}
	now, err := p.kinds.parts.read(ctx, p.local, id)
	if lacks(err) { // deleted in the meantime
		return nil
	}
	if err != nil {
		return err
	}
	p.above = append(p.above, now.Above...)
	remoteID := p.links.remote[devicesPath][id]
	there, err := p.there.get(remoteID)
	if err != nil {
		return err
	}
	name := quoted(p.devices.now[id].name())
	switch {
	case was == nil && remoteID == "": // a new device
		added := slices.ContainsFunc(now.Instances, func(o object) bool { return p.many(now, o) })
		if added || len(now.Thresholds) > 0 {
			p.leave("The device %s is new: the portal finds its instances, so those of the rehearsal and their "+
				"thresholds are left out. Compare again when the portal has the device.", name)
		}
		return nil
	case was == nil:
		was = &deviceParts{Device: id}
	}
	if !needed && was.same(now) {
		return nil
	}
	if there == nil {
		if p.devices.there[remoteID] != nil {
			p.leave("The instances and thresholds of the device %s were not copied, so your changes of them are "+
				"left out.", name)
		}
		return nil
	}
	var present *deviceParts
	if p.remote != nil {
		present = &deviceParts{Device: remoteID}
		if p.devices.present[remoteID] != nil {
			if present, err = p.kinds.parts.read(ctx, p.remote, remoteID); err != nil && !lacks(err) {
				return err
			}
		}
	}
	p.add(was, now, there, present)
	return nil
}

// leave notes a change that no step can make.
func (p *partsDiff) leave(format string, args ...any) {
	p.Notes = append(p.Notes, fmt.Sprintf(format, args...))
}

// many reports whether an instance is one of several that a data source may have.
func (p *partsDiff) many(d *deviceParts, o object) bool {
	source := find(d.Sources, textOf(o["deviceDataSourceId"]))
	return source != nil && source["isMultiple"] == true
}

// add adds the parts of one device to those that are compared.
func (p *partsDiff) add(was, now, there, present *deviceParts) {
	p.kinds.parts.match(p.links, there, was)
	both := there.Sources
	if present != nil {
		p.kinds.parts.match(p.links, present, now)
		both = slices.Concat(both, present.Sources)
	}
	for _, source := range both {
		p.sourceOf[source.id()] = textOf(source["dataSourceId"])
	}
	here := func(o object) bool { // its data source is in both portals
		id := textOf(o["deviceDataSourceId"])
		return find(now.Sources, id) != nil && p.links.remote[onDevicePath][id] != ""
	}
	for path, one := range p.out {
		for _, o := range was.of(one.kind) {
			if here(o) {
				one.was[o.id()] = o
				one.orderOfWas = append(one.orderOfWas, o.id())
			}
		}
		for _, o := range now.of(one.kind) {
			switch {
			case here(o):
				one.now[o.id()] = o
				one.order = append(one.order, o.id())
			case path != thresholdsPath && find(now.Sources, textOf(o["deviceDataSourceId"])) != nil && p.many(now, o):
				p.leave("The %s %s is left out: the portal adds its data source to the device first. Compare again "+
					"after that.", one.noun.One, quoted(o.name()))
			}
		}
		for _, o := range there.of(one.kind) {
			one.there[o.id()] = o
		}
		if present == nil {
			continue
		}
		for _, o := range present.of(one.kind) {
			one.present[o.id()] = o
			one.orderOfOthers = append(one.orderOfOthers, o.id())
		}
	}
}

// thresholds completes the thresholds of both portals: thresholds without values are
// not recorded, but compared.
func (p *partsDiff) thresholds() {
	k := p.out[thresholdsPath]
	k.order, k.orderOfWas, k.orderOfOthers = nil, nil, nil
	type pair struct {
		here, there place
		name        any
	}
	pairs := map[string]pair{}
	for _, all := range []map[string]object{k.was, k.now} {
		for id, o := range all {
			here := placeOf(o)
			if there, ok := p.placeThere(here); ok && !p.gone(here) {
				pairs[id] = pair{here, there, o["name"]}
			} else {
				delete(all, id)
			}
		}
	}
	for _, all := range []map[string]object{k.there, k.present} {
		for id, o := range all {
			there := placeOf(o)
			here, ok := p.placeHere(there)
			if _, has := pairs[here.id()]; ok && !has && !p.gone(here) {
				pairs[here.id()] = pair{here, there, o["name"]}
			} else if !has {
				delete(all, id)
			}
		}
	}
	complete := func(all map[string]object, at place, point string, name any) {
		if all != nil && all[at.id()] == nil {
			all[at.id()] = p.kinds.parts.threshold(at, point, "", nil)
			all[at.id()]["name"] = name
		}
	}
	for _, id := range slices.Sorted(maps.Keys(pairs)) {
		at := pairs[id]
		point := p.points[cmp.Or(at.there.source, p.sourceOf[at.there.onDevice])][at.there.point]
		if changed := !same(map[string]any(k.was[id]), map[string]any(k.now[id])); p.unreachable(at.there) {
			if changed {
				p.leave("The threshold %s is left out: the portal does not have its device group or data source.",
					quoted(textOf(at.name)))
			}
			continue
		}
		if point == "" {
			if !same(map[string]any(k.was[id]), map[string]any(k.now[id])) {
				p.leave("The threshold %s is left out: the portal does not have the data point yet. Compare again "+
					"when it has.", quoted(textOf(at.name)))
			}
			continue
		}
		complete(k.was, at.here, "", at.name)
		complete(k.now, at.here, "", at.name)
		complete(k.there, at.there, point, at.name)
		complete(k.present, at.there, point, at.name)
		p.links.put(link{thresholdsPath, at.there.id(), id})
		k.order, k.orderOfWas = append(k.order, id), append(k.orderOfWas, id)
		k.orderOfOthers = append(k.orderOfOthers, at.there.id())
	}
}

// placeThere returns a place of the rehearsal as a place of the portal. What the threshold
// is set on may be new: then the name of its id stands for it.
func (p *partsDiff) placeThere(at place) (place, bool) {
	path := ownerPath[at.level]
	owner := p.links.remote[path][at.owner]
	if name := p.created[path][at.owner]; owner == "" && name != "" {
		owner = "{{" + name + "}}"
	}
	out := place{at.level, p.links.remote[devicesPath][at.device], p.links.remote[onDevicePath][at.onDevice], owner,
		at.point, p.links.remote[sourcesPath][at.source]}
	return out, owner != ""
}

func (p *partsDiff) placeHere(at place) (place, bool) {
	owner := p.links.local[ownerPath[at.level]][at.owner]
	return place{at.level, p.links.local[devicesPath][at.device], p.links.local[onDevicePath][at.onDevice], owner,
		at.point, p.links.local[sourcesPath][at.source]}, owner != ""
}

// gone reports whether the rehearsal no longer has the object that a threshold is set on.
func (p *partsDiff) gone(at place) bool {
	if at.level == ofDeviceGroup {
		return p.groups.now[at.owner] == nil || p.sources.now[at.source] == nil
	}
	owner := p.out[ownerPath[at.level]]
	return owner != nil && owner.now[at.owner] == nil
}
