package store_test

import (
	"database/sql"
	"strings"
	"testing"

	"spyglass/backend/portal/audit"
	"spyglass/backend/portal/fleet"
	"spyglass/backend/resource"
)

func TestUserMarksAPropertyAsSecret(t *testing.T) {
	h := open(t)
	for _, step := range []struct{ request, body, want string }{
		{"POST /device/devices", `{"name":"a","customProperties":[{"name":"door","value":"7-13","secret":true},` +
			`{"name":"site","value":"Oslo"}]}`, ""},
		{"GET /device/devices/1?fields=customProperties", "", `{"customProperties":[{"name":"door",` +
			`"value":"********","secret":true},{"name":"site","value":"Oslo"}]}`},
		{"GET /device/devices/1/properties/door", "", `{"name":"door","value":"********","type":"custom",` +
			`"inheritList":[],"secret":true}`},
		{`GET /device/devices?filter=customProperties.value~"7-1"&fields=id`, "",
			`{"total":0,"searchId":null,"items":[],"data":null}`},
		{`GET /device/devices?filter=_all~"7-1"&fields=id`, "", `{"total":0,"searchId":null,"items":[],"data":null}`},
		{`GET /device/devices/1/properties?filter=value~"7-1"`, "",
			`{"total":0,"searchId":null,"items":[],"data":null}`},
		{"PATCH /device/devices/1/properties/door", `{"secret":false}`, `invalid value: value: "door" is secret; ` +
			`send its value again to show it`},
		{"PATCH /device/devices/1", `{"customProperties":[{"name":"door","value":"********","secret":false}]}`,
			`invalid customProperties: customProperties: "door" is secret; send its value again to show it`},
		{"PATCH /device/devices/1", `{"customProperties":[{"name":"door","value":"x","secret":"yes"}]}`,
			`invalid customProperties: customProperties: secret must be true or false`},
		// a client that does not know the flag sends the properties back without it; the flag stays
		{"PATCH /device/devices/1", `{"customProperties":[{"name":"door","value":"********"},{"name":"site",` +
			`"value":"Oslo"}]}`, ""},
		{"PATCH /device/devices/1?opType=replace", `{"customProperties":[{"name":"door","value":"********"}]}`, ""},
		{"PUT /device/devices/1/properties/door", `{"value":"********"}`, `{"name":"door","value":"********",` +
			`"type":"custom","inheritList":[],"secret":true}`},
		{"PUT /device/devices/1/properties/site", `{"value":"Oslo","secret":true}`,
			`{"name":"site","value":"********","type":"custom","inheritList":[],"secret":true}`},
		{"PUT /device/devices/1/properties/site", `{"value":"Bergen","secret":false}`,
			`{"name":"site","value":"Bergen","type":"custom","inheritList":[]}`},
	} {
		if got := h.send(admin, step.request, step.body); step.want != "" && got != step.want {
			t.Errorf("%s %s: %s, want %s", step.request, step.body, got, step.want)
		}
	}
	d, err := resource.Get(t.Context(), h.db, fleet.Devices.Name, 1)
	if err != nil || d.CustomProperties[0] != (resource.Property{Name: "door", Value: "7-13", Secret: true}) {
		t.Errorf("kept is %+v (%v)", d.CustomProperties, err)
	}
	entries, err := resource.Find(t.Context(), h.db, audit.AuditLogs.Name)
	if err != nil || len(entries) < 6 {
		t.Fatalf("%d entries (%v)", len(entries), err)
	}
	for _, e := range entries {
		if strings.Contains(e.Before+e.After, "7-13") {
			t.Errorf("the audit log shows the secret: %s %s", e.Before, e.After)
		}
	}
}

func TestSecretFlagIsInheritedFromGroups(t *testing.T) {
	h := open(t)
	h.send(admin, "POST /device/groups", `{"name":"Oslo","customProperties":[{"name":"door","value":"7-13",`+
		`"secret":true}]}`)
	h.send(admin, "POST /device/devices", `{"name":"a","hostGroupIds":"2"}`)
	for request, want := range map[string]string{
		"GET /device/devices/1?fields=inheritedProperties": `{"inheritedProperties":[{"name":"door",` +
			`"value":"********","secret":true}]}`,
		"GET /device/devices/1/properties/door": `{"name":"door","value":"********","type":"inherit",` +
			`"inheritList":[{"id":2,"fullpath":"Oslo","value":"********","type":"custom"}],"secret":true}`,
	} {
		if got := h.send(admin, request, ""); got != want {
			t.Errorf("%s: %s, want %s", request, got, want)
		}
	}
}

