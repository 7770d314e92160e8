package store_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"spyglass/backend/fault"
	"spyglass/backend/portal"
	"spyglass/backend/portal/alert"
	"spyglass/backend/portal/audit"
	"spyglass/backend/portal/collector"
	"spyglass/backend/portal/datasource"
	"spyglass/backend/portal/fleet"
	"spyglass/backend/portal/people"
	"spyglass/backend/portal/setting"
	"spyglass/backend/resource"
	"spyglass/backend/store"
)

var noon = time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)

// fixture is the store of a new portal with its initial rows.
type fixture struct {
	t         testing.TB
	db        *store.DB
	path      string
	endpoints []resource.Endpoint
}

func open(t testing.TB) *fixture {
	t.Helper()
	h := &fixture{t: t, path: filepath.Join(t.TempDir(), "portal.db")}
	seeded := prepared(t, h.path)
	h.start()
	if seeded {
		return h
	}
	if err := seed(h.db); err != nil {
		t.Fatal(err)
	}
	return h
}

// seed writes the initial rows of every portal.
func seed(db *store.DB) error {
	return db.Write(context.Background(), func(tx resource.Tx) error {
		return portal.Seed(context.Background(), tx, resource.SecondsOf(noon))
	})
}

func (h *fixture) start() {
	h.t.Helper()
	_, bench := h.t.(*testing.B)
	db, endpoints, err := tables(h.path, !bench)
	if err != nil {
		h.t.Fatal(err)
	}
	h.t.Cleanup(func() { _ = db.Close() })
	h.db, h.endpoints = db, endpoints
}

// tables opens a store with the tables of a portal.
func tables(path string, twice bool) (db *store.DB, endpoints []resource.Endpoint, err error) {
	o := options(path)
	o.Clock, o.Zone, o.Twice = func() time.Time { return noon }, time.UTC, twice
	if db, err = store.Open(context.Background(), o); err != nil {
		return nil, nil, err
	}
	for _, add := range []func(db *store.DB) (*store.Table, error){
		adding(&fleet.Groups),
		adding(&fleet.Devices),
		adding(&alert.Alerts),
		adding(&alert.ClusterAlerts),
		adding(&alert.Deliveries),
		adding(&collector.Collectors),
		adding(&people.Roles),
		adding(&people.UserGroups),
		adding(&people.RoleGroups),
		adding(&people.Users),
		adding(&people.Tokens),
		adding(&collector.CollectorGroups),
		adding(&fleet.Functions),
		adding(&datasource.DataSources),
		adding(&datasource.UpdateReasons),
		adding(&setting.Settings),
		adding(&audit.AuditLogs),
	} {
		table, err := add(db)
		if err != nil {
			return nil, nil, errors.Join(err, db.Close())
		}
		endpoints = append(endpoints, table.Endpoints()...)
	}
	if _, err := store.Add(db, &fleet.UnsettledRows); err != nil { // without endpoints
		return nil, nil, errors.Join(err, db.Close())
	}
	db.SetAuditor(audit.Audit)
	return db, endpoints, nil
}

func adding[T any](r *resource.Resource[*T]) func(db *store.DB) (*store.Table, error) {
	return func(db *store.DB) (*store.Table, error) { return store.Add(db, r) }
}

func add[T any](h *fixture, r *resource.Resource[*T]) {
	h.t.Helper()
	table, err := store.Add(h.db, r)
	if err != nil {
		h.t.Fatal(err)
	}
	h.endpoints = append(h.endpoints, table.Endpoints()...)
}

var admin = &resource.Access{UserID: 1, User: "admin", Admin: true}

// send sends a request such as "GET /device/devices?size=2" with a body, as a user, and returns
// the body of the response, or the fault as "kind field: sentence".
func (h *fixture) send(who *resource.Access, request, body string) string {
	h.t.Helper()
	response, err := h.do(who, request, body, "")
	if err != nil {
		f := fault.Of(err)
		if f.Kind == fault.Internal {
			h.t.Fatalf("%s: %v", request, err)
		}
		return strings.TrimSpace(string(f.Kind)+" "+f.Field) + ": " + f.Message
	}
	if a, ok := response.(*resource.Response); ok {
		response = a.Body
	}
	return string(response.(resource.JSON))
}

