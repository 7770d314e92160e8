package notify

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"spyglass/backend/portal/alert"
	"spyglass/backend/portal/fleet"
	"spyglass/backend/portal/threshold"
	"spyglass/backend/resource"
)

// duty is a webhook, the only recipient of the only chain. The test sets its
// response.
func duty(h *fixture, change func(i *alert.Integration)) *hooked {
	k := newHooked(h.T)
	i := alert.Integration{ID: 8, Name: "duty", Type: alert.IntegrationHTTP, URL: k.URL, Method: "POST"}
	if change != nil {
		change(&i)
	}
	put(h, alert.Integrations.Name, i)
	h.chain(alert.Chain{}, []alert.Recipient{hookTo("a")})
	return k
}

// events returns the events that the webhook received, and their
// alerts.
func (k *hooked) events(t *testing.T) string {
	t.Helper()
	_, bodies := k.got()
	var all []string
	for _, body := range bodies {
		var one struct {
			Event, AlertID string
			Notices        []struct{ Event, AlertID string }
		}
		if err := json.Unmarshal([]byte(body), &one); err != nil {
			t.Fatal(err)
		}
		if len(one.Notices) == 0 {
			all = append(all, one.Event+" "+one.AlertID)
			continue
		}
		var parts []string
		for _, n := range one.Notices {
			parts = append(parts, n.Event+" "+n.AlertID)
		}
		all = append(all, "["+strings.Join(parts, " ")+"]")
	}
	return strings.Join(all, "; ")
}

func (k *hooked) answers(code int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.response, k.requests, k.bodies = code, nil, nil
}

// others adds instances to the fixture's device, for alert storms.
func (h *fixture) others(n int) {
	h.Helper()
	rows := make([]fleet.Instance, n)
	for i := range rows {
		rows[i] = fleet.Instance{ID: int64(100 + i), DeviceID: 1, DataSourceID: 1, WildValue: fmt.Sprint(i),
			Name: fmt.Sprintf("Ping-%d", i), DisplayName: fmt.Sprintf("Ping-%d", i)}
	}
	put(h, fleet.Instances.Name, rows...)
}

// storm opens an alert on each of the other instances with indexes from from up to, but
// not including, before.
func (h *fixture) storm(from, before int) {
	h.Helper()
	h.write(func(tx resource.Tx) error {
		for i := from; i < before; i++ {
			f := &alert.Finding{InstanceID: int64(100 + i), DataPointID: 11, Severity: threshold.SeverityError,
				Value: "83", Threshold: "> 60 80 90", At: resource.SecondsOf(h.Now())}
			if _, _, err := alert.Raise(h.Context(), tx, f); err != nil {
				return err
			}
		}
		return nil
	})
}

func (h *fixture) clearOther(i int) {
	h.Helper()
	h.write(func(tx resource.Tx) error {
		_, err := alert.Clear(h.Context(), tx, &alert.Finding{InstanceID: int64(100 + i), DataPointID: 11, Value: "0",
			At: resource.SecondsOf(h.Now())})
		return err
	})
}

func (h *fixture) states() string {
	h.Helper()
	counts := map[string]int{}
	for _, d := range h.deliveries() {
		counts[d.State]++
	}
	return strings.TrimPrefix(fmt.Sprint(counts), "map")
}

