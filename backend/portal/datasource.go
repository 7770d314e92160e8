package portal

import "spyglass/backend/resource"

const dataSourceRows resource.Name[DataSource] = "dataSource"

// DataSource says what is measured on the devices it applies to, how, and when
// that is an alert. It becomes a DeviceDataSource on each of them.
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
	Discovery          *Discovery
	DataPoints         []DataPoint
	Graphs             []Graph // of one instance
	OverviewGraphs     []Graph // over all instances of a device
	Version            int64   // counts the changes
	Checksum           string
	CreatedOn          resource.Seconds
	UpdatedOn          resource.Seconds
}

// CollectorAttribute tells the check what to do: its name, and what that one
// understands besides.
type CollectorAttribute map[string]any

// Discovery says how the instances on a device are found.
type Discovery struct {
	ScheduleInterval int64          `json:"scheduleInterval"` // minutes; 0: when the device changes
	DeleteInactive   bool           `json:"deleteInactiveInstance"`
	DisableInstance  bool           `json:"disableInstance"` // new ones are not polled until somebody says so
	Method           map[string]any `json:"method"`
}

// DataPoint is one number that each poll of an instance gives.
type DataPoint struct {
	ID                 int64  `json:"id"` // of its own in the whole portal: the data source's id * 1000, and up
	DataSourceID       int64  `json:"dataSourceId"`
	Name               string `json:"name"`
	Description        string `json:"description"`
	Type               int64  `json:"type"`     // 1 counter (a rate per second is kept), 2 gauge, 3 derive
	DataType           int64  `json:"dataType"` // 7 for numbers
	RawDataFieldName   string `json:"rawDataFieldName"`
	PostProcessor      string `json:"postProcessorMethod"` // none, expression …
	PostProcessorParam string `json:"postProcessorParam"`
	MinValue           string `json:"minValue"` // empty: no bound; what lies outside is no data
	MaxValue           string `json:"maxValue"`
	MaxDigits          int64  `json:"maxDigits"`
	AlertExpr          string `json:"alertExpr"` // "> 60 80 90"
	AlertExprNote      string `json:"alertExprNote"`
	AlertForNoData     int64  `json:"alertForNoData"`               // 1 none, 2 warn, 3 error, 4 critical
	AlertTransition    int64  `json:"alertTransitionInterval"`      // polls in a row before an alert opens
	AlertClear         int64  `json:"alertClearTransitionInterval"` // polls in a row before it clears
	AlertSubject       string `json:"alertSubject"`
	AlertBody          string `json:"alertBody"`
	UserParam1         string `json:"userParam1"`
	UserParam2         string `json:"userParam2"`
	UserParam3         string `json:"userParam3"`
}

// Graph is how data points are drawn together.
type Graph struct {
	ID            int64              `json:"id"` // of its own in the whole portal, as that of a DataPoint
	Name          string             `json:"name"`
	Title         string             `json:"title"`
	VerticalLabel string             `json:"verticalLabel"`
	TimeScale     string             `json:"timeScale"` // "1day"
	DisplayPrio   int64              `json:"displayPrio"`
	Width         int64              `json:"width"`
	Height        int64              `json:"height"`
	Base1024      bool               `json:"base1024"`
	Rigid         bool               `json:"rigid"` // never drawn beyond MinValue and MaxValue
	MinValue      *float64           `json:"minValue"`
	MaxValue      *float64           `json:"maxValue"`
	Aggregated    bool               `json:"aggregated"` // of an overview graph: one line over all instances
	DataPoints    []GraphDataPoint   `json:"dataPoints"`
	Virtual       []VirtualDataPoint `json:"virtualDataPoints"`
	Lines         []GraphLine        `json:"lines"`
}

// GraphDataPoint is a data point that a graph uses.
type GraphDataPoint struct {
	Name            string `json:"name"`
	DataPointName   string `json:"dataPointName"`
	DataPointID     int64  `json:"dataPointId"`
	AggregateMethod string `json:"aggregateMethod"` // over instances: average, sum, max, min
	Consolidate     int64  `json:"consolidateFunc"` // over time: 1 average, 2 max, 3 min
}

// VirtualDataPoint is worked out from the others when it is drawn.
type VirtualDataPoint struct {
	Name string `json:"name"`
	RPN  string `json:"rpn"` // an expression over the names of data points
}

// GraphLine is one line of a graph.
type GraphLine struct {
	Legend        string `json:"legend"`
	DataPointName string `json:"dataPointName"`
	DataPointID   int64  `json:"dataPointId"`
	Virtual       bool   `json:"isVirtualDataPoint"`
	Type          int64  `json:"type"` // 1 line, 2 area, 3 stack
	ColorName     string `json:"colorName"`
}