func (h *fixture) do(who *resource.Access, request, body, ifMatch string) (any, error) {
	h.t.Helper()
	method, target, _ := strings.Cut(request, " ")
	path, query, _ := strings.Cut(target, "?")
	values, err := url.ParseQuery(strings.ReplaceAll(query, "+", "%2B"))
	if err != nil {
		h.t.Fatal(err)
	}
	for _, e := range h.endpoints {
		vars, ok := match(e.Path, path)
		if e.Method == method && ok {
			return e.Handle(h.t.Context(), &resource.Call{Access: who, At: noon, Vars: vars, Query: values,
				Body: []byte(body), IfMatch: ifMatch})
		}
	}
	h.t.Fatalf("no endpoint for %s", request)
	return nil, nil
}

func match(pattern, path string) (map[string]string, bool) {
	want, have := strings.Split(pattern, "/"), strings.Split(path, "/")
	if len(want) != len(have) {
		return nil, false
	}
	vars := map[string]string{}
	for i := range want {
		if strings.HasPrefix(want[i], "{") {
			vars[strings.Trim(want[i], "{}")] = have[i]
		} else if want[i] != have[i] {
			return nil, false
		}
	}
	return vars, true
}

func TestRowSupportsAllFiveMethods(t *testing.T) {
	h := open(t)
	for _, tt := range []struct{ request, body, want string }{
		{"GET /device/devices?fields=id", "", `{"total":0,"searchId":null,"items":[],"data":null}`},
		{"POST /device/groups", `{"name":"Oslo","customProperties":[{"name":"site","value":"OSL"},` +
			`{"name":"snmp.community","value":"s3cret"}]}`, ""},
		{"POST /device/devices", `{"name":"10.0.0.1","displayName":"core-01","hostGroupIds":"2",` +
			`"customProperties":[{"name":"ssh.pass","value":"hunter22"},{"name":"rack","value":"7"}]}`, ""},
		{"GET /device/devices?fields=id,displayName,hostGroupIds,customProperties,inheritedProperties", "",
			`{"total":1,"searchId":null,"items":[{"id":1,"displayName":"core-01","hostGroupIds":"2",` +
				`"customProperties":[{"name":"ssh.pass","value":"********"},{"name":"rack","value":"7"}],` +
				`"inheritedProperties":[{"name":"site","value":"OSL"},{"name":"snmp.community",` +
				`"value":"********"}]}],"data":null}`},
		{"PATCH /device/devices/1", `{"description":"core"}`, ""},
		{"GET /device/devices/1?fields=id,description,preferredCollectorId", "",
			`{"id":1,"description":"core","preferredCollectorId":1}`},
		{"PUT /device/devices/1", `{"name":"10.0.0.2"}`, ""},
		{"GET /device/devices/1?fields=name,displayName,description,hostGroupIds,customProperties", "",
			`{"name":"10.0.0.2","displayName":"10.0.0.2","description":"","hostGroupIds":"1","customProperties":[]}`},
		{"DELETE /device/devices/1", "", `{}`},
		{"GET /device/devices/1", "", `unknown: there is no device 1`},
		{"POST /device/devices", `{"name":"10.0.0.2"}`, ""}, // the name of a deleted device is available again
		{"GET /device/devices?fields=id,name", "", `{"total":1,"searchId":null,"items":[{"id":2,"name":"10.0.0.2"}],` +
			`"data":null}`},
		{"DELETE /device/devices/2?deleteHard=true", "", `{}`},
		{"GET /setting/admins/9/apitokens", "", `unknown: there is no user 9`},
	} {
		got := h.send(admin, tt.request, tt.body)
		if tt.want == "" && !strings.HasPrefix(got, "{") || tt.want != "" && got != tt.want {
			t.Errorf("%s %s\n got %s\nwant %s", tt.request, tt.body, got, tt.want)
		}
	}
}

