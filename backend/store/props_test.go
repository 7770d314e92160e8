package store_test

import (
	"strings"
	"testing"

	"spyglass/backend/fault"
	"spyglass/backend/portal/fleet"
	"spyglass/backend/resource"
)

// equipped returns a company whose device web-1 has properties of every type.
func equipped(t *testing.T) *fixture {
	h := company(t)
	h.steps(admin, []step{
		{"PATCH /device/groups/1",
			`{"customProperties":[{"name":"tier","value":"none"},{"name":"owner","value":"IT"}]}`, ""},
		{"PATCH /device/devices/1", `{"customProperties":[{"name":"Owner","value":"Ada"},{"name":"ssh.pass",` +
			`"value":"hunter22"},{"name":"a/b c.d","value":"odd"}]}`, ""},
	})
	return h
}

const (
	propOdd   = `{"name":"a/b c.d","value":"odd","type":"custom","inheritList":[]}`
	propOwner = `{"name":"Owner","value":"Ada","type":"custom","inheritList":[{"id":1,"fullpath":"","value":"IT",` +
		`"type":"custom"}]}`
	propPass      = `{"name":"ssh.pass","value":"********","type":"custom","inheritList":[]}`
	propCommunity = `{"name":"snmp.community","value":"********","type":"inherit","inheritList":[{"id":2,` +
		`"fullpath":"Servers","value":"********","type":"custom"}]}`
	propTier = `{"name":"tier","value":"gold","type":"inherit","inheritList":[{"id":2,"fullpath":"Servers",` +
		`"value":"gold","type":"custom"},{"id":1,"fullpath":"","value":"none","type":"custom"}]}`
	propHost = `{"name":"system.hostname","value":"web-1","type":"system","inheritList":[]}`
)

func pageOf(items ...string) string {
	return `{"total":` + string(rune('0'+len(items))) + `,"searchId":null,"items":[` + strings.Join(items, ",") +
		`],"data":null}`
}

func TestEffectivePropertiesAreListed(t *testing.T) {
	equipped(t).steps(admin, []step{
		{`GET /device/devices/1/properties?filter=type!:"system"`, "",
			pageOf(propOdd, propOwner, propCommunity, propPass, propTier)},
		{`GET /device/devices/1/properties?filter=name:"system.host*"||value~"gold"&sort=-name`, "",
			pageOf(propTier, propHost)},
		{`GET /device/devices/1/properties?filter=type:custom&sort=-value,name&fields=name&size=1&offset=1`, "",
			`{"total":3,"searchId":null,"items":[{"name":"Owner"}],"data":null}`},
		{`GET /device/devices/1/properties?filter=_all~"ADA"`, "", pageOf(propOwner)},
		{`GET /device/devices/1/properties?filter=value:"hunter22"`, "", pageOf()},
		{`GET /device/devices/1/properties?offset=99&fields=name`, "", `{"total":9,"searchId":null,"items":[],` +
			`"data":null}`},
		{`GET /device/devices/1/properties?filter=nam:x`, "", `invalid filter: filter: no field "nam" at 0; did you ` +
			`mean name?`},
		{`GET /device/devices/1/properties?sort=inheritList`, "", `invalid sort: property has no field "inheritList" ` +
			`to sort by`},
		{`GET /device/devices/1/properties?fields=nme`, "", `invalid fields: property has no field "nme"; did you ` +
			`mean name?`},
		{`GET /device/devices/9/properties`, "", `unknown: there is no device 9`},
		{`GET /device/groups/3/properties`, "", pageOf(
			`{"name":"owner","value":"IT","type":"inherit","inheritList":[{"id":1,"fullpath":"","value":"IT",`+
				`"type":"custom"}]}`, propCommunity, propTier)},
		{`GET /device/groups/1/properties?fields=name,type`, "",
			pageOf(`{"name":"owner","type":"custom"}`, `{"name":"tier","type":"custom"}`)},
		{`GET /device/devices/1/properties/OWNER`, "", propOwner},
		{`GET /device/devices/1/properties/tier?fields=value`, "", `{"value":"gold"}`},
		{`GET /device/devices/1/properties/nothing`, "", `unknown: the device has no property "nothing"`},
	})
}

