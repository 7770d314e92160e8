package server_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"spyglass/backend/portal/alert"
	"spyglass/backend/portal/threshold"
	"spyglass/backend/resource"
)

func TestSummariesCountWhatTheCallerMayView(t *testing.T) {
	w := newFixture(t)
	w.must("POST /device/devices", `{"name":"attic","hostGroupIds":"3"}`) // this device never has data
	now := resource.SecondsOf(time.Now())
	err := w.s.DB().Write(resource.WithCall(t.Context(), nil), func(tx resource.Tx) error {
		for _, a := range []alert.Alert{ // fjord is device 1, ranch 2, bridge 3
			{Severity: threshold.SeverityCritical, DeviceID: 1, StartOn: 600, Acked: true},
			{Severity: threshold.SeverityWarn, DeviceID: 1, StartOn: 1200, SDTed: true},
			{Severity: threshold.SeverityError, DeviceID: 2, StartOn: 1199},
			{Severity: threshold.SeverityError, DeviceID: 2, StartOn: 700, EndOn: now, Cleared: true},
			{Severity: threshold.SeverityWarn, DeviceID: 3, StartOn: now},
		} {
			if err := alert.SaveAlert(t.Context(), tx, &a); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	const past = "/alert/summary?start=600&end=1800&step=600"
	for _, tt := range []struct{ who, path, want string }{
		{"admin", past, `"critical":{"active":1,"opened":0,"ended":0},"error":{"active":1,"opened":0,"ended":1},` +
			`"warn":{"active":1,"opened":1,"ended":0},"acked":1,"sdted":1,"raised":{"start":600,"step":600,` +
			`"critical":[1,0],"error":[2,0],"warn":[0,1]}}`},
		{"reader", past, `"critical":{"active":1,"opened":0,"ended":0},"error":{"active":0,"opened":0,"ended":0},` +
			`"warn":{"active":1,"opened":1,"ended":0},"acked":1,"sdted":1,"raised":{"start":600,"step":600,` +
			`"critical":[1,0],"error":[0,0],"warn":[0,1]}}`},
		{"admin", past + "&groupId=4", `"critical":{"active":0,"opened":0,"ended":0},"error":{"active":1,"opened":0,` +
			`"ended":1},"warn":{"active":1,"opened":1,"ended":0},"acked":0,"sdted":0,"raised":{"start":600,` +
			`"step":600,"critical":[0,0],"error":[2,0],"warn":[0,0]}}`},
		{"admin", "/device/groups/1/health", `{"total":2,"searchId":null,"items":[` +
			`{"id":4,"name":"Austin","fullPath":"Austin","inside":false,"total":2,"critical":0,"error":1,"warn":1,` +
			`"silent":0,"noData":0,"healthy":0},` +
			`{"id":2,"name":"Oslo","fullPath":"Oslo","inside":true,"total":3,"critical":1,"error":0,"warn":1,` +
			`"silent":0,"noData":1,"healthy":0}],"data":null,"own":{"id":1,"name":"All devices","fullPath":"",` +
			`"inside":false,"total":0,"critical":0,"error":0,"warn":0,"silent":0,"noData":0,"healthy":0}}`},
		{"reader", "/device/groups/1/health", `{"total":1,"searchId":null,"items":[{"id":2,"name":"Oslo",` +
			`"fullPath":"Oslo","inside":true,"total":3,"critical":1,"error":0,"warn":1,"silent":0,"noData":1,` +
			`"healthy":0}],"data":null,"own":{"id":0,"name":"","fullPath":"","inside":false,"total":0,"critical":0,` +
			`"error":0,"warn":0,"silent":0,"noData":0,"healthy":0}}`},
		{"reader", "/device/groups/2/health", `{"total":1,"searchId":null,"items":[{"id":3,"name":"Inner",` +
			`"fullPath":"Oslo/Inner","inside":false,"total":1,"critical":0,"error":0,"warn":0,"silent":0,"noData":1,` +
			`"healthy":0}],"data":null,"own":{"id":2,"name":"Oslo","fullPath":"Oslo","inside":false,"total":2,` +
			`"critical":1,"error":0,"warn":1,"silent":0,"noData":0,"healthy":0}}`},
	} {
		status, response := w.request(tt.who, "GET "+tt.path, "")
		if strings.HasPrefix(response, `{"now":`) {
			_, response, _ = strings.Cut(response, ",") // the current values differ
		}
		if status != http.StatusOK || response != tt.want {
			t.Errorf("%s, %s: %d\n%s\nwant\n%s", tt.who, tt.path, status, response, tt.want)
		}
	}
	for _, tt := range []struct {
		who, path string
		status    int
	}{
		{"reader", past + "&groupId=4", http.StatusNotFound},
		{"reader", "/device/groups/4/health", http.StatusNotFound},
		{"admin", "/device/groups/99/health", http.StatusNotFound},
		{"admin", "/alert/summary?start=1&end=2000&step=1", http.StatusBadRequest},
		{"admin", "/alert/summary?start=2000&end=1000", http.StatusBadRequest},
		{"admin", "/alert/summary?step=half", http.StatusBadRequest},
		{"admin", "/alert/summary?groupId=x", http.StatusBadRequest},
	} {
		if status, response := w.request(tt.who, "GET "+tt.path, ""); status != tt.status {
			t.Errorf("%s, %s: %d %s, want %d", tt.who, tt.path, status, response, tt.status)
		}
	}
}
