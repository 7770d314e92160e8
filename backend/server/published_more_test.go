package server_test

import (
	"fmt"
	"strings"
	"testing"
)

// TestRecipientsAreUniqueByMethodAndAddress lists recipients as published
// clients do before they write a chain.
func TestRecipientsAreUniqueByMethodAndAddress(t *testing.T) {
	t.Parallel()
	m, _ := newFleet(t, func(string) map[string][]privilege { return nil }).client(t)
	list := func(query string) (rows []map[string]any) {
		page, _ := decoded(m.get("/setting/recipients?size=1000&" + query).text).(map[string]any)
		items, _ := page["items"].([]any)
		if page["total"] == nil || fmt.Sprint(page["total"]) != fmt.Sprint(len(items)) {
			t.Errorf("%s: total %v of %d items", query, page["total"], len(items))
		}
		for _, i := range items {
			rows = append(rows, i.(map[string]any))
		}
		return rows
	}
	const chain = `{"name":"Far","destinations":[{"type":"single","stages":[[` +
		`{"type":"arbitrary","method":"email","addr":"Far@example.net"},{"type":"GROUP","addr":"Night shift"}],` +
		`[{"type":"ARBITRARY","method":"email","addr":"far@example.net"}]]}]}`
	group := m.send("POST", "/setting/recipientgroups", "", `{"groupName":"Night shift"}`)
	if r := m.send("POST", "/setting/alert/chains", "", chain); r.status != 200 {
		t.Fatalf("%s, %s", group, r)
	}
	for query, want := range map[string]string{
		"filter=method:%22email%22,addr:%22far@example.net%22": "ARBITRARY Far@example.net",
		"filter=method:%22email%22,addr:%22admin%22":           "ADMIN admin",
		"filter=type:%22GROUP%22,addr:%22Night%20shift%22":     "GROUP Night shift",
		"filter=addr:%22nobody%22":                             "",
	} {
		var got []string
		for _, r := range list(query) {
			got = append(got, fmt.Sprint(r["type"], " ", r["addr"]))
			if one := m.get(fmt.Sprint("/setting/recipients/", r["id"])); one.status != 200 ||
				!strings.Contains(one.text, fmt.Sprint(r["addr"])) {
				t.Errorf("%v by its id: %s", r, one)
			}
		}
		if strings.Join(got, ", ") != want {
			t.Errorf("%s finds %q, want %q", query, got, want)
		}
	}
	seen, last := map[string]bool{}, ""
	for _, r := range list("sort=-addr") {
		key := strings.ToLower(fmt.Sprint(r["type"], r["method"], r["addr"]))
		addr := strings.ToLower(fmt.Sprint(r["addr"]))
		if seen[key] || last != "" && addr > last {
			t.Errorf("%v is listed twice or out of order", r)
		}
		seen[key], last = true, addr
	}
}

// TestPollResultIsReadableByItsRequester polls an instance of the demo.
func TestPollResultIsReadableByItsRequester(t *testing.T) {
	t.Parallel()
	m, _ := newFleet(t, func(string) map[string][]privilege { return nil }).client(t)
	const path = "/device/devices/1/devicedatasources/1/instances/1/data/pollnow"
	polled := m.send("POST", path, "", "")
	row, _ := decoded(polled.text).(map[string]any)
	if polled.status != 200 || row["requestStatus"] != "done" || row["agentId"] == nil {
		t.Fatal(polled)
	}
	again := m.get(fmt.Sprint(path, "/", row["requestId"]))
	if again.text != polled.text {
		t.Errorf("then %s, first %s", again, polled)
	}
	if r := m.get(path + "/99"); r.status != 200 ||
		!strings.Contains(r.text, `"requestStatus":"unknown","result":null`) {
		t.Errorf("a request that was not made: %s", r)
	}
	if r := m.send("POST", strings.Replace(path, "devices/1", "devices/2", 1), "", ""); r.status != 404 {
		t.Errorf("below another device: %s", r)
	}
}

// TestEveryPublishedPathIsServed requests paths that published clients use and the digest
// does not list.
func TestEveryPublishedPathIsServed(t *testing.T) {
	t.Parallel()
	s := start(t, options(t))
	for _, operation := range []string{
		"GET /setting/recipients", "GET /setting/recipients/1",
		"POST /device/devices/1/devicedatasources/1/instances/1/data/pollnow",
		"GET /device/devices/1/devicedatasources/1/instances/1/data/pollnow/1",
		"POST /setting/admins/services/logoffUsers",
		"GET /setting/admin/groups", "POST /setting/admin/groups", "GET /setting/admin/groups/1",
		"PUT /setting/admin/groups/1",
		"PATCH /setting/admin/groups/1", "DELETE /setting/admin/groups/1",
		"GET /setting/role/groups", "POST /setting/role/groups", "GET /setting/role/groups/1",
		"PUT /setting/role/groups/1",
		"PATCH /setting/role/groups/1", "DELETE /setting/role/groups/1",
		"GET /recyclebin/recycles", "POST /recyclebin/recycles/batchrestore", "POST /recyclebin/recycles/batchdelete",
		"GET /setting/integrations/auditlogs", "GET /setting/companySetting", "PATCH /setting/companySetting",
		"GET /alert/stat",
		"POST /alert/alerts/ack", "POST /alert/alerts/note", "GET /device/groups/1/groups",
		"GET /setting/datasources/1/graphs", "GET /setting/datasources/1/graphs/1",
		"GET /setting/datasources/1/datapoints",
		"GET /setting/collector/collectors/1/downloadToken", "GET /setting/collector/collectors/1/bootstraps/Linux64",
	} {
		method, path, _ := strings.Cut(operation, " ")
		if status := knock(t, s, method, path); status != 401 {
			t.Errorf("%s returns %d without sign-in, want 401", operation, status)
		}
	}
}
