package data_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"spyglass/backend/data"
	"spyglass/backend/fault"
	"spyglass/backend/portal/alert"
	"spyglass/backend/portal/collector"
	"spyglass/backend/portal/datasource"
	"spyglass/backend/portal/fleet"
	"spyglass/backend/portal/maintenance"
	"spyglass/backend/portal/override"
	"spyglass/backend/portal/setting"
	"spyglass/backend/resource"
	"spyglass/backend/series"
	"spyglass/backend/store"
	"spyglass/backend/store/storetest"
)

// began is the time of the first sample of every test, on the hour. Samples follow
// each minute.
const began = 1_790_002_800 / 3600 * 3600

// fixture is a portal with two devices: web in group 2 with the disks / and =var, which
// are in the instance group 1, and db in group 3 with a disk.
type fixture struct {
	*testing.T
	db        *store.DB
	series    *series.DB
	endpoints map[string]resource.Endpoint
	access    *resource.Access
}

func open(t *testing.T) *fixture {
	t.Helper()
	h := &fixture{T: t, endpoints: map[string]resource.Endpoint{}, access: &resource.Access{UserID: 1, User: "admin",
		Admin: true}}
	var err error
	h.db = storetest.Open(t, store.Options{})
	h.tables()
	if h.series,
		err = series.Open(t.Context(), series.Options{Path: filepath.Join(t.TempDir(), "series.db"),
		Clock: func() time.Time { return time.Unix(began+30*86400, 0) }}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = h.series.Close() })
	for _, e := range data.New(data.Options{DB: h.db, Series: h.series}).Endpoints() {
		h.endpoints[e.ID()] = e
	}
	h.rows()
	return h
}

func (h *fixture) tables() {
	h.Helper()
	storetest.Add(h, h.db, &fleet.Groups)
	storetest.Add(h, h.db, &fleet.Functions)
	storetest.Add(h, h.db, &fleet.Devices)
	storetest.Add(h, h.db, &collector.Collectors)
	storetest.Add(h, h.db, &collector.CollectorGroups)
	storetest.Add(h, h.db, &alert.Alerts)
	storetest.Add(h, h.db, &maintenance.SDTs)
	storetest.Add(h, h.db, &setting.Settings)
	storetest.Add(h, h.db, &datasource.DataSources)
	storetest.Add(h, h.db, &datasource.UpdateReasons)
	storetest.Add(h, h.db, &fleet.DeviceDataSources)
	storetest.Add(h, h.db, &fleet.Instances)
	storetest.Add(h, h.db, &fleet.InstanceGroups)
	storetest.Add(h, h.db, &fleet.UnsettledRows)
	storetest.Add(h, h.db, &fleet.SettlingRow)
	storetest.Add(h, h.db, &override.Overrides)
	storetest.Add(h, h.db, &override.GroupDataSourceSettings)
}

func put[T any](h *fixture, r *resource.Resource[*T], rows ...T) {
	h.Helper()
	storetest.Put(h, h.db, r.Name, rows...)
}

