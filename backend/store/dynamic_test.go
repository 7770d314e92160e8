package store_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"spyglass/backend/appliesto"
	"spyglass/backend/portal/datasource"
	"spyglass/backend/portal/fleet"
	"spyglass/backend/resource"
)

// steps sends requests in order. An empty want accepts any object.
func (h *fixture) steps(who *resource.Access, all []step) {
	h.t.Helper()
	for _, s := range all {
		got := h.send(who, s.request, s.body)
		if s.want == "" && !strings.HasPrefix(got, "{") || s.want != "" && got != s.want {
			h.t.Errorf("%s %s\n got %s\nwant %s", s.request, s.body, got, s.want)
		}
	}
}

type step struct{ request, body, want string }

// members returns the devices with their groups.
func members(pairs ...string) string {
	out := fmt.Sprintf(`{"total":%d,"searchId":null,"items":[`, len(pairs)/2)
	for i := 0; i+1 < len(pairs); i += 2 {
		if i > 0 {
			out += ","
		}
		out += fmt.Sprintf(`{"displayName":%q,"hostGroupIds":%q}`, pairs[i], pairs[i+1])
	}
	return out + `],"data":null}`
}

const listMembers = "GET /device/devices?fields=displayName,hostGroupIds"

// company has the groups 2 Servers, 3 Servers/Linux and 4 Auto, which is
// dynamic, and the devices web-1, web-2 and db-1.
func company(t *testing.T) *fixture {
	h := open(t)
	h.steps(admin, []step{
		{"POST /device/groups", `{"name":"Servers","customProperties":[{"name":"tier","value":"gold"},` +
			`{"name":"snmp.community","value":"s3cret"}]}`, ""},
		{"POST /device/groups", `{"name":"Linux","parentId":2}`, ""},
		{"POST /device/groups", `{"name":"Auto","appliesTo":"displayName =~ \"web*\""}`, ""},
		{"POST /device/devices", `{"name":"web-1","hostGroupIds":"3"}`, ""},
		{"POST /device/devices", `{"name":"web-2"}`, ""},
		{"POST /device/devices", `{"name":"db-1","hostGroupIds":"2"}`, ""},
	})
	return h
}

func TestDynamicGroupHoldsMatchingDevices(t *testing.T) {
	company(t).steps(admin, []step{
		{listMembers, "", members("web-1", "3,4", "web-2", "1,4", "db-1", "2")},
		{"GET /device/groups/4?fields=groupType,appliesTo,numOfHosts,numOfDirectDevices", "",
			`{"groupType":"Dynamic","appliesTo":"displayName =~ \"web*\"","numOfHosts":2,"numOfDirectDevices":2}`},
		{"GET /device/groups/4/devices?fields=displayName&sort=-displayName", "",
			`{"total":2,"searchId":null,"items":[{"displayName":"web-2"},{"displayName":"web-1"}],"data":null}`},
		{"GET /device/devices?filter=hostGroupIds:4&fields=id", "", `{"total":2,"searchId":null,"items":[{"id":1},` +
			`{"id":2}],"data":null}`},
	})
}

