package mcp

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"spyglass/backend/fault"
	"spyglass/backend/portal/threshold"
	"spyglass/backend/report/layout"
)

// Limits of charts.
const (
	usualHours = 6
	mostHours  = 24 * 92
	chartSteps = 240
	mostRecent = 20 // values in an explanation
)

// addChart adds the tool that draws charts.
func (s *Server) addChart(to *tools) {
	add(to, tool{
		name: "chart", title: "Draw a chart",
		about: "Draw measurements as a PNG, and return minimum, average, maximum and last value of each line. Give " +
			"alert_id to see the data point of an alert with its thresholds, or device and datasource. Without " +
			"datapoints, it draws the first one; without instance, up to six instances.",
		bounds: map[string][2]float64{"hours": {0.1, mostHours}},
	}, drawChart)
}

type chartIn struct {
	AlertID    any     `json:"alert_id,omitempty" jsonschema:"draw the data point of this alert"`
	Device     any     `json:"device,omitempty" jsonschema:"id or display name of the device"`
	DataSource string  `json:"datasource,omitempty" jsonschema:"name of the data source on the device, such as Ping"`
	Instance   string  `json:"instance,omitempty" jsonschema:"name of one instance"`
	DataPoints string  `json:"datapoints,omitempty" jsonschema:"names of data points, separated by commas"`
	Hours      float64 `json:"hours,omitempty" jsonschema:"hours up to now, 6 by default"`
}

// instance is the address of an instance.
type instance struct{ device, source, id int64 }

// samples are the values of an instance as the portal returns them, the newest first.
type samples struct {
	DataPoints []string
	Values     [][]*float64
	Time       []int64 // epoch milliseconds
}

func (c *toolCall) samples(ctx context.Context, of instance, q url.Values) (*samples, error) {
	out := &samples{}
	err := c.get(ctx, fmt.Sprintf("/device/devices/%d/devicedatasources/%d/instances/%d/data", of.device,
		of.source, of.id), q, out)
	slices.Reverse(out.Values)
	slices.Reverse(out.Time)
	return out, err
}

// recent are values of a data point, the newest last.
type recent struct {
	Unit    string   `json:"unit,omitempty"`
	Samples int      `json:"samples"`
	Missing int      `json:"missing"`
	Min     *float64 `json:"min,omitempty"`
	Average *float64 `json:"average,omitempty"`
	Max     *float64 `json:"max,omitempty"`
	Last    *float64 `json:"last,omitempty"`
	Values  []string `json:"values,omitempty"`
}

// recent returns the statistics of a data point, and its last values.
func (s *samples) recent(point int, unit string) *recent {
	out := &recent{Unit: unit}
	var sum float64
	for i, row := range s.Values {
		shown := "no data"
		if v := row[point]; v == nil {
			out.Missing++
		} else {
			out.Samples++
			sum += *v
			if out.Min == nil || *v < *out.Min {
				out.Min = v
			}
			if out.Max == nil || *v > *out.Max {
				out.Max = v
			}
			out.Last, shown = v, figure(*v)
		}
		if i >= len(s.Values)-mostRecent {
			out.Values = append(out.Values, moment(s.Time[i]/1000)+" "+shown)
		}
	}
	if out.Samples > 0 {
		mean := sum / float64(out.Samples)
		out.Average = &mean
	}
	return out
}

func (r *recent) sentence(name string) string {
	if r.Samples == 0 {
		return name + ": no data."
	}
	unit := ""
	if r.Unit != "" {
		unit = " " + r.Unit
	}
	return fmt.Sprintf("%s: minimum %s, average %s, maximum %s, last %s%s.", name, figure(*r.Min), figure(*r.Average),
		figure(*r.Max), figure(*r.Last), unit)
}

func figure(v float64) string { return strconv.FormatFloat(v, 'g', 6, 64) }

// charted is the content of a chart.
type charted struct {
	title     string
	unit      string
	threshold string // of an alert
	points    string // names, separated by commas
	lines     []namedInstance
}

type namedInstance struct {
	instance
	name string
}