func (h *fixture) rows() {
	h.Helper()
	put(h, &fleet.Groups, fleet.Group{ID: 1, Name: "Root"}, fleet.Group{ID: 2, Name: "Oslo", ParentID: 1},
		fleet.Group{ID: 3, Name: "Austin", ParentID: 1})
	put(h, &fleet.Devices, fleet.Device{ID: 1, Name: "web", DisplayName: "web", GroupIDs: resource.IDs{2}},
		fleet.Device{ID: 2, Name: "db", DisplayName: "db", GroupIDs: resource.IDs{3}})
	graph := func(id int64, virtual bool) datasource.Graph {
		g := datasource.Plot("Blocks", "blocks", "used").Works("free", "size,used,-")
		g.ID, g.TimeScale, g.Aggregated = id, "1hour", virtual
		g.DataPoints = []datasource.GraphDataPoint{
			{Name: "used", DataPointName: "used", AggregateMethod: "sum", Consolidate: 1},
			{Name: "size", DataPointName: "size", AggregateMethod: "max", Consolidate: 2}}
		return g
	}
	source := datasource.DataSource{ID: 5, Name: "Disks", CollectInterval: 60,
		Graphs: []datasource.Graph{graph(5003, false)}, OverviewGraphs: []datasource.Graph{graph(5004, false),
			graph(5005, true)}}
	source.DataPoints = []datasource.DataPoint{datasource.Gauge("used", "1", "Blocks in use"),
		datasource.Gauge("size", "2", "Blocks")}
	source.DataPoints[0].ID, source.DataPoints[1].ID = 5001, 5002
	put(h, &datasource.DataSources, source)
	put(h, &fleet.DeviceDataSources, fleet.DeviceDataSource{ID: 1, DeviceID: 1, DataSourceID: 5, Name: "Disks",
		Multiple: true}, fleet.DeviceDataSource{ID: 2, DeviceID: 2, DataSourceID: 5, Name: "Disks", Multiple: true})
	put(h, &fleet.InstanceGroups, fleet.InstanceGroup{ID: 1, DeviceID: 1, DeviceDataSourceID: 1, Name: "System"})
	disk := func(id, on, group int64, name string) fleet.Instance {
		return fleet.Instance{ID: id, DeviceID: on, DeviceDataSourceID: on, DataSourceID: 5, Name: "Disks-" + name,
			DisplayName: name, WildValue: name, GroupID: group}
	}
	put(h, &fleet.Instances, disk(1, 1, 1, "/"), disk(2, 1, 1, "=var"), disk(3, 2, 0, "/"))
}

// measure appends n samples, a minute apart: used is 0, 1, 2 … and size is 1000.
func (h *fixture) measure(instance int64, n int) {
	h.Helper()
	var samples []series.Sample
	for i := range n {
		at := began + int64(i)*60
		samples = append(samples, series.Sample{Instance: instance, DataPoint: 5001, At: at, Value: float64(i)},
			series.Sample{Instance: instance, DataPoint: 5002, At: at, Value: 1000})
	}
	if err := h.series.Append(h.Context(), samples); err != nil {
		h.Fatal(err)
	}
}

// send sends "GET /path {id} deviceId=1 id=2 ?start=3" two hours after the first sample.
func (h *fixture) send(do, body string) (any, error) {
	h.Helper()
	words := strings.Fields(do)
	e, ok := h.endpoints[words[0]+" "+words[1]]
	if !ok {
		h.Fatalf("there is no %s", do)
	}
	c := &resource.Call{Access: h.access, At: time.Unix(began+7200, 0), Vars: map[string]string{}, Query: url.Values{},
		Body: []byte(body)}
	for _, word := range words[2:] {
		if text, ok := strings.CutPrefix(word, "?"); ok {
			c.Query, _ = url.ParseQuery(text)
			continue
		}
		name, value, _ := strings.Cut(word, "=")
		c.Vars[name] = value
	}
	if !h.access.May(e.Right) {
		return nil, fault.New(fault.Denied, "the user's role does not have the permission")
	}
	return e.Handle(h.Context(), c)
}

// json returns the response, or the kind and the field of an error.
func (h *fixture) json(do, body string) string {
	h.Helper()
	got, err := h.send(do, body)
	if err != nil {
		f := fault.Of(err)
		return strings.TrimSpace(fmt.Sprintf("%s %s: %s", f.Kind, f.Field, f.Message))
	}
	if a, ok := got.(resource.Response); ok {
		var text bytes.Buffer
		if err := a.Stream(&text); err != nil {
			h.Fatal(err)
		}
		return a.Type + " " + a.Filename + "\n" + text.String()
	}
	text, err := json.Marshal(got)
	if err != nil {
		h.Fatal(err)
	}
	return string(text)
}

