package override

import (
	"context"
	"slices"

	"spyglass/backend/fault"
	"spyglass/backend/portal/datasource"
	"spyglass/backend/portal/fleet"
	"spyglass/backend/portal/ground"
	"spyglass/backend/portal/threshold"
	"spyglass/backend/resource"
)

// AlertSetting is the alert configuration of a data point at one level, with the
// levels above and the effective values.
type AlertSetting struct {
	ID               int64 // of the data point
	Device           int64
	DeviceDataSource int64
	DataSource       int64
	Instance         int64
	InstanceName     string
	DataPoint        int64
	DataPointName    string
	DataPointNote    string
	Interval         int64 // seconds between polls

	Expr            string
	Note            string
	Disabled        bool
	NoData          int64
	Transition      int64
	ClearTransition int64

	GlobalExpr            string
	GlobalNoData          int64
	GlobalTransition      int64
	GlobalClearTransition int64
	Groups                []GroupThreshold
	InstanceGroup         *InstanceGroupThreshold
	DeviceLevel           *DeviceThreshold
	GroupID               int64 // the group whose threshold is in effect, if any
	GroupPath             string

	EffectiveExpr string
	EffectiveFrom string
	DisabledOn    string
}

// GroupThreshold is the threshold of a device group.
type GroupThreshold struct {
	ID              int64  `json:"groupId" doc:"the device group" refs:"deviceGroup"`
	FullPath        string `json:"groupFullPath" doc:"its full path; empty for the root"`
	Expr            string `json:"alertExpr" doc:"its threshold; empty: inherited"`
	Enabled         bool   `json:"alertEnabled" doc:"it does not disable alerting"`
	NoData          int64  `json:"alertForNoData" doc:"severity when there is no data; -1: inherited"`
	Transition      int64  `json:"alertTransitionInterval" doc:"polls before an alert opens; -1: inherited"`
	ClearTransition int64  `json:"alertClearTransitionInterval" doc:"polls before it clears; -1: inherited"`
}

// InstanceGroupThreshold is the threshold of the instance's group.
type InstanceGroupThreshold struct {
	ID              int64  `json:"groupId" doc:"the instance group"`
	Expr            string `json:"alertExpr" doc:"its threshold; empty: inherited"`
	Enabled         bool   `json:"alertEnabled" doc:"it does not disable alerting"`
	NoData          int64  `json:"alertForNoData" doc:"severity when there is no data; -1: inherited"`
	Transition      int64  `json:"alertTransitionInterval" doc:"polls before an alert opens; -1: inherited"`
	ClearTransition int64  `json:"alertClearTransitionInterval" doc:"polls before it clears; -1: inherited"`
}

// DeviceThreshold is the threshold for all instances of a data source on the
// device.
type DeviceThreshold struct {
	ID      int64  `json:"resourceDatasourceId" doc:"the device datasource"`
	Expr    string `json:"alertExpr" doc:"its threshold; empty: inherited"`
	Enabled bool   `json:"alertEnabled" doc:"it does not disable alerting"`
}

