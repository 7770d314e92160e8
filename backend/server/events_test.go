package server_test

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"spyglass/backend/events"
	"spyglass/backend/fault"
	"spyglass/backend/portal/fleet"
	"spyglass/backend/resource"
)

// listen gives the events that a caller hears, "name data", until the test ends.
func (w *town) listen(who, path string) <-chan string {
	w.t.Helper()
	r, err := http.NewRequestWithContext(w.t.Context(), http.MethodGet, w.s.Origin()+"/api"+path, nil)
	if err != nil {
		w.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+w.bearers[who])
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { _ = answer.Body.Close() })
	if kind := answer.Header.Get("Content-Type"); kind != "text/event-stream" {
		w.t.Fatalf("%s of %s answers %s of type %s", path, who, answer.Status, kind)
	}
	heard := make(chan string, 1000)
	go func() {
		defer close(heard)
		name := ""
		for lines := bufio.NewScanner(answer.Body); lines.Scan(); {
			if text, ok := strings.CutPrefix(lines.Text(), "event: "); ok {
				name = text
			}
			if text, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
				heard <- name + " " + text
			}
		}
	}()
	return heard
}

// hears reads events up to the one that begins with name and holds all words,
// which comes last in all.
func (w *town) hears(events <-chan string, name string, words ...string) (all []string) {
	w.t.Helper()
	limit := time.After(20 * time.Second)
	for {
		select {
		case e, ok := <-events:
			if !ok {
				w.t.Fatalf("the stream ended after %q, without %s %q", all, name, words)
			}
			all = append(all, e)
			if strings.HasPrefix(e, name+" ") &&
				!slices.ContainsFunc(words, func(word string) bool { return !strings.Contains(e, word) }) {
				return all
			}
		case <-limit:
			w.t.Fatalf("there was %q, and not %s %q", all, name, words)
		}
	}
}

func TestChangesAreToldToWhoeverMayReadThem(t *testing.T) {
	w := newTown(t)
	admin, reader, alerts := w.listen("admin", "/events"), w.listen("reader", "/events"),
		w.listen("reader", "/events?kinds=alert")
	change := func(request, body string) {
		t.Helper()
		if status, answer := w.ask("admin", request, body); status != http.StatusOK {
			t.Fatalf("%s: %d %s", request, status, answer)
		}
	}
	change("PATCH /device/devices/2", `{"displayName":"ranch two"}`) // in Austin alone
	change("PATCH /device/devices/1", `{"displayName":"fjord two"}`)
	w.hears(admin, "device", `"id":2`, "ranch two")
	for _, e := range w.hears(reader, "device", `"id":1`, "fjord two") {
		if strings.Contains(e, "ranch") {
			t.Errorf("who reads Oslo hears %s", e)
		}
	}
	change("DELETE /device/devices/1", "")
	if all := w.hears(reader, "device", `"gone":true`); all[len(all)-1] != `device {"id":1,"gone":true}` {
		t.Errorf("a device that has gone is told as %s", all[len(all)-1])
	}
	change("PATCH /device/groups/3", `{"description":"rights may follow from it"}`)
	for _, events := range []<-chan string{admin, reader} {
		for range events { // until the stream ends
		}
	}
	for e := range alerts {
		t.Errorf("who asked for alerts alone hears %s", e)
	}
	if status, answer := w.ask("reader", "GET /events?kinds=alerts", ""); status != http.StatusBadRequest ||
		!strings.Contains(answer, "kinds is alert, device or both, joined by a comma") {
		t.Errorf("an unknown kind answers %d %s", status, answer)
	}
}

func TestWhoCouldSeeARowHearsThatItHasGoneAndNobodyElse(t *testing.T) {
	w := newTown(t)
	reader, admin := w.listen("reader", "/events?kinds=device"), w.listen("admin", "/events?kinds=device")
	for _, tt := range []struct{ request, body, who, want string }{
		{"DELETE /device/devices/2", "", "admin", `device {"id":2,"gone":true}`}, // in Austin alone
		{"PATCH /device/devices/3", `{"hostGroupIds":"4"}`, "reader", `device {"id":3,"gone":true}`},
		{"DELETE /device/devices/3", "", "admin", `device {"id":3,"gone":true}`},
		{"DELETE /device/devices/1?deleteHard=true", "", "reader", `device {"id":1,"gone":true}`},
	} {
		if status, answer := w.ask("admin", tt.request, tt.body); status != http.StatusOK {
			t.Fatalf("%s: %d %s", tt.request, status, answer)
		}
		stream := map[string]<-chan string{"admin": admin, "reader": reader}[tt.who]
		heard := w.hears(stream, "device", `"gone":true`)
		if got := heard[len(heard)-1]; got != tt.want || tt.who == "reader" && len(heard) > 1 {
			t.Errorf("%s: %s hears %q, want %s", tt.request, tt.who, heard, tt.want)
		}
	}
}

// direct is a stream whose events the test takes itself, without HTTP.
type direct struct {
	events chan resource.Event // unbuffered: a send waits until the test takes the event
	leave  func()              // ends it, and waits until it has ended
}

