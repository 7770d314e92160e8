package store_test

import (
	"context"
	"database/sql"
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"spyglass/backend/fault"
	"spyglass/backend/portal/alert"
	"spyglass/backend/portal/audit"
	"spyglass/backend/portal/datasource"
	"spyglass/backend/portal/fleet"
	"spyglass/backend/portal/maintenance"
	"spyglass/backend/portal/setting"
	"spyglass/backend/portal/threshold"
	"spyglass/backend/resource"
)

// watched is a portal with fjord (device 1) in Oslo (group 2), deep (3) in Oslo's
// subgroup (3) and ranch (2) in Austin (4). Instance n is Echo on device n;
// findings are about its loss.
type watched struct {
	*fixture
	now resource.Seconds
}

func watch(t *testing.T) *watched {
	t.Helper()
	w := &watched{open(t), resource.SecondsOf(noon)}
	h := w.fixture
	add(h, &fleet.Instances)
	add(h, &alert.Rules)
	add(h, &alert.Chains)
	add(h, &alert.RecipientGroups)
	add(h, &alert.Integrations)
	add(h, &setting.Settings)
	add(h, &maintenance.SDTs)
	h.steps(nil, []step{
		{"POST /device/groups", `{"name":"Oslo"}`, ""}, {"POST /device/groups", `{"name":"Inner","parentId":2}`, ""},
		{"POST /device/groups", `{"name":"Austin"}`, ""},
		{"POST /device/devices", `{"name":"10.0.0.1","displayName":"fjord","hostGroupIds":"2",` +
			`"customProperties":[{"name":"rack","value":"7"},{"name":"snmp.community","value":"s3cret"}]}`, ""},
		{"POST /device/devices", `{"name":"10.0.0.2","displayName":"ranch","hostGroupIds":"4"}`, ""},
		{"POST /device/devices", `{"name":"10.0.0.3","displayName":"deep","hostGroupIds":"3,4"}`, ""},
	})
	w.tx(func(ctx context.Context, tx resource.Tx) error {
		source := datasource.DataSource{ID: 900, Name: "Echo", DataPoints: []datasource.DataPoint{
			{ID: 900001, Name: "loss", AlertSubject: "##LEVEL## on ##HOST##", AlertBody: "##VALUE##, rack ##Rack##, " +
				"key ##snmp.community##, ##NOTHING## in ##GROUP##"}, {ID: 900002, Name: "time"},
		}}
		if err := resource.Put(ctx, tx, datasource.DataSources.Name, &source); err != nil {
			return err
		}
		for id := int64(1); id <= 3; id++ {
			i := fleet.Instance{ID: id, DeviceID: id, DeviceDataSourceID: 10 + id, DataSourceID: 900,
				Name: fmt.Sprint("Echo-", id), DisplayName: fmt.Sprint(id), Description: "the machine"}
			if err := resource.Put(ctx, tx, fleet.Instances.Name, &i); err != nil {
				return err
			}
		}
		return nil
	})
	return w
}

func (w *watched) tx(do func(ctx context.Context, tx resource.Tx) error) {
	w.t.Helper()
	ctx := w.t.Context()
	if err := w.db.Write(ctx, func(tx resource.Tx) error { return do(ctx, tx) }); err != nil {
		w.t.Fatal(err)
	}
}

// raise reports a severity for a data point of an instance, a number of minutes after noon.
func (w *watched) raise(instance, severity, minutes int64) (a *alert.Alert, changed bool) {
	w.t.Helper()
	w.tx(func(ctx context.Context, tx resource.Tx) (err error) {
		a, changed, err = alert.Raise(ctx, tx, w.found(instance, severity, minutes))
		return err
	})
	return a, changed
}

func (w *watched) found(instance, severity, minutes int64) *alert.Finding {
	return &alert.Finding{InstanceID: instance, DataPointID: 900001, Severity: severity,
		Value: fmt.Sprint(severity * 25), Threshold: "> 40 60 80", At: w.now + resource.Seconds(minutes*60)}
}

func (w *watched) clear(instance, minutes int64) (a *alert.Alert) {
	w.t.Helper()
	w.tx(func(ctx context.Context, tx resource.Tx) (err error) {
		a, err = alert.Clear(ctx, tx, &alert.Finding{InstanceID: instance, DataPointID: 900001, Value: "3",
			Threshold: "> 40 60 80", At: w.now + resource.Seconds(minutes*60)})
		return err
	})
	return a
}

