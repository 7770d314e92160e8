package collect_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"spyglass/backend/check"
	"spyglass/backend/collect"
	"spyglass/backend/fault"
	"spyglass/backend/portal/alert"
	"spyglass/backend/portal/audit"
	"spyglass/backend/portal/collector"
	"spyglass/backend/portal/datasource"
	"spyglass/backend/portal/fleet"
	"spyglass/backend/portal/maintenance"
	"spyglass/backend/portal/setting"
	"spyglass/backend/resource"
	"spyglass/backend/store"
	"spyglass/backend/store/storetest"
	"spyglass/backend/testkit"
)

var noon = time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)

// fixture is a portal with the built-in collector, two remote collectors, and device 1 on
// collector 2 in Oslo.
type fixture struct {
	*testing.T
	*testkit.Clock
	db        *store.DB
	folder    string // folder of the programs
	base      string
	endpoints map[string]resource.Endpoint

	tasks    []check.Task
	searches []check.Search
	taken    []check.Result
	findings []check.Finding
}

// callers of requests
var (
	admin  = &resource.Access{UserID: 1, User: "admin", Admin: true}
	second = &resource.Access{User: "collector 2", Collector: 2}
	// a user who installs collectors, and who has View access only to the devices in group 3
	clerk = &resource.Access{UserID: 2, User: "clerk", Grants: []resource.Grant{
		{Object: resource.Setting, Area: "*", Op: resource.Modify},
		{Object: resource.DeviceGroup, Groups: map[int64]bool{3: true}, Op: resource.Modify}}}
)

func open(t *testing.T) *fixture {
	t.Helper()
	h := &fixture{T: t, Clock: testkit.NewClock(noon), folder: t.TempDir(), base: "http://127.0.0.1:8443/api",
		endpoints: map[string]resource.Endpoint{}}
	h.db = storetest.Open(t, store.Options{Clock: h.Now, Zone: time.UTC})
	storetest.Add(h, h.db, &fleet.Groups)
	storetest.Add(h, h.db, &fleet.Functions)
	storetest.Add(h, h.db, &fleet.Devices)
	storetest.Add(h, h.db, &datasource.DataSources)
	storetest.Add(h, h.db, &datasource.UpdateReasons)
	storetest.Add(h, h.db, &fleet.DeviceDataSources)
	storetest.Add(h, h.db, &fleet.Instances)
	storetest.Add(h, h.db, &fleet.InstanceGroups)
	storetest.Add(h, h.db, &fleet.UnsettledRows)
	storetest.Add(h, h.db, &fleet.SettlingRow)
	storetest.Add(h, h.db, &collector.CollectorGroups)
	storetest.Add(h, h.db, &collector.Collectors)
	storetest.Add(h, h.db, &collector.CollectorTokens)
	storetest.Add(h, h.db, &setting.Settings)
	storetest.Add(h, h.db, &maintenance.SDTs)
	storetest.Add(h, h.db, &alert.Alerts)
	storetest.Add(h, h.db, &alert.ClusterAlerts)
	storetest.Add(h, h.db, &alert.Deliveries)
	storetest.Add(h, h.db, &alert.Rules)
	storetest.Add(h, h.db, &alert.Chains)
	storetest.Add(h, h.db, &alert.RecipientGroups)
	storetest.Add(h, h.db, &alert.Integrations)
	storetest.Add(h, h.db, &audit.AuditLogs)
	h.db.SetAuditor(audit.Audit)
	storetest.Put(h, h.db, fleet.Groups.Name, fleet.Group{ID: 1, Name: "All devices"},
		fleet.Group{ID: 2, Name: "Oslo", FullPath: "Oslo", ParentID: 1},
		fleet.Group{ID: 3, Name: "Bergen", FullPath: "Bergen", ParentID: 1})
	storetest.Put(h, h.db, collector.Collectors.Name, collector.Collector{ID: 1, Description: "Built-in"},
		collector.Collector{ID: 2, Description: "Probe"}, collector.Collector{ID: 3, Description: "Other"})
	storetest.Put(h, h.db, fleet.Devices.Name, fleet.Device{ID: 1, Name: "10.0.0.1", DisplayName: "fjord",
		GroupIDs: resource.IDs{2}, CollectorID: 2, CurrentCollector: 2, CustomProperties: []resource.Property{
			{Name: "snmp.community", Value: "s3cret"}, {Name: "location", Value: "Oslo"}}})
	s := collect.New(collect.Options{DB: h.db, Folder: h.folder,
		Tasks: func(context.Context, resource.Reader, int64) ([]check.Task, error) {
			return slices.Clone(h.tasks), nil
		},
		Take: func(_ context.Context, _ int64, results []check.Result) error {
			h.taken = append(h.taken, results...)
			return nil
		},
		Searches: func(context.Context, int64) ([]check.Search, error) { return slices.Clone(h.searches), nil },
		TakeFinding: func(_ context.Context, _ int64, f *check.Finding) (bool, error) {
			h.findings = append(h.findings, *f)
			return f.ID == 7, nil
		},
	})
	for _, e := range s.Endpoints() {
		h.endpoints[e.ID()] = e
	}
	return h
}

