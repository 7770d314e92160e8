package server_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"strings"
	"testing"

	"spyglass/backend/check"
	"spyglass/backend/portal/datasource"
	"spyglass/backend/resource"
)

// source reads a data source as the administrator.
func (w *fixture) source(id int64) (d struct {
	ID                 int64
	Name, AppliesTo    string
	Version            int64
	Checksum           string
	DataPoints         []datasource.DataPoint
	Graphs             []datasource.Graph
	OverviewGraphs     []datasource.Graph
	HasMultiInstances  bool
	CollectorAttribute map[string]any
	LineageID          string
}) {
	w.t.Helper()
	status, text := w.request("admin", fmt.Sprintf("GET /setting/datasources/%d", id), "")
	if err := json.Unmarshal([]byte(text), &d); err != nil || status != http.StatusOK {
		w.t.Fatalf("data source %d: %d %s", id, status, text)
	}
	return d
}

func (w *fixture) does(request, body string) string {
	w.t.Helper()
	status, text := w.request("admin", request, body)
	if status >= 300 {
		w.t.Fatalf("%s %s: %d %s", request, body, status, text)
	}
	return text
}

func TestDataPointIDsAreStableAndNotReused(t *testing.T) {
	w := newFixture(t)
	w.must(
		"POST /setting/datasources", `{"name":"Door","collectMethod":"simulate","collectInterval":60,"dataPoints":[{"name":"open"},{"name":"shut"}],
		"graphs":[{"name":"Both","lines":[{"dataPointName":"OPEN"},{"dataPointName":"shut"}]}]}`)
	ids := func() (all string) {
		d := w.source(103)
		for _, p := range d.DataPoints {
			all += fmt.Sprintf("%s=%d ", p.Name, p.ID)
		}
		for _, g := range d.Graphs {
			all += fmt.Sprintf("%s=%d:", g.Name, g.ID)
			for _, line := range g.Lines {
				all += fmt.Sprintf("%s/%d ", line.DataPointName, line.DataPointID)
			}
		}
		return fmt.Sprint(all, "v", d.Version)
	}
	for _, step := range []struct{ request, body, want string }{
		{"PATCH /setting/datasources/103", `{}`, "open=103001 shut=103002 Both=103003:open/103001 shut/103002 v1"},
		{"PATCH /setting/datasources/103", `{"dataPoints":[{"name":"shut"},{"name":"new"},{"name":"Open"}]}`,
			"shut=103002 new=103004 Open=103001 Both=103003:Open/103001 shut/103002 v2"},
		{"PATCH /setting/datasources/103", `{"dataPoints":[{"id":103001,"name":"ajar"}]}`,
			"ajar=103001 Both=103003:ajar/103001 v3"},
		{"PATCH /setting/datasources/103", `{"dataPoints":[{"name":"ajar"},{"name":"shut"},{"id":4711,` +
			`"name":"strange"}]}`, "ajar=103001 shut=103005 strange=103006 Both=103003:ajar/103001 v4"},
		{"PUT /setting/datasources/103", `{"name":"Door","collectMethod":"simulate","collectInterval":60,` +
			`"dataPoints":[{"name":"strange"}]}`, "strange=103006 v5"},
		{"PATCH /setting/datasources/103?reason=again", `{"collectInterval":60}`, "strange=103006 v5"},
	} {
		w.does(step.request, step.body)
		if got := ids(); got != step.want {
			t.Errorf("%s %s\n got %s\nwant %s", step.request, step.body, got, step.want)
		}
	}
	const reasons = `"updateReason":"again"`
	if text := w.does("GET /setting/datasources/103/updatereasons?sort=-id", ""); !strings.Contains(text,
		`{"total":6,`) || !strings.Contains(text[:200], reasons) || !strings.Contains(text, `"userName":"admin"`) {
		t.Errorf("the reasons are %s", text)
	}
	w.does("DELETE /setting/datasources/103", "")
	w.must("POST /setting/datasources", `{"name":"Door","collectMethod":"simulate","collectInterval":60,`+
		`"dataPoints":[{"name":"open"}]}`)
	if d := w.source(104); d.DataPoints[0].ID != 104001 {
		t.Errorf("the new data source's point has id %d, want 104001", d.DataPoints[0].ID)
	}
}

