package rehearse

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"
)

// groupsLine is the name under which the thresholds of device groups are recorded, beside
// the ids of devices.
const groupsLine = "groups"

// groupSource is a data source in a device group that has thresholds for it. Its ids are
// those of one portal.
type groupSource struct {
	Group  string `json:"group"`
	Source string `json:"source"`
}

// in returns the pair in the other portal; an id is empty if that has no such object.
func (g groupSource) in(links map[string]map[string]string) groupSource {
	return groupSource{links[groupsPath][g.Group], links[sourcesPath][g.Source]}
}

// above records the device groups that have thresholds for an instance of a data source on
// a device.
func (r *partReading) above(source object, groups any) {
	all, _ := groups.([]any)
	for _, one := range all {
		group, _ := one.(map[string]any)
		at := groupSource{textOf(group["groupId"]), textOf(source["dataSourceId"])}
		if at.Group != "" && at.Source != "" && !slices.Contains(r.out.Above, at) {
			r.out.Above = append(r.out.Above, at)
		}
	}
}

// onGroups returns the device groups and data sources of thresholds of device groups.
func (d *deviceParts) onGroups() (all []groupSource) {
	if d == nil {
		return nil
	}
	for _, o := range d.Thresholds {
		at := placeOf(o)
		all = append(all, groupSource{at.owner, at.source})
	}
	return all
}

// groupThresholds returns the thresholds of device groups, with one request for each pair.
// It leaves out pairs that the portal does not have, or does not show, and calls lost with
// them. names has the names of the groups.
func (p *partKinds) groupThresholds(ctx context.Context, s *side, all []groupSource, names map[string]string,
	lost func(groupSource, error)) (*deviceParts, error) {
	out := &deviceParts{Device: groupsLine}
	all = slices.DeleteFunc(slices.Clone(all), func(at groupSource) bool { return at.Group == "" || at.Source == "" })
	slices.SortFunc(all, func(a, b groupSource) int {
		return cmp.Or(strings.Compare(a.Group, b.Group), strings.Compare(a.Source, b.Source))
	})
	for _, at := range slices.Compact(all) {
		to := place{level: ofDeviceGroup, owner: at.Group, source: at.Source}
		text, err := s.send(ctx, groupThresholdsPath, http.MethodGet,
			fill(groupThresholdsPath, p.threshold(to, "", "", nil)), nil)
		if lacks(err) {
			lost(at, err)
			continue
		}
		if err != nil {
			return nil, err
		}
		settings, err := readObject(text)
		if err != nil {
			return nil, err
		}
		points, _ := settings["dpConfig"].([]any)
		for _, one := range points {
			fields, _ := one.(map[string]any)
			o := object(maps.Clone(fields))
			o["alertClearInterval"] = o["alertClearTransitionInterval"]
			if to.point = textOf(o["dataPointName"]); says(o) {
				of := cmp.Or(names[at.Group], at.Group)
				out.Thresholds = append(out.Thresholds, p.threshold(to, textOf(o["dataPointId"]), of, o))
			}
		}
	}
	return out, nil
}

// inGroup returns the body that sets fields of a threshold of a device group. It has all
// fields, because the portal resets those that it lacks.
func inGroup(o object, fields map[string]any) map[string]any {
	point := map[string]any{"dataPointId": json.Number(textOf(o["dataPointId"])), "dataPointName": o["dataPointName"]}
	for field := range unset {
		point[field] = o[field]
	}
	maps.Copy(point, fields)
	point["alertClearTransitionInterval"] = point["alertClearInterval"]
	delete(point, "alertClearInterval")
	return map[string]any{"dpConfig": []any{point}}
}

func namesOf(groups map[string]object) map[string]string {
	out := map[string]string{}
	for id, o := range groups {
		out[id] = o.name()
	}
	return out
}

// readGroupThresholds returns the thresholds of device groups of one of the portals, whose
// groups are in a file.
func (c *copying) readGroupThresholds(ctx context.Context, which string, s *side, all []groupSource) (*deviceParts,
	error) {
	groups, err := c.kept(fileOf(which, groupsPath))
	if err != nil {
		return nil, err
	}
	names := map[string]string{}
	for _, o := range groups {
		names[o.id()] = o.name()
	}
	return c.parts.groupThresholds(ctx, s, all, names, func(at groupSource, err error) {
		if which == "remote" {
			c.note(Note{Kind: groupsPath, Noun: "device group", ID: at.Group, Name: names[at.Group],
				Field: c.parts.thresholds.noun.Many, Why: Unavailable, Text: err.Error()})
		}
	})
}

// countOfGroups adds the thresholds of device groups that the copies have.
func (c *copying) countOfGroups(copied map[string]int, there, here *deviceParts) {
	if there == nil {
		return
	}
	for _, o := range there.Thresholds {
		at := placeOf(o)
		to := groupSource{at.owner, at.source}.in(c.links.local)
		at.owner, at.source = to.Group, to.Source
		if find(here.Thresholds, at.id()) != nil {
			copied[thresholdsPath]++
		}
	}
}

// linkAdded links new objects of the rehearsal with those that the portal has since the copy. The
// returned function unlinks them, so that they are compared later.
func (p *partsDiff) linkAdded(k *compared) (undo func()) {
	var ids []string
	if k != nil {
		for _, id := range p.inOrder(k) {
			if other := p.added(k, k.now[id], p.carry(k.kind, k.now[id]).body); other != nil {
				p.links.put(link{k.path, other.id(), id})
				ids = append(ids, id)
			}
		}
	}
	return func() {
		for _, id := range ids {
			delete(p.links.local[k.path], p.links.remote[k.path][id])
			delete(p.links.remote[k.path], id)
		}
	}
}

// ofGroups compares the thresholds of device groups.
func (p *partsDiff) ofGroups(ctx context.Context) error {
	if p.groups == nil || p.sources == nil {
		return nil
	}
	was, err := p.was.get(groupsLine)
	if err != nil {
		return err
	}
	there, err := p.there.get(groupsLine)
	if err != nil {
		return err
	}
	here := slices.Concat(p.above, was.onGroups())
	for _, at := range there.onGroups() {
		here = append(here, at.in(p.links.local))
	}
	now, err := p.kinds.parts.groupThresholds(ctx, p.local, here, namesOf(p.groups.now), func(groupSource, error) {})
	if err != nil {
		return err
	}
	k := p.out[thresholdsPath]
	put := func(d *deviceParts, to map[string]object) {
		if d == nil {
			return
		}
		for _, o := range d.Thresholds {
			to[o.id()] = o
		}
	}
	put(was, k.was)
	put(now, k.now)
	put(there, k.there)
	if p.remote == nil {
		return nil
	}
	both := there.onGroups()
	for _, at := range here {
		both = append(both, at.in(p.links.remote))
	}
	present, err := p.kinds.parts.groupThresholds(ctx, p.remote, both, namesOf(p.groups.present),
		func(groupSource, error) {})
	if err == nil {
		put(present, k.present)
	}
	return err
}

// unreachable reports whether a threshold of a device group cannot be set in the portal, which
// has deleted the group or the data source since the copy.
func (p *partsDiff) unreachable(there place) bool {
	if there.level != ofDeviceGroup || p.groups.present == nil || p.sources.present == nil {
		return false
	}
	isNew := strings.HasPrefix(there.owner, "{{")
	return !isNew && p.groups.present[there.owner] == nil || p.sources.present[there.source] == nil
}