func TestPropertySupportsAllFiveMethods(t *testing.T) {
	equipped(t).steps(admin, []step{
		{`POST /device/devices/1/properties`, `{"name":"tier","value":"lead"}`,
			strings.Replace(strings.Replace(propTier, `"gold"`, `"lead"`, 1), `"inherit"`, `"custom"`, 1)},
		{`POST /device/devices/1/properties`, `{"name":"TIER","value":"x"}`, `conflict name: the device ` +
			`already has a property TIER`},
		{`POST /device/devices/1/properties`, `{"name":"x"}`, `invalid value: value is required`},
		{`POST /device/devices/1/properties`, `{"value":"x"}`, `invalid name: name is required`},
		{`POST /device/devices/1/properties`, `{"name":" ","value":"x"}`,
			`invalid name: name: a property needs a name`},
		{`POST /device/devices/1/properties`, `{"name":"x","valu":"x"}`, `invalid valu: the body has no field ` +
			`"valu"; did you mean value?`},
		{`PUT /device/devices/1/properties/tier`, `{"value":"tin","type":"custom","inheritList":[]}`, ""},
		{`PATCH /device/devices/1/properties/tier`, `{}`,
			strings.Replace(strings.Replace(propTier, `"gold"`, `"tin"`, 1), `"inherit"`, `"custom"`, 1)},
		{`PUT /device/devices/1/properties/tier`, `{}`, `invalid value: value is required`},
		{`PUT /device/devices/1/properties/tier`, `{"name":"other","value":"x"}`,
			`invalid name: a property cannot be renamed; add one named "other" and delete this one`},
		{`DELETE /device/devices/1/properties/tier`, "", `{}`},
		{`GET /device/devices/1/properties/tier`, "", propTier},
		{`DELETE /device/devices/1/properties/tier`, "", `unknown: the device has no property "tier" of its own`},
		{`PUT /device/devices/1/properties/tier`, `{"value":"x"}`, `unknown: the device has no property "tier" of ` +
			`its own; add it with POST`},
		{`PATCH /device/devices/1/properties/ssh.pass`, `{"value":"********"}`, propPass},
		{`POST /device/groups/3/properties`, `{"name":"tier","value":"bronze"}`, ""},
		{`GET /device/devices/1/properties/tier?fields=value`, "", `{"value":"bronze"}`},
		{`GET /device/devices/1?fields=customProperties`, "", `{"customProperties":[{"name":"Owner","value":"Ada"},` +
			`{"name":"ssh.pass","value":"********"},{"name":"a/b c.d","value":"odd"}]}`},
	})
}

func TestPropertyKeepsItsSecretAndUpdatesItsDevice(t *testing.T) {
	h := equipped(t)
	h.steps(admin, []step{
		{`PATCH /device/devices/1/properties/ssh.pass`, `{"value":"********"}`, ""},
		{"PATCH /device/groups/4", `{"appliesTo":"rack > 7"}`, ""},
		{`POST /device/devices/3/properties`, `{"name":"rack","value":"12"}`, ""},
		{listMembers, "", members("web-1", "3", "web-2", "1", "db-1", "2,4")},
		{`POST /device/groups/3/properties`, `{"name":"rack","value":"8"}`, ""},
		{listMembers, "", members("web-1", "3,4", "web-2", "1", "db-1", "2,4")},
	})
	web, err := resource.Get(t.Context(), h.db, fleet.Devices.Name, 1)
	if want := (resource.Property{Name: "ssh.pass", Value: "hunter22"}); err != nil || web.CustomProperties[1] != want {
		t.Errorf("kept is %v (%v), want %v", web, err, want)
	}
}

func TestPropertyNeedsEditAccessToItsRow(t *testing.T) {
	h := equipped(t)
	who := bound(3)
	h.steps(who, []step{
		{`POST /device/devices/1/properties`, `{"name":"x","value":"y"}`, ""},
		{`POST /device/devices/3/properties`, `{"name":"x","value":"y"}`, `unknown: there is no device 3`},
		{`GET /device/devices/3/properties`, "", `unknown: there is no device 3`},
		{`DELETE /device/groups/2/properties/tier`, "", `unknown: there is no device group 2`},
	})
	// Inherited properties apply, but the response does not name groups that the user may not view.
	h.steps(who, []step{
		{`GET /device/devices/1/properties/tier`, "",
			`{"name":"tier","value":"gold","type":"inherit","inheritList":[]}`},
		{`GET /device/groups/3/properties?fields=name,inheritList`, "",
			pageOf(`{"name":"owner","inheritList":[]}`, `{"name":"snmp.community","inheritList":[]}`,
				`{"name":"tier","inheritList":[]}`)},
	})
	who.Grants[0].Op = resource.Read
	h.steps(who, []step{{`PATCH /device/devices/1/properties/x`, `{"value":"z"}`, `denied: your role can view this ` +
		`device, but not edit it`}})
}

func TestPropertyWithAnOldETagIsRefused(t *testing.T) {
	h := equipped(t)
	response, err := h.do(admin, "GET /device/devices/1/properties/owner", "", "")
	if err != nil {
		t.Fatal(err)
	}
	tag := response.(*resource.Response).ETag
	if _, err := h.do(admin, "PUT /device/devices/1/properties/owner", `{"value":"Grace"}`, tag); err != nil {
		t.Errorf("with the right tag: %v", err)
	}
	for _, request := range []string{"PUT /device/devices/1/properties/owner",
		"DELETE /device/devices/1/properties/owner"} {
		if _, err := h.do(admin, request, `{"value":"Ada"}`, tag); !fault.Is(err, fault.Changed) {
			t.Errorf("%s with an old tag: %v", request, err)
		}
	}
}
