package server_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"
)

// limit creates a token of admin with these fields and returns its path.
func (w *fixture) limit(name, fields string) string {
	w.t.Helper()
	status, response := w.request("admin", "POST /setting/admins/1/apitokens", fields)
	var made struct {
		ID     int64
		Bearer string
	}
	if err := json.Unmarshal([]byte(response), &made); status != http.StatusCreated || err != nil {
		w.t.Fatalf("a token with %s: %d %s %v", fields, status, response, err)
	}
	w.bearers[name] = made.Bearer
	return fmt.Sprintf("/setting/admins/1/apitokens/%d", made.ID)
}

func TestLimitedTokenStaysWithinItsLimits(t *testing.T) {
	w := newFixture(t)
	hour := fmt.Sprintf(`"expiresOn":%d`, time.Now().Add(time.Hour).Unix())
	w.limit("as reader", `{"roleId":7}`)
	all := w.limit("as boss", `{"roleId":8}`)
	expiring := w.limit("for an hour", "{"+hour+"}")
	w.must("POST /setting/collectors", `{"description":"north"}`)
	const lasting = "cannot change users, roles, tokens or reports"
	for _, tt := range []struct {
		who, request, body string
		status             int
		want               string
	}{
		{"as reader", "GET /device/devices?fields=id", "", 200, `"items":[{"id":1},{"id":3}]`},
		{"as reader", "GET /device/devices/2", "", 404, "there is no device 2"},
		{"as reader", "PATCH /device/devices/1", `{}`, 403, "not edit it"},
		{"as reader", "GET /setting/admins", "", 403, "your role does not have the permission"},
		{"as boss", "GET /setting/admins?fields=id&size=1", "", 200, `{"id":1}`},
		{"as boss", "PATCH " + all, `{"roleId":0}`, 403, lasting},
		{"for an hour", "PATCH " + expiring, `{"expiresOn":0}`, 403, lasting},
		{"for an hour", "POST /device/groups", `{"name":"Rome"}`, 201, `"name":"Rome"`},
	} {
		status, response := w.request(tt.who, tt.request, tt.body)
		if status != tt.status || !strings.Contains(response, tt.want) {
			t.Errorf("%s: %s returns %d %.300s, want %d with %s", tt.who, tt.request, status, response, tt.status,
				tt.want)
		}
	}
	for _, who := range []string{"as boss", "for an hour"} {
		for _, tt := range []struct{ request, body, want string }{
			{"POST /setting/admins/1/apitokens", `{}`, lasting},
			{"POST /setting/admins", `{"username":"x","password":"correct horse","email":"x@example.net",` +
				`"roles":[{"id":8}]}`, lasting},
			{"PATCH /setting/admins/1", `{"password":"correct horse"}`, lasting},
			{"DELETE /setting/admins/2", "", lasting},
			{"PATCH /setting/roles/8", `{"privileges":[]}`, lasting},
			{"DELETE " + all, "", lasting},
			{"POST /report/reports", `{"name":"x","type":"Alert"}`, lasting},
			{"GET /setting/collectors/2/downloadToken", "", "cannot create a token of a collector"},
			{"GET /setting/collectors/2/bootstraps/Linux64", "", "cannot create a token of a collector"},
		} {
			status, response := w.request(who, tt.request, tt.body)
			if status != http.StatusForbidden || !strings.Contains(response, tt.want) {
				t.Errorf("%s: %s returns %d %.300s, want 403 with %s", who, tt.request, status, response, tt.want)
			}
		}
	}
	for who, want := range map[string]int{"as reader": 403, "as boss": 200} {
		c := &client{t: t, origin: w.s.Origin(), bearer: w.bearers[who], http: http.DefaultClient}
		if status, response, err := c.request("GET", "/metrics", ""); status != want || err != nil {
			t.Errorf("%s: GET /metrics returns %d %.300s %v, want %d", who, status, response, err, want)
		}
	}
	token := w.limit("as unused", `{"roleId":9}`)
	for _, tt := range []struct {
		request string
		status  int
	}{{"DELETE /setting/roles/9", 409}, {"DELETE " + token, 200}, {"DELETE /setting/roles/9", 200}} {
		if status, response := w.request("admin", tt.request, ""); status != tt.status {
			t.Errorf("%s: %d %s, want %d", tt.request, status, response, tt.status)
		}
	}
}

func TestRevokingALimitedTokenEndsItsStream(t *testing.T) {
	w := newFixture(t)
	path := w.limit("as reader", `{"roleId":7}`)
	events := w.listen("as reader", "/events?kinds=device")
	if status, response := w.request("admin", "PATCH /device/devices/2",
		`{"hostGroupIds":"2"}`); status != http.StatusOK {
		t.Fatalf("%d %s", status, response)
	}
	w.hears(events, "device", `"id":2`) // the role may view Oslo
	if status, response := w.request("admin", "DELETE "+path, ""); status != http.StatusOK {
		t.Fatalf("%d %s", status, response)
	}
	limit := time.After(20 * time.Second)
	for {
		select {
		case _, ok := <-events:
			if !ok {
				return
			}
		case <-limit:
			t.Fatal("the stream goes on")
		}
	}
}
