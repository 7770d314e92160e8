package demo_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"path/filepath"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"spyglass/backend/clock"
	"spyglass/backend/demo"
	"spyglass/backend/demo/stage"
	"spyglass/backend/fault"
	"spyglass/backend/monitor"
	"spyglass/backend/portal/alert"
	"spyglass/backend/portal/collector"
	"spyglass/backend/portal/fleet"
	"spyglass/backend/portal/incident"
	"spyglass/backend/portal/setting"
	"spyglass/backend/portal/threshold"
	"spyglass/backend/resource"
	"spyglass/backend/series"
	"spyglass/backend/service"
)

// play is a demo with a running engine in a synctest bubble.
type play struct {
	*fixture
	*stage.Stage
	engine *monitor.Engine
	clock  *clock.Clock
}

// small is the number of devices of a company that has a few of every kind.
const small = 70

// perform runs a test on a company with this number of devices.
func perform(t *testing.T, devices int, test func(p *play)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		p := &play{fixture: open(t), clock: clock.New(nil)}
		err := demo.Fill(t.Context(), p.db,
			demo.Options{Devices: devices, Now: time.Now(), Hash: func(string) (string, error) { return "hash", nil }})
		if err != nil {
			t.Fatal(err)
		}
		p.write(func(tx resource.Tx) error {
			return resource.Put(t.Context(), tx, setting.Settings.Name,
				&setting.Setting{ID: setting.SettingID, Demo: true})
		})
		samples, err := series.Open(t.Context(), series.Options{Path: filepath.Join(t.TempDir(), "series.db"),
			Clock: p.clock.Now})
		if err != nil {
			t.Fatal(err)
		}
		defer p.db.Close()
		defer samples.Close()
		log := slog.New(slog.NewTextHandler(t.Output(), nil))
		guard := &service.Guard{
			Log: log, Panicked: func(broke *service.Panic) { t.Errorf("%v\n%s", broke, broke.Stack) }}
		p.Stage = stage.New(stage.Options{DB: p.db, Clock: p.clock, Log: log, Guard: guard,
			Poll: func(wanted func(device, source int64) bool) { p.engine.PollSimulated(wanted) }})
		for _, e := range p.Stage.Endpoints() {
			p.endpoints[e.ID()] = e
		}
		p.engine = monitor.NewEngine(monitor.EngineOptions{DB: p.db, Series: samples, Log: log, Pace: p.clock,
			World: p.Stage})
		p.engine.Start(context.Background())
		p.Stage.Start(context.Background())
		p.Stage.StartEffects(context.Background())
		defer p.engine.Stop(t.Context())
		defer p.Stage.Stop(t.Context())
		defer p.Stage.StopEffects(t.Context())
		time.Sleep(time.Minute)
		if n := p.engine.Polled(); n < 300 {
			t.Fatalf("%d instances are polled", n)
		}
		test(p)
	})
}

// send sends a request as the administrator.
func (p *play) send(id, body string, vars ...string) (map[string]any, error) {
	p.Helper()
	e := p.endpoints[id]
	if e.Handle == nil {
		p.Fatalf("there is no endpoint %s", id)
	}
	c := &resource.Call{Access: &resource.Access{User: "dana", Admin: true}, At: p.clock.Now(),
		Vars: map[string]string{}, Query: map[string][]string{}, Body: []byte(body)}
	for i := 0; i+1 < len(vars); i += 2 {
		c.Vars[vars[i]] = vars[i+1]
	}
	out, err := e.Handle(resource.WithCall(p.Context(), c), c)
	if err != nil {
		return nil, err
	}
	if a, ok := out.(*resource.Response); ok {
		out = a.Body
	}
	text, err := json.Marshal(out)
	if raw, ok := out.(resource.JSON); ok {
		text, err = raw, nil
	}
	response := map[string]any{}
	if err == nil {
		err = json.Unmarshal(text, &response)
	}
	if err != nil {
		p.Fatal(err)
	}
	return response, nil
}

// begin starts an incident.
func (p *play) begin(body string) (id string) {
	p.Helper()
	response, err := p.send("POST /demo/incidents", body)
	if err != nil {
		p.Fatal(err)
	}
	time.Sleep(time.Second) // until the stage has received it
	return fmt.Sprint(response["id"])
}

func (p *play) incident(id string) incident.Incident {
	p.Helper()
	found, err := resource.Find(p.Context(), p.db, incident.Incidents.Name)
	for _, one := range found {
		if fmt.Sprint(one.ID) == id && err == nil {
			return one
		}
	}
	p.Fatalf("there is no incident %s (%v)", id, err)
	return incident.Incident{}
}

