package datasource

import (
	"encoding/json"
)

// dataSourceFile is an exported data source: everything that users edit, without ids.
type dataSourceFile struct {
	Name               string             `json:"name"`
	DisplayName        string             `json:"displayName"`
	Description        string             `json:"description"`
	Group              string             `json:"group"`
	Technology         string             `json:"technology"`
	Tags               string             `json:"tags"`
	AppliesTo          string             `json:"appliesTo"`
	CollectMethod      string             `json:"collectMethod"`
	CollectInterval    int64              `json:"collectInterval"`
	CollectorAttribute CollectorAttribute `json:"collectorAttribute"`
	EnableDiscovery    bool               `json:"enableAutoDiscovery"`
	Discovery          *Discovery         `json:"autoDiscoveryConfig"`
	DataPoints         []DataPoint        `json:"dataPoints"`
	Graphs             []Graph            `json:"graphs"`
	OverviewGraphs     []Graph            `json:"overviewGraphs"`
	OriginRegistryID   string             `json:"originRegistryId"`
	AccessGroupIDs     []int64            `json:"accessGroupIds"`
	EriEnabled         bool               `json:"enableEriDiscovery"`
	EriInterval        int64              `json:"eriDiscoveryInterval"`
}

// definition returns the data source without portal-specific fields.
func (d *DataSource) definition() *dataSourceFile {
	c := *d
	c.part()
	c.eachID(func(id *int64) { *id = 0 })
	for i := range c.DataPoints {
		c.DataPoints[i].DataSourceID = 0
	}
	for _, graphs := range [][]Graph{c.Graphs, c.OverviewGraphs} {
		for _, g := range graphs {
			for i := range g.DataPoints {
				g.DataPoints[i].DataPointID, g.DataPoints[i].DataSourceDataPointID = 0, 0
			}
			for i := range g.Lines {
				g.Lines[i].DataPointID = 0
			}
		}
	}
	return &dataSourceFile{
		Name: c.Name, DisplayName: c.DisplayName, Description: c.Description, Group: c.Group, Technology: c.Technology,
		Tags:      c.Tags,
		AppliesTo: c.AppliesTo, CollectMethod: c.CollectMethod, CollectInterval: c.CollectInterval,
		CollectorAttribute: c.CollectorAttribute,
		EnableDiscovery:    c.EnableDiscovery, Discovery: c.Discovery, DataPoints: c.DataPoints, Graphs: c.Graphs,
		OverviewGraphs:   c.OverviewGraphs,
		OriginRegistryID: c.OriginRegistryID, AccessGroupIDs: c.AccessGroupIDs, EriEnabled: c.EriEnabled,
		EriInterval: c.EriInterval,
	}
}

// preserved maps the names of fieldsToPreserve in the published API to what they keep
// of the overwritten data source. JSON field names are also accepted.
var preserved = map[string]func(file map[string]json.RawMessage, was *DataSource) error{
	"NAME":                       keep("name"),
	"APPLIES_TO_SCRIPT":          keep("appliesTo"),
	"COLLECTION_INTERVAL":        keep("collectInterval"),
	"TAGS":                       keep("tags"),
	"DATAPOINT_ALERT_THRESHOLDS": keepThresholds,
	"ACTIVE_DISCOVERY_INTERVAL": keepDiscovery(func(file, was *Discovery) {
		file.ScheduleInterval = was.ScheduleInterval
	}),
	"ACTIVE_DISCOVERY_FILTERS": keepDiscovery(func(file, was *Discovery) { file.Filters = was.Filters }),
}

// keep keeps one field as a whole.
func keep(field string) func(map[string]json.RawMessage, *DataSource) error {
	return func(file map[string]json.RawMessage, was *DataSource) error {
		mine, err := asFile(was)
		file[field] = mine[field]
		return err
	}
}

func asFile(d *DataSource) (map[string]json.RawMessage, error) {
	var file map[string]json.RawMessage
	text, err := json.Marshal(d.definition())
	if err == nil {
		err = json.Unmarshal(text, &file)
	}
	return file, err
}

func keepDiscovery(copyTo func(file, was *Discovery)) func(map[string]json.RawMessage, *DataSource) error {
	return func(file map[string]json.RawMessage, was *DataSource) error {
		var c *Discovery
		if was.Discovery == nil || json.Unmarshal(file["autoDiscoveryConfig"], &c) != nil || c == nil {
			return nil // reading the file reports its errors
		}
		copyTo(c, was.Discovery)
		text, err := json.Marshal(c)
		file["autoDiscoveryConfig"] = text
		return err
	}
}

// keepThresholds keeps the thresholds of data points with the same names.
func keepThresholds(file map[string]json.RawMessage, was *DataSource) error {
	var points []map[string]any
	if json.Unmarshal(file["dataPoints"], &points) != nil {
		return nil // reading the file reports its errors
	}
	for _, p := range points {
		name, _ := p["name"].(string)
		if had := was.point(name); had != nil {
			p["alertExpr"], p["alertExprNote"], p["alertForNoData"] = had.AlertExpr, had.AlertExprNote,
				had.AlertForNoData
			p["alertTransitionInterval"], p["alertClearTransitionInterval"] = had.AlertTransition, had.AlertClear
		}
	}
	text, err := json.Marshal(points)
	file["dataPoints"] = text
	return err
}
