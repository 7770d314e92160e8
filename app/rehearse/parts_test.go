package rehearse_test

import (
	"context"
	"fmt"
	"net/http"
	"path"
	"slices"
	"strings"
	"testing"

	"spyglass/app/rehearse"
)

// edge returns the path of edge-1.
func (p *portal) edge() string {
	return "/device/devices/" + id(p.named("/device/devices", "displayName", "edge-1"))
}

// on returns the path of a data source on edge-1.
func (p *portal) on(source string) string {
	list := p.edge() + "/devicedatasources"
	return list + "/" + id(p.named(list, "dataSourceName", source))
}

// port returns an instance of Own_Ports on edge-1.
func (p *portal) port(name string) map[string]any {
	return p.named(p.on("Own_Ports")+"/instances", "displayName", name)
}

// threshold returns the path of the threshold of a data point, in a list of them.
func (p *portal) threshold(list, point string) string {
	return list + "/" + id(p.named(list, "dataPointName", point))
}

// expr returns the expression that a threshold sets itself.
func (p *portal) expr(list, point string) string {
	o := p.request("GET", p.threshold(list, point), "")
	return fmt.Sprint(o["alertExpr"], " ", o["alertForNoData"], " ", o["alertExprNote"])
}

func (p *portal) ofPort(name string) string {
	return p.on("Own_Ports") + "/instances/" + id(p.port(name)) + "/alertsettings"
}

// furnishParts adds instances, thresholds and partial maintenance to edge-1.
func (p *portal) furnishParts() {
	source := p.add("/setting/datasources", `{"name": "Own_Ports", "collectMethod": "snmp", "collectInterval": 60,
		"appliesTo": "isEdge()", "collectorAttribute": {"name": "snmp"}, "autoDiscoveryConfig": {"method":
		{"name": "snmp"}}, "dataPoints": [
		{"name": "in", "rawDataFieldName": ".1.3.6.1.2.1.2.2.1.10.##WILDVALUE##", "alertExpr": "> 10"},
		{"name": "out", "rawDataFieldName": ".1.3.6.1.2.1.2.2.1.16.##WILDVALUE##"}]}`)
	p.add("/setting/datasources", `{"name": "Own_Secret", "collectMethod": "ping", "collectInterval": 60,
		"appliesTo": "snmp.community =~ \".\"", "collectorAttribute": {"name": "ping"}, "dataPoints": [
		{"name": "average", "rawDataFieldName": "average"}]}`)
	p.request("POST", p.edge()+"/scheduleAutoDiscovery", "")
	ports := p.on("Own_Ports")
	p.add(ports+"/groups", `{"name": "Spare", "description": "Without instances"}`)
	group := p.add(ports+"/groups", `{"name": "Uplinks", "description": "To the core"}`)
	p.add(ports+"/instances", `{"displayName": "eth0", "wildValue": "10", "groupId": %d, "customProperties": [
		{"name": "circuit", "value": "KF-1"}, {"name": "line.password", "value": "%s"}]}`, group, secret)
	eth1 := p.add(ports+"/instances", `{"displayName": "eth1", "wildValue": "11", "stopMonitoring": true}`)
	p.add(ports+"/instances", `{"displayName": "eth9", "wildValue": "19"}`)
	p.request("PATCH", p.threshold(p.ofPort("eth0"), "in"), `{"alertExpr": "> 70", "alertExprNote": "Slow"}`)
	p.request("PATCH", p.threshold(ports+"/alertsettings", "out"), `{"alertExpr": "> 80", "alertForNoData": 3}`)
	point := id(p.named(p.ofPort("eth0"), "dataPointName", "out"))
	p.request("PATCH", fmt.Sprint(ports, "/groups/", group, "/datapoints/", point, "/alertconfig"),
		`{"alertExpr": "> 90"}`)
	only := p.on("Own_Ping") + "/instances"
	items, _ := p.request("GET", only, "")["items"].([]any)
	only += "/" + id(items[0].(map[string]any))
	p.request("PATCH", only, `{"description": "By cable"}`)
	p.request("PATCH", p.threshold(only+"/alertsettings", "average"), `{"disableAlerting": true}`)
	for what, target := range map[string]string{
		"Ports": `"type": "DeviceDataSourceSDT", "deviceDataSourceId": ` + id(p.request("GET", ports, "")),
		"Port":  fmt.Sprintf(`"type": "DeviceDataSourceInstanceSDT", "dataSourceInstanceId": %d`, eth1),
		"Uplinks": fmt.Sprintf(`"type": "DeviceDataSourceInstanceGroupSDT",
			"deviceDataSourceInstanceGroupId": %d`, group),
		"Grouped": fmt.Sprintf(`"type": "ResourceGroupSDT", "deviceGroupId": %s, "dataSourceId": %d`,
			id(p.named("/device/groups", "name", "Web")), source),
	} {
		p.add("/sdt/sdts", `{"sdtType": "daily", "hour": 2, "endHour": 3, "comment": "%s", %s}`, what, target)
	}
}

