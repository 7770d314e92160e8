package store_test

import (
	"testing"

	"spyglass/backend/resource"
)

func TestDeletedDeviceIsRestoredToItsGroups(t *testing.T) {
	h := open(t)
	h.send(admin, "POST /device/groups", `{"name":"Oslo"}`)                    // 2
	h.send(admin, "POST /device/groups", `{"name":"Austin"}`)                  // 3
	h.send(admin, "POST /device/devices", `{"name":"a","hostGroupIds":"2,3"}`) // 1
	h.send(admin, "POST /device/devices", `{"name":"b","hostGroupIds":"3"}`)   // 2
	oslo := &resource.Access{UserID: 7, User: "o",
		Grants: []resource.Grant{{Object: resource.DeviceGroup, Op: resource.Modify, Groups: map[int64]bool{2: true}}}}
	for _, tt := range []struct {
		who                 *resource.Access
		request, body, want string
	}{
		{admin, "DELETE /device/devices/1", "", `{}`},
		{admin, "DELETE /device/devices/2", "", `{}`},
		{admin, "GET /device/devices?fields=id", "", `{"total":0,"searchId":null,"items":[],"data":null}`},
		{admin, "GET /device/devices?fields=id,deletedTimeInMs&includeDeletedResources=true", "",
			`{"total":2,"searchId":null,"items":[{"id":1,"deletedTimeInMs":1777896000000},{"id":2,` +
				`"deletedTimeInMs":1777896000000}],"data":null}`},
		{admin, "GET /device/devices?includeDeletedResources=perhaps", "", `invalid includeDeletedResources: ` +
			`includeDeletedResources must be true or false`},
		{admin, "GET /device/recyclebin?fields=id&sort=-id", "", `{"total":2,"searchId":null,"items":[{"id":2},` +
			`{"id":1}],"data":null}`},
		{oslo, "GET /device/recyclebin?fields=id", "", `{"total":1,"searchId":null,"items":[{"id":1}],"data":null}`},
		{oslo, "GET /device/devices?fields=id&includeDeletedResources=true", "",
			`{"total":1,"searchId":null,"items":[{"id":1}],"data":null}`},
		{oslo, "POST /device/recyclebin/2/restore", "", `unknown: there is no device 2`},
		{oslo, "DELETE /device/recyclebin/2", "", `unknown: there is no device 2`},
		{admin, "POST /device/devices", `{"name":"A"}`, ``},
		{admin, "POST /device/recyclebin/1/restore", "", `conflict displayName: there is already a device with the ` +
			`displayName "a"`},
		{admin, "DELETE /device/devices/3?deleteHard=true", "", `{}`},
		{admin, "GET /device/recyclebin?fields=id", "", `{"total":2,"searchId":null,"items":[{"id":1},{"id":2}],` +
			`"data":null}`},
		{admin, "DELETE /device/groups/3", "", `{}`},
		{admin, "POST /device/recyclebin/1/restore", "", ``},
		{admin, "POST /device/recyclebin/2/restore", "", ``},
		{admin, "POST /device/recyclebin/2/restore", "", `unknown: there is no device 2`},
		{admin, "GET /device/devices?fields=id,hostGroupIds,deletedTimeInMs", "",
			`{"total":2,"searchId":null,"items":[{"id":1,"hostGroupIds":"2","deletedTimeInMs":0},{"id":2,` +
				`"hostGroupIds":"1","deletedTimeInMs":0}],"data":null}`},
		{admin, "GET /device/groups/2?fields=numOfDirectDevices", "", `{"numOfDirectDevices":1}`},
		{oslo, "GET /device/devices?fields=id", "", `{"total":1,"searchId":null,"items":[{"id":1}],"data":null}`},
		{admin, "DELETE /device/recyclebin/1", "", `unknown: there is no device 1`},
		{admin, "DELETE /device/devices/1", "", `{}`},
		{admin, "DELETE /device/recyclebin/1", "", `{}`},
		{admin, "GET /device/devices?fields=id&includeDeletedResources=true", "",
			`{"total":1,"searchId":null,"items":[{"id":2}],"data":null}`},
	} {
		if got := h.send(tt.who, tt.request, tt.body); tt.want != "" && got != tt.want || tt.want == "" &&
			got[0] != '{' {
			t.Errorf("%s %s\n got %s\nwant %s", tt.request, tt.body, got, tt.want)
		}
	}
}
