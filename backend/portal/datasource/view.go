package datasource

import (
	"context"

	"spyglass/backend/portal/ground"
	"spyglass/backend/resource"
)

// OverviewGraphs declares /setting/datasources/{dsId}/ographs.
var OverviewGraphs = resource.View[*Graph]{
	Resource: resource.Resource[*Graph]{
		Name: "overviewGraph", Label: "overview graph", Sample: 1009, Path: "/setting/datasources/{dsId}/ographs",
		Category: ground.CategoryDataSources, Object: resource.Setting, Area: ground.AreaDataSources,
		Doc:     "A graph over all instances of a data source on a device; it is written with the data source.",
		Parents: []resource.Parent{{Of: string(DataSourceRows), Param: "dsId", Sample: 1}},
		Fields: []resource.Field[*Graph]{
			{Name: "id", At: func(g *Graph) any { return &g.ID }, Doc: "Set by the portal", ReadOnly: true,
				Example: 1009},
			{Name: "name", At: func(g *Graph) any { return &g.Name }, Doc: "Unique among those of the data source",
				ReadOnly: true, Example: "Loss"},
			{Name: "title", At: func(g *Graph) any { return &g.Title }, Doc: "Shown above it", ReadOnly: true,
				Example: "Loss"},
			{Name: "verticalLabel", At: func(g *Graph) any { return &g.VerticalLabel }, Doc: "The unit", ReadOnly: true,
				Example: "%"},
			{Name: "timeScale", At: func(g *Graph) any { return &g.TimeScale }, Doc: "Initial time range",
				ReadOnly: true,
				Example:  "1day"},
			{Name: "displayPrio", At: func(g *Graph) any { return &g.DisplayPrio }, Doc: "Lower ones are shown first",
				ReadOnly: true, Example: 1},
			{Name: "width", At: func(g *Graph) any { return &g.Width }, Doc: "In pixels", ReadOnly: true},
			{Name: "height", At: func(g *Graph) any { return &g.Height }, Doc: "In pixels", ReadOnly: true},
			{Name: "base1024", At: func(g *Graph) any { return &g.Base1024 }, Doc: "1 K is 1,024", ReadOnly: true},
			{Name: "rigid", At: func(g *Graph) any { return &g.Rigid }, Doc: "Never drawn beyond minValue and maxValue",
				ReadOnly: true},
			{Name: "minValue", At: func(g *Graph) any { return &g.MinValue },
				Doc: "Lower end of the scale; null: automatic", ReadOnly: true},
			{Name: "maxValue", At: func(g *Graph) any { return &g.MaxValue },
				Doc: "Upper end of the scale; null: automatic", ReadOnly: true},
			{Name: "aggregated", At: func(g *Graph) any { return &g.Aggregated },
				Doc: "One line over all instances, instead of one each", ReadOnly: true},
			{Name: "dataPoints", At: func(g *Graph) any { return &g.DataPoints }, Doc: "The data points in use",
				ReadOnly: true},
			{Name: "virtualDataPoints", At: func(g *Graph) any { return &g.Virtual },
				Doc:      "Computed when the graph is drawn",
				ReadOnly: true},
			{Name: "lines", At: func(g *Graph) any { return &g.Lines }, Doc: "From back to front", ReadOnly: true},
		},
	},
	Rows: resource.Each(func(ctx context.Context, r resource.Reader, c *resource.Call) ([]Graph, error) {
		d, err := requestedSource(ctx, r, c)
		if err != nil {
			return nil, err
		}
		return d.OverviewGraphs, nil
	}),
}

// Graphs declares /setting/datasources/{dsId}/graphs, the graphs of one instance.
var Graphs = resource.View[*Graph]{
	Resource: resource.Resource[*Graph]{
		Name: "dataSourceGraph", Label: "graph", Sample: 1008, Path: "/setting/datasources/{dsId}/graphs",
		Category: ground.CategoryDataSources, Object: resource.Setting, Area: ground.AreaDataSources,
		Doc:     "A graph of one instance of a data source; it is written with the data source.",
		Parents: OverviewGraphs.Parents,
		Fields:  OverviewGraphs.Fields,
	},
	Rows: resource.Each(func(ctx context.Context, r resource.Reader, c *resource.Call) ([]Graph, error) {
		d, err := requestedSource(ctx, r, c)
		if err != nil {
			return nil, err
		}
		return d.Graphs, nil
	}),
}

