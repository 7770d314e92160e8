package override

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"spyglass/backend/fault"
	"spyglass/backend/portal/datasource"
	"spyglass/backend/portal/fleet"
	"spyglass/backend/portal/ground"
	"spyglass/backend/portal/threshold"
	"spyglass/backend/resource"
)

// GroupDataSource is a device group's configuration of a data source on devices
// in it.
type GroupDataSource struct {
	ID              int64
	GroupID         int64
	DataSourceID    int64
	StopMonitoring  bool
	DisableAlerting bool
}

// GroupDataSourceSettings declares the settings of groups; without a row, polling
// is enabled. They are read and written through GroupDataSources.
var GroupDataSourceSettings = resource.Resource[*GroupDataSource]{
	Name: groupDataSourceRows, Label: "group datasource", Object: resource.DeviceGroup,
	Doc: "A device group's settings for a datasource.",
	Fields: []resource.Field[*GroupDataSource]{
		{Name: "id", At: func(s *GroupDataSource) any { return &s.ID }, Doc: "Set by the portal", ReadOnly: true},
		{Name: "deviceGroupId", At: func(s *GroupDataSource) any { return &s.GroupID }, Doc: "The device group",
			Refs: string(fleet.GroupRows), Cascade: true, Index: true},
		{Name: "dataSourceId", At: func(s *GroupDataSource) any { return &s.DataSourceID }, Doc: "The datasource",
			Refs: string(datasource.DataSourceRows), Cascade: true, Index: true},
		{Name: "stopMonitoring", At: func(s *GroupDataSource) any { return &s.StopMonitoring },
			Doc: "Do not poll it on devices in the group"},
		{Name: "disableAlerting", At: func(s *GroupDataSource) any { return &s.DisableAlerting },
			Doc: "It raises no alerts on devices inside"},
	},
	Unique: [][]string{{"deviceGroupId", "dataSourceId"}},
}

// groupSource is a data source in a device group.
type groupSource struct {
	GroupDataSource
	Name, DisplayName, Type, Heading string
}

var groupParent = resource.Parent{Of: string(fleet.GroupRows), Param: "deviceGroupId", Sample: ground.SampleGroup}

// GroupDataSources are the data sources on the devices in a group and its
// subgroups.
var GroupDataSources = resource.View[*groupSource]{
	Resource: resource.Resource[*groupSource]{
		Name: "deviceGroupDatasource", Label: "datasource", Whose: "of a group",
		Path:     "/device/groups/{deviceGroupId}/datasources",
		Category: ground.CategoryGroups, Object: resource.DeviceGroup,
		Doc:    "The datasources on the devices of a group and of the groups below, and the group's settings for them.",
		Sample: ground.SampleDataSource, Parents: []resource.Parent{groupParent},
		Fields: []resource.Field[*groupSource]{
			{Name: "dataSourceId", At: func(s *groupSource) any { return &s.DataSourceID }, Doc: "Id of the datasource",
				ReadOnly: true, Example: 1},
			{Name: "dataSourceName", At: func(s *groupSource) any { return &s.Name }, Doc: "Its name", ReadOnly: true,
				Example: "Ping"},
			{Name: "dataSourceDisplayName", At: func(s *groupSource) any { return &s.DisplayName },
				Doc:      "Display name",
				ReadOnly: true},
			{Name: "dataSourceType", At: func(s *groupSource) any { return &s.Type }, Doc: "How it collects",
				ReadOnly: true,
				Example:  "ping"},
			{Name: "dataSourceGroupName", At: func(s *groupSource) any { return &s.Heading },
				Doc: "The heading it is listed under", ReadOnly: true},
			{Name: "deviceGroupId", At: func(s *groupSource) any { return &s.GroupID }, Doc: "Id of the group",
				ReadOnly: true},
			{Name: "stopMonitoring", At: func(s *groupSource) any { return &s.StopMonitoring },
				Doc: "Do not poll it on devices in the group", Example: false},
			{Name: "disableAlerting", At: func(s *groupSource) any { return &s.DisableAlerting },
				Doc: "Raise no alerts of it on devices in the group", Example: true},
		},
	},
	Rows: resource.Each(func(ctx context.Context, r resource.Reader, c *resource.Call) ([]groupSource, error) {
		id, err := c.ID("deviceGroupId")
		if err != nil {
			return nil, err
		}
		return groupSources(ctx, r, c.Access, id)
	}),
	Save: func(w *resource.Write, was, now *groupSource) error {
		found, err := resource.Find(w.Context, w.Tx, groupDataSourceRows,
			resource.Where{Field: "deviceGroupId", Op: "=", Value: was.GroupID},
			resource.Where{Field: "dataSourceId", Op: "=", Value: was.DataSourceID})
		if err != nil {
			return err
		}
		row := GroupDataSource{GroupID: was.GroupID, DataSourceID: was.DataSourceID, StopMonitoring: now.StopMonitoring,
			DisableAlerting: now.DisableAlerting}
		if len(found) > 0 {
			row.ID = found[0].ID
		}
		return resource.Put(w.Context, w.Tx, groupDataSourceRows, &row)
	},
}