func TestMembershipFollowsEveryChange(t *testing.T) {
	for _, tt := range []struct {
		name  string
		steps []step
		want  string
	}{
		{"a device gets another name", []step{{"PATCH /device/devices/2", `{"displayName":"mail-2"}`, ""},
			{"PATCH /device/devices/3", `{"displayName":"web-3"}`, ""}},
			members("web-1", "3,4", "mail-2", "1", "web-3", "2,4")},
		{"a device is replaced", []step{{"PUT /device/devices/1", `{"name":"web-1"}`, ""}},
			members("web-1", "1,4", "web-2", "1,4", "db-1", "2")},
		{"the expression changes", []step{{"PATCH /device/groups/4", `{"appliesTo":" inGroup('Servers') "}`, ""}},
			members("web-1", "3,4", "web-2", "1", "db-1", "2,4")},
		{"a device moves to another group", []step{{"PATCH /device/groups/4", `{"appliesTo":"inGroup('Servers')"}`, ""},
			{"PATCH /device/devices/1", `{"hostGroupIds":"1,4"}`, ""}},
			members("web-1", "1", "web-2", "1", "db-1", "2,4")},
		{"a property above changes", []step{{"PATCH /device/groups/4", `{"appliesTo":"tier == 'gold'"}`, ""},
			{"PATCH /device/groups/3", `{"customProperties":[{"name":"tier","value":"silver"}]}`, ""}},
			members("web-1", "3", "web-2", "1", "db-1", "2,4")},
		{"a group above is renamed", []step{{"PATCH /device/groups/4", `{"appliesTo":"inGroup('Servers/*')"}`, ""},
			{"PATCH /device/groups/2", `{"name":"Machines"}`, ""}},
			members("web-1", "3", "web-2", "1", "db-1", "2")},
		{"a group moves", []step{{"PATCH /device/groups/4", `{"appliesTo":"tier == 'gold'"}`, ""},
			{"PATCH /device/groups/3", `{"parentId":1}`, ""}},
			members("web-1", "3", "web-2", "1", "db-1", "2,4")},
		{"a static group is made dynamic",
			[]step{{"PATCH /device/groups/3", `{"appliesTo":"startsWith(name, 'db')"}`, ""}},
			members("web-1", "1,4", "web-2", "1,4", "db-1", "2,3")},
		{"an expression is taken away", []step{{"PATCH /device/groups/4", `{"appliesTo":""}`, ""},
			{"PATCH /device/devices/2", `{"displayName":"mail-2"}`, ""}},
			members("web-1", "3,4", "mail-2", "1,4", "db-1", "2")},
		{"the dynamic group is deleted", []step{{"DELETE /device/groups/4", "", "{}"}},
			members("web-1", "3", "web-2", "1", "db-1", "2")},
		{"a group under it is deleted",
			[]step{{"PATCH /device/groups/4", `{"appliesTo":"inGroup('Servers/Linux')"}`, ""},
				{"PATCH /device/devices/1", `{"hostGroupIds":"2,3,4"}`, ""},
				{"DELETE /device/groups/3?deleteChildren=true", "", "{}"}},
			members("web-1", "2", "web-2", "1", "db-1", "2")},
		{"a device is deleted with its last group", []step{{"DELETE /device/groups/3?deleteChildren=true", "", "{}"}},
			members("web-2", "1,4", "db-1", "2")},
		{"a secret does not tell itself",
			[]step{{"PATCH /device/groups/4", `{"appliesTo":"snmp.community == 's3cret'"}`, ""}},
			members("web-1", "3", "web-2", "1", "db-1", "2")},
		{"a secret tells that it is there",
			[]step{{"PATCH /device/groups/4", `{"appliesTo":"exists snmp.community"}`, ""}},
			members("web-1", "3,4", "web-2", "1", "db-1", "2,4")},
		{"no dynamic group depends on another", []step{{"POST /device/groups", `{"name":"Meta",` +
			`"appliesTo":"inGroup('Auto')"}`, ""}}, members("web-1", "3,4", "web-2", "1,4", "db-1", "2")},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := company(t)
			h.steps(admin, append(tt.steps, step{listMembers, "", tt.want}))
		})
	}
}

func TestDynamicGroupRefusesManualMembers(t *testing.T) {
	h := company(t)
	read := h.send(admin, "GET /device/devices/1", "")
	h.steps(admin, []step{
		{"POST /device/devices", `{"name":"x","hostGroupIds":"4"}`, "invalid hostGroupIds: hostGroupIds: the group 4 " +
			"(Auto) is dynamic, so its expression decides who is inside; a device cannot be put into it by hand"},
		{"PATCH /device/devices/3", `{"hostGroupIds":"2,4"}`, "invalid hostGroupIds: hostGroupIds: the group 4 " +
			"(Auto) is dynamic, so its expression decides who is inside; a device cannot be put into it by hand"},
		{"PATCH /device/devices/1", `{"hostGroupIds":"3"}`, "invalid hostGroupIds: hostGroupIds: the group 4 (Auto) " +
			"is dynamic, so its expression decides who is inside; a device cannot be taken out of it by hand"},
		{"PUT /device/devices/1", read, read},
		{"PATCH /device/devices/1", `{"hostGroupIds":"4,2"}`, ""},
		{listMembers, "", members("web-1", "2,4", "web-2", "1,4", "db-1", "2")},
		{"DELETE /device/groups/2", "", "invalid deleteChildren: Servers contains 1 group and 2 devices; " +
			"use deleteChildren=true to delete them too"},
	})
}

func TestInvalidExpressionReportsThePosition(t *testing.T) {
	company(t).steps(admin, []step{
		{"PATCH /device/groups/4", `{"appliesTo":"isWindow()"}`, `invalid appliesTo: appliesTo: there is no function ` +
			`"isWindow" at 0; did you mean isWindows?`},
		{"POST /device/groups", `{"name":"x","appliesTo":"true &&"}`, `invalid appliesTo: appliesTo: expected a ` +
			`value at 7`},
		{"PATCH /device/groups/1", `{"appliesTo":"true"}`, `invalid appliesTo: appliesTo: the root group is where ` +
			`devices are that are in no other, so no expression chooses them`},
		{listMembers, "", members("web-1", "3,4", "web-2", "1,4", "db-1", "2")},
	})
}