func TestInvalidRequestIsExplained(t *testing.T) {
	h := open(t)
	h.send(admin, "POST /device/devices", `{"name":"web-1"}`)
	for _, tt := range []struct{ request, body, want string }{
		{"POST /device/devices", `{}`, `invalid name: name is required`},
		{"POST /device/devices", `{"nam":"x"}`, `invalid nam: device has no field "nam"; did you mean name?`},
		{"POST /device/devices", `{"name":"a","name":"b"}`, `invalid: the body is not valid JSON at byte 18: the ` +
			`key "name" is there twice`},
		{"POST /device/devices", `[1]`, `invalid: the body must be a JSON object`},
		{"POST /device/devices", `{"name":7}`, `invalid name: name must be a text in double quotes`},
		{"POST /device/devices", `{"name":"WEB-1"}`, `conflict displayName: there is already a device with the ` +
			`displayName "WEB-1"`},
		{"POST /device/devices", `{"name":"b","hostGroupIds":"1,99"}`, `invalid hostGroupIds: hostGroupIds: there ` +
			`is no device group 99`},
		{"POST /device/devices", `{"name":"b","hostGroupIds":"x"}`, `invalid hostGroupIds: hostGroupIds must be a ` +
			`list of ids joined by commas: "x" is not an id`},
		{"POST /device/devices", `{"name":"b","preferredCollectorId":0}`, `invalid preferredCollectorId: ` +
			`preferredCollectorId must be at least 1`},
		{"POST /device/groups", `{"name":"a/b"}`,
			`invalid name: name must not contain slashes, because they separate the ` +
				`groups of a path`},
		{"GET /device/devices?size=0", ``, `invalid size: size must be a whole number from 1 to 1000`},
		{"GET /device/devices?offset=-1", ``, `invalid offset: offset must be a whole number of at least 0`},
		{"GET /device/devices?fields=displayNam", ``, `invalid fields: device has no field "displayNam"; did you ` +
			`mean displayName?`},
		{"GET /device/devices?sort=-customProperties", ``, `invalid sort: customProperties is a list or an object; ` +
			`lists cannot be sorted by it`},
		{"GET /setting/admins?sort=password", ``, `invalid sort: user has no field "password" to sort by`},
		{"GET /device/devices/x", ``, `unknown: there is no "x" here; an id must be a whole number`},
		{"PATCH /device/devices/1?opType=merge", `{}`, `invalid opType: opType must be refresh, replace or add`},
		{"DELETE /device/groups/1", ``, `conflict: the root group cannot be deleted`},
		{"DELETE /setting/collectors/1", ``, `conflict: the built-in collector cannot be deleted`},
	} {
		if got := h.send(admin, tt.request, tt.body); got != tt.want {
			t.Errorf("%s %s\n got %s\nwant %s", tt.request, tt.body, got, tt.want)
		}
	}
	if got := h.send(admin, "GET /device/devices?fields=id", ""); got != `{"total":1,"searchId":null,"items":[{"id":1}`+
		`],"data":null}` {
		t.Errorf("something wrong was written: %s", got)
	}
}

