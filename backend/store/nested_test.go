package store_test

import (
	"context"
	"slices"
	"strconv"
	"sync"
	"testing"

	"spyglass/backend/fault"
	"spyglass/backend/portal/fleet"
	"spyglass/backend/portal/ground"
	"spyglass/backend/resource"
	"spyglass/backend/store"
)

// port is below a device, and lane is below a port.
type port struct {
	ID       resource.TextID
	DeviceID int64
	Label    string
	Closed   bool
}

type lane struct {
	ID, DeviceID, PortID, Speed int64
}

const (
	portRows resource.Name[*port] = "port"
	laneRows resource.Name[*lane] = "lane"
)

var ports = resource.Resource[*port]{
	Name: portRows, Label: "port", Path: "/device/devices/{deviceId}/ports", Category: ground.CategoryDevices,
	Object: resource.DeviceGroup, Scope: []string{"deviceId"}, Sample: 1,
	Parents: []resource.Parent{{Of: "device", Param: "deviceId", Field: "deviceId", Sample: 1}},
	Usual:   &resource.Where{Field: "closed", Op: "=", Value: false},
	Lists: []resource.Listing{
		{Path: "/ports", Summary: "List ports of all devices"},
		{Path: "/device/groups/{id}/ports", Summary: "List ports of a group", Of: "deviceGroup", Param: "id",
			Where: func(_ context.Context, _ resource.Reader, id int64) ([]resource.Where, error) {
				return []resource.Where{
						resource.Of("deviceId", resource.Where{Field: "hostGroupIds", Op: "has any",
							Value: []int64{id}})},
					nil
			}},
	},
	Fields: []resource.Field[*port]{
		{Name: "id", At: func(p *port) any { return &p.ID }, ReadOnly: true, Prefix: "P_"},
		{Name: "deviceId", At: func(p *port) any { return &p.DeviceID }, ReadOnly: true, Refs: "device", Cascade: true,
			Index: true},
		{Name: "label", At: func(p *port) any { return &p.Label }, Required: true},
		{Name: "closed", At: func(p *port) any { return &p.Closed }},
	},
}

var lanes = resource.Resource[*lane]{
	Name: laneRows, Label: "lane", Path: "/device/devices/{deviceId}/ports/{portId}/lanes",
	Category: ground.CategoryDevices, Object: resource.DeviceGroup, Scope: []string{"deviceId"}, Sample: 1,
	Parents: []resource.Parent{{Of: "device", Param: "deviceId", Field: "deviceId"},
		{Of: "port", Param: "portId", Field: "portId"}},
	Fields: []resource.Field[*lane]{
		{Name: "id", At: func(l *lane) any { return &l.ID }, ReadOnly: true},
		{Name: "deviceId", At: func(l *lane) any { return &l.DeviceID }, ReadOnly: true, Refs: "device"},
		{Name: "portId", At: func(l *lane) any { return &l.PortID }, ReadOnly: true, Refs: "port", Cascade: true},
		{Name: "speed", At: func(l *lane) any { return &l.Speed }},
	},
}

// openNested returns a portal with two devices, the first in group 2 and
// the second in group 3, with ports P_1 and P_2 and a lane on each.
func openNested(t *testing.T) *fixture {
	t.Helper()
	h := open(t)
	add(h, &ports)
	add(h, &lanes)
	h.steps(nil, []step{
		{"POST /device/groups", `{"name":"Oslo"}`, ""}, {"POST /device/groups", `{"name":"Austin"}`, ""},
		{"POST /device/devices", `{"name":"fjord","hostGroupIds":"2"}`, ""},
		{"POST /device/devices", `{"name":"ranch","hostGroupIds":"3"}`, ""},
		{"POST /device/devices/1/ports", `{"label":"a"}`, `{"id":"P_1","deviceId":1,"label":"a","closed":false}`},
		{"POST /device/devices/2/ports", `{"label":"b"}`, `{"id":"P_2","deviceId":2,"label":"b","closed":false}`},
		{"POST /device/devices/1/ports/1/lanes", `{"speed":10}`, `{"id":1,"deviceId":1,"portId":1,"speed":10}`},
		{"POST /device/devices/2/ports/2/lanes", `{"speed":20}`, `{"id":2,"deviceId":2,"portId":2,"speed":20}`},
	})
	return h
}

