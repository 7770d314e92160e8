package monitor_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"spyglass/backend/check"
	"spyglass/backend/fault"
	"spyglass/backend/monitor"
	"spyglass/backend/portal"
	"spyglass/backend/portal/alert"
	"spyglass/backend/portal/collector"
	"spyglass/backend/portal/datasource"
	"spyglass/backend/portal/fleet"
	"spyglass/backend/portal/maintenance"
	"spyglass/backend/portal/override"
	"spyglass/backend/portal/people"
	"spyglass/backend/portal/setting"
	"spyglass/backend/resource"
	"spyglass/backend/store"
	"spyglass/backend/store/storetest"
)

// fixture is a portal with a monitor.
type fixture struct {
	*testing.T
	path      string
	db        *store.DB
	endpoints map[string]resource.Endpoint
	access    *resource.Access
	monitor   *monitor.Monitor
}

var admin = &resource.Access{UserID: 1, User: "admin", Admin: true}

// open returns a portal with the data sources Ping (all devices) and Net_Interfaces
// (devices in the category switch), and three devices.
func open(t *testing.T) *fixture {
	t.Helper()
	h := &fixture{T: t, path: filepath.Join(t.TempDir(), "portal.db"), access: admin}
	h.connect()
	err := h.db.Write(t.Context(), func(tx resource.Tx) error {
		if err := portal.Seed(t.Context(), tx, 1_790_000_000); err != nil {
			return err
		}
		return resource.DeleteAll(t.Context(), tx, datasource.DataSources.Name,
			resource.Where{Field: "id", Op: ">", Value: 0})
	})
	if err != nil {
		t.Fatal(err)
	}
	h.source("Ping", "true()", false)
	h.source("Net_Interfaces", `hasCategory("switch")`, true)
	h.device("core-sw", "simulated,switch")
	h.device("web", "simulated,server")
	h.device("real-sw", "switch")
	return h
}

func (h *fixture) connect() {
	h.Helper()
	h.db, h.endpoints = storetest.Open(h, store.Options{Path: h.path}), map[string]resource.Endpoint{}
	mount(h, &fleet.Groups)
	mount(h, &fleet.Functions)
	mount(h, &fleet.Devices)
	mount(h, &collector.Collectors)
	mount(h, &collector.CollectorGroups)
	mount(h, &people.Roles)
	mount(h, &people.UserGroups)
	mount(h, &people.RoleGroups)
	mount(h, &alert.Alerts)
	mount(h, &alert.ClusterAlerts)
	mount(h, &maintenance.SDTs)
	mount(h, &maintenance.SDTHistories)
	mount(h, &setting.Settings)
	mount(h, &alert.Rules)
	mount(h, &alert.Chains)
	mount(h, &datasource.DataSources)
	mount(h, &datasource.UpdateReasons)
	mount(h, &fleet.DeviceDataSources)
	mount(h, &fleet.Instances)
	mount(h, &fleet.InstanceGroups)
	mount(h, &fleet.UnsettledRows)
	mount(h, &fleet.SettlingRow)
	mount(h, &override.Overrides)
	mount(h, &override.GroupDataSourceSettings)
}

func mount[T any](h *fixture, r *resource.Resource[*T]) {
	h.Helper()
	for _, e := range storetest.Add(h, h.db, r) {
		h.endpoints[e.ID()] = e
	}
}

// start runs the monitor until the test ends or calls stop.
func (h *fixture) start() {
	h.Helper()
	h.monitor = monitor.New(monitor.Options{DB: h.db, Log: slog.New(slog.NewTextHandler(io.Discard, nil)),
		Discoverers: map[string]check.Discoverer{"snmp": twoInterfaces{}}})
	h.monitor.Start(context.Background())
	h.Cleanup(func() { h.stop() })
}

func (h *fixture) stop() {
	h.Helper()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(h.Context()), 10*time.Second)
	defer cancel()
	if err := h.monitor.Stop(ctx); err != nil {
		h.Error(err)
	}
}

// twoInterfaces is a discovery method that finds two interfaces.
type twoInterfaces struct{}

func (twoInterfaces) Discover(_ context.Context, s check.Search) ([]check.Found, error) {
	return []check.Found{{WildValue: "1", DisplayName: "of " + s.Host}, {WildValue: "2"}}, nil
}

func (h *fixture) source(name, appliesTo string, multiple bool) {
	h.Helper()
	d := datasource.DataSource{Name: name, DisplayName: name, AppliesTo: appliesTo, CollectMethod: "snmp",
		HasMultiInstances: multiple, EnableDiscovery: multiple}
	if multiple {
		d.Discovery = &datasource.Discovery{}
	}
	put(h, &datasource.DataSources, &d)
}

func put[T any](h *fixture, r *resource.Resource[*T], row *T) {
	h.Helper()
	if err := h.db.Write(h.Context(),
		func(tx resource.Tx) error { return resource.Put(h.Context(), tx, r.Name, row) }); err != nil {
		h.Fatal(err)
	}
}

func (h *fixture) device(name, categories string) {
	h.Helper()
	h.do("POST /device/devices", "", fmt.Sprintf(`{"name":%q,"customProperties":[{"name":"system.categories",`+
		`"value":%q}]}`, name, categories))
}