// call sends a request to an endpoint; path is below /setting/collectors/.
func (h *fixture) call(who *resource.Access, method, path, body string, change ...func(*resource.Call)) (any, error) {
	h.Helper()
	id, rest, _ := strings.Cut(path, "/")
	c := &resource.Call{Access: who, At: h.Now(), Vars: map[string]string{"id": id}, Body: []byte(body), Base: h.base}
	template := rest
	if system, program, is := strings.Cut(strings.TrimPrefix(rest, "installers/"), "/"); is ||
		strings.HasPrefix(rest, "installers/") {
		c.Vars["osAndArch"], template = system, strings.TrimSuffix("installers/{osAndArch}/"+program, "/")
	}
	e, known := h.endpoints[method+" /setting/collectors/{id}/"+template]
	if !known {
		h.Fatalf("there is no %s %s", method, template)
	}
	for _, do := range change {
		do(c)
	}
	return e.Handle(resource.WithCall(h.Context(), c), c)
}

// request returns the response of call as JSON, or the message of the error.
func (h *fixture) request(who *resource.Access, method, path, body string) string {
	h.Helper()
	response, err := h.call(who, method, path, body)
	if err != nil {
		f := fault.Of(err)
		return fmt.Sprintf("%s %s: %s", f.Kind, f.Field, f.Message)
	}
	if whole, ok := response.(*resource.Response); ok {
		response = whole.Body
	}
	text, err := json.Marshal(response)
	if raw, ok := response.(resource.JSON); ok {
		text = raw
	}
	if err != nil {
		h.Fatal(err)
	}
	return string(text)
}

// stream returns the text of a response that streams a file.
func (h *fixture) stream(who *resource.Access, path string, change ...func(*resource.Call)) string {
	h.Helper()
	response, err := h.call(who, "GET", path, "", change...)
	if err != nil {
		h.Fatal(err)
	}
	var out bytes.Buffer
	if err := response.(*resource.Response).Stream(&out); err != nil {
		h.Fatal(err)
	}
	return out.String()
}

// collector returns a collector's row.
func (h *fixture) collector(id int64) *collector.Collector {
	h.Helper()
	row, err := resource.Get(h.Context(), h.db, collector.Collectors.Name, id)
	if err != nil {
		h.Fatal(err)
	}
	return row
}

// tokens returns the kinds of a collector's tokens.
func (h *fixture) tokens(id int64) (kinds []string) {
	h.Helper()
	rows, err := resource.Find(h.Context(), h.db, collector.CollectorTokens.Name,
		resource.Where{Field: "collectorId", Op: "=", Value: id})
	if err != nil {
		h.Fatal(err)
	}
	for _, row := range rows {
		kind := "runs"
		if row.Installs {
			kind = "installs until " + time.Unix(int64(row.ExpiresOn), 0).UTC().Format("15:04")
		}
		kinds = append(kinds, kind)
	}
	slices.Sort(kinds)
	return kinds
}