const (
	instance = "GET /device/devices/{deviceId}/devicedatasources/{hdsId}/instances/{id}/data "
	device   = "GET /device/devices/{deviceId}/devicedatasources/{id}/data "
	graph    = "GET /device/devices/{deviceId}/devicedatasources/{hdsId}/instances/{id}/graphs/{graphId}/data "
	byID     = "GET /device/devicedatasourceinstances/{instanceId}/graphs/{graphId}/data "
	overview = "GET /device/devices/{deviceId}/devicedatasources/{deviceDsId}/groups/{dsigId}/graphs/{ographId}/data "
	fetch    = "POST /device/instances/datafetch "
	first    = instance + "deviceId=1 hdsId=1 id=1 "
)

func TestDataListsSamplesNewestFirst(t *testing.T) {
	h := open(t)
	h.measure(1, 10)
	if err := h.series.Append(t.Context(),
		[]series.Sample{{Instance: 1, DataPoint: 5001, At: began + 600, Value: 77}}); err != nil {
		t.Fatal(err)
	}
	span := func(from, to int) string { return fmt.Sprintf("?start=%d&end=%d", began+from, began+to) }
	ms := func(s int) string { return fmt.Sprint((began + s) * 1000) }
	for _, tt := range []struct{ do, want string }{
		{first + span(480, 600), `{"dataSourceName":"Disks","dataPoints":["used","size"],` +
			`"values":[[77,null],[9,1000],[8,1000]],"time":[` + ms(600) + `,` + ms(540) + `,` + ms(480) +
			`],"nextPageParams":""}`},
		{first + span(481, 599) + "&datapoints=SIZE", `{"dataSourceName":"Disks","dataPoints":["size"],` +
			`"values":[[1000]],"time":[` + ms(540) + `],"nextPageParams":""}`},
		{first + "?period=1.85", `{"dataSourceName":"Disks","dataPoints":["used","size"],` +
			`"values":[[77,null],[9,1000]],"time":[` + ms(600) + `,` + ms(540) + `],"nextPageParams":""}`},
		{first + span(0, 599) + "&aggregate=average&step=300", `{"dataSourceName":"Disks","dataPoints":["used",` +
			`"size"],"values":[[7,1000],[2,1000]],"time":[` + ms(300) + `,` + ms(0) + `],"nextPageParams":""}`},
		{first + span(0, 599) + "&aggregate=sum&step=600&datapoints=used", `{"dataSourceName":"Disks",` +
			`"dataPoints":["used"],"values":[[45]],"time":[` + ms(0) + `],"nextPageParams":""}`},
		{first + span(0, 599) + "&aggregate=percentile&step=300&percent=75", `{"dataSourceName":"Disks",` +
			`"dataPoints":["used","size"],"values":[[8,1000],[3,1000]],"time":[` + ms(300) + `,` + ms(0) +
			`],"nextPageParams":""}`},
		{first + span(0, 599) + "&aggregate=percentile&step=600&datapoints=used",
			`{"dataSourceName":"Disks","dataPoints":["used"],"values":[[9]],"time":[` + ms(0) +
				`],"nextPageParams":""}`},
		{first + span(0, 600) + "&aggregate=count&step=601", `{"dataSourceName":"Disks","dataPoints":["used","size"],` +
			`"values":[[11,10]],"time":[` + ms(0) + `],"nextPageParams":""}`},
		{first + span(700, 800), `{"dataSourceName":"Disks","dataPoints":["used","size"],"values":[],"time":[],` +
			`"nextPageParams":""}`},
		{device + "deviceId=1 id=1 " + span(540, 599) + "&datapoints=used", `{"dataSourceName":"Disks",` +
			`"dataPoints":["used"],"instances":{"Disks-/":{"values":[[9]],"time":[` + ms(540) +
			`],"nextPageParams":""},"Disks-=var":{"values":[],"time":[],"nextPageParams":""}},"nextPageParams":""}`},
		{first + span(540, 600) + "&format=csv", "text/csv; charset=utf-8 web-Disks--.csv\ntime,used,size\r\n" +
			"2026-09-21T15:10:00Z,77,\r\n2026-09-21T15:09:00Z,9,1000\r\n"},
	} {
		if got := h.json(tt.do, ""); got != tt.want {
			t.Errorf("%s\nanswers %s\nwant    %s", tt.do, got, tt.want)
		}
	}
}

