package server_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// TestUserAndRoleGroupsExistWhileTheyAreReferenced creates, changes and
// deletes a group of each kind as published clients do.
func TestUserAndRoleGroupsExistWhileTheyAreReferenced(t *testing.T) {
	t.Parallel()
	m, _ := newFleet(t, func(string) map[string][]privilege { return nil }).client(t)
	const user = `{"username":"shift","password":"correct horse battery","email":"shift@example.net",` +
		`"roles":[{"name":"readonly"}],"adminGroupIds":[%v]}`
	const role = `{"name":"shift","privileges":[{"objectType":"deviceGroup","objectId":"1","operation":"read"}],` +
		`"roleGroupId":%v}`
	for path, member := range map[string]struct{ path, body, move string }{
		"/setting/admin/groups": {"/setting/admins", user, `{"adminGroupIds":[1]}`},
		"/setting/role/groups":  {"/setting/roles", role, `{"roleGroupId":1}`},
	} {
		t.Run(path, func(t *testing.T) {
			want := func(method, at, body string, status int, says string) map[string]any {
				t.Helper()
				r := m.send(method, at, "", body)
				if r.status != status || !strings.Contains(r.text, says) {
					t.Fatalf("%s %s %s: %s; want %d and %q", method, at, body, r, status, says)
				}
				row, _ := decoded(r.text).(map[string]any)
				return row
			}
			row := want(http.MethodPost, path, `{"name":"Late shift","description":"after ten"}`, 200, `"parentId":1`)
			at := fmt.Sprint(path, "/", row["id"])
			want(http.MethodPost, path, `{"name":"late shift"}`, 409, "")
			below := want(http.MethodPost, path, fmt.Sprintf(`{"name":"Below","parentId":%v}`, row["id"]), 200, "")
			want(http.MethodPatch, at, fmt.Sprintf(`{"parentId":%v}`, below["id"]), 400, "below itself")
			want(http.MethodDelete, at, "", 409, "Below is below")
			want(http.MethodDelete, fmt.Sprint(path, "/", below["id"]), "", 200, "")
			want(http.MethodPut, at, `{"name":"Later shift"}`, 200, `"description":""`)
			want(http.MethodGet, path+"?filter=name:%22Later%20shift%22", "", 200, `"total":1`)
			want(http.MethodDelete, path+"/1", "", 409, "cannot be deleted")
			want(http.MethodPatch, path+"/1", `{"name":"x"}`, 409, "cannot be renamed")
			want(http.MethodPut, path+"/1", `{"name":"Ungrouped"}`, 200, `"parentId":0`)

			want(http.MethodPost, member.path, fmt.Sprintf(member.body, 999), 400, "999")
			inside := want(http.MethodPost, member.path, fmt.Sprintf(member.body, row["id"]), 200,
				fmt.Sprint(row["id"]))
			want(http.MethodDelete, at, "", 409, "shift is in the")
			want(http.MethodPatch, fmt.Sprint(member.path, "/", inside["id"]), member.move, 200, "")
			want(http.MethodDelete, at, "", 200, "")
			want(http.MethodGet, at, "", 404, "")
			want(http.MethodGet, "/setting/accesslogs?filter=description~%22Later%20shift%22", "", 200, "delete")
		})
	}
}
