package server_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"path/filepath"
	"sync"
	"testing"

	"spyglass/backend/server"
)

// fixture is a portal with the groups Oslo (2) with subgroup (3) and Austin (4),
// a device each in Oslo (1), Austin (2) and both (3), and users:
// clerk may edit Oslo and view collectors, keeper may edit Oslo, users
// and roles, reader may view Oslo.
type fixture struct {
	t       *testing.T
	s       *server.Server
	bearers map[string]string
}

// newFixture starts a copy of the fixture.
func newFixture(t *testing.T) *fixture {
	t.Helper()
	folder, bearers := preparedFixture(t)
	o := options(t)
	copyPortal(t, folder, o.Data)
	return &fixture{t: t, s: start(t, o), bearers: maps.Clone(bearers)}
}

// fixtureBearers are the tokens in the prepared fixture.
var fixtureBearers struct {
	sync.Mutex
	byName map[string]string
}

// preparedFixture returns the folder and the tokens of a stopped fixture, which the first
// caller creates.
func preparedFixture(t *testing.T) (folder string, bearers map[string]string) {
	t.Helper()
	folder = filepath.Join(prepared, "fixture")
	fixtureBearers.Lock()
	defer fixtureBearers.Unlock()
	if fixtureBearers.byName != nil {
		return folder, fixtureBearers.byName
	}
	o := options(t)
	s := start(t, o)
	w := &fixture{t: t, s: s, bearers: map[string]string{"admin": token(t, o, "admin")}}
	w.must("POST /device/groups", `{"name":"Oslo"}`)
	w.must("POST /device/groups", `{"name":"Inner","parentId":2}`)
	w.must("POST /device/groups", `{"name":"Austin"}`)
	w.must("POST /device/devices", `{"name":"fjord","hostGroupIds":"2"}`)
	w.must("POST /device/devices", `{"name":"ranch","hostGroupIds":"4"}`)
	w.must("POST /device/devices", `{"name":"bridge","hostGroupIds":"2,4"}`)
	const oslo = `{"objectType":"deviceGroup","objectId":"2","operation":"write"}`
	for _, p := range []struct{ name, privileges string }{
		// role 5, user 2
		{"clerk", oslo + `,{"objectType":"setting","objectId":"collectors","operation":"write"}`},
		// role 6, user 3
		{"keeper", oslo + `,{"objectType":"setting","objectId":"useraccess","operation":"write"}`},
		// role 7, user 4
		{"reader", `{"objectType":"deviceGroup","objectId":"2","operation":"read"},{"objectType":"deviceGroup",` +
			`"objectId":"3","operation":"write"}`},
		// role 8, user 5
		{"boss", `{"objectType":"deviceGroup","objectId":"*","operation":"write"},{"objectType":"report",` +
			`"objectId":"*","operation":"write"},{"objectType":"setting","objectId":"*","operation":"write"}`},
	} {
		w.must("POST /setting/roles", fmt.Sprintf(`{"name":%q,"privileges":[%s]}`, p.name, p.privileges))
		w.must("POST /setting/admins", fmt.Sprintf(`{"username":%q,"password":"correct horse",`+
			`"email":"a@example.net","roles":[{"name":%q}]}`, p.name, p.name))
		w.bearers[p.name] = token(t, o, p.name)
	}
	// role 9
	w.must("POST /setting/roles", `{"name":"unused","privileges":[{"objectType":"deviceGroup","objectId":"4",`+
		`"operation":"read"}]}`)
	if err := s.PasswordsShown(t.Context()); err != nil {
		t.Fatal(err)
	}
	stop(t, s)
	copyPortal(t, o.Data, folder)
	fixtureBearers.byName = w.bearers
	return folder, w.bearers
}

func (w *fixture) must(request, body string) {
	w.t.Helper()
	if status, response := w.request("admin", request, body); status != http.StatusCreated {
		w.t.Fatalf("%s %s: %d %s", request, body, status, response)
	}
}

func (w *fixture) request(who, request, body string) (status int, response string) {
	w.t.Helper()
	c := &client{t: w.t, origin: w.s.Origin(), bearer: w.bearers[who], http: http.DefaultClient}
	var method, path string
	if _, err := fmt.Sscan(request, &method, &path); err != nil {
		w.t.Fatal(err)
	}
	status, text, err := c.request(method, "/api"+path, body)
	if err != nil {
		w.t.Fatal(err)
	}
	return status, string(text)
}