func TestPropertiesBecomeSecretUnderNewRulesAtTheNextStart(t *testing.T) {
	aboutFiles(t)
	h := open(t)
	h.send(admin, "POST /device/devices", `{"name":"a","customProperties":[{"name":"mysqlpxd","value":"hunter22"}]}`)
	h.send(admin, "PATCH /device/devices/1", `{"customProperties":[{"name":"mysqlpxd","value":"hunter23"}]}`)
	if err := h.db.Close(); err != nil {
		t.Fatal(err)
	}
	old, err := sql.Open("sqlite", h.path)
	if err != nil {
		t.Fatal(err)
	}
	for _, statement := range []string{ // as written by a program that does not know the name
		`UPDATE "device" SET "customProperties" = replace("customProperties", 'mysqlpxd', 'mysqlpwd'), "body" = ` +
			`replace("body", 'mysqlpxd', 'mysqlpwd')`,
		`UPDATE "auditLog" SET "was" = replace("was", 'mysqlpxd', 'mysqlpwd'), "became" = replace("became", ` +
			`'mysqlpxd', 'mysqlpwd')`,
		`UPDATE "_shape" SET "shape" = 'older'`,
	} {
		if _, err := old.ExecContext(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	if err := old.Close(); err != nil {
		t.Fatal(err)
	}
	h.start()
	if got, want := h.send(admin, "GET /device/devices/1?fields=customProperties", ""),
		`{"customProperties":[{"name":"mysqlpwd","value":"********"}]}`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got := h.send(admin, `GET /device/devices?filter=_all~"hunter"&fields=id`,
		""); got != `{"total":0,"searchId":null,"items":[],"data":null}` {
		t.Errorf("a filter finds it: %s", got)
	}
	d, err := resource.Get(t.Context(), h.db, fleet.Devices.Name, 1)
	if err != nil || d.CustomProperties[0].Value != "hunter23" {
		t.Errorf("the value is lost: %+v (%v)", d.CustomProperties, err)
	}
	entries, err := resource.Find(t.Context(), h.db, audit.AuditLogs.Name)
	if err != nil || len(entries) != 2 {
		t.Fatalf("%d entries (%v)", len(entries), err)
	}
	for _, e := range entries {
		if strings.Contains(e.Before+e.After, "hunter") ||
			!strings.Contains(e.After, `{"name":"mysqlpwd","value":"********"}`) {
			t.Errorf("the audit log says %s and %s", e.Before, e.After)
		}
	}
}

func TestSealedValueOpensOnlyInItsOwnRow(t *testing.T) {
	h := open(t)
	h.send(admin, "POST /device/devices", `{"name":"a","customProperties":[{"name":"snmp.community","value":"one"}]}`)
	h.send(admin, "POST /device/devices", `{"name":"b","customProperties":[{"name":"snmp.community","value":"two"}]}`)
	sealed := func(id string) string {
		return `(SELECT "customProperties.sealed" FROM "device" WHERE "id" = ` + id + `)`
	}
	value := func(id int64) string {
		t.Helper()
		d, err := resource.Get(t.Context(), h.db, fleet.Devices.Name, id)
		if err != nil || len(d.CustomProperties) != 1 {
			t.Fatalf("device %d has %+v (%v)", id, d, err)
		}
		return d.CustomProperties[0].Value
	}
	if one, two := value(1), value(2); one != "one" || two != "two" {
		t.Fatalf("the values are %q and %q", one, two)
	}
	if err := h.db.Raw(t.Context(), `UPDATE "device" SET "customProperties.sealed" = `+sealed("1")+
		` WHERE "id" = 2`); err != nil {
		t.Fatal(err)
	}
	if one, two := value(1), value(2); one != "one" || two != "" {
		t.Errorf("after the copy to another row the values are %q and %q", one, two)
	}
	older := h.db.SealUnbound([]byte(`{"snmp.community":"three"}`))
	if err := h.db.Raw(t.Context(), `UPDATE "device" SET "customProperties.sealed" = '`+older+
		`' WHERE "id" = 2`); err != nil {
		t.Fatal(err)
	}
	if two := value(2); two != "three" {
		t.Errorf("a value of an earlier version opens as %q", two)
	}
	h.send(admin, "PATCH /device/devices/2", `{"description":"written again"}`)
	if err := h.db.Raw(t.Context(), `UPDATE "device" SET "customProperties.sealed" = `+sealed("2")+
		` WHERE "id" = 1`); err != nil {
		t.Fatal(err)
	}
	if one, two := value(1), value(2); one != "" || two != "three" {
		t.Errorf("after a write the earlier value is bound to no row: %q and %q", one, two)
	}
}