const probe = `{"hostname":"probe-1","platform":"linux","arch":"amd64","build":"1"}`

func TestRegistrationRevokesEarlierTokens(t *testing.T) {
	h := open(t)
	h.request(admin, "POST", "2/downloadToken", "")
	h.request(admin, "POST", "3/downloadToken", "")
	h.Pass(10 * time.Minute)
	h.request(admin, "POST", "2/downloadToken", "") // the previous token has expired
	if got, want := h.tokens(2), []string{"installs until 13:10"}; !reflect.DeepEqual(got, want) {
		t.Errorf("before the collector registers it has %q, want %q", got, want)
	}
	for range 2 { // a second registration ends the credential of the first
		if got := h.request(second, "POST", "2/register", probe); !strings.HasPrefix(got,
			`{"collectorId":2,"token":"col_2_`) || !strings.HasSuffix(got, `","heartbeat":15}`) {
			t.Errorf("registering returns %s", got)
		}
		if got, want := h.tokens(2), []string{"runs"}; !reflect.DeepEqual(got, want) {
			t.Errorf("a collector that has registered has %q, want %q", got, want)
		}
	}
	if got, want := h.tokens(3), []string{"installs until 13:00"}; !reflect.DeepEqual(got, want) {
		t.Errorf("the other collector has %q, want %q", got, want)
	}
	c := h.collector(2)
	if c.Hostname != "probe-1" || c.Platform != "linux" || c.Arch != "amd64" || c.Build != "1" || c.Status != 1 ||
		c.LastHeartbeatOn != resource.SecondsOf(h.Now()) {
		t.Errorf("the collector is %+v", c)
	}
}

func TestReplacingARunningCollectorOpensAnAlert(t *testing.T) {
	for _, tt := range []struct {
		silent time.Duration // time before it registers again
		want   int
	}{{10 * time.Second, 1}, {time.Hour, 0}} {
		h := open(t)
		h.request(second, "POST", "2/register", probe)
		h.Pass(tt.silent)
		h.request(second, "POST", "2/register", strings.Replace(probe, "probe-1", "thief", 1))
		alerts, err := resource.Find(t.Context(), h.db, alert.Alerts.Name,
			resource.Where{Field: "condition", Op: "=", Value: string(alert.ConditionCredential)})
		if err != nil || len(alerts) != tt.want {
			t.Errorf("after %v of silence %d alerts are open, want %d (%v)", tt.silent, len(alerts), tt.want, err)
		}
		logged, err := resource.Find(t.Context(), h.db, audit.AuditLogs.Name,
			resource.Where{Field: "action", Op: "=", Value: "credential replaced"})
		if err != nil || len(logged) != tt.want {
			t.Errorf("after %v of silence the audit log has %d entries, want %d (%v)", tt.silent, len(logged), tt.want,
				err)
		}
		if c := h.collector(2); c.Hostname != "thief" || (c.ReplacedOn > 0) != (tt.want > 0) {
			t.Errorf("after %v of silence the collector is %+v", tt.silent, c)
		}
	}
}