func TestPagesOfAnInstanceListEachTimeOnce(t *testing.T) {
	h := open(t)
	h.measure(1, 1203)
	var got, sizes []int64
	query := fmt.Sprintf("start=%d&end=%d", began, began+100*86400)
	for query != "" {
		response, err := h.send(first+"?"+query, "")
		if err != nil {
			t.Fatal(err)
		}
		page := response.(data.DeviceDataSourceInstanceData)
		got, sizes, query = append(got, page.Time...), append(sizes, int64(len(page.Time))), page.Next
	}
	var want []int64
	for i := range int64(1203) {
		want = append(want, (began+(1202-i)*60)*1000)
	}
	if !slices.Equal(sizes, []int64{500, 500, 203}) || !slices.Equal(got, want) {
		t.Errorf("the pages have %v moments, want all 1203 once, the newest first", sizes)
	}
}

func TestPagesOfADeviceListEachTimeOfEachInstanceOnce(t *testing.T) {
	h := open(t)
	h.measure(1, 1203)
	h.measure(2, 40)
	got := map[string]int{}
	seen := map[string]bool{}
	query := fmt.Sprintf("start=%d&end=%d", began, began+100*86400)
	for query != "" {
		response, err := h.send(device+"deviceId=1 id=1 ?"+query, "")
		if err != nil {
			t.Fatal(err)
		}
		page := response.(data.DeviceDataSourceData)
		for name, raw := range page.Instances {
			for _, at := range raw.Time {
				if key := fmt.Sprint(name, at); seen[key] {
					t.Fatalf("%s is shown twice", key)
				} else {
					seen[key] = true
				}
				got[name]++
			}
		}
		query = page.Next
	}
	if got["Disks-/"] != 1203 || got["Disks-=var"] != 40 {
		t.Errorf("the pages have %v moments, want 1203 and 40", got)
	}
}

func TestExportHasAllSamplesAndNoFormulas(t *testing.T) {
	h := open(t)
	h.measure(2, 1203)
	got := h.json(device+fmt.Sprintf("deviceId=1 id=1 ?start=%d&end=%d&format=csv&datapoints=size", began, began+
		100*86400), "")
	lines := strings.Split(strings.TrimSpace(got), "\r\n")
	if len(lines) != 1204 || lines[0] != "text/csv; charset=utf-8 web-Disks.csv\ninstance,time,size" ||
		lines[1203] != "'=var,2026-09-21T15:00:00Z,1000" {
		t.Errorf("the file has %d lines, begins with %q and ends with %q", len(lines), lines[0], lines[len(lines)-1])
	}
}

