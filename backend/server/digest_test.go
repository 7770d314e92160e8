package server_test

import (
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"spyglass/backend/server"
)

// leastServed is the minimum number of operations of the published API that the
// portal serves.
const leastServed = 165

// leftOut lists the operations of the published API that the portal does not serve,
// each with the reason.
var leftOut = []struct {
	reason     string
	operations []string // path parameters without names
}{
	{"the portal watches no cloud accounts", []string{
		"GET /aws/accountId", "GET /aws/externalId", "POST /aws/functions/testAccount",
		"POST /aws/functions/verifyBillingPermissions",
		"POST /azure/functions/discoverSubscriptions", "POST /azure/functions/testAccount",
		"POST /azure/functions/verifyStorageAccountsPermissions",
		"POST /gcp/functions/testAccount", "POST /saas/functions/testAccount",
	}},
	{"the portal takes no network flows", []string{
		"GET /device/devices/{}/endpoints", "GET /device/devices/{}/flows", "GET /device/devices/{}/ports",
		"GET /device/devices/{}/topTalkersGraph",
	}},
	{"config sources are out of scope", []string{
		"GET /device/devices/{}/devicedatasources/{}/instances/{}/config",
		"GET /device/devices/{}/devicedatasources/{}/instances/{}/config/{}",
		"POST /device/devices/{}/devicedatasources/{}/instances/{}/config/configCollection",
	}},
	{"event sources are out of scope", []string{"GET /device/devices/{}/deviceeventsources"}},
	{"websites are out of scope", []string{
		"GET /website/websites/{}/checkpoints/{}/data", "GET /website/websites/{}/checkpoints/{}/graphs/{}/data",
	}},
	{"dashboards are out of scope", []string{"GET /dashboard/widgets/{}/data"}},
	{"datasources come and go as JSON", []string{"POST /setting/datasources/importxml"}},
	{"network scans are out of scope, and what they find with them", []string{
		"GET /setting/netscans", "POST /setting/netscans", "GET /setting/netscans/{}", "PUT /setting/netscans/{}",
		"PATCH /setting/netscans/{}", "DELETE /setting/netscans/{}",
		"GET /device/unmonitoreddevices",
	}},
	{"there is no exchange of modules to be in step with", []string{"GET /setting/logicmodules/metadata"}},
}

// unnamed returns a path without the names of its parameters.
func unnamed(path string) string { return regexp.MustCompile(`\{\w*\}`).ReplaceAllString(path, "{}") }

// renamed returns the native path for a published path. The aliases of
// /santaba/rest cover the differences (wire.md, Two mounts).
func renamed(path string) string {
	for published, ours := range map[string]string{"/setting/collector/collectors": "/setting/collectors",
		"/setting/collector/groups": "/setting/collectors/groups"} {
		if rest, ok := strings.CutPrefix(path, published); ok {
			return ours + rest
		}
	}
	return path
}

func TestPublishedOperationIsServedOrOmittedForAReason(t *testing.T) {
	without := map[string]string{}
	for _, l := range leftOut {
		for _, operation := range l.operations {
			without[operation] = l.reason
		}
	}
	s := start(t, options(t))
	var ours []string
	for _, e := range s.Endpoints() {
		ours = append(ours, e.Method+" "+unnamed(e.Path))
	}
	served := 0
	missing := map[string][]string{}
	for _, row := range readRows(t, "testdata/published.tsv") {
		operation, tag := row[0], row[1]
		method, path, _ := strings.Cut(operation, " ")
		id := method + " " + unnamed(path)
		has := slices.Contains(ours, method+" "+unnamed(renamed(path)))
		reason := without[id]
		delete(without, id)
		switch {
		case has && reason != "":
			t.Errorf("%s is served, and yet listed as left out: %s", operation, reason)
		case has:
			served++
			if status := knock(t, s, method, path); status != http.StatusUnauthorized {
				t.Errorf("%s returns %d at /santaba/rest without sign-in, want 401", operation, status)
			}
		case reason == "":
			missing[tag] = append(missing[tag], operation)
		}
	}
	for operation, reason := range without {
		t.Errorf("%s is listed as left out (%s), but the published API has no such operation", operation, reason)
	}
	for _, tag := range slices.Sorted(maps.Keys(missing)) {
		t.Errorf("%s: neither served nor left out:\n\t%s", tag, strings.Join(missing[tag], "\n\t"))
	}
	if served < leastServed {
		t.Errorf("%d operations of the published API are served, want at least %d", served, leastServed)
	}
}

// knock sends a request without sign-in to the mount for published clients. The status is 401
// for an endpoint, and 404 or 405 otherwise.
func knock(t *testing.T, s *server.Server, method, path string) int {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, s.Origin()+"/santaba/rest"+
		strings.ReplaceAll(unnamed(path), "{}", "1"), nil)
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	return response.StatusCode
}