func TestFiltersReturnMatchingRows(t *testing.T) {
	h := open(t)
	h.send(admin, "POST /device/groups", `{"name":"Oslo","customProperties":[{"name":"site","value":"BGO"}]}`)
	for _, body := range []string{
		`{"name":"10.0.0.1","displayName":"Web-01","hostGroupIds":"1","customProperties":[{"name":"location",` +
			`"value":"x"},{"name":"owner","value":"y"}]}`,
		`{"name":"10.0.0.2","displayName":"web-02","hostGroupIds":"2","disableAlerting":true,` +
			`"customProperties":[{"name":"location","value":"y"}]}`,
		`{"name":"10.0.0.3","displayName":"50%_ÄPFEL","hostGroupIds":"1,2","description":"50 percent"}`,
	} {
		if got := h.send(admin, "POST /device/devices", body); !strings.HasPrefix(got, "{") {
			t.Fatal(got)
		}
	}
	const inherit = `GET /device/devices?fields=id&filter=inheritedProperties.value:"BGO"`
	if got, want := h.send(admin, inherit, ""),
		`{"total":2,"searchId":null,"items":[{"id":2},{"id":3}],"data":null}`; got != want {
		t.Errorf("%s gives %s, want %s", inherit, got, want)
	}
	h.send(admin, "PATCH /device/groups/1", `{"customProperties":[{"name":"contact","value":"noc"},{"name":"site",`+
		`"value":"HQ"},{"name":"snmp.community","value":"s3cret"}]}`)
	h.send(admin, "PATCH /device/groups/2", `{"customProperties":[{"name":"site","value":"OSL"}]}`)
	for _, tt := range []struct{ filter, ids string }{
		{``, `1 2 3`},
		{`displayName~"WEB"`, `1 2`},
		{`displayName:"web-01"`, `1`},
		{`displayName:"web*"`, `1 2`},
		{`displayName:"*-0*"`, `1 2`},
		{`displayName!:"web*"`, `3`},
		{`displayName~"äpfel"`, `3`},
		{`displayName~"%_"`, `3`},
		{`displayName:"web-01"|"web-02"`, `1 2`},
		{`displayName!~"web"|"%"`, ``},
		{`id>1,id<3`, `2`},
		{`id>:2 || id:1`, `1 2 3`},
		{`disableAlerting:true`, `2`},
		{`description:::empty`, `1 2`},
		{`description!::empty`, `3`},
		{`hostGroupIds:"2"`, `2 3`},
		{`hostGroupIds:"1,2"`, `3`},
		{`hostGroupIds!:2`, `1`},
		{`customProperties.name:"location",customProperties.value:"y"`, `2`},
		{`customProperties.value:"y"`, `1 2`},
		{`customProperties.name:"location",customProperties.value!:"y"`, `1`},
		{`customProperties.name!:"location"`, `3`},
		{`customProperties.value:::empty`, ``},
		{`inheritedProperties.name:"contact"`, `1 2 3`},
		{`inheritedProperties.value:"BGO"`, ``}, // no device has this value any more
		{`inheritedProperties.name:"SITE",inheritedProperties.value:"o*"`, `2`},
		{`inheritedProperties.name:"site",inheritedProperties.value!:"OSL"`, `1 3`},
		{`inheritedProperties.value!:"OSL"`, `1 3`},
		{`inheritedProperties.name:"site",inheritedProperties.value:"OSL" || ` +
			`inheritedProperties.name:"site",displayName:"web-01"`, `1 2`},
		{`inheritedProperties.name:"contact",inheritedProperties.value:"OSL"`, ``},
		{`inheritedProperties.name:"snmp.community",inheritedProperties.value~"s3cret"`, ``},
		{`_all~"percent"`, `3`},
		{`_all~"10.0.0"`, `1 2 3`},
		{`createdOn:"2026-05-04"`, `1 2 3`},
		{`createdOn>"2026-05-04"`, ``},
		{`createdOn>:"2026-05-04T12:00:00Z"`, `1 2 3`},
		{`displayName:"x' OR 1=1 --"`, ``},
	} {
		t.Run(tt.filter, func(t *testing.T) {
			response, err := h.do(admin, "GET /device/devices?fields=id&filter="+url.PathEscape(tt.filter), "", "")
			if err != nil {
				t.Fatal(err)
			}
			var list struct {
				Total int
				Items []struct{ ID int64 }
			}
			if err := json.Unmarshal(response.(resource.JSON), &list); err != nil {
				t.Fatal(err)
			}
			var ids []string
			for _, item := range list.Items {
				ids = append(ids, fmt.Sprint(item.ID))
			}
			if got := strings.Join(ids, " "); got != tt.ids || list.Total != len(ids) {
				t.Errorf("found %q of %d, want %q", got, list.Total, tt.ids)
			}
		})
	}
}

func TestRoleSeesOnlyItsGroups(t *testing.T) {
	h := open(t)
	h.send(admin, "POST /device/groups", `{"name":"Oslo"}`)                  // 2
	h.send(admin, "POST /device/groups", `{"name":"Austin"}`)                // 3
	h.send(admin, "POST /device/devices", `{"name":"a","hostGroupIds":"2"}`) // 1
	h.send(admin, "POST /device/devices", `{"name":"b","hostGroupIds":"3"}`) // 2
	oslo := &resource.Access{UserID: 7, User: "o", Grants: []resource.Grant{
		{Object: resource.DeviceGroup, Op: resource.Modify, Groups: map[int64]bool{2: true}},
		{Object: resource.DeviceGroup, Op: resource.Read, Groups: map[int64]bool{1: true}},
	}}
	for _, tt := range []struct{ request, body, want string }{
		{"GET /device/devices?fields=id", "", `{"total":1,"searchId":null,"items":[{"id":1}],"data":null}`},
		{"GET /device/groups?fields=id", "", `{"total":2,"searchId":null,"items":[{"id":1},{"id":2}],"data":null}`},
		{"GET /device/devices/2", "", `unknown: there is no device 2`},
		{"PATCH /device/devices/2", `{}`, `unknown: there is no device 2`},
		{"PATCH /device/groups/1", `{}`, `denied: your role can view this device group, but not edit it`},
		{"POST /device/devices", `{"name":"c","hostGroupIds":"3"}`, `invalid hostGroupIds: hostGroupIds: there is ` +
			`no device group 3`},
		{"POST /device/devices", `{"name":"c","hostGroupIds":"99"}`, `invalid hostGroupIds: hostGroupIds: there is ` +
			`no device group 99`},
		{"PATCH /device/devices/1", `{"hostGroupIds":"2,3"}`, `invalid hostGroupIds: hostGroupIds: there is no ` +
			`device group 3`},
		{"POST /device/groups", `{"name":"x","parentId":3}`, `invalid parentId: there is no group 3`},
	} {
		if got := h.send(oslo, tt.request, tt.body); got != tt.want {
			t.Errorf("%s %s\n got %s\nwant %s", tt.request, tt.body, got, tt.want)
		}
	}
}

