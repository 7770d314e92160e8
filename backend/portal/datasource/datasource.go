// Package datasource declares data sources: what is measured on which devices,
// with data points, thresholds and graphs, and how they go out and come in as
// files. The functions that expressions call are its rows too; package fleet
// declares their rules, as they choose devices.
//
// Intervals are in seconds, those of discovery in minutes. A data source has ids
// for 999 data points and graphs in its life, and none is given twice. What lies
// on devices follows through OnDataSourceChanged and OnDataSourceRemoved. Data
// sources that ByID returns are shared: read them only.
package datasource

import (
	"context"

	"spyglass/backend/appliesto"
	"spyglass/backend/portal/ground"
	"spyglass/backend/resource"
)

// DataSourceRows names the rows of DataSource.
const DataSourceRows resource.Name[*DataSource] = "dataSource"

// DataSource defines what is measured on the devices it applies to, how, and
// when a value raises an alert. It becomes a DeviceDataSource on each of them.
type DataSource struct {
	ID                 int64
	Name               string // unique, "SNMP_Interfaces"
	DisplayName        string
	Description        string
	Group              string // under which heading it is listed
	Technology         string // notes for whoever reads it
	Tags               string // joined by commas
	AppliesTo          string // an expression over devices (package appliesto)
	CollectMethod      string // the check: ping, tcp, http, dns, tls, snmp, host, simulate …
	CollectInterval    int64  // seconds
	CollectorAttribute CollectorAttribute
	HasMultiInstances  bool
	EnableDiscovery    bool
	Discovery          *Discovery // nil: one instance on each device
	DataPoints         []DataPoint
	Graphs             []Graph // of one instance
	OverviewGraphs     []Graph // over all instances of a device
	Version            int64   // counts the changes
	Checksum           string
	LineageID          string // stays the same when the name changes
	OriginRegistryID   string
	AccessGroupIDs     []int64
	EriEnabled         bool
	EriInterval        int64
	AuditVersion       int64
	PayloadVersion     int64
	WildValueAsUUID    bool
	Highest            int64 // n of the last id that a data point or a graph was given, see Number
	CreatedOn          resource.Seconds
	UpdatedOn          resource.Seconds
	Kept               resource.Foreign
}

// CollectMethods are the checks that a data source can name.
var CollectMethods = []any{"ping", "tcp", "http", "dns", "tls", "snmp", "host", "disk", "network", "simulate"}

