package monitor_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"spyglass/backend/fault"
	"spyglass/backend/portal/fleet"
	"spyglass/backend/resource"
)

const (
	instanceList = "GET /device/devices/{deviceId}/devicedatasources/{hdsId}/instances"
	instancePost = "POST /device/devices/{deviceId}/devicedatasources/{hdsId}/instances"
	instanceGet  = "GET /device/devices/{deviceId}/devicedatasources/{hdsId}/instances/{id}"
	instancePut  = "PUT /device/devices/{deviceId}/devicedatasources/{hdsId}/instances/{id}"
	instanceEdit = "PATCH /device/devices/{deviceId}/devicedatasources/{hdsId}/instances/{id}"
	instanceDrop = "DELETE /device/devices/{deviceId}/devicedatasources/{hdsId}/instances/{id}"
	groupPost    = "POST /device/devices/{deviceId}/devicedatasources/{deviceDsId}/groups"
	groupEdit    = "PATCH /device/devices/{deviceId}/devicedatasources/{deviceDsId}/groups/{id}"
	groupDrop    = "DELETE /device/devices/{deviceId}/devicedatasources/{deviceDsId}/groups/{id}"
)

// settled returns a portal that has associated everything and runs no background
// work.
func settled(t *testing.T) *fixture {
	t.Helper()
	h := open(t)
	h.start()
	h.settles(asBegun...)
	h.stop()
	return h
}

// on returns the id of a data source's association with a device.
func (h *fixture) on(device int64, source string) int64 {
	h.Helper()
	rows, err := resource.Find(h.Context(), h.db, fleet.DeviceDataSources.Name,
		resource.Where{Field: "deviceId", Op: "=", Value: device},
		resource.Where{Field: "dataSourceName", Op: "=", Value: source})
	if err != nil || len(rows) != 1 {
		h.Fatalf("device %d has %s %d times (%v)", device, source, len(rows), err)
	}
	return rows[0].ID
}

// path returns the path parameters of an object below a data source on a
// device.
func path(device, on int64, id any) string {
	return fmt.Sprintf("deviceId=%d hdsId=%d deviceDsId=%d id=%v", device, on, on, id)
}

func TestInstanceIsAddedChangedAndDeletedManually(t *testing.T) {
	h := settled(t)
	net := h.on(1, "Net_Interfaces")
	made := h.do(instancePost, path(1, net, ""), `{"displayName":"lo0","wildValue":"100",`+
		`"customProperties":[{"name":"a","value":"1"}]}`)
	id := made["id"]
	if made["name"] != "Net_Interfaces-lo0" || made["deviceId"] != 1.0 ||
		made["dataSourceId"] != float64(h.sourceID("Net_Interfaces")) || made["groupName"] != "@default" ||
		made["deviceDisplayName"] != "core-sw" {
		t.Errorf("it was made as %v", made)
	}
	h.do(instanceEdit, path(1, net, id)+" ?opType=add", `{"displayName":"lo1","customProperties":[{"name":"a",`+
		`"value":"2"},{"name":"b","value":"3"}]}`)
	got := h.do(instanceGet, path(1, net, id), "")
	if want := "[map[name:a value:1] map[name:b value:3]]"; got["name"] != "Net_Interfaces-lo1" ||
		fmt.Sprint(got["customProperties"]) != want {
		t.Errorf("it is %v with %v, want properties %s", got["name"], got["customProperties"], want)
	}
	h.counts(net, "9 of 9")
	h.do(instancePut, path(1, net, id), `{"displayName":"lo1","wildValue":"100","stopMonitoring":true}`)
	h.counts(net, "8 of 9")
	if n := len(h.do("GET /device/devices/{id}/instances", "id=1", "")["items"].([]any)); n != 10 {
		t.Errorf("the device lists %d instances, want 10", n)
	}
	h.do(instanceDrop, path(1, net, id), "")
	h.counts(net, "8 of 8")
}

// counts checks the instance counts of a data source on a device.
func (h *fixture) counts(on int64, want string) {
	h.Helper()
	row := h.do("GET /device/devices/{deviceId}/devicedatasources/{id}", path(1, on, on), "")
	if got := fmt.Sprintf("%v of %v", row["monitoringInstanceNumber"], row["instanceNumber"]); got != want {
		h.Errorf("%s are polled, want %s", got, want)
	}
}

