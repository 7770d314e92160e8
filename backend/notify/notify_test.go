package notify

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/emersion/go-smtp"

	"spyglass/backend/clock"
	"spyglass/backend/portal/alert"
	"spyglass/backend/portal/datasource"
	"spyglass/backend/portal/fleet"
	"spyglass/backend/portal/people"
	"spyglass/backend/portal/threshold"
	"spyglass/backend/resource"
)

func TestAlertEscalatesUntilItIsAcknowledged(t *testing.T) {
	h := open(t)
	put(h, alert.Integrations.Name, alert.Integration{ID: 7, Name: "mail", Type: alert.IntegrationSMTP,
		Host: "127.0.0.1", Port: 1, From: "s@example.net"})
	put(h, alert.RecipientGroups.Name,
		alert.RecipientGroup{ID: 1, Name: "Night",
			Recipients: []alert.Recipient{
				mailTo("admin"), {Type: "ARBITRARY", Method: "email", Addr: "night@example.net"}}})
	h.chain(alert.Chain{CC: []alert.Recipient{{Type: "ARBITRARY", Method: "email", Addr: "archive@example.net"}}},
		[]alert.Recipient{mailTo("admin")}, []alert.Recipient{{Type: "GROUP", Addr: "Night"}},
		[]alert.Recipient{mailTo("gone")})
	s := h.service(nil)
	for _, step := range []struct {
		what string
		do   func()
		want string
	}{
		{"nothing has happened", func() {}, ""},
		{"it opens", func() { h.raise(threshold.SeverityWarn) }, "active 1 admin by email waiting; active 1 " +
			"archive@example.net by email waiting"},
		{"nothing is said twice", func() {}, ""},
		{"after a restart neither", func() { h.reopen(); s = h.service(nil) }, ""},
		{"it is not yet time", func() { h.Pass(14 * time.Minute) }, ""},
		{"the second stage has its turn", func() { h.Pass(time.Minute) }, "escalated 2 admin by email waiting; " +
			"escalated 2 night@example.net by email waiting; escalated 2 archive@example.net by email waiting"},
		{"it gets worse: the first stage again", func() { h.raise(threshold.SeverityCritical) },
			"active 1 admin by email waiting; active 1 archive@example.net by email waiting"},
		{"maintenance covers it", func() {
			h.change(func(a *alert.Alert) { a.SDTed, a.SDTIDs, a.NoticeOn = true, "R_1", 1 })
			h.Pass(time.Hour)
		}, ""},
		{"maintenance is over: on to the second stage",
			func() { h.change(func(a *alert.Alert) { a.SDTed, a.SDTIDs, a.NoticeOn = false, "", 1 }) },
			"escalated 2 admin by email waiting; escalated 2 night@example.net by email waiting; escalated 2 " +
				"archive@example.net by email waiting"},
		{"somebody escalates it to one who is gone",
			func() { h.change(func(a *alert.Alert) { a.NextRecipient, a.NoticeOn = 3, 1 }) },
			"escalated 3 gone by email failed; escalated 3 archive@example.net by email waiting"},
		{"there is no further stage", func() { h.Pass(24 * time.Hour) }, ""},
		{"somebody acknowledges it: everybody who was notified is notified", func() {
			h.change(func(a *alert.Alert) { a.Acknowledge("admin", resource.SecondsOf(h.Now()), "on it") })
		},
			"acked 1 admin by email waiting; acked 1 archive@example.net by email waiting; acked 2 night@example.net " +
				"by email waiting"},
		{"it clears", h.clear, "cleared 1 admin by email waiting; cleared 1 archive@example.net by email waiting; " +
			"cleared 2 night@example.net by email waiting"},
		{"and that was it", func() { h.Pass(24 * time.Hour) }, ""},
	} {
		step.do()
		if got := h.planned(s); got != step.want {
			t.Errorf("%s:\n got %s\nwant %s", step.what, got, step.want)
		}
	}
	a, err := resource.Get(t.Context(), h.db, alert.Alerts.Name, 1)
	if want := "admin by email,archive@example.net by email,night@example.net by email"; err != nil ||
		a.Received != want {
		t.Errorf("the alert was received by %q (%v), want %q", a.Received, err, want)
	}
}