func TestEveryCheckListsItsAttributes(t *testing.T) {
	w := newFixture(t)
	var list struct {
		Total int
		Items []check.Check
	}
	if err := json.Unmarshal([]byte(w.does("GET /setting/checks", "")), &list); err != nil {
		t.Fatal(err)
	}
	all := check.All(&check.Dialer{})
	if list.Total != len(all) || len(list.Items) != len(all) {
		t.Fatalf("%d of %d checks are listed, want %d", len(list.Items), list.Total, len(all))
	}
	sources := w.does("GET /setting/datasources?fields=appliesTo&size=100", "")
	for i, c := range list.Items {
		if c.Name != all[i].Name || c.Title == "" || c.Doc == "" || len(c.Fields) == 0 {
			t.Errorf("%s is listed as %+v", all[i].Name, c)
		}
		if c.Needs == nil {
			continue
		}
		if c.Needs.Secret != resource.SecretName(c.Needs.Property) {
			t.Errorf("%s: secret is %t", c.Needs.Property, c.Needs.Secret)
		}
		if !strings.Contains(sources, c.Needs.Property) && c.Needs.Category == "" {
			t.Errorf("no data source applies to devices with the property %s", c.Needs.Property)
		}
	}
}

func TestInvalidDataSourceIsRefusedWithAMessage(t *testing.T) {
	w := newFixture(t)
	with := func(more string) string {
		return `{"name":"X","collectMethod":"ping","collectInterval":60,` + more + `}`
	}
	for _, tt := range []struct{ body, field, want string }{
		{`{"name":"a|b","collectMethod":"ping","collectInterval":60}`, "name", `name must not contain * ? | , " ` +
			`\ and /, because filters and alert rules select data sources by it`},
		{`{"name":"a\u0007b","collectMethod":"ping","collectInterval":60}`, "name",
			"name must be one line of text without control characters"},
		{`{"name":"  ","collectMethod":"ping","collectInterval":60}`, "name", "name must not be empty"},
		{`{"name":"X","collectMethod":"telepathy","collectInterval":60}`, "collectMethod",
			"collectMethod must be one of ping, host, disk, network, http, tls, tcp, dns, snmp, simulate"},
		{`{"name":"X","collectMethod":"ping","collectInterval":0}`, "collectInterval",
			"collectInterval must be a whole number from 1 to 86400"},
		{with(`"appliesTo":"isLinux("`), "appliesTo", ""},
		{with(`"appliesTo":"nonsense()"`), "appliesTo", ""},
		{with(`"collectorAttribute":{"name":"snmp"}`), "collectorAttribute.name",
			"collectorAttribute.name must match the collectMethod: ping"},
		{with(`"collectorAttribute":{"password":"hunter2"}`), "collectorAttribute.password",
			"collectorAttribute.password is visible to all users who view data sources; keep the secret in a " +
				"device property, and write ##password## here"},
		{with(`"enableAutoDiscovery":true`), "autoDiscoveryConfig", "autoDiscoveryConfig is required while " +
			"enableAutoDiscovery is true"},
		{with(`"dataPoints":[{"name":"a"},{"name":"A"}]`), "dataPoints[1].name",
			"dataPoints[1].name: there are two data points A"},
		{with(`"dataPoints":[{"name":"<script>"}]`), "dataPoints[0].name",
			"dataPoints[0].name must begin with a letter " +
				"or _, and have at most 64 letters, digits, spaces, _ . and -"},
		{with(`"dataPoints":[{"name":"a","alertExpr":"> x"}]`), "dataPoints[0].alertExpr",
			`dataPoints[0].alertExpr: "x" is not a number; write a threshold like > 60 80 90`},
		{with(`"dataPoints":[{"name":"a","type":9}]`), "dataPoints[0].type",
			"dataPoints[0].type must be a whole number " +
				"from 1 to 3"},
		{with(`"dataPoints":[{"name":"a","minValue":"5","maxValue":"1"}]`), "dataPoints[0].maxValue",
			"dataPoints[0].maxValue must not be less than minValue"},
		{with(`"dataPoints":[{"name":"a","postProcessorMethod":"expression","postProcessorParam":"b/2"}]`),
			"dataPoints[0].postProcessorParam", `dataPoints[0].postProcessorParam: there is no data point "b"`},
		{with(`"dataPoints":[{"name":"a","postProcessorMethod":"expression","postProcessorParam":"a+1"}]`),
			"dataPoints[0].postProcessorParam", "dataPoints[0].postProcessorParam: a is computed itself, and does " +
				"not come before a"},
		{with(`"dataPoints":[{"name":"a","postProcessorMethod":"expression","postProcessorParam":"1+"}]`),
			"dataPoints[0].postProcessorParam",
			"dataPoints[0].postProcessorParam: expected a value before the end at 2"},
		{with(`"graphs":[{"name":"g","lines":[{"dataPointName":"gone"}]}]`), "graphs[0].lines[0].dataPointName",
			`graphs[0].lines[0].dataPointName: there is no data point "gone"`},
		{with(`"dataPoints":[{"name":"a"}],"overviewGraphs":[{"name":"g","virtualDataPoints":[{"name":"v",` +
			`"rpn":"a*b"}]}]`), "overviewGraphs[0].virtualDataPoints[0].rpn",
			`overviewGraphs[0].virtualDataPoints[0].rpn: there is no data point or earlier virtual data point "b"`},
	} {
		status, text := w.request("admin", "POST /setting/datasources", tt.body)
		var got struct {
			ErrorMessage string
			ErrorDetail  struct{ Field string }
		}
		err := json.Unmarshal([]byte(text), &got)
		if err != nil || status != http.StatusBadRequest || got.ErrorDetail.Field != tt.field || tt.want != "" &&
			got.ErrorMessage != tt.want {
			t.Errorf("%s\n got %d %s\nwant %s at %s", tt.body, status, text, tt.want, tt.field)
		}
	}
	if status, text := w.request("admin", "POST /setting/datasources", `{"name":"PING","collectMethod":"ping",`+
		`"collectInterval":60}`); status != http.StatusConflict {
		t.Errorf("a second Ping: %d %s", status, text)
	}
}

