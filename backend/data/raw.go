package data

import (
	"context"
	"fmt"

	"spyglass/backend/fault"
	"spyglass/backend/portal/datasource"
	"spyglass/backend/portal/fleet"
	"spyglass/backend/resource"
)

// hour is the default period of a request, in seconds.
const hour = 3600

// DeviceDataSourceInstanceData holds the data of one instance.
type DeviceDataSourceInstanceData struct {
	DataSource string       `json:"dataSourceName" doc:"name of the data source"`
	DataPoints []string     `json:"dataPoints" doc:"names of the data points"`
	Values     [][]*float64 `json:"values" doc:"a list for each time, in the order of dataPoints; null: no data"`
	Time       []int64      `json:"time" doc:"times in epoch milliseconds, the newest first"`
	Next       string       `json:"nextPageParams" doc:"start=…&end=… of the next page, which is earlier; empty on the last page"`
}

// DeviceDataSourceData holds the data of all instances of a data source on a
// device.
type DeviceDataSourceData struct {
	DataSource string               `json:"dataSourceName" doc:"name of the data source"`
	DataPoints []string             `json:"dataPoints" doc:"names of the data points"`
	Instances  map[string]RawValues `json:"instances" doc:"by the name of the instance: values, time and nextPageParams"`
	Next       string               `json:"nextPageParams" doc:"start=…&end=… of the next page for all instances, which is earlier; empty on the last page"`
}

func (s *Service) ofInstance(ctx context.Context, c *resource.Call) (any, error) {
	p, i, err := s.instanceBelow(ctx, c)
	if err != nil {
		return nil, err
	}
	a, err := read(c, hour)
	if err != nil {
		return nil, err
	}
	chosen, err := points(c, p.source)
	if err != nil {
		return nil, err
	}
	if a.csv {
		return s.download(ctx, p.file("-"+i.DisplayName), chosen, []fleet.Instance{*i}, a, false), nil
	}
	t, err := s.read(ctx, i.ID, chosen, a, most)
	if err != nil {
		return nil, err
	}
	raw := t.raw(a)
	return DeviceDataSourceInstanceData{p.source.Name, names(chosen), raw.Values, raw.Time, raw.Next}, nil
}

func (s *Service) ofDevice(ctx context.Context, c *resource.Call) (any, error) {
	p, err := s.below(ctx, c, "id")
	if err != nil {
		return nil, err
	}
	a, err := read(c, hour)
	if err != nil {
		return nil, err
	}
	chosen, err := points(c, p.source)
	if err != nil {
		return nil, err
	}
	instances, err := resource.Find(ctx, s.db, fleet.Instances.Name, is("deviceDataSourceId", p.on.ID))
	if err != nil {
		return nil, err
	}
	if a.csv {
		return s.download(ctx, p.file(""), chosen, instances, a, true), nil
	}
	found, next, err := s.together(ctx, instances, chosen, a)
	return DeviceDataSourceData{p.source.Name, names(chosen), found, next}, err
}

// together reads several instances so that the next page is the same for all:
// none shows times before the earliest one that all of them can show.
func (s *Service) together(ctx context.Context, instances []fleet.Instance, points []datasource.DataPoint,
	a request) (map[string]RawValues, string, error) {
	tables := make([]table, len(instances))
	limit, since := room(len(instances), len(points)), a.from
	for i := range instances {
		var err error
		if tables[i], err = s.read(ctx, instances[i].ID, points, a, limit); err != nil {
			return nil, "", err
		}
		if t := &tables[i]; t.more {
			since = max(since, t.times[0])
		}
	}
	next := ""
	found := make(map[string]RawValues, len(instances))
	for i := range tables {
		t := &tables[i]
		n := 0
		for n < len(t.times) && t.times[n] < since && since > a.from {
			n++
		}
		t.more = t.more || n > 0
		t.drop(n)
		raw := t.raw(a)
		if t.more {
			raw.Next = a.before(since)
			next = raw.Next
		}
		found[instances[i].Name] = raw
	}
	return found, next, nil
}

// fetch is the body of datafetch.
type fetch struct {
	IDs string `json:"instanceIds" doc:"ids of up to 100 instances, comma-separated"`
}

const mostFetched = 100

// DeviceInstanceData holds the data of one of several instances.
type DeviceInstanceData struct {
	ID         string       `json:"instanceId" doc:"id of the instance"`
	DataSource string       `json:"dataSourceName" doc:"name of the data source"`
	DataPoints []string     `json:"dataPoints" doc:"names of the data points"`
	Values     [][]*float64 `json:"values" doc:"a list for each time, in the order of dataPoints; null: no data"`
	Time       []int64      `json:"time" doc:"times in epoch milliseconds, the newest first"`
	Next       string       `json:"nextPageParams" doc:"start=…&end=… of the next page, which is earlier; empty on the last page"`
	Error      string       `json:"errMsg" doc:"why there is no data; empty without an error"`
}

// DeviceInstanceDataPage is the response of datafetch.
type DeviceInstanceDataPage struct {
	Total int                  `json:"total" doc:"number of requested instances"`
	Next  *string              `json:"searchId" doc:"always null"`
	Items []DeviceInstanceData `json:"items" doc:"in the order of instanceIds"`
	Data  *string              `json:"data" doc:"always null"`
}

func (s *Service) fetch(ctx context.Context, c *resource.Call) (any, error) {
	var in fetch
	if err := c.Read(&in); err != nil {
		return nil, err
	}
	ids, err := resource.ParseIDs(in.IDs)
	switch {
	case err != nil:
		return nil, fault.At("instanceIds", "instanceIds must be comma-separated instance ids, such as 1,2,3")
	case len(ids) == 0:
		return nil, fault.At("instanceIds", "instanceIds is required")
	case len(ids) > mostFetched:
		return nil, fault.At("instanceIds", "instanceIds has at most %d ids", mostFetched)
	}
	a, err := read(c, hour)
	if err != nil {
		return nil, err
	}
	out := DeviceInstanceDataPage{Total: len(ids), Items: make([]DeviceInstanceData, len(ids))}
	for n, id := range ids {
		item := &out.Items[n]
		*item = DeviceInstanceData{ID: fmt.Sprint(id), DataPoints: []string{}, Values: [][]*float64{}, Time: []int64{}}
		p, i, err := s.instance(ctx, c, id)
		if fault.Is(err, fault.Unknown) {
			item.Error = fault.Of(err).Message
			continue
		}
		if err != nil {
			return nil, err
		}
		t, err := s.read(ctx, i.ID, p.source.DataPoints, a, room(len(ids), len(p.source.DataPoints)))
		if err != nil {
			return nil, err
		}
		raw := t.raw(a)
		item.DataSource, item.DataPoints, item.Values, item.Time, item.Next = p.source.Name, names(p.source.DataPoints),
			raw.Values, raw.Time, raw.Next
	}
	return out, nil
}
