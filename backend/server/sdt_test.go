package server_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"spyglass/backend/portal/maintenance"
	"spyglass/backend/resource"
	"spyglass/backend/server"
)

// on sends a request to one of the mounts, as fixture.request does to the native mount.
func (w *fixture) on(mount, who, request, body string) (status int, response string) {
	w.t.Helper()
	c := &client{t: w.t, origin: w.s.Origin(), bearer: w.bearers[who], http: http.DefaultClient}
	method, path, _ := strings.Cut(request, " ")
	status, text, err := c.request(method, mount+path, body)
	if err != nil {
		w.t.Fatal(err)
	}
	return status, string(text)
}

type exchange struct {
	request, body string
	status        int
	want          string // text that the response contains
}

func (w *fixture) exchanges(who string, all []exchange) {
	w.t.Helper()
	for _, e := range all {
		status, response := w.request(who, e.request, e.body)
		if status != e.status || !strings.Contains(response, e.want) {
			w.t.Errorf("%s: %s %s\nanswers %d %s\nwant    %d %s", who, e.request, e.body, status, response,
				e.status, e.want)
		}
	}
}

const startOn, endOn = 1_900_000_000_000, 1_900_003_600_000

func once(more string) string {
	return fmt.Sprintf(`{"startDateTime":%d,"endDateTime":%d,%s}`, int64(startOn), int64(endOn), more)
}

func again(kind, more string) string {
	return fmt.Sprintf(`{"type":"ResourceSDT","deviceId":1,"sdtType":%q,%s}`, kind, more)
}

func TestMaintenanceWindowIsStoredWithDefaults(t *testing.T) {
	w := newFixture(t)
	w.exchanges("admin", []exchange{
		{"POST /sdt/sdts", once(`"type":"ResourceSDT","deviceDisplayName":"fjord","timezone":"Asia/Kathmandu",` +
			`"comment":"new fans"`), 201,
			`{"id":"R_1","type":"ResourceSDT","comment":"new fans","sdtType":"oneTime","admin":"admin",` +
				`"timezone":"Asia/Kathmandu","startDateTime":1900000000000,"endDateTime":1900003600000,` +
				`"startDateTimeOnLocal":"2030-03-17 23:31:40 +0545","endDateTimeOnLocal":"2030-03-18 00:31:40 +0545",` +
				`"duration":60,` +
				`"deviceId":1,"deviceGroupId":0,"dataSourceId":0,"deviceDataSourceId":0,"dataSourceInstanceId":0,` +
				`"deviceDataSourceInstanceGroupId":0,"collectorId":0,` +
				`"isEffective":false,"deviceDisplayName":"fjord","deviceGroupFullPath":"","dataSourceName":"",` +
				`"dataSourceInstanceName":"","deviceDataSourceInstanceGroupName":"","collectorDescription":""}`},
		{"PATCH /device/devices/1", `{"displayName":"sound"}`, 200, ""},
		{"GET /sdt/sdts/R_1?fields=deviceDisplayName", "", 200, `{"deviceDisplayName":"sound"}`},
		{"PATCH /sdt/sdts/1", `{"duration":90}`, 200, `"endDateTime":1900005400000`},
		{"PATCH /sdt/sdts/1", `{"endDateTime":1900003600000}`, 200, `"duration":60`},
		{"PATCH /sdt/sdts/1", `{"deviceGroupFullPath":"Oslo/Inner","type":"ResourceGroupSDT"}`, 200,
			`"deviceId":0,"deviceGroupId":3`},
		{"POST /sdt/sdts", again("weekly", `"hour":22,"duration":180,"weekDay":"sunday, Monday"`), 201,
			`"hour":22,"minute":0,"endHour":1,"endMinute":0,"duration":180,"weekDay":"sunday, Monday"`},
		{"PATCH /sdt/sdts/R_2", `{"hour":23}`, 200, `"hour":23,"minute":0,"endHour":2,"endMinute":0,"duration":180`},
		{"PATCH /sdt/sdts/R_2", `{"endHour":1}`, 200, `"duration":120`},
		{"PATCH /sdt/sdts/R_2", `{"sdtType":"daily"}`, 200, `"sdtType":"daily","admin":"admin","timezone":""`},
		{"POST /sdt/sdts", again("monthly", `"monthDay":31,"endMinute":30`), 201,
			`"endHour":0,"endMinute":30,"duration":30,"monthDay":31`},
		{"POST /sdt/sdts", again("monthlyByWeek", `"weekDay":"Tuesday","weekOfMonth":"last","duration":1440`), 201,
			`"duration":1440,"weekDay":"Tuesday","weekOfMonth":"last"`},
		{"POST /sdt/sdts", `{"type":"CollectorSDT","collectorId":1,"duration":60}`, 201,
			`"isEffective":true,"deviceDisplayName":"","deviceGroupFullPath":"","dataSourceName":"",` +
				`"dataSourceInstanceName":"","deviceDataSourceInstanceGroupName":"",` +
				`"collectorDescription":"Built-in collector"`},
		{"GET /sdt/sdts?sort=-startDateTime&fields=id&filter=startDateTime%3E:1900000000000", "", 200,
			`"items":[{"id":"R_1"}]`},
		{`GET /sdt/sdts?filter=id:"R_3"&fields=id`, "", 200, `"items":[{"id":"R_3"}]`},
		{"GET /sdt/sdts?filter=isEffective:true", "", 400, "filter: cannot filter by isEffective at 0"},
		{"GET /sdt/sdts?sort=isEffective", "", 400,
			"isEffective is calculated; lists cannot be sorted by it"},
		{"DELETE /sdt/sdts/R_3", "", 200, "{}"},
		{"GET /sdt/sdts/R_3", "", 404, "there is no maintenance window 3"},
	})
	for _, id := range []string{"R_1", "R_2", "R_4", "R_5"} {
		_, read := w.request("admin", "GET /sdt/sdts/"+id, "")
		w.exchanges("admin", []exchange{{"PUT /sdt/sdts/" + id, read, 200, read}})
	}
}