// since returns the alerts that opened after a moment and match the conditions.
func (p *play) since(from time.Time, where ...resource.Where) []alert.Alert {
	p.Helper()
	found, err := resource.Find(p.Context(), p.db, alert.Alerts.Name,
		append(where, resource.Where{Field: "startEpoch", Op: ">=", Value: from.Unix()})...)
	if err != nil {
		p.Fatal(err)
	}
	return found
}

func on(device int64) resource.Where {
	return resource.Where{Field: "monitorObjectId", Op: "=", Value: device}
}

func point(name string) resource.Where {
	return resource.Where{Field: "dataPointName", Op: "=", Value: name}
}

func active(alerts []alert.Alert) int {
	return len(slices.DeleteFunc(slices.Clone(alerts), func(a alert.Alert) bool { return a.Cleared }))
}

func TestCoreSwitchOutageIsTheOnlyAlertOfItsSite(t *testing.T) {
	perform(t, demo.StandardDevices, func(p *play) {
		began := time.Now()
		one := p.incident(p.begin(`{"kind":"coreSwitchDown"}`))
		time.Sleep(12 * time.Minute)
		total := func() []alert.Alert {
			return slices.DeleteFunc(p.since(began, point("PingLossPercent")),
				func(a alert.Alert) bool { return a.Value != "100" })
		}
		lost := total()
		if len(lost) != 1 || lost[0].DeviceID != one.DeviceID || lost[0].Severity != threshold.SeverityCritical {
			p.Fatalf("alerts of lost pings: %+v, want one that is critical on device %d", lost, one.DeviceID)
		}
		dead, err := resource.Find(p.Context(), p.db, fleet.Devices.Name,
			resource.Where{Field: "hostStatus", Op: "=", Value: "dead"})
		if err != nil || len(dead) < 40 {
			p.Errorf("%d devices are dead (%v), want the whole site", len(dead), err)
		}
		for _, a := range p.since(began) {
			if a.DeviceID != one.DeviceID && a.Value == "no data" {
				p.Errorf("%s %s opened though it lies behind the switch", a.DeviceName, a.DataPointName)
			}
		}
		time.Sleep(30 * time.Minute)
		if lost = total(); len(lost) != 1 || !lost[0].Cleared {
			p.Errorf("after the incident: %+v, want the one alert, cleared", lost)
		}
		if got := p.incident(fmt.Sprint(one.ID)); got.State != incident.IncidentEnded {
			p.Errorf("the incident is %s half an hour after its end", got.State)
		}
		after, err := resource.Find(p.Context(), p.db, fleet.Devices.Name,
			resource.Where{Field: "hostStatus", Op: "=", Value: "dead"})
		if err != nil || len(after) >= len(dead) || len(after) > 12 {
			p.Errorf("%d devices are dead after the incident (%v)", len(after), err)
		}
	})
}

func TestFillingDiskRaisesWorsensAndClearsAnAlert(t *testing.T) {
	perform(t, small, func(p *play) {
		began := time.Now()
		one := p.incident(p.begin(`{"kind":"diskFilling"}`))
		time.Sleep(65 * time.Minute)
		found := p.since(began, on(one.DeviceID), point("diskPercent"))
		if len(found) == 0 {
			p.Fatal("no disk has an alert")
		}
		for _, a := range found {
			if len(a.Notes) < 3 || a.Notes[0].Text != "opened as warn" || a.Notes[1].Text != "warn became error" ||
				a.Notes[2].Text != "error became critical" {
				p.Errorf("the story of %s is %+v", a.InstanceName, a.Notes)
			}
		}
		time.Sleep(30 * time.Minute)
		if n := active(p.since(began, on(one.DeviceID), point("diskPercent"))); n != 0 {
			p.Errorf("%d alerts of the disks are active after the incident", n)
		}
	})
}

func TestBusyGroupHasAnAlertOnEachDevice(t *testing.T) {
	perform(t, small, func(p *play) {
		began := time.Now()
		id := p.begin(`{"kind":"cpuStorm"}`)
		time.Sleep(10 * time.Minute)
		found := p.since(began, point("cpuPercent"))
		if len(found) < 4 {
			p.Errorf("%d of the shop's devices have an alert", len(found))
		}
		if _, err := p.send("POST /demo/incidents/{id}/stop", "", "id", id); err != nil {
			p.Fatal(err)
		}
		if got := p.incident(id); got.State != incident.IncidentEnded || int64(got.EndOn) != time.Now().Unix() {
			p.Errorf("the stopped incident is %s, and ends at %d", got.State, got.EndOn)
		}
		time.Sleep(20 * time.Minute)
		if n := active(p.since(began, point("cpuPercent"))); n > 1 {
			p.Errorf("%d alerts are active after it was stopped", n)
		}
	})
}