// hasParts checks the copies of the objects that furnishParts adds.
func (p *portal) hasParts(report *rehearse.Report) {
	p.t.Helper()
	ports, eth0, eth1 := p.on("Own_Ports"), p.port("eth0"), p.port("eth1")
	group := p.named(ports+"/groups", "name", "Uplinks")
	only := p.named(p.on("Own_Ping")+"/instances", "description", "By cable")
	window := func(comment, field string) string { return fmt.Sprint(p.named("/sdt/sdts", "comment", comment)[field]) }
	point := id(p.named(p.ofPort("eth0"), "dataPointName", "out"))
	grouped := ports + "/groups/" + id(group) + "/datapoints/" + point + "/alertconfig"
	ping := p.on("Own_Ping") + "/instances/" + id(only) + "/alertsettings"
	source := p.named("/setting/datasources", "name", "Own_Ports")
	for what, got := range map[string][2]any{
		"the group of eth0":         {fmt.Sprint(eth0["groupId"]), id(group)},
		"its properties":            {fmt.Sprint(eth0["customProperties"]), "[map[name:circuit value:KF-1]]"},
		"whether eth1 is stopped":   {eth1["stopMonitoring"], true},
		"the threshold of eth0":     {p.expr(p.ofPort("eth0"), "in"), "> 70 -1 Slow"},
		"that of the device":        {p.expr(ports+"/alertsettings", "out"), "> 80 3 "},
		"a group without instances": {p.named(ports+"/groups", "name", "Spare")["description"], "Without instances"},
		"that of the group":         {p.request("GET", grouped, "")["alertExpr"], "> 90"},
		"whether ping may alert":    {p.request("GET", p.threshold(ping, "average"), "")["disableAlerting"], true},
		"maintenance of a source":   {window("Ports", "deviceDataSourceId"), path.Base(ports)},
		"of an instance":            {window("Port", "dataSourceInstanceId"), id(eth1)},
		"of an instance group":      {window("Uplinks", "deviceDataSourceInstanceGroupId"), id(group)},
		"of a source in a group":    {window("Grouped", "dataSourceId"), id(source)},
		"the note about a secret":   {noteOf(report, "eth0", "customProperties line.password", rehearse.Secret), true},
		"the note about a source":   {noteOf(report, "edge-1", "Own_Secret", rehearse.Unapplied), true},
		"whether a copy is polled":  {fmt.Sprint(eth0["collectorId"]) == "1", false},
	} {
		if got[0] != got[1] {
			p.t.Errorf("%s: %v, not %v", what, got[0], got[1])
		}
	}
	for _, n := range report.Notes {
		if n.Why == rehearse.Refused || n.Why == rehearse.Reference {
			p.t.Errorf("something was refused or has no reference: %+v", n)
		}
	}
	for _, c := range report.Counts {
		if c.Noun == "thresholds" && (c.Read != 4 || c.Copied != 4) ||
			strings.HasPrefix(c.Noun, "instance") && c.Copied == 0 {
			p.t.Errorf("the report counts %+v", c)
		}
	}
}