func TestUserIsNotifiedThroughTheConfiguredMailServer(t *testing.T) {
	h := open(t)
	put(h, alert.Integrations.Name,
		alert.Integration{ID: 7, Name: "mail", Type: alert.IntegrationSMTP, Host: "127.0.0.1", Port: 1,
			From: "s@example.net"},
		alert.Integration{ID: 8, Name: "Night post", Type: alert.IntegrationSMTP, Host: "127.0.0.1", Port: 1,
			From: "s@example.net"})
	h.chain(alert.Chain{}, []alert.Recipient{{Type: "ADMIN", Method: "night post", Addr: "admin"}})
	h.raise(threshold.SeverityWarn)
	if got := h.planned(h.service(nil)); got != "active 1 admin by night post waiting" {
		t.Fatal(got)
	}
	if d := h.deliveries()[0]; d.Address != "admin@example.net" || d.Method != "night post" {
		t.Errorf("to %s by %s", d.Address, d.Method)
	}
}

func TestStagesUseAlertTimeAndAttemptsUseRealTime(t *testing.T) {
	h := open(t)
	put(h, alert.Integrations.Name, alert.Integration{ID: 8, Name: "duty", Type: alert.IntegrationHTTP,
		URL: "http://127.0.0.1:1/", Method: "POST"})
	h.chain(alert.Chain{}, []alert.Recipient{hookTo("a")}, []alert.Recipient{hookTo("b")},
		[]alert.Recipient{hookTo("c")})
	pace := clock.New(h.Now)
	pace.SetSpeed(60)
	s := New(h.db, Options{Log: slog.New(slog.DiscardHandler), Clock: h.Now, Pace: pace})
	h.raise(threshold.SeverityWarn)
	want := func(what, want string) {
		t.Helper()
		if got := h.planned(s); got != want {
			t.Errorf("%s: got %q, want %q", what, got, want)
		}
	}
	want("at once", "active 1 a by duty waiting")
	h.send(s)
	if d := h.deliveries()[0]; d.Attempts != 1 || d.NextOn != resource.SecondsOf(noon.Add(pauses[0])) {
		t.Errorf("after %d attempts it is tried %d s after the first, want %v", d.Attempts,
			d.NextOn-resource.SecondsOf(noon), pauses[0])
	}
	h.Pass(14 * time.Second)
	want("after 14 of its minutes", "")
	h.Pass(time.Second)
	want("after a quarter of its hour", "escalated 2 b by duty waiting")
	pace.SetSpeed(0)
	h.Pass(time.Hour)
	want("while its time stands still", "")
	h.send(s)
	if d := h.deliveries()[0]; d.Attempts != 2 {
		t.Errorf("while the clock was stopped it was tried %d times, want 2", d.Attempts)
	}
}

func TestRulesSuppressClearNotices(t *testing.T) {
	h := open(t)
	h.chain(alert.Chain{}, []alert.Recipient{hookTo("a")})
	put(h, alert.Integrations.Name, alert.Integration{ID: 8, Name: "duty", Type: alert.IntegrationHTTP,
		URL: "http://127.0.0.1:1", Method: "POST"})
	h.write(func(tx resource.Tx) error {
		rule, err := resource.Get(t.Context(), tx, alert.Rules.Name, 1)
		if err != nil {
			return err
		}
		rule.SuppressClear, rule.SuppressAck = true, true
		return resource.Put(t.Context(), tx, alert.Rules.Name, rule)
	})
	s := h.service(nil)
	h.raise(threshold.SeverityWarn)
	if got := h.planned(s); got != "active 1 a by duty waiting" {
		t.Errorf("got %q", got)
	}
	h.change(func(a *alert.Alert) { a.Acknowledge("admin", resource.SecondsOf(noon), "on it") })
	if got := h.planned(s); got != "" {
		t.Errorf("of the acknowledgement: %q", got)
	}
	h.clear()
	if got := h.planned(s); got != "" {
		t.Errorf("of the end: %q", got)
	}
}