func TestFlappingLinkRaisesAtMostOneAlertPerInterval(t *testing.T) {
	perform(t, small, func(p *play) {
		began := time.Now()
		one := p.incident(p.begin(`{"kind":"flappingLink","duration":3600}`))
		time.Sleep(time.Hour)
		found := p.since(began, on(one.DeviceID), point("down"))
		if len(found) < 2 || len(found) > 20 {
			p.Errorf("%d alerts in an hour of flapping", len(found))
		}
		for i, a := range found[1:] {
			if before := found[i]; a.StartOn < before.EndOn+60 {
				p.Errorf("an alert opened %d seconds after the one before had ended", a.StartOn-before.EndOn)
			}
		}
	})
}

func TestCertificateExpires(t *testing.T) {
	perform(t, small, func(p *play) {
		began := time.Now()
		one := p.incident(p.begin(`{"kind":"certificateExpiring"}`))
		time.Sleep(59 * time.Minute)
		found := p.since(began, on(one.DeviceID), point("daysLeft"))
		if len(found) != 1 || found[0].Severity != threshold.SeverityCritical {
			p.Fatalf("alerts of the certificate: %+v, want one that is critical", found)
		}
		time.Sleep(5 * time.Minute)
		if n := active(p.since(began, on(one.DeviceID), point("daysLeft"))); n != 0 {
			p.Error("the alert is active after the certificate was renewed")
		}
	})
}

func TestAlertStormRaisesThousandsOfAlertsInAMinute(t *testing.T) {
	perform(t, demo.StandardDevices, func(p *play) {
		began := time.Now()
		p.begin(`{"kind":"alertStorm","duration":120}`)
		time.Sleep(75 * time.Second)
		if n := len(p.since(began)); n < 2000 {
			p.Errorf("%d alerts opened", n)
		}
		time.Sleep(25 * time.Minute)
		if n := active(p.since(began)); n > 100 {
			p.Errorf("%d alerts are active 25 minutes later", n)
		}
	})
}

func TestSimulatedCollectorGoesDownAndRecovers(t *testing.T) {
	perform(t, small, func(p *play) {
		m := monitor.New(monitor.Options{DB: p.db, Log: slog.New(slog.NewTextHandler(io.Discard, nil)), Pace: p.clock})
		down := func() bool {
			p.Helper()
			if err := m.Tick(p.Context()); err != nil {
				p.Fatal(err)
			}
			c, err := resource.Get(p.Context(), p.db, collector.Collectors.Name, 3)
			if err != nil {
				p.Fatal(err)
			}
			return c.IsDown
		}
		began := time.Now()
		if down() {
			p.Fatal("the collector is down from the beginning")
		}
		id := p.begin(`{"kind":"collectorDown"}`)
		time.Sleep(5 * time.Minute)
		if !down() {
			p.Errorf("the collector is up after five minutes: %+v", p.incident(id))
		}
		if found := p.since(began, resource.Where{Field: "collectorId", Op: "=", Value: int64(3)}); active(found) != 1 {
			p.Errorf("its alerts are %+v", found)
		}
		time.Sleep(15 * time.Minute)
		if down() || active(p.since(began, resource.Where{Field: "collectorId", Op: "=", Value: int64(3)})) != 0 {
			p.Error("the collector is down after the incident")
		}
	})
}

func TestAPIIncidentEndsByItselfAndCanAlwaysBeStopped(t *testing.T) {
	perform(t, small, func(p *play) {
		list := &resource.Endpoint{Method: "GET", Path: "/device/devices"}
		trouble := func(e *resource.Endpoint) string {
			before := time.Now()
			err := p.Trouble(p.Context(), e)
			if took := time.Since(before); took > 0 {
				return took.String()
			}
			if err == nil {
				return "none"
			}
			return string(fault.Of(err).Kind)
		}
		for kind, want := range map[string]string{"slowAnswers": "10s", "tooManyRequests": "too_many",
			"failingAnswers": "internal", "expiredSession": "no_login"} {
			p.clock.SetSpeed(0) // the incident ends although the clock has stopped
			p.begin(fmt.Sprintf(`{"kind":%q,"strength":100,"duration":60}`, kind))
			if got := trouble(list); got != want {
				p.Errorf("%s: %s, want %s", kind, got, want)
			}
			for _, id := range []string{"GET /demo/incidents", "POST /demo/incidents/{id}/stop", "GET /demo/time"} {
				if e := p.endpoints[id]; e.Path == "" || trouble(&e) != "none" {
					p.Errorf("%s at %s: %s", kind, id, trouble(&e))
				}
			}
			time.Sleep(time.Minute)
			if got := trouble(list); got != "none" {
				p.Errorf("%s after its end: %s", kind, got)
			}
		}
	})
}