// DataPoints declares /setting/datasources/{dsId}/datapoints.
var DataPoints = resource.View[*DataPoint]{
	Resource: resource.Resource[*DataPoint]{
		Name: "dataSourceDataPoint", Label: "data point", Sample: 1001, Path: "/setting/datasources/{dsId}/datapoints",
		Category: ground.CategoryDataSources, Object: resource.Setting, Area: ground.AreaDataSources,
		Doc:     "A data point of a data source; it is written with the data source.",
		Parents: OverviewGraphs.Parents,
		Fields: []resource.Field[*DataPoint]{
			{Name: "id", At: func(p *DataPoint) any { return &p.ID },
				Doc: "Set by the portal; the data source's id * 1000, and up", ReadOnly: true, Example: 1001},
			{Name: "dataSourceId", At: func(p *DataPoint) any { return &p.DataSourceID }, Doc: "Set by the portal",
				ReadOnly: true, Example: 1},
			{Name: "name", At: func(p *DataPoint) any { return &p.Name },
				Doc: "Unique in the data source: letters, digits, _ . - and spaces", ReadOnly: true,
				Example: "PingLossPercent"},
			{Name: "description", At: func(p *DataPoint) any { return &p.Description }, Doc: "What it means",
				ReadOnly: true},
			{Name: "type", At: func(p *DataPoint) any { return &p.Type },
				Doc: "1 counter, stored as rate per second; 2 gauge, stored as it is; 3 derive, a rate that can " +
					"be negative; default: 2", ReadOnly: true, Example: 2},
			{Name: "dataType", At: func(p *DataPoint) any { return &p.DataType },
				Doc:      "Always 7, number",
				ReadOnly: true},
			{Name: "rawDataFieldName", At: func(p *DataPoint) any { return &p.RawDataFieldName },
				Doc: "Field of the check's result: a key, for SNMP an OID", ReadOnly: true},
			{Name: "postProcessorMethod", At: func(p *DataPoint) any { return &p.PostProcessor },
				Doc: "None, or expression: computed from other data points", ReadOnly: true},
			{Name: "postProcessorParam", At: func(p *DataPoint) any { return &p.PostProcessorParam },
				Doc: "The expression over data point names, such as used/total*100", ReadOnly: true},
			{Name: "minValue", At: func(p *DataPoint) any { return &p.MinValue },
				Doc: "Smaller values are no data; empty: no limit", ReadOnly: true},
			{Name: "maxValue", At: func(p *DataPoint) any { return &p.MaxValue },
				Doc: "Larger values are no data; empty: no limit", ReadOnly: true},
			{Name: "maxDigits", At: func(p *DataPoint) any { return &p.MaxDigits },
				Doc: "Decimal places to show; default: 4", ReadOnly: true},
			{Name: "alertExpr", At: func(p *DataPoint) any { return &p.AlertExpr },
				Doc: "Threshold such as > 60 80 90, for warning, error and critical; empty: none", ReadOnly: true},
			{Name: "alertExprNote", At: func(p *DataPoint) any { return &p.AlertExprNote },
				Doc:      "Reason for the threshold",
				ReadOnly: true},
			{Name: "alertForNoData", At: func(p *DataPoint) any { return &p.AlertForNoData },
				Doc: "Severity when there is no data: 1 none, 2 warning, 3 error, 4 critical; " +
					"default: 1", ReadOnly: true},
			{Name: "alertTransitionInterval", At: func(p *DataPoint) any { return &p.AlertTransition },
				Doc: "Consecutive polls before an alert opens; 0 and 1 are equivalent", ReadOnly: true},
			{Name: "alertClearTransitionInterval", At: func(p *DataPoint) any { return &p.AlertClear },
				Doc: "Consecutive polls before it clears", ReadOnly: true},
			{Name: "alertSubject", At: func(p *DataPoint) any { return &p.AlertSubject },
				Doc: "Template of messages; empty: the default text", ReadOnly: true},
			{Name: "alertBody", At: func(p *DataPoint) any { return &p.AlertBody },
				Doc:      "Template of messages; empty: the default text",
				ReadOnly: true},
			{Name: "statusDisplayNames", At: func(p *DataPoint) any { return &p.StatusDisplayNames },
				Doc: "Display texts for some values", ReadOnly: true},
			{Name: "originId", At: func(p *DataPoint) any { return &p.OriginID },
				Doc:      "Kept for clients of the published API",
				ReadOnly: true},
			{Name: "userParam1", At: func(p *DataPoint) any { return &p.UserParam1 },
				Doc: "Kept for clients of the published API", ReadOnly: true},
			{Name: "userParam2", At: func(p *DataPoint) any { return &p.UserParam2 },
				Doc: "Kept for clients of the published API", ReadOnly: true},
			{Name: "userParam3", At: func(p *DataPoint) any { return &p.UserParam3 },
				Doc: "Kept for clients of the published API", ReadOnly: true},
		},
	},
	Rows: resource.Each(func(ctx context.Context, r resource.Reader, c *resource.Call) ([]DataPoint, error) {
		d, err := requestedSource(ctx, r, c)
		if err != nil {
			return nil, err
		}
		return d.DataPoints, nil
	}),
}

// requestedSource returns the data source in the path.
func requestedSource(ctx context.Context, r resource.Reader, c *resource.Call) (*DataSource, error) {
	id, err := c.ID("dsId")
	if err != nil {
		return nil, err
	}
	return resource.Get(ctx, r, DataSourceRows, id)
}
