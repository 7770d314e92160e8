package events_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"spyglass/backend/events"
	"spyglass/backend/fault"
	"spyglass/backend/portal/alert"
	"spyglass/backend/portal/collector"
	"spyglass/backend/portal/datasource"
	"spyglass/backend/portal/fleet"
	"spyglass/backend/portal/maintenance"
	"spyglass/backend/portal/people"
	"spyglass/backend/portal/setting"
	"spyglass/backend/resource"
	"spyglass/backend/store"
	"spyglass/backend/store/storetest"
)

// fixture is a portal with the device web in group 2 and the device db in group 3.
type fixture struct {
	*testing.T
	db     *store.DB
	s      *events.Service
	lists  atomic.Int64 // how often a stream listed devices
	access map[int64]*resource.Access
}

// reads returns the access of a user with View access to the devices of some groups.
func reads(user int64, groups ...int64) *resource.Access {
	g := resource.Grant{Object: resource.DeviceGroup, Op: resource.Read, Groups: map[int64]bool{}}
	for _, id := range groups {
		g.Groups[id] = true
	}
	return &resource.Access{UserID: user, Grants: []resource.Grant{g}}
}

func open(t *testing.T) *fixture {
	t.Helper()
	db := storetest.Open(t, store.Options{})
	h := &fixture{T: t, db: db, access: map[int64]*resource.Access{
		1: {UserID: 1, Admin: true}, 2: reads(2, 2), 3: reads(3, 3), 4: reads(4, 2)}}
	storetest.Add(h, db, &fleet.Groups)
	storetest.Add(h, db, &fleet.Functions)
	storetest.Add(h, db, &collector.Collectors)
	storetest.Add(h, db, &collector.CollectorGroups)
	storetest.Add(h, db, &people.Roles)
	storetest.Add(h, db, &people.UserGroups)
	storetest.Add(h, db, &people.RoleGroups)
	storetest.Add(h, db, &people.Users)
	storetest.Add(h, db, &setting.Settings)
	storetest.Add(h, db, &datasource.DataSources)
	storetest.Add(h, db, &fleet.DeviceDataSources)
	storetest.Add(h, db, &fleet.Instances)
	storetest.Add(h, db, &fleet.InstanceGroups)
	storetest.Add(h, db, &fleet.UnsettledRows)
	storetest.Add(h, db, &fleet.SettlingRow)
	storetest.Add(h, db, &maintenance.SDTs)
	endpoints := append(storetest.Add(h, db, &fleet.Devices), storetest.Add(h, db, &alert.Alerts)...)
	storetest.Add(h, db, &alert.ClusterAlerts) // alerts read their units from it
	for i, e := range endpoints {
		if e.ID() == "GET /device/devices" {
			endpoints[i].Handle = func(ctx context.Context, c *resource.Call) (any, error) {
				h.lists.Add(1)
				return e.Handle(ctx, c)
			}
		}
	}
	put(h, &fleet.Groups, fleet.Group{ID: 1, Name: "Root"}, fleet.Group{ID: 2, Name: "Oslo", ParentID: 1},
		fleet.Group{ID: 3, Name: "Austin", ParentID: 1})
	put(h, &fleet.Devices, device(1, "web", 2), device(2, "db", 3))
	h.s = events.New(events.Options{DB: db, Endpoints: endpoints,
		Renew: func(_ context.Context, who *resource.Access) (*resource.Access, error) {
			return h.access[who.UserID], nil
		}})
	t.Cleanup(func() { _ = h.s.Stop(context.Background()) })
	return h
}

func device(id int64, name string, groups ...int64) fleet.Device {
	return fleet.Device{ID: id, Name: name, DisplayName: name, GroupIDs: groups}
}

func put[T any](h *fixture, r *resource.Resource[*T], rows ...T) {
	h.Helper()
	storetest.Put(h, h.db, r.Name, rows...)
}

// stream receives the events of a listener.
type stream struct {
	events chan resource.Event // unbuffered, so that a send waits until the test receives the event
	ended  chan struct{}
}

func (h *fixture) call(user int64, kinds string) *resource.Call {
	return &resource.Call{Access: h.access[user], At: time.Now(), Query: map[string][]string{"kinds": {kinds}}}
}

// join opens a stream until the test ends.
func (h *fixture) join(c *resource.Call) stream {
	h.Helper()
	response, err := h.s.Endpoints()[0].Handle(h.Context(), c)
	if err != nil {
		h.Fatal(err)
	}
	s := stream{make(chan resource.Event), make(chan struct{})}
	go func() {
		defer close(s.ended)
		_ = response.(*resource.Response).Events(func(all ...resource.Event) error {
			for _, event := range all {
				select {
				case s.events <- event:
				case <-h.Context().Done():
					return h.Context().Err()
				}
			}
			return nil
		})
	}()
	h.Cleanup(func() { <-s.ended })
	return s
}

// hears returns the next event as "name data".
func (h *fixture) hears(s stream) string {
	h.Helper()
	select {
	case e := <-s.events:
		if row, ok := e.Data.(resource.JSON); ok {
			return e.Name + " " + string(row)
		}
		text, err := json.Marshal(e.Data)
		if err != nil {
			h.Fatal(err)
		}
		return e.Name + " " + string(text)
	case <-s.ended:
		h.Fatal("the stream has ended")
		return ""
	}
}