func TestGraphHasLinesWithTotals(t *testing.T) {
	h := open(t)
	h.measure(1, 3)
	h.measure(2, 2)
	span := fmt.Sprintf("?start=%d&end=%d", began, began+179)
	line := func(label, description string, digits int, color, values, sums string) string {
		legend := label[strings.LastIndex(label, " ")+1:]
		return fmt.Sprintf(`{"legend":%q,"label":%q,"description":%q,"type":"line","colorName":"","color":%q,`+
			`"visible":true,"decimal":%d,"useYMax":false,"data":[%s],%s}`, legend, label, description, color, digits,
			values, sums)
	}
	times := fmt.Sprintf(`"timestamps":[%d,%d,%d]`, began*1000, (began+60)*1000, (began+120)*1000)
	for _, tt := range []struct {
		do   string
		want []string
	}{
		{graph + "deviceId=1 hdsId=1 id=1 graphId=5003 " + span, []string{
			`"type":"graph","id":5003,"name":"Blocks"`, `"dsName":"Disks","instances":[1],"verticalLabel":"blocks"`,
			`"step":60`, times, `"missinglines":[]`, `"scopes":[{"type":"device","deviceId":1,"deviceGroupIds":[2]}]`,
			line("used", "Blocks in use", 0, "#3d7cc9", "0,1,2", `"min":0,"max":2,"avg":1,"std":0.816496580927726`),
			line("free", "", 4, "#e0803a", "1000,999,998", `"min":998,"max":1000,"avg":999,"std":0.816496580927726`),
		}},
		{byID + "instanceId=2 graphId=5003 " + span,
			[]string{line("used", "Blocks in use", 0, "#3d7cc9", "0,1,null", `"min":0,"max":1,"avg":0.5,"std":0.5`)}},
		{byID + "instanceId=3 graphId=5003 " + span,
			[]string{`"missinglines":["used","free"]`, line("used", "Blocks in use", 0, "#3d7cc9", "null,null,null",
				`"min":null,"max":null,"avg":null,"std":null`)}},
		{overview + "deviceId=1 deviceDsId=1 dsigId=1 ographId=5004 " + span, []string{
			`"instances":[1,2]`,
			line("/ used", "Blocks in use", 0, "#3d7cc9", "0,1,2", `"min":0,"max":2,"avg":1,"std":0.816496580927726`),
			line("=var free", "", 4, "#c9506b", "1000,999,null", `"min":999,"max":1000,"avg":999.5,"std":0.5`),
		}},
		{overview + "deviceId=1 deviceDsId=1 dsigId=1 ographId=5005 " + span, []string{
			line("used", "Blocks in use", 0, "#3d7cc9", "0,2,2", `"min":0,"max":2,"avg":1.3333333333333333,`+
				`"std":0.9428090415820634`),
			line("free", "", 4, "#e0803a", "1000,998,998", `"min":998,"max":1000,"avg":998.6666666666666,`+
				`"std":0.9428090415820634`),
		}},
		{overview + "deviceId=1 deviceDsId=1 dsigId=0 ographId=5004 " + span, []string{`"instances":[]`, `"lines":[]`}},
		{graph + "deviceId=1 hdsId=1 id=1 graphId=5003 " + span + "&format=csv",
			[]string{"time,used,free\r\n2026-09-21T15:00:00Z,0,1000\r\n"}},
	} {
		got := h.json(tt.do, "")
		for _, want := range tt.want {
			if !strings.Contains(got, want) {
				t.Errorf("%s\nanswers %s\nwithout %s", tt.do, got, want)
			}
		}
	}
}

func TestGraphHasTheExtremesOfItsSteps(t *testing.T) {
	h := open(t)
	h.measure(1, 600)
	h.measure(2, 600)
	span := fmt.Sprintf("?start=%d&end=%d&datapoints=used", began, began+599*60)
	read := func(do string) []data.GraphPlotLine {
		t.Helper()
		response, err := h.send(do, "")
		if err != nil {
			t.Fatal(err)
		}
		return response.(*data.GraphPlot).Lines
	}
	lines := read(byID + "instanceId=1 graphId=5003 " + span + "&extremes=true")
	used, free := lines[0], lines[1]
	if len(used.Data) != 300 || *used.Data[1] != 2.5 || *used.Lows[1] != 2 || *used.Highs[1] != 3 {
		t.Errorf("a step is %v, %v and %v of %d", *used.Data[1], *used.Lows[1], *used.Highs[1], len(used.Data))
	}
	if len(free.Lows)+len(free.Highs) > 0 {
		t.Errorf("a computed line has extremes: %d and %d", len(free.Lows), len(free.Highs))
	}
	if one := read(byID + "instanceId=1 graphId=5003 " + span)[0]; len(one.Lows)+len(one.Highs) > 0 {
		t.Error("extremes are there without extremes=true")
	}
	const all = "deviceId=1 deviceDsId=1 dsigId=1 ographId="
	if each := read(overview + all + "5004 " + span + "&extremes=true"); len(each[0].Highs) != 300 {
		t.Errorf("a line of an instance has %d extremes", len(each[0].Highs))
	}
	if sums := read(overview + all + "5005 " + span + "&extremes=true"); len(sums[0].Highs) > 0 {
		t.Error("a line over several instances has extremes")
	}
}