func TestHeartbeatMarksACollectorAsRunning(t *testing.T) {
	h := open(t)
	row := *h.collector(2)
	row.IsDown, row.Acked, row.AckedBy, row.AckComment, row.Build = true, true, "admin", "the power feed", "1"
	storetest.Put(h, h.db, collector.Collectors.Name, row)
	want := fmt.Sprintf(`{"now":%d,"nowMillis":%d,"heartbeat":15,"devices":1}`, noon.Unix(), noon.UnixMilli())
	if got := h.request(second, "POST", "2/heartbeat", `{"build":"2","clockOffset":-9}`); got != want {
		t.Errorf("a heartbeat returns %s, want %s", got, want)
	}
	c := h.collector(2)
	if c.IsDown || c.Acked || c.AckedBy != "" || c.AckComment != "" || c.Status != 1 || c.Build != "2" ||
		c.ClockOffset != -9 || c.LastHeartbeatOn != resource.SecondsOf(noon) {
		t.Errorf("after a heartbeat the collector is %+v", c)
	}
	h.request(second, "POST", "2/heartbeat", `{"build":"3\n"}`)
	if c := h.collector(2); c.Build != "2" || c.ClockOffset != -9 {
		t.Errorf("after a heartbeat with an odd version it has version %q and clock %d", c.Build, c.ClockOffset)
	}
	logged, err := resource.Find(t.Context(), h.db, audit.AuditLogs.Name,
		resource.Where{Field: "username", Op: "=", Value: second.User})
	if err != nil || len(logged) > 0 {
		t.Errorf("heartbeats are in the audit log: %v (%v)", logged, err)
	}
}

func TestInvalidCollectorRequestsAreRefused(t *testing.T) {
	h := open(t)
	long, many := strings.Repeat("é", 256), strings.Repeat(`{"instanceId":1,"at":1},`, 10_000)
	found := strings.Repeat(`{"wildValue":"1"},`, 10_000)
	const other = "denied : the token belongs to collector 2"
	const builtIn = "invalid : collector 1 is built into the portal; add another one to collect from elsewhere"
	for _, tt := range []struct {
		who                      *resource.Access
		method, path, body, want string
	}{
		{second, "POST", "3/register", probe, other},
		{second, "POST", "3/heartbeat", `{}`, other},
		{second, "GET", "3/assignments", "", other},
		{second, "POST", "3/samples", `{"results":[]}`, other},
		{second, "GET", "3/searches", "", other},
		{second, "POST", "3/findings", `{"id":7,"found":[]}`, other},
		{admin, "POST", "1/register", probe, builtIn},
		{admin, "POST", "1/heartbeat", `{}`, builtIn},
		{admin, "GET", "1/assignments", "", builtIn},
		{admin, "POST", "1/samples", `{"results":[]}`, builtIn},
		{admin, "POST", "1/downloadToken", "", builtIn},
		{admin, "GET", "9/assignments", "", "unknown : there is no collector 9"},
		{admin, "GET", "x/assignments", "", `unknown : there is no "x" here; an id must be a whole number`},
		{second, "POST", "2/register", strings.Replace(probe, "probe-1", "a\\nb", 1),
			"invalid hostname: hostname must be one line of at most 255 characters"},
		{second, "POST", "2/register", strings.Replace(probe, "amd64", long, 1),
			"invalid arch: arch must be one line of at most 255 characters"},
		{second, "POST", "2/register", `{"hostnam":"a"}`,
			`invalid hostnam: the body has no field "hostnam"; did you mean hostname?`},
		{second, "POST", "2/samples", `{"results":[` + many + `{"instanceId":1,"at":1}]}`,
			"invalid results: send at most 10,000 results at a time"},
		{second, "POST", "2/samples", `{"results":[{"instanceId":1,"at":5},{"instanceId":1,"at":0}]}`,
			"invalid results[1].at: results[1].at must be a time in epoch seconds"},
		{second, "POST", "2/findings", `{"id":7,"found":[` + found + `{"wildValue":"1"}]}`,
			"invalid found: found can have at most 10,000 instances"},
		{second, "POST", "2/findings", `{"id":7,"found":[{"wildValue":"1"},{"wildValue":"2","description":"` + long +
			`"}]}`,
			"invalid found[1].description: found[1].description must be one line of at most 255 characters"},
	} {
		if got := h.request(tt.who, tt.method, tt.path, tt.body); got != tt.want {
			t.Errorf("%s %s %.60s\n got %s\nwant %s", tt.method, tt.path, tt.body, got, tt.want)
		}
	}
	if len(h.taken) > 0 || len(h.findings) > 0 || h.tokens(2) != nil || h.collector(2).LastHeartbeatOn != 0 {
		t.Errorf("requests that were refused had an effect: %v, %v, %v", h.taken, h.findings, h.tokens(2))
	}
}