func drawChart(ctx context.Context, call *toolCall, in *chartIn) (*result, error) {
	of, err := call.charted(ctx, in)
	if err != nil {
		return nil, err
	}
	hours := cmp.Or(in.Hours, usualHours)
	step := max(60, int64(math.Ceil(hours*3600/chartSteps/60))*60)
	q := query("period", strconv.FormatFloat(hours, 'f', -1, 64), "aggregate", "average", "step", number(step))
	if of.points != "" {
		q.Set("datapoints", of.points)
	}
	c := layout.Chart{Title: of.title, Unit: of.unit}
	type line struct {
		Name string `json:"name"`
		*recent
	}
	lines := []line{}
	var sets []*samples
	var from, to int64
	for _, one := range of.lines {
		set, err := call.samples(ctx, one.instance, q)
		if err != nil {
			return nil, err
		}
		if n := len(set.Time); n > 0 {
			to = max(to, set.Time[n-1]/1000)
		}
		sets = append(sets, set)
	}
	if to == 0 {
		return nil, fault.New(fault.Unknown, "there is no data of %s in the last %g hours; try more hours",
			of.title, hours)
	}
	from = to - int64(hours*3600)
	c.From, c.To = time.Unix(from, 0).UTC(), time.Unix(to, 0).UTC()
	for i, set := range sets {
		for point, name := range set.DataPoints {
			if in.DataPoints == "" && of.points == "" && point > 0 || len(c.Lines) >= layout.MaxLines {
				break
			}
			if len(of.lines) > 1 {
				name = of.lines[i].name + " " + name
			}
			r := set.recent(point, of.unit)
			r.Values = nil
			lines = append(lines, line{name, r})
			c.Lines = append(c.Lines, layout.Line{Name: name, Values: set.even(point, from, to, step)})
		}
	}
	c.Lines = append(c.Lines, limits(of.threshold, layout.MaxLines-len(c.Lines))...)
	var image bytes.Buffer
	if err := c.PNG(&image); err != nil {
		return nil, err
	}
	text := fmt.Sprintf("%s, %s to %s.", of.title, moment(from), moment(to))
	for _, l := range lines {
		text += " " + l.sentence(l.Name)
	}
	return &result{text: text, png: image.Bytes(), data: map[string]any{"title": of.title, "from": moment(from),
		"to": moment(to), "step_seconds": step, "lines": lines}}, nil
}

// even returns the values of a data point in even steps; NaN where there is none.
func (s *samples) even(point int, from, to, step int64) []float64 {
	out := make([]float64, max(1, (to-from)/step+1))
	for i := range out {
		out[i] = math.NaN()
	}
	for i, row := range s.Values {
		if at := (s.Time[i]/1000 - from) / step; row[point] != nil && at >= 0 && at < int64(len(out)) {
			out[at] = *row[point]
		}
	}
	return out
}

// limits returns the levels of a threshold as lines, at most n.
func limits(text string, n int) (out []layout.Line) {
	expr, err := threshold.ParseAlertExpr(text)
	if err != nil {
		return nil
	}
	for i, level := range expr.Levels[:min(len(expr.Levels), max(n, 0))] {
		name := threshold.SeverityWord(threshold.SeverityWarn + int64(i))
		out = append(out, layout.Line{Name: name + " " + expr.Op + " " + figure(level),
			Values: slices.Repeat([]float64{level}, chartSteps)})
	}
	return out
}

// charted finds what the arguments name.
func (c *toolCall) charted(ctx context.Context, in *chartIn) (*charted, error) {
	if in.AlertID != nil {
		return c.chartedAlert(ctx, in)
	}
	if in.Device == nil || in.DataSource == "" {
		return nil, fault.At("device", "give alert_id, or device and datasource")
	}
	d, err := c.device(ctx, in.Device)
	if err != nil {
		return nil, err
	}
	type source struct {
		ID                                    int64
		DataSourceName, DataSourceDisplayName string
	}
	path := "/device/devices/" + number(d.ID) + "/devicedatasources"
	all, _, err := page[source](ctx, c, path, query("size", "500", "fields", "id,dataSourceName,dataSourceDisplayName"))
	if err != nil {
		return nil, err
	}
	at := slices.IndexFunc(all, func(s source) bool {
		return strings.EqualFold(s.DataSourceName, in.DataSource) ||
			strings.EqualFold(s.DataSourceDisplayName, in.DataSource)
	})
	if at < 0 {
		var names []any
		for _, s := range all {
			names = append(names, s.DataSourceName)
		}
		return nil, &fault.Error{Kind: fault.Invalid, Field: "datasource", Allowed: names,
			Message: fmt.Sprintf("there is no data source %s on %s", fault.Quote(in.DataSource), d.DisplayName)}
	}
	return c.chartedInstances(ctx, d, all[at].ID, all[at].DataSourceName, in)
}