func (w *watched) status(device int64) string {
	w.t.Helper()
	d, err := resource.Get(w.t.Context(), w.db, fleet.Devices.Name, device)
	if err != nil {
		w.t.Fatal(err)
	}
	return d.AlertStatus
}

// call sends a request as the API does: its context contains the call.
func (w *watched) call(who *resource.Access, request, body string) string {
	w.t.Helper()
	method, target, _ := strings.Cut(request, " ")
	path, query, _ := strings.Cut(target, "?")
	values, err := url.ParseQuery(query)
	if err != nil {
		w.t.Fatal(err)
	}
	for _, e := range w.endpoints {
		vars, ok := match(e.Path, path)
		if e.Method != method || !ok {
			continue
		}
		c := &resource.Call{Access: who, At: noon.Add(10 * time.Minute), Vars: vars, Query: values, Body: []byte(body)}
		response, err := e.Handle(resource.WithCall(w.t.Context(), c), c)
		if err != nil {
			f := fault.Of(err)
			if f.Kind == fault.Internal {
				w.t.Fatalf("%s: %v", request, err)
			}
			return strings.TrimSpace(string(f.Kind)+" "+f.Field) + ": " + f.Message
		}
		if a, ok := response.(*resource.Response); ok {
			response = a.Body
		}
		return string(response.(resource.JSON))
	}
	w.t.Fatalf("no endpoint for %s", request)
	return ""
}

func (w *watched) calls(who *resource.Access, steps []step) {
	w.t.Helper()
	for _, s := range steps {
		if got := w.call(who, s.request, s.body); got != s.want && (s.want != "" || !strings.HasPrefix(got, "{")) {
			w.t.Errorf("%s %s\n got %s\nwant %s", s.request, s.body, got, s.want)
		}
	}
}

func TestAlertKeepsItsIDUntilItClears(t *testing.T) {
	w := watch(t)
	first, changed := w.raise(1, threshold.SeverityWarn, 0)
	if !changed || first.ID != 1 || w.status(1) != "unconfirmed-warn-none" {
		t.Fatalf("opened %v %+v, and the device is %s", changed, first, w.status(1))
	}
	if again, changed := w.raise(1, threshold.SeverityWarn, 1); changed || again.ID != 1 || again.UpdatedOn != w.now {
		t.Errorf("the same again: %v, %+v", changed, again)
	}
	if worse, changed := w.raise(1, threshold.SeverityCritical, 2); !changed || worse.ID != 1 || worse.Value != "100" ||
		w.status(1) != "unconfirmed-critical-none" {
		t.Errorf("worse: %v, %+v, and the device is %s", changed, worse, w.status(1))
	}
	if better, _ := w.raise(1, threshold.SeverityError, 3); better.ID != 1 || w.status(1) != "unconfirmed-error-none" {
		t.Errorf("better: %+v, and the device is %s", better, w.status(1))
	}
	over := w.clear(1, 4)
	if !over.Cleared || over.EndOn != w.now+240 || over.ClearValue != "3" || w.status(1) != "none" {
		t.Errorf("cleared: %+v, and the device is %s", over, w.status(1))
	}
	if w.clear(1, 5) != nil {
		t.Error("what has cleared cleared again")
	}
	notes := ""
	for _, n := range over.Notes {
		notes += fmt.Sprintln(n.By, n.On-w.now, n.Text)
	}
	const want = "system 0 opened as warn\nsystem 120 warn became critical\nsystem 180 critical became error\n" +
		"system 240 cleared\n"
	if notes != want {
		t.Errorf("its life is\n%swant\n%s", notes, want)
	}
	if next, _ := w.raise(1, threshold.SeverityWarn, 6); next.ID != 2 || next.StartOn != w.now+360 {
		t.Errorf("the next one is %+v", next)
	}
}