func TestInvalidInstancesAreRefused(t *testing.T) {
	h := settled(t)
	net, ping, other := h.on(1, "Net_Interfaces"), h.on(1, "Ping"), h.on(3, "Net_Interfaces")
	h.do(groupPost, path(3, other, ""), `{"name":"Elsewhere"}`)
	only := fmt.Sprint(h.do(instanceList, path(1, ping, ""), "")["items"].([]any)[0].(map[string]any)["id"])
	for _, tt := range []struct {
		do, vars, body string
		kind           fault.Kind
		message        string
	}{
		{instancePost, path(1, net, ""), `{"displayName":"a","wildValue":"1"}`, fault.Conflict,
			`there is already an instance with the deviceDataSourceId "` + fmt.Sprint(net) + `" and the wildValue "1"`},
		{instancePost, path(1, net, ""), `{"displayName":" ","wildValue":"77"}`, fault.Invalid,
			"displayName must not be empty"},
		{instancePost, path(1, net, ""), `{"displayName":"a","wildValue":"77","groupId":1}`, fault.Invalid,
			"groupId: there is no instance group 1 of Net_Interfaces on this device"},
		{instancePost, path(1, ping, ""), `{"displayName":"a","wildValue":"77"}`, fault.Invalid,
			"Ping has only one instance on each device; you cannot add another"},
		{instanceEdit, path(1, ping, only), `{"wildValue":"77"}`, fault.Invalid,
			"wildValue must stay NULL: Ping has only one instance on each device"},
		{instanceDrop, path(1, ping, only), ``, fault.Conflict, "Ping has this one instance on the device; " +
			"stopMonitoring=true keeps it from being polled"},
		{instanceGet, path(2, ping, only), ``, fault.Unknown, fmt.Sprintf("there is no device datasource %d", ping)},
		{instanceGet, path(1, net, only), ``, fault.Unknown, fmt.Sprintf("there is no instance %s", only)},
		{instancePost, path(3, net, ""), `{"displayName":"a","wildValue":"77"}`, fault.Unknown,
			fmt.Sprintf("there is no device datasource %d", net)},
	} {
		t.Run(tt.do+" "+tt.vars+" "+tt.body, func(t *testing.T) {
			_, err := h.try(tt.do, tt.vars, tt.body)
			if f := fault.Of(err); err == nil || f.Kind != tt.kind || f.Message != tt.message {
				t.Errorf("error is %v, want %s: %s", err, tt.kind, tt.message)
			}
		})
	}
}

func TestInstancesLeaveADeletedGroup(t *testing.T) {
	h := settled(t)
	net := h.on(1, "Net_Interfaces")
	first := h.do(instanceList, path(1, net, ""), "")["items"].([]any)[0].(map[string]any)["id"]
	group := h.do(groupPost, path(1, net, ""), `{"name":"Uplinks"}`)["id"]
	h.do(instanceEdit, path(1, net, first), fmt.Sprintf(`{"groupId":%v}`, group))
	h.do(groupEdit, path(1, net, group), `{"name":"Ways out"}`)
	if got := h.do(instanceGet, path(1, net, first), "")["groupName"]; got != "Ways out" {
		t.Errorf("it is in %v", got)
	}
	h.do(groupDrop, path(1, net, group), "")
	if got := h.do(instanceGet, path(1, net, first), ""); got["groupName"] != "@default" || got["groupId"] != 0.0 {
		t.Errorf("it is in %v, %v", got["groupId"], got["groupName"])
	}
}

func TestDiscoveryRunsForOneDeviceAtOnce(t *testing.T) {
	h := open(t) // no background work
	h.do("POST /device/devices/{id}/scheduleAutoDiscovery", "id=1", "")
	if got := h.watched(); !slices.Equal(got, []string{"core-sw: Net_Interfaces 8, Ping", "web: ", "real-sw: "}) {
		t.Errorf("measured is %v", got)
	}
	net := h.on(1, "Net_Interfaces")
	list := h.do(instanceList, path(1, net, ""), "")["items"].([]any)
	h.do(instanceDrop, path(1, net, list[3].(map[string]any)["id"]), "")
	h.do(instanceEdit, path(1, net, list[0].(map[string]any)["id"]), `{"description":"mine","lockDescription":true,`+
		`"displayName":"renamed"}`)
	h.do("POST /device/devices/{id}/scheduleAutoDiscovery", "id=1", "")
	h.counts(net, "8 of 8")
	first := h.do(instanceGet, path(1, net, list[0].(map[string]any)["id"]), "")
	if first["description"] != "mine" || first["displayName"] != "Ethernet1" {
		t.Errorf("found again it is %v, %v", first["displayName"], first["description"])
	}
}

func TestRequestedPollIsDoneByTheMonitor(t *testing.T) {
	h := settled(t)
	net := h.on(3, "Net_Interfaces")
	for _, i := range h.do(instanceList, path(3, net, ""), "")["items"].([]any) {
		h.do(instanceDrop, path(3, net, i.(map[string]any)["id"]), "")
	}
	h.do("POST /device/devices/{id}/scheduleAutoDiscovery", "id=3", "")
	if got := h.watched()[2]; got != "real-sw: Net_Interfaces 0, Ping" {
		t.Errorf("before discovery it has %s", got)
	}
	h.start()
	h.settles(asBegun...)
}