// inOslo returns the access of a user who may do op with the devices in group 2.
func inOslo(op resource.Operation) *resource.Access {
	return &resource.Access{UserID: 9, User: "clerk",
		Grants: []resource.Grant{{Object: resource.DeviceGroup, Op: op, Groups: map[int64]bool{2: true}}}}
}

const nothing = `{"total":0,"searchId":null,"items":[],"data":null}`

func page(items string, total string) string {
	return `{"total":` + total + `,"searchId":null,"items":[` + items + `],"data":null}`
}

// More requests than there are connections compute a derived value at the same time.
func TestListsHoldNoConnectionWhileTheyWaitForAnother(t *testing.T) {
	const requests = 32
	var all, done sync.WaitGroup
	all.Add(requests)
	slow := ports
	slow.Derived = []resource.Derived{{Name: "devices", Schema: resource.Schema{Type: "integer"},
		Of: func(ctx context.Context, r resource.Reader, rows []resource.Row) ([][]byte, error) {
			all.Done()
			all.Wait()
			devices, err := resource.Find(ctx, r, fleet.Devices.Name)
			return slices.Repeat([][]byte{strconv.AppendInt(nil, int64(len(devices)), 10)}, len(rows)), err
		}}}
	h := open(t)
	add(h, &slow)
	h.steps(nil, []step{
		{"POST /device/groups", `{"name":"Oslo"}`, ""},
		{"POST /device/devices", `{"name":"fjord","hostGroupIds":"2"}`, ""},
	})
	if err := h.db.Write(t.Context(), func(tx resource.Tx) error {
		return resource.Put(t.Context(), tx, portRows, &port{ID: 1, DeviceID: 1, Label: "a"})
	}); err != nil {
		t.Fatal(err)
	}
	for range requests {
		done.Go(func() {
			const want = `{"id":"P_1","deviceId":1,"label":"a","closed":false,"devices":1}`
			if got := h.send(nil, "GET /device/groups/2/ports", ""); got != page(want, "1") {
				t.Errorf("got %s, want %s", got, want)
			}
		})
	}
	done.Wait()
}

func TestNestedRowsExistOnlyUnderTheirParent(t *testing.T) {
	h := openNested(t)
	h.steps(nil, []step{
		{"GET /device/devices/1/ports/P_1", "", `{"id":"P_1","deviceId":1,"label":"a","closed":false}`},
		{"GET /device/devices/1/ports/1", "", `{"id":"P_1","deviceId":1,"label":"a","closed":false}`},
		{"GET /device/devices/2/ports/P_1", "", "unknown: there is no port 1"},
		{"GET /device/devices/9/ports/P_1", "", "unknown: there is no device 9"},
		{"GET /device/devices/1/ports/1/lanes", "", page(`{"id":1,"deviceId":1,"portId":1,"speed":10}`, "1")},
		{"GET /device/devices/1/ports/2/lanes", "", "unknown: there is no port 2"},
		{"POST /device/devices/1/ports/2/lanes", `{}`, "unknown: there is no port 2"},
		{"PATCH /device/devices/1/ports/2/lanes/2", `{"speed":1}`, "unknown: there is no port 2"},
		{"DELETE /device/devices/2/ports/2/lanes/1", "", "unknown: there is no lane 1"},
		{`GET /device/devices/1/ports?filter=id:"P_1"&fields=label`, "", page(`{"label":"a"}`, "1")},
	})
}

