package datasource

// The parts of data sources for declarations in code; the rules complete the
// rest.

// Gauge returns a data point whose value is stored unchanged; raw is its field in
// the check's result.
func Gauge(name, raw, description string) DataPoint {
	return DataPoint{Name: name, RawDataFieldName: raw, Description: description, Type: typeGauge,
		StatusDisplayNames: []StatusDisplayName{}}
}

// Counter returns a data point whose rate per second is stored.
func Counter(name, raw, description string) DataPoint {
	p := Gauge(name, raw, description)
	p.Type = typeCounter
	return p
}

// Computed returns a data point that is computed from others.
func Computed(name, expression, description string) DataPoint {
	p := Gauge(name, "", description)
	p.PostProcessor, p.PostProcessorParam = processExpression, expression
	return p
}

// Alert returns the data point with a threshold, which opens an alert after that
// many consecutive polls beyond it.
func (p DataPoint) Alert(expression string, polls int64) DataPoint {
	p.AlertExpr, p.AlertTransition, p.AlertClear = expression, polls, polls
	return p
}

// Says returns the data point with words for the values 0 and 1.
func (p DataPoint) Says(zero, one string) DataPoint {
	p.StatusDisplayNames = []StatusDisplayName{{"EQ", "0", zero}, {"EQ", "1", one}}
	return p
}

// NoData returns the data point with an alert of that severity for no data.
func (p DataPoint) NoData(severity int64) DataPoint {
	p.AlertForNoData = severity
	return p
}

// Plot returns a graph with one line per data point.
func Plot(title, unit string, points ...string) Graph {
	g := Graph{Name: title, Title: title, VerticalLabel: unit, DataPoints: []GraphDataPoint{},
		Virtual: []VirtualDataPoint{}, Lines: []GraphLine{}}
	for _, point := range points {
		g.Lines = append(g.Lines, GraphLine{Legend: point, DataPointName: point})
	}
	return g
}

// Works returns the graph with another line, computed by an expression.
func (g Graph) Works(name, expression string) Graph {
	g.Virtual = append(g.Virtual, VirtualDataPoint{Name: name, RPN: expression})
	g.Lines = append(g.Lines, GraphLine{Legend: name, DataPointName: name, Virtual: true})
	return g
}

// Stacked returns the graph with its lines as stacked areas.
func (g Graph) Stacked() Graph {
	for i := range g.Lines {
		g.Lines[i].Type = lineStack
	}
	return g
}