// bound may edit one group with its contents, and no other.
func bound(group int64) *resource.Access {
	return &resource.Access{UserID: 7, User: "bound",
		Grants: []resource.Grant{
			{Object: resource.DeviceGroup, Op: resource.Modify, Groups: map[int64]bool{group: true}}}}
}

func TestGroupLimitedRoleSeesButCannotChangeDynamicMembers(t *testing.T) {
	h := company(t)
	const denied = "denied: an expression chooses among all devices, so changing one takes a role that may change " +
		"all device groups"
	h.steps(bound(4), []step{
		{"GET /device/devices?fields=id", "", `{"total":2,"searchId":null,"items":[{"id":1},{"id":2}],"data":null}`},
		{"GET /device/groups/4/devices?fields=id", "", `{"total":2,"searchId":null,"items":[{"id":1},{"id":2}],` +
			`"data":null}`},
		{"GET /device/groups/3/devices", "", "unknown: there is no device group 3"},
		{"PATCH /device/groups/4", `{"appliesTo":"true()"}`, denied},
		{"PATCH /device/groups/4", `{"description":"ours"}`, ""},
		{"PATCH /device/devices/2", `{"displayName":"mail-2"}`, ""}, // this removes the device from the role's view
		{"GET /device/devices/2", "", "unknown: there is no device 2"},
	})
	h.steps(bound(3), []step{
		{"POST /device/groups", `{"name":"Mine","parentId":3,"appliesTo":"true()"}`, denied},
		{"PATCH /device/devices/1", `{"hostGroupIds":"3,4","description":"put back"}`, ""},
		{"POST /device/devices", `{"name":"web-9","hostGroupIds":"3"}`, ""},
		{"POST /device/devices", `{"name":"web-8","hostGroupIds":"3,4"}`, "invalid hostGroupIds: hostGroupIds: " +
			"there is no device group 4"},
		{"GET /device/devices?fields=displayName,hostGroupIds", "", members("web-1", "3,4", "web-9", "3,4")},
		{"PATCH /device/devices/4", `{"displayName":"db-9"}`, ""},
		{"GET /device/devices?fields=displayName,hostGroupIds", "", members("web-1", "3,4", "db-9", "3")},
	})
}

func TestFunctions(t *testing.T) {
	h := company(t)
	const called = "conflict: isWeb is used by the group Auto, the function isBoth; change these first, or "
	h.steps(admin, []step{
		{"POST /setting/functions", `{"name":"isWeb","code":"displayName =~ 'web*'"}`,
			`{"id":1,"name":"isWeb","code":"displayName =~ 'web*'","description":""}`},
		{"POST /setting/functions", `{"name":"isBoth","code":"isWeb() || isDB()"}`,
			`invalid code: code: there is no function "isDB" at 11; did you mean isWeb?`},
		{"POST /setting/functions", `{"name":"isBoth","code":"isWeb() || name startsWith 'db'"}`, ""},
		{"POST /setting/functions", `{"name":"isweb","code":"true"}`, `conflict name: there is already a function ` +
			`with the name "isweb"`},
		{"POST /setting/functions", `{"name":"isLinux","code":"true"}`, `invalid name: name: isLinux is built in ` +
			`already; choose another name`},
		{"POST /setting/functions", `{"name":"is web","code":"true"}`, `invalid name: name: a function's name is up ` +
			`to 64 letters, digits and underscores, and begins with none of the digits`},
		{"POST /setting/functions", `{"name":"me","code":"me()"}`, `invalid code: code: in the function me: me() ` +
			`calls itself at 0`},
		{"PATCH /setting/functions/1", `{"code":"isBoth()"}`, `invalid code: code: in the function isWeb: isBoth() ` +
			`calls itself at 0`},
		{"PATCH /setting/functions/1", `{"code":"true &&"}`, `invalid code: code: expected a value at 7`},
		{"PATCH /device/groups/4", `{"appliesTo":"isweb()"}`, ""},
		{listMembers, "", members("web-1", "3,4", "web-2", "1,4", "db-1", "2")},

		{"PATCH /setting/functions/1", `{"code":"displayName == 'web-2'"}`, ""},
		{listMembers, "", members("web-1", "3", "web-2", "1,4", "db-1", "2")},
		{"DELETE /setting/functions/1", "", called + "delete it with ignoreReference=true"},
		{"PATCH /setting/functions/1", `{"name":"isShop"}`, called + "give it another name with ignoreReference=true"},
		{"PATCH /setting/functions/1?ignoreReference=true", `{"name":"isShop"}`, ""},
		{listMembers, "", members("web-1", "3", "web-2", "1", "db-1", "2")},
		{"PATCH /device/groups/4", `{"description":"still there"}`, ""},
		{"POST /setting/functions", `{"name":"ISWEB","code":"true"}`, ""},
		{listMembers, "", members("web-1", "3,4", "web-2", "1,4", "db-1", "2,4")},
		{"DELETE /setting/functions/3?ignoreReference=true", "", "{}"},
		{listMembers, "", members("web-1", "3", "web-2", "1", "db-1", "2")},
		{"DELETE /setting/functions/1", "", "{}"},
	})
}

