package server_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// alertSetting holds the fields of an alert setting that these tests check.
type alertSetting struct {
	DataPointID          int64
	AlertExpr            string
	EffectiveAlertExpr   string
	EffectiveFrom        string
	AlertingDisabledOn   string
	DeviceGroupFullPath  string
	AlertForNoData       int64
	GlobalAlertForNoData int64
	Parents              []struct {
		GroupID   int64
		AlertExpr string
	} `json:"parentDeviceGroupAlertExprList"`
}

func (w *fixture) setting(who, path string) alertSetting {
	w.t.Helper()
	status, response := w.request(who, "GET "+path, "")
	var s alertSetting
	if err := json.Unmarshal([]byte(response), &s); err != nil || status != 200 {
		w.t.Fatalf("%s returns %d %s", path, status, response)
	}
	return s
}

func (w *fixture) change(who, request, body string) {
	w.t.Helper()
	if status, response := w.request(who, request, body); status != 200 {
		w.t.Fatalf("%s %s as %s returns %d %s", request, body, who, status, response)
	}
}

// pinged waits until Ping (1) is on the devices of the fixture, and returns the paths
// of its alert settings on device 3, which is in Oslo and Austin, and of the
// instance there.
func (w *fixture) pinged() (onDevice, onInstance string) {
	w.t.Helper()
	var ds, instance struct{ Items []struct{ ID int64 } }
	for _, q := range []struct {
		request string
		into    any
	}{{`GET /device/devices/3/devicedatasources?filter=dataSourceName:"Ping"&fields=id`, &ds},
		{`GET /device/devices/3/instances?filter=dataSourceId:1&fields=id`, &instance}} {
		if err := json.Unmarshal([]byte(w.until("admin", q.request, `"total":1`)), q.into); err != nil {
			w.t.Fatal(err)
		}
	}
	base := fmt.Sprintf("/device/devices/3/devicedatasources/%d", ds.Items[0].ID)
	return base + "/alertsettings", fmt.Sprintf("%s/instances/%d/alertsettings", base, instance.Items[0].ID)
}

