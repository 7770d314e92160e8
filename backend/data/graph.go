package data

import (
	"context"
	"slices"
	"time"

	"spyglass/backend/fault"
	"spyglass/backend/portal/datasource"
	"spyglass/backend/portal/fleet"
	"spyglass/backend/resource"
	"spyglass/backend/sheet"
)

// GraphPlot is a graph with its lines.
type GraphPlot struct {
	Type        string              `json:"type" doc:"graph"`
	ID          int64               `json:"id" doc:"id of the graph"`
	Name        string              `json:"name" doc:"name of the graph"`
	Title       string              `json:"title" doc:"title of the graph"`
	DataSource  string              `json:"dsName" doc:"name of the data source"`
	Instances   []int64             `json:"instances" doc:"ids of the instances it shows"`
	Vertical    string              `json:"verticalLabel" doc:"the unit"`
	Horizontal  string              `json:"xAxisName" doc:"name of the horizontal axis: Time"`
	TimeScale   string              `json:"timeScale" doc:"default time range"`
	Start       int64               `json:"startTime" doc:"start in epoch seconds"`
	End         int64               `json:"endTime" doc:"end in epoch seconds"`
	Step        int64               `json:"step" doc:"seconds of a step"`
	Zone        string              `json:"timeZone" doc:"time zone of the portal, abbreviated"`
	ZoneID      string              `json:"timeZoneId" doc:"IANA name of the time zone of the portal"`
	StartOffset int64               `json:"startTZOffset" doc:"seconds that the time zone is ahead of UTC at the start"`
	EndOffset   int64               `json:"endTZOffset" doc:"seconds that the time zone is ahead of UTC at the end"`
	MinValue    *float64            `json:"minValue" doc:"lower end of the scale; null: automatic"`
	MaxValue    *float64            `json:"maxValue" doc:"upper end of the scale; null: automatic"`
	Rigid       bool                `json:"rigid" doc:"never drawn beyond minValue and maxValue"`
	Base1024    bool                `json:"base1024" doc:"1 K is 1,024"`
	Base        int64               `json:"base" doc:"1000 or 1024"`
	Width       int64               `json:"width" doc:"in pixels"`
	Height      int64               `json:"height" doc:"in pixels"`
	Prio        int64               `json:"displayPrio" doc:"lower ones are shown first"`
	FileName    string              `json:"exportFileName" doc:"file name of an export"`
	Scopes      []GraphOpsNoteScope `json:"scopes" doc:"ops notes of these scopes belong to it"`
	Missing     []string            `json:"missinglines" doc:"labels of the lines that have no data"`
	Timestamps  []int64             `json:"timestamps" doc:"times in epoch milliseconds, the oldest first; a short gap between them is a missing poll"`
	Lines       []GraphPlotLine     `json:"lines" doc:"from back to front"`
}

// GraphOpsNoteScope selects the ops notes of a graph.
type GraphOpsNoteScope struct {
	Type     string  `json:"type" doc:"device"`
	DeviceID int64   `json:"deviceId" doc:"the device"`
	Groups   []int64 `json:"deviceGroupIds" doc:"its groups"`
}

// GraphPlotLine is a line of a graph.
type GraphPlotLine struct {
	Legend      string     `json:"legend" doc:"legend of the line"`
	Label       string     `json:"label" doc:"the legend, with the instance if there are several"`
	Description string     `json:"description" doc:"description of the data point"`
	Type        string     `json:"type" doc:"line, area or stack"`
	ColorName   string     `json:"colorName" doc:"a color name; empty: the next color of the palette"`
	Color       string     `json:"color" doc:"a CSS color, #3d7cc9"`
	Visible     bool       `json:"visible" doc:"always true"`
	Decimal     int64      `json:"decimal" doc:"decimal places to show"`
	UseYMax     bool       `json:"useYMax" doc:"always false"`
	Data        []*float64 `json:"data" doc:"a value for each of timestamps; null where there is no data"`
	Lows        []*float64 `json:"lows,omitempty" doc:"least sample of each step; with extremes=true, not of computed lines"`
	Highs       []*float64 `json:"highs,omitempty" doc:"greatest sample of each step; with extremes=true, not of computed lines"`
	Min         *float64   `json:"min" doc:"least of data; null without any"`
	Max         *float64   `json:"max" doc:"greatest of data; null without any"`
	Avg         *float64   `json:"avg" doc:"mean of data; null without any"`
	Std         *float64   `json:"std" doc:"standard deviation of data; null without any"`
}

// timeScales holds the periods of graphs in seconds, by name.
var timeScales = map[string]int64{
	"1hour": hour, "2hour": 2 * hour, "5hour": 5 * hour, "1day": 24 * hour, "1week": 7 * 24 * hour,
	"1month": 30 * 24 * hour, "3month": 90 * 24 * hour, "1year": 365 * 24 * hour,
}

const (
	mostLined = 50  // instances of an overview graph with a line each
	wide      = 300 // steps of a graph
)