func TestIncidentValidation(t *testing.T) {
	perform(t, small, func(p *play) {
		for body, want := range map[string]string{
			`{"kind":"cpuStorm","deviceId":1}`:        "deviceId: cpuStorm has no device",
			`{"kind":"slowAnswers","groupId":1}`:      "groupId: slowAnswers has no group",
			`{"kind":"diskFilling","deviceId":9999}`:  "deviceId: there is no device 9999",
			`{"kind":"diskFilling","strength":101}`:   "strength must be a whole number from 0 to 100",
			`{"kind":"diskFilling","duration":86401}`: "duration must be a whole number from 0 to 86400",
			`{"kind":"collectorDown","collectorId":1}`: "collectorId: collector 1 is not a simulated " +
				"collector of the demo",
			`{}`: "kind is required",
		} {
			if _, err := p.send("POST /demo/incidents", body); err == nil || fault.Of(err).Message != want {
				p.Errorf("%s: %v, want %q", body, err, want)
			}
		}
	})
}

func TestDemoTimeIsAcceleratedPausedAndKeptAfterARestart(t *testing.T) {
	perform(t, small, func(p *play) {
		began := time.Now()
		if _, err := p.send("PATCH /demo/time", `{"speed":61}`); err == nil ||
			fault.Of(err).Message != "speed must be a whole number from 1 to 60" {
			p.Errorf("61 times: %v", err)
		}
		if _, err := p.send("PATCH /demo/time", `{"speed":60}`); err != nil {
			p.Fatal(err)
		}
		p.begin(`{"kind":"cpuStorm"}`)
		time.Sleep(10 * time.Second)
		if n := len(p.since(began, point("cpuPercent"))); n < 4 {
			p.Errorf("%d of the shop's devices have an alert after ten minutes in ten seconds", n)
		}
		time.Sleep(50 * time.Second)
		response, err := p.send("PATCH /demo/time", `{"paused":true}`)
		if want := fmt.Sprint(map[string]any{"now": float64(began.Add(61 * time.Minute).Unix()),
			"world": float64(began.Add(61 * time.Second).Unix()), "speed": 60.0, "paused": true,
			"filling": false}); err != nil || fmt.Sprint(response) != want {
			p.Errorf("it is %v (%v), want %v", response, err, want)
		}
		next := clock.New(nil)
		stage := stage.New(stage.Options{DB: p.db, Clock: next})
		if err := stage.Resume(p.Context()); err != nil || next.Speed() != 0 ||
			next.Now().Unix() != began.Add(61*time.Minute).Unix() {
			p.Errorf("another process goes on at %v, %v times as fast (%v)", next.Now(), next.Speed(), err)
		}
		if _, err := p.send("PATCH /demo/time", `{"paused":false,"speed":1}`); err != nil {
			p.Fatal(err)
		}
		time.Sleep(time.Minute)
		if got := p.clock.Now().Sub(began).Truncate(time.Second); got != 62*time.Minute {
			p.Errorf("%v have passed in the demo", got)
		}
		if _, err := p.send("POST /demo/time/reset", `{"confirm":"yes"}`); !fault.Is(err, fault.Invalid) {
			p.Errorf("an unconfirmed reset: %v", err)
		}
	})
}

func TestStoppingAnIncidentKeepsTheOthersRunning(t *testing.T) {
	perform(t, small, func(p *play) {
		short := p.begin(`{"kind":"cpuStorm","duration":5}`)
		long := p.begin(`{"kind":"diskFilling","duration":600}`)
		time.Sleep(20 * time.Second)
		got := []string{p.incident(short).State, p.incident(long).State}
		if want := []string{incident.IncidentEnded, incident.IncidentRuns}; !slices.Equal(got, want) {
			p.Errorf("the incidents are %v, want %v", got, want)
		}
	})
}