func TestDataSourcesNeedPermissionForTheirArea(t *testing.T) {
	w := newFixture(t)
	for _, request := range []string{"GET /setting/datasources", "GET /setting/datasources/1",
		"GET /setting/datasources/1?format=json", "GET /setting/datasources?format=json",
		"GET /setting/datasources/1/ographs",
		"GET /setting/datasources/1/devices", "GET /setting/datasources/1/updatereasons",
		"DELETE /setting/datasources/1", "POST /setting/datasources/importjson", "POST /setting/functions/importjson"} {
		body := ""
		if strings.HasPrefix(request, "POST") {
			body = `{"name":"x"}`
		}
		if status, text := w.request("clerk", request, body); status != http.StatusForbidden {
			t.Errorf("%s: %d %s", request, status, text)
		}
	}
}

// upload sends a file in a form, as browsers do.
func (w *fixture) upload(path, file string) (int, string) {
	w.t.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	part, err := form.CreateFormFile("file", "x.json")
	if err == nil {
		_, err = io.WriteString(part, file)
	}
	if err == nil {
		err = form.Close()
	}
	if err != nil {
		w.t.Fatal(err)
	}
	r, err := http.NewRequestWithContext(w.t.Context(), http.MethodPost, w.s.Origin()+"/api"+path, &body)
	if err != nil {
		w.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+w.bearers["admin"])
	r.Header.Set("Content-Type", form.FormDataContentType())
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		w.t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		w.t.Fatal(err)
	}
	return response.StatusCode, string(text)
}

func TestDataSourceExportRoundTrips(t *testing.T) {
	w := newFixture(t)
	file := w.does("GET /setting/datasources/7?format=json", "")
	if strings.Contains(file, `"id"`) || strings.Contains(file, "dataPointId") ||
		!strings.Contains(file, `"name": "SNMP_Interfaces"`) {
		t.Errorf("the file is %s", file)
	}
	was := w.source(7)
	if status, text := w.upload("/setting/datasources/importjson", file); status != http.StatusConflict {
		t.Errorf("a second one: %d %s", status, text)
	}
	w.does("PATCH /setting/datasources/7", `{"description":"ours","appliesTo":"false()"}`)
	if status, text := w.upload("/setting/datasources/importjson?handleConflict=FORCE_OVERWRITE&"+
		"fieldsToPreserve=APPLIES_TO_SCRIPT", file); status != http.StatusOK {
		t.Errorf("overwriting: %d %s", status, text)
	}
	now := w.source(7)
	if now.AppliesTo != "false()" || now.DataPoints[12].ID != was.DataPoints[12].ID ||
		now.Graphs[3].ID != was.Graphs[3].ID || now.Version != was.Version+2 {
		t.Errorf("it became %+v", now)
	}
	w.does("POST /setting/datasources/importjson?handleConflict=FORCE_OVERWRITE", file)
	if again := w.source(7); again.Checksum != was.Checksum {
		t.Errorf("the checksum is %s, want %s", again.Checksum, was.Checksum)
	}
	all := w.does("GET /setting/datasources?format=json", "")
	w.does("DELETE /setting/datasources/7", "")
	if status, text := w.upload("/setting/datasources/importjson?handleConflict=FORCE_OVERWRITE",
		all); status != http.StatusOK {
		t.Errorf("all: %d %s", status, text)
	}
	if again := w.does("GET /setting/datasources?format=json&sort=name", ""); strings.Count(again,
		`"collectMethod"`) != 10 {
		t.Errorf("after all came in there are %s", again)
	}
	if text := w.does(`GET /setting/datasources?filter=name:"SNMP_Interfaces"`, ""); !strings.Contains(text,
		`"checksum":"`+was.Checksum+`"`) || strings.Contains(text, `"id":7,`) {
		t.Errorf("the deleted one came back as %s", text)
	}
	broken := strings.Replace(strings.Replace(all, `"Ping"`, `"Ping2"`, 1), `"collectMethod": "tcp"`,
		`"collectMethod": "smoke"`, 1)
	if status, text := w.upload("/setting/datasources/importjson?handleConflict=FORCE_OVERWRITE",
		broken); status != http.StatusBadRequest {
		t.Errorf("a broken file: %d %s", status, text)
	}
	if text := w.does(`GET /setting/datasources?filter=name:"Ping2"`, ""); !strings.Contains(text, `"total":0`) {
		t.Errorf("half of a broken file came in: %s", text)
	}
}

