// Package datasource declares data sources: what is measured on which devices,
// with data points, thresholds and graphs, and their export and import as files. It
// also declares the functions that expressions call; package fleet has their rules,
// because they select devices.
//
// Intervals are in seconds, those of discovery in minutes. A data source has ids
// for 999 data points and graphs, and never reuses one. OnDataSourceChanged and
// OnDataSourceRemoved update what devices have of a data source. Data
// sources that ByID returns are shared: read them only.
package datasource

import (
	"context"
	"slices"

	"spyglass/backend/appliesto"
	"spyglass/backend/check"
	"spyglass/backend/portal/ground"
	"spyglass/backend/resource"
)

// DataSourceRows names the rows of DataSource.
const DataSourceRows resource.Name[*DataSource] = "dataSource"

// DataSource defines what is measured on the devices it applies to, how, and when
// a value opens an alert. It becomes a DeviceDataSource on each of them.
type DataSource struct {
	ID                 int64
	Name               string // unique, "SNMP_Interfaces"
	DisplayName        string
	Description        string
	Group              string // heading in lists
	Technology         string // notes for maintainers
	Tags               string // separated by commas
	AppliesTo          string // an expression over devices (package appliesto)
	CollectMethod      string // the check: ping, tcp, http, dns, tls, snmp, host, simulate …
	CollectInterval    int64  // seconds
	CollectorAttribute CollectorAttribute
	HasMultiInstances  bool
	EnableDiscovery    bool
	Discovery          *Discovery // nil: one instance per device
	DataPoints         []DataPoint
	Graphs             []Graph // graphs of one instance
	OverviewGraphs     []Graph // graphs of all instances of a device
	Version            int64   // number of changes
	Checksum           string
	LineageID          string // does not change with the name
	OriginRegistryID   string
	AccessGroupIDs     []int64
	EriEnabled         bool
	EriInterval        int64
	AuditVersion       int64
	PayloadVersion     int64
	WildValueAsUUID    bool
	Highest            int64 // highest n of an id assigned to a data point or a graph, see Number
	CreatedOn          resource.Seconds
	UpdatedOn          resource.Seconds
	Kept               resource.Foreign
}

// checks lists the checks that a data source can use.
var checks = check.All(&check.Dialer{})

// collectMethods returns the names of the checks, and simulate, which needs no
// check.
func collectMethods() (names []any) {
	for _, c := range checks {
		names = append(names, c.Name)
	}
	return append(names, "simulate")
}

// ChecksEndpoint returns the endpoint that lists the checks.
func ChecksEndpoint() resource.Endpoint {
	shown := slices.Clone(checks)
	for i := range shown {
		for _, list := range []*[]check.Setting{&shown[i].Attributes, &shown[i].Properties, &shown[i].Fields} {
			*list = append([]check.Setting{}, *list...) // a list, not null
		}
	}
	e := resource.WholeList("/setting/checks", shown)
	e.Category, e.Summary, e.Doc = ground.CategoryDataSources, "List the checks",
		"Returns the checks that data sources can use: their parameters, the raw fields that they return, and the "+
			"device property that turns each one on."
	return e
}