func join(t *testing.T, e resource.Endpoint, c *resource.Call) direct {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	answer, err := e.Handle(ctx, c)
	if err != nil {
		cancel()
		t.Fatal(err)
	}
	d, ended := direct{events: make(chan resource.Event)}, make(chan struct{})
	go func() {
		defer close(ended)
		_ = answer.(*resource.Answer).Events(func(all ...resource.Event) error {
			for _, event := range all {
				select {
				case d.events <- event:
				case <-ctx.Done():
					return ctx.Err()
				}
			}
			return nil
		})
	}()
	d.leave = func() { cancel(); <-ended }
	t.Cleanup(d.leave)
	return d
}

// eventsOf is a GET /events over the portal's database that counts in lists how
// often devices are listed.
func (w *town) eventsOf(lists *atomic.Int64) resource.Endpoint {
	endpoints := slices.Clone(w.s.Endpoints())
	for i, e := range endpoints {
		if e.ID() == "GET /device/devices" {
			endpoints[i].Handle = func(ctx context.Context, c *resource.Call) (any, error) {
				lists.Add(1)
				return e.Handle(ctx, c)
			}
		}
	}
	s := events.New(events.Options{DB: w.s.DB(), Endpoints: endpoints, Access: w.s.Sessions.Access})
	w.t.Cleanup(s.Close)
	return s.Endpoints()[0]
}

func (w *town) callOf(user int64) *resource.Call {
	w.t.Helper()
	access, err := w.s.Sessions.Access(w.t.Context(), user)
	if err != nil {
		w.t.Fatal(err)
	}
	return &resource.Call{Access: access, At: time.Now(), Query: map[string][]string{"kinds": {"device"}}}
}

func TestAChangeIsEvaluatedOnceForAllStreamsWithTheSameRights(t *testing.T) {
	w := newTown(t)
	var lists atomic.Int64
	e := w.eventsOf(&lists)
	var streams []direct
	for _, user := range []int64{1, 2, 3} { // the administrator; the clerk; and the keeper, who has other rights
		for range 10 {
			streams = append(streams, join(t, e, w.callOf(user)))
		}
	}
	if status, answer := w.ask("admin", "PATCH /device/devices/1",
		`{"displayName":"fjord two"}`); status != http.StatusOK {
		t.Fatal(status, answer)
	}
	for i, s := range streams {
		if event := <-s.events; !strings.Contains(fmt.Sprintf("%s", event.Data), "fjord two") {
			t.Errorf("stream %d hears %s", i, event.Data)
		}
	}
	if got := lists.Load(); got != 3 {
		t.Errorf("30 streams of 3 rights listed the devices %d times, want 3", got)
	}
}

func TestAStreamThatIsNotReadGetsLostInPlaceOfMemory(t *testing.T) {
	w := newTown(t)
	var lists atomic.Int64
	e := w.eventsOf(&lists)
	slow, fast := join(t, e, w.callOf(1)), join(t, e, w.callOf(1))
	change := func(name string, rows int) {
		t.Helper()
		if err := w.s.DB().Write(resource.WithCall(t.Context(), nil), func(tx resource.Tx) error {
			for i := range rows {
				d := &fleet.Device{Name: fmt.Sprintf("%s-%d", name, i), DisplayName: fmt.Sprintf("%s-%d", name, i),
					GroupIDs: []int64{2}}
				if err := resource.Put(t.Context(), tx, fleet.Devices.Name, d); err != nil {
					return err
				}
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	take := func(s direct, last string) (heard []string) {
		for {
			event := <-s.events
			heard = append(heard, event.Name)
			if event.Name == "lost" || strings.Contains(fmt.Sprintf("%s", event.Data), last) {
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
	take(fast, "last-0") // what came before lies with both by now
	heard := take(slow, "last-0")
	if heard[len(heard)-1] != "lost" || len(heard) > 100 {
		t.Errorf("who did not read hears %d events, and %s last; want lost", len(heard), heard[len(heard)-1])
	}
	change("later", 1)
	if heard := take(slow, "later-0"); heard[len(heard)-1] != "device" {
		t.Errorf("after it has caught up it hears %q", heard)
	}
}

func TestEventStreamsAreBoundedPerUserAndInAll(t *testing.T) {
	w := newTown(t)
	e := w.s.Endpoints()[slices.IndexFunc(w.s.Endpoints(), func(e resource.Endpoint) bool {
		return e.ID() == "GET /events"
	})]
	var open []direct
	for range 20 {
		open = append(open, join(t, e, w.callOf(1)))
	}
	const most = "you have 20 event streams open, which is the most; close one first"
	if status, answer := w.ask("admin", "GET /events", ""); status != http.StatusTooManyRequests ||
		!strings.Contains(answer, most) {
		t.Errorf("the 21st stream answers %d %s", status, answer)
	}
	w.listen("reader", "/events")
	open[0].leave()
	w.listen("admin", "/events")

	everybody := func(_ context.Context, user int64) (*resource.Access, error) {
		return &resource.Access{UserID: user, Admin: true}, nil
	}
	s := events.New(events.Options{DB: w.s.DB(), Endpoints: w.s.Endpoints(), Access: everybody})
	defer s.Close()
	for i := range int64(500) {
		join(t, s.Endpoints()[0], &resource.Call{Access: &resource.Access{UserID: 1 + i/20, Admin: true}})
	}
	_, err := s.Endpoints()[0].Handle(t.Context(), &resource.Call{Access: &resource.Access{UserID: 1000, Admin: true}})
	if f := fault.Of(err); f.Kind != fault.Busy ||
		f.Message != "this portal has 500 event streams open, which is the most; try again later" {
		t.Errorf("the 501st stream answers %v", err)
	}
}