func TestFutureSamplesAreRefusedAndCounted(t *testing.T) {
	h := open(t)
	at := noon.Unix()
	body := fmt.Sprintf(`{"results":[{"instanceId":1,"at":%d,"local":"moon","values":{"a":1.5}},`+
		`{"instanceId":2,"at":%d},{"instanceId":3,"at":%d}]}`, at-9, at+300, at+301)
	if got, want := h.request(second, "POST", "2/samples", body), `{"taken":2,"refused":1}`; got != want {
		t.Errorf("samples return %s, want %s", got, want)
	}
	want := []check.Result{{InstanceID: 1, At: at - 9, Values: check.Values{"a": 1.5}}, {InstanceID: 2, At: at + 300}}
	if !reflect.DeepEqual(h.taken, want) {
		t.Errorf("taken were %+v, want %+v", h.taken, want)
	}
	if c := h.collector(2); c.Refused != 1 || c.ClockOffset != 301 {
		t.Errorf("%d results are counted as refused, and the clock is %d s ahead; want 1 and 301", c.Refused,
			c.ClockOffset)
	}
	// The portal trusts the offset of a collector that corrects its times.
	h.request(second, "POST", "2/heartbeat", `{"clockOffset":-7}`)
	h.request(second, "POST", "2/samples", strings.Replace(body, `{"results"`, `{"corrected":true,"results"`, 1))
	if c := h.collector(2); c.Refused != 2 || c.ClockOffset != -7 {
		t.Errorf("%d results are counted as refused, and the clock is %d s ahead; want 2 and -7", c.Refused,
			c.ClockOffset)
	}
}

func TestOnlyTheAssignedCollectorGetsSecrets(t *testing.T) {
	h := open(t)
	known := map[string]string{"snmp.community": "s3cret", "location": "Oslo"}
	h.tasks = []check.Task{{InstanceID: 5, DeviceID: 1, Properties: known}}
	h.searches = []check.Search{{ID: 7, DeviceID: 1, Properties: known}}
	for _, path := range []string{"2/assignments", "2/searches"} {
		for who, want := range map[*resource.Access]string{second: "s3cret", admin: resource.Mask} {
			var list struct {
				Total int
				Items []struct{ Properties map[string]string }
			}
			text := h.request(who, "GET", path, "")
			if err := json.Unmarshal([]byte(text), &list); err != nil || list.Total != 1 || len(list.Items) != 1 {
				t.Fatalf("%s returns %s (%v)", path, text, err)
			}
			got := list.Items[0].Properties
			if got["snmp.community"] != want || got["location"] != "Oslo" {
				t.Errorf("%s shows %s %v, want the community %s", path, who.User, got, want)
			}
		}
	}
	if known["snmp.community"] != "s3cret" {
		t.Error("masking changed the collector's own tasks")
	}
}

func TestAssignmentsKeepTheirETagWithoutChanges(t *testing.T) {
	h := open(t)
	tag := func() string {
		response, err := h.call(second, "GET", "2/assignments", "")
		if err != nil {
			t.Fatal(err)
		}
		return response.(*resource.Response).ETag
	}
	none := h.request(second, "GET", "2/assignments", "")
	if want := `{"total":0,"searchId":null,"items":[],"data":null}`; none != want {
		t.Errorf("without instances it returns %s, want %s", none, want)
	}
	first := tag()
	if first == "" || tag() != first {
		t.Errorf("the same assignments have the tags %s and %s", first, tag())
	}
	h.tasks = []check.Task{{InstanceID: 5}}
	if tag() == first {
		t.Error("other assignments have the same tag")
	}
}

