package topology_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"spyglass/backend/fault"
	"spyglass/backend/portal/alert"
	"spyglass/backend/portal/datasource"
	"spyglass/backend/portal/fleet"
	"spyglass/backend/resource"
	"spyglass/backend/store"
	"spyglass/backend/store/storetest"
	"spyglass/backend/topology"
)

// Groups of the test: two sites, and two groups by kind.
const (
	root int64 = 1 + iota
	sites
	oslo
	paris
	servers
	linux
	switches
)

type site struct {
	*testing.T
	db    *store.DB
	maps  *topology.Service
	admin *resource.Access
}

func open(t *testing.T, devices ...fleet.Device) *site {
	t.Helper()
	s := &site{T: t, db: storetest.Open(t, store.Options{}), admin: &resource.Access{UserID: 1, Admin: true}}
	located := func(id int64, name string) fleet.Group {
		return fleet.Group{ID: id, Name: name, ParentID: sites,
			CustomProperties: []resource.Property{{Name: "Location", Value: name}}}
	}
	add(s, &fleet.Groups, fleet.Group{ID: root, Name: "Devices"}, fleet.Group{ID: sites, Name: "Sites", ParentID: root},
		located(oslo, "Oslo"), located(paris, "Paris"), fleet.Group{ID: servers, Name: "Servers", ParentID: root},
		fleet.Group{ID: linux, Name: "Linux", ParentID: servers},
		fleet.Group{ID: switches, Name: "Switches", ParentID: root})
	add(s, &fleet.Functions)
	add(s, &fleet.Devices, devices...)
	add(s, &alert.Alerts)
	add(s, &datasource.DataSources, datasource.DataSource{ID: 5, Name: "Interfaces"})
	add(s, &datasource.UpdateReasons)
	add(s, &fleet.DeviceDataSources)
	add(s, &fleet.Instances)
	add(s, &fleet.InstanceGroups)
	add(s, &fleet.UnsettledRows)
	add(s, &fleet.SettlingRow)
	s.maps = topology.New(s.db)
	return s
}

func add[T any](s *site, r *resource.Resource[*T], rows ...T) {
	s.Helper()
	storetest.Add(s, s.db, r)
	storetest.Put(s, s.db, r.Name, rows...)
}

// device returns a healthy device; an empty parent omits the property.
func device(id int64, name, parent string, groups ...int64) fleet.Device {
	d := fleet.Device{ID: id, Name: name, DisplayName: name, GroupIDs: groups, HostStatus: "normal",
		AlertStatus: fleet.NoAlerts, LastDataTime: 1}
	if parent != "" {
		d.CustomProperties = []resource.Property{{Name: fleet.ParentProperty, Value: parent}}
	}
	return d
}

// withStatus returns a device with another status.
func withStatus(d fleet.Device, host, alerts string) fleet.Device {
	d.HostStatus, d.AlertStatus = host, alerts
	return d
}

// put writes devices.
func (s *site) put(devices ...fleet.Device) error {
	storetest.Put(s, s.db, fleet.DeviceRows, devices...)
	return nil
}

// viewer returns the permissions of a user who may view some groups.
func viewer(groups ...int64) *resource.Access {
	grant := resource.Grant{Object: resource.DeviceGroup, Op: resource.Read, Groups: map[int64]bool{}}
	for _, id := range groups {
		grant.Groups[id] = true
	}
	return &resource.Access{UserID: 2, Grants: []resource.Grant{grant}}
}

// send calls the endpoint of a path, such as "devices/3?to=4", and decodes the
// response.
func send[T any](s *site, who *resource.Access, address string) (out T, tag string, err error) {
	s.Helper()
	path, query, _ := strings.Cut(address, "?")
	c := &resource.Call{Access: who, At: time.Unix(1_790_000_000, 0), Vars: map[string]string{}}
	if c.Query, err = url.ParseQuery(query); err != nil {
		s.Fatal(err)
	}
	wanted := "/device/topology" + path
	if id, ok := strings.CutPrefix(path, "/devices/"); ok {
		wanted, c.Vars["id"] = "/device/topology/devices/{id}", id
	}
	for _, e := range s.maps.Endpoints() {
		if e.Path != wanted {
			continue
		}
		response, err := e.Handle(s.Context(), c)
		if err != nil {
			return out, "", err
		}
		if whole, ok := response.(*resource.Response); ok {
			response, tag = whole.Body, whole.ETag
		}
		body, err := json.Marshal(response)
		if raw, ok := response.(resource.JSON); ok {
			body = raw
		}
		if err == nil {
			err = json.Unmarshal(body, &out)
		}
		return out, tag, err
	}
	s.Fatalf("there is no endpoint %s", wanted)
	return out, "", nil
}