func TestInvalidMaintenanceWindowIsExplained(t *testing.T) {
	w := newFixture(t)
	for _, tt := range []struct{ body, want string }{
		{`{"deviceId":1,"duration":5}`, "type is required"},
		{`{"type":"DeviceSDT","deviceId":1,"duration":5}`, "type must be one of ResourceSDT, ResourceGroupSDT, " +
			"DeviceDataSourceSDT, DeviceDataSourceInstanceSDT, DeviceDataSourceInstanceGroupSDT, CollectorSDT"},
		{`{"type":"ResourceSDT","duration":5}`, "deviceId is required while type is ResourceSDT"},
		{`{"type":"ResourceGroupSDT","duration":5}`, "deviceGroupId is required while type is ResourceGroupSDT"},
		{`{"type":"DeviceDataSourceSDT","deviceId":1,"duration":5}`, "deviceDataSourceId is required while type is " +
			"DeviceDataSourceSDT"},
		{`{"type":"DeviceDataSourceInstanceSDT","deviceId":1,"duration":5}`, "dataSourceInstanceId is required while " +
			"type is DeviceDataSourceInstanceSDT"},
		{`{"type":"DeviceDataSourceInstanceGroupSDT","duration":5}`, "deviceDataSourceInstanceGroupId is required " +
			"while type is DeviceDataSourceInstanceGroupSDT"},
		{`{"type":"CollectorSDT","duration":5}`, "collectorId is required while type is CollectorSDT"},
		{`{"type":"ResourceSDT","deviceId":99,"duration":5}`, "deviceId: there is no device 99"},
		{`{"type":"ResourceSDT","deviceDisplayName":"nobody","duration":5}`, `deviceDisplayName: there is no ` +
			`device \"nobody\"`},
		{`{"type":"ResourceSDT","deviceDisplayName":7,"duration":5}`, "deviceDisplayName must be a text in double " +
			"quotes"},
		{`{"type":"ResourceGroupSDT","deviceGroupFullPath":"No/Where","duration":5}`,
			`deviceGroupFullPath: there is no device group \"No/Where\"`},
		{`{"type":"ResourceGroupSDT","deviceGroupId":2,"dataSourceName":"none","duration":5}`,
			`dataSourceName: there is no data source \"none\"`},
		{`{"type":"ResourceGroupSDT","deviceGroupId":99,"duration":5}`, "deviceGroupId: there is no device group 99"},
		{`{"type":"DeviceDataSourceSDT","deviceDataSourceId":99,"duration":5}`, "deviceDataSourceId: there is no " +
			"device datasource 99"},
		{`{"type":"DeviceDataSourceInstanceSDT","dataSourceInstanceId":99,"duration":5}`,
			"dataSourceInstanceId: there is no instance 99"},
		{`{"type":"DeviceDataSourceInstanceGroupSDT","deviceDataSourceInstanceGroupId":99,"duration":5}`,
			"deviceDataSourceInstanceGroupId: there is no instance group 99"},
		{`{"type":"CollectorSDT","collectorId":99,"duration":5}`, "collectorId: there is no collector 99"},
		{`{"type":"ResourceSDT","deviceId":1,"collectorId":1,"duration":5}`,
			"collectorId cannot be used with the type ResourceSDT"},
		{`{"type":"ResourceSDT","deviceId":1,"deviceGroupId":2,"duration":5}`,
			"deviceGroupId cannot be used with the " +
				"type ResourceSDT"},
		{`{"type":"CollectorSDT","collectorId":1,"deviceId":1,"duration":5}`, "deviceId cannot be used with the type " +
			"CollectorSDT"},
		{`{"type":"ResourceSDT","deviceId":1}`, "endDateTime or duration is required while sdtType is oneTime"},
		{`{"type":"ResourceSDT","deviceId":1,"startDateTime":9000,"endDateTime":9000}`,
			"endDateTime must be later than startDateTime"},
		{`{"type":"ResourceSDT","deviceId":1,"startDateTime":-1,"duration":5}`, "startDateTime must be a whole " +
			"number from 0 to 253402300799999"},
		{`{"type":"ResourceSDT","deviceId":1,"startDateTime":253402300799999,"duration":5}`,
			"endDateTime must be before the year 10000"},
		{once(`"type":"ResourceSDT","deviceId":1,"duration":61`), "duration is 61 minutes, but startDateTime to " +
			"endDateTime is 60 minutes; omit one of the two"},
		{`{"type":"ResourceSDT","deviceId":1,"duration":-5}`, "duration must be a whole number from 0 to 52560000"},
		{`{"type":"ResourceSDT","deviceId":1,"duration":5,"timezone":"Mars/Olympus"}`,
			"timezone must be an IANA time zone name such as Europe/Berlin"},
		{`{"type":"ResourceSDT","deviceId":1,"duration":5,"timezone":"Local"}`,
			"timezone must be an IANA time zone name such as Europe/Berlin"},
		{`{"type":"ResourceSDT","deviceId":1,"duration":5,"hour":3}`, "hour is only for the sdtType daily, weekly, " +
			"monthly, monthlyByWeek, not for oneTime"},
		{`{"type":"ResourceSDT","deviceId":1,"duration":5,"sdtType":"yearly"}`, "sdtType must be one of oneTime, " +
			"daily, weekly, monthly, monthlyByWeek"},
		{`{"type":"ResourceSDT","deviceId":1,"duration":5,"comment":3}`, "comment must be a text in double quotes"},
		{again("daily", `"hour":24,"duration":5`), "hour must be a whole number from 0 to 23"},
		{again("daily", `"minute":60,"duration":5`), "minute must be a whole number from 0 to 59"},
		{again("daily", `"endHour":-1`), "endHour must be a whole number from 0 to 23"},
		{again("daily", `"endMinute":60`), "endMinute must be a whole number from 0 to 59"},
		{again("daily", `"hour":2`), "endHour and endMinute, or duration, are required while sdtType is daily"},
		{again("daily", `"hour":2,"endHour":4,"duration":60`), "duration is 60 minutes, but 02:00 to 04:00 " +
			"is 120 minutes; omit one of the two"},
		{again("daily", `"duration":1441`), "duration must be at most 1440 minutes here, so that no window begins " +
			"before the last one has ended"},
		{again("daily", `"duration":5,"weekDay":"Monday"`), "weekDay is only for the sdtType weekly, " +
			"monthlyByWeek, not for daily"},
		{again("daily", `"duration":5,"startDateTime":9000,"endDateTime":8000`),
			"endDateTime must be later than startDateTime, or 0 for no end"},
		{again("weekly", `"duration":5`), "weekDay must be one or some, joined by commas, of Sunday, " +
			"Monday, Tuesday, Wednesday, Thursday, Friday, Saturday"},
		{again("weekly", `"duration":5,"weekDay":"Monday,Moonday"`), "weekDay must be one or some, joined by " +
			"commas, of Sunday, Monday, Tuesday, Wednesday, Thursday, Friday, Saturday"},
		{again("weekly", `"duration":1500,"weekDay":"Monday,Tuesday"`), "duration must be at most 1440 minutes " +
			"here, so that no window begins before the last one has ended"},
		{again("weekly", `"duration":5,"weekDay":"Monday","monthDay":3`), "monthDay is only for the sdtType " +
			"monthly, not for weekly"},
		{again("monthly", `"duration":5`), "monthDay is required while sdtType is monthly"},
		{again("monthly", `"duration":5,"monthDay":32`), "monthDay must be a whole number from 0 to 31"},
		{again("monthly", `"duration":5,"monthDay":3,"weekOfMonth":"First"`), "weekOfMonth is only for the sdtType " +
			"monthlyByWeek, not for monthly"},
		{again("monthlyByWeek", `"duration":5,"weekDay":"Monday"`), "weekOfMonth must be one of First, Second, " +
			"Third, Fourth, Last"},
	} {
		status, response := w.request("admin", "POST /sdt/sdts", tt.body)
		if status != 400 || !strings.Contains(response, `"errorMessage":"`+tt.want+`"`) {
			t.Errorf("%s\nanswers %d %s\nwant    400 %s", tt.body, status, response, tt.want)
		}
	}
	w.exchanges("admin", []exchange{{"GET /sdt/sdts", "", 200, `"total":0`}})
}