// DataSources declares /setting/datasources.
var DataSources = resource.Resource[*DataSource]{
	Name: DataSourceRows, Label: "data source", Sample: 22, Path: "/setting/datasources",
	Category: ground.CategoryDataSources, Object: resource.Setting, Area: ground.AreaDataSources, Batch: true,
	Doc: "Says what is measured on the devices it applies to, how, how often, and when that is an alert. Whoever may " +
		"read data sources reads all of them.",
	Fields: []resource.Field[*DataSource]{
		{Name: "id", At: func(d *DataSource) any { return &d.ID }, Doc: "Set by the portal; 1 to 8 are built in",
			ReadOnly: true, Example: 1},
		{Name: "name", At: func(d *DataSource) any { return &d.Name },
			Doc: "Unique name, which alert rules and instances go by", Required: true, MaxLen: 64, Index: true,
			Example: "Branch_Ping"},
		{Name: "displayName", At: func(d *DataSource) any { return &d.DisplayName },
			Doc: "Name shown on devices; the name unless given", MaxLen: 255, Index: true, Example: "Branch ping"},
		{Name: "description", At: func(d *DataSource) any { return &d.Description }, Doc: "What it measures",
			MaxLen:  4000,
			Example: "Round trip to the branch offices"},
		{Name: "group", At: func(d *DataSource) any { return &d.Group }, Doc: "Heading under which it is listed",
			MaxLen: 255,
			Index:  true, Example: "Network"},
		{Name: "technology", At: func(d *DataSource) any { return &d.Technology },
			Doc:    "Notes for whoever maintains it",
			MaxLen: 16000},
		{Name: "tags", At: func(d *DataSource) any { return &d.Tags }, Doc: "Words to find it by, joined by commas",
			MaxLen: 1000, Example: "branch,latency"},
		{Name: "appliesTo", At: func(d *DataSource) any { return &d.AppliesTo },
			Doc:     "Expression that chooses its devices, as appliesTo of a group; empty: none",
			MaxLen:  appliesto.MaxBytes,
			Example: `hasCategory("branch")`},
		{Name: "collectMethod", At: func(d *DataSource) any { return &d.CollectMethod }, Doc: "The check that measures",
			Required: true, OneOf: CollectMethods, Older: map[string]string{"webpage": "http"}, Index: true,
			Example: "ping"},
		{Name: "collectInterval", At: func(d *DataSource) any { return &d.CollectInterval },
			Doc:      "Seconds between two polls",
			Required: true, Min: resource.Bound(1), Max: resource.Bound(24 * 60 * 60), Example: 60},
		{Name: "collectorAttribute", At: func(d *DataSource) any { return &d.CollectorAttribute },
			Doc: "What the check is told: its name, and what it understands besides. ##name## stands for a property " +
				"of the " +
				"device or the instance",
			Default: CollectorAttribute{}, Example: CollectorAttribute{"name": "ping", "sendPkts": 5}},
		{Name: "hasMultiInstances", At: func(d *DataSource) any { return &d.HasMultiInstances },
			Doc:      "There can be several instances on a device: whenever there is an autoDiscoveryConfig",
			ReadOnly: true},
		{Name: "enableAutoDiscovery", At: func(d *DataSource) any { return &d.EnableDiscovery },
			Doc: "Instances are looked for, as autoDiscoveryConfig says; otherwise they are added by hand"},
		{Name: "autoDiscoveryConfig", At: func(d *DataSource) any { return &d.Discovery }, Loose: true,
			Doc: "How instances are looked for; null: there is one on each device"},
		{Name: "dataPoints", At: func(d *DataSource) any { return &d.DataPoints }, Loose: true,
			Doc: "The numbers that each poll gives, with their thresholds. A data point keeps its id while its id " +
				"or its " +
				"name is given", Default: []DataPoint{},
			Example: []DataPoint{Gauge("average", "average", "Round trip in ms").Alert("> 100 300", 3),
				Gauge("loss", "lossPercent", "Lost, in percent").Alert("> 5 20 60", 2)}},
		{Name: "graphs", At: func(d *DataSource) any { return &d.Graphs }, Loose: true,
			Doc: "How they are drawn for one instance. A PUT by published clients, which do not know this field, " +
				"keeps them",
			Default: []Graph{},
			Example: []Graph{Plot("Round trip", "ms", "average")}},
		{Name: "overviewGraphs", At: func(d *DataSource) any { return &d.OverviewGraphs }, Loose: true,
			Doc: "How they are drawn for all instances of a device", Default: []Graph{},
			Example: []Graph{Plot("Loss", "%", "loss")}},
		{Name: "version", At: func(d *DataSource) any { return &d.Version }, Doc: "Counts the changes, from 1",
			ReadOnly: true, Example: 1},
		{Name: "auditVersion", At: func(d *DataSource) any { return &d.AuditVersion },
			Doc: "Kept for clients of the published API", ReadOnly: true},
		{Name: "payloadVersion", At: func(d *DataSource) any { return &d.PayloadVersion },
			Doc: "Kept for clients of the published API", ReadOnly: true},
		{Name: "checksum", At: func(d *DataSource) any { return &d.Checksum },
			Doc:      "SHA-256 of the definition, without ids: two portals that show the same have the same",
			ReadOnly: true},
		{Name: "lineageId", At: func(d *DataSource) any { return &d.LineageID },
			Doc: "Stays the same through changes of the name", ReadOnly: true},
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
		{Name: "highest", At: func(d *DataSource) any { return &d.Highest }, Doc: "The last id given away within it",
			ReadOnly: true, WriteOnly: true},
		resource.KeptField(func(row *DataSource) *resource.Foreign { return &row.Kept },
			resource.Keeping("[]any", "accessGroups"),
			resource.Keeping("any", "adParameters eriDiscoveryConfig installationMetadata")),
	},
	Derived: []resource.Derived{{
		Name: "numOfHosts", Doc: "Devices it is on; 0 for a role that does not see all devices",
		Schema:  resource.Integer(""),
		Example: 152, Whole: true,
		Of: DevicesOfDataSource.Or(0),
	}},
	Unique:   [][]string{{"name"}},
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

// Discovery configures how the instances on a device are found.
type Discovery struct {
	ScheduleInterval int64             `json:"scheduleInterval" doc:"minutes between two looks; 0: when the device changes"`
	DeleteInactive   bool              `json:"deleteInactiveInstance" doc:"instances that are found no more go; otherwise they stay, without data"`
	DisableInstance  bool              `json:"disableInstance" doc:"new instances are not polled until somebody says so"`
	Persistent       bool              `json:"persistentInstance" doc:"instances stay though they are found no more, also where deleteInactiveInstance says that they go"`
	ShowDeletedDays  int64             `json:"showDeletedInstanceDays" doc:"kept for clients of the published API"`
	GroupMethod      string            `json:"instanceAutoGroupMethod" doc:"none, or regex: the part of the name that matches, or its first brackets, is the group of an instance that is in none"`
	GroupParam       string            `json:"instanceAutoGroupMethodParams" doc:"the regular expression (RE2) of that"`
	Filters          []DiscoveryFilter `json:"filters" doc:"only what meets all of them becomes an instance"`
	Method           map[string]any    `json:"method" doc:"how: its name, which is the check's, and what that understands besides"`
}

// DiscoveryFilter is a condition on what was found.
type DiscoveryFilter struct {
	Attribute string `json:"attribute" doc:"of what was found: name, value or description, also with auto. in front; others are empty"`
	Operation string `json:"operation" doc:"Equal, NotEqual, Contain, NotContain, RegexMatch, RegexNotMatch, GreaterThan, LessThan, Exist or NotExist"`
	Value     string `json:"value" doc:"what it is compared with"`
	Comment   string `json:"comment" doc:"why"`
}

// DataPoint is one value that each poll of an instance returns.
type DataPoint struct {
	ID                 int64               `json:"id,omitzero" doc:"set by the portal; the data source's id * 1000, and up"`
	DataSourceID       int64               `json:"dataSourceId,omitzero" doc:"set by the portal"`
	Name               string              `json:"name" doc:"unique in the data source: letters, digits, _ . - and spaces"`
	Description        string              `json:"description" doc:"what it tells"`
	Type               int64               `json:"type" doc:"1 counter: a rate per second is kept; 2 gauge, the number as it is; 3 derive: a rate that may be negative; 2 unless given"`
	DataType           int64               `json:"dataType" doc:"7 for numbers, which is what there is"`
	RawDataFieldName   string              `json:"rawDataFieldName" doc:"what of the check's result it is: a key, for SNMP an OID"`
	PostProcessor      string              `json:"postProcessorMethod" doc:"none, or expression: worked out from other data points"`
	PostProcessorParam string              `json:"postProcessorParam" doc:"that expression over their names, used/total*100"`
	MinValue           string              `json:"minValue" doc:"what is smaller is no data; empty: no bound"`
	MaxValue           string              `json:"maxValue" doc:"what is larger is no data; empty: no bound"`
	MaxDigits          int64               `json:"maxDigits" doc:"digits that are shown behind the point; 4 unless given"`
	AlertExpr          string              `json:"alertExpr" doc:"> 60 80 90: from where on it is a warning, an error, critical; empty: never"`
	AlertExprNote      string              `json:"alertExprNote" doc:"why these numbers"`
	AlertForNoData     int64               `json:"alertForNoData" doc:"no data is 1 no alert, 2 a warning, 3 an error, 4 critical; 1 unless given"`
	AlertTransition    int64               `json:"alertTransitionInterval" doc:"polls in a row before an alert opens; 0 and 1 are the same"`
	AlertClear         int64               `json:"alertClearTransitionInterval" doc:"polls in a row before it clears"`
	AlertSubject       string              `json:"alertSubject" doc:"of messages; empty: the portal's own"`
	AlertBody          string              `json:"alertBody" doc:"of messages; empty: the portal's own"`
	StatusDisplayNames []StatusDisplayName `json:"statusDisplayNames" doc:"words for some values"`
	OriginID           string              `json:"originId" doc:"kept for clients of the published API"`
	UserParam1         string              `json:"userParam1" doc:"kept for clients of the published API"`
	UserParam2         string              `json:"userParam2" doc:"kept for clients of the published API"`
	UserParam3         string              `json:"userParam3" doc:"kept for clients of the published API"`
}

// StatusDisplayName is a word for some values of a data point.
type StatusDisplayName struct {
	Operator string `json:"operator" doc:"EQ, NE, GT, GE, LT or LE"`
	Value    string `json:"metricValue" doc:"the number it compares with"`
	Word     string `json:"statusDisplayName" doc:"shown instead of the number"`
}

// Graph configures a chart of data points.
type Graph struct {
	ID            int64              `json:"id,omitzero" doc:"set by the portal; the data source's id * 1000, and up"`
	Name          string             `json:"name" doc:"unique among the graphs of its list"`
	Title         string             `json:"title" doc:"shown above it; the name unless given"`
	VerticalLabel string             `json:"verticalLabel" doc:"the unit"`
	TimeScale     string             `json:"timeScale" doc:"what it shows at first: 1hour, 2hour, 5hour, 1day, 1week, 1month, 3month or 1year; 1day unless given"`
	DisplayPrio   int64              `json:"displayPrio" doc:"lower ones are shown first"`
	Width         int64              `json:"width" doc:"in pixels"`
	Height        int64              `json:"height" doc:"in pixels"`
	Base1024      bool               `json:"base1024" doc:"1 K is 1,024"`
	Rigid         bool               `json:"rigid" doc:"never drawn beyond minValue and maxValue"`
	MinValue      *float64           `json:"minValue" doc:"lower end of the scale; null: as the data has it"`
	MaxValue      *float64           `json:"maxValue" doc:"upper end of the scale; null: as the data has it"`
	Aggregated    bool               `json:"aggregated" doc:"of an overview graph: one line over all instances, instead of one each"`
	DataPoints    []GraphDataPoint   `json:"dataPoints" doc:"the data points in use; those that lines name are added"`
	Virtual       []VirtualDataPoint `json:"virtualDataPoints" doc:"worked out when it is drawn"`
	Lines         []GraphLine        `json:"lines" doc:"from back to front"`
}

// GraphDataPoint is a data point that a graph uses.
type GraphDataPoint struct {
	Name                  string `json:"name" doc:"in the expressions of the graph; that of the data point unless given"`
	DataPointName         string `json:"dataPointName" doc:"of the data source"`
	DataPointID           int64  `json:"dataPointId,omitzero" doc:"set by the portal"`
	DataSourceDataPointID int64  `json:"dataSourceDataPointId,omitzero" doc:"the same"`
	AggregateMethod       string `json:"aggregateMethod" doc:"over instances: average, sum, max or min; average unless given"`
	Consolidate           int64  `json:"consolidateFunc" doc:"over time: 1 average, 2 max, 3 min; 1 unless given"`
}

// VirtualDataPoint is worked out from the others when it is drawn.
type VirtualDataPoint struct {
	Name string `json:"name" doc:"unique in the graph"`
	RPN  string `json:"rpn" doc:"an expression over the names of the graph: (total-used)/1024, or in reverse Polish notation"`
}

// GraphLine is one line of a graph.
type GraphLine struct {
	Legend        string `json:"legend" doc:"the data point's name unless given"`
	DataPointName string `json:"dataPointName" doc:"of a data point or a virtual data point"`
	DataPointID   int64  `json:"dataPointId,omitzero" doc:"set by the portal; left out for a virtual one"`
	Virtual       bool   `json:"isVirtualDataPoint" doc:"it names a virtual data point"`
	Type          int64  `json:"type" doc:"1 line, 2 area, 3 stack; 1 unless given"`
	ColorName     string `json:"colorName" doc:"a word such as blue; empty: as the palette has it"`
}

// ByID returns all data sources by id; they are read again only when one has
// changed.
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