func TestReceiverGetsTheClearNoticeLast(t *testing.T) {
	ack := func(h *fixture) {
		h.change(func(a *alert.Alert) { a.Acknowledge("admin", resource.SecondsOf(h.Now()), "on it") })
	}
	worse := func(h *fixture) { h.raise(threshold.SeverityCritical) }
	for _, tt := range []struct {
		what     string
		response int
		meantime []func(*fixture)
		want     string
	}{
		{"it clears before anything was delivered: neither is sent", 500, []func(*fixture){(*fixture).clear}, ""},
		{"it clears after it was delivered", 200, []func(*fixture){(*fixture).clear}, "cleared 1"},
		{"it gets worse: only that", 500, []func(*fixture){worse}, "active 1"},
		{"it is acknowledged: after the alert itself", 500, []func(*fixture){ack}, "active 1; acked 1"},
		{"it is acknowledged and clears", 500, []func(*fixture){ack, (*fixture).clear}, ""},
		{"it may have arrived: its end is sent, and nothing else", 0, []func(*fixture){(*fixture).clear}, "cleared 1"},
	} {
		h := open(t)
		k := duty(h, nil)
		if k.response = tt.response; tt.response == 0 { // closes the connection instead of responding
			k.Config.Handler = k.abandon(k.Config.Handler)
		}
		s := h.service(nil)
		h.raise(threshold.SeverityError)
		h.planned(s)
		h.send(s)
		h.Pass(2 * time.Second)
		for _, do := range tt.meantime {
			do(h)
			h.planned(s)
			h.Pass(time.Second)
		}
		k.answers(200)
		for range 3 {
			h.send(s)
			h.Pass(time.Minute)
		}
		if got := k.events(t); got != tt.want {
			t.Errorf("%s: the receiver got %q, want %q", tt.what, got, tt.want)
		}
		for _, d := range h.deliveries() {
			if d.State == alert.DeliveryWaiting {
				t.Errorf("%s: %s still waits", tt.what, d.Tells)
			}
		}
	}
}

// abandon closes the connection while no response is set.
func (k *hooked) abandon(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		k.mu.Lock()
		none := k.response == 0
		k.mu.Unlock()
		if none {
			panic(http.ErrAbortHandler)
		}
		next.ServeHTTP(w, r)
	})
}

func TestClearNoticeIsSentAfterAKillDuringSending(t *testing.T) {
	h := open(t)
	k := duty(h, nil)
	s := h.service(nil)
	h.raise(threshold.SeverityError)
	h.planned(s)
	if _, units, err := s.arrange(t.Context(), "duty"); err != nil || len(units) != 1 {
		t.Fatalf("%d messages are about to be sent (%v)", len(units), err)
	}
	h.reopen() // the portal does not know whether the receiver got it
	s = h.service(nil)
	h.clear()
	h.planned(s)
	h.send(s)
	if got := k.events(t); got != "cleared 1" {
		t.Errorf("the receiver got %q", got)
	}
}

func TestPendingNoticesAreSentAtOnceAfterAnOutage(t *testing.T) {
	h := open(t)
	k := duty(h, nil)
	h.others(4)
	s := h.service(nil)
	k.response = 503
	h.storm(0, 3)
	h.planned(s)
	for range 12 { // hours, because the pauses have become long
		h.send(s)
		h.Pass(30 * time.Minute)
	}
	h.send(s)
	k.answers(200)
	h.Pass(time.Second)
	h.storm(3, 4)
	h.planned(s)
	h.send(s)
	if got, want := k.events(t), "active 4; active 1; active 2; active 3"; got != want {
		t.Errorf("the receiver got %q, want %q", got, want)
	}
}

func TestManyNoticesToOneRecipientBecomeADigest(t *testing.T) {
	h := open(t)
	k := duty(h, func(i *alert.Integration) { i.GroupAbove, i.GroupWait = 3, 30 })
	h.others(40)
	s := h.service(nil)
	step := func(what string, from, before int, want string) {
		t.Helper()
		k.answers(200)
		h.storm(from, before)
		h.planned(s)
		h.send(s)
		if got := k.events(t); got != want {
			t.Errorf("%s: got %q, want %q", what, got, want)
		}
		h.Pass(time.Second)
	}
	step("a few go at once", 0, 2, "active 1; active 2")
	step("and one more", 2, 3, "active 3")
	step("the next ones are collected", 3, 5, "")
	step("for a while", 5, 6, "")
	h.Pass(26 * time.Second)
	step("and go together, with what comes in that moment", 6, 7, "[active 4 active 5 active 6 active 7]")
	h.Pass(30 * time.Second)
	step("a storm is not waited for", 7, 11, "[active 8 active 9 active 10 active 11]")
	h.Pass(30 * time.Second)
	step("afterwards each is sent alone again", 11, 12, "active 12")
}