// device finds a device by its id or its display name.
func (c *toolCall) device(ctx context.Context, of any) (*device, error) {
	name, err := textOf("device", of)
	if err != nil {
		return nil, err
	}
	if _, err := strconv.ParseInt(name, 10, 64); err == nil {
		d := &device{}
		return d, c.get(ctx, "/device/devices/"+name, query("fields", deviceFields), d)
	}
	found, total, err := page[device](ctx, c, "/device/devices", query("filter", "displayName~"+quote(name)+"||name~"+
		quote(name), "fields", deviceFields, "size", "20", "sort", "displayName"))
	if err != nil {
		return nil, err
	}
	at := slices.IndexFunc(found, func(d device) bool { return strings.EqualFold(d.DisplayName, name) })
	if at < 0 && len(found) == 1 {
		at = 0
	}
	if at >= 0 {
		return &found[at], nil
	}
	if len(found) == 0 {
		return nil, fault.At("device", "no device has %s in its name", fault.Quote(name))
	}
	var names []any
	for _, d := range found {
		names = append(names, d.DisplayName)
	}
	return nil, &fault.Error{Kind: fault.Invalid, Field: "device", Allowed: names,
		Message: fmt.Sprintf("%d devices match %s; give the display name of one", total, fault.Quote(name))}
}

func (c *toolCall) chartedInstances(ctx context.Context, d *device, source int64, name string, in *chartIn) (*charted,
	error) {
	type row struct {
		ID                int64
		Name, DisplayName string
	}
	q := query("size", strconv.Itoa(layout.MaxLines), "fields", "id,name,displayName")
	if in.Instance != "" {
		q.Set("filter", "displayName~"+quote(in.Instance)+"||name~"+quote(in.Instance))
	}
	path := fmt.Sprintf("/device/devices/%d/devicedatasources/%d/instances", d.ID, source)
	rows, total, err := page[row](ctx, c, path, q)
	if err != nil {
		return nil, err
	}
	if len(rows) == 0 {
		return nil, fault.At("instance", "there is no such instance of %s on %s", name, d.DisplayName)
	}
	out := &charted{title: d.DisplayName + ": " + name, points: in.DataPoints}
	for _, r := range rows {
		if strings.EqualFold(r.DisplayName, in.Instance) || strings.EqualFold(r.Name, in.Instance) {
			rows, total = []row{r}, 1
			break
		}
	}
	for _, r := range rows {
		out.lines = append(out.lines, namedInstance{instance{d.ID, source, r.ID}, r.DisplayName})
	}
	if total == 1 && rows[0].DisplayName != name {
		out.title += ", " + rows[0].DisplayName
	}
	if total > int64(len(rows)) {
		out.title += fmt.Sprintf(", the first %d of %d instances", len(rows), total)
	}
	return out, nil
}

func (c *toolCall) chartedAlert(ctx context.Context, in *chartIn) (*charted, error) {
	id, err := textOf("alert_id", in.AlertID)
	if err != nil {
		return nil, err
	}
	var it alert
	if err := c.get(ctx, "/alert/alerts/"+url.PathEscape(id), query("fields", alertFields), &it); err != nil {
		return nil, err
	}
	if it.InstanceID == 0 || it.MonitorObjectID == 0 {
		return nil, fault.At("alert_id", "alert %s is of a %s, which has no measurements to draw",
			id, it.MonitorObjectType)
	}
	title := it.MonitorObjectName + ": " + it.DataPointName + " of " + it.ResourceTemplateName
	if it.InstanceName != it.ResourceTemplateName {
		title += ", " + it.InstanceName
	}
	return &charted{title: title, unit: it.DataPointUnit, threshold: it.Threshold,
		points: cmp.Or(in.DataPoints, it.DataPointName),
		lines:  []namedInstance{{instance{it.MonitorObjectID, it.ResourceID, it.InstanceID}, it.InstanceName}}}, nil
}