// do sends a request; vars are "deviceId=1 hdsId=2".
func (h *fixture) do(id, vars, body string) map[string]any {
	h.Helper()
	got, err := h.try(id, vars, body)
	if err != nil {
		h.Fatalf("%s %s %s: %v", id, vars, body, err)
	}
	return got
}

func (h *fixture) try(id, vars, body string) (map[string]any, error) {
	h.Helper()
	e, ok := h.endpoints[id]
	if !ok {
		h.Fatalf("there is no %s", id)
	}
	c := &resource.Call{Access: h.access, At: time.Unix(1_790_000_000, 0), Vars: map[string]string{},
		Query: url.Values{"size": {"1000"}}, Body: []byte(body)}
	for _, pair := range strings.Fields(vars) {
		name, value, _ := strings.Cut(pair, "=")
		if flag, ok := strings.CutPrefix(name, "?"); ok {
			c.Query.Set(flag, value)
			continue
		}
		c.Vars[name] = value
	}
	if !h.access.May(e.Right) {
		return nil, fault.New(fault.Denied, "the user's role does not have the permission")
	}
	got, err := e.Handle(h.Context(), c)
	if err != nil {
		return nil, err
	}
	if a, ok := got.(*resource.Response); ok {
		got = a.Body
	}
	var shown map[string]any
	if text, ok := got.(resource.JSON); ok {
		if err := json.Unmarshal(text, &shown); err != nil {
			h.Fatal(err)
		}
	}
	return shown, nil
}

// watched returns the data sources of each device, as "web: Ping", with the number
// of instances if it has several.
func (h *fixture) watched() []string {
	h.Helper()
	devices, err := resource.Find(h.Context(), h.db, fleet.Devices.Name)
	if err != nil {
		h.Fatal(err)
	}
	var all []string
	for _, d := range devices {
		rows, err := resource.Find(h.Context(), h.db, fleet.DeviceDataSources.Name,
			resource.Where{Field: "deviceId", Op: "=", Value: d.ID})
		if err != nil {
			h.Fatal(err)
		}
		var words []string
		for _, row := range rows {
			there, err := resource.Find(h.Context(), h.db, fleet.Instances.Name,
				resource.Where{Field: "deviceDataSourceId", Op: "=", Value: row.ID})
			if err != nil {
				h.Fatal(err)
			}
			if int64(len(there)) != row.Instances {
				words = append(words, fmt.Sprintf("%s counts %d of %d", row.Name, row.Instances, len(there)))
				continue
			}
			if row.Multiple {
				row.Name = fmt.Sprintf("%s %d", row.Name, row.Instances)
			}
			words = append(words, row.Name)
		}
		slices.Sort(words)
		all = append(all, d.DisplayName+": "+strings.Join(words, ", "))
	}
	return all
}