func groupSources(ctx context.Context, r resource.Reader, who *resource.Access, group int64) ([]groupSource, error) {
	tree, err := fleet.TreeOf(ctx, r)
	if err != nil {
		return nil, err
	}
	sources, err := resource.Find(ctx, r, datasource.DataSourceRows)
	if err != nil {
		return nil, err
	}
	overrides, err := resource.Find(ctx, r, groupDataSourceRows,
		resource.Where{Field: "deviceGroupId", Op: "=", Value: group})
	if err != nil {
		return nil, err
	}
	inside := resource.Of("deviceId", resource.Where{Field: "hostGroupIds", Op: "has any", Value: tree.Inside(group)})
	all := []groupSource{}
	for _, s := range sources {
		on, err := resource.Find(ctx, r, fleet.DeviceDataSourceRows,
			resource.Where{Field: "dataSourceId", Op: "=", Value: s.ID}, inside, resource.SeenBy(who, resource.Read),
			resource.Limit(1))
		if err != nil {
			return nil, err
		}
		if len(on) == 0 {
			continue
		}
		one := groupSource{GroupDataSource{GroupID: group, DataSourceID: s.ID}, s.Name, s.DisplayName, s.CollectMethod,
			s.Group}
		if k := slices.IndexFunc(overrides, func(x GroupDataSource) bool { return x.DataSourceID == s.ID }); k >= 0 {
			one.GroupDataSource = overrides[k]
		}
		all = append(all, one)
	}
	return all, nil
}

// groupConfig is a group's configuration of the data points of a data source.
type groupConfig struct {
	ID         int64
	Type       string
	DataPoints []GroupDataPoint
}

// GroupDataPoint is a group's configuration of one data point.
type GroupDataPoint struct {
	ID              int64           `json:"dataPointId" doc:"id of the datapoint"`
	Name            string          `json:"dataPointName" doc:"its name"`
	Note            string          `json:"dataPointDescription" doc:"what it measures; set by the portal"`
	Interval        int64           `json:"collectionInterval" doc:"seconds between polls; set by the portal"`
	Expr            string          `json:"alertExpr" doc:"the group's threshold; empty: inherited"`
	ExprNote        string          `json:"alertExprNote" doc:"reason for this setting"`
	Disabled        bool            `json:"disableAlerting" doc:"raise no alerts on devices in the group"`
	NoData          int64           `json:"alertForNoData" doc:"if there is no data: 1 none, 2 warn, 3 error, 4 critical; -1: inherited"`
	Transition      int64           `json:"alertTransitionInterval" doc:"polls before an alert opens; -1: inherited"`
	ClearTransition int64           `json:"alertClearTransitionInterval" doc:"polls before it clears; -1: inherited"`
	GlobalExpr      string          `json:"globalAlertExpr" doc:"threshold of the datasource; set by the portal"`
	GlobalNoData    int64           `json:"globalAlertForNoData" doc:"severity without data, of the datasource; set by the portal"`
	GlobalOpen      int64           `json:"globalAlertTransitionInterval" doc:"polls before an alert opens; set by the portal"`
	GlobalClear     int64           `json:"globalAlertClearTransitionInterval" doc:"polls before it clears; set by the portal"`
	Parent          *GroupThreshold `json:"parentDeviceGroupAlertExprList" doc:"that of the nearest group above; null: none"`
}

// GroupAlertSettings are the thresholds of a data source for all devices in a
// group. A body names data points by id or by name; omitted fields are inherited.
var GroupAlertSettings = resource.View[*groupConfig]{
	Resource: resource.Resource[*groupConfig]{
		Name: "deviceGroupDataSourceAlertConfig", Label: "alert settings",
		Whose: "of a datasource in a group",
		Path:  "/device/groups/{deviceGroupId}/datasources/{dsId}/alertsettings", Category: ground.CategoryGroups,
		Object: resource.DeviceGroup,
		Doc:    "The thresholds of a datasource on all devices of a group, unless a nearer level overrides them.",
		Single: 1,
		Parents: []resource.Parent{groupParent,
			{Of: string(datasource.DataSourceRows), Param: "dsId", Sample: ground.SampleDataSource}},
		Fields: []resource.Field[*groupConfig]{
			{Name: "dataSourceId", At: func(s *groupConfig) any { return &s.ID }, Doc: "Id of the datasource",
				ReadOnly: true,
				Example:  1},
			{Name: "datasourceType", At: func(s *groupConfig) any { return &s.Type }, Doc: "How it collects",
				ReadOnly: true,
				Example:  "ping"},
			{Name: "dpConfig", At: func(s *groupConfig) any { return &s.DataPoints },
				Doc: "One for each datapoint; datapoints that a body omits do not change", Loose: true,
				Default: []GroupDataPoint{},
				Example: []map[string]any{{"dataPointId": ground.SampleDataPoint, "alertExpr": "> 150 300 600",
					"alertExprNote": "A long line"}}},
		},
	},
	Rows: resource.Each(func(ctx context.Context, r resource.Reader, c *resource.Call) ([]groupConfig, error) {
		group, err := c.ID("deviceGroupId")
		if err != nil {
			return nil, err
		}
		id, err := c.ID("dsId")
		if err != nil {
			return nil, err
		}
		source, err := resource.Get(ctx, r, datasource.DataSourceRows, id)
		if err != nil {
			return nil, err
		}
		thresholds, err := ThresholdsOf(ctx, r)
		if err != nil {
			return nil, err
		}
		return []groupConfig{thresholds.groupConfig(c.Access, group, source)}, nil
	}),
	Save: func(w *resource.Write, was, now *groupConfig) error {
		group, err := w.Call.ID("deviceGroupId")
		if err != nil {
			return err
		}
		return now.save(w, group, was)
	},
}