func TestPublishedClientsCanSendAllTheirFields(t *testing.T) {
	w := newFixture(t)
	body := once(`"type":"DeviceSDT","deviceId":"1","sdtType":"oneTime","weekDay":"Sunday","monthDay":1,"hour":5,` +
		`"notes":"x"`)
	if status, response := w.on("/santaba/rest", "admin", "POST /sdt/sdts", body); status != 200 ||
		!strings.Contains(response, `"type":"ResourceSDT"`) || strings.Contains(response, `"weekDay"`) {
		t.Errorf("%d %s", status, response)
	}
	if status, response := w.on("/santaba/rest", "admin", "POST /sdt/sdts", once(`"type":"DeviceGroupSDT",`+
		`"deviceGroupId":2`)); status != 200 || !strings.Contains(response, `"type":"ResourceGroupSDT"`) {
		t.Errorf("%d %s", status, response)
	}
}

func TestMaintenanceOfHiddenObjectsIsHidden(t *testing.T) {
	w := newFixture(t) // clerk may edit Oslo, group 2: devices 1 and 3
	for _, what := range []string{`"type":"ResourceSDT","deviceId":1`, `"type":"ResourceSDT","deviceId":2`,
		`"type":"ResourceGroupSDT","deviceGroupId":4`, `"type":"ResourceGroupSDT","deviceGroupId":1`,
		`"type":"CollectorSDT","collectorId":1`} {
		w.must("POST /sdt/sdts", once(what))
	}
	w.exchanges("clerk", []exchange{
		// it may edit collectors
		{"GET /sdt/sdts?fields=id", "", 200, `{"total":2,"searchId":null,"items":[{"id":"R_1"},{"id":"R_5"}],` +
			`"data":null}`},
		{"GET /sdt/sdts?fields=id&filter=deviceId:2", "", 200, `"total":0`},
		{"GET /sdt/sdts/R_2", "", 404, refusal(1404, "there is no maintenance window 2")},
		{"GET /sdt/sdts/R_9", "", 404, refusal(1404, "there is no maintenance window 9")},
		{"PATCH /sdt/sdts/R_2", `{"comment":"x"}`, 404, refusal(1404, "there is no maintenance window 2")},
		{"DELETE /sdt/sdts/R_3", "", 404, refusal(1404, "there is no maintenance window 3")},
		{"POST /sdt/sdts", once(`"type":"ResourceSDT","deviceId":2`), 400, "deviceId: there is no device 2"},
		{"POST /sdt/sdts", once(`"type":"ResourceSDT","deviceId":99`), 400, "deviceId: there is no device 99"},
		{"POST /sdt/sdts", once(`"type":"ResourceSDT","deviceDisplayName":"ranch"`), 400,
			`deviceDisplayName: there is no device \"ranch\"`},
		{"POST /sdt/sdts", once(`"type":"ResourceSDT","deviceDisplayName":"nobody"`), 400,
			`deviceDisplayName: there is no device \"nobody\"`},
		{"POST /sdt/sdts", once(`"type":"ResourceGroupSDT","deviceGroupFullPath":"Austin"`), 400,
			`deviceGroupFullPath: there is no device group \"Austin\"`},
		{"PATCH /sdt/sdts/R_1", `{"deviceId":2}`, 400, "deviceId: there is no device 2"},
		{"POST /sdt/sdts", once(`"type":"ResourceGroupSDT","deviceGroupId":3`), 201,
			`"deviceGroupFullPath":"Oslo/Inner"`},
		{"POST /sdt/sdts", once(`"type":"CollectorSDT","collectorId":1`), 201, `"collectorId":1`},
		{"GET /device/devices/2/sdts", "", 404, "there is no device 2"},
		{"GET /device/devices/2/historysdts", "", 404, "there is no device 2"},
		{"GET /device/groups/4/sdts", "", 404, "there is no device group 4"},
		{"GET /device/devices/3/sdts?fields=id", "", 200, `"total":0`}, // it may not view the window on Austin
	})
	w.exchanges("keeper", []exchange{
		{"GET /sdt/sdts?fields=id", "", 200, `"items":[{"id":"R_1"},{"id":"R_6"}]`},
		{"POST /sdt/sdts", once(`"type":"CollectorSDT","collectorId":1`), 403, "maintenance of a collector takes a " +
			"role that may change collectors, or all device groups"},
	})
	w.exchanges("reader", []exchange{
		{"PATCH /sdt/sdts/R_1", `{"comment":"x"}`, 403, "your role can view this maintenance window, but not edit it"},
		{"POST /sdt/sdts", once(`"type":"ResourceSDT","deviceId":1`), 400, "deviceId: there is no device 1"},
		{"PATCH /sdt/sdts/R_6", `{"comment":"x"}`, 200, `"comment":"x"`},
	})
	w.exchanges("admin", []exchange{
		{"GET /device/devices/1/sdts?fields=id", "", 200, `"items":[{"id":"R_1"},{"id":"R_4"}]`},
		{"GET /device/devices/3/sdts?fields=id", "", 200, `"items":[{"id":"R_3"},{"id":"R_4"}]`},
		{"GET /device/groups/3/sdts?fields=id", "", 200, `"items":[{"id":"R_4"},{"id":"R_6"}]`},
		{"DELETE /device/devices/1?deleteHard=true", "", 200, ""},
		{"GET /sdt/sdts/R_1", "", 404, ""},
	})
}