func must[T any](s *site, who *resource.Access, address string) T {
	s.Helper()
	out, _, err := send[T](s, who, address)
	if err != nil {
		s.Fatalf("%s: %v", address, err)
	}
	return out
}

// office has a core switch in Oslo with a second switch that depends on it, two servers that depend
// on the second switch, and a server in Paris.
func office() []fleet.Device {
	return []fleet.Device{
		device(1, "core", "", switches, oslo),
		device(2, "access", "CORE", switches, oslo),
		device(3, "web", "access", linux, oslo),
		device(4, "db", "access", linux, oslo),
		device(5, "mail", "", linux, paris),
		device(6, "spare", "", linux),
	}
}

// boxesOf returns the names of the boxes around each device, outermost first.
func boxesOf(m topology.Topology) map[string]string {
	out := map[string]string{}
	for i, name := range m.Devices.Names {
		var path []string
		for at := m.Devices.Groups[i]; at >= 0; at = m.Groups[at].Parent {
			path = append(path, m.Groups[at].Name)
		}
		slices.Reverse(path)
		out[name] = strings.Join(path, "/")
	}
	return out
}

func TestDeviceIsGroupedBySiteAndKind(t *testing.T) {
	s := open(t, append(office(), device(7, "new", "", root), device(8, "access point", "", root, switches))...)
	want := map[string]string{"core": "Sites/Oslo/Switches", "access": "Sites/Oslo/Switches", "web": "Sites/Oslo/Linux",
		"db": "Sites/Oslo/Linux", "mail": "Sites/Paris/Linux", "spare": "Servers/Linux", "new": "Devices",
		"access point": "Switches"}
	if got := boxesOf(must[topology.Topology](s, s.admin, "")); !reflect.DeepEqual(got, want) {
		t.Errorf("the devices are in %v, want %v", got, want)
	}
}

func TestBoxesHoldTheirDevicesAndDoNotOverlap(t *testing.T) {
	var devices []fleet.Device
	for i := range int64(300) {
		devices = append(devices, device(i+1, fmt.Sprint("d", i), "", []int64{linux, switches, servers}[i%3],
			[]int64{oslo, paris, root}[i/3%3]))
	}
	m := must[topology.Topology](open(t, devices...), &resource.Access{Admin: true}, "")
	type point struct{ x, y int64 }
	taken := map[point]bool{}
	for i := range m.Devices.IDs {
		at := point{m.Devices.X[i], m.Devices.Y[i]}
		if taken[at] {
			t.Errorf("two devices are at %v", at)
		}
		taken[at] = true
		for k := m.Devices.Groups[i]; k >= 0; k = m.Groups[k].Parent {
			g := m.Groups[k]
			if at.x < g.X || at.x >= g.X+g.Width || at.y < g.Y || at.y >= g.Y+g.Height {
				t.Errorf("a device at %v is outside of its box %+v", at, g)
			}
			if n := int64(i); n < g.First || n >= g.First+g.Count {
				t.Errorf("device %d is not among those of its box %+v", n, g)
			}
		}
	}
	for i, a := range m.Groups {
		if a.X < 0 || a.Y < 0 || a.X+a.Width > m.Width || a.Y+a.Height > m.Height {
			t.Errorf("%+v is not on the map", a)
		}
		if a.Width < min(12, int64(len(a.Name))/2+4) {
			t.Errorf("%+v has no room for its name", a)
		}
		for _, b := range m.Groups[i+1:] {
			if a.Parent == b.Parent && a.X < b.X+b.Width && b.X < a.X+a.Width && a.Y < b.Y+b.Height &&
				b.Y < a.Y+a.Height {
				t.Errorf("%+v and %+v overlap", a, b)
			}
		}
	}
}

