package demo_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"reflect"
	"strings"
	"testing"
	"time"

	"spyglass/backend/demo"
	"spyglass/backend/fault"
	"spyglass/backend/portal"
	"spyglass/backend/portal/alert"
	"spyglass/backend/portal/collector"
	"spyglass/backend/portal/datasource"
	"spyglass/backend/portal/fleet"
	"spyglass/backend/portal/ground"
	"spyglass/backend/portal/incident"
	"spyglass/backend/portal/maintenance"
	"spyglass/backend/portal/opsnote"
	"spyglass/backend/portal/override"
	"spyglass/backend/portal/people"
	"spyglass/backend/portal/reporting"
	"spyglass/backend/portal/setting"
	"spyglass/backend/resource"
	"spyglass/backend/store"
	"spyglass/backend/store/storetest"
)

var noon = time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)

// fixture is a portal as portal.Seed creates it.
type fixture struct {
	testing.TB
	db        *store.DB
	endpoints map[string]resource.Endpoint
}

func open(t testing.TB) *fixture {
	t.Helper()
	return openWith(t, storetest.OpenOnce)
}

// openWith opens a portal in the store that openStore returns.
func openWith(t testing.TB, openStore func(testing.TB, store.Options) *store.DB) *fixture {
	t.Helper()
	db := openStore(t, store.Options{Clock: func() time.Time { return noon }, Zone: time.UTC})
	h := &fixture{TB: t, db: db, endpoints: map[string]resource.Endpoint{}}
	add(h, &fleet.Groups)
	add(h, &fleet.Functions)
	add(h, &datasource.DataSources)
	add(h, &datasource.UpdateReasons)
	add(h, &fleet.Devices)
	add(h, &fleet.DeviceDataSources)
	add(h, &fleet.Instances)
	add(h, &fleet.InstanceGroups)
	add(h, &fleet.UnsettledRows)
	add(h, &fleet.SettlingRow)
	add(h, &alert.Alerts)
	add(h, &alert.Deliveries)
	add(h, &override.Overrides)
	add(h, &alert.ClusterAlerts)
	add(h, &setting.Settings)
	add(h, &collector.Collectors)
	add(h, &people.Roles)
	add(h, &people.UserGroups)
	add(h, &people.RoleGroups)
	add(h, &people.Users)
	add(h, &people.Tokens)
	add(h, &collector.CollectorGroups)
	add(h, &alert.Integrations)
	add(h, &alert.RecipientGroups)
	add(h, &alert.Chains)
	add(h, &alert.Rules)
	add(h, &opsnote.OpsNotes)
	add(h, &reporting.ReportGroups)
	add(h, &reporting.Reports)
	add(h, &reporting.ReportTasks)
	add(h, &maintenance.SDTs)
	add(h, &maintenance.SDTHistories)
	add(h, &incident.Incidents)
	add(h, &incident.DemoTimes)
	add(h, &override.GroupDataSourceSettings)
	h.write(func(tx resource.Tx) error { return portal.Seed(t.Context(), tx, resource.SecondsOf(noon)) })
	return h
}

func add[T any](h *fixture, r *resource.Resource[*T]) {
	h.Helper()
	for _, e := range storetest.Add(h, h.db, r) {
		h.endpoints[e.ID()] = e
	}
}

func (h *fixture) write(do func(tx resource.Tx) error) {
	h.Helper()
	storetest.Write(h, h.db, do)
}

// options returns options for tests, without slow password hashes.
func options(devices int) demo.Options {
	return demo.Options{Devices: devices, Now: noon, Passwords: map[string]string{"operator": "spyglass demo"},
		Hash: func(password string) (string, error) { return "hash of " + password, nil }}
}

func filled(t testing.TB, devices int) *fixture {
	t.Helper()
	return fill(open(t), devices)
}

func fill(h *fixture, devices int) *fixture {
	h.Helper()
	if err := demo.Fill(h.Context(), h.db, options(devices)); err != nil {
		h.Fatal(err)
	}
	return h
}

// page returns the body of a list as the administrator sees it.
func (h *fixture) page(id string, vars map[string]string, query url.Values) string {
	h.Helper()
	e := h.endpoints[id]
	got, err := e.Handle(h.Context(), &resource.Call{Access: &resource.Access{UserID: 1, Admin: true}, At: noon,
		Vars: vars, Query: query})
	if err != nil {
		h.Fatal(err)
	}
	if a, ok := got.(*resource.Response); ok {
		got = a.Body
	}
	return string(got.(resource.JSON))
}