func TestGroupTreeIsMovedAndDeletedAsAWhole(t *testing.T) {
	h := open(t)
	h.send(admin, "POST /device/groups", `{"name":"A"}`)              // 2
	h.send(admin, "POST /device/groups", `{"name":"B","parentId":2}`) // 3
	h.send(admin, "POST /device/groups", `{"name":"C","parentId":3}`) // 4
	h.send(admin, "POST /device/devices", `{"name":"in-c","hostGroupIds":"4"}`)
	h.send(admin, "POST /device/devices", `{"name":"in-both","hostGroupIds":"1,4"}`)
	for _, tt := range []struct{ request, body, want string }{
		{"GET /device/groups/4?fields=fullPath", "", `{"fullPath":"A/B/C"}`},
		{"PATCH /device/groups/2", `{"parentId":4}`, `invalid parentId: a group cannot be inside itself`},
		{"POST /device/groups", `{"name":"b","parentId":2}`, `conflict name: there is already a device group with ` +
			`the parentId "2" and the name "b"`},
		{"GET /device/groups/2?fields=numOfHosts,numOfDirectDevices,numOfDirectSubGroups,subGroups", "",
			`{"numOfHosts":2,"numOfDirectDevices":0,"numOfDirectSubGroups":1,"subGroups":[{"id":3,"name":"B",` +
				`"fullPath":"A/B","parentId":2}]}`},
		{"DELETE /device/groups/3", "",
			`invalid deleteChildren: B contains 1 group and 2 devices; use deleteChildren=true ` +
				`to delete them too`},
		{"DELETE /device/groups/3?deleteChildren=true", "", `{}`},
		{"GET /device/devices?fields=id,hostGroupIds", "", `{"total":1,"searchId":null,"items":[{"id":2,` +
			`"hostGroupIds":"1"}],"data":null}`},
		{"GET /device/groups?fields=id", "", `{"total":2,"searchId":null,"items":[{"id":1},{"id":2}],"data":null}`},
	} {
		if got := h.send(admin, tt.request, tt.body); got != tt.want {
			t.Errorf("%s %s\n got %s\nwant %s", tt.request, tt.body, got, tt.want)
		}
	}
	h.send(admin, "POST /device/groups", `{"name":"D","parentId":2}`)
	h.send(admin, "PATCH /device/groups/2", `{"name":"Z"}`)
	if got := h.send(admin, `GET /device/groups?fields=fullPath&sort=-id&size=1`,
		""); got != `{"total":3,"searchId":null,"items":[{"fullPath":"Z/D"}],"data":null}` {
		t.Errorf("after the rename: %s", got)
	}
}

func TestMaskWrittenBackKeepsTheSecret(t *testing.T) {
	h := open(t)
	h.send(admin, "POST /device/devices", `{"name":"a","customProperties":[{"name":"ssh.pass","value":"hunter22"}]}`)
	for _, request := range []string{"PATCH /device/devices/1", "PUT /device/devices/1",
		"PATCH /device/devices/1?opType=replace"} {
		h.send(admin, request, `{"name":"a","customProperties":[{"name":"ssh.pass","value":"********"}]}`)
		d, err := resource.Get(t.Context(), h.db, fleet.Devices.Name, 1)
		if err != nil || len(d.CustomProperties) != 1 || d.CustomProperties[0].Value != "hunter22" {
			t.Errorf("after %s: %+v %v", request, d.CustomProperties, err)
		}
	}
}