// DataSources declares /setting/datasources.
var DataSources = resource.Resource[*DataSource]{
	Name: DataSourceRows, Label: "data source", Sample: 22, Path: "/setting/datasources",
	Category: ground.CategoryDataSources, Object: resource.Setting, Area: ground.AreaDataSources, Batch: true,
	Doc: "Defines what is measured on the devices it applies to, how, how often, and which values raise an alert. " +
		"Users who can view data sources can view all of them.",
	Fields: []resource.Field[*DataSource]{
		{Name: "id", At: func(d *DataSource) any { return &d.ID }, Doc: "Set by the portal; 1 to 8 are built in",
			ReadOnly: true, Example: 1},
		{Name: "name", At: func(d *DataSource) any { return &d.Name },
			Doc: "Unique name, used by alert rules and instances", Required: true, MaxLen: 64, Index: true,
			Example: "Branch_Ping"},
		{Name: "displayName", At: func(d *DataSource) any { return &d.DisplayName },
			Doc: "Name shown on devices; default: the name", MaxLen: 255, Index: true, Example: "Branch ping"},
		{Name: "description", At: func(d *DataSource) any { return &d.Description }, Doc: "What it measures",
			MaxLen:  4000,
			Example: "Round trip to the branch offices"},
		{Name: "group", At: func(d *DataSource) any { return &d.Group }, Doc: "Heading under which it is listed",
			MaxLen: 255,
			Index:  true, Example: "Network"},
		{Name: "technology", At: func(d *DataSource) any { return &d.Technology },
			Doc:    "Notes for its maintainers",
			MaxLen: 16000},
		{Name: "tags", At: func(d *DataSource) any { return &d.Tags }, Doc: "Search words, comma-separated",
			MaxLen: 1000, Example: "branch,latency"},
		{Name: "appliesTo", At: func(d *DataSource) any { return &d.AppliesTo },
			Doc:     "Expression that selects its devices, as appliesTo of a group; empty: none",
			MaxLen:  appliesto.MaxBytes,
			Example: `hasCategory("branch")`},
		{Name: "collectMethod", At: func(d *DataSource) any { return &d.CollectMethod }, Doc: "The check that measures",
			Required: true, OneOf: collectMethods(), Older: map[string]string{"webpage": "http"}, Index: true,
			Example: "ping"},
		{Name: "collectInterval", At: func(d *DataSource) any { return &d.CollectInterval },
			Doc:      "Seconds between two polls",
			Required: true, Min: resource.Bound(1), Max: resource.Bound(24 * 60 * 60), Example: 60},
		{Name: "collectorAttribute", At: func(d *DataSource) any { return &d.CollectorAttribute },
			Doc: "Parameters of the check: its name, and the check's own parameters. ##name## is replaced by a " +
				"property of the device or the instance",
			Default: CollectorAttribute{}, Example: CollectorAttribute{"name": "ping", "sendPkts": 5}},
		{Name: "hasMultiInstances", At: func(d *DataSource) any { return &d.HasMultiInstances },
			Doc:      "A device can have several instances; true if there is an autoDiscoveryConfig",
			ReadOnly: true},
		{Name: "enableAutoDiscovery", At: func(d *DataSource) any { return &d.EnableDiscovery },
			Doc: "Discover instances as configured in autoDiscoveryConfig; otherwise you add them manually"},
		{Name: "autoDiscoveryConfig", At: func(d *DataSource) any { return &d.Discovery }, Loose: true,
			Doc: "How instances are discovered; null: each device has one"},
		{Name: "dataPoints", At: func(d *DataSource) any { return &d.DataPoints }, Loose: true,
			Doc: "The values of each poll, with their thresholds. A data point keeps its id if its id or its name " +
				"is given", Default: []DataPoint{},
			Example: []DataPoint{Gauge("average", "average", "Round trip in ms").Alert("> 100 300", 3),
				Gauge("loss", "lossPercent", "Lost, in percent").Alert("> 5 20 60", 2)}},
		{Name: "graphs", At: func(d *DataSource) any { return &d.Graphs }, Loose: true,
			Doc: "Graphs of one instance. A PUT by published clients, which do not know this field, " +
				"keeps them",
			Default: []Graph{},
			Example: []Graph{Plot("Round trip", "ms", "average")}},
		{Name: "overviewGraphs", At: func(d *DataSource) any { return &d.OverviewGraphs }, Loose: true,
			Doc: "Graphs over all instances of a device", Default: []Graph{},
			Example: []Graph{Plot("Loss", "%", "loss")}},
		{Name: "version", At: func(d *DataSource) any { return &d.Version }, Doc: "Number of changes, from 1",
			ReadOnly: true, Example: 1},
		{Name: "auditVersion", At: func(d *DataSource) any { return &d.AuditVersion },
			Doc: "Kept for clients of the published API", ReadOnly: true},
		{Name: "payloadVersion", At: func(d *DataSource) any { return &d.PayloadVersion },
			Doc: "Kept for clients of the published API", ReadOnly: true},
		{Name: "checksum", At: func(d *DataSource) any { return &d.Checksum },
			Doc:      "SHA-256 of the definition without ids; equal in portals with the same definition",
			ReadOnly: true},
		{Name: "lineageId", At: func(d *DataSource) any { return &d.LineageID },
			Doc: "Does not change when the name changes", ReadOnly: true},
		{Name: "originRegistryId", At: func(d *DataSource) any { return &d.OriginRegistryID },
			Doc: "Kept for clients of the published API"},
		{Name: "useWildValueAsUUID", At: func(d *DataSource) any { return &d.WildValueAsUUID },
			Doc: "Kept for clients of the published API", ReadOnly: true},
		{Name: "accessGroupIds", At: func(d *DataSource) any { return &d.AccessGroupIDs },
			Doc: "Kept for clients of the published API", Default: []int64{}},
		{Name: "enableEriDiscovery", At: func(d *DataSource) any { return &d.EriEnabled },
			Doc: "Kept for clients of the published API"},
		{Name: "eriDiscoveryInterval", At: func(d *DataSource) any { return &d.EriInterval },
			Doc: "Kept for clients of the published API"},
		{Name: "createdOn", At: func(d *DataSource) any { return &d.CreatedOn }, Doc: "When it was added",
			ReadOnly: true},
		{Name: "updatedOn", At: func(d *DataSource) any { return &d.UpdatedOn }, Doc: "When it was last changed",
			ReadOnly: true},
		{Name: "highest", At: func(d *DataSource) any { return &d.Highest }, Doc: "The highest id assigned within it",
			ReadOnly: true, WriteOnly: true},
		resource.KeptField(func(row *DataSource) *resource.Foreign { return &row.Kept },
			resource.Keeping("[]any", "accessGroups"),
			resource.Keeping("any", "adParameters eriDiscoveryConfig installationMetadata")),
	},
	Derived: []resource.Derived{{
		Name: "numOfHosts", Doc: "Devices that it is on; 0 for a role that cannot view all devices",
		Schema:  resource.Integer(""),
		Example: 152, Whole: true, Counts: resource.Noun{One: "device that it is on", Many: "devices that it is on"},
		Of: DevicesOfDataSource.Or(0),
	}},
	Unique:   [][]string{{"name"}},
	Extra:    extras,
	Check:    checkDataSource,
	Settle:   settleDataSource,
	Numbered: (*DataSource).number,
	After:    afterDataSource,
	Remove: func(w *resource.Write, d *DataSource) error {
		return OnDataSourceRemoved.Fire(w.Context, w.Tx, DataSourceChange{Was: d})
	},
}