// history returns the list of a device's past maintenance.
func history(t *testing.T, s *server.Server, device int64) (list []string) {
	t.Helper()
	rows, err := resource.Find(t.Context(), s.DB(), maintenance.SDTHistories.Name,
		resource.Where{Field: "deviceId", Op: "=", Value: device})
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range rows {
		at := func(s resource.Seconds) string { return time.Unix(int64(s), 0).UTC().Format("02 15:04") }
		list = append(list, fmt.Sprintf("%s to %s %dm %s %d %s", at(h.Start), at(h.End), h.Duration, h.Comment,
			h.SDTID, h.Admin))
	}
	return list
}

func TestPastMaintenanceIsRecordedOnce(t *testing.T) {
	var now time.Time
	var clock atomic.Pointer[time.Time] // the server's goroutines read it too
	pass := func(to time.Time) { now = to; clock.Store(&to) }
	pass(time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC))
	o := options(t)
	o.Clock = func() time.Time { return *clock.Load() }
	s := start(t, o)
	admin := &resource.Access{UserID: 1, User: "admin", Admin: true}
	do := func(request, body, id string) {
		t.Helper()
		for _, e := range s.Endpoints() {
			if e.ID() != request {
				continue
			}
			c := &resource.Call{Access: admin, At: now, Body: []byte(body), Vars: map[string]string{"id": id}}
			if _, err := e.Handle(resource.WithCall(t.Context(), c), c); err != nil {
				t.Fatalf("%s %s: %v", request, body, err)
			}
		}
	}
	tick := func() {
		t.Helper()
		for more := true; more; {
			err := s.DB().Write(t.Context(), func(tx resource.Tx) (err error) {
				more, err = maintenance.CloseWindows(t.Context(), tx, now)
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	same := func(want ...string) {
		t.Helper()
		got := history(t, s, 1)
		a, _ := json.Marshal(got)
		b, _ := json.Marshal(want)
		if string(a) != string(b) {
			t.Errorf("at %s\ngot  %s\nwant %s", now.Format("02 15:04"), a, b)
		}
	}
	do("POST /device/devices", `{"name":"fjord"}`, "")
	do("POST /sdt/sdts", `{"type":"ResourceSDT","deviceId":1,"comment":"noon","sdtType":"daily","timezone":"UTC",`+
		`"hour":11,"endHour":13}`, "")
	tick()
	same()
	pass(now.Add(time.Hour)) // the window starts before its SDT was created
	tick()
	same("04 12:00 to 04 13:00 60m noon 1 admin")
	tick()
	same("04 12:00 to 04 13:00 60m noon 1 admin")
	pass(now.AddDate(0, 0, 3).Add(-30 * time.Minute)) // a pause that ends within the window of the 7th
	tick()
	tick()
	passed := []string{"04 12:00 to 04 13:00 60m noon 1 admin", "05 11:00 to 05 13:00 120m noon 1 admin",
		"06 11:00 to 06 13:00 120m noon 1 admin"}
	same(passed...)
	do("PATCH /sdt/sdts/{id}", `{"comment":"lunch"}`, "1")
	passed = append(passed, "07 11:00 to 07 12:30 90m noon 1 admin")
	same(passed...)
	pass(now.Add(10 * time.Minute))
	do("DELETE /sdt/sdts/{id}", "", "1")
	passed = append(passed, "07 12:30 to 07 12:40 10m lunch 1 admin")
	same(passed...)
	pass(now.AddDate(0, 0, 3))
	tick()
	same(passed...)
	do("POST /sdt/sdts", `{"type":"ResourceSDT","deviceId":1,"comment":"over","duration":60,"startDateTime":1000000}`,
		"")
	do("POST /sdt/sdts", `{"type":"ResourceSDT","deviceId":1,"comment":"once","duration":60}`, "")
	pass(now.AddDate(1, 0, 0))
	tick()
	same(append(passed, "10 12:40 to 10 13:40 60m once 3 admin")...)
	pass(now.AddDate(2, 0, 0))
	err := s.DB().Write(t.Context(), func(tx resource.Tx) error {
		_, err := maintenance.PruneSDTHistory(t.Context(), tx, now)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	same()
}

func TestPastMaintenanceOfAnInstanceIsListedForItsDevice(t *testing.T) {
	o := options(t)
	o.Demo, o.DemoDevices = true, 20
	s := start(t, o)
	bearer := token(t, o, "admin")
	for path, want := range map[string]string{
		"/device/devices/1/devicedatasources/1/historysdts":              "",
		"/device/devices/1/devicedatasources/1/instances/1/historysdts":  "",
		"/device/devices/99/devicedatasources/1/historysdts":             "there is no device 99",
		"/device/devices/2/devicedatasources/1/historysdts":              "there is no device datasource 1",
		"/device/devices/99/devicedatasources/1/instances/1/historysdts": "there is no device 99",
		"/device/devices/1/devicedatasources/2/instances/1/historysdts":  "there is no instance 1",
		"/device/devices/1/devicedatasources/1/instances/99/historysdts": "there is no instance 99",
	} {
		status, body := get(t, s, bearer, "/api"+path)
		total, _ := body["total"].(float64)
		if want == "" && (status != 200 || total < 1) || want != "" && (status != 404 || body["errorMessage"] != want) {
			t.Errorf("%s returns %d %v, want %q", path, status, body, want)
		}
	}
}