func TestNearestThresholdWins(t *testing.T) {
	w := newFixture(t)
	w.must("POST /device/groups", `{"name":"Deep","parentId":3}`) // 5: Oslo/Inner/Deep
	w.change("admin", "PATCH /device/devices/3", `{"hostGroupIds":"5,4"}`)
	onDevice, onInstance := w.pinged()
	const average = "/1001"
	const global = "> 100 300 1000"
	set := func(request, body, want, from string) {
		t.Helper()
		w.change("admin", request, body)
		if got := w.setting("admin", onInstance+average); got.EffectiveAlertExpr != want || got.EffectiveFrom != from {
			t.Errorf("after %s %s it is %q from the %s, want %q from the %s", request, body, got.EffectiveAlertExpr,
				got.EffectiveFrom, want, from)
		}
	}
	group := func(id int64, expr string) (request, body string) {
		return fmt.Sprintf("PATCH /device/groups/%d/datasources/1/alertsettings", id),
			fmt.Sprintf(`{"dpConfig":[{"dataPointName":"average","alertExpr":%q}]}`, expr)
	}
	if got := w.setting("admin", onInstance+average); got.EffectiveAlertExpr != global ||
		got.EffectiveFrom != "datasource" || got.AlertForNoData != -1 {
		t.Fatalf("at first it is %+v", got)
	}
	request, body := group(1, "> 1")
	set(request, body, "> 1", "device group")
	request, body = group(2, "> 2")
	set(request, body, "> 2", "device group")
	for group, parent := range map[int64]string{1: `null`, 3: `{"groupId":2,"groupFullPath":"Oslo","alertExpr":"> 2",` +
		`"alertEnabled":true,"alertForNoData":-1,"alertTransitionInterval":-1,"alertClearTransitionInterval":-1}`} {
		if _, response := w.request("admin", fmt.Sprintf("GET /device/groups/%d/datasources/1/alertsettings", group),
			""); !strings.Contains(response, `"parentDeviceGroupAlertExprList":`+parent+`}`) {
			t.Errorf("the nearest group above group %d is not named as %s: %s", group, parent, response)
		}
	}
	request, body = group(4, "> 4") // Austin itself is closer than Oslo, two levels up
	set(request, body, "> 4", "device group")
	request, body = group(5, "> 5")
	set(request, body, "> 5", "device group")
	set("PATCH "+onDevice+average, `{"alertExpr":"> 6"}`, "> 6", "device")
	set("PATCH "+onInstance+average, `{"alertExpr":"> 7","alertForNoData":3}`, "> 7", "instance")

	got := w.setting("admin", onInstance+average)
	var parents []string
	for _, p := range got.Parents {
		parents = append(parents, fmt.Sprint(p.GroupID, p.AlertExpr))
	}
	if want := "5> 5 4> 4 2> 2 1> 1"; strings.Join(parents, " ") != want || got.AlertForNoData != 3 ||
		got.GlobalAlertForNoData != 1 {
		t.Errorf("the groups say %v, want %s (%+v)", parents, want, got)
	}
	set("PUT "+onInstance+average, `{}`, "> 6", "device")
	set("PATCH "+onDevice+average, `{"alertExpr":""}`, "> 5", "device group")
	request, body = group(5, "")
	set(request, body, "> 4", "device group")
	if got := w.setting("admin", onInstance+average); got.DeviceGroupFullPath != "Austin" {
		t.Errorf("the group that counts is %q", got.DeviceGroupFullPath)
	}
	w.change("admin", "PATCH /device/groups/4/datasources/1", `{"disableAlerting":true}`)
	if got := w.setting("admin", onInstance+average); got.AlertingDisabledOn != "device group" {
		t.Errorf("alerting is disabled on %q", got.AlertingDisabledOn)
	}
	w.change("admin", "DELETE /device/groups/4?deleteChildren=true", "") // also deletes its thresholds
	if got := w.setting("admin", onInstance+average); got.EffectiveAlertExpr != "> 1" &&
		got.EffectiveAlertExpr != "> 2" || got.AlertingDisabledOn != "" {
		t.Errorf("without Austin it is %+v", got)
	}
}