func TestDiscoveryResultIsAcceptedOnlyIfRequested(t *testing.T) {
	h := open(t)
	if got := h.request(second, "POST", "2/findings",
		`{"id":7,"found":[{"wildValue":"2","displayName":"eth0"}]}`); got !=
		`{"taken":1}` {
		t.Errorf("a finding returns %s", got)
	}
	if got := h.request(second, "POST", "2/findings", `{"id":8,"found":[],"error":"no agent"}`); got != `{"taken":0}` {
		t.Errorf("an unrequested finding returns %s", got)
	}
	want := []check.Finding{{ID: 7, Found: []check.Found{{WildValue: "2", DisplayName: "eth0"}}},
		{ID: 8, Found: []check.Found{}, Error: "no agent"}}
	if !reflect.DeepEqual(h.findings, want) {
		t.Errorf("findings are %+v, want %+v", h.findings, want)
	}
}

func TestInstallingACollectorNeedsViewOfAllItsDevices(t *testing.T) {
	h := open(t)
	const want = "denied : a collector gets the secrets of its devices; you need View access to all devices of " +
		"collector 2 to install it"
	for _, request := range []string{"POST 2/downloadToken", "GET 2/downloadToken", "GET 2/installers/Linux64"} {
		method, path, _ := strings.Cut(request, " ")
		if got := h.request(clerk, method, path, ""); got != want {
			t.Errorf("%s returns %s, want %s", request, got, want)
		}
	}
	if h.tokens(2) != nil {
		t.Errorf("tokens were made: %v", h.tokens(2))
	}
	if got := h.request(clerk, "POST", "3/downloadToken", ""); !strings.HasPrefix(got, `{"token":"col_3_`) {
		t.Errorf("a collector without devices returns %s", got)
	}
}

func TestHEADCreatesNoToken(t *testing.T) {
	h := open(t)
	peek := func(c *resource.Call) { c.Peek = true }
	if _, err := h.call(admin, "GET", "2/downloadToken", "", peek); err != nil {
		t.Error(err)
	}
	if text := h.stream(admin, "2/installers/Linux64", peek); strings.Contains(text, "col_2_") {
		t.Errorf("the script has a token:\n%s", text)
	}
	if h.tokens(2) != nil {
		t.Errorf("there is a token: %v", h.tokens(2))
	}
}

func TestInstallersListThePrograms(t *testing.T) {
	h := open(t)
	var list struct {
		Total int
		Items []struct {
			OSAndArch, SHA256, Link string
			Size                    int64
			Available               bool
		}
	}
	if runtime.GOOS != "windows" { // on Windows the portal has its own program
		const want = "conflict : this portal has no program for windows on amd64; put the Spyglass of that system " +
			"into its data folder as installers/spyglass-windows-amd64.exe, and try again"
		if got := h.request(second, "GET", "2/installers/Win64/program", ""); got != want {
			t.Errorf("a program that is not there gives %s, want %s", got, want)
		}
	}
	if err := os.WriteFile(filepath.Join(h.folder, "spyglass-windows-amd64.exe"), []byte("MZ"), 0o600); err != nil {
		t.Fatal(err)
	}
	text := h.request(admin, "GET", "1/installers", "")
	if err := json.Unmarshal([]byte(text), &list); err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, i := range list.Items {
		got[i.OSAndArch] = fmt.Sprint(i.Available, " ", i.Size, " ", i.SHA256, " ", i.Link)
	}
	if names := slices.Sorted(maps.Keys(got)); !reflect.DeepEqual(names, []string{"Darwin64", "Linux64", "Win64"}) ||
		list.Total != 3 {
		t.Errorf("there are installers for %q", names)
	}
	if want := "true 2 " + sum("MZ") + " " + h.base + "/setting/collectors/1/installers/Win64"; got["Win64"] != want {
		t.Errorf("the program for Windows is %s, want %s", got["Win64"], want)
	}
	if got := h.stream(second, "2/installers/win64/program"); got != "MZ" {
		t.Errorf("the program for Windows has the bytes %q", got)
	}
	_, err := h.call(admin, "GET", "2/installers/Amiga", "")
	if f := fault.Of(err); f.Kind != fault.Unknown || f.Field != "osAndArch" || len(f.Allowed) != 3 {
		t.Errorf("an unknown system gives %v", err)
	}
}