func TestRecipientsAreNotifiedOfTheClusterAlertInsteadOfItsDevices(t *testing.T) {
	h := open(t)
	h.chain(alert.Chain{}, []alert.Recipient{hookTo("a")})
	put(h, alert.Integrations.Name, alert.Integration{ID: 8, Name: "duty", Type: alert.IntegrationHTTP,
		URL: "http://127.0.0.1:1", Method: "POST"})
	put(h, datasource.DataSources.Name, datasource.DataSource{ID: 1, Name: "Ping", CollectInterval: 60,
		DataPoints: []datasource.DataPoint{{ID: 11, Name: "loss", AlertExpr: "> 60 80 90", AlertClear: 3}}})
	put(h, alert.ClusterAlerts.Name, alert.ClusterAlert{ID: 7, GroupID: 2, DataSourceID: 1, DataPointID: 11,
		CountBy: "host", ThresholdType: "absolute", Expr: "> 0", MinLevel: threshold.SeverityError,
		SuppressSingle: true})
	judge := func() {
		t.Helper()
		sizes, err := alert.SizeClusters(t.Context(), h.db, h.Now())
		if err != nil {
			t.Fatal(err)
		}
		h.write(func(tx resource.Tx) error { return alert.JudgeClusters(t.Context(), tx, sizes, h.Now()) })
	}
	s := h.service(nil)
	subjects := func() string {
		t.Helper()
		before := len(h.deliveries())
		h.planned(s)
		var all []string
		for _, d := range h.deliveries()[before:] {
			all = append(all, d.Subject)
		}
		return strings.Join(all, "; ")
	}
	for _, step := range []struct {
		what string
		do   func()
		want string
	}{
		{"the group tells, the device does not", func() { h.raise(threshold.SeverityCritical); judge() },
			"warn: 1 of 1 devices of Oslo have an alert of loss"},
		{"nor later", func() { h.Pass(time.Hour) }, ""},
		{"once the group has cleared, it says so, and the device has time",
			func() { h.raise(threshold.SeverityWarn); judge() }, "Cleared: warn: 1 of 1 devices of Oslo have an " +
				"alert of loss"},
		{"three polls", func() { h.Pass(3*time.Minute - time.Second) }, ""},
		{"after which the device tells", func() { h.Pass(time.Second) }, "warn: fjord Ping loss"},
		{"the group tells again",
			func() { h.clear(); h.planned(s); h.Pass(time.Hour); h.raise(threshold.SeverityCritical); judge() },
			"warn: 1 of 1 devices of Oslo have an alert of loss"},
		{"and who recovers in that time is not heard of", func() {
			h.raise(threshold.SeverityWarn)
			judge()
			h.Pass(time.Minute)
			h.planned(s)
			h.clear()
			h.Pass(time.Hour)
		}, ""},
	} {
		step.do()
		if got := subjects(); got != step.want {
			t.Errorf("%s: got %q, want %q", step.what, got, step.want)
		}
	}
}

func TestChainRespectsItsThrottle(t *testing.T) {
	h := open(t)
	put(h, alert.Integrations.Name, alert.Integration{ID: 8, Name: "duty", Type: alert.IntegrationHTTP,
		URL: "http://127.0.0.1:1", Method: "POST"})
	h.chain(alert.Chain{EnableThrottling: true, ThrottlingPeriod: 30, ThrottlingAlerts: 2},
		[]alert.Recipient{hookTo("a"), hookTo("b")})
	s := h.service(nil)
	var got []string
	for _, severity := range []int64{threshold.SeverityWarn, threshold.SeverityError, threshold.SeverityCritical} {
		h.Pass(time.Second)
		h.raise(severity)
		got = append(got, h.planned(s))
	}
	h.clear()
	h.planned(s)
	h.Pass(31 * time.Minute)
	h.raise(threshold.SeverityWarn)
	got = append(got, h.planned(s))
	sent, held := "active 1 a by duty waiting; active 1 b by duty waiting",
		"active 1 a by duty throttled; active 1 b by duty throttled"
	if want := []string{sent, sent, held, sent}; fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got %q\nwant %q", got, want)
	}
	if all := h.deliveries(); all[4].Error != "the chain sends at most 2 notices in 30 minutes" {
		t.Errorf("held back because %q", all[4].Error)
	}
}

