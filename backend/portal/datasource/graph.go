package datasource

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"spyglass/backend/expr"
	"spyglass/backend/fault"
	"spyglass/backend/resource"
)

const (
	maxGraphs = 100 // per list
	maxLines  = 50  // per graph

	lineStack = 3
)

var (
	timeScales = []any{"1hour", "2hour", "5hour", "1day", "1week", "1month", "3month", "1year"}
	aggregates = []any{"average", "sum", "max", "min"}
)

// keepGraphs keeps the graphs that the body omits, except for data points that were
// deleted or renamed.
func (d *DataSource) keepGraphs(w *resource.Write, was *DataSource) {
	if was == nil {
		return
	}
	renamed := map[string]string{}
	for _, before := range was.DataPoints {
		for _, p := range d.DataPoints {
			if p.ID == before.ID {
				renamed[strings.ToLower(before.Name)] = p.Name
			}
		}
	}
	for _, list := range []struct {
		field       string
		now, before *[]Graph
	}{{"graphs", &d.Graphs, &was.Graphs}, {"overviewGraphs", &d.OverviewGraphs, &was.OverviewGraphs}} {
		if w.Given(list.field) {
			continue
		}
		if w.Call.Lenient {
			*list.now = partGraphs(*list.before)
		}
		for i := range *list.now {
			(*list.now)[i].follow(renamed)
		}
	}
}

// follow renames data points in the graph, and removes deleted data points.
func (g *Graph) follow(renamed map[string]string) {
	for i := range g.DataPoints {
		p := &g.DataPoints[i] // it keeps its name in the graph, which expressions use
		p.DataPointName = renamed[strings.ToLower(p.DataPointName)]
	}
	g.DataPoints = slices.DeleteFunc(g.DataPoints, func(p GraphDataPoint) bool { return p.DataPointName == "" })
	for i := range g.Lines {
		if line := &g.Lines[i]; !line.Virtual {
			now := renamed[strings.ToLower(line.DataPointName)]
			if line.Legend == line.DataPointName {
				line.Legend = now
			}
			line.DataPointName = now
		}
	}
	for i := 0; i < len(g.Virtual); i++ {
		if !g.works(g.Virtual[i]) {
			g.Virtual = slices.Delete(g.Virtual, i, i+1)
			i--
		}
	}
	g.Lines = slices.DeleteFunc(g.Lines, func(line GraphLine) bool {
		if line.Virtual {
			return !slices.ContainsFunc(g.Virtual,
				func(v VirtualDataPoint) bool { return strings.EqualFold(v.Name, line.DataPointName) })
		}
		return line.DataPointName == ""
	})
}

// works reports whether the graph has everything that a virtual data point uses.
func (g *Graph) works(v VirtualDataPoint) bool {
	e, err := expr.Parse(v.RPN)
	before := slices.Index(g.Virtual, v)
	return err == nil && before >= 0 && !slices.ContainsFunc(e.Names(),
		func(name string) bool { return !g.knows(name, before) })
}

// drawEach handles createGraph: it adds a graph for each data point.
func (d *DataSource) drawEach(w *resource.Write) error {
	each, err := w.Call.Flag("createGraph")
	if err != nil || !each || len(d.Graphs) > 0 {
		return err
	}
	for _, p := range d.DataPoints[:min(len(d.DataPoints), maxGraphs)] {
		d.Graphs = append(d.Graphs, Plot(p.Name, "", p.Name))
	}
	return nil
}

// checkGraphs completes a list of graphs, and assigns the ids of existing graphs.
func (d *DataSource) checkGraphs(field string, graphs []Graph, was *DataSource) error {
	if len(graphs) > maxGraphs {
		return fault.At(field, "%s: at most %d graphs", field, maxGraphs)
	}
	var before []Graph
	if was != nil && field == "graphs" {
		before = was.Graphs
	} else if was != nil {
		before = was.OverviewGraphs
	}
	ids := keptIDs(len(graphs), func(i int) (int64, string) { return graphs[i].ID, graphs[i].Name },
		len(before), func(i int) (int64, string) { return before[i].ID, before[i].Name })
	seen := map[string]bool{}
	for i := range graphs {
		g := &graphs[i]
		at := fmt.Sprintf("%s[%d]", field, i)
		g.ID, g.Name = ids[i], strings.TrimSpace(g.Name)
		switch {
		case !isLine(g.Name):
			return fault.At(at+".name", "%s.name must be one line of 1 to 255 characters", at)
		case seen[strings.ToLower(g.Name)]:
			return fault.At(at+".name", "%s.name: there are two graphs %s", at, g.Name)
		}
		seen[strings.ToLower(g.Name)] = true
		if g.DisplayPrio == 0 {
			g.DisplayPrio = int64(i) + 1
		}
		if err := g.complete(at); err != nil {
			return err
		}
		if err := d.checkGraphPoints(at, g); err != nil {
			return err
		}
		if err := d.checkVirtual(at, g); err != nil {
			return err
		}
		if err := d.checkLines(at, g); err != nil {
			return err
		}
	}
	return nil
}

