// Package override declares thresholds that override those of a data source
// at a nearer level: a device group, a device's data source, an instance group or
// the instance itself. The alert settings of the API are views of them.
//
// For each part of a threshold, the nearest level that sets it is in effect.
// Thresholds are shared: read them only. Transitions are numbers of polls in a row.
package override

import (
	"context"

	"spyglass/backend/portal/datasource"
	"spyglass/backend/portal/fleet"
	"spyglass/backend/resource"
)

const (
	overrideRows        resource.Name[*Override]        = "thresholdOverride"
	groupDataSourceRows resource.Name[*GroupDataSource] = "deviceGroupDatasource"
)

// Override is a threshold that overrides that of a data source at a nearer level:
// exactly one of Group, DeviceDataSource, InstanceGroup and Instance is set; the
// other three ids are 0. Parts that it does not set are inherited.
type Override struct {
	ID                 int64
	GroupID            int64 // device group
	DeviceDataSourceID int64
	InstanceGroupID    int64
	InstanceID         int64
	DataSourceID       int64
	DataPointID        int64
	Expr               string // empty: inherited
	Note               string
	Disabled           bool  // no alerts, regardless of other settings
	NoData             int64 // inherit: inherited
	Transition         int64
	ClearTransition    int64
}

// inherit is the value of a number that an override does not set.
const inherit int64 = -1

// Overrides declares the overrides. They have no endpoints of their own: the
// alert settings read and write them.
var Overrides = resource.Resource[*Override]{
	Name: overrideRows, Label: "threshold", Object: resource.DeviceGroup,
	Doc: "A threshold nearer to an instance than its datasource.",
	Fields: []resource.Field[*Override]{
		{Name: "id", At: func(o *Override) any { return &o.ID }, Doc: "Set by the portal", ReadOnly: true},
		{Name: "groupId", At: func(o *Override) any { return &o.GroupID }, Doc: "The device group that sets it, or 0",
			Refs: string(fleet.GroupRows), Cascade: true, Index: true},
		{Name: "deviceDataSourceId", At: func(o *Override) any { return &o.DeviceDataSourceID },
			Doc: "The device datasource that sets it, or 0", Refs: string(fleet.DeviceDataSourceRows), Cascade: true,
			Index: true},
		{Name: "instanceGroupId", At: func(o *Override) any { return &o.InstanceGroupID },
			Doc: "The instance group that sets it, or 0", Refs: string(fleet.InstanceGroupRows), Cascade: true,
			Index: true},
		{Name: "instanceId", At: func(o *Override) any { return &o.InstanceID }, Doc: "The instance that sets it, or 0",
			Refs: string(fleet.InstanceRows), Cascade: true, Index: true},
		{Name: "dataSourceId", At: func(o *Override) any { return &o.DataSourceID },
			Doc:  "The datasource of the datapoint",
			Refs: string(datasource.DataSourceRows), Cascade: true, Index: true},
		{Name: "dataPointId", At: func(o *Override) any { return &o.DataPointID }, Doc: "The datapoint", Index: true},
		{Name: "alertExpr", At: func(o *Override) any { return &o.Expr }, Doc: "The threshold"},
		{Name: "alertExprNote", At: func(o *Override) any { return &o.Note }, Doc: "Reason for the threshold"},
		{Name: "disableAlerting", At: func(o *Override) any { return &o.Disabled }, Doc: "No alerts"},
		{Name: "alertForNoData", At: func(o *Override) any { return &o.NoData }, Doc: "Severity when there is no data"},
		{Name: "alertTransitionInterval", At: func(o *Override) any { return &o.Transition },
			Doc: "Polls before an alert"},
		{Name: "alertClearTransitionInterval", At: func(o *Override) any { return &o.ClearTransition },
			Doc: "Polls before it clears"},
	},
	Unique: [][]string{{"groupId", "deviceDataSourceId", "instanceGroupId", "instanceId", "dataPointId"}},
}

// says reports whether the override sets anything.
func (o *Override) says() bool {
	return o.Expr != "" || o.Note != "" || o.Disabled || o.NoData != inherit || o.Transition != inherit ||
		o.ClearTransition != inherit
}

// Spot is the place for which a threshold is resolved: the instance and the levels
// above it. Ids can be 0, to resolve the threshold of a whole device or group.
type Spot struct {
	Groups             resource.IDs // of the device
	DeviceDataSourceID int64
	InstanceGroupID    int64
	InstanceID         int64
}

// The levels that can set a threshold, the nearest first.
const (
	LevelInstance      = "instance"
	LevelInstanceGroup = "instance group"
	LevelDevice        = "device"
	LevelGroup         = "device group"
	LevelDataSource    = "datasource"
)

// Effective is the threshold in effect at a Spot for one data point. Each part comes
// from the nearest level that sets it.
type Effective struct {
	Expr            string // in the form of ParseAlertExpr; empty: none
	From            string // the level that Expr comes from
	NoData          int64  // severity if there is no data: 1 none, 2 warn, 3 error, 4 critical
	Transition      int64  // consecutive polls before an alert opens
	ClearTransition int64  // consecutive polls before it clears
	Disabled        bool   // alerting is disabled at some level
	DisabledAt      string // that level: the nearest one
}