func TestAlertJSON(t *testing.T) {
	w := watch(t)
	w.raise(1, threshold.SeverityError, 0)
	const want = `{"id":"1","type":"dataSourceAlert","severity":3,"startEpoch":1777896000,"endEpoch":0,` +
		`"cleared":false,"acked":false,"ackedBy":"","ackedEpoch":0,"ackComment":"",` +
		`"monitorObjectId":1,"monitorObjectName":"fjord","monitorObjectType":"device","collectorId":0,"condition":"",` +
		`"deviceGroupId":0,"clusterAlertConfId":0,"resourceTemplateId":900,"resourceTemplateName":"Echo",` +
		`"resourceId":11,` +
		`"instanceId":1,"instanceName":"Echo-1","instanceDescription":"the machine","dataPointId":900001,` +
		`"dataPointName":"loss","alertValue":"75","reason":"","threshold":"> 40 60 80","clearValue":"",` +
		`"clearExpr":"",` +
		`"sdted":false,"sdtIds":"","ruleId":0,"rule":"","chainId":0,"chain":"","subChainId":0,"nextRecipient":0,` +
		`"receivedList":"","suppressor":"","suppressDesc":"","lastUpdatedOnEpoch":1777896000,` +
		`"notes":[{"by":"system","on":1777896000,"text":"opened as error"}],"internalId":"DS1",` +
		`"resourceTemplateType":"DS","dataPointUnit":"","alertValueWord":"","monitorObjectGroups":[{"id":2,` +
		`"name":"Oslo","fullPath":"Oslo"}],` +
		`"SDT":null,"detailMessage":null,"customColumns":null,"tenant":"","dependencyRole":"",` +
		`"dependencyRoutingState":""}`
	w.calls(admin, []step{
		{"GET /alert/alerts/1", "", want},
		{"GET /alert/alerts?needMessage=true&fields=detailMessage", "",
			page(
				`{"detailMessage":{"subject":"error on fjord","body":"75, rack 7, key ********, ##NOTHING## in Oslo"}}`,
				"1")},
		{"GET /alert/alerts?customColumns=%23%23rack%23%23,%2523%2523snmp.community%2523%2523,%23%23none%23%23&" +
			"fields=customColumns", "", page(`{"customColumns":{"##none##":"","##rack##":"7",`+
			`"##snmp.community##":"********"}}`, "1")},
		{"GET /alert/alerts/1?needMessage=perhaps", "", "invalid needMessage: needMessage must be true or false"},
		{"GET /alert/alerts?customColumns=" + strings.Repeat("a%2C", 3) + manyColumns(), "",
			"invalid customColumns: customColumns takes at most 50 properties"},
	})
}

func manyColumns() string {
	var names []string
	for i := range 50 {
		names = append(names, fmt.Sprint("p", i))
	}
	return strings.Join(names, ",")
}

func TestClearedAlertsAreListedOnlyOnRequest(t *testing.T) {
	w := watch(t)
	w.raise(1, threshold.SeverityWarn, 0)     // alert 1
	w.raise(2, threshold.SeverityError, 1)    // 2
	w.raise(3, threshold.SeverityCritical, 2) // 3
	w.clear(2, 5)
	list := func(filter string) string { return "GET /alert/alerts?fields=id&filter=" + url.QueryEscape(filter) }
	at := func(minutes int64) string { return fmt.Sprint(int64(w.now) + minutes*60) }
	one, two, three := `{"id":"1"}`, `{"id":"2"}`, `{"id":"3"}`
	w.calls(admin, []step{
		{list(""), "", page(one+","+three, "2")},
		{list(`cleared:"*"`), "", page(one+","+two+","+three, "3")},
		{list(`cleared:true`), "", page(two, "1")},
		{list(`cleared:false`), "", page(one+","+three, "2")},
		{list(`severity>:3`), "", page(three, "1")},
		{list(`severity>:3,cleared:"*"`), "", page(two+","+three, "2")},
		{list(`startEpoch>:` + at(1) + `,startEpoch<` + at(2) + `,cleared:"*"`), "", page(two, "1")},
		{list(`startEpoch>:"2026-05-05"`), "", nothing},
		{list(`monitorObjectName~"JOR"`), "", page(one, "1")},
		{list(`acked:true`), "", nothing},
		{list(`sdted:false,instanceName:"Echo-3"`), "", page(three, "1")},
		{list(`id:"3"`), "", page(three, "1")},
		{"GET /alert/alerts?fields=id&sort=-severity,startEpoch", "", page(three+","+one, "2")},
		{"GET /alert/alerts/2?fields=id,cleared", "", `{"id":"2","cleared":true}`},
		{"GET /alert/alerts/4", "", "unknown: there is no alert 4"},

		{"GET /device/devices/1/alerts?fields=id", "", page(one, "1")},
		{"GET /device/devices/2/alerts?fields=id", "", nothing},
		{"GET /device/devices/2/alerts?fields=id&filter=" + url.QueryEscape(`cleared:"*"`), "", page(two, "1")},
		{"GET /device/devices/1/alerts?fields=id&start=" + at(0) + "&end=" + at(0), "", page(one, "1")},
		{"GET /device/devices/1/alerts?fields=id&start=" + at(1) + "&end=0", "", nothing},
		{"GET /device/devices/1/alerts?fields=id&end=" + at(-1), "", nothing},
		{"GET /device/devices/1/alerts?start=now", "", "invalid start: start must be a time in epoch seconds"},
		{"GET /device/devices/9/alerts", "", "unknown: there is no device 9"},
		{"GET /device/groups/1/alerts?fields=id", "", page(one+","+three, "2")},
		{"GET /device/groups/2/alerts?fields=id", "", page(one+","+three, "2")},
		{"GET /device/groups/3/alerts?fields=id&needMessage=true", "", page(three, "1")},
		{"GET /device/groups/4/alerts?fields=id", "", page(three, "1")},
	})
}

