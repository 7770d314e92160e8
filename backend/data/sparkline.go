package data

import (
	"context"
	"math"
	"slices"
	"strings"

	"spyglass/backend/fault"
	"spyglass/backend/portal/datasource"
	"spyglass/backend/portal/fleet"
	"spyglass/backend/resource"
	"spyglass/backend/series"
)

const (
	mostSparks = 200            // series of one request
	sparkSteps = 48             // values of a series
	sparkSpan  = 6 * hour       // default period, in seconds
	mostSpark  = 31 * 24 * hour // limit of the period, in seconds
)

// sparks is the body of a request for sparklines.
type sparks struct {
	Series []spark `json:"series" doc:"up to 200 series"`
}

// spark names a series by its instance, or by its device and data source.
type spark struct {
	Instance   int64  `json:"instanceId,omitempty" doc:"id of the instance; or set deviceId and dataSourceName"`
	Device     int64  `json:"deviceId,omitempty" doc:"id of the device, of which the first instance counts" refs:"device"`
	DataSource string `json:"dataSourceName,omitempty" doc:"name of the data source on that device"`
	DataPoint  string `json:"dataPointName" doc:"name of the data point"`
}

// Sparklines are the values of many series at a low resolution.
type Sparklines struct {
	Start int64       `json:"startTime" doc:"start in epoch seconds"`
	End   int64       `json:"endTime" doc:"end in epoch seconds"`
	Step  int64       `json:"step" doc:"seconds of a step"`
	Items []Sparkline `json:"items" doc:"in the order of series"`
}

// Sparkline is one series.
type Sparkline struct {
	Instance  int64      `json:"instanceId" doc:"id of the instance; 0 if there is no such series, or you cannot view it"`
	DataPoint string     `json:"dataPointName" doc:"name of the data point"`
	Unit      string     `json:"unit" doc:"the unit, from the data source's graphs"`
	Values    []*float64 `json:"values" doc:"the average of each step; null: no data for three polls. Empty if there is no data at all"`
	Min       *float64   `json:"min" doc:"least of the samples; null without any"`
	Max       *float64   `json:"max" doc:"greatest of the samples; null without any"`
	Last      *float64   `json:"last" doc:"the newest sample; null without any"`

	key   series.Key
	every int64 // seconds between two polls
}

func (s *Service) sparkEndpoint() resource.Endpoint {
	body := resource.SchemaOf(sparks{})
	body.Name = "SparklineSeries"
	return resource.Endpoint{
		Method: "POST", Path: "/device/instances/sparklines", Summary: "Get sparklines of several series",
		Doc: "Returns up to 200 series at a low resolution, 48 values each, for small charts in lists. A short gap " +
			"repeats the value before it.",
		Params: []resource.Param{
			query("period", resource.Schema{Type: "number", Doc: "Hours up to the end, at most 744; default: 6"}, 6),
			query("end", epoch("End in epoch seconds; default: now"), nil),
		},
		Body: &body, Response: schemaOf(Sparklines{}), Example: resource.Example{Path: "/device/instances/sparklines",
			Query: [][2]string{{"period", "6"}},
			Body: sparks{[]spark{{Instance: 1, DataPoint: "average"},
				{Device: 2, DataSource: "Ping", DataPoint: "average"}}}}, Handle: s.sparklines,
	}
}

// sparklines reads all requested series together.
func (s *Service) sparklines(ctx context.Context, c *resource.Call) (any, error) {
	var in sparks
	if err := c.Read(&in); err != nil {
		return nil, err
	}
	if len(in.Series) > mostSparks {
		return nil, fault.At("series", "series has at most %d entries", mostSparks)
	}
	from, to, err := readSpan(c, sparkSpan)
	if err != nil {
		return nil, err
	}
	if to-from > mostSpark {
		return nil, fault.At("period", "period is at most %d hours", mostSpark/hour)
	}
	out := Sparklines{Start: from, End: to, Step: evenStep(to-from, sparkSteps, 1),
		Items: make([]Sparkline, len(in.Series))}
	found, err := s.findSparks(ctx, c, in.Series)
	if err != nil {
		return nil, err
	}
	var keys []series.Key
	for i, one := range in.Series {
		item := &out.Items[i]
		*item = Sparkline{DataPoint: one.DataPoint, Values: []*float64{}}
		if found.fill(item, one) {
			keys = append(keys, item.key)
		}
	}
	steps, err := s.series.AggregateMany(ctx, keys, from, to+1, out.Step)
	if err != nil {
		return nil, err
	}
	next := 0
	for i := range out.Items {
		if item := &out.Items[i]; item.Instance > 0 {
			item.draw(steps[next], out.Step)
			next++
		}
	}
	return out, nil
}

// sparked holds the instances that the caller may view, and their data sources.
type sparked struct {
	instances map[int64]*fleet.Instance
	first     map[[2]int64]*fleet.Instance // by device and data source
	sources   map[int64]*datasource.DataSource
	named     map[string]int64 // ids of data sources
}