func (t *Thresholds) groupConfig(who *resource.Access, group int64, source *datasource.DataSource) groupConfig {
	out := groupConfig{ID: source.ID, Type: source.CollectMethod, DataPoints: []GroupDataPoint{}}
	for i := range source.DataPoints {
		dp := &source.DataPoints[i]
		one := GroupDataPoint{
			ID: dp.ID, Name: dp.Name, Note: dp.Description, Interval: source.CollectInterval, NoData: inherit,
			Transition: inherit, ClearTransition: inherit,
			GlobalExpr: dp.AlertExpr, GlobalNoData: dp.AlertForNoData, GlobalOpen: dp.AlertTransition,
			GlobalClear: dp.AlertClear,
		}
		for _, o := range t.chain(Spot{Groups: resource.IDs{group}}, dp.ID) {
			if o.GroupID == group {
				one.Expr, one.ExprNote, one.Disabled, one.NoData, one.Transition, one.ClearTransition = o.Expr, o.Note,
					o.Disabled, o.NoData, o.Transition, o.ClearTransition
			} else if one.Parent == nil && fleet.MayRead(who, o.GroupID) {
				g := t.tree.Groups[o.GroupID]
				one.Parent = &GroupThreshold{g.ID, g.FullPath, o.Expr, !o.Disabled, o.NoData, o.Transition,
					o.ClearTransition}
			}
		}
		out.DataPoints = append(out.DataPoints, one)
	}
	return out
}

// UnmarshalJSON leaves omitted fields unset.
func (d *GroupDataPoint) UnmarshalJSON(text []byte) error {
	type plain GroupDataPoint
	p := plain{NoData: inherit, Transition: inherit, ClearTransition: inherit}
	err := json.Unmarshal(text, &p)
	*d = GroupDataPoint(p)
	return err
}

// save stores the settings of the data points in the body; others do not change.
func (s *groupConfig) save(w *resource.Write, group int64, was *groupConfig) error {
	for i, dp := range s.DataPoints {
		field := fmt.Sprintf("dpConfig[%d]", i)
		k := slices.IndexFunc(was.DataPoints,
			func(have GroupDataPoint) bool { return have.ID == dp.ID || dp.ID == 0 && have.Name == dp.Name })
		if k < 0 {
			return fault.At(field+".dataPointId", "%s.dataPointId: the datasource has no datapoint %d", field, dp.ID)
		}
		if err := dp.check(field); err != nil {
			return err
		}
		o := Override{
			GroupID: group, DataSourceID: s.ID, DataPointID: was.DataPoints[k].ID, Expr: dp.Expr, Note: dp.ExprNote,
			Disabled: dp.Disabled,
			NoData:   dp.NoData, Transition: dp.Transition, ClearTransition: dp.ClearTransition,
		}
		if err := o.keep(w.Context, w.Tx); err != nil {
			return err
		}
	}
	return nil
}

func (d *GroupDataPoint) check(field string) error {
	if err := threshold.CheckAlertExpr(field+".alertExpr", d.Expr); err != nil {
		return err
	}
	if d.NoData != inherit && (d.NoData < 1 || d.NoData > threshold.SeverityCritical) {
		return &fault.Error{Kind: fault.Invalid, Field: field + ".alertForNoData",
			Message: field + ".alertForNoData is -1, 1, 2, 3 or 4", Allowed: []any{-1, 1, 2, 3, 4}}
	}
	for name, polls := range map[string]int64{"alertTransitionInterval": d.Transition,
		"alertClearTransitionInterval": d.ClearTransition} {
		if polls < inherit || polls > 60 {
			return fault.At(field+"."+name, "%s.%s must be a number of polls from 0 to 60, or -1", field, name)
		}
	}
	if utf8.RuneCountInString(d.ExprNote) > 1024 || strings.ContainsRune(d.ExprNote, 0) {
		return fault.At(field+".alertExprNote", "%s.alertExprNote must be a text of at most 1,024 characters", field)
	}
	return nil
}
