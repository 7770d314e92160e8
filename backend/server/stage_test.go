package server_test

import (
	"strings"
	"testing"
	"time"
)

// TestResetRestoresTheDemoAndKeepsSessions follows the steps of a user.
func TestResetRestoresTheDemoAndKeepsSessions(t *testing.T) {
	c, _ := newCaller(t)
	send := func(want int, method, path, body string) string {
		t.Helper()
		var sent []byte
		if body != "" {
			sent = []byte(body)
		}
		response, text := c.send(method, path, sent)
		if response.StatusCode != want {
			t.Fatalf("%s %s %s returns %d %s, want %d", method, path, body, response.StatusCode, text, want)
		}
		return string(text)
	}
	const devices, alerts = "/device/devices?fields=id,displayName,hostGroupIds&size=1000",
		"/alert/alerts/1?fields=id,monitorObjectName,severity"
	wasDevices, wasAlert := send(200, "GET", devices, ""), send(200, "GET", alerts, "")
	send(200, "DELETE", "/device/devices/7", "")
	send(200, "PATCH", "/device/devices/9", `{"displayName":"renamed"}`)
	send(201, "POST", "/device/groups", `{"name":"Mine"}`)
	send(201, "POST", "/demo/incidents", `{"kind":"expiredSession","strength":100}`)
	for end := time.Now().Add(20 * time.Second); ; { // the stage receives the row a moment after the write
		response, text := c.send("GET", "/device/devices", nil)
		if response.StatusCode == 401 {
			break
		}
		if time.Now().After(end) {
			t.Fatalf("GET /device/devices returns %d %.200s, want 401", response.StatusCode, text)
		}
	}
	send(200, "PATCH", "/demo/time", `{"speed":60}`)
	send(400, "POST", "/demo/time/reset", `{}`)
	if text := send(200, "POST", "/demo/time/reset", `{"confirm":"reset"}`); !strings.Contains(text,
		`"speed":1,"paused":false`) {
		t.Errorf("the reset returns %s", text)
	}
	if got := send(200, "GET", devices, ""); got != wasDevices {
		t.Errorf("after the reset the devices are\n%s\nwant\n%s", got, wasDevices)
	}
	if got := send(200, "GET", alerts, ""); got != wasAlert {
		t.Errorf("after the reset alert 1 is %s, want %s", got, wasAlert)
	}
	if got := send(200, "GET", `/device/groups?filter=name:"Mine"`, ""); !strings.HasPrefix(got, `{"total":0`) {
		t.Errorf("a group of before is there: %s", got)
	}
	send(200, "GET", "/session", "")
	send(200, "GET", "/report/reports/1/tasks/1", "")
}