func TestFunctionDoesNotRevealHiddenGroups(t *testing.T) {
	h := company(t)
	h.steps(admin, []step{{"POST /setting/functions", `{"name":"isWeb","code":"true"}`, ""},
		{"PATCH /device/groups/4", `{"appliesTo":"isWeb()"}`, ""}})
	who := bound(3)
	who.Grants = append(who.Grants, resource.Grant{Object: resource.Setting, Area: "*", Op: resource.Modify})
	const denied = "denied: an expression chooses among all devices, so changing one takes a role that may change " +
		"all device groups"
	h.steps(who, []step{
		{"DELETE /setting/functions/1", "", "conflict: isWeb is used by expressions your role does not see; change " +
			"these first, or delete it with ignoreReference=true"},
		{"DELETE /setting/functions/1?ignoreReference=true", "", denied},
		{"PATCH /setting/functions/1", `{"code":"false"}`, denied},
		{"PATCH /setting/functions/1", `{"description":"fine"}`, ""},
	})
	h.steps(admin, []step{{"DELETE /setting/functions/1?ignoreReference=true", "", "{}"}})
	h.steps(who, []step{
		{"POST /setting/functions", `{"name":"isweb","code":"true"}`, denied},
		{"POST /setting/functions", `{"name":"other","code":"true"}`, ""},
		{"PATCH /setting/functions/2", `{"name":"isWeb"}`, denied},
	})
}

func TestAlertingIsEnabledUnlessAnAncestorDisablesIt(t *testing.T) {
	company(t).steps(admin, []step{
		{"PATCH /device/groups/2", `{"disableAlerting":true}`, ""},
		{"GET /device/groups?fields=id,effectiveAlertEnabled", "", `{"total":4,"searchId":null,"items":[{"id":1,` +
			`"effectiveAlertEnabled":true},{"id":2,"effectiveAlertEnabled":false},{"id":3,` +
			`"effectiveAlertEnabled":false},{"id":4,"effectiveAlertEnabled":true}],"data":null}`},
	})
}