func TestMailArrivesBySTARTTLSAndTLS(t *testing.T) {
	for security, implicit := range map[string]bool{"starttls": false, "tls": true} {
		h := open(t)
		put(h, people.Users.Name, people.User{ID: 1, Username: "admin", Email: "admin@example.net", Status: "active",
			Timezone: "Europe/Oslo"})
		put(h, datasource.DataSources.Name, datasource.DataSource{
			ID: 1, Name: "Ping", DataPoints: []datasource.DataPoint{{ID: 11, Name: "loss", AlertExpr: "> 60 80 90"}},
			Graphs: []datasource.Graph{datasource.Plot("Loss", "%", "loss")},
		})
		m := newMailServer(t, implicit)
		put(h, alert.Integrations.Name, m.integration(security))
		h.chain(alert.Chain{}, []alert.Recipient{mailTo("admin")})
		s := h.service(m.roots)
		h.raise(threshold.SeverityError)
		h.planned(s)
		h.send(s)
		d := h.deliveries()[0]
		if d.State != alert.DeliverySent || d.SentOn != resource.SecondsOf(noon) || d.Attempts != 1 {
			t.Fatalf("%s: the notice is %s: %s", security, d.State, d.Error)
		}
		mails := m.got()
		if len(mails) != 1 {
			t.Fatalf("%s: %d mails arrived", security, len(mails))
		}
		for _, want := range []string{
			"to admin@example.net\n", "\nSubject: error: fjord Ping loss\n", "\nFrom: <spyglass@example.net>\n",
			"\nTo: <admin@example.net>\n",
			"\nMessage-ID: <" + d.Key + "@spyglass>\n", "\nAuto-Submitted: auto-generated\n",
			"loss of Ping on fjord is 83 %; it should be at most 60 % (error above 80 %). Error since 2026-05-04 " +
				"14:00:00 CEST.", "Oslo portal",
		} {
			if !strings.Contains(strings.ReplaceAll(mails[0], "=\n", ""), want) { // mail bodies break lines like this
				t.Errorf("%s: %q is missing in\n%s", security, want, mails[0])
			}
		}
		h.send(s)
		if len(m.got()) != 1 {
			t.Errorf("%s: it was sent twice", security)
		}
	}
}

func TestNoMailToAnUntrustedCertificate(t *testing.T) {
	h := open(t)
	m := newMailServer(t, false)
	put(h, alert.Integrations.Name, m.integration("starttls"))
	h.chain(alert.Chain{}, []alert.Recipient{mailTo("admin")})
	s := h.service(nil)
	h.raise(threshold.SeverityError)
	h.planned(s)
	h.send(s)
	if d := h.deliveries()[0]; d.State != alert.DeliveryWaiting || !strings.Contains(d.Error, "certificate") ||
		len(m.got()) > 0 {
		t.Errorf("the notice is %s: %s; %d mails arrived", d.State, d.Error, len(m.got()))
	}
}