func TestConditionalWriteFailsAfterAChange(t *testing.T) {
	h := open(t)
	response, err := h.do(admin, "POST /device/devices", `{"name":"a"}`, "")
	if err != nil {
		t.Fatal(err)
	}
	tag := response.(*resource.Response).ETag
	if _, err := h.do(admin, "PATCH /device/devices/1", `{"description":"b"}`, tag); err != nil {
		t.Fatal(err)
	}
	if _, err := h.do(admin, "PATCH /device/devices/1", `{"description":"c"}`, tag); !fault.Is(err, fault.Changed) {
		t.Errorf("the second write: %v, want changed", err)
	}
}

func TestQueuedWritesShareACommitAndFailSeparately(t *testing.T) {
	h := open(t)
	var wg sync.WaitGroup
	failed := errors.New("mine")
	for i := range 200 {
		wg.Go(func() {
			err := h.db.Write(context.Background(), func(tx resource.Tx) error {
				d := fleet.Device{Name: fmt.Sprint("d", i), DisplayName: fmt.Sprint("d", i), GroupIDs: resource.IDs{1},
					CollectorID: 1}
				if err := resource.Put(t.Context(), tx, fleet.Devices.Name, &d); err != nil {
					return err
				}
				if i%4 == 0 {
					return failed
				}
				return nil
			})
			if want := i%4 == 0; (err == failed) != want || !want && err != nil {
				t.Errorf("write %d: %v", i, err)
			}
		})
	}
	wg.Wait()
	if got := h.send(admin, "GET /device/devices?fields=id&size=1&filter=id%3A0",
		""); got != `{"total":0,"searchId":null,"items":[],"data":null}` {
		t.Error(got)
	}
	var list struct{ Total int }
	if err := json.Unmarshal([]byte(h.send(admin, "GET /device/devices?fields=id&size=1", "")), &list); err != nil ||
		list.Total != 150 {
		t.Errorf("%d devices were kept, want 150", list.Total)
	}
}

func TestPanickingRuleFailsOnlyItsWrite(t *testing.T) {
	h := open(t)
	err := h.db.Write(t.Context(), func(resource.Tx) error { panic("boom") })
	if err == nil || fault.Of(err).Kind != fault.Internal {
		t.Errorf("got %v", err)
	}
	if got := h.send(admin, "POST /device/devices", `{"name":"after"}`); !strings.HasPrefix(got, `{"id":1,`) {
		t.Error(got)
	}
}

func TestRowsAndIDsSurviveARestart(t *testing.T) {
	h := open(t)
	h.send(admin, "POST /device/devices", `{"name":"a"}`)
	h.send(admin, "POST /device/devices", `{"name":"b"}`)
	h.send(admin, "DELETE /device/devices/2?deleteHard=true", "")
	if err := h.db.Close(); err != nil {
		t.Fatal(err)
	}
	h.start()
	if got := h.send(admin, "GET /device/devices?fields=id,name", ""); got != `{"total":1,"searchId":null,`+
		`"items":[{"id":1,"name":"a"}],"data":null}` {
		t.Error(got)
	}
	if got := h.send(admin, "POST /device/devices", `{"name":"c"}`); !strings.HasPrefix(got, `{"id":3,`) {
		t.Errorf("the id of a deleted row came back: %s", got)
	}
}

func TestPagesAndTotalsAgreeWhileRowsChange(t *testing.T) {
	h := open(t)
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		for i := 0; ctx.Err() == nil; i++ {
			h.send(admin, "POST /device/devices", fmt.Sprintf(`{"name":"n%d"}`, i))
			if i%3 == 2 {
				h.send(admin, fmt.Sprintf("DELETE /device/devices/%d?deleteHard=true", i-1), "")
			}
		}
	}()
	for range 400 {
		var list struct {
			Total int
			Items []json.RawMessage
		}
		if err := json.Unmarshal([]byte(h.send(admin, "GET /device/devices?fields=id&size=20&offset=5", "")),
			&list); err != nil {
			t.Fatal(err)
		}
		if want := max(0, min(20, list.Total-5)); len(list.Items) != want {
			t.Errorf("%d items of %d", len(list.Items), list.Total)
		}
	}
	stop()
	<-done
}