func TestRoleSeesAndChangesOnlyInstancesOfItsDevices(t *testing.T) {
	h := settled(t)
	h.do("POST /device/groups", "", `{"name":"Theirs"}`)
	h.do("PATCH /device/devices/{id}", "id=3", `{"hostGroupIds":"2"}`)
	net, hidden, only := h.on(3, "Net_Interfaces"), h.on(1, "Net_Interfaces"), h.on(1, "Ping")
	first := h.do(instanceList, path(1, hidden, ""), "")["items"].([]any)[0].(map[string]any)["id"]
	reads := &resource.Access{UserID: 2, User: "reader",
		Grants: []resource.Grant{{Object: resource.DeviceGroup, Groups: map[int64]bool{2: true}, Op: resource.Read}}}
	for _, tt := range []struct {
		do, vars, body string
		kind           fault.Kind // empty: no error
	}{
		{"GET /device/devices/{deviceId}/devicedatasources", path(3, 0, 0), "", ""},
		{instanceList, path(3, net, 0), "", ""},
		{"GET /device/devices/{id}/instances", "id=3", "", ""},
		{"GET /device/devices/{deviceId}/devicedatasources", path(1, 0, 0), "", fault.Unknown},
		{"GET /device/devices/{deviceId}/devicedatasources/{id}", path(1, only, only), "", fault.Unknown},
		{instanceList, path(1, hidden, 0), "", fault.Unknown},
		{instanceList, path(3, hidden, 0), "", fault.Unknown},
		{instanceGet, path(1, hidden, first), "", fault.Unknown},
		{instanceGet, path(3, net, first), "", fault.Unknown},
		{"GET /device/devices/{id}/instances", "id=1", "", fault.Unknown},
		{instancePost, path(3, net, 0), `{"displayName":"a","wildValue":"77"}`, fault.Denied},
		{groupPost, path(3, net, 0), `{"name":"a"}`, fault.Denied},
		{"POST /device/devices/{id}/scheduleAutoDiscovery", "id=3", "", fault.Denied},
	} {
		t.Run(tt.do+" "+tt.vars, func(t *testing.T) {
			h.access = reads
			defer func() { h.access = admin }()
			got, err := h.try(tt.do, tt.vars, tt.body)
			if tt.kind == "" && (err != nil || len(got["items"].([]any)) == 0) || tt.kind != "" &&
				!fault.Is(err, tt.kind) {
				t.Errorf("returns %v, %v; want %q", got, err, tt.kind)
			}
			if err != nil && strings.Contains(fault.Of(err).Message, "core-sw") {
				t.Errorf("%v names a device that is hidden", err)
			}
		})
	}
}

func TestInstancesAreFilteredAndGroupedByTheirDataSource(t *testing.T) {
	h := settled(t)
	rules := func(text string) {
		t.Helper()
		h.do("PATCH /setting/datasources/{id}", fmt.Sprint("id=", h.sourceID("Net_Interfaces")),
			`{"autoDiscoveryConfig":`+text+`}`)
		err := h.db.Write(t.Context(), func(tx resource.Tx) error {
			d, err := resource.Get(t.Context(), tx, fleet.Devices.Name, 1)
			if err != nil {
				return err
			}
			return fleet.DiscoverNow(t.Context(), tx, d, 1_790_000_100)
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	net := h.on(1, "Net_Interfaces")
	show := func() string {
		t.Helper()
		var all []string
		page := h.do(instanceList, path(1, net, ""), "")
		for _, one := range page["items"].([]any) {
			i := one.(map[string]any)
			all = append(all, fmt.Sprintf("%v in %v", i["displayName"], i["groupName"]))
		}
		slices.Sort(all)
		return strings.Join(all, ", ")
	}
	const eight = "Ethernet1 in @default, Ethernet2 in @default, Ethernet3 in @default, Ethernet4 in @default, " +
		"Ethernet5 in @default, Ethernet6 in @default, Ethernet7 in @default, Ethernet8 in @default"
	for _, tt := range []struct{ rules, want string }{
		// existing instances remain
		{`{"filters":[{"attribute":"name","operation":"RegexMatch","value":"[1-3]$"}]}`, eight},
		{`{"deleteInactiveInstance":true,"persistentInstance":true,"filters":[{"attribute":"name",` +
			`"operation":"RegexMatch","value":"[1-3]$"}]}`, eight},
		{`{"deleteInactiveInstance":true,"filters":[{"attribute":"name","operation":"RegexMatch","value":"[1-3]$"}]}`,
			"Ethernet1 in @default, Ethernet2 in @default, Ethernet3 in @default"},
		{`{"deleteInactiveInstance":true,"filters":[{"attribute":"value","operation":"LessThan","value":"3"}],` +
			`"instanceAutoGroupMethod":"regex","instanceAutoGroupMethodParams":"^([A-Za-z]+)[12]"}`,
			"Ethernet1 in Ethernet, Ethernet2 in Ethernet"},
	} {
		rules(tt.rules)
		if got := show(); got != tt.want {
			t.Errorf("%s\n got %s\nwant %s", tt.rules, got, tt.want)
		}
	}
	on, err := resource.Get(t.Context(), h.db, fleet.DeviceDataSources.Name, net)
	if err != nil || on.Instances != 2 || on.Monitored != 2 {
		t.Errorf("%d instances are counted, %d polled (%v)", on.Instances, on.Monitored, err)
	}
}
