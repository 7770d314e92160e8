package topology

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"spyglass/backend/portal/alert"
	"spyglass/backend/portal/datasource"
	"spyglass/backend/portal/fleet"
	"spyglass/backend/resource"
)

// around returns the dependencies of a device, and its dependents.
func (d *drawing) around(i int) *DeviceTopology {
	g := d.graph
	out := &DeviceTopology{ID: g.nodes[i].id, Name: g.nodes[i].name, State: string(g.states[i]),
		DependsOn: []TopologyDevice{}, Dependents: []int64{}, Alerts: []TopologyAlert{}, Path: []TopologyStep{},
		Via: "none"}
	for _, up := range g.above(i) {
		one := &g.nodes[up]
		if d.place[up] < 0 {
			continue
		}
		out.DependsOn = append(out.DependsOn, TopologyDevice{one.id, one.name, string(g.states[up])})
		if strings.IndexByte("ces", lower(g.states[up])) >= 0 {
			out.Cause = one.id
		}
	}
	for _, down := range g.below(i) {
		if d.place[down] < 0 {
			continue
		}
		one := &g.nodes[down]
		out.Dependents = append(out.Dependents, one.id)
		if one.parent == i {
			out.Direct++
		}
		if strings.IndexByte("cews", lower(g.states[down])) >= 0 {
			out.Affected++
		}
	}
	return out
}

// path returns the way from one device to another: along dependencies, if the
// caller may view all devices on it, otherwise through the boxes around them.
func (d *drawing) path(from, to int) (steps []TopologyStep, via string) {
	way := d.graph.between(from, to)
	if way != nil && !slices.ContainsFunc(way, func(i int) bool { return d.place[i] < 0 }) {
		for _, i := range way {
			steps = append(steps, d.step(i))
		}
		return steps, "dependencies"
	}
	up, down := around(d.in[from]), around(d.in[to])
	for len(up) > 1 && len(down) > 1 && up[len(up)-2] == down[len(down)-2] { // the innermost that both are in
		up, down = up[:len(up)-1], down[:len(down)-1]
	}
	if len(up) > 0 && len(down) > 0 && up[len(up)-1] == down[len(down)-1] {
		down = down[:len(down)-1]
	}
	slices.Reverse(down)
	steps = append(steps, d.step(from))
	for _, b := range append(up, down...) {
		steps = append(steps, TopologyStep{"group", b.group.ID, b.group.Name, int64(b.index)})
	}
	return append(steps, d.step(to)), "groups"
}

// around returns a box and those around it, the innermost first.
func around(b *box) (all []*box) {
	for ; b != nil && b.group != nil; b = b.parent {
		all = append(all, b)
	}
	return all
}

func (d *drawing) step(i int) TopologyStep {
	return TopologyStep{"device", d.graph.nodes[i].id, d.graph.nodes[i].name, int64(d.place[i])}
}

// active returns the active alerts of devices that the caller may view, the worst
// first, and of equal ones the oldest.
func (s *Service) active(ctx context.Context, who *resource.Access, devices []int64) ([]alert.Alert, error) {
	all, err := resource.Find(ctx, s.db, alert.Alerts.Name, resource.Where{Field: "cleared", Op: "=", Value: false},
		resource.Where{Field: "monitorObjectId", Op: "in", Value: devices}, resource.SeenBy(who, resource.Read),
		resource.Limit(mostRead))
	slices.SortStableFunc(all, func(a, b alert.Alert) int {
		return cmp.Or(cmp.Compare(b.Severity, a.Severity), cmp.Compare(a.StartOn, b.StartOn))
	})
	return all, err
}

func (s *Service) addAlerts(ctx context.Context, who *resource.Access, to *DeviceTopology) error {
	all, err := s.active(ctx, who, []int64{to.ID})
	to.AlertsTotal = int64(len(all))
	for i := range all[:min(len(all), mostAlerts)] {
		a := &all[i]
		to.Alerts = append(to.Alerts, TopologyAlert{int64(a.ID), a.Severity, a.DataPointName, a.InstanceName,
			int64(a.StartOn), a.Acked || a.SDTed})
	}
	return err
}

// listInstances returns the monitored instances of devices, with the worst of
// their active alerts.
func (s *Service) listInstances(ctx context.Context, who *resource.Access,
	devices []int64) ([]TopologyInstance, error) {
	items := []TopologyInstance{}
	if len(devices) == 0 {
		return items, nil
	}
	found, err := resource.Find(ctx, s.db, fleet.InstanceRows, resource.Where{Field: "deviceId", Op: "in",
		Value: devices}, resource.Where{Field: "stopMonitoring", Op: "=", Value: false},
		resource.SeenBy(who, resource.Read), resource.Limit(mostInstances))
	if err != nil {
		return nil, err
	}
	sources, err := datasource.ByID(ctx, s.db)
	if err != nil {
		return nil, err
	}
	alerts, err := s.active(ctx, who, devices)
	if err != nil {
		return nil, err
	}
	worst := map[int64]byte{}
	for i := range alerts {
		a := &alerts[i]
		letter := letterOf(a.Severity, a.Acked || a.SDTed)
		if was, ok := worst[a.InstanceID]; !ok || lower(was) == lower(letter) && letter > was { // not handled
			worst[a.InstanceID] = letter
		}
	}
	for i := range found {
		one := &found[i]
		item := TopologyInstance{ID: one.ID, DeviceID: one.DeviceID, Name: one.DisplayName, State: string(normal)}
		if source := sources[one.DataSourceID]; source != nil {
			item.DataSource = source.Name
		}
		if letter, ok := worst[one.ID]; ok {
			item.State = string(letter)
		}
		items = append(items, item)
	}
	slices.SortFunc(items, func(a, b TopologyInstance) int {
		return cmp.Or(cmp.Compare(a.DeviceID, b.DeviceID), strings.Compare(a.DataSource, b.DataSource),
			strings.Compare(a.Name, b.Name), cmp.Compare(a.ID, b.ID))
	})
	return items, nil
}