func TestGraphShowsAGapAfterThreeMissedPolls(t *testing.T) {
	for _, tt := range []struct {
		name            string
		every           int64 // seconds between polls
		polls           []int64
		hours           bool // only hourly values are left
		moments, absent int
	}{
		{"no poll is missing", 60, []int64{0, 1, 2, 3}, false, 4, 0},
		{"one and two are missing", 60, []int64{0, 2, 5, 6}, false, 4, 0},
		{"three are missing", 60, []int64{0, 1, 5, 6}, false, 4 + 3, 3},
		{"an outage", 60, []int64{0, 1, 31, 32}, false, 4 + 29, 29},
		{"hourly values", 3600, []int64{0, 1, 3, 6}, true, 4, 0},
		{"hourly values with a gap", 3600, []int64{0, 1, 6, 7}, true, 4 + 149, 149},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := open(t)
			var samples []series.Sample
			for _, n := range tt.polls {
				samples = append(samples, series.Sample{Instance: 1, DataPoint: 5001, At: began + n*tt.every, Value: 1})
			}
			if err := h.series.Append(t.Context(), samples); err != nil {
				t.Fatal(err)
			}
			if tt.hours {
				if err := h.series.Retain(t.Context(), series.Keep{Samples: 1, Hours: 300}); err != nil {
					t.Fatal(err)
				}
			}
			end := samples[len(samples)-1].At
			response, err := h.send(fmt.Sprintf(byID+"instanceId=1 graphId=5003 ?start=%d&end=%d", began, end), "")
			if err != nil {
				t.Fatal(err)
			}
			absent := 0
			for _, v := range response.(*data.GraphPlot).Lines[0].Data {
				if v == nil {
					absent++
				}
			}
			if n := len(response.(*data.GraphPlot).Timestamps); n != tt.moments || absent != tt.absent {
				t.Errorf("the graph has %d moments and %d without data, want %d and %d", n, absent,
					tt.moments, tt.absent)
			}
		})
	}
}

func TestFetchReturnsDataPerInstance(t *testing.T) {
	h := open(t)
	h.measure(1, 1)
	h.access = oslo()
	span := fmt.Sprintf("?start=%d&end=%d", began, began+60)
	want := fmt.Sprintf(`{"total":3,"searchId":null,"items":[{"instanceId":"3","dataSourceName":"","dataPoints":[],`+
		`"values":[],"time":[],"nextPageParams":"","errMsg":"there is no instance 3"},`+
		`{"instanceId":"1","dataSourceName":"Disks","dataPoints":["used","size"],"values":[[0,1000]],"time":[%d],`+
		`"nextPageParams":"","errMsg":""},`+
		`{"instanceId":"9","dataSourceName":"","dataPoints":[],"values":[],"time":[],"nextPageParams":"",`+
		`"errMsg":"there is no instance 9"}],"data":null}`, began*1000)
	if got := h.json(fetch+span, `{"instanceIds":"3,1,9"}`); got != want {
		t.Errorf("the response is %s\nwant %s", got, want)
	}
	for body, want := range map[string]string{
		`{}`: `invalid instanceIds: instanceIds is required`,
		`{"instanceIds":"1,x"}`: `invalid instanceIds: instanceIds must be comma-separated instance ids, ` +
			`such as 1,2,3`,
		`{"instanceIds":"` + strings.Repeat("1,", 100) + `1"}`: h.json(fetch+span, `{"instanceIds":"1"}`),
		`{"instanceIds":"` + hundredAndOne() + `"}`:            `invalid instanceIds: instanceIds has at most 100 ids`,
	} {
		if got := h.json(fetch+span, body); got != want {
			t.Errorf("%s returns %s, want %s", body, got, want)
		}
	}
}

func hundredAndOne() string {
	ids := make([]string, 101)
	for i := range ids {
		ids[i] = fmt.Sprint(i + 1)
	}
	return strings.Join(ids, ",")
}