// isLine reports whether a text is a valid name.
func isLine(text string) bool {
	return text != "" && len(text) <= 255 && resource.IsLine(text)
}

func (g *Graph) complete(at string) error {
	g.Title, g.TimeScale = cmp.Or(strings.TrimSpace(g.Title), g.Name), cmp.Or(g.TimeScale, "1day")
	g.Width, g.Height = cmp.Or(g.Width, 560), cmp.Or(g.Height, 220)
	switch {
	case !isLine(g.Title):
		return fault.At(at+".title", "%s.title must be one line of at most 255 characters", at)
	case g.VerticalLabel != "" && !isLine(g.VerticalLabel):
		return fault.At(at+".verticalLabel", "%s.verticalLabel must be one line of at most 255 characters", at)
	case !slices.Contains(timeScales, any(g.TimeScale)):
		return oneOf(at+".timeScale", timeScales)
	case g.DisplayPrio < 1 || g.DisplayPrio > 100_000:
		return fault.At(at+".displayPrio", "%s.displayPrio must be a whole number from 1 to 100000", at)
	case g.Width < 50 || g.Width > 4000:
		return fault.At(at+".width", "%s.width must be 50 to 4000 pixels", at)
	case g.Height < 50 || g.Height > 4000:
		return fault.At(at+".height", "%s.height must be 50 to 4000 pixels", at)
	case g.MinValue != nil && g.MaxValue != nil && *g.MinValue >= *g.MaxValue:
		return fault.At(at+".maxValue", "%s.maxValue must be more than minValue", at)
	}
	return nil
}

// point returns the data point with a name, ignoring case; nil for none.
func (d *DataSource) point(name string) *DataPoint {
	i := slices.IndexFunc(d.DataPoints,
		func(p DataPoint) bool { return strings.EqualFold(p.Name, strings.TrimSpace(name)) })
	if i < 0 {
		return nil
	}
	return &d.DataPoints[i]
}

func (d *DataSource) checkGraphPoints(at string, g *Graph) error {
	seen := map[string]bool{}
	for i := range g.DataPoints {
		p := &g.DataPoints[i]
		field := fmt.Sprintf("%s.dataPoints[%d]", at, i)
		if p.DataPointName == "" {
			p.DataPointName = p.Name
		}
		have := d.point(p.DataPointName)
		if have == nil {
			return fault.At(field+".dataPointName", "%s.dataPointName: there is no data point %q", field,
				p.DataPointName)
		}
		p.DataPointName, p.Name = have.Name, cmp.Or(strings.TrimSpace(p.Name), have.Name)
		p.AggregateMethod, p.Consolidate = cmp.Or(p.AggregateMethod, "average"), cmp.Or(p.Consolidate, 1)
		switch {
		case !pointName.MatchString(p.Name):
			return fault.At(field+".name",
				"%s.name must begin with a letter or _, and have at most 64 letters, digits, spaces, _ . and -", field)
		case seen[strings.ToLower(p.Name)]:
			return fault.At(field+".name", "%s.name: %s is there twice", field, p.Name)
		case !slices.Contains(aggregates, any(p.AggregateMethod)):
			return oneOf(field+".aggregateMethod", aggregates)
		case p.Consolidate < 1 || p.Consolidate > 3:
			return fault.At(field+".consolidateFunc",
				"%s.consolidateFunc must be 1 (average), 2 (max) or 3 (min)", field)
		}
		seen[strings.ToLower(p.Name)] = true
	}
	return nil
}