func TestUnreachableServerIsRetriedAndRefusalIsNot(t *testing.T) {
	h := open(t)
	m := newMailServer(t, false)
	put(h, alert.Integrations.Name, m.integration("starttls"))
	h.chain(alert.Chain{}, []alert.Recipient{mailTo("admin")})
	s := h.service(m.roots)
	m.error = &smtp.SMTPError{Code: 451, EnhancedCode: smtp.EnhancedCode{4, 3, 0}, Message: "come back later"}
	h.raise(threshold.SeverityError)
	h.planned(s)
	for _, pause := range []time.Duration{10 * time.Second, 30 * time.Second, time.Minute} {
		h.send(s)
		d := h.deliveries()[0]
		if d.State != alert.DeliveryWaiting || d.NextOn != resource.SecondsOf(h.Now().Add(pause)) ||
			!strings.Contains(d.Error, "come back later") {
			t.Fatalf("the notice is %s, next in %d s: %s", d.State, int64(d.NextOn)-h.Now().Unix(), d.Error)
		}
		h.send(s) // nothing is due yet
		h.Pass(pause)
	}
	if d := h.deliveries()[0]; d.Attempts != 3 {
		t.Errorf("it was tried %d times, want 3", d.Attempts)
	}
	m.error = &smtp.SMTPError{Code: 550, EnhancedCode: smtp.EnhancedCode{5, 1, 1}, Message: "nobody here by that name"}
	h.send(s)
	d := h.deliveries()[0]
	if d.State != alert.DeliveryFailed || !strings.Contains(d.Error, "nobody here by that name") {
		t.Errorf("the notice is %s: %s", d.State, d.Error)
	}
	m.error = nil
	h.write(func(tx resource.Tx) error {
		w := &resource.Write{Context: t.Context(), Tx: tx, Call: &resource.Call{At: h.Now()}}
		again := d
		if err := alert.Deliveries.Actions[0].Do(w, &again); err != nil {
			return err
		}
		return resource.Put(t.Context(), tx, alert.Deliveries.Name, &again)
	})
	h.send(s)
	if d := h.deliveries()[0]; d.State != alert.DeliverySent || len(m.got()) != 1 {
		t.Errorf("tried again by hand it is %s: %s; %d mails arrived", d.State, d.Error, len(m.got()))
	}
}

func TestExampleDomainsAreNotResolved(t *testing.T) {
	h := open(t)
	put(h, alert.Integrations.Name, alert.Integration{ID: 8, Name: "duty", Type: alert.IntegrationHTTP,
		URL: "https://duty.kestrel-freight.example/x", Method: "POST"})
	h.chain(alert.Chain{}, []alert.Recipient{hookTo("a")})
	s := h.service(nil)
	h.raise(threshold.SeverityWarn)
	h.planned(s)
	h.send(s)
	if d := h.deliveries()[0]; d.State != alert.DeliveryFailed ||
		d.Error != "nothing was sent: duty.kestrel-freight.example is a reserved example name (RFC 6761)" {
		t.Errorf("the notice is %s: %s", d.State, d.Error)
	}
}

func TestNoticeIsAbandonedAfterADay(t *testing.T) {
	h := open(t)
	put(h, alert.Integrations.Name, alert.Integration{ID: 8, Name: "duty", Type: alert.IntegrationHTTP,
		URL: "http://127.0.0.1:1/", Method: "POST"})
	h.chain(alert.Chain{}, []alert.Recipient{hookTo("a")})
	s := h.service(nil)
	h.raise(threshold.SeverityWarn)
	h.planned(s)
	for range 100 {
		h.send(s)
		if d := h.deliveries()[0]; d.State == alert.DeliveryFailed {
			if lasted := h.Now().Sub(noon); lasted < giveUp || lasted > giveUp+2*time.Hour {
				t.Errorf("it was given up after %v", lasted)
			}
			return
		}
		h.Pass(time.Hour)
	}
	t.Error("it is never given up")
}