// oslo may view only group 2.
func oslo() *resource.Access {
	return &resource.Access{UserID: 9, User: "clerk",
		Grants: []resource.Grant{{Object: resource.DeviceGroup, Op: resource.Read, Groups: map[int64]bool{2: true}}}}
}

func TestHiddenObjectsAreReportedAsNotFound(t *testing.T) {
	h := open(t)
	h.access = oslo()
	for do, want := range map[string]string{
		instance + "deviceId=9 hdsId=1 id=1": "unknown : there is no device 9",
		instance + "deviceId=2 hdsId=2 id=3": "unknown : there is no device 2",
		instance + "deviceId=1 hdsId=2 id=3": "unknown : there is no device datasource 2",
		instance + "deviceId=1 hdsId=1 id=3": "unknown : there is no instance 3",
		instance + "deviceId=1 hdsId=1 id=x": `unknown : there is no "x" here; an id must ` +
			`be a whole number`,
		device + "deviceId=2 id=2":                                  "unknown : there is no device 2",
		device + "deviceId=1 id=2":                                  "unknown : there is no device datasource 2",
		byID + "instanceId=3 graphId=5003":                          "unknown : there is no instance 3",
		byID + "instanceId=1 graphId=5004":                          "unknown : there is no graph 5004 of Disks",
		graph + "deviceId=1 hdsId=1 id=3 graphId=5003":              "unknown : there is no instance 3",
		overview + "deviceId=2 deviceDsId=2 dsigId=1 ographId=5004": "unknown : there is no device 2",
		overview + "deviceId=1 deviceDsId=1 dsigId=7 ographId=5004": "unknown : there is no instance group 7",
		overview + "deviceId=1 deviceDsId=1 dsigId=1 ographId=5003": "unknown : there is no graph 5003 of Disks",
	} {
		if got := h.json(do, ""); got != want {
			t.Errorf("%s\nanswers %s, want %s", do, got, want)
		}
	}
	h.access = &resource.Access{UserID: 8, User: "nobody"}
	for id, e := range h.endpoints {
		if h.access.May(e.Right) {
			t.Errorf("%s goes without any right", id)
		}
	}
}

func TestInvalidParameterIsNamed(t *testing.T) {
	h := open(t)
	for query, want := range map[string]string{
		"start=x": "invalid start: start must be a time in epoch seconds, a whole number from 0",
		"end=-1":  "invalid end: end must be a time in epoch seconds, a whole number from 0",
		"end=1790002800000": "invalid end: end must be in epoch seconds; 1790002800000 is after the year " +
			"9999 and may be in milliseconds",
		"start=1790002801&end=1790002800": "invalid start: start is after end: 2026-09-21T15:00:01Z is later than " +
			"2026-09-21T15:00:00Z",
		"period=1&start=1": "invalid period: period and start cannot be combined; use period with end, or " +
			"start with end",
		"period=0":   "invalid period: period must be a number of hours, more than 0 and at most 878400",
		"period=NaN": "invalid period: period must be a number of hours, more than 0 and at most 878400",
		"format=xml": "invalid format: format is json or csv",
		"aggregate=averge": "invalid aggregate: aggregate is none, average, max, min, sum, first, " +
			"last, count or percentile; did you mean average?",
		"aggregate=max&percent=90":       "invalid percent: percent requires aggregate=percentile",
		"aggregate=percentile&percent=0": "invalid percent: percent must be a whole number from 1 to 99",
		"step=60":                        "invalid step: step requires aggregate",
		"aggregate=max&step=0":           "invalid step: step must be a whole number of seconds from 1 to 31622400",
		"aggregate=max&step=1&period=24": "invalid step: step is too short for this time range: more than " +
			"20000 steps",
		"datapoints=used,siz": `invalid datapoints: datapoints: Disks has no data point "siz"; did you ` +
			`mean size?`,
	} {
		if got := h.json(first+"?"+query, ""); got != want {
			t.Errorf("%s returns %s\nwant %s", query, got, want)
		}
	}
}