// findSparks reads the objects of all series in a few queries, however many there
// are.
func (s *Service) findSparks(ctx context.Context, c *resource.Call, all []spark) (*sparked, error) {
	f := &sparked{instances: map[int64]*fleet.Instance{}, first: map[[2]int64]*fleet.Instance{},
		named: map[string]int64{}}
	var err error
	if f.sources, err = datasource.ByID(ctx, s.db); err != nil {
		return nil, err
	}
	for id, d := range f.sources {
		f.named[strings.ToLower(d.Name)] = id
	}
	ids, devices, sources := []int64{}, []int64{}, []int64{}
	for _, one := range all {
		if one.Instance > 0 {
			ids = append(ids, one.Instance)
		} else if id := f.named[strings.ToLower(one.DataSource)]; one.Device > 0 && id > 0 {
			devices, sources = append(devices, one.Device), append(sources, id)
		}
	}
	for _, where := range [][]resource.Where{
		{{Field: "id", Op: "in", Value: ids}},
		{{Field: "deviceId", Op: "in", Value: devices}, {Field: "dataSourceId", Op: "in", Value: sources}},
	} {
		if err := f.add(ctx, s.db, c, where); err != nil {
			return nil, err
		}
	}
	return f, f.dropDeleted(ctx, s.db, c)
}

func (f *sparked) add(ctx context.Context, r resource.Reader, c *resource.Call, where []resource.Where) error {
	if len(where[0].Value.([]int64)) == 0 {
		return nil
	}
	found, err := resource.Find(ctx, r, fleet.InstanceRows, append(where, resource.SeenBy(c.Access, resource.Read))...)
	for i := range found {
		one := &found[i]
		f.instances[one.ID] = one
		at := [2]int64{one.DeviceID, one.DataSourceID}
		if was := f.first[at]; was == nil || one.ID < was.ID {
			f.first[at] = one
		}
	}
	return err
}

// dropDeleted removes the instances of devices that are in the recycle bin.
func (f *sparked) dropDeleted(ctx context.Context, r resource.Reader, c *resource.Call) error {
	ids := []int64{}
	for _, one := range f.instances {
		ids = append(ids, one.DeviceID)
	}
	if len(ids) == 0 {
		return nil
	}
	slices.Sort(ids)
	devices, err := resource.Find(ctx, r, fleet.DeviceRows, resource.Where{Field: "id", Op: "in",
		Value: slices.Compact(ids)}, resource.SeenBy(c.Access, resource.Read))
	if err != nil {
		return err
	}
	here := map[int64]bool{}
	for i := range devices {
		here[devices[i].ID] = true
	}
	for id, one := range f.instances {
		if !here[one.DeviceID] {
			delete(f.instances, id)
			delete(f.first, [2]int64{one.DeviceID, one.DataSourceID})
		}
	}
	return nil
}

// fill sets the series of an item; it returns false if there is none.
func (f *sparked) fill(item *Sparkline, one spark) bool {
	i := f.instances[one.Instance]
	if one.Instance == 0 {
		i = f.first[[2]int64{one.Device, f.named[strings.ToLower(one.DataSource)]}]
	}
	if i == nil || f.sources[i.DataSourceID] == nil {
		return false
	}
	source := f.sources[i.DataSourceID]
	n := slices.IndexFunc(source.DataPoints, func(p datasource.DataPoint) bool {
		return strings.EqualFold(p.Name, one.DataPoint)
	})
	if n < 0 {
		return false
	}
	p := &source.DataPoints[n]
	item.Instance, item.DataPoint, item.Unit = i.ID, p.Name, source.UnitOf(p.Name)
	item.key, item.every = series.Key{Instance: i.ID, DataPoint: p.ID}, source.CollectInterval
	return true
}

// draw sets the values of an item. Less than three missing polls are no gap.
func (item *Sparkline) draw(steps []series.Step, step int64) {
	whole, last := series.Step{Min: math.Inf(1), Max: math.Inf(-1)}, -1
	values := make([]*float64, len(steps))
	for k := range steps {
		s := &steps[k]
		if s.Count == 0 {
			continue
		}
		patience := 3 * item.every
		if s.Hourly {
			patience = max(patience, 3*hour)
		}
		for n := last + 1; last >= 0 && n < k && int64(k-last-1)*step < patience; n++ {
			values[n] = values[last]
		}
		average := s.Average()
		values[k], last = shown(&average), k
		whole.Count += s.Count
		whole.Min, whole.Max, whole.Last = min(whole.Min, s.Min), max(whole.Max, s.Max), s.Last
	}
	if whole.Count > 0 {
		item.Values, item.Min, item.Max, item.Last = values, shown(&whole.Min), shown(&whole.Max), shown(&whole.Last)
	}
}