func (s *Service) graphBelow(ctx context.Context, c *resource.Call) (any, error) {
	p, i, err := s.instanceBelow(ctx, c)
	if err != nil {
		return nil, err
	}
	return s.plot(ctx, c, p, "graphId", p.source.Graphs, []fleet.Instance{*i})
}

func (s *Service) graphOf(ctx context.Context, c *resource.Call) (any, error) {
	id, err := c.ID("instanceId")
	if err != nil {
		return nil, err
	}
	p, i, err := s.instance(ctx, c, id)
	if err != nil {
		return nil, err
	}
	return s.plot(ctx, c, p, "graphId", p.source.Graphs, []fleet.Instance{*i})
}

func (s *Service) overview(ctx context.Context, c *resource.Call) (any, error) {
	p, err := s.below(ctx, c, "deviceDsId")
	if err != nil {
		return nil, err
	}
	group := int64(0)
	if c.Vars["dsigId"] != "0" {
		if group, err = c.ID("dsigId"); err != nil {
			return nil, err
		}
		if _, err := one(ctx, s.db, c, &fleet.InstanceGroups, group, is("deviceDataSourceId", p.on.ID)); err != nil {
			return nil, err
		}
	}
	instances, err := resource.Find(ctx, s.db, fleet.Instances.Name, is("deviceDataSourceId", p.on.ID),
		is("groupId", group))
	if err != nil {
		return nil, err
	}
	return s.plot(ctx, c, p, "ographId", p.source.OverviewGraphs, instances)
}

// plot returns the graph in the path.
func (s *Service) plot(ctx context.Context, c *resource.Call, p *place, param string, graphs []datasource.Graph,
	instances []fleet.Instance) (any, error) {
	id, err := c.ID(param)
	if err != nil {
		return nil, err
	}
	n := slices.IndexFunc(graphs, func(g datasource.Graph) bool { return g.ID == id })
	if n < 0 {
		return nil, fault.New(fault.Unknown, "there is no graph %d of %s", id, p.source.Name)
	}
	g := &graphs[n]
	a, err := read(c, timeScales[g.TimeScale])
	if err != nil {
		return nil, err
	}
	a.step = max(evenStep(a.to-a.from, wide, 1), p.source.CollectInterval)
	if a.step > 60 {
		a.step = (a.step + 59) / 60 * 60
	}
	if param == "ographId" && !g.Aggregated {
		instances = instances[:min(len(instances), mostLined)]
	}
	d := drawing{s: s, graph: g, source: p.source, request: a, several: param == "ographId" && !g.Aggregated}
	if err := d.draw(ctx, instances); err != nil {
		return nil, err
	}
	d.thin()
	out := s.frame(p, g, a, instances)
	out.Timestamps, out.Lines, out.Missing = d.shown()
	if a.csv {
		return out.download(out.FileName + ".csv"), nil
	}
	return out, nil
}

// frame returns the graph without its lines.
func (s *Service) frame(p *place, g *datasource.Graph, a request, instances []fleet.Instance) *GraphPlot {
	zone := s.zone()
	start, end := time.Unix(a.from, 0).In(zone), time.Unix(a.to, 0).In(zone)
	out := &GraphPlot{
		Type: "graph", ID: g.ID, Name: g.Name, Title: g.Title, DataSource: p.source.Name, Instances: []int64{},
		Vertical: g.VerticalLabel, Horizontal: "Time", TimeScale: g.TimeScale,
		Start: a.from, End: a.to, Step: a.step, ZoneID: zone.String(), MinValue: g.MinValue, MaxValue: g.MaxValue,
		Rigid: g.Rigid, Base1024: g.Base1024, Base: 1000,
		Width: g.Width, Height: g.Height, Prio: g.DisplayPrio,
		Scopes: []GraphOpsNoteScope{{"device", p.device.ID, append([]int64{}, p.device.GroupIDs...)}},
	}
	name := p.file("-" + g.Name)
	out.FileName = name[:len(name)-len(".csv")]
	_, offset := start.Zone()
	out.StartOffset = int64(offset)
	out.Zone, offset = end.Zone()
	out.EndOffset = int64(offset)
	if zone == time.Local {
		out.ZoneID = out.Zone // the machine's own zone, which has no name
	}
	if g.Base1024 {
		out.Base = 1024
	}
	for _, i := range instances {
		out.Instances = append(out.Instances, i.ID)
	}
	return out
}

// download returns the graph as a file, the oldest first.
func (g *GraphPlot) download(name string) resource.Response {
	head := []string{"time"}
	for _, line := range g.Lines {
		head = append(head, line.Label)
	}
	return file(name, head, func(w sheet.Writer) error {
		for k, at := range g.Timestamps {
			cells := []sheet.Cell{{Kind: sheet.Text, Text: clock(at / 1000)}}
			for _, line := range g.Lines {
				cells = append(cells, number(line.Data[k]))
			}
			if err := w.Row(cells); err != nil {
				return err
			}
		}
		return nil
	})
}