// settles waits until watched returns this.
func (h *fixture) settles(want ...string) {
	h.Helper()
	changed, stop := h.db.Watch(string(fleet.DeviceDataSources.Name), string(fleet.Instances.Name),
		string(fleet.SettlingRow.Name))
	defer stop()
	deadline := time.After(20 * time.Second)
	for {
		got := h.watched()
		if slices.Equal(got, want) {
			return
		}
		select {
		case <-changed:
		case <-deadline:
			h.Fatalf("after 20 seconds, measured is\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
}

var asBegun = []string{"core-sw: Net_Interfaces 8, Ping", "web: Ping", "real-sw: Net_Interfaces 2, Ping"}

func TestDevicesGetTheApplicableDataSourcesAndInstances(t *testing.T) {
	h := open(t)
	h.start()
	h.settles(asBegun...)
	h.device("edge-sw", "simulated,switch")
	h.settles(append(slices.Clone(asBegun), "edge-sw: Net_Interfaces 8, Ping")...)
}

func TestAssociationFollowsItsDependencies(t *testing.T) {
	for _, tt := range []struct {
		name string
		do   func(h *fixture)
		want []string
	}{
		{"a property of a device", func(h *fixture) {
			h.do("PATCH /device/devices/{id}", "id=2", `{"customProperties":[{"name":"system.categories",`+
				`"value":"simulated,switch"}]}`)
		}, []string{"core-sw: Net_Interfaces 8, Ping", "web: Net_Interfaces 8, Ping",
			"real-sw: Net_Interfaces 2, Ping"}},
		{"a property by itself", func(h *fixture) {
			h.do("PUT /device/devices/{deviceId}/properties/{name}", "deviceId=1 name=system.categories",
				`{"value":"simulated"}`)
		}, []string{"core-sw: Ping", "web: Ping", "real-sw: Net_Interfaces 2, Ping"}},
		{"an expression", func(h *fixture) {
			h.do("PATCH /setting/datasources/{id}", fmt.Sprint("id=", h.sourceID("Ping")),
				`{"appliesTo":"displayName =~ \"web\""}`)
		}, []string{"core-sw: Net_Interfaces 8", "web: Ping", "real-sw: Net_Interfaces 2"}},
		{"a data source that goes", func(h *fixture) {
			h.do("DELETE /setting/datasources/{id}", fmt.Sprint("id=", h.sourceID("Ping")), ``)
		}, []string{"core-sw: Net_Interfaces 8", "web: ", "real-sw: Net_Interfaces 2"}},
		{"the name of a data source", func(h *fixture) {
			h.do("PATCH /setting/datasources/{id}", fmt.Sprint("id=", h.sourceID("Ping")), `{"name":"ICMP"}`)
		}, []string{"core-sw: ICMP, Net_Interfaces 8", "web: ICMP", "real-sw: ICMP, Net_Interfaces 2"}},
		{"a property of a group", func(h *fixture) {
			h.source("Site_Ping", `site == "Oslo"`, false)
			h.do("PATCH /device/groups/{id}", "id=1", `{"customProperties":[{"name":"site","value":"Oslo"}]}`)
		}, []string{"core-sw: Net_Interfaces 8, Ping, Site_Ping", "web: Ping, Site_Ping", "real-sw: Net_Interfaces " +
			"2, Ping, Site_Ping"}},
		{"a move to another group", func(h *fixture) {
			h.source("Site_Ping", `site == "Oslo"`, false)
			h.do("POST /device/groups", "", `{"name":"Oslo","customProperties":[{"name":"site","value":"Oslo"}]}`)
			h.do("PATCH /device/devices/{id}", "id=2", `{"hostGroupIds":"2"}`)
		}, []string{"core-sw: Net_Interfaces 8, Ping", "web: Ping, Site_Ping", "real-sw: Net_Interfaces 2, Ping"}},
		{"a function", func(h *fixture) {
			h.do("POST /setting/functions", "", `{"name":"isShop","code":"false()"}`)
			h.source("Shop", "isShop()", false)
			h.do("PATCH /setting/functions/{id}", "id=1", `{"code":"displayName == \"web\""}`)
		}, []string{"core-sw: Net_Interfaces 8, Ping", "web: Ping, Shop", "real-sw: Net_Interfaces 2, Ping"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := open(t)
			h.start()
			h.settles(asBegun...)
			h.T = t
			tt.do(h)
			h.settles(tt.want...)
		})
	}
}

func (h *fixture) sourceID(name string) int64 {
	h.Helper()
	found, err := resource.Find(h.Context(), h.db, datasource.DataSources.Name,
		resource.Where{Field: "name", Op: "=", Value: name})
	if err != nil || len(found) != 1 {
		h.Fatalf("%d data sources are named %s (%v)", len(found), name, err)
	}
	return found[0].ID
}

func TestOfflineChangesAreAppliedAtTheNextStart(t *testing.T) {
	h := open(t)
	h.start()
	h.settles(asBegun...)
	h.stop()
	h.do("PATCH /device/devices/{id}", "id=2", `{"customProperties":[{"name":"system.categories",`+
		`"value":"simulated,switch"}]}`)
	h.device("edge-sw", "simulated,switch")
	h.source("DNS", "true()", false)
	if err := h.db.Close(); err != nil {
		t.Fatal(err)
	}
	h.connect()
	h.start()
	h.settles("core-sw: DNS, Net_Interfaces 8, Ping", "web: DNS, Net_Interfaces 8, Ping",
		"real-sw: DNS, Net_Interfaces 2, Ping", "edge-sw: DNS, Net_Interfaces 8, Ping")
}

func TestStopIsIdempotentAndPreventsStart(t *testing.T) {
	h := open(t)
	h.start()
	h.stop()
	h.stop()
	h.monitor.Start(context.Background())
	never := monitor.New(monitor.Options{DB: h.db})
	if err := never.Stop(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestDeletedDeviceKeepsItsInstancesUntilItIsPurged(t *testing.T) {
	h := open(t)
	h.start()
	h.settles(asBegun...)
	h.do("DELETE /device/devices/{id}", "id=1", "")
	h.settles(asBegun[1:]...)
	if n := h.left(1); n != "2 data sources, 9 instances" {
		t.Errorf("in the bin it has %s", n)
	}
	if _, err := h.try("GET /device/devices/{deviceId}/devicedatasources", "deviceId=1", ""); !fault.Is(
		err, fault.Unknown) {
		t.Errorf("data sources of a deleted device returned %v", err)
	}
	h.do("POST /device/recyclebin/{id}/restore", "id=1", "")
	h.settles(asBegun...)
	h.do("DELETE /device/devices/{id}", "id=1 ?deleteHard=true", "")
	if n := h.left(1); n != "0 data sources, 0 instances" {
		t.Errorf("it left %s behind", n)
	}
}

func (h *fixture) left(device int64) string {
	h.Helper()
	on := resource.Where{Field: "deviceId", Op: "=", Value: device}
	sources, err := resource.Find(h.Context(), h.db, fleet.DeviceDataSources.Name, on)
	if err != nil {
		h.Fatal(err)
	}
	instances, err := resource.Find(h.Context(), h.db, fleet.Instances.Name, on)
	if err != nil {
		h.Fatal(err)
	}
	return fmt.Sprintf("%d data sources, %d instances", len(sources), len(instances))
}