func TestWebhookGetsSignedJSON(t *testing.T) {
	h := open(t)
	k := newHooked(t)
	put(h, alert.Integrations.Name, alert.Integration{
		ID: 8, Name: "duty", Type: alert.IntegrationHTTP, URL: k.URL + "/hooks?x=1", Method: "PUT",
		Headers:      []resource.Property{{Name: "X-Team", Value: "network"}},
		SecretHeader: "X-Key", Secret: "Bearer hush", SigningKey: "salt",
	})
	h.chain(alert.Chain{}, []alert.Recipient{hookTo("night shift")})
	s := h.service(nil)
	s.o.Origin = func() string { return "https://portal.example.net" }
	h.raise(threshold.SeverityError)
	h.planned(s)
	h.send(s)
	requests, bodies := k.got()
	if len(requests) != 1 {
		t.Fatalf("%d requests arrived: %+v", len(requests), h.deliveries())
	}
	want := `{"event":"active","alertId":"1","severity":"error","subject":"error: fjord Ping loss",` +
		`"body":"loss of Ping on fjord is 83;` +
		` it should be at most 60 (error above 80). Error since 2026-05-04 12:00:00 UTC.",` +
		`"device":"fjord","deviceId":1,"dataSource":"Ping","instance":"Ping","dataPoint":"loss","value":"83",` +
		`"threshold":"> 60 80 90","reason":"","startEpoch":1777896000,"endEpoch":0,` +
		`"ackedBy":"","ackComment":"","chain":"Web team","stage":1,"recipient":"night shift",` +
		`"link":"https://portal.example.net/#monitor/alerts/1"}`
	if bodies[0] != want {
		t.Errorf("got %s\nwant %s", bodies[0], want)
	}
	r, d := requests[0], h.deliveries()[0]
	head := []string{r.Method, r.RequestURI, r.Header.Get("Content-Type"), r.Header.Get("X-Team"),
		r.Header.Get("X-Key"), r.Header.Get("Idempotency-Key"), r.Header.Get("X-Spyglass-Signature")}
	if want := []string{"PUT", "/hooks?x=1", "application/json", "network", "Bearer hush", d.Key, "sha256=" +
		sign("salt", "1777896000."+want)}; fmt.Sprint(head) != fmt.Sprint(want) {
		t.Errorf("got %q\nwant %q", head, want)
	}
}

func TestTemplateStaysValidJSONForAnyAlert(t *testing.T) {
	h := open(t)
	k := newHooked(t)
	put(h, alert.Integrations.Name, alert.Integration{ID: 8, Name: "duty", Type: alert.IntegrationHTTP, URL: k.URL,
		Method: "POST", Payload: `{"text":"##SUBJECT## ##location##","who":"##RECIPIENT##","event":"##EVENT##",` +
			`"unknown":"##NOTHING##"}`})
	h.write(func(tx resource.Tx) error {
		d, err := resource.Get(t.Context(), tx, fleet.Devices.Name, 1)
		if err != nil {
			return err
		}
		d.CustomProperties = []resource.Property{{Name: "location", Value: "rack \"12\"\n\\ <b>"}}
		return resource.Put(t.Context(), tx, fleet.Devices.Name, d)
	})
	h.chain(alert.Chain{}, []alert.Recipient{hookTo(`o"o`)})
	s := h.service(nil)
	h.raise(threshold.SeverityError)
	h.planned(s)
	h.send(s)
	_, bodies := k.got()
	if len(bodies) != 1 {
		t.Fatalf("%d requests arrived", len(bodies))
	}
	var got map[string]string
	if err := json.Unmarshal([]byte(bodies[0]), &got); err != nil {
		t.Fatalf("%v in %s", err, bodies[0])
	}
	want := map[string]string{"text": "error: fjord Ping loss rack \"12\"\n\\ <b>", "who": `o"o`, "event": "active",
		"unknown": "##NOTHING##"}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got %q\nwant %q", got, want)
	}
}