// settingFields returns the fields of a setting at any level below the device
// groups.
func settingFields() []resource.Field[*AlertSetting] {
	type row = AlertSetting
	return []resource.Field[*row]{
		{Name: "id", At: func(s *row) any { return &s.ID }, Doc: "Id of the datapoint", ReadOnly: true,
			Example: ground.SampleInstancePoint},
		{Name: "dataPointId", At: func(s *row) any { return &s.DataPoint }, Doc: "Id of the datapoint", ReadOnly: true,
			Example: ground.SampleInstancePoint},
		{Name: "dataPointName", At: func(s *row) any { return &s.DataPointName }, Doc: "Its name", ReadOnly: true,
			Example: "average"},
		{Name: "dataPointDescription", At: func(s *row) any { return &s.DataPointNote }, Doc: "What it measures",
			ReadOnly: true},
		{Name: "dataSourceInstanceId", At: func(s *row) any { return &s.Instance },
			Doc: "The instance; 0 where the setting is for several", ReadOnly: true},
		{Name: "dataSourceInstanceAlias", At: func(s *row) any { return &s.InstanceName },
			Doc:      "The instance's display name",
			ReadOnly: true},
		{Name: "collectionInterval", At: func(s *row) any { return &s.Interval }, Doc: "Seconds between two polls",
			ReadOnly: true, Example: 60},

		{Name: "alertExpr", At: func(s *row) any { return &s.Expr },
			Doc: "Threshold at this level: > 60 80 90 warns above 60, is an error above 80 and critical above 90. " +
				"Empty: inherited", MaxLen: 255, Example: "> 100 200 400"},
		{Name: "alertExprNote", At: func(s *row) any { return &s.Note }, Doc: "Reason for this setting", MaxLen: 1024,
			Example: "The line to Austin is slow"},
		{Name: "disableAlerting", At: func(s *row) any { return &s.Disabled }, Doc: "Raise no alerts at this level"},
		{Name: "alertForNoData", At: func(s *row) any { return &s.NoData },
			Doc:     "Severity when there is no data: 1 none, 2 warn, 3 error, 4 critical; -1: inherited",
			Default: inherit,
			OneOf:   []any{-1, 1, 2, 3, 4}},
		{Name: "alertTransitionInterval", At: func(s *row) any { return &s.Transition },
			Doc: "Consecutive polls before an alert opens; -1: inherited", Default: inherit, Min: resource.Bound(-1),
			Max: resource.Bound(60)},
		{Name: "alertClearInterval", At: func(s *row) any { return &s.ClearTransition },
			Doc: "Consecutive polls before it clears; -1: inherited", Default: inherit, Min: resource.Bound(-1),
			Max: resource.Bound(60)},

		{Name: "globalAlertExpr", At: func(s *row) any { return &s.GlobalExpr }, Doc: "Threshold of the datasource",
			ReadOnly: true, Example: "> 60 80 90"},
		{Name: "globalAlertForNoData", At: func(s *row) any { return &s.GlobalNoData },
			Doc: "Severity without data, of the datasource", ReadOnly: true},
		{Name: "globalAlertTransitionInterval", At: func(s *row) any { return &s.GlobalTransition },
			Doc: "Polls before an alert, of the datasource", ReadOnly: true},
		{Name: "globalAlertClearTransitionInterval", At: func(s *row) any { return &s.GlobalClearTransition },
			Doc: "Polls before it clears, of the datasource", ReadOnly: true},
		{Name: "parentDeviceGroupAlertExprList", At: func(s *row) any { return &s.Groups },
			Doc: "Thresholds of the device's groups and the groups above, the nearest first", ReadOnly: true},
		{Name: "parentInstanceGroupAlertExpr", At: func(s *row) any { return &s.InstanceGroup },
			Doc: "Threshold of the instance group; null: none", ReadOnly: true},
		{Name: "parentResourceDataSourceAlertExpr", At: func(s *row) any { return &s.DeviceLevel },
			Doc: "Threshold for all instances of the device; null: none", ReadOnly: true},
		{Name: "deviceGroupId", At: func(s *row) any { return &s.GroupID },
			Doc: "The device group whose threshold is in effect; 0: that of another level", ReadOnly: true},
		{Name: "deviceGroupFullPath", At: func(s *row) any { return &s.GroupPath }, Doc: "That group's full path",
			ReadOnly: true},

		{Name: "effectiveAlertExpr", At: func(s *row) any { return &s.EffectiveExpr }, Doc: "The effective threshold",
			ReadOnly: true, Example: "> 60 80 90"},
		{Name: "effectiveFrom", At: func(s *row) any { return &s.EffectiveFrom },
			Doc:      "Level that sets it: instance, instance group, device, device group or datasource; empty: none",
			ReadOnly: true,
			Example:  LevelDataSource},
		{Name: "alertingDisabledOn", At: func(s *row) any { return &s.DisabledOn },
			Doc: "The nearest level that disables alerting; empty when none does", ReadOnly: true},
	}
}