func TestDigestIsRetriedUnchanged(t *testing.T) {
	h := open(t)
	k := duty(h, func(i *alert.Integration) { i.GroupAbove, i.GroupWait = 2, 30 })
	h.others(5)
	s := h.service(nil)
	k.response = 503
	h.storm(0, 3)
	h.planned(s)
	var keys, bodies []string
	again := func() {
		t.Helper()
		h.send(s)
		requests, texts := k.got()
		if len(requests) != len(keys)+1 {
			t.Fatalf("%d requests arrived, want %d", len(requests), len(keys)+1)
		}
		keys, bodies = append(keys, requests[len(keys)].Header.Get("Idempotency-Key")),
			append(bodies, texts[len(bodies)])
		h.Pass(time.Minute)
	}
	again()
	h.reopen() // as another process
	s = h.service(nil)
	again()
	if keys[0] == "" || keys[0] != keys[1] || bodies[0] != bodies[1] {
		t.Errorf("tried again it has the key %s, before %s:\n%s\n%s", keys[1], keys[0], bodies[1], bodies[0])
	}
	h.clearOther(1)
	h.planned(s)
	k.mu.Lock()
	k.response = 200
	k.mu.Unlock()
	h.send(s)
	h.Pass(time.Minute)
	h.send(s)
	requests, _ := k.got()
	for _, r := range requests[2:] {
		if r.Header.Get("Idempotency-Key") == keys[0] {
			t.Error("what has another content has the same key")
		}
	}
	if got, want := k.events(t),
		"[active 1 active 2 active 3]; [active 1 active 2 active 3]; active 1; active 3"; got != want {
		t.Errorf("the receiver got %q, want %q", got, want)
	}
	if got, want := h.states(), "[sent:2 superseded:2]"; got != want {
		t.Errorf("the notices are %s, want %s", got, want)
	}
}

func TestRefusedDigestIsSentAsSingleNotices(t *testing.T) {
	h := open(t)
	k := duty(h, func(i *alert.Integration) { i.GroupAbove, i.GroupWait = 1, 30 })
	plain := k.Config.Handler
	k.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.ContentLength > 2000 {
			w.WriteHeader(http.StatusRequestEntityTooLarge)
			return
		}
		plain.ServeHTTP(w, r)
	})
	h.others(4)
	s := h.service(nil)
	h.storm(0, 4)
	h.planned(s)
	h.send(s)
	if got, want := k.events(t), "active 1; active 2; active 3; active 4"; got != want {
		t.Errorf("the receiver got %q, want %q", got, want)
	}
}

func TestTemplateHoldsSeveralNoticesUnlessItNamesOneAlert(t *testing.T) {
	for payload, want := range map[string][]string{
		`{"text":"##SUBJECT##","event":"##EVENT##","to":"##RECIPIENT##"}`: {
			`{"text":"2 notices: 2 active","event":"digest","to":"a"}`},
		`{"text":"##HOST## ##INSTANCE##"}`: {`{"text":"fjord Ping-0"}`,
			`{"text":"fjord Ping-1"}`},
	} {
		h := open(t)
		k := duty(h, func(i *alert.Integration) { i.GroupAbove, i.GroupWait, i.Payload = 1, 30, payload })
		h.others(2)
		s := h.service(nil)
		h.storm(0, 2)
		h.planned(s)
		h.send(s)
		if _, bodies := k.got(); fmt.Sprint(bodies) != fmt.Sprint(want) {
			t.Errorf("%s: got %q, want %q", payload, bodies, want)
		}
	}
}

func TestMailListsTheNoticesOfADigest(t *testing.T) {
	h := open(t)
	m := newMailServer(t, false)
	i := m.integration("starttls")
	i.GroupAbove, i.GroupWait = 1, 30
	put(h, alert.Integrations.Name, i)
	h.chain(alert.Chain{}, []alert.Recipient{mailTo("admin")})
	h.others(listed + 2)
	s := h.service(m.roots)
	h.storm(0, listed+2)
	h.planned(s)
	h.send(s)
	mails := m.got()
	if len(mails) != 1 {
		t.Fatalf("%d mails arrived", len(mails))
	}
	for _, want := range []string{
		"\nSubject: 102 notices: 102 active\n", "\nMessage-ID: <" + h.deliveries()[0].Digest + "@spyglass>\n",
		"\nerror: fjord Ping-7 loss\nloss of Ping-7 on fjord is 83; it should be at most 60 (error above 80). Error " +
			"since 2026-05-04 12:00:00 UTC.\n\n", "and 2 more.",
	} {
		if !strings.Contains(strings.ReplaceAll(mails[0], "=\n", ""), want) {
			t.Errorf("%q is missing in\n%s", want, mails[0])
		}
	}
}