func TestLayoutIsStableWhenOnlyStatesChange(t *testing.T) {
	s := open(t, office()...)
	before, tag, err := send[topology.Topology](s, s.admin, "")
	if err != nil {
		t.Fatal(err)
	}
	if other := must[topology.Topology](open(t, office()...), s.admin, ""); !reflect.DeepEqual(other, before) {
		t.Errorf("two portals with the same devices have the maps %+v and %+v", other, before)
	}
	storetest.Put(s, s.db, fleet.DeviceRows, withStatus(office()[0], "dead", "unconfirmed-critical-none"))
	after, changed, err := send[topology.Topology](s, s.admin, "?layout="+before.Layout)
	if err != nil {
		t.Fatal(err)
	}
	if after.Layout != before.Layout || len(after.Devices.IDs)+len(after.Groups) > 0 || changed == tag {
		t.Errorf("after a change of state, with the layout of before, the map is %+v (%s, before: %s)", after, changed,
			tag)
	}
	if want := strings.Replace(before.States, "n", "c", 1); len(after.States) != 6 ||
		strings.Count(after.States, "c") != 1 || want == before.States {
		t.Errorf("the states are %q, before they were %q", after.States, before.States)
	}
	storetest.Put(s, s.db, fleet.DeviceRows, device(7, "new", "", linux, oslo))
	if moved := must[topology.Topology](s, s.admin, "?layout="+before.Layout); len(moved.Devices.IDs) != 7 {
		t.Errorf("with a layout that is no longer right, the map is %+v", moved)
	}
}

func TestMapFollowsEachChange(t *testing.T) {
	s := open(t, office()...)
	user := viewer(linux)
	for n, change := range []func() error{
		func() error { return s.put(withStatus(office()[3], "dead", "unconfirmed-error-none")) },
		func() error { return s.put(device(2, "access", "", switches, oslo)) },
		func() error { return s.put(device(2, "renamed", "core", switches, oslo)) },
		func() error { return s.put(device(2, "access", "core", switches, oslo)) },
		func() error { return s.put(device(9, "late", "spare", linux, paris), device(8, "first", "", linux)) },
		func() error { return s.put(device(7, "between", "first", linux), device(3, "web", "between", linux)) },
		func() error {
			return s.db.Write(s.Context(), func(tx resource.Tx) error {
				return errors.Join(resource.Delete(s.Context(), tx, fleet.DeviceRows, 8),
					resource.Delete(s.Context(), tx, fleet.DeviceRows, 1))
			})
		},
		func() error {
			storetest.Put(s, s.db, fleet.GroupRows, fleet.Group{ID: oslo, Name: "Bergen", ParentID: sites,
				CustomProperties: []resource.Property{{Name: fleet.ParentProperty, Value: "mail"}}})
			return nil
		},
		func() error {
			return s.db.Write(s.Context(), func(tx resource.Tx) error {
				return resource.DeleteAll(s.Context(), tx, fleet.DeviceRows,
					resource.Where{Field: "displayName", Op: "=", Value: "mail"})
			})
		},
	} {
		if err := change(); err != nil {
			t.Fatal(err)
		}
		fresh := *s
		fresh.maps = topology.New(s.db)
		for _, who := range []*resource.Access{s.admin, user} {
			got, want := must[topology.Topology](s, who, ""), must[topology.Topology](&fresh, who, "")
			if !reflect.DeepEqual(got, want) {
				t.Errorf("after change %d the map is %+v, want %+v", n, got, want)
			}
			for _, id := range got.Devices.IDs {
				address := fmt.Sprint("/devices/", id)
				got, want := must[topology.DeviceTopology](s, who, address), must[topology.DeviceTopology](&fresh, who,
					address)
				if !reflect.DeepEqual(got, want) {
					t.Errorf("after change %d, %s is %+v, want %+v", n, address, got, want)
				}
			}
		}
	}
}

func TestStateIsTheMoreSevereOfAlertAndHostStatus(t *testing.T) {
	never := device(9, "i", "", switches)
	never.LastDataTime = 0
	s := open(t, device(1, "a", "", switches),
		withStatus(device(2, "b", "", switches), "normal", "unconfirmed-warn-none"),
		withStatus(device(3, "c", "", switches), "dead", "unconfirmed-error-none"),
		withStatus(device(4, "d", "", switches), "dead", "unconfirmed-critical-none"),
		withStatus(device(5, "e", "", switches), "dead", "confirmed-critical-none"),
		withStatus(device(6, "f", "", switches), "normal", "unconfirmed-error-sdt"),
		withStatus(device(7, "g", "", switches), "dead", "none"),
		withStatus(device(8, "h", "", switches), "dead-collector", "none"), never)
	m := must[topology.Topology](s, s.admin, "")
	if m.States != "nwecCEssu" {
		t.Errorf("the states are %q, want nwecCEssu", m.States)
	}
	if want := []int64{2, 2, 1, 2, 1, 1}; !slices.Equal(m.Counts, want) {
		t.Errorf("the counts are %v, want %v", m.Counts, want)
	}
}