// belowDevice returns the parents of objects below a data source on a device.
func belowDevice(param string) []resource.Parent {
	return []resource.Parent{
		{Of: string(fleet.DeviceRows), Param: "deviceId", Field: "deviceId", Sample: ground.SampleDevice},
		{Of: string(fleet.DeviceDataSourceRows), Param: param, Field: "deviceDataSourceId",
			Sample: ground.SampleDeviceDataSource},
	}
}

func alertSettings(path, whose, doc string, parents []resource.Parent) resource.View[*AlertSetting] {
	return resource.View[*AlertSetting]{Resource: resource.Resource[*AlertSetting]{
		Name: "deviceDataSourceInstanceAlertSetting", Label: "alert setting", Whose: whose, Path: path,
		Category: ground.CategoryDevices, Object: resource.DeviceGroup,
		Refused: "adAdvSettingEnabled criticalAdAdvSetting errorAdAdvSetting warnAdAdvSetting " +
			"globalPostProcessorParam postProcessorParam",
		Doc: doc, Fields: settingFields(), Parents: parents, Sample: ground.SampleInstancePoint,
	}}
}

// InstanceAlertSettings are the thresholds of one instance.
var InstanceAlertSettings = func() resource.View[*AlertSetting] {
	parents := append(belowDevice("hdsId"),
		resource.Parent{Of: string(fleet.InstanceRows), Param: "instanceId", Sample: ground.SampleInstance})
	v := alertSettings("/device/devices/{deviceId}/devicedatasources/{hdsId}/instances/{instanceId}/alertsettings",
		"of an instance",
		"The thresholds of one instance, and the levels that set them.", parents)
	v.Rows = resource.Each(func(ctx context.Context, r resource.Reader, c *resource.Call) ([]AlertSetting, error) {
		id, err := c.ID("instanceId")
		if err != nil {
			return nil, err
		}
		one, err := resource.Get(ctx, r, fleet.InstanceRows, id)
		if err != nil {
			return nil, err
		}
		return settingsOf(ctx, r, one.DeviceID, []fleet.Instance{*one})
	})
	v.Save = func(w *resource.Write, was, now *AlertSetting) error {
		return now.save(w, was, Override{InstanceID: was.Instance})
	}
	return v
}()

// DeviceDataSourceAlertSettings are the thresholds for all instances of a data
// source on a device. The published API shows them but cannot set them.
var DeviceDataSourceAlertSettings = func() resource.View[*AlertSetting] {
	v := alertSettings("/device/devices/{deviceId}/devicedatasources/{hdsId}/alertsettings",
		"of a device datasource",
		"The thresholds of all instances of a datasource on one device, unless an instance overrides them.",
		belowDevice("hdsId"))
	v.Rows = resource.Each(func(ctx context.Context, r resource.Reader, c *resource.Call) ([]AlertSetting, error) {
		id, err := c.ID("hdsId")
		if err != nil {
			return nil, err
		}
		on, err := resource.Get(ctx, r, fleet.DeviceDataSourceRows, id)
		if err != nil {
			return nil, err
		}
		return settingsOf(ctx, r, on.DeviceID,
			[]fleet.Instance{{DeviceDataSourceID: id, DataSourceID: on.DataSourceID}})
	})
	v.Save = func(w *resource.Write, was, now *AlertSetting) error {
		return now.save(w, was, Override{DeviceDataSourceID: was.DeviceDataSource})
	}
	return v
}()

// DeviceAlertSettings are the thresholds of all instances of a device.
var DeviceAlertSettings = func() resource.View[*AlertSetting] {
	v := alertSettings("/device/devices/{deviceId}/alertsettings", "of a device",
		"The thresholds of all instances of one device.", belowDevice("")[:1])
	v.Without = []resource.Verb{resource.OnGet}
	v.Rows = resource.Each(func(ctx context.Context, r resource.Reader, c *resource.Call) ([]AlertSetting, error) {
		id, err := c.ID("deviceId")
		if err != nil {
			return nil, err
		}
		all, err := resource.Find(ctx, r, fleet.InstanceRows, resource.Where{Field: "deviceId", Op: "=", Value: id})
		if err != nil {
			return nil, err
		}
		return settingsOf(ctx, r, id, all)
	})
	return v
}()