func TestAlertsOfHiddenDevicesAreHidden(t *testing.T) {
	w := watch(t)
	w.raise(1, threshold.SeverityWarn, 0)  // alert 1
	w.raise(2, threshold.SeverityError, 1) // 2: not in Oslo
	w.tx(func(ctx context.Context, tx resource.Tx) error {
		_, _, err := alert.Raise(ctx, tx, &alert.Finding{CollectorID: 1, Severity: threshold.SeverityCritical,
			At: w.now})
		return err // 3
	})
	inner := inOslo(resource.Read)
	inner.Grants[0].Groups[3] = true
	w.raise(3, threshold.SeverityError, 2) // 4: in a subgroup, and in Austin too
	one, four := `{"id":"1"}`, `{"id":"4"}`
	w.calls(inner, []step{
		{"GET /alert/alerts?fields=id", "", page(one+","+four, "2")},
		{"GET /alert/alerts?fields=id&size=1&offset=1", "", page(four, "2")},
		{"GET /alert/alerts?fields=id&filter=" + url.QueryEscape(`monitorObjectName:"ranch"||severity>:4,cleared:"*"`),
			"", nothing},
		{"GET /alert/alerts/2", "", "unknown: there is no alert 2"},
		{"GET /alert/alerts/3", "", "unknown: there is no alert 3"},
		{"GET /alert/alerts/4?fields=monitorObjectGroups", "", `{"monitorObjectGroups":[{"id":3,"name":"Inner",` +
			`"fullPath":"Oslo/Inner"}]}`},
		{"GET /alert/alerts/4?needMessage=true&fields=detailMessage", "",
			`{"detailMessage":{"subject":"error on deep",` +
				`"body":"75, rack ##Rack##, key ##snmp.community##, ##NOTHING## in Oslo/Inner"}}`},
		{"GET /device/devices/2/alerts", "", "unknown: there is no device 2"},
		{"GET /device/groups/4/alerts", "", "unknown: there is no device group 4"},
		{"GET /device/groups/1/alerts", "", "unknown: there is no device group 1"},
		{"GET /device/groups/2/alerts?fields=id", "", page(one+","+four, "2")},
		{"POST /alert/alerts/2/ack", `{"ackComment":"mine"}`, "unknown: there is no alert 2"},
		{"POST /alert/alerts/2/note", `{"ackComment":"mine"}`, "unknown: there is no alert 2"},
		{"POST /alert/alerts/3/escalate", ``, "unknown: there is no alert 3"},
		{"POST /alert/alerts/1/ack", `{"ackComment":"mine"}`,
			"denied: your role can view this alert, but not edit it"},
	})
	w.calls(inOslo(resource.Ack), []step{{"POST /alert/alerts/1/ack", `{"ackComment":"mine"}`, ""},
		{"POST /alert/alerts/2/ack", `{"ackComment":"mine"}`, "unknown: there is no alert 2"}})
	w.calls(admin, []step{{"GET /alert/alerts/3?fields=type,monitorObjectId,monitorObjectName,monitorObjectType," +
		"collectorId,resourceTemplateType", "",
		`{"type":"agentDownAlert","monitorObjectId":0,"monitorObjectName":"localhost",` +
			`"monitorObjectType":"collector","collectorId":1,"resourceTemplateType":""}`}})
}