func TestUserSeesOnlyDevicesAndParentsOfTheirGroups(t *testing.T) {
	s := open(t, append(office(), device(7, "edge", "mail", linux, oslo))...)
	user := viewer(oslo)
	m := must[topology.Topology](s, user, "")
	want := map[string]string{"core": "Oslo", "access": "Oslo", "web": "Oslo", "db": "Oslo", "edge": "Oslo"}
	if got := boxesOf(m); !reflect.DeepEqual(got, want) {
		t.Errorf("the user sees %v, want %v", got, want)
	}
	if got := m.Devices.Parents; !slices.Equal(got, []int64{-1, 0, 1, 1, -1}) {
		t.Errorf("the parents are %v; that of edge is not theirs to see", got)
	}
	if all := must[topology.Topology](s, s.admin, ""); len(all.Devices.IDs) != 7 {
		t.Errorf("the administrator sees %d devices, want 7", len(all.Devices.IDs))
	}
	for _, address := range []string{"/devices/5", "/devices/3?to=5", "/devices/99", "/devices/x"} {
		if _, _, err := send[topology.DeviceTopology](s, user, address); !fault.Is(err, fault.Unknown) {
			t.Errorf("%s returned %v, want an unknown device", address, err)
		}
	}
	if one := must[topology.DeviceTopology](s, viewer(paris), "/devices/5"); len(one.Dependents) > 0 {
		t.Errorf("%+v has dependents that are not theirs to see", one)
	}
}

func TestDependenciesOfADevice(t *testing.T) {
	long := []fleet.Device{device(1, "d1", "", switches)}
	for i := int64(2); i <= 3000; i++ {
		long = append(long, device(i, fmt.Sprint("d", i), fmt.Sprint("d", i-1), switches))
	}
	for name, of := range map[string]struct {
		devices       []fleet.Device
		id            int64
		above, below  []int64
		cause, direct int64
	}{
		"a tree": {office(), 2, []int64{1}, []int64{3, 4}, 0, 2},
		"the cause is the farthest that fails": {[]fleet.Device{device(1, "a", "", switches),
			withStatus(device(2, "b", "a", switches), "dead", "none"),
			withStatus(device(3, "c", "b", switches), "dead", "unconfirmed-critical-none"),
			withStatus(device(4, "d", "c", switches), "dead", "none")}, 4, []int64{3, 2, 1}, nil, 2, 0},
		"a parent that does not exist": {[]fleet.Device{device(1, "a", "gone", switches)}, 1, nil, nil, 0, 0},
		"itself":                       {[]fleet.Device{device(1, "a", "a", switches)}, 1, nil, nil, 0, 0},
		"two that depend on each other": {[]fleet.Device{device(1, "a", "b", switches),
			device(2, "b", "a", switches)}, 1, []int64{2}, []int64{2}, 0, 1},
		"a circle with a tail": {[]fleet.Device{device(1, "a", "c", switches), device(2, "b", "a", switches),
			device(3, "c", "b", switches), device(4, "d", "a", switches)}, 4, []int64{1, 3, 2}, nil, 0, 0},
		"a long chain": {long, 2999, descending(2998), []int64{3000}, 0, 1},
	} {
		t.Run(name, func(t *testing.T) {
			s := open(t, of.devices...)
			got := must[topology.DeviceTopology](s, s.admin, fmt.Sprint("/devices/", of.id))
			var above []int64
			for _, d := range got.DependsOn {
				above = append(above, d.ID)
			}
			if !slices.Equal(above, of.above) || !slices.Equal(got.Dependents, of.below) || got.Cause != of.cause ||
				got.Direct != of.direct {
				t.Errorf("it depends on %v because of %d, and %v depend on it, %d directly; want %v, %d, %v and %d",
					above, got.Cause, got.Dependents, got.Direct, of.above, of.cause, of.below, of.direct)
			}
		})
	}
}

func descending(n int64) (all []int64) {
	for ; n > 0; n-- {
		all = append(all, n)
	}
	return all
}

func TestParentIsInheritedFromGroups(t *testing.T) {
	own := device(3, "own", "other", oslo)
	none := device(4, "none", "", oslo)
	none.CustomProperties = []resource.Property{{Name: "PARENT.device", Value: ""}}
	s := open(t, device(1, "core", "", oslo), device(2, "web", "", oslo), own, none, device(5, "other", "", paris))
	storetest.Put(s, s.db, fleet.GroupRows, fleet.Group{ID: oslo, Name: "Oslo", ParentID: sites,
		CustomProperties: []resource.Property{{Name: fleet.ParentProperty, Value: "core"}}})
	for id, want := range map[int64][]int64{1: {2}, 5: {3}} {
		if got := must[topology.DeviceTopology](s, s.admin, fmt.Sprint("/devices/", id)).Dependents; !slices.Equal(got,
			want) {
			t.Errorf("%v depend on %d, want %v", got, id, want)
		}
	}
}