// InstanceGroupAlertSetting is the threshold of one data point for all
// instances of a group.
var InstanceGroupAlertSetting = func() resource.View[*AlertSetting] {
	parents := append(belowDevice("deviceDsId"),
		resource.Parent{Of: string(fleet.InstanceGroupRows), Param: "dsigId", Sample: ground.SampleInstanceGroup})
	v := alertSettings("/device/devices/{deviceId}/devicedatasources/{deviceDsId}/groups/{dsigId}/datapoints/{dpId}"+
		"/alertconfig", "of an instance group",
		"The thresholds of all instances of a group, unless an instance overrides them.", parents)
	v.Single = 1
	v.Params = []resource.Param{
		{Name: "dpId", In: "path", Required: true, Schema: resource.Integer("Id of the datapoint"),
			Example: ground.SampleInstancePoint}}
	v.Rows = resource.Each(func(ctx context.Context, r resource.Reader, c *resource.Call) ([]AlertSetting, error) {
		group, err := c.ID("dsigId")
		if err != nil {
			return nil, err
		}
		of, err := c.ID("deviceDsId")
		if err != nil {
			return nil, err
		}
		dataPoint, err := c.ID("dpId")
		if err != nil {
			return nil, err
		}
		on, err := resource.Get(ctx, r, fleet.DeviceDataSourceRows, of)
		if err != nil {
			return nil, err
		}
		all, err := settingsOf(ctx, r, on.DeviceID,
			[]fleet.Instance{{DeviceDataSourceID: of, DataSourceID: on.DataSourceID, GroupID: group}})
		all = slices.DeleteFunc(all, func(s AlertSetting) bool { return s.DataPoint != dataPoint })
		if err == nil && len(all) == 0 {
			err = fault.New(fault.Unknown, "the datasource has no datapoint %d", dataPoint)
		}
		return all, err
	})
	v.Save = func(w *resource.Write, was, now *AlertSetting) error {
		id, err := w.Call.ID("dsigId")
		if err != nil {
			return err
		}
		return now.save(w, was, Override{InstanceGroupID: id})
	}
	return v
}()

// save stores the setting as an override at the level whose id is set in o.
func (s *AlertSetting) save(w *resource.Write, was *AlertSetting, o Override) error {
	if err := threshold.CheckAlertExpr("alertExpr", s.Expr); err != nil {
		return err
	}
	o.DataSourceID, o.DataPointID, o.Expr, o.Note = was.DataSource, was.DataPoint, s.Expr, s.Note
	o.Disabled, o.NoData, o.Transition, o.ClearTransition = s.Disabled, s.NoData, s.Transition, s.ClearTransition
	return o.keep(w.Context, w.Tx)
}

// keep replaces the override at the same position; it deletes one that no longer
// overrides anything.
func (o *Override) keep(ctx context.Context, tx resource.Tx) error {
	found, err := resource.Find(ctx, tx, overrideRows,
		resource.Where{Field: "dataPointId", Op: "=", Value: o.DataPointID},
		resource.Where{Field: "instanceId", Op: "=", Value: o.InstanceID},
		resource.Where{Field: "instanceGroupId", Op: "=", Value: o.InstanceGroupID},
		resource.Where{Field: "deviceDataSourceId", Op: "=", Value: o.DeviceDataSourceID},
		resource.Where{Field: "groupId", Op: "=", Value: o.GroupID})
	switch {
	case err != nil:
		return err
	case len(found) > 0 && !o.says():
		return resource.Delete(ctx, tx, overrideRows, found[0].ID)
	case !o.says():
		return nil
	case len(found) > 0:
		o.ID = found[0].ID
	}
	return resource.Put(ctx, tx, overrideRows, o)
}