// checkVirtual parses the expressions. They may use the data points of the graph,
// other ones of the data source, which are then added, and virtual ones before.
func (d *DataSource) checkVirtual(at string, g *Graph) error {
	if len(g.Virtual) > maxLines {
		return fault.At(at+".virtualDataPoints", "%s.virtualDataPoints: at most %d", at, maxLines)
	}
	for i := range g.Virtual {
		v := &g.Virtual[i]
		field := fmt.Sprintf("%s.virtualDataPoints[%d]", at, i)
		v.Name = strings.TrimSpace(v.Name)
		if !pointName.MatchString(v.Name) {
			return fault.At(field+".name",
				"%s.name must begin with a letter or _, and have at most 64 letters, digits, spaces, _ . and -", field)
		}
		if g.has(v.Name, i) {
			return fault.At(field+".name", "%s.name: %s is there twice", field, v.Name)
		}
		e, err := expr.Parse(v.RPN)
		if err != nil {
			return FieldError(field+".rpn", err)
		}
		for _, name := range e.Names() {
			if g.knows(name, i) {
				continue
			}
			have := d.point(name)
			if have == nil || have.Name != name {
				return fault.At(field+".rpn", "%s.rpn: there is no data point or earlier virtual data point %q",
					field, name)
			}
			g.use(have.Name)
		}
	}
	return nil
}

// has reports whether a name is one of the graph's data points, or of the first
// n virtual ones.
func (g *Graph) has(name string, n int) bool {
	return slices.ContainsFunc(g.DataPoints, func(p GraphDataPoint) bool { return strings.EqualFold(p.Name, name) }) ||
		slices.ContainsFunc(g.Virtual[:n], func(v VirtualDataPoint) bool { return strings.EqualFold(v.Name, name) })
}

// knows does the same as has for a case-sensitive name in an expression.
func (g *Graph) knows(name string, n int) bool {
	return slices.ContainsFunc(g.DataPoints, func(p GraphDataPoint) bool { return p.Name == name }) ||
		slices.ContainsFunc(g.Virtual[:n], func(v VirtualDataPoint) bool { return v.Name == name })
}

// use adds a data point of the data source to the graph.
func (g *Graph) use(name string) {
	if !slices.ContainsFunc(g.DataPoints,
		func(p GraphDataPoint) bool { return strings.EqualFold(p.DataPointName, name) }) {
		g.DataPoints = append(g.DataPoints,
			GraphDataPoint{Name: name, DataPointName: name, AggregateMethod: "average", Consolidate: 1})
	}
}

func (d *DataSource) checkLines(at string, g *Graph) error {
	if len(g.Lines) > maxLines {
		return fault.At(at+".lines", "%s.lines: at most %d", at, maxLines)
	}
	for i := range g.Lines {
		line := &g.Lines[i]
		field := fmt.Sprintf("%s.lines[%d]", at, i)
		line.Type = cmp.Or(line.Type, 1)
		if line.Type < 1 || line.Type > lineStack {
			return fault.At(field+".type", "%s.type must be 1 (line), 2 (area) or 3 (stack)", field)
		}
		if line.Virtual {
			k := slices.IndexFunc(g.Virtual,
				func(v VirtualDataPoint) bool { return strings.EqualFold(v.Name, line.DataPointName) })
			if k < 0 {
				return fault.At(field+".dataPointName",
					"%s.dataPointName: the graph has no virtual data point %q", field,
					line.DataPointName)
			}
			line.DataPointName = g.Virtual[k].Name
		} else {
			have := d.point(line.DataPointName)
			if have == nil {
				return fault.At(field+".dataPointName", "%s.dataPointName: there is no data point %q", field,
					line.DataPointName)
			}
			line.DataPointName = have.Name
			g.use(have.Name)
		}
		line.Legend = cmp.Or(line.Legend, line.DataPointName)
		if !isLine(line.Legend) || len(line.ColorName) > 32 {
			return fault.At(field+".legend",
				"%s.legend must be one line of at most 255 characters, and colorName at most 32", field)
		}
	}
	return nil
}

// UnitOf returns the unit of a data point from the first graph that shows it; empty
// if none does.
func (d *DataSource) UnitOf(point string) string {
	for i := range d.Graphs {
		for _, line := range d.Graphs[i].Lines {
			if !line.Virtual && line.DataPointName == point {
				return d.Graphs[i].VerticalLabel
			}
		}
	}
	return ""
}