func TestAcknowledgeNoteAndEscalate(t *testing.T) {
	w := watch(t)
	w.calls(admin, []step{
		{"POST /setting/alert/chains", `{"name":"Net","destinations":[{"type":"single",` +
			`"stages":[[{"type":"ARBITRARY","method":"email","addr":"a@example.net"}],[{"type":"ARBITRARY",` +
			`"method":"email","addr":"b@example.net"}]]}]}`, ""},
		{"POST /setting/alert/rules", `{"name":"Oslo","priority":10,"levelStr":"All","deviceGroups":["Oslo*"],` +
			`"escalatingChainId":1}`, ""},
	})
	w.raise(1, threshold.SeverityWarn, 0)
	w.raise(2, threshold.SeverityWarn, 0)
	w.raise(3, threshold.SeverityWarn, 0)
	w.clear(3, 1)
	const shown = "GET /alert/alerts/1?fields=acked,ackedBy,ackedEpoch,ackComment"
	w.calls(admin, []step{
		{"POST /alert/alerts/1/ack", ``, "invalid ackComment: ackComment is required"},
		{"POST /alert/alerts/1/ack", `{"ackComment":"  "}`, "invalid ackComment: ackComment is required"},
		{"POST /alert/alerts/1/ack", `{"comment":"x"}`, `invalid comment: the body has no field "comment"`},
		{"POST /alert/alerts/1/ack", `{"ackComment":"` + strings.Repeat("x", 4001) + `"}`,
			"invalid ackComment: ackComment must be a text of at most 4,000 characters"},
		{shown, "", `{"acked":false,"ackedBy":"","ackedEpoch":0,"ackComment":""}`},
		{"POST /alert/alerts/1/note", `{"ackComment":"seen"}`, ""},
		{shown, "", `{"acked":false,"ackedBy":"","ackedEpoch":0,"ackComment":""}`},
		{"POST /alert/alerts/1/ack", `{"ackComment":"on it"}`, ""},
		{"POST /alert/alerts/1/ack", `{"ackComment":"still on it"}`, ""},
		{shown, "", `{"acked":true,"ackedBy":"admin","ackedEpoch":1777896600,"ackComment":"still on it"}`},
		{"POST /alert/alerts/3/ack", `{"ackComment":"late"}`, "conflict: the alert 3 has cleared and cannot be " +
			"acknowledged"},
		{"POST /alert/alerts/3/note", `{"ackComment":"it was the fan"}`, ""},
		{"POST /alert/alerts/3/escalate", ``, "conflict: the alert 3 has cleared and cannot be escalated"},
		{"POST /alert/alerts/2/escalate", ``, "conflict: the alert 2 has no escalation chain"},
		{"GET /alert/alerts/1?fields=rule,chain,chainId,subChainId,nextRecipient", "",
			`{"rule":"Oslo","chain":"Net","chainId":1,"subChainId":1,"nextRecipient":1}`},
		{"POST /alert/alerts/1/escalate", ``, ""},
		{"GET /alert/alerts/1?fields=nextRecipient", "", `{"nextRecipient":2}`},
		{"POST /alert/alerts/1/escalate", ``, "conflict: the alert 1 is at the last stage of its escalation chain Net"},
		{"GET /alert/alerts/1?fields=notes", "", `{"notes":[{"by":"system","on":1777896000,"text":"opened as warn"},` +
			`{"by":"admin","on":1777896600,"text":"seen"},` +
			`{"by":"admin","on":1777896600,"text":"acknowledged: on it"},{"by":"admin","on":1777896600,` +
			`"text":"acknowledged: still on it"},{"by":"admin","on":1777896600,"text":"escalated to stage 2 of ` +
			`Net"}]}`},
	})
	if got := w.status(1); got != "confirmed-warn-none" {
		t.Errorf("the device is %s", got)
	}
	if worse, _ := w.raise(1, threshold.SeverityError, 11); worse.Acked || worse.NextRecipient != 2 ||
		w.status(1) != "unconfirmed-error-none" {
		t.Errorf("worse: %+v, and the device is %s", worse, w.status(1))
	}
	log, err := resource.Find(t.Context(), w.db, audit.AuditLogs.Name,
		resource.Where{Field: "object", Op: "=", Value: "alert"})
	if err != nil || len(log) != 5 || log[0].Description != "Wrote a note to the alert 1" ||
		!strings.HasPrefix(log[1].Description, "Acknowledged the alert 1") || log[4].Action != "escalate" {
		t.Errorf("the log says %+v (%v)", log, err)
	}
}

