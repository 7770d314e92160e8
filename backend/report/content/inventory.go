package content

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"spyglass/backend/portal/datasource"
	"spyglass/backend/portal/fleet"
	"spyglass/backend/portal/reporting"
	"spyglass/backend/report/layout"
	"spyglass/backend/resource"
)

func inventoryKind() kind {
	return kind{table: inventory, ReportTypeInfo: reporting.ReportTypeInfo{
		Name: reporting.ReportInventory, Title: "Inventory", Icon: "device",
		About: "Devices with their groups, state and properties",
		Right: seesDevices, Fields: []string{"hostsValType", "hostsVal", "properties"},
		Columns: []string{"Device", "Host name", "Groups", "Status", "Description"},
	}}
}

// inventory lists devices with the requested properties and instances.
func inventory(ctx context.Context, r *Run) (*layout.Table, error) {
	tree, err := fleet.TreeOf(ctx, r.From)
	if err != nil {
		return nil, err
	}
	s := &source[fleet.Device]{
		name: fleet.Devices.Name, id: func(d *fleet.Device) int64 { return d.ID },
		counts: []layout.Count{{Label: "Not responding", Tone: layout.Critical},
			{Label: "Normal", Tone: layout.OK}},
		tone: func(d *fleet.Device) layout.Tone { return statusTone(d.HostStatus) },
	}
	s.counted = func(d *fleet.Device) int {
		return slices.Index([]layout.Tone{layout.Critical, layout.OK}, statusTone(d.HostStatus))
	}
	if err := r.chooseDevices(ctx, s); err != nil {
		return nil, err
	}
	s.columns = append(r.deviceColumns(tree), propertyColumns(tree, r.Report.Properties)...)
	for i := range r.Report.Metrics {
		c, err := r.metricColumn(ctx, &r.Report.Metrics[i])
		if err != nil {
			return nil, err
		}
		s.columns = append(s.columns, c)
	}
	return s.table(ctx, r)
}

// chooseDevices limits a source to the devices that the report selects.
func (r *Run) chooseDevices(ctx context.Context, s *source[fleet.Device]) error {
	if r.Report.HostsValType == "group" {
		groups, all, err := r.groups(ctx, r.Report.HostsVal)
		if err == nil && !all {
			s.where = []resource.Where{{Field: "hostGroupIds", Op: "has any", Value: groups}}
		}
		return err
	}
	if names := newGlobs(r.Report.HostsVal); !names.all() {
		s.keep = func(d *fleet.Device) bool { return names.match(d.DisplayName) }
	}
	return nil
}

// statusWords has the words of the fleet for the values of hostStatus.
var statusWords = map[string]string{
	"normal": "Normal", "dead": "Not responding", "dead-collector": "Collector down",
}

func statusTone(status string) layout.Tone {
	if status == "normal" {
		return layout.OK
	}
	return layout.Critical
}

func (r *Run) deviceColumns(tree *fleet.Tree) []column[fleet.Device] {
	return plain(reporting.ReportInventory,
		func(d *fleet.Device) string { return d.DisplayName },
		func(d *fleet.Device) string { return d.Name },
		r.groupPaths(tree),
		func(d *fleet.Device) string { return cmp.Or(statusWords[d.HostStatus], d.HostStatus) },
		func(d *fleet.Device) string { return d.Description },
	)
}

// groupPaths returns the paths of a device's groups that the user can view.
func (r *Run) groupPaths(tree *fleet.Tree) func(*fleet.Device) string {
	sees := r.seesGroup()
	return func(d *fleet.Device) string {
		var paths []string
		for _, id := range d.GroupIDs {
			if g := tree.Groups[id]; g != nil && sees(id) {
				paths = append(paths, cmp.Or(g.FullPath, g.Name))
			}
		}
		return strings.Join(paths, ", ")
	}
}

// propertyColumns returns the columns of properties, with the value from the
// first source: the device, then checks and the portal, then the groups.
func propertyColumns(tree *fleet.Tree, names []string) []column[fleet.Device] {
	inherited := map[string][]resource.Property{} // by groups: there are few combinations for many devices
	var out []column[fleet.Device]
	for _, name := range names {
		name = strings.TrimSpace(name)
		out = append(out, column[fleet.Device]{name: name, text: func(d *fleet.Device) string {
			groups := d.GroupIDs.String()
			above, ok := inherited[groups]
			if !ok {
				above = tree.Inherited(d.GroupIDs)
				inherited[groups] = above
			}
			return property(name, d.CustomProperties, d.AutoProperties, d.SystemProperties, above)
		}})
	}
	return out
}

// property returns the value of a name in the first list that has it, with masked
// secrets.
func property(name string, lists ...[]resource.Property) string {
	for _, list := range lists {
		i := slices.IndexFunc(list, func(p resource.Property) bool { return strings.EqualFold(p.Name, name) })
		if i < 0 {
			continue
		}
		return list[i].Shown()
	}
	return ""
}

// metricColumn lists the instances of a data source on each device. It reads only
// their names once, which takes a few bytes each.
func (r *Run) metricColumn(ctx context.Context, m *reporting.ReportMetric) (c column[fleet.Device], err error) {
	found, err := resource.Find(ctx, r.From, datasource.DataSources.Name,
		resource.Where{Field: "id", Op: "=", Value: m.DataSourceID})
	if err != nil {
		return c, err
	}
	c.name = fmt.Sprintf("Data source %d", m.DataSourceID)
	if len(found) > 0 {
		c.name = found[0].DisplayName
	}
	globs, names := newGlobs(m.Instances), map[int64][]string{}
	s := &source[fleet.Instance]{
		name: fleet.Instances.Name, id: func(i *fleet.Instance) int64 { return i.ID },
		where: []resource.Where{{Field: "dataSourceId", Op: "=", Value: m.DataSourceID}},
	}
	err = s.scan(ctx, r, func(i *fleet.Instance) {
		if globs.match(i.DisplayName) {
			names[i.DeviceID] = append(names[i.DeviceID], i.DisplayName)
		}
	})
	c.text = func(d *fleet.Device) string { return strings.Join(names[d.ID], ", ") }
	return c, err
}
