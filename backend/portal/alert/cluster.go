package alert

import (
	"context"
	"encoding/json"

	"spyglass/backend/fault"
	"spyglass/backend/portal/datasource"
	"spyglass/backend/portal/fleet"
	"spyglass/backend/portal/ground"
	"spyglass/backend/portal/threshold"
	"spyglass/backend/resource"
)

// clusterAlertRows names the rows of ClusterAlert.
const clusterAlertRows resource.Name[*ClusterAlert] = "deviceClusterAlertConfig"

// ClusterAlert declares an alert of a group as a whole. It opens when a number of
// its devices, or of their instances, have an alert of one data point
// (JudgeClusters).
type ClusterAlert struct {
	ID             int64
	GroupID        int64
	DataSourceID   int64
	DataPointID    int64
	CountBy        string // host, instance
	ThresholdType  string // absolute, percentage
	Expr           string // over the count: "> 2 4 6"
	MinLevel       int64  // counts alerts of this severity and above
	Disabled       bool
	SuppressSingle bool
	CreatedOn      resource.Seconds
}

// unit returns the unit of its values.
func (a *ClusterAlert) unit() string {
	switch {
	case a.ThresholdType == "percentage":
		return "%"
	case a.CountBy == "instance":
		return "instances"
	}
	return "devices"
}

// ClusterAlerts declares the cluster alerts of a device group.
var ClusterAlerts = resource.Resource[*ClusterAlert]{
	Name: clusterAlertRows, Label: "cluster alert", Sample: 2, Path: "/device/groups/{deviceGroupId}/clusterAlertConf",
	Category: ground.CategoryGroups, Object: resource.DeviceGroup, Scope: []string{"deviceGroupId"},
	Doc: "An alert of a group as a whole: it opens when enough of its devices have an alert of one datapoint.",
	Parents: []resource.Parent{{Of: string(fleet.GroupRows), Param: "deviceGroupId", Field: "deviceGroupId",
		Sample: ground.SampleGroup}},
	Fields: []resource.Field[*ClusterAlert]{
		{Name: "id", At: func(a *ClusterAlert) any { return &a.ID }, Doc: "Set by the portal", ReadOnly: true,
			Example: 1},
		{Name: "deviceGroupId", At: func(a *ClusterAlert) any { return &a.GroupID }, Doc: "Its group", ReadOnly: true,
			Refs: string(fleet.GroupRows), Cascade: true, Index: true},
		{Name: "dataSourceId", At: func(a *ClusterAlert) any { return &a.DataSourceID },
			Doc: "The datasource whose alerts are counted", Required: true, Min: resource.Bound(1),
			Refs: string(datasource.DataSourceRows), Cascade: true, Index: true, Example: 1},
		{Name: "dataPointId", At: func(a *ClusterAlert) any { return &a.DataPointID },
			Doc: "The datapoint whose alerts are counted", Required: true, Min: resource.Bound(1),
			Example: int(ground.SampleDataPoint)},
		{Name: "countBy", At: func(a *ClusterAlert) any { return &a.CountBy },
			Doc: "host counts devices, instance counts instances", Default: "host", OneOf: []any{"host", "instance"},
			Example: "host"},
		{Name: "thresholdType", At: func(a *ClusterAlert) any { return &a.ThresholdType },
			Doc: "absolute compares the number, percentage the share in percent", Default: "absolute",
			OneOf: []any{"absolute", "percentage"}, Example: "percentage"},
		{Name: "alertExpr", At: func(a *ClusterAlert) any { return &a.Expr },
			Doc:      "The threshold: > 20 50 80 is a warning above 20, an error above 50 and critical above 80",
			Required: true,
			MaxLen:   255, Example: "> 20 50 80"},
		{Name: "minAlertLevel", At: func(a *ClusterAlert) any { return &a.MinLevel },
			Doc:     "Alerts of this severity and above are counted: 2 warn, 3 error, 4 critical",
			Default: threshold.SeverityWarn,
			OneOf:   []any{threshold.SeverityWarn, threshold.SeverityError, threshold.SeverityCritical}, Example: 3},
		{Name: "disableAlerting", At: func(a *ClusterAlert) any { return &a.Disabled },
			Doc:     "Count, but raise no alert",
			Example: false},
		{Name: "suppressIndAlert", At: func(a *ClusterAlert) any { return &a.SuppressSingle },
			Doc: "Suppress notifications of the single alerts while this one is active"},
		{Name: "createdOn", At: func(a *ClusterAlert) any { return &a.CreatedOn }, Doc: "When it was added",
			ReadOnly: true},
	},
	Derived: []resource.Derived{
		{Name: "dataPointName", Doc: "Name of the datapoint", Schema: resource.Text(""), Example: "lossPercent",
			From: "dataPointId",
			Of:   dataPointText(func(_ *datasource.DataSource, p *datasource.DataPoint) string { return p.Name })},
		{Name: "dataPointDescription", Doc: "What it measures", Schema: resource.Text(""), Example: "",
			From: "dataPointId",
			Of: dataPointText(func(_ *datasource.DataSource, p *datasource.DataPoint) string {
				return p.Description
			})},
		{Name: "dataSourceDisplayName", Doc: "Display name of the datasource", Schema: resource.Text(""),
			Example: "Ping",
			From:    "dataPointId",
			Of: dataPointText(func(s *datasource.DataSource, _ *datasource.DataPoint) string {
				return s.DisplayName
			})},
	},
	Unique: [][]string{{"deviceGroupId", "dataPointId"}},
	Check: func(w *resource.Write, was, now *ClusterAlert) error {
		if was == nil {
			now.CreatedOn = resource.SecondsOf(w.Call.At)
		}
		if err := threshold.CheckAlertExpr("alertExpr", now.Expr); err != nil {
			return err
		}
		_, dp, err := dataPointOf(w.Context, w.Tx, now.DataPointID)
		if err != nil {
			return err
		}
		if dp == nil || dp.DataSourceID != now.DataSourceID {
			return fault.At("dataPointId", "dataPointId: the datasource %d has no datapoint %d", now.DataSourceID,
				now.DataPointID)
		}
		return nil
	},
	After: func(w *resource.Write, _, now *ClusterAlert) error {
		size, err := now.size(w.Context, w.Tx)
		if err != nil {
			return err
		}
		return now.judge(w.Context, w.Tx, size, resource.SecondsOf(w.Call.At))
	},
	Remove: func(w *resource.Write, a *ClusterAlert) error {
		return endCluster(w.Context, w.Tx, a.ID, resource.SecondsOf(w.Call.At), "the cluster alert was removed")
	},
}