// Thresholds resolves the effective alert configuration. It is computed from all
// overrides and groups, and shared: do not change it.
type Thresholds struct {
	tree   *fleet.Tree
	at     map[position]*Override
	groups map[[2]int64]*GroupDataSource // by group and data source
}

// position is a level, an id at that level, and a data point.
type position struct {
	level     string
	id        int64
	dataPoint int64
}

// position returns the position of the override.
func (o *Override) position() position {
	switch {
	case o.InstanceID > 0:
		return position{LevelInstance, o.InstanceID, o.DataPointID}
	case o.InstanceGroupID > 0:
		return position{LevelInstanceGroup, o.InstanceGroupID, o.DataPointID}
	case o.DeviceDataSourceID > 0:
		return position{LevelDevice, o.DeviceDataSourceID, o.DataPointID}
	}
	return position{LevelGroup, o.GroupID, o.DataPointID}
}

// ThresholdsOf returns the current Thresholds, cached until one of their parts
// changes.
func ThresholdsOf(ctx context.Context, r resource.Reader) (*Thresholds, error) {
	value, err := r.Memo("thresholds",
		[]string{string(overrideRows), string(groupDataSourceRows), string(fleet.GroupRows)}, func() (any, error) {
			tree, err := fleet.TreeOf(ctx, r)
			if err != nil {
				return nil, err
			}
			t := &Thresholds{tree: tree, at: map[position]*Override{}, groups: map[[2]int64]*GroupDataSource{}}
			overrides, err := resource.Find(ctx, r, overrideRows)
			if err != nil {
				return nil, err
			}
			for i := range overrides {
				t.at[overrides[i].position()] = &overrides[i]
			}
			settings, err := resource.Find(ctx, r, groupDataSourceRows)
			for i := range settings {
				t.groups[[2]int64{settings[i].GroupID, settings[i].DataSourceID}] = &settings[i]
			}
			return t, err
		})
	if err != nil {
		return nil, err
	}
	return value.(*Thresholds), nil
}

// For returns the effective alert configuration of a data point at the spot.
func (t *Thresholds) For(s Spot, dp *datasource.DataPoint) Effective {
	e := Effective{NoData: inherit, Transition: inherit, ClearTransition: inherit}
	for _, o := range t.chain(s, dp.ID) {
		e.take(o.position().level, o)
	}
	if group := t.disabledAt(s.Groups, dp.DataSourceID); group != nil && !e.Disabled {
		e.Disabled, e.DisabledAt = true, LevelGroup
	}
	e.take(LevelDataSource,
		&Override{Expr: dp.AlertExpr, NoData: dp.AlertForNoData, Transition: dp.AlertTransition,
			ClearTransition: dp.AlertClear})
	return e
}

// take fills in parts that nearer levels have not set.
func (e *Effective) take(level string, o *Override) {
	if e.From == "" && o.Expr != "" {
		e.Expr, e.From = o.Expr, level
	}
	for _, part := range []struct {
		to   *int64
		from int64
	}{{&e.NoData, o.NoData}, {&e.Transition, o.Transition}, {&e.ClearTransition, o.ClearTransition}} {
		if *part.to == inherit {
			*part.to = part.from
		}
	}
	if o.Disabled && !e.Disabled {
		e.Disabled, e.DisabledAt = true, level
	}
}

// chain returns the overrides of a data point at the spot, the nearest first.
func (t *Thresholds) chain(s Spot, dataPoint int64) []*Override {
	var all []*Override
	for _, p := range []position{{LevelInstance, s.InstanceID, dataPoint},
		{LevelInstanceGroup, s.InstanceGroupID, dataPoint}, {LevelDevice, s.DeviceDataSourceID, dataPoint}} {
		if o := t.at[p]; o != nil {
			all = append(all, o)
		}
	}
	for _, g := range t.tree.Above(s.Groups) {
		if o := t.at[position{LevelGroup, g.ID, dataPoint}]; o != nil {
			all = append(all, o)
		}
	}
	return all
}

// disabledAt returns the nearest group in which the data source opens no alerts.
func (t *Thresholds) disabledAt(groups resource.IDs, dataSource int64) *fleet.Group {
	for _, g := range t.tree.Above(groups) {
		if s := t.groups[[2]int64{g.ID, dataSource}]; s != nil && (s.DisableAlerting || s.StopMonitoring) {
			return g
		}
	}
	return nil
}

// Stopped reports whether polling of the data source is disabled for devices in
// those groups.
func (t *Thresholds) Stopped(groups resource.IDs, dataSource int64) bool {
	for _, g := range t.tree.Above(groups) {
		if s := t.groups[[2]int64{g.ID, dataSource}]; s != nil && s.StopMonitoring {
			return true
		}
	}
	return false
}
