package server_test

import (
	"bufio"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"
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
			if strings.HasPrefix(e, name+" ") && !slices.ContainsFunc(words, func(word string) bool { return !strings.Contains(e, word) }) {
				return all
			}
		case <-limit:
			w.t.Fatalf("there was %q, and not %s %q", all, name, words)
		}
	}
}

func TestChangesAreToldToWhoeverMayReadThem(t *testing.T) {
	w := newTown(t)
	admin, reader, alerts := w.listen("admin", "/events"), w.listen("reader", "/events"), w.listen("reader", "/events?kinds=alert")
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
	if status, answer := w.ask("reader", "GET /events?kinds=alerts", ""); status != http.StatusBadRequest || !strings.Contains(answer, "kinds is alert, device or both, joined by a comma") {
		t.Errorf("an unknown kind answers %d %s", status, answer)
	}
}