func refusal(code int, message string) string {
	text, _ := json.Marshal(message)
	return fmt.Sprintf(`{"errorMessage":%s,"errorCode":%d,"errorDetail":null}`, text, code)
}

func TestRoleCannotInferOtherGroups(t *testing.T) {
	w := newFixture(t)
	list := func(total int, items string) string {
		return fmt.Sprintf(`{"total":%d,"searchId":null,"items":[%s],"data":null}`, total, items)
	}
	at := func(field, message string) string {
		return fmt.Sprintf(`{"errorMessage":%q,"errorCode":1400,"errorDetail":{"field":%q,"reason":%q}}`, message,
			field, message)
	}
	for _, tt := range []struct {
		who, request, body string
		status             int
		want               string
	}{
		{"clerk", "GET /device/devices?fields=id", "", 200, list(2, `{"id":1},{"id":3}`)},
		{"clerk", "GET /device/devices?fields=id&size=1&offset=1", "", 200, list(2, `{"id":3}`)},
		{"clerk", "GET /device/devices?fields=id&sort=-displayName", "", 200, list(2, `{"id":1},{"id":3}`)},
		{"clerk", `GET /device/devices?fields=id&filter=displayName:"ranch"`, "", 200, list(0, ``)},
		{"clerk", `GET /device/devices?fields=id&filter=displayName!:"x"||id>:0`, "", 200,
			list(2, `{"id":1},{"id":3}`)},
		{"clerk", "GET /device/groups?fields=id,numOfHosts,numOfDirectSubGroups", "", 200,
			list(
				2,
				`{"id":2,"numOfHosts":2,"numOfDirectSubGroups":1},{"id":3,"numOfHosts":0,"numOfDirectSubGroups":0}`)},
		{"clerk", "GET /setting/collectors?fields=id,numberOfHosts", "", 200, list(1, `{"id":1,"numberOfHosts":0}`)},
		{"admin", "GET /setting/collectors?fields=id,numberOfHosts", "", 200, list(1, `{"id":1,"numberOfHosts":3}`)},

		// The portal treats invisible objects exactly like missing objects.
		{"clerk", "GET /device/devices/2", "", 404, refusal(1404, "there is no device 2")},
		{"clerk", "GET /device/devices/99", "", 404, refusal(1404, "there is no device 99")},
		{"clerk", "PATCH /device/devices/2", `{}`, 404, refusal(1404, "there is no device 2")},
		{"clerk", "PUT /device/devices/2", `{"name":"x"}`, 404, refusal(1404, "there is no device 2")},
		{"clerk", "DELETE /device/devices/2", "", 404, refusal(1404, "there is no device 2")},
		{"clerk", "GET /device/groups/4", "", 404, refusal(1404, "there is no device group 4")},
		{"clerk", "GET /device/groups/1", "", 404, refusal(1404, "there is no device group 1")},
		{"clerk", "DELETE /device/groups/4?deleteChildren=true", "", 404, refusal(1404, "there is no device group 4")},
		{"reader", "PATCH /device/devices/1", `{}`, 403, refusal(1403, "your role can view this device, but not "+
			"edit it")},
		{"reader", "GET /device/devices/2", "", 404, refusal(1404, "there is no device 2")},

		// Nor may the user add or remove anything there.
		{"clerk", "POST /device/devices", `{"name":"x","hostGroupIds":"4"}`, 400,
			at("hostGroupIds", "hostGroupIds: there is no device group 4")},
		{"clerk", "POST /device/devices", `{"name":"x","hostGroupIds":"99"}`, 400,
			at("hostGroupIds", "hostGroupIds: there is no device group 99")},
		{"clerk", "PATCH /device/devices/1", `{"hostGroupIds":"2,4"}`, 400, at("hostGroupIds", "hostGroupIds: "+
			"there is no device group 4")},
		{"clerk", "PATCH /device/devices/3", `{"hostGroupIds":"2"}`, 400, at("hostGroupIds", "hostGroupIds: your "+
			"role cannot remove the device from device group 4")},
		{"clerk", "POST /device/groups", `{"name":"x","parentId":4}`, 400, at("parentId", "there is no group 4")},
		{"clerk", "POST /device/groups", `{"name":"x","parentId":99}`, 400, at("parentId", "there is no group 99")},
		{"clerk", "PATCH /device/groups/3", `{"parentId":4}`, 400, at("parentId", "there is no group 4")},
		{"clerk", "PATCH /device/groups/2", `{"description":"ours"}`, 200, ""},
		{"clerk", "PATCH /device/devices/3", `{"description":"ours"}`, 200, ""},
		{"clerk", "GET /setting/admins", "", 403,
			`{"errorMessage":"your role does not have the permission read on settings: useraccess",` +
				`"errorCode":1403,"errorDetail":{"right":"read on settings: useraccess"}}`},
	} {
		if status, response := w.request(tt.who, tt.request, tt.body); status != tt.status || tt.want != "" &&
			response != tt.want {
			t.Errorf("%s: %s %s\n got %d %s\nwant %d %s", tt.who, tt.request, tt.body, status, response,
				tt.status, tt.want)
		}
	}
}