func TestInvalidImportFileIsRefused(t *testing.T) {
	w := newFixture(t)
	for _, tt := range []struct{ request, body, want string }{
		{"GET /setting/datasources/1?format=xml", "",
			"format must be json; data sources can be exported as JSON only"},
		{"GET /setting/datasources?format=xml", "",
			"format must be json; data sources can be exported as JSON only"},
		{"POST /setting/datasources/importjson?handleConflict=MAYBE", `{"name":"x"}`,
			"handleConflict must be one of ERROR, FORCE_OVERWRITE"},
		{"POST /setting/datasources/importjson", `[]`, "the file must be a JSON object"},
		{"POST /setting/datasources/importjson", `{"items":[]}`, "items must be a list of at least one object"},
		{"POST /setting/datasources/importjson", `{"items":[null]}`, "items must be a list of at least one object"},
		{"POST /setting/datasources/importjson", `{"collectMethod":"ping"}`, "name is required and must not be " +
			"empty"},
		{"POST /setting/datasources/importjson", `{"name":"x","collectMethod":"ping"}`, "collectInterval is required"},
		{"POST /setting/datasources/importjson?handleConflict=FORCE_OVERWRITE&fieldsToPreserve=COLOR",
			`{"name":"Ping"}`, `fieldsToPreserve: there is no "COLOR"; it takes ACTIVE_DISCOVERY_FILTERS, ` +
				`ACTIVE_DISCOVERY_INTERVAL, APPLIES_TO_SCRIPT, COLLECTION_INTERVAL, DATAPOINT_ALERT_THRESHOLDS, ` +
				`NAME, TAGS, and names of fields`},
		{"POST /setting/functions/importjson", `{"name":"x"}`, "code is required"},
	} {
		status, text := w.request("admin", tt.request, tt.body)
		var got struct{ ErrorMessage string }
		if err := json.Unmarshal([]byte(text), &got); err != nil || status != http.StatusBadRequest ||
			got.ErrorMessage != tt.want {
			t.Errorf("%s %s\n got %d %s\nwant %s", tt.request, tt.body, status, text, tt.want)
		}
	}
}

func TestFunctionUsedByADataSourceCannotBeDeleted(t *testing.T) {
	w := newFixture(t)
	w.does("POST /setting/functions/importjson", `{"name":"isDoor","code":"displayName == \"fjord\""}`)
	w.must("POST /setting/datasources", `{"name":"Door","collectMethod":"simulate","collectInterval":60,`+
		`"appliesTo":"isDoor()"}`)
	w.does("POST /setting/functions/importjson?handleConflict=FORCE_OVERWRITE&fieldsToPreserve=description",
		`{"name":"isDoor","code":"displayName == \"bridge\""}`)
	if status, text := w.request("admin", "DELETE /setting/functions/1", ""); status != http.StatusConflict ||
		!strings.Contains(text, "isDoor is used by the data source Door") {
		t.Errorf("%d %s", status, text)
	}
}

func TestRenamedDataSourceIsRenamedOnDevices(t *testing.T) {
	w := newFixture(t)
	w.does("POST /device/devices/1/scheduleAutoDiscovery", "")
	const seen = `GET /setting/datasources/1/devices`
	if text := w.does(seen, ""); !strings.Contains(text, `"name":"fjord"`) || !strings.Contains(text, `"name":"Ping"`) {
		t.Errorf("the data source is on %s", text)
	}
	w.does("PATCH /setting/datasources/1", `{"name":"Echo"}`)
	for _, request := range []string{"GET /device/devices/1/devicedatasources?fields=dataSourceName",
		"GET /device/devices/1/instances?fields=name", seen} {
		if text := w.does(request, ""); !strings.Contains(text, "Echo") || strings.Contains(text, `"Ping"`) {
			t.Errorf("%s: %s", request, text)
		}
	}
	w.does("DELETE /setting/datasources/1", "")
	if text := w.does("GET /device/devices/1/instances", ""); !strings.Contains(text, `"total":0`) {
		t.Errorf("after the data source has gone there are %s", text)
	}
}