func TestAcknowledgementCanBeRemoved(t *testing.T) {
	w := watch(t)
	w.raise(1, threshold.SeverityWarn, 0)
	w.raise(2, threshold.SeverityWarn, 0)
	w.raise(3, threshold.SeverityWarn, 0)
	w.clear(3, 1)
	w.calls(admin, []step{
		{"POST /alert/alerts/1/unack", ``, "conflict: the alert 1 is not acknowledged"},
		{"POST /alert/alerts/3/unack", ``, "conflict: the alert 3 has cleared"},
		{"POST /alert/alerts/1/ack", `{"ackComment":"on it"}`, ""},
		{"GET /device/devices/1?fields=alertStatus,alertStatusPriority", "",
			`{"alertStatus":"confirmed-warn-none","alertStatusPriority":10}`},
		{"POST /alert/alerts/1/unack", ``, ""},
		{"GET /alert/alerts/1?fields=acked,ackedBy,ackedEpoch,ackComment", "",
			`{"acked":false,"ackedBy":"","ackedEpoch":0,"ackComment":""}`},
		{"GET /alert/alerts/1?fields=notes", "", `{"notes":[{"by":"system","on":1777896000,"text":"opened as warn"},` +
			`{"by":"admin","on":1777896600,"text":"acknowledged: on it"},` +
			`{"by":"admin","on":1777896600,"text":"acknowledgement removed"}]}`},
		{"GET /device/devices/1?fields=alertStatus,alertStatusPriority", "",
			`{"alertStatus":"unconfirmed-warn-none","alertStatusPriority":9}`},
	})
}

func TestDevicesAreSortedByTheSeverityOfTheirAlerts(t *testing.T) {
	for status, want := range map[string]int64{
		"unconfirmed-critical-none": 1, "confirmed-critical-none": 2, "unconfirmed-critical-sdt": 3,
		"confirmed-critical-sdt": 4, "unconfirmed-error-none": 5, "confirmed-error-sdt": 8,
		"unconfirmed-warn-none": 9, "confirmed-warn-sdt": 12, "none": 100, "": 100,
	} {
		d := fleet.Device{AlertStatus: status} // as an older version stored it
		if err := fleet.Devices.Mend(&d); err != nil || d.AlertPriority != want {
			t.Errorf("%s has the priority %d (%v), want %d", status, d.AlertPriority, err, want)
		}
	}
}

func TestMaintenanceCoversAnAlert(t *testing.T) {
	w := watch(t)
	w.raise(1, threshold.SeverityWarn, 0)
	w.raise(2, threshold.SeverityError, 0)
	maintain := func(device, from, to int64) {
		s := maintenance.SDT{Type: maintenance.DeviceSDT, DeviceID: device, Recurrence: maintenance.OneTime,
			Comment: "new fans", Admin: "clerk", Start: resource.MillisOf(noon) + resource.Millis(from*60_000),
			End: resource.MillisOf(noon) + resource.Millis(to*60_000)}
		w.tx(func(ctx context.Context, tx resource.Tx) error {
			return resource.Put(ctx, tx, maintenance.SDTs.Name, &s)
		})
	}
	sweep := func(minutes int64) {
		w.tx(func(ctx context.Context, tx resource.Tx) error {
			return alert.CoverAlerts(ctx, tx, noon.Add(time.Duration(minutes)*time.Minute))
		})
	}
	maintain(1, 5, 30)
	maintain(1, 5, 60)
	sweep(4)
	if got := w.status(1); got != "unconfirmed-warn-none" {
		t.Errorf("before: the device is %s", got)
	}
	sweep(5)
	if w.status(1) != "unconfirmed-warn-sdt" || w.status(2) != "unconfirmed-error-none" {
		t.Errorf("in maintenance: the devices are %s and %s", w.status(1), w.status(2))
	}
	w.calls(admin, []step{
		{"GET /alert/alerts?fields=id,sdtIds,SDT&filter=sdted%3Atrue", "", page(`{"id":"1","sdtIds":"R_1,R_2",`+
			`"SDT":{"id":"R_2","type":"ResourceSDT","admin":"clerk","comment":"new fans",`+
			`"startDateTime":1777896300000,"endDateTime":1777899600000}}`, "1")},
	})
	sweep(31)
	if a, changed := w.raise(1, threshold.SeverityWarn, 32); changed || a.SDTIDs != "R_2" {
		t.Errorf("one is over: %+v", a)
	}
	sweep(60)
	if got := w.status(1); got != "unconfirmed-warn-none" {
		t.Errorf("after: the device is %s", got)
	}
	maintain(3, 0, 90)
	if a, _ := w.raise(3, threshold.SeverityCritical, 61); a.SDTIDs != "R_3" ||
		w.status(3) != "unconfirmed-critical-sdt" {
		t.Errorf("raised in maintenance: %+v, and the device is %s", a, w.status(3))
	}
	w.tx(func(ctx context.Context, tx resource.Tx) error {
		return resource.Delete(ctx, tx, maintenance.SDTs.Name, 3)
	})
	w.calls(admin,
		[]step{{"GET /device/devices/3/alerts?fields=sdted,SDT", "", page(`{"sdted":true,"SDT":null}`, "1")}})
}