func TestNestedDeviceDataIsRehearsed(t *testing.T) {
	real, copied := open(t, "Real"), open(t, "Rehearsal")
	real.furnish()
	real.furnishParts()
	copied.add("/setting/functions", `{"name": "unrelated", "code": "true()"}`)
	r := rehearsal(t, real, copied)
	report, err := r.Copy(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	copied.hasParts(report)
	noSecrets(t, r.Dir)
	if d := diff(t, r); len(d.Steps)+len(d.Elsewhere)+len(d.Notes) > 0 {
		t.Fatalf("without changes, the difference is %+v", d)
	}

	ports := copied.on("Own_Ports")
	eth1 := ports + "/instances/" + id(copied.port("eth1"))
	copied.request("PATCH", eth1, `{"description": "Rehearsed", "stopMonitoring": false}`)
	copied.add(ports+"/groups", `{"name": "Downlinks"}`)
	eth2 := copied.add(ports+"/instances", `{"displayName": "eth2", "wildValue": "12"}`)
	copied.request("DELETE", ports+"/instances/"+id(copied.port("eth9")), "")
	copied.request("PATCH", copied.threshold(copied.ofPort("eth0"), "in"), `{"alertExpr": "", "alertExprNote": ""}`)
	copied.request("PATCH", copied.threshold(copied.ofPort("eth2"), "in"), `{"alertExpr": "> 55"}`)
	copied.request("PATCH", copied.threshold(ports+"/alertsettings", "out"), `{"alertExpr": "> 85"}`)
	copied.add("/sdt/sdts", `{"type": "DeviceDataSourceInstanceSDT", "dataSourceInstanceId": %d, "sdtType": "daily",
		"hour": 4, "endHour": 5, "comment": "New port"}`, eth2)
	there := real.on("Own_Ports")
	real.request("PATCH", there+"/instances/"+id(real.port("eth1")), `{"description": "Somebody else"}`)
	real.request("PATCH", real.threshold(there+"/alertsettings", "out"), `{"alertExpr": "> 81"}`)

	d := diff(t, r)
	var got []string
	for _, s := range d.Steps {
		got = append(got, s.Method+" "+s.Path+" "+s.Body+" "+strings.Join(s.Warnings, "; "))
	}
	created := fmt.Sprintf("{{instance_%d}}", eth2)
	in := id(real.named(real.ofPort("eth0"), "dataPointName", "in"))
	want := []string{
		"POST " + there + `/groups {"name":"Downlinks"} `,
		"POST " + there + `/instances {"displayName":"eth2","wildValue":"12"} `,
		"PATCH " + there + "/instances/" + id(real.port("eth1")) + ` {"description":"Rehearsed",` +
			`"stopMonitoring":false} description was changed in the portal since the copy: it is "Somebody else" ` +
			`now, and was ""`,
		"PATCH " + real.threshold(there+"/alertsettings", "out") + ` {"alertExpr":"> 85"} alertExpr was ` +
			`changed in the portal since the copy: it is "> 81" now, and was "> 80"`,
		"PATCH " + real.threshold(real.ofPort("eth0"), "in") + ` {"alertExpr":"","alertExprNote":""} `,
		"PATCH " + there + "/instances/" + created + "/alertsettings/" + in + ` {"alertExpr":"> 55"} `,
		`POST /sdt/sdts {"comment":"New port","dataSourceId":`,
		"DELETE " + there + "/instances/" + id(real.port("eth9")) + " ",
	}
	if len(got) != len(want) || len(d.Notes) > 0 {
		t.Fatalf("the steps are\n%s\nand %q", strings.Join(got, "\n"), d.Notes)
	}
	for i := range want {
		if !slices.ContainsFunc(got, func(step string) bool { return strings.HasPrefix(step, want[i]) }) {
			t.Errorf("there is no step\n%s\nin\n%s", want[i], strings.Join(got, "\n"))
		}
	}
	carryOut(t, real, d)
	if d = diff(t, r); len(d.Steps)+len(d.Notes) > 0 {
		t.Errorf("after all requests were sent, these are left: %+v %q", d.Steps, d.Notes)
	}
	if got := real.expr(real.ofPort("eth2"), "in"); got != "> 55 -1 " {
		t.Errorf("the threshold of the new port is %q", got)
	}
	if window := real.named("/sdt/sdts", "comment", "New port"); fmt.Sprint(window["dataSourceInstanceId"]) !=
		id(real.port("eth2")) {
		t.Errorf("the new window is %v", window)
	}
}

func TestCopyResumesWithTheNextDevice(t *testing.T) {
	real, copied := open(t, "Real"), open(t, "Rehearsal")
	real.furnish()
	real.furnishParts()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	lists, requests := map[string]int{}, 0
	r := rehearsal(t, real.through(roundTrip(func(r *http.Request) (*http.Response, error) {
		lists[r.URL.Path]++
		if strings.HasSuffix(r.URL.Path, "/instances") {
			if requests++; requests == 2 {
				cancel()
				return nil, context.Canceled
			}
		}
		return http.DefaultTransport.RoundTrip(r)
	})), copied)
	if _, err := r.Copy(ctx); err == nil || !strings.Contains(err.Error(), "start it again to resume it") {
		t.Fatalf("a copy that is cancelled ends with %v", err)
	}
	report, err := r.Copy(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	copied.hasParts(report)
	if n := lists["/api"+real.edge()+"/instances"]; n != 1 {
		t.Errorf("the instances of the first device were read %d times", n)
	}
}