// dataPointOf returns a data point with its data source; nil if there is none.
func dataPointOf(ctx context.Context, r resource.Reader, id int64) (*datasource.DataSource, *datasource.DataPoint,
	error) {
	source, err := resource.Lookup(ctx, r, datasource.DataSourceRows, id/datasource.IDsOfEach)
	if err != nil || source == nil {
		return nil, nil, err
	}
	for i := range source.DataPoints {
		if source.DataPoints[i].ID == id {
			return source, &source.DataPoints[i], nil
		}
	}
	return source, nil, nil
}

// dataPointText derives a text for each row from the data point with the row's
// id; the text is empty if the data point was deleted.
func dataPointText(of func(*datasource.DataSource, *datasource.DataPoint) string) func(context.Context, resource.Reader,
	[]resource.Row) ([][]byte, error) {
	return func(ctx context.Context, r resource.Reader, rows []resource.Row) ([][]byte, error) {
		var ids []int64
		points := make([]int64, len(rows))
		for i, row := range rows {
			if err := json.Unmarshal([]byte(row.From), &points[i]); err != nil {
				return nil, err
			}
			ids = append(ids, points[i]/datasource.IDsOfEach)
		}
		sources, err := resource.Find(ctx, r, datasource.DataSourceRows,
			resource.Where{Field: "id", Op: "in", Value: ids})
		if err != nil {
			return nil, err
		}
		texts := map[int64]string{}
		for i := range sources {
			for k := range sources[i].DataPoints {
				texts[sources[i].DataPoints[k].ID] = of(&sources[i], &sources[i].DataPoints[k])
			}
		}
		out := make([][]byte, len(rows))
		for i := range rows {
			out[i] = resource.AppendString(nil, texts[points[i]])
		}
		return out, nil
	}
}