func TestRoleSeesOnlyRowsOfItsDevices(t *testing.T) {
	h := openNested(t)
	h.steps(inOslo(resource.Read), []step{
		{"GET /ports?fields=id", "", page(`{"id":"P_1"}`, "1")},
		{"GET /ports?fields=id&filter=label:\"b\"", "", nothing},
		{"GET /device/groups/2/ports?fields=id", "", page(`{"id":"P_1"}`, "1")},
		{"GET /device/groups/3/ports?fields=id", "", "unknown: there is no device group 3"},
		{"GET /device/devices/2/ports", "", "unknown: there is no device 2"},
		{"GET /device/devices/2/ports/2/lanes/2", "", "unknown: there is no device 2"},
		{"PATCH /device/devices/1/ports/1", `{"label":"c"}`,
			"denied: your role can view this device, but not edit it"},
		{"POST /device/devices/1/ports/1/lanes", `{}`, "denied: your role can view this device, but not edit it"},
		{"POST /device/devices/2/ports/2/lanes", `{}`, "unknown: there is no device 2"},
	})
	h.steps(inOslo(resource.Modify), []step{{"PATCH /device/devices/1/ports/1", `{"label":"c"}`, `{"id":"P_1",` +
		`"deviceId":1,"label":"c","closed":false}`}})
}