// CollectorAttribute configures the check: its name, and the parameters of that
// check.
type CollectorAttribute map[string]any

// Discovery configures how instances are discovered on a device.
type Discovery struct {
	ScheduleInterval int64             `json:"scheduleInterval" doc:"minutes between two discoveries; 0: when the device changes"`
	DeleteInactive   bool              `json:"deleteInactiveInstance" doc:"delete instances that are no longer found; otherwise they stay, without data"`
	DisableInstance  bool              `json:"disableInstance" doc:"new instances are not polled until you enable them"`
	Persistent       bool              `json:"persistentInstance" doc:"keep instances that are no longer found, even if deleteInactiveInstance is true"`
	ShowDeletedDays  int64             `json:"showDeletedInstanceDays" doc:"kept for clients of the published API"`
	GroupMethod      string            `json:"instanceAutoGroupMethod" doc:"none, or regex: the matching part of the name, or its first capture group, is the group of an instance without one"`
	GroupParam       string            `json:"instanceAutoGroupMethodParams" doc:"the regular expression (RE2) for regex"`
	Filters          []DiscoveryFilter `json:"filters" doc:"conditions that a discovered instance must all meet"`
	Method           map[string]any    `json:"method" doc:"the discovery method: its name, which is the check's, and its parameters"`
}

// DiscoveryFilter is a condition on discovered instances.
type DiscoveryFilter struct {
	Attribute string `json:"attribute" doc:"name, value or description of the discovered instance, also with the prefix auto.; others are empty"`
	Operation string `json:"operation" doc:"Equal, NotEqual, Contain, NotContain, RegexMatch, RegexNotMatch, GreaterThan, LessThan, Exist or NotExist"`
	Value     string `json:"value" doc:"value to compare with"`
	Comment   string `json:"comment" doc:"reason for the condition"`
}

// DataPoint is one value that each poll of an instance returns.
type DataPoint struct {
	ID                 int64               `json:"id,omitzero" doc:"set by the portal; the data source's id * 1000, and up"`
	DataSourceID       int64               `json:"dataSourceId,omitzero" doc:"set by the portal"`
	Name               string              `json:"name" doc:"unique in the data source: letters, digits, _ . - and spaces"`
	Description        string              `json:"description" doc:"what it means"`
	Type               int64               `json:"type" doc:"1 counter, stored as rate per second; 2 gauge, stored as it is; 3 derive, a rate that can be negative; default: 2"`
	DataType           int64               `json:"dataType" doc:"always 7, number"`
	RawDataFieldName   string              `json:"rawDataFieldName" doc:"field of the check's result: a key, for SNMP an OID"`
	PostProcessor      string              `json:"postProcessorMethod" doc:"none, or expression: computed from other data points"`
	PostProcessorParam string              `json:"postProcessorParam" doc:"the expression over data point names, such as used/total*100"`
	MinValue           string              `json:"minValue" doc:"smaller values are no data; empty: no limit"`
	MaxValue           string              `json:"maxValue" doc:"larger values are no data; empty: no limit"`
	MaxDigits          int64               `json:"maxDigits" doc:"decimal places to show; default: 4"`
	AlertExpr          string              `json:"alertExpr" doc:"threshold such as > 60 80 90, for warning, error and critical; empty: none"`
	AlertExprNote      string              `json:"alertExprNote" doc:"reason for the threshold"`
	AlertForNoData     int64               `json:"alertForNoData" doc:"severity when there is no data: 1 none, 2 warning, 3 error, 4 critical; default: 1"`
	AlertTransition    int64               `json:"alertTransitionInterval" doc:"consecutive polls before an alert opens; 0 and 1 are equivalent"`
	AlertClear         int64               `json:"alertClearTransitionInterval" doc:"consecutive polls before it clears"`
	AlertSubject       string              `json:"alertSubject" doc:"template of messages; empty: the default text"`
	AlertBody          string              `json:"alertBody" doc:"template of messages; empty: the default text"`
	StatusDisplayNames []StatusDisplayName `json:"statusDisplayNames" doc:"display texts for some values"`
	OriginID           string              `json:"originId" doc:"kept for clients of the published API"`
	UserParam1         string              `json:"userParam1" doc:"kept for clients of the published API"`
	UserParam2         string              `json:"userParam2" doc:"kept for clients of the published API"`
	UserParam3         string              `json:"userParam3" doc:"kept for clients of the published API"`
}