func TestNoAlertOpensWhereAlertingIsDisabled(t *testing.T) {
	for name, off := range map[string]step{
		"at the device":                  {request: "PATCH /device/devices/3", body: `{"disableAlerting":true}`},
		"at its group":                   {request: "PATCH /device/groups/3", body: `{"disableAlerting":true}`},
		"at a group above":               {request: "PATCH /device/groups/2", body: `{"disableAlerting":true}`},
		"at another of its groups":       {request: "PATCH /device/groups/4", body: `{"disableAlerting":true}`},
		"because the device was deleted": {request: "DELETE /device/devices/3"},
	} {
		t.Run(name, func(t *testing.T) {
			w := watch(t)
			if a, _ := w.raise(3, threshold.SeverityWarn, 0); a == nil {
				t.Fatal("nothing opens before")
			}
			w.calls(admin, []step{{off.request, off.body, ""}})
			if a, _ := w.raise(3, threshold.SeverityError, 1); a != nil {
				t.Errorf("%+v opened", a)
			}
			w.calls(admin, []step{{"GET /alert/alerts", "", nothing}})
			if a, changed := w.raise(3, threshold.SeverityError, 2); a != nil || changed {
				t.Errorf("%+v opened", a)
			}
		})
	}
	t.Run("at the instance", func(t *testing.T) {
		w := watch(t)
		w.tx(func(ctx context.Context, tx resource.Tx) error {
			i, err := resource.Get(ctx, tx, fleet.Instances.Name, 3)
			if err != nil {
				return err
			}
			i.DisableAlerting = true
			return resource.Put(ctx, tx, fleet.Instances.Name, i)
		})
		if a, _ := w.raise(3, threshold.SeverityError, 1); a != nil {
			t.Errorf("%+v opened", a)
		}
	})
}

func TestDeletingADeviceClearsItsAlerts(t *testing.T) {
	w := watch(t)
	const all = "GET /alert/alerts?fields=id,cleared,endEpoch&filter=cleared%3A%22*%22"
	w.raise(1, threshold.SeverityWarn, 0)
	w.raise(3, threshold.SeverityWarn, 0)
	w.calls(admin, []step{
		{"DELETE /device/devices/1", "", "{}"},
		{all, "", page(`{"id":"1","cleared":true,"endEpoch":1777896600},{"id":"2","cleared":false,"endEpoch":0}`, "2")},
		{"DELETE /device/groups/3?deleteChildren=true", "", "{}"}, // deep is also in Austin
		{all, "", page(`{"id":"1","cleared":true,"endEpoch":1777896600},{"id":"2","cleared":false,"endEpoch":0}`, "2")},
		{"DELETE /device/groups/4?deleteChildren=true", "", "{}"},
		{
			all, "", page(`{"id":"1","cleared":true,"endEpoch":1777896600},{"id":"2","cleared":true,`+
				`"endEpoch":1777896600}`, "2")},
		{"POST /device/recyclebin/1/restore", "", ""},
		{"GET /device/devices/1?fields=alertStatus", "", `{"alertStatus":"none"}`},
		{"GET /alert/alerts", "", nothing},
		{"DELETE /device/devices/1?deleteHard=true", "", "{}"},
		{all, "", page(`{"id":"2","cleared":true,"endEpoch":1777896600}`, "1")},
		{"DELETE /device/recyclebin/3", "", "{}"},
		{all, "", nothing},
	})
}

func TestClearedAlertsAreKeptForTheConfiguredTime(t *testing.T) {
	w := watch(t)
	w.raise(1, threshold.SeverityWarn, 0)
	w.clear(1, 1)
	w.raise(1, threshold.SeverityWarn, 2)
	w.raise(2, threshold.SeverityWarn, 0)
	w.clear(2, 60)
	w.tx(func(ctx context.Context, tx resource.Tx) error {
		return resource.Put(ctx, tx, setting.Settings.Name, &setting.Setting{ID: setting.SettingID, AlertDays: 5})
	})
	w.tx(func(ctx context.Context, tx resource.Tx) error {
		more, err := alert.PruneAlerts(ctx, tx, noon.AddDate(0, 0, 5).Add(30*time.Minute))
		if more {
			t.Error("PruneAlerts reports more rows")
		}
		return err
	})
	w.calls(admin,
		[]step{{"GET /alert/alerts?fields=id&filter=cleared%3A%22*%22", "", page(`{"id":"2"},{"id":"3"}`, "2")}})
}