// With more rows than are checked one by one, the rows of the devices are listed first.
func TestRoleSeesOnlyRowsOfItsDevicesAmongMany(t *testing.T) {
	h := openNested(t)
	if err := h.db.Write(t.Context(), func(tx resource.Tx) error {
		for i := range int64(2100) {
			device := 1 + min(i%21, 1) // 100 on device 1
			if err := resource.Put(t.Context(), tx, portRows, &port{DeviceID: device, Label: "more"}); err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	h.steps(inOslo(resource.Read), []step{
		{"GET /ports?size=2&fields=id,deviceId&sort=-id", "",
			page(`{"id":"P_2082","deviceId":1},{"id":"P_2061","deviceId":1}`, "101")},
		{"GET /device/groups/2/ports?size=1&offset=100&fields=id", "", page(`{"id":"P_2082"}`, "101")},
		{"GET /device/devices/1/ports?size=1&offset=1&fields=id", "", page(`{"id":"P_3"}`, "101")},
	})
	h.steps(nil, []step{{"GET /device/groups/3/ports?size=1&fields=id", "", page(`{"id":"P_2"}`, "2001")}})
}

func TestTotalFollowsAMovedDevice(t *testing.T) {
	h := openNested(t)
	h.steps(inOslo(resource.Read), []step{{"GET /ports?size=1&offset=1", "", page("", "1")}})
	h.steps(nil, []step{{"PATCH /device/devices/2", `{"hostGroupIds":"2"}`, ""}})
	h.steps(inOslo(resource.Read), []step{{"GET /ports?size=1&offset=1&fields=id", "", page(`{"id":"P_2"}`, "2")}})
}

func TestListOmitsSpecialRowsUnlessRequested(t *testing.T) {
	h := openNested(t)
	h.steps(nil, []step{
		{"PATCH /device/devices/1/ports/1", `{"closed":true}`, ""},
		{"GET /device/devices/1/ports", "", nothing},
		{"GET /ports?fields=id", "", page(`{"id":"P_2"}`, "1")},
		{"GET /ports?fields=id&filter=closed:\"*\"", "", page(`{"id":"P_1"},{"id":"P_2"}`, "2")},
		{"GET /ports?fields=id&filter=closed:true", "", page(`{"id":"P_1"}`, "1")},
		{"GET /device/devices/1/ports/1?fields=closed", "", `{"closed":true}`},
	})
}

func TestRowsAreDeletedWithTheirPurgedDevice(t *testing.T) {
	h := openNested(t)
	count := func() (n int) {
		t.Helper()
		all, err := resource.Find(t.Context(), h.db, portRows)
		if err != nil {
			t.Fatal(err)
		}
		below, err := resource.Find(t.Context(), h.db, laneRows)
		if err != nil {
			t.Fatal(err)
		}
		return 10*len(all) + len(below)
	}
	for _, s := range []struct {
		request string
		left    int
	}{{"DELETE /device/devices/1", 22}, {"DELETE /device/recyclebin/1", 11},
		{"DELETE /device/devices/2?deleteHard=true", 0}} {
		h.steps(nil, []step{{s.request, "", "{}"}})
		if got := count(); got != s.left {
			t.Errorf("%s leaves %d ports and lanes, want %d", s.request, got, s.left)
		}
	}
}

func TestConditionsFollowReferences(t *testing.T) {
	h := openNested(t)
	for _, tt := range []struct {
		where []resource.Where
		want  int
	}{
		{[]resource.Where{resource.Of("deviceId", resource.Where{Field: "displayName", Op: "=", Value: "RANCH"})}, 1},
		{[]resource.Where{resource.Of("deviceId", resource.Where{Field: "displayName", Op: "=", Value: "nobody"})}, 0},
		{[]resource.Where{{Field: "deviceId", Op: "in", Value: []int64{1, 2, 7}}}, 2},
		{[]resource.Where{{Field: "deviceId", Op: "in", Value: []int64{7}}}, 0},
		{[]resource.Where{resource.SeenBy(inOslo(resource.Read), resource.Read)}, 1},
		{[]resource.Where{resource.SeenBy(inOslo(resource.Read), resource.Modify)}, 0},
		{[]resource.Where{resource.SeenBy(nil, resource.Modify)}, 2},
	} {
		found, err := resource.Find(t.Context(), h.db, portRows, tt.where...)
		if err != nil || len(found) != tt.want {
			t.Errorf("%v finds %d rows (%v), want %d", tt.where, len(found), err, tt.want)
		}
	}
}

func TestReferenceToAHiddenRowReadsAsMissing(t *testing.T) {
	h := openNested(t)
	type tie struct{ ID, DeviceID int64 }
	add(h, &resource.Resource[*tie]{
		Name: "tie", Label: "tie", Path: "/ties", Category: ground.CategoryDevices, Object: resource.DeviceGroup,
		Scope: []string{"deviceId"},
		Fields: []resource.Field[*tie]{
			{Name: "id", At: func(x *tie) any { return &x.ID }, ReadOnly: true},
			{Name: "deviceId", At: func(x *tie) any { return &x.DeviceID }, Refs: "device", Required: true},
		},
	})
	h.steps(inOslo(resource.Modify), []step{
		{"POST /ties", `{"deviceId":2}`, "invalid deviceId: deviceId: there is no device 2"},
		{"POST /ties", `{"deviceId":99}`, "invalid deviceId: deviceId: there is no device 99"},
		{"POST /ties", `{"deviceId":1}`, `{"id":1,"deviceId":1}`},
		{"PATCH /ties/1", `{"deviceId":2}`, "invalid deviceId: deviceId: there is no device 2"},
	})
}

func TestWatchersAreNotifiedOfCommitsToTheirTable(t *testing.T) {
	h := openNested(t)
	changed, stop := h.db.Watch("port", "lane")
	announced := func() bool {
		select {
		case <-changed:
			return true
		default:
			return false
		}
	}
	h.steps(nil, []step{{"PATCH /device/devices/1", `{"description":"x"}`, ""}})
	if announced() {
		t.Error("announced a device")
	}
	h.steps(nil, []step{{"PATCH /device/devices/1/ports/1", `{"label":"x"}`, ""},
		{"PATCH /device/devices/1/ports/1", `{"label":"y"}`, ""}})
	if !announced() || announced() {
		t.Error("two changes of a port are not announced once")
	}
	h.steps(nil, []step{{"PATCH /device/devices/1/ports/1", `{"label":""}`, "invalid label: label must not be empty"}})
	if announced() {
		t.Error("announced a change that was refused")
	}
	stop()
	h.steps(nil, []step{{"PATCH /device/devices/1/ports/1", `{"label":"z"}`, ""}})
	if announced() {
		t.Error("announced after the end")
	}
}

// level is a computed row with the number of lanes of a device and the wanted number.
type level struct {
	ID, Wish int64
	Name     string
	Full     bool
	Tags     []resource.Property
}

func levels(wishes map[int64]int64) *resource.View[*level] {
	return &resource.View[*level]{
		Resource: resource.Resource[*level]{
			Name: "level", Label: "level", Path: "/device/devices/{deviceId}/levels", Category: ground.CategoryDevices,
			Object: resource.DeviceGroup, Sample: 1,
			Parents: []resource.Parent{{Of: "device", Param: "deviceId", Sample: 1}},
			Fields: []resource.Field[*level]{
				{Name: "id", At: func(l *level) any { return &l.ID }, ReadOnly: true},
				{Name: "name", At: func(l *level) any { return &l.Name }, ReadOnly: true},
				{Name: "wish", At: func(l *level) any { return &l.Wish }, Default: 7},
				{Name: "full", At: func(l *level) any { return &l.Full }, ReadOnly: true},
				{Name: "tags", At: func(l *level) any { return &l.Tags }, ReadOnly: true},
			},
		},
		Rows: resource.Each(func(_ context.Context, _ resource.Reader, c *resource.Call) ([]level, error) {
			device, err := c.ID("deviceId")
			return []level{{1, wishes[1], "low", false, nil}, {2, wishes[2], "High", device == 1, nil},
				{3, wishes[3], "mid", true, nil}}, err
		}),
		Save: func(_ *resource.Write, _, now *level) error {
			if now.Wish > 100 {
				return fault.At("wish", "wish must be at most 100")
			}
			wishes[now.ID] = now.Wish
			return nil
		},
	}
}

func TestViewBehavesLikeATable(t *testing.T) {
	h := openNested(t)
	h.endpoints = append(h.endpoints, store.ViewEndpoints(h.db, levels(map[int64]int64{1: 5, 2: 6, 3: 5}))...)
	h.steps(nil, []step{
		{"GET /device/devices/1/levels?size=1&offset=1", "", page(`{"id":2,"name":"High","wish":6,"full":true,`+
			`"tags":[]}`, "3")},
		{"GET /device/devices/1/levels?sort=-name&fields=name", "",
			page(`{"name":"mid"},{"name":"low"},{"name":"High"}`, "3")},
		{"GET /device/devices/1/levels?sort=%2Bwish,-id&fields=id", "", page(`{"id":3},{"id":1},{"id":2}`, "3")},
		{`GET /device/devices/1/levels?filter=full:true,name~"H"&fields=id`, "", page(`{"id":2}`, "1")},
		{`GET /device/devices/2/levels?filter=full:true,name~"H"&fields=id`, "", nothing},
		{`GET /device/devices/1/levels?filter=_all~"lo"&fields=id`, "", page(`{"id":1}`, "1")},
		{"GET /device/devices/1/levels?sort=tags", "", `invalid sort: level has no field "tags" to sort by`},
		{"GET /device/devices/1/levels?fields=nam", "", `invalid fields: level has no field "nam"; did you mean name?`},
		{"GET /device/devices/9/levels", "", "unknown: there is no device 9"},
		{"GET /device/devices/1/levels/4", "", "unknown: there is no level 4"},
		{"GET /device/devices/1/levels/3?fields=wish", "", `{"wish":5}`},
		{"PATCH /device/devices/1/levels/3", `{"wish":9,"name":"no"}`, `{"id":3,"name":"mid","wish":9,"full":true,` +
			`"tags":[]}`},
		{"PATCH /device/devices/1/levels/3", `{"wish":900}`, "invalid wish: wish must be at most 100"},
		{"PATCH /device/devices/1/levels/3", `{"wihs":9}`,
			`invalid wihs: level has no field "wihs"; did you mean wish?`},
		{"PUT /device/devices/1/levels/3", `{}`, `{"id":3,"name":"mid","wish":7,"full":true,"tags":[]}`},
	})
	h.steps(inOslo(resource.Read), []step{
		{"GET /device/devices/2/levels", "", "unknown: there is no device 2"},
		{"PATCH /device/devices/1/levels/3", `{"wish":1}`, "denied: your role can view this device, but not edit it"},
		{"GET /device/devices/1/levels/3?fields=wish", "", `{"wish":7}`},
	})
	if _, err := h.do(nil, "PATCH /device/devices/1/levels/3", `{"wish":1}`, `"0000"`); !fault.Is(err, fault.Changed) {
		t.Errorf("a stale If-Match gives %v", err)
	}
}