func TestUsersCannotEscalateTheirPermissions(t *testing.T) {
	w := newFixture(t)
	for _, tt := range []struct{ request, body, want string }{
		// Rights that the caller does not have.
		{"POST /setting/roles", `{"name":"x","privileges":[{"objectType":"deviceGroup","objectId":"*",` +
			`"operation":"read"}]}`, "you cannot grant read on deviceGroup *, because you do not have this permission"},
		{"POST /setting/roles", `{"name":"x","privileges":[{"objectType":"deviceGroup","objectId":"1",` +
			`"operation":"read"}]}`, "you cannot grant read on deviceGroup 1, because you do not have this permission"},
		{"POST /setting/roles", `{"name":"x","privileges":[{"objectType":"deviceGroup","objectId":"+1",` +
			`"operation":"read"}]}`,
			"you cannot grant read on deviceGroup +1, because you do not have this permission"},
		{"POST /setting/roles", `{"name":"x","privileges":[{"objectType":"deviceGroup","objectId":"4",` +
			`"operation":"read"}]}`, "you cannot grant read on deviceGroup 4, because you do not have this permission"},
		{"POST /setting/roles",
			`{"name":"x","privileges":[{"objectType":"setting","objectId":"*","operation":"read"}]}`,
			"you cannot grant read on setting *, because you do not have this permission"},
		{"PATCH /setting/roles/6", `{"privileges":[{"objectType":"deviceGroup","objectId":"*","operation":"write"}]}`,
			"you cannot grant write on deviceGroup *, because you do not have this permission"},
		{"PATCH /setting/admins/3", `{"roles":[{"id":1}]}`, "you cannot grant write on deviceGroup *, because you do " +
			"not have this permission"},
		{"PATCH /setting/admins/3", `{"roles":[{"id":6},{"name":"ADMINISTRATOR"}]}`,
			"you cannot grant write on deviceGroup *, because you do not have this permission"},
		{"POST /setting/admins", `{"username":"x","password":"correct horse","email":"a@example.net",` +
			`"roles":[{"id":8}]}`, "you cannot grant write on deviceGroup *, because you do not have this permission"},
		// Users with more rights.
		{"PATCH /setting/admins/1", `{"password":"another horse"}`, "you cannot edit admin, who has the role " +
			"administrator"},
		{"PATCH /setting/admins/5", `{"status":"suspended"}`, "you cannot edit boss, who has the role boss"},
		{"PATCH /setting/admins/5", `{"roles":[{"id":6}]}`, "you cannot edit boss, who has the role boss"},
		{"DELETE /setting/admins/5", ``, "you cannot edit boss, who has the role boss"},
		{"POST /setting/admins/1/apitokens", `{}`, "you cannot edit admin, who has the role administrator"},
		{"PATCH /setting/admins/1/apitokens/1", `{"status":1}`, "you cannot edit admin, who has the role " +
			"administrator"},
		{"DELETE /setting/admins/1/apitokens/1", ``, "you cannot edit admin, who has the role administrator"},
		// Roles with more rights.
		{"PATCH /setting/roles/2", `{"privileges":[{"objectType":"deviceGroup","objectId":"2","operation":"read"}]}`,
			"you cannot edit the role manager, which has permissions that you do not have"},
		{"PATCH /setting/roles/8", `{"privileges":[{"objectType":"deviceGroup","objectId":"2","operation":"read"}]}`,
			"you cannot edit the role boss, which has permissions that you do not have"},
		{"PUT /setting/roles/8", `{"name":"x","privileges":[{"objectType":"deviceGroup","objectId":"2",` +
			`"operation":"read"}]}`, "you cannot edit the role boss, which has permissions that you do not have"},
		{"DELETE /setting/roles/9", ``, "you cannot edit the role unused, which has permissions that you do not have"},
	} {
		if status, response := w.request("keeper", tt.request, tt.body); status != http.StatusForbidden ||
			response != refusal(1403, tt.want) {
			t.Errorf("%s %s\n got %d %s\nwant 403 %s", tt.request, tt.body, status, response, tt.want)
		}
	}
	for _, tt := range []struct {
		request, body string
		status        int
	}{
		// role 10
		{"POST /setting/roles", `{"name":"inner","privileges":[{"objectType":"deviceGroup","objectId":"3",` +
			`"operation":"ack"}]}`, 201},
		{"POST /setting/admins", `{"username":"x","password":"correct horse","email":"a@example.net",` +
			`"roles":[{"id":10},{"id":10}]}`, 201},
		{"PATCH /setting/admins/4", `{"note":"reads Oslo"}`, 200},
		{"DELETE /setting/admins/6", ``, 200},
		{"DELETE /setting/roles/10", ``, 200},
	} {
		if status, response := w.request("keeper", tt.request, tt.body); status != tt.status {
			t.Errorf("%s %s: %d %s, want %d", tt.request, tt.body, status, response, tt.status)
		}
	}
}

