package server_test

import (
	"bufio"
	"context"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"spyglass/backend/resource"
)

// listen returns the events of a stream as "name data", until the test ends.
func (w *fixture) listen(who, path string) <-chan string {
	w.t.Helper()
	r, err := http.NewRequestWithContext(w.t.Context(), http.MethodGet, w.s.Origin()+"/api"+path, nil)
	if err != nil {
		w.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+w.bearers[who])
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { _ = response.Body.Close() })
	if kind := response.Header.Get("Content-Type"); kind != "text/event-stream" {
		w.t.Fatalf("%s of %s returns %s of type %s", path, who, response.Status, kind)
	}
	heard := make(chan string, 1000)
	go func() {
		defer close(heard)
		name := ""
		for lines := bufio.NewScanner(response.Body); lines.Scan(); {
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

// hears returns all events up to the first with this name and all words, which is the
// last of the result.
func (w *fixture) hears(events <-chan string, name string, words ...string) (all []string) {
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

func TestChangesAreSentOnlyToUsersWhoMayViewThem(t *testing.T) {
	w := newFixture(t)
	admin, reader, alerts := w.listen("admin", "/events"), w.listen("reader", "/events"),
		w.listen("reader", "/events?kinds=alert")
	change := func(request, body string) {
		t.Helper()
		if status, response := w.request("admin", request, body); status != http.StatusOK {
			t.Fatalf("%s: %d %s", request, status, response)
		}
	}
	change("PATCH /device/devices/2", `{"displayName":"ranch two"}`) // only in Austin
	change("PATCH /device/devices/1", `{"displayName":"fjord two"}`)
	w.hears(admin, "device", `"id":2`, "ranch two")
	for _, e := range w.hears(reader, "device", `"id":1`, "fjord two") {
		if strings.Contains(e, "ranch") {
			t.Errorf("who reads Oslo hears %s", e)
		}
	}
	change("DELETE /device/devices/1", "")
	if all := w.hears(reader, "device", `"gone":true`); all[len(all)-1] != `device {"id":1,"gone":true}` {
		t.Errorf("a device that has gone is announced as %s", all[len(all)-1])
	}
	change("PATCH /device/groups/3", `{"description":"rights may follow from it"}`)
	for _, events := range []<-chan string{admin, reader} {
		for range events { // until the stream ends
		}
	}
	for e := range alerts {
		t.Errorf("a listener for alerts only received %s", e)
	}
	if status, response := w.request("reader", "GET /events?kinds=alerts", ""); status != http.StatusBadRequest ||
		!strings.Contains(response, "kinds must be alert, device or both, joined by a comma") {
		t.Errorf("an unknown kind returns %d %s", status, response)
	}
}

func TestDeletionIsSentOnlyToUsersWhoCouldViewTheRow(t *testing.T) {
	w := newFixture(t)
	reader, admin := w.listen("reader", "/events?kinds=device"), w.listen("admin", "/events?kinds=device")
	for _, tt := range []struct{ request, body, who, want string }{
		{"DELETE /device/devices/2", "", "admin", `device {"id":2,"gone":true}`}, // only in Austin
		{"PATCH /device/devices/3", `{"hostGroupIds":"4"}`, "reader", `device {"id":3,"gone":true}`},
		{"DELETE /device/devices/3", "", "admin", `device {"id":3,"gone":true}`},
		{"DELETE /device/devices/1?deleteHard=true", "", "reader", `device {"id":1,"gone":true}`},
	} {
		if status, response := w.request("admin", tt.request, tt.body); status != http.StatusOK {
			t.Fatalf("%s: %d %s", tt.request, status, response)
		}
		stream := map[string]<-chan string{"admin": admin, "reader": reader}[tt.who]
		heard := w.hears(stream, "device", `"gone":true`)
		if got := heard[len(heard)-1]; got != tt.want || tt.who == "reader" && len(heard) > 1 {
			t.Errorf("%s: %s hears %q, want %s", tt.request, tt.who, heard, tt.want)
		}
	}
}

func TestUserIsLimitedToTwentyEventStreams(t *testing.T) {
	w := newFixture(t)
	e := w.s.Endpoints()[slices.IndexFunc(w.s.Endpoints(), func(e resource.Endpoint) bool {
		return e.ID() == "GET /events"
	})]
	access, err := w.s.Sessions.Access(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	leave := make([]func(), 20)
	for i := range leave {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		response, err := e.Handle(ctx, &resource.Call{Access: access, At: time.Now()})
		if err != nil {
			t.Fatal(err)
		}
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			_ = response.(*resource.Response).Events(func(...resource.Event) error { return nil })
		}()
		leave[i] = func() { cancel(); <-ended }
	}
	const most = "you have 20 event streams open, the maximum; close one first"
	if status, response := w.request("admin", "GET /events", ""); status != http.StatusTooManyRequests ||
		!strings.Contains(response, most) {
		t.Errorf("the 21st stream returns %d %s", status, response)
	}
	w.listen("reader", "/events")
	leave[0]()
	w.listen("admin", "/events")
}