// settingsOf returns the settings of every data point of the instances. An
// instance with id 0 means the level above it.
func settingsOf(ctx context.Context, r resource.Reader, deviceID int64, instances []fleet.Instance) ([]AlertSetting,
	error) {
	device, err := resource.Get(ctx, r, fleet.DeviceRows, deviceID)
	if err != nil {
		return nil, err
	}
	thresholds, err := ThresholdsOf(ctx, r)
	if err != nil {
		return nil, err
	}
	var ids []int64
	for _, i := range instances {
		ids = append(ids, i.DataSourceID)
	}
	slices.Sort(ids)
	found, err := resource.Find(ctx, r, datasource.DataSourceRows,
		resource.Where{Field: "id", Op: "in", Value: slices.Compact(ids)})
	if err != nil {
		return nil, err
	}
	sources := map[int64]*datasource.DataSource{}
	for i := range found {
		sources[found[i].ID] = &found[i]
	}
	who := (*resource.Access)(nil)
	if c := resource.CallOf(ctx); c != nil {
		who = c.Access
	}
	var all []AlertSetting
	for _, i := range instances {
		spot := Spot{Groups: device.GroupIDs, DeviceDataSourceID: i.DeviceDataSourceID, InstanceGroupID: i.GroupID,
			InstanceID: i.ID}
		for k := range sources[i.DataSourceID].DataPoints {
			s := thresholds.setting(who, spot, sources[i.DataSourceID], &sources[i.DataSourceID].DataPoints[k])
			s.Device, s.Instance, s.InstanceName = deviceID, i.ID, i.DisplayName
			all = append(all, s)
		}
	}
	return all, nil
}

// setting returns the alert configuration of a data point at the nearest level of
// the spot, and at the levels around it. It omits groups that the caller cannot
// view.
func (t *Thresholds) setting(who *resource.Access, spot Spot, of *datasource.DataSource,
	dp *datasource.DataPoint) AlertSetting {
	s := AlertSetting{
		ID: dp.ID, DataSource: of.ID, DeviceDataSource: spot.DeviceDataSourceID, DataPoint: dp.ID,
		DataPointName: dp.Name,
		DataPointNote: dp.Description, Interval: of.CollectInterval,
		NoData: inherit, Transition: inherit, ClearTransition: inherit,
		GlobalExpr: dp.AlertExpr, GlobalNoData: dp.AlertForNoData, GlobalTransition: dp.AlertTransition,
		GlobalClearTransition: dp.AlertClear,
		Groups:                []GroupThreshold{},
	}
	own := position{LevelDevice, spot.DeviceDataSourceID, dp.ID}
	switch {
	case spot.InstanceID > 0:
		own = position{LevelInstance, spot.InstanceID, dp.ID}
	case spot.InstanceGroupID > 0:
		own = position{LevelInstanceGroup, spot.InstanceGroupID, dp.ID}
	}
	effective := t.For(spot, dp)
	for _, o := range t.chain(spot, dp.ID) {
		switch at := o.position(); {
		case at == own:
			s.Expr, s.Note, s.Disabled, s.NoData, s.Transition, s.ClearTransition = o.Expr, o.Note, o.Disabled,
				o.NoData, o.Transition, o.ClearTransition
		case at.level == LevelInstanceGroup:
			s.InstanceGroup = &InstanceGroupThreshold{o.InstanceGroupID, o.Expr, !o.Disabled, o.NoData, o.Transition,
				o.ClearTransition}
		case at.level == LevelDevice:
			s.DeviceLevel = &DeviceThreshold{o.DeviceDataSourceID, o.Expr, !o.Disabled}
		case at.level == LevelGroup && fleet.MayRead(who, o.GroupID):
			g := t.tree.Groups[o.GroupID]
			s.Groups = append(s.Groups,
				GroupThreshold{g.ID, g.FullPath, o.Expr, !o.Disabled, o.NoData, o.Transition, o.ClearTransition})
			if effective.From == LevelGroup && s.GroupID == 0 && o.Expr != "" {
				s.GroupID, s.GroupPath = g.ID, g.FullPath
			}
		}
	}
	s.EffectiveExpr, s.EffectiveFrom, s.DisabledOn = effective.Expr, effective.From, effective.DisabledAt
	return s
}