func TestExpressionIsEvaluatedForManyDevicesInOnePass(t *testing.T) {
	h := company(t)
	const many = 5000
	err := h.db.Write(t.Context(), func(tx resource.Tx) error {
		for i := range many {
			d := fleet.Device{Name: fmt.Sprint("n", i), DisplayName: fmt.Sprint("n", i), GroupIDs: resource.IDs{2},
				CollectorID: 1}
			if err := resource.Put(t.Context(), tx, fleet.Devices.Name, &d); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	h.steps(admin, []step{{"PATCH /device/groups/4", `{"appliesTo":"displayName =~ \"n4?\" && tier == \"gold\""}`, ""},
		{"GET /device/groups/4?fields=numOfHosts", "", `{"numOfHosts":10}`}})
	t.Logf("%d devices in %v", many, time.Since(start))
}

// hostileExpression returns an expression that takes many steps per character of a value.
func hostileExpression() string { return `description =~ "^` + strings.Repeat("a?", 450) + `$"` }

func TestExpressionOverTheTotalCostIsRefused(t *testing.T) {
	h := open(t)
	const tooMuch = "with it, the expressions of all %s together would have more than 50000 terms, or more than " +
		"100000 steps of regular expressions, and every change of a device evaluates them all. Use " +
		"simpler expressions, " +
		"or fewer"
	hostile, refused := hostileExpression(), ""
	parsed, err := appliesto.Parse(hostile, nil)
	if err != nil {
		t.Fatal(err)
	}
	stored := appliesto.MaxAllSteps/parsed.Load().Steps - 2
	err = h.db.Write(t.Context(), func(tx resource.Tx) error {
		for i := range stored { // in one write, because each write would evaluate them for all devices
			g := fleet.Group{Name: fmt.Sprint("g", i), FullPath: fmt.Sprint("g", i), ParentID: 1, AppliesTo: hostile,
				GroupType: "Dynamic"}
			if err := resource.Put(t.Context(), tx, fleet.Groups.Name, &g); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for stored < 90 && refused == "" {
		response := h.send(admin, "POST /device/groups", fmt.Sprintf(`{"name":"g%d","appliesTo":%q}`, stored, hostile))
		if strings.HasPrefix(response, "{") {
			stored++
		} else {
			refused = response
		}
	}
	if want := "invalid appliesTo: appliesTo: " + fmt.Sprintf(tooMuch, "dynamic groups"); refused != want {
		t.Fatalf("after %d groups\n got %s\nwant %s", stored, refused, want)
	}
	groups, err := resource.Find(t.Context(), h.db, fleet.Groups.Name,
		resource.Where{Field: "appliesTo", Op: "!=", Value: ""})
	var sum appliesto.Load
	for _, g := range groups {
		expr, err := appliesto.Parse(g.AppliesTo, nil)
		if err != nil {
			t.Fatal(err)
		}
		sum = sum.Plus(expr.Load())
	}
	if err != nil || len(groups) != stored || sum.Steps > appliesto.MaxAllSteps ||
		sum.Steps < appliesto.MaxAllSteps*9/10 {
		t.Errorf("a write of a device evaluates %d groups of %d steps (%v)", len(groups), sum.Steps, err)
	}
	dear, cheap := fmt.Sprintf("%q", hostile), `"displayName =~ \"web*\""`
	h.steps(admin, []step{
		{"POST /device/devices", `{"name":"n","displayName":"web-1","preferredCollectorId":1,"hostGroupIds":"1"}`, ""},
		{"PATCH /device/groups/2", `{"description":"the rest of it may change"}`, ""},
		{"PATCH /device/groups/2", `{"appliesTo":` + cheap + `}`, ""},
		{"POST /device/groups", `{"name":"again","appliesTo":` + dear + `}`, ""}, // the limit has room again
		{"POST /setting/functions", `{"name":"isDear","code":` + dear + `}`, ""}, // no expression calls it
		{"POST /device/groups", `{"name":"caller","appliesTo":"isDear()"}`, "invalid appliesTo: appliesTo: " +
			fmt.Sprintf(tooMuch, "dynamic groups")},
		{"POST /setting/functions", `{"name":"isCheap","code":` + cheap + `}`, ""},
		{"POST /device/groups", `{"name":"caller","appliesTo":"isCheap()"}`, ""},
		{"PATCH /setting/functions/2", `{"code":` + dear + `}`, "invalid code: code: " +
			fmt.Sprintf(tooMuch, "dynamic groups")},
	})
}

func TestStoredExpressionOverTheLimitIsReportedAndNotEvaluated(t *testing.T) {
	h, hostile := open(t), hostileExpression()
	err := h.db.Write(t.Context(), func(tx resource.Tx) error {
		for i := range 80 {
			g := fleet.Group{Name: fmt.Sprint("g", i), FullPath: fmt.Sprint("g", i), ParentID: 1, AppliesTo: hostile,
				GroupType: "Dynamic"}
			if err := resource.Put(t.Context(), tx, fleet.Groups.Name, &g); err != nil {
				return err
			}
			s := datasource.DataSource{Name: fmt.Sprint("s", i), AppliesTo: hostile}
			if err := resource.Put(t.Context(), tx, datasource.DataSources.Name, &s); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	over, err := fleet.Overloaded(t.Context(), h.db)
	if err != nil || !slices.Contains(over, "the group g79") || slices.Contains(over, "the group g0") ||
		!slices.Contains(over, "the data source s79") {
		t.Fatalf("%q are over the limit (%v)", over, err)
	}
	h.steps(admin, []step{{"POST /device/devices", `{"name":"n","displayName":"web-1","description":"aaa",` +
		`"preferredCollectorId":1,"hostGroupIds":"1"}`, ""}})
	devices, err := resource.Find(t.Context(), h.db, fleet.Devices.Name)
	if err != nil || len(devices) != 1 || !slices.Contains(devices[0].GroupIDs, 2) ||
		slices.Contains(devices[0].GroupIDs, 81) {
		t.Errorf("%v (%v), want groups whose expressions fit, and no others", devices, err)
	}
	// cheaper, but still over the limit
	h.steps(admin, []step{{"PATCH /device/groups/2", `{"appliesTo":"displayName =~ \"web*\""}`, ""}})
}