func TestThresholdsOfHiddenGroupsAndDevicesStayHidden(t *testing.T) {
	w := newFixture(t)
	_, onInstance := w.pinged()
	w.change("admin", "PATCH /device/groups/4/datasources/1/alertsettings", `{"dpConfig":[{"dataPointId":1001,`+
		`"alertExpr":"> 4","alertExprNote":"secret of Austin"}]}`)
	for _, tt := range []struct {
		who, request, body string
		status             int
		want               string
	}{
		{"clerk", "GET /device/groups/4/datasources", "", 404, "there is no device group 4"},
		{"clerk", "GET /device/groups/4/datasources/1/alertsettings", "", 404, "there is no device group 4"},
		{"clerk", "PATCH /device/groups/4/datasources/1/alertsettings", "{}", 404, "there is no device group 4"},
		{"clerk", "GET /device/groups/4/clusterAlertConf", "", 404, "there is no device group 4"},
		{"clerk", "GET /device/devices/2/alertsettings", "", 404, "there is no device 2"},
		{"clerk", "PATCH " + onInstance + "/1001", `{"alertExpr":"> 9"}`, 200, `"effectiveAlertExpr":"> 9"`},
		{"reader", "PATCH " + onInstance + "/1001", `{"alertExpr":"> 8"}`, 403, "your role can view this device, " +
			"but not edit it"},
		{"reader", "PATCH /device/groups/2/datasources/1", `{"disableAlerting":true}`, 403,
			"your role can view this device group, but not edit it"},
		{"admin", "PATCH " + onInstance + "/1001", `{"alertExpr":"above 9"}`, 400,
			"alertExpr: a threshold begins with"},
		{"admin", "PATCH " + onInstance + "/1001", `{"alertForNoData":7}`, 400, "alertForNoData must be one of " +
			"-1, 1, 2, 3, 4"},
		{"admin", "PATCH " + onInstance + "/1001", `{"alertTransitionInterval":61}`, 400,
			"alertTransitionInterval must be a whole number from -1 to 60"},
		{"admin", "PATCH " + onInstance + "/1999", `{}`, 404, "there is no alert setting of an instance 1999"},
		{"admin", "PATCH /device/groups/2/datasources/1/alertsettings", `{"dpConfig":[{"dataPointId":2001}]}`, 400,
			"dpConfig[0].dataPointId: the datasource has no datapoint 2001"},
		{"admin", "PATCH /device/groups/2/datasources/1/alertsettings", `{"dpConfig":[{"dataPointId":1001,` +
			`"alertForNoData":9}]}`, 400, "dpConfig[0].alertForNoData is -1, 1, 2, 3 or 4"},
		{"admin", "PATCH /device/groups/2/datasources/1/alertsettings", `{"dpConfig":[{"dataPointId":1001,` +
			`"alertClearTransitionInterval":-2}]}`, 400,
			"dpConfig[0].alertClearTransitionInterval must be a number of polls"},
		{"admin", "PATCH /device/groups/2/datasources/1/alertsettings", `{"dpConfig":[{"dataPointId":1001,` +
			`"alertExpr":"!"}]}`, 400, "dpConfig[0].alertExpr: a threshold begins with"},
		{"admin", "GET /device/groups/2/datasources/9999/alertsettings", "", 404, "there is no data source 9999"},
	} {
		if status, response := w.request(tt.who, tt.request, tt.body); status != tt.status ||
			!strings.Contains(response, tt.want) {
			t.Errorf("%s %s %s\n got %d %s\nwant %d %s", tt.who, tt.request, tt.body, status, response,
				tt.status, tt.want)
		}
	}
	if status, response := w.request("clerk", "GET "+onInstance+"/1001", ""); status != 200 ||
		strings.Contains(response, "Austin") || !strings.Contains(response, `"parentDeviceGroupAlertExprList":[]`) {
		t.Errorf("whoever does not see Austin reads %s", response)
	}
}

func TestClusterAlertBelongsToItsGroup(t *testing.T) {
	w := newFixture(t)
	w.must("POST /device/groups/2/clusterAlertConf", `{"dataSourceId":1,"dataPointId":1006,"alertExpr":"> 20 50 80",`+
		`"thresholdType":"percentage"}`)
	for _, tt := range []struct {
		who, request, body string
		status             int
		want               string
	}{
		{"clerk", "GET /device/groups/2/clusterAlertConf/1?fields=dataPointName,countBy,minAlertLevel", "", 200,
			`{"dataPointName":"PingLossPercent","countBy":"host","minAlertLevel":2}`},
		{"admin", "GET /device/groups/4/clusterAlertConf/1", "", 404, "there is no cluster alert 1"},
		{"admin", "POST /device/groups/2/clusterAlertConf", `{"dataSourceId":1,"dataPointId":1006,"alertExpr":"> 1"}`,
			409, "there is already a cluster alert"},
		{"admin", "POST /device/groups/2/clusterAlertConf", `{"dataSourceId":1,"dataPointId":2001,"alertExpr":"> 1"}`,
			400, "the datasource 1 has no datapoint 2001"},
		{"admin", "POST /device/groups/2/clusterAlertConf", `{"dataSourceId":1,"dataPointId":1001}`, 400,
			"alertExpr is required"},
		{"reader", "DELETE /device/groups/2/clusterAlertConf/1", "", 403, "your role can view this device group, " +
			"but not edit it"},
		{"clerk", "DELETE /device/groups/2/clusterAlertConf/1", "", 200, "{}"},
	} {
		if status, response := w.request(tt.who, tt.request, tt.body); status != tt.status ||
			!strings.Contains(response, tt.want) {
			t.Errorf("%s %s %s\n got %d %s\nwant %d %s", tt.who, tt.request, tt.body, status, response,
				tt.status, tt.want)
		}
	}
}