func TestReadOnlyFieldsInABodyChangeNothing(t *testing.T) {
	w := newFixture(t)
	for _, tt := range []struct{ request, body, then, want string }{
		{"POST /device/devices", `{"id":77,"name":"x","hostStatus":"dead","createdOn":5,"deletedTimeInMs":5,` +
			`"currentCollectorId":9,"systemProperties":[{"name":"a","value":"b"}],"inheritedProperties":"x"}`,
			"GET /device/devices/4?fields=id,hostStatus,currentCollectorId,deletedTimeInMs,inheritedProperties",
			`{"id":4,"hostStatus":"normal","currentCollectorId":1,"deletedTimeInMs":0,"inheritedProperties":[]}`},
		{"PATCH /device/groups/2", `{"id":4,"fullPath":"x","groupType":"Dynamic","numOfHosts":7}`,
			"GET /device/groups/2?fields=id,fullPath,groupType,numOfHosts", `{"id":2,"fullPath":"Oslo",` +
				`"groupType":"Normal","numOfHosts":2}`},
		{"PATCH /setting/admins/2", `{"id":1,"createdBy":"me","lastLoginOn":5,"lastAuthIp":"1.2.3.4","apiTokens":[]}`,
			"GET /setting/admins/2?fields=id,createdBy,lastLoginOn,lastAuthIp", `{"id":2,"createdBy":"admin",` +
				`"lastLoginOn":0,"lastAuthIp":""}`},
		{"PATCH /setting/admins/1/apitokens/1", `{"id":9,"adminId":2,"adminName":"clerk","bearerHash":"0",` +
			`"sealedKey":"0","accessId":"0","createdBy":"me"}`,
			"GET /setting/admins/1/apitokens/1?fields=id,adminId,adminName,createdBy",
			`{"id":1,"adminId":1,"adminName":"admin","createdBy":"admin"}`},
	} {
		if status, response := w.request("admin", tt.request, tt.body); status >= 300 {
			t.Errorf("%s %s: %d %s", tt.request, tt.body, status, response)
		}
		if _, response := w.request("admin", tt.then, ""); response != tt.want {
			t.Errorf("after %s %s\n%s is %s\nwant %s", tt.request, tt.body, tt.then, response, tt.want)
		}
	}
}

func TestCommonPasswordsAreRefused(t *testing.T) {
	w := newFixture(t)
	const user = `{"username":"kim.larsen","password":%q,"email":"kim@example.net","roles":[{"name":"readonly"}]}`
	for _, password := range []string{"kim.larsen", "Kim@Example.net", "My portal", "password1", "Sunshine1"} {
		if status, response := w.request("admin", "POST /setting/admins",
			fmt.Sprintf(user, password)); status != http.StatusBadRequest {
			t.Errorf("added with the password %q: %d %s", password, status, response)
		}
	}
	w.must("POST /setting/admins", fmt.Sprintf(user, "a quiet harbour"))
	if status, response := w.request("admin", "PATCH /setting/admins/6",
		`{"password":"KIM.LARSEN"}`); status != http.StatusBadRequest {
		t.Errorf("changed to the user's own name: %d %s", status, response)
	}
}