func TestAlertHasTheUnitOfItsGraph(t *testing.T) {
	w := watch(t)
	w.raise(1, threshold.SeverityWarn, 0)
	unit := func(want string) {
		t.Helper()
		w.calls(admin,
			[]step{{"GET /alert/alerts?fields=dataPointUnit", "", page(`{"dataPointUnit":"`+want+`"}`, "1")}})
	}
	unit("")
	w.tx(func(ctx context.Context, tx resource.Tx) error {
		source, err := resource.Get(ctx, tx, datasource.DataSources.Name, 900)
		if err != nil {
			return err
		}
		source.Graphs = []datasource.Graph{datasource.Plot("Time", "ms", "time"), datasource.Plot("Loss", "%", "loss")}
		for i := range source.Graphs {
			source.Graphs[i].Lines = []datasource.GraphLine{{DataPointName: []string{"time", "loss"}[i]}}
		}
		return resource.Put(ctx, tx, datasource.DataSources.Name, source)
	})
	unit("%")
}

func TestAlertHasTheTextOfItsValue(t *testing.T) {
	w := watch(t)
	w.raise(1, threshold.SeverityWarn, 0)
	w.raise(2, threshold.SeverityError, 0)
	words := func(want ...string) {
		t.Helper()
		w.calls(admin, []step{{"GET /alert/alerts?fields=alertValue,alertValueWord&sort=id", "",
			page(`{"alertValue":"50","alertValueWord":"`+want[0]+`"},{"alertValue":"75","alertValueWord":"`+want[1]+
				`"}`, "2")}})
	}
	words("", "")
	w.tx(func(ctx context.Context, tx resource.Tx) error {
		source, err := resource.Get(ctx, tx, datasource.DataSources.Name, 900)
		if err != nil {
			return err
		}
		for i := range source.DataPoints {
			source.DataPoints[i].StatusDisplayNames = []datasource.StatusDisplayName{
				{Operator: "GT", Value: "60", Word: "closed"}}
		}
		return resource.Put(ctx, tx, datasource.DataSources.Name, source)
	})
	words("", "closed")
}

func TestDevicesAreCountedFromAnIndexAlone(t *testing.T) {
	aboutFiles(t)
	w := watch(t)
	file, err := sql.Open("sqlite", "file:"+w.path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var id, parent, unused int
	var plan string
	for _, by := range []string{`"hostGroupIds"`, `"hostGroupIds", "alertStatus", "hostStatus"`} {
		row := file.QueryRow(`EXPLAIN QUERY PLAN SELECT ` + by + `, count(*) FROM "device" WHERE "deletedTimeInMs" = ` +
			`0 GROUP BY ` + by)
		if err := row.Scan(&id, &parent, &unused, &plan); err != nil ||
			plan != "SCAN device USING COVERING INDEX device counted" {
			t.Errorf("devices are counted by %s so: %s (%v)", by, plan, err)
		}
	}
	row := file.QueryRow(`EXPLAIN QUERY PLAN SELECT "hostGroupIds", "alertStatus", "hostStatus", count(*) FROM `+
		`"device" WHERE "deletedTimeInMs" = 0 AND "lastDataTime" = ? GROUP BY 1, 2, 3`, 0)
	if err := row.Scan(&id, &parent, &unused, &plan); err != nil ||
		plan != "SEARCH device USING INDEX device by lastDataTime (lastDataTime=?)" {
		t.Errorf("devices without data are counted so: %s (%v)", plan, err)
	}
}

func TestNewestActiveAlertsAreReadFromAnIndex(t *testing.T) {
	aboutFiles(t)
	w := watch(t)
	file, err := sql.Open("sqlite", "file:"+w.path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	for _, field := range []string{"startEpoch", "endEpoch", "lastUpdatedOnEpoch"} {
		var id, parent, unused int
		var plan string
		row := file.QueryRow(`EXPLAIN QUERY PLAN SELECT "id", "body" FROM "alert" WHERE "cleared" = ? ORDER BY "`+field+
			`" DESC, "id" DESC LIMIT 50`, false)
		if err := row.Scan(&id, &parent, &unused, &plan); err != nil ||
			plan != `SEARCH alert USING INDEX alert by cleared and `+field+` (cleared=?)` {
			t.Errorf("alerts by %s are read so: %s (%v)", field, plan, err)
		}
	}
}
