package content

import (
	"context"

	"spyglass/backend/portal/datasource"
	"spyglass/backend/portal/fleet"
	"spyglass/backend/portal/override"
	"spyglass/backend/portal/reporting"
	"spyglass/backend/portal/threshold"
	"spyglass/backend/report/layout"
	"spyglass/backend/resource"
)

// thresholdRow is the effective threshold of one datapoint of one instance.
type thresholdRow struct {
	device   string
	instance string
	source   *datasource.DataSource
	point    *datasource.DataPoint
	counts   override.Effective
	off      string // the level at which alerting is disabled; empty if it is enabled
}

func thresholdsKind() kind {
	return kind{table: thresholds, ReportTypeInfo: reporting.ReportTypeInfo{
		Name: reporting.ReportThreshold, Title: "Thresholds", Icon: "sliders",
		About: "Effective thresholds and who overrode them",
		Right: seesDevices, Fields: []string{"groupFullPath", "deviceDisplayName", "excludeGlobal"},
		Columns: []string{"Device", "DataSource", "Instance", "DataPoint", "Threshold", "Set at",
			"Of the datasource", "No data", "Alerting"},
	}}
}

// thresholds lists the effective thresholds, or only those that differ from the data
// source's.
func thresholds(ctx context.Context, r *Run) (*layout.Table, error) {
	c := &comparing{Run: r, l: &list[thresholdRow]{columns: thresholdColumns()}}
	if err := c.begin(ctx); err != nil {
		return nil, err
	}
	point, instance, dataSource := newGlobs(r.Report.DataPoint), newGlobs(r.Report.Instance),
		newGlobs(r.Report.DataSource)
	over := false
	s := &source[fleet.Instance]{
		name: fleet.Instances.Name, id: func(i *fleet.Instance) int64 { return i.ID },
		keep: func(i *fleet.Instance) bool {
			d := c.sources[i.DataSourceID]
			return d != nil && c.devices[i.DeviceID] != nil && instance.match(i.DisplayName) && dataSource.match(d.Name)
		},
	}
	err := s.scan(ctx, r, func(i *fleet.Instance) {
		d := c.sources[i.DataSourceID]
		for k := range d.DataPoints {
			if point.match(d.DataPoints[k].Name) && !over {
				over = c.add(i, d, &d.DataPoints[k])
			}
		}
	})
	if over {
		return nil, tooMany("rows")
	}
	if err != nil {
		return nil, err
	}
	c.l.tone = func(t *thresholdRow) layout.Tone {
		if t.off != "" {
			return layout.Warn
		}
		return layout.Plain
	}
	about := "All thresholds in effect."
	if r.Report.ExcludeGlobal {
		about = "Thresholds that differ from those of the data source."
	}
	t, err := c.l.table(ctx, r, about)
	if err == nil && len(c.l.rows) > 0 {
		t.Counts = []layout.Count{{Label: "Alerting is off", Tone: layout.Warn, N: c.off},
			{Label: "Other thresholds", Tone: layout.OK, N: int64(len(c.l.rows)) - c.off}}
		t.Charts = []layout.Chart{layout.Ranked("Data sources by number of such thresholds", c.by, 8)}
	}
	return t, err
}

// comparing is a threshold report in progress.
type comparing struct {
	*Run
	l       *list[thresholdRow]
	all     *override.Thresholds
	sources map[int64]*datasource.DataSource
	devices map[int64]*watchedDevice
	off     int64
	by      map[string]float64
}

type watchedDevice struct {
	name   string
	groups resource.IDs
	off    bool
}

func (c *comparing) begin(ctx context.Context) (err error) {
	if c.all, err = override.ThresholdsOf(ctx, c.From); err != nil {
		return err
	}
	found, err := resource.Find(ctx, c.From, datasource.DataSources.Name)
	if err != nil {
		return err
	}
	c.sources, c.devices, c.by = map[int64]*datasource.DataSource{}, map[int64]*watchedDevice{}, map[string]float64{}
	for i := range found {
		c.sources[found[i].ID] = &found[i]
	}
	names := newGlobs(c.Report.DeviceName)
	s := &source[fleet.Device]{
		name: fleet.Devices.Name, id: func(d *fleet.Device) int64 { return d.ID },
		keep: func(d *fleet.Device) bool { return names.match(d.DisplayName) },
	}
	groups, all, err := c.groups(ctx, c.Report.GroupPath)
	if err != nil {
		return err
	}
	if !all {
		s.where = []resource.Where{{Field: "hostGroupIds", Op: "has any", Value: groups}}
	}
	return s.scan(ctx, c.Run, func(d *fleet.Device) {
		c.devices[d.ID] = &watchedDevice{d.DisplayName, d.GroupIDs, d.DisableAlerting}
	})
}

// add adds the row, and reports whether there are now too many.
func (c *comparing) add(i *fleet.Instance, d *datasource.DataSource, p *datasource.DataPoint) bool {
	on := c.devices[i.DeviceID]
	row := thresholdRow{device: on.name, instance: i.DisplayName, source: d, point: p}
	row.counts = c.all.For(override.Spot{Groups: on.groups, DeviceDataSourceID: i.DeviceDataSourceID,
		InstanceGroupID: i.GroupID, InstanceID: i.ID}, p)
	if row.counts.Disabled {
		row.off = row.counts.DisabledAt
	}
	differs := row.counts.Disabled || row.counts.Expr != p.AlertExpr || row.counts.NoData != p.AlertForNoData ||
		row.counts.Transition != p.AlertTransition || row.counts.ClearTransition != p.AlertClear
	warns := row.counts.Expr != "" || row.counts.NoData > 1
	if warns && row.off == "" {
		switch {
		case i.DisableAlerting:
			row.off = override.LevelInstance
		case on.off:
			row.off = override.LevelDevice
		}
	}
	if !differs && row.off == "" && (c.Report.ExcludeGlobal || !warns) {
		return false
	}
	if row.off != "" {
		c.off++
	}
	c.by[d.DisplayName]++
	c.l.rows = append(c.l.rows, row)
	return len(c.l.rows) > mostRows
}

func thresholdColumns() []column[thresholdRow] {
	type row = thresholdRow
	return plain(reporting.ReportThreshold,
		func(t *row) string { return t.device },
		func(t *row) string { return t.source.DisplayName },
		func(t *row) string { return t.instance },
		func(t *row) string { return t.point.Name },
		func(t *row) string { return t.counts.Expr },
		func(t *row) string {
			if t.counts.Expr == "" {
				return ""
			}
			return t.counts.From
		},
		func(t *row) string { return t.point.AlertExpr },
		func(t *row) string {
			if t.counts.NoData < threshold.SeverityWarn {
				return "none"
			}
			return threshold.SeverityWord(t.counts.NoData)
		},
		func(t *row) string {
			if t.off == "" {
				return "on"
			}
			return "off at the " + t.off
		},
	)
}