func TestPathBetweenTwoDevices(t *testing.T) {
	devices := append(office(), device(7, "a", "b", switches), device(8, "b", "a", switches))
	s := open(t, devices...)
	for _, of := range []struct{ from, to, via, path string }{
		{"3", "4", "dependencies", "web access db"},
		{"3", "1", "dependencies", "web access core"},
		{"1", "3", "dependencies", "core access web"},
		{"3", "3", "dependencies", "web"},
		{"7", "8", "dependencies", "a b"},
		{"3", "5", "groups", "web Linux Oslo Sites Paris Linux mail"},
		{"1", "6", "groups", "core Switches Oslo Sites Servers Linux spare"},
	} {
		got := must[topology.DeviceTopology](s, s.admin, "/devices/"+of.from+"?to="+of.to)
		var names []string
		for _, step := range got.Path {
			names = append(names, step.Name)
		}
		if path := strings.Join(names, " "); path != of.path || got.Via != of.via {
			t.Errorf("the path from %s to %s is %q by %s, want %q by %s", of.from, of.to, path, got.Via, of.path,
				of.via)
		}
	}
	if got := must[topology.DeviceTopology](s, viewer(linux), "/devices/3?to=4"); got.Via != "groups" ||
		len(got.Path) != 3 {
		t.Errorf("the path leads over a device that is not theirs to see: %+v", got)
	}
	if _, _, err := send[topology.DeviceTopology](s, s.admin, "/devices/3?to=x"); !fault.Is(err, fault.Invalid) {
		t.Errorf("a path to x returned %v", err)
	}
}

func TestInstanceStateIsItsHighestSeverity(t *testing.T) {
	s := open(t, office()...)
	for i, name := range []string{"eth1", "eth0", "eth2"} {
		storetest.Put(s, s.db, fleet.InstanceRows, fleet.Instance{ID: int64(i + 1), DeviceID: 1, DataSourceID: 5,
			DeviceDataSourceID: 1, Name: name, DisplayName: name, WildValue: name})
	}
	storetest.Put(s, s.db, fleet.InstanceRows, fleet.Instance{ID: 4, DeviceID: 5, DataSourceID: 5,
		DeviceDataSourceID: 2, Name: "other", DisplayName: "other"})
	raised := func(id, instance, severity int64, acked, cleared bool) alert.Alert {
		return alert.Alert{ID: resource.TextID(id), Type: alert.DataSourceAlert, ObjectType: "device", DeviceID: 1,
			InstanceID: instance, InstanceName: "eth", Severity: severity, Acked: acked, Cleared: cleared, StartOn: 5}
	}
	storetest.Put(s, s.db, alert.Alerts.Name, raised(1, 1, 2, false, false), raised(2, 1, 3, true, false),
		raised(3, 2, 4, true, false), raised(4, 2, 4, false, false), raised(5, 3, 4, false, true))
	var got []string
	list := must[topology.TopologyInstances](s, viewer(oslo), "/instances?deviceIds=1,5")
	for _, one := range list.Items {
		got = append(got, one.DataSource+" "+one.Name+" "+one.State)
	}
	if want := []string{"Interfaces eth0 c", "Interfaces eth1 E", "Interfaces eth2 n"}; !slices.Equal(got, want) {
		t.Errorf("the instances are %q, want %q", got, want)
	}
	one := must[topology.DeviceTopology](s, s.admin, "/devices/1")
	var ids []int64
	for _, a := range one.Alerts {
		ids = append(ids, a.ID)
	}
	if !slices.Equal(ids, []int64{3, 4, 2, 1}) || one.AlertsTotal != 4 {
		t.Errorf("the alerts are %v of %d, want 3, 4, 2, 1 of 4", ids, one.AlertsTotal)
	}
	for _, bad := range []string{"", "x", resource.IDs(descending(101)).String()} {
		if _, _, err := send[topology.TopologyInstances](s, s.admin, "/instances?deviceIds="+bad); !fault.Is(err,
			fault.Invalid) {
			t.Errorf("deviceIds=%.20s returned %v", bad, err)
		}
	}
}

func TestEmptyPortalHasAnEmptyMap(t *testing.T) {
	s := open(t)
	if m := must[topology.Topology](s, s.admin, ""); len(m.Groups)+len(m.Devices.IDs)+len(m.States) > 0 {
		t.Errorf("the map is %+v", m)
	}
}