func TestWebhookResponseDecidesWhetherItIsRetried(t *testing.T) {
	for _, tt := range []struct {
		code         int
		state, error string
	}{
		{204, alert.DeliverySent, ""},
		{302, alert.DeliveryFailed,
			"ADDRESS responded with 302 Found: as you say; Spyglass does not follow redirects, " +
				"change the address"},
		{404, alert.DeliveryFailed, "ADDRESS responded with 404 Not Found: as you say"},
		{429, alert.DeliveryWaiting, "ADDRESS responded with 429 Too Many Requests: as you say"},
		{503, alert.DeliveryWaiting, "ADDRESS responded with 503 Service Unavailable: as you say"},
	} {
		h := open(t)
		k := newHooked(t)
		k.response = tt.code
		put(h, alert.Integrations.Name, alert.Integration{ID: 8, Name: "duty", Type: alert.IntegrationHTTP, URL: k.URL,
			Method: "POST"})
		h.chain(alert.Chain{}, []alert.Recipient{hookTo("a")})
		s := h.service(nil)
		h.raise(threshold.SeverityWarn)
		h.planned(s)
		h.send(s)
		d := h.deliveries()[0]
		if got := strings.ReplaceAll(d.Error, k.Listener.Addr().String(), "ADDRESS"); d.State != tt.state ||
			got != tt.error {
			t.Errorf("%d: the notice is %s: %s", tt.code, d.State, got)
		}
	}
}

func TestBlockedChannelDelaysOnlyItself(t *testing.T) {
	h := open(t)
	stuck := newHooked(t)
	stuck.mu.Lock() // blocks every request
	quick := newHooked(t)
	put(h, alert.Integrations.Name,
		alert.Integration{ID: 8, Name: "duty", Type: alert.IntegrationHTTP, URL: quick.URL, Method: "POST"},
		alert.Integration{ID: 9, Name: "stuck", Type: alert.IntegrationHTTP, URL: stuck.URL, Method: "POST"})
	h.chain(alert.Chain{}, []alert.Recipient{{Type: "ARBITRARY", Method: "stuck", Addr: "x"}, hookTo("a")})
	s := h.service(nil)
	changed, stop := h.db.Watch(string(alert.Deliveries.Name))
	defer stop()
	h.raise(threshold.SeverityWarn)
	s.Start(context.Background())
	limit := time.After(9 * time.Second) // the blocked attempt would take 10
	for len(h.deliveries()) < 2 || h.deliveries()[1].State != alert.DeliverySent {
		select {
		case <-changed:
		case <-limit:
			t.Fatalf("the quick one waits: %+v", h.deliveries())
		}
	}
	if d := h.deliveries()[0]; d.State != alert.DeliveryWaiting || d.Attempts != 0 {
		t.Errorf("the stuck one is %s after %d attempts", d.State, d.Attempts)
	}
	stuck.mu.Unlock()
	if err := s.Stop(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestTestNoticeReportsItsResult(t *testing.T) {
	h := open(t)
	m := newMailServer(t, false)
	k := newHooked(t)
	k.response = 500
	put(h, alert.Integrations.Name, m.integration("starttls"),
		alert.Integration{ID: 8, Name: "duty", Type: alert.IntegrationHTTP, URL: k.URL, Method: "POST"})
	s := h.service(m.roots)
	if d := h.request(s, 7, `{}`); d.State != alert.DeliverySent || d.Address != "admin@example.net" ||
		d.Tells != alert.EventTest {
		t.Errorf("the mail is %+v", d)
	}
	if d := h.request(s, 7, `{"addr":"other@example.net"}`); d.State != alert.DeliverySent ||
		!strings.HasPrefix(m.got()[1], "to other@example.net") {
		t.Errorf("the mail is %+v", d)
	}
	d := h.request(s, 8, ``)
	if want := regexp.MustCompile(
		`^127\.0\.0\.1:\d+ responded with 500 Internal Server Error: as you say$`); d.State != alert.DeliveryFailed ||
		d.NextOn != 0 || !want.MatchString(d.Error) {
		t.Errorf("the hook is %s, next %d: %s", d.State, d.NextOn, d.Error)
	}
	if _, bodies := k.got(); !strings.HasPrefix(bodies[0], `{"event":"test","alertId":"0","severity":"warn",`+
		`"subject":"Test of duty"`) {
		t.Errorf("the hook got %s", bodies[0])
	}
}