func (h *fixture) everything() string {
	all := ""
	for _, list := range []string{"GET /device/groups", "GET /device/devices", "GET /setting/collectors",
		"GET /setting/roles", "GET /setting/admins",
		"GET /setting/collectors/groups", "GET /setting/integrations", "GET /setting/recipientgroups",
		"GET /setting/alert/chains", "GET /setting/alert/rules",
		"GET /setting/opsnotes", "GET /sdt/sdts", "GET /setting/datasources", "GET /report/groups"} {
		all += h.page(list, nil, url.Values{"size": {"1000"}}) + "\n"
	}
	return all + h.page("GET /setting/admins/{adminId}/apitokens", map[string]string{"adminId": "2"}, nil)
}

func (h *fixture) devices() []fleet.Device { return find(h, &fleet.Devices) }

func find[T any](h *fixture, r *resource.Resource[*T]) []T {
	h.Helper()
	rows, err := resource.Find(h.Context(), h.db, r.Name)
	if err != nil {
		h.Fatal(err)
	}
	return rows
}

func value(props []resource.Property, name string) string {
	for _, p := range props {
		if p.Name == name {
			return p.Value
		}
	}
	return ""
}

func TestFillIsDeterministic(t *testing.T) {
	once, twice := filled(t, 300), fill(openWith(t, storetest.Open), 300)
	if once.everything() != twice.everything() {
		t.Error("two fills with the same Now differ, one of which runs each write twice")
	}
	if small := filled(t, 0).devices(); !reflect.DeepEqual(small, filled(t, 1000).devices()[:demo.StandardDevices]) {
		t.Error("the standard devices differ in a larger company")
	}
}

func TestDefaultDemoHasEveryKind(t *testing.T) {
	kinds := map[string]int{}
	states := map[string]int{}
	for _, d := range filled(t, 0).devices() {
		for category := range strings.SplitSeq(value(d.CustomProperties, "system.categories"), ",") {
			kinds[category]++
		}
		states[d.HostStatus]++
		states[strings.Split(d.AlertStatus, "-")[0]]++
	}
	want := map[string]int{"server": 59, "switch": 28, "firewall": 6, "hypervisor": 14, "database": 14,
		"wireless": 20, "ups": 7}
	for kind, n := range want {
		if kinds[kind] != n {
			t.Errorf("%d devices are %s, want %d", kinds[kind], kind, n)
		}
	}
	for _, state := range []string{"dead", "confirmed", "unconfirmed"} {
		if states[state] == 0 || states[state] > 40 {
			t.Errorf("%d devices are %s", states[state], state)
		}
	}
}

func TestDemoHasTheGivenNumberOfDevicesInTwentyFiveGroups(t *testing.T) {
	for devices, want := range map[int]int{1: 1, 20: 20, 0: 152, 153: 153, 1000: 1000} {
		t.Run(fmt.Sprint(devices), func(t *testing.T) {
			h := filled(t, devices)
			groups := map[int64]fleet.Group{}
			for _, g := range find(h, &fleet.Groups) {
				groups[g.ID] = g
			}
			if len(groups) != 25 || groups[25].FullPath != "Decommissioned" || groups[8].FullPath != "Servers/Linux" {
				t.Errorf("the groups are %v", groups)
			}
			all := h.devices()
			if len(all) != want {
				t.Errorf("%d devices, want %d", len(all), want)
			}
			taken := map[string]bool{}
			for i, d := range all {
				if d.ID != int64(i)+1 || taken[d.Name] || taken[d.DisplayName] {
					t.Fatalf("device %d, %s at %s, is the %dth or not the only one", d.ID, d.DisplayName, d.Name, i+1)
				}
				taken[d.Name], taken[d.DisplayName] = true, true
				checkDevice(t, d, groups)
			}
		})
	}
}

func checkDevice(t *testing.T, d fleet.Device, groups map[int64]fleet.Group) {
	t.Helper()
	for _, id := range d.GroupIDs {
		if groups[id].ID == 0 || id == 25 {
			t.Errorf("%s is in group %d", d.DisplayName, id)
		}
	}
	if len(d.GroupIDs) < 2 || d.CollectorID != ground.BuiltInCollector ||
		d.CurrentCollector != ground.BuiltInCollector {
		t.Errorf("%s is in groups %v, with collector %d", d.DisplayName, d.GroupIDs, d.CollectorID)
	}
	now := resource.SecondsOf(noon)
	if d.CreatedOn > d.UpdatedOn || d.UpdatedOn > now || d.LastDataTime > now || d.CreatedOn < now-731*24*60*60 ||
		resource.Seconds(d.UpTime) > now-d.CreatedOn {
		t.Errorf("%s: made %d, changed %d, up %d s, seen %d", d.DisplayName, d.CreatedOn, d.UpdatedOn, d.UpTime,
			d.LastDataTime)
	}
}