// StatusDisplayName is a word for some values of a data point.
type StatusDisplayName struct {
	Operator string `json:"operator" doc:"EQ, NE, GT, GE, LT or LE"`
	Value    string `json:"metricValue" doc:"the number to compare with"`
	Word     string `json:"statusDisplayName" doc:"shown instead of the number"`
}

// Graph configures a chart of data points.
type Graph struct {
	ID            int64              `json:"id,omitzero" doc:"set by the portal; the data source's id * 1000, and up"`
	Name          string             `json:"name" doc:"unique among the graphs of its list"`
	Title         string             `json:"title" doc:"title of the graph; default: the name"`
	VerticalLabel string             `json:"verticalLabel" doc:"the unit"`
	TimeScale     string             `json:"timeScale" doc:"initial time range: 1hour, 2hour, 5hour, 1day, 1week, 1month, 3month or 1year; default: 1day"`
	DisplayPrio   int64              `json:"displayPrio" doc:"lower ones are shown first"`
	Width         int64              `json:"width" doc:"in pixels"`
	Height        int64              `json:"height" doc:"in pixels"`
	Base1024      bool               `json:"base1024" doc:"1 K is 1,024"`
	Rigid         bool               `json:"rigid" doc:"never drawn beyond minValue and maxValue"`
	MinValue      *float64           `json:"minValue" doc:"lower end of the scale; null: automatic"`
	MaxValue      *float64           `json:"maxValue" doc:"upper end of the scale; null: automatic"`
	Aggregated    bool               `json:"aggregated" doc:"for overview graphs: one line over all instances, instead of one each"`
	DataPoints    []GraphDataPoint   `json:"dataPoints" doc:"the data points that the graph uses; data points of lines are added automatically"`
	Virtual       []VirtualDataPoint `json:"virtualDataPoints" doc:"data points computed when the graph is drawn"`
	Lines         []GraphLine        `json:"lines" doc:"from back to front"`
}

// GraphDataPoint is a data point that a graph uses.
type GraphDataPoint struct {
	Name                  string `json:"name" doc:"name in the graph's expressions; default: the data point's name"`
	DataPointName         string `json:"dataPointName" doc:"name of a data point of the data source"`
	DataPointID           int64  `json:"dataPointId,omitzero" doc:"set by the portal"`
	DataSourceDataPointID int64  `json:"dataSourceDataPointId,omitzero" doc:"id of that data point"`
	AggregateMethod       string `json:"aggregateMethod" doc:"over instances: average, sum, max or min; default: average"`
	Consolidate           int64  `json:"consolidateFunc" doc:"over time: 1 average, 2 max, 3 min; 1 unless given"`
}

// VirtualDataPoint is computed from other data points when the graph is drawn.
type VirtualDataPoint struct {
	Name string `json:"name" doc:"unique in the graph"`
	RPN  string `json:"rpn" doc:"an expression over the names of the graph: (total-used)/1024, or in reverse Polish notation"`
}

// GraphLine is one line of a graph.
type GraphLine struct {
	Legend        string `json:"legend" doc:"default: the data point's name"`
	DataPointName string `json:"dataPointName" doc:"name of a data point or a virtual data point"`
	DataPointID   int64  `json:"dataPointId,omitzero" doc:"set by the portal; omitted for a virtual data point"`
	Virtual       bool   `json:"isVirtualDataPoint" doc:"dataPointName is a virtual data point"`
	Type          int64  `json:"type" doc:"1 line, 2 area, 3 stack; 1 unless given"`
	ColorName     string `json:"colorName" doc:"a color such as blue; empty: the next color of the palette"`
}

// ByID returns all data sources by id, cached until one changes.
func ByID(ctx context.Context, r resource.Reader) (map[int64]*DataSource, error) {
	value, err := r.Memo("dataSources", []string{string(DataSourceRows)}, func() (any, error) {
		found, err := resource.Find(ctx, r, DataSourceRows)
		all := make(map[int64]*DataSource, len(found))
		for i := range found {
			all[found[i].ID] = &found[i]
		}
		return all, err
	})
	if err != nil {
		return nil, err
	}
	return value.(map[int64]*DataSource), nil
}
