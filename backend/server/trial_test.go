package server_test

import (
	"encoding/json"
	"fmt"
	"net"
	"strings"
	"testing"
)

// listening returns a loopback port that accepts connections.
func listening(t *testing.T) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return l.Addr().(*net.TCPAddr).Port
}

type tried struct {
	Answers bool
	Items   []struct {
		DataSourceName string
		Answered       bool
		Error          string
	}
}

func (w *fixture) tryNew(body string) tried {
	w.t.Helper()
	var found tried
	status, response := w.request("admin", "POST /device/devices/test", body)
	if err := json.Unmarshal([]byte(response), &found); err != nil || status != 200 {
		w.t.Fatalf("%s returns %d %s", body, status, response)
	}
	return found
}

func TestDeviceIsTestedBeforeItIsAdded(t *testing.T) {
	w := newFixture(t)
	body := func(port int) string {
		return fmt.Sprintf(`{"name":"127.0.0.1","customProperties":[{"name":"tcp.port","value":"%d"}]}`, port)
	}
	find := func(in tried, name string) (answered bool, problem string) {
		t.Helper()
		for _, i := range in.Items {
			if i.DataSourceName == name {
				return i.Answered, i.Error
			}
		}
		t.Fatalf("%s does not apply in %+v", name, in)
		return false, ""
	}
	if answered, problem := find(w.tryNew(body(listening(t))), "TCP_Port"); !answered || problem != "" {
		t.Errorf("an open port: returned %v, %q", answered, problem)
	}
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_ = closed.Close()
	if answered, problem := find(w.tryNew(body(closed.Addr().(*net.TCPAddr).Port)), "TCP_Port"); answered ||
		!strings.Contains(problem, "refused the connection") {
		t.Errorf("a closed port: returned %v, %q", answered, problem)
	}
	_, own, err := net.SplitHostPort(w.s.Address())
	if err != nil {
		t.Fatal(err)
	}
	var port int
	_, _ = fmt.Sscan(own, &port)
	if answered, problem := find(w.tryNew(body(port)), "TCP_Port"); answered ||
		!strings.Contains(problem, "does not connect there") {
		t.Errorf("the portal's own port: returned %v, %q; it is never dialled", answered, problem)
	}
	for _, tt := range []struct {
		who, body string
		status    int
		says      string
	}{
		{"clerk", `{"name":"new","hostGroupIds":"4"}`, 403, "cannot add devices to group 4"},
		{"clerk", `{"name":"new"}`, 403, "cannot add devices to group 1"},
		{"reader", `{"name":"new","hostGroupIds":"2"}`, 403, "cannot add devices to group 2"},
		{"admin", `{"name":"no such/host"}`, 400, `"field":"name"`},
		{"admin", `{"name":"host","hostGroupIds":"x"}`, 400, `"field":"hostGroupIds"`},
	} {
		if status, response := w.request(tt.who, "POST /device/devices/test", tt.body); status != tt.status ||
			!strings.Contains(response, tt.says) {
			t.Errorf("%s as %s returns %d %s, want %d with %s", tt.body, tt.who, status, response, tt.status, tt.says)
		}
	}
}

func TestDataSourceIsTestedOnADevice(t *testing.T) {
	w := newFixture(t)
	w.must("POST /device/devices", fmt.Sprintf(`{"name":"127.0.0.1","hostGroupIds":"2",`+
		`"customProperties":[{"name":"tcp.port","value":"%d"}]}`, listening(t)))
	w.until("admin", "GET /device/devices/4/instances?filter=dataSourceId:2&fields=id", `"total":1`)
	status, response := w.request("clerk", "POST /setting/datasources/2/test", `{"deviceId":4}`)
	if status != 200 || !strings.Contains(response, `"dataPointName":"status","value":1,`) ||
		!strings.Contains(response, `"error":""`) {
		t.Errorf("an open port returns %d %s", status, response)
	}
	if status, response := w.request("admin", "GET /setting/datasources?filter=id:2|3&fields=id,numOfHosts",
		""); status != 200 || !strings.Contains(response, `{"id":2,"numOfHosts":1},{"id":3,"numOfHosts":0}`) {
		t.Errorf("the devices they are on are counted as %d %s", status, response)
	}
	for _, tt := range []struct {
		who, request, body string
		status             int
		says               string
	}{
		{"admin", "POST /setting/datasources/3/test", `{"deviceId":4}`, 409, "no polled instance"},
		{"admin", "POST /setting/datasources/2/test", `{"deviceId":99}`, 404, "there is no device 99"},
		{"clerk", "POST /setting/datasources/2/test", `{"deviceId":2}`, 404, "there is no device 2"},
		{"reader", "POST /setting/datasources/2/test", `{"deviceId":4}`, 403, "requires the permission to change it"},
	} {
		if status, response := w.request(tt.who, tt.request, tt.body); status != tt.status ||
			!strings.Contains(response, tt.says) {
			t.Errorf("%s %s as %s returns %d %s, want %d with %s", tt.request, tt.body, tt.who, status, response,
				tt.status, tt.says)
		}
	}
}

func TestExpressionMatchesOnlyVisibleDevices(t *testing.T) {
	w := newFixture(t)
	const all = "GET /device/devices/matching?appliesTo="
	for _, tt := range []struct {
		who, expression string
		status          int
		says            string
	}{
		{"admin", `isDevice()`, 200, `{"total":3,"searchId":null,"items":[{"id":1,"displayName":"fjord"},{"id":2,` +
			`"displayName":"ranch"},{"id":3,"displayName":"bridge"}],"data":null}`},
		{"clerk", `isDevice()`, 200, `{"total":2,"searchId":null,"items":[{"id":1,"displayName":"fjord"},{"id":3,` +
			`"displayName":"bridge"}],"data":null}`},
		{"admin", `inGroup("Austin")`, 200, `{"total":2,"searchId":null,"items":[{"id":2,"displayName":"ranch"},` +
			`{"id":3,"displayName":"bridge"}],"data":null}`},
		{"clerk", `inGroup("Austin")`, 200, `{"total":0,"searchId":null,"items":[],"data":null}`},
		{"admin", `isDevice(`, 400, `"field":"appliesTo"`},
	} {
		if status, response := w.request(tt.who, all+strings.ReplaceAll(tt.expression, `"`, "%22"),
			""); status != tt.status || !strings.Contains(response, tt.says) {
			t.Errorf("%s as %s returns %d %s, want %d with %s", tt.expression, tt.who, status, response,
				tt.status, tt.says)
		}
	}
}

func TestGroupCountsItsAlerts(t *testing.T) {
	f := newFleet(t, func(string) map[string][]privilege { return nil })
	s := f.copy(t)
	m := f.on(t, s, "administrator")
	type count struct{ Warn, Error, Critical int }
	var groups struct {
		Items []struct {
			ID           int
			ActiveAlerts count
		}
	}
	m.read("/device/groups?size=1000&fields=id,activeAlerts", &groups)
	some := 0
	for _, g := range groups.Items {
		var alerts struct{ Items []struct{ Severity int } }
		m.read(fmt.Sprintf("/device/groups/%d/alerts?size=1000&fields=severity", g.ID), &alerts)
		var want count
		for _, a := range alerts.Items {
			switch a.Severity {
			case 2:
				want.Warn++
			case 3:
				want.Error++
			case 4:
				want.Critical++
			}
		}
		some += want.Warn
		if g.ActiveAlerts != want {
			t.Errorf("group %d tells of %+v, its alerts are %+v", g.ID, g.ActiveAlerts, want)
		}
	}
	if some == 0 {
		t.Error("no group has an alert")
	}
}