func TestDeviceJSON(t *testing.T) {
	h := filled(t, 0)
	got := h.page("GET /device/devices/{id}", map[string]string{"id": "150"}, nil)
	got = got[:strings.Index(got, `,"inheritedProperties"`)] + "}"
	const want = `{"id":150,"name":"10.10.8.18","displayName":"web-prod-08.fra","description":"Shop front end",` +
		`"deviceType":0,"hostStatus":"normal","alertStatus":"none","alertStatusPriority":100,` +
		`"hostGroupIds":"8,15,19","preferredCollectorId":1,` +
		`"currentCollectorId":1,"disableAlerting":false,"link":"https://web-prod-08.fra.kestrel-freight.example/",` +
		`"enableNetflow":false,"relatedDeviceId":-1,` +
		`"customProperties":[{"name":"location","value":"Frankfurt FR5, rack 10"},{"name":"system.categories",` +
		`"value":"linux,server,simulated"},{"name":"os","value":"Rocky Linux 9.4"},{"name":"owner",` +
		`"value":"Platform team"},{"name":"serial","value":"VM-10EA905B"}],` +
		`"systemProperties":[{"name":"system.hostname","value":"10.10.8.18"},{"name":"system.displayname",` +
		`"value":"web-prod-08.fra"},{"name":"system.collectorid","value":"1"},{"name":"system.devicetype",` +
		`"value":"0"},{"name":"system.categories","value":"linux,server,simulated"}],` +
		`"autoProperties":[{"name":"auto.model","value":"VMware Virtual Platform"},{"name":"auto.cpu.cores",` +
		`"value":"16"},{"name":"auto.memory.gib","value":"64"}],` +
		`"createdOn":1776768410,"updatedOn":1777525094,"lastDataTime":1777895951,"lastRawdataTime":1777895951,` +
		`"upTimeInSeconds":134907,"deletedTimeInMs":0}`
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestSecretsAreMasked(t *testing.T) {
	h := filled(t, 0)
	shown, secrets := h.everything(), 0
	check := func(props []resource.Property) {
		for _, p := range props {
			if !resource.SecretName(p.Name) {
				continue
			}
			secrets++
			if strings.Contains(shown, p.Value) {
				t.Errorf("%s is shown", p.Name)
			}
		}
	}
	for _, d := range h.devices() {
		check(d.CustomProperties)
	}
	for _, g := range find(h, &fleet.Groups) {
		check(g.CustomProperties)
	}
	for _, i := range find(h, &alert.Integrations) {
		for _, secret := range []string{i.Password, i.Secret} {
			if secret != "" && strings.Contains(shown, secret) {
				t.Errorf("a secret of %s is shown", i.Name)
			}
		}
	}
	if secrets < 20 || strings.Contains(shown, "hash of") {
		t.Errorf("%d secrets, want at least 20 and no hash", secrets)
	}
}

func TestDemoUsers(t *testing.T) {
	h := open(t)
	own := people.User{Username: "Admin", Email: "me@example.net", Password: "mine", Status: "active",
		Roles: []people.RoleRef{{ID: 1, Name: "administrator"}}, CreatedBy: "system"}
	h.write(func(tx resource.Tx) error { return resource.Put(t.Context(), tx, people.Users.Name, &own) })
	if err := demo.Fill(t.Context(), h.db, options(1)); err != nil {
		t.Fatal(err)
	}
	got := ""
	for _, u := range find(h, &people.Users) {
		password := u.Password
		if u.Username == "viewer" {
			password = password[:len("hash of ")] + fmt.Sprint(len(password) > 20)
		}
		var roles []string
		for _, r := range u.Roles {
			roles = append(roles, fmt.Sprintf("%d %s", r.ID, r.Name))
		}
		got += fmt.Sprintln(u.ID, u.Username, u.Email, roles, u.Status, password)
	}
	const want = `1 admin dana.whitfield@kestrel-freight.example [1 administrator] active mine
2 operator ingrid.solberg@kestrel-freight.example [2 manager] active hash of spyglass demo
3 viewer marcus.weber@kestrel-freight.example [4 readonly] active hash of true
`
	if got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

func TestExamplesChangeOnlyUnusedObjects(t *testing.T) {
	h := filled(t, 0)
	for _, row := range []string{"/device/devices/150", "/device/groups/25", "/setting/collectors/2",
		"/setting/roles/5", "/setting/admins/2/apitokens/1", "/setting/admins/3",
		"/setting/alert/rules/4", "/setting/alert/chains/4", "/setting/recipientgroups/3", "/setting/integrations/3",
		"/setting/collectors/groups/3", "/setting/opsnotes/4", "/sdt/sdts/R_9", "/report/groups/4",
		"/setting/datasources/22"} {
		path, id := row[:strings.LastIndex(row, "/")], row[strings.LastIndex(row, "/")+1:]
		e := h.endpoints["DELETE "+strings.Replace(path, "/2/", "/{adminId}/", 1)+"/{id}"]
		c := &resource.Call{Access: &resource.Access{UserID: 1, Admin: true}, At: noon,
			Vars: map[string]string{"id": id, "adminId": "2"}, Query: url.Values{}}
		if _, err := e.Handle(t.Context(), c); err != nil {
			t.Errorf("%s: %v", row, err)
		}
	}
}

// bookmark is a row of a resource that the demo does not have.
type bookmark struct {
	ID        int64
	Name, URL string
}

func TestUnknownResourceGetsARowForItsExamples(t *testing.T) {
	bookmarks := resource.Resource[*bookmark]{
		Name: "bookmark", Label: "bookmark", Sample: 7, Path: "/bookmarks", Object: resource.Setting,
		Area: ground.AreaPortal, Doc: "A page to return to.", Unique: [][]string{{"name"}},
		Fields: []resource.Field[*bookmark]{
			{Name: "id", At: func(b *bookmark) any { return &b.ID }, Doc: "Set by the portal", ReadOnly: true},
			{Name: "name", At: func(b *bookmark) any { return &b.Name }, Doc: "Shown in lists", Required: true,
				Example: "Runbook"},
			{Name: "url", At: func(b *bookmark) any { return &b.URL }, Doc: "Its address",
				Example: "https://example.net/"},
		},
	}
	h := open(t)
	add(h, &bookmarks)
	o := options(0)
	o.Samples = []demo.Sample{demo.SampleOf(&opsnote.OpsNotes), demo.SampleOf(&bookmarks)}
	notes := len(find(filled(t, 0), &opsnote.OpsNotes))
	if err := demo.Fill(t.Context(), h.db, o); err != nil {
		t.Fatal(err)
	}
	want := []bookmark{{7, "Runbook_renamed", "https://example.net/"}}
	if have := find(h, &bookmarks); !reflect.DeepEqual(have, want) {
		t.Errorf("the bookmarks are %v, want %v", have, want)
	}
	if have := len(find(h, &opsnote.OpsNotes)); have != notes {
		t.Errorf("there are %d ops notes, want the %d of the demo", have, notes)
	}
}

func TestFillRefusesAPortalThatIsNotEmpty(t *testing.T) {
	h := filled(t, 20)
	before := h.everything()
	err := demo.Fill(t.Context(), h.db, options(20))
	if f := fault.Of(err); f.Kind != fault.Conflict ||
		f.Message != "the portal is not empty; the demo needs an empty --data folder" {
		t.Errorf("got %v", err)
	}
	if h.everything() != before {
		t.Error("a refused fill changed the portal")
	}
}

func TestFillRefusesAnInvalidNumber(t *testing.T) {
	for _, n := range []int{-1, demo.MaxDevices + 1} {
		if err := demo.Fill(t.Context(), nil, demo.Options{Devices: n}); !fault.Is(err, fault.Invalid) {
			t.Errorf("%d: %v, want invalid", n, err)
		}
	}
}

func TestInterruptedFillLeavesThePortalEmpty(t *testing.T) {
	h := open(t)
	ctx, cancel := context.WithCancel(t.Context())
	o := options(3000)
	o.Progress = func(int) { cancel() }
	if err := demo.Fill(ctx, h.db, o); !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v, want canceled", err)
	}
	if rows := len(find(h, &fleet.Groups)) + len(h.devices()) + len(find(h, &people.Users)); rows != 1 {
		t.Errorf("%d rows are left, want the root group alone", rows)
	}
	if err := demo.Fill(t.Context(), h.db, options(20)); err != nil {
		t.Fatal(err)
	}
	if h.everything() != filled(t, 20).everything() {
		t.Error("the second attempt made another company")
	}
}

func TestEveryListIsValidJSON(t *testing.T) {
	for line := range strings.SplitSeq(filled(t, 0).everything(), "\n") {
		if !json.Valid([]byte(line)) {
			t.Errorf("no JSON: %.200s", line)
		}
	}
}

func BenchmarkFill10000(b *testing.B) {
	for b.Loop() {
		b.StopTimer()
		h := open(b)
		b.StartTimer()
		if err := demo.Fill(b.Context(), h.db, options(10_000)); err != nil {
			b.Fatal(err)
		}
	}
}