func TestSubscribersReceiveOnlyReadableRows(t *testing.T) {
	h := open(t)
	oslo, austin := h.join(h.call(2, "device")), h.join(h.call(3, "device"))
	put(h, &fleet.Devices, device(1, "web two", 2))
	put(h, &fleet.Devices, device(2, "db two", 3))
	for _, tt := range []struct {
		who  string
		s    stream
		want string
	}{{"Oslo", oslo, "web two"}, {"Austin", austin, "db two"}} {
		if got := h.hears(tt.s); !strings.HasPrefix(got, "device {") || !strings.Contains(got, tt.want) {
			t.Errorf("%s received %s, want %s", tt.who, got, tt.want)
		}
	}
	put(h, &fleet.Devices, device(1, "web two", 3)) // moves the device from Oslo to Austin
	if got := h.hears(oslo); got != `device {"id":1,"gone":true}` {
		t.Errorf("Oslo received %s, want that device 1 has gone", got)
	}
	if got := h.hears(austin); !strings.Contains(got, "web two") {
		t.Errorf("Austin received %s, want web two", got)
	}
}

func TestSubscribersReceiveOnlyRequestedKinds(t *testing.T) {
	h := open(t)
	alerts := h.join(h.call(1, "alert"))
	put(h, &fleet.Devices, device(1, "web two", 2))
	put(h, &alert.Alerts, alert.Alert{Type: "DataSourceAlert", Severity: 3, DeviceID: 1, DeviceName: "web"})
	if got := h.hears(alerts); !strings.HasPrefix(got, "alert {") {
		t.Errorf("a listener to alerts received %s", got)
	}
	_, err := h.s.Endpoints()[0].Handle(t.Context(), h.call(1, "collector"))
	if f := fault.Of(err); f.Kind != fault.Invalid || f.Field != "kinds" {
		t.Errorf("events of collectors give %v, want an error of kinds", err)
	}
}

func TestStreamEndsWhenPermissionsOfItsUserChange(t *testing.T) {
	h := open(t)
	s := h.join(h.call(2, "device"))
	put(h, &fleet.Groups, fleet.Group{ID: 4, Name: "Inner", ParentID: 2})
	<-s.ended
}

func TestChangeIsEvaluatedOncePerPermissionSet(t *testing.T) {
	h := open(t)
	var streams []stream
	for _, user := range []int64{1, 2, 4} { // the administrator, and two users with the same permissions
		for range 10 {
			streams = append(streams, h.join(h.call(user, "device")))
		}
	}
	put(h, &fleet.Devices, device(1, "web two", 2))
	for i, s := range streams {
		if got := h.hears(s); !strings.Contains(got, "web two") {
			t.Errorf("stream %d received %s", i, got)
		}
	}
	if got := h.lists.Load(); got != 2 {
		t.Errorf("30 streams of 2 rights listed the devices %d times, want 2", got)
	}
}

func TestSlowStreamGetsALostEventInsteadOfUsingMemory(t *testing.T) {
	h := open(t)
	slow, fast := h.join(h.call(1, "device")), h.join(h.call(1, "device"))
	change := func(name string, rows int) {
		all := make([]fleet.Device, rows)
		for i := range all {
			all[i] = device(0, fmt.Sprintf("%s-%d", name, i), 2)
		}
		put(h, &fleet.Devices, all...)
	}
	take := func(s stream, last string) (heard []string) {
		for {
			got := h.hears(s)
			heard = append(heard, got)
			if strings.HasPrefix(got, "lost ") || strings.Contains(got, last+`"`) {
				return heard
			}
		}
	}
	change("first", 1)
	take(fast, "first-0")
	for _, name := range []string{"a", "b", "c", "d", "e", "f", "g", "h"} {
		change(name, 80)
		take(fast, name+"-79")
	}
	change("last", 1)
	take(fast, "last-0") // both streams have queued all earlier events by now
	heard := take(slow, "last-0")
	if last := heard[len(heard)-1]; !strings.HasPrefix(last, "lost ") || len(heard) > 100 {
		t.Errorf("a slow reader received %d events, and %s last; want lost", len(heard), last)
	}
	change("later", 1)
	if heard := take(slow, "later-0"); !strings.HasPrefix(heard[len(heard)-1], "device ") {
		t.Errorf("after it has caught up it received %q", heard)
	}
}

func TestEventStreamsAreLimitedInTotal(t *testing.T) {
	h := open(t)
	for user := int64(10); user < 35; user++ {
		h.access[user] = &resource.Access{UserID: user, Admin: true}
		for range 20 {
			h.join(h.call(user, "device"))
		}
	}
	_, err := h.s.Endpoints()[0].Handle(t.Context(), h.call(1, "device"))
	if f := fault.Of(err); f.Kind != fault.Busy ||
		f.Message != "this portal has 500 event streams open, the maximum; try again later" {
		t.Errorf("the 501st stream gives %v", err)
	}
}
